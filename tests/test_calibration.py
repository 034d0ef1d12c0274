"""Calibration: exact marginals, belief heads, reliability, P(make); and the bidding report."""

import json
import math
import subprocess
import sys
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from texas42.agents.base import Decisions
from texas42.agents.sampling import sample_worlds
from texas42.agents.specs import make_agent
from texas42.envs.engine.state import new_batch
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.bidding import NOTHING, bidder_gains, bidding_report
from texas42.training.evaluation.calibration import (
    belief_head,
    belief_report,
    log_beliefs,
    make_report,
    reliability,
    surprise,
)
from texas42.training.evaluation.forecasts import make_forecasts
from texas42.training.evaluation.handlog import HandLog, play_hands
from texas42.training.evaluation.marginals import exact_marginals

RULES = Rules.preset("n42pa")


@pytest.fixture(scope="module")
def log() -> HandLog:
    return play_hands(make_agent("heuristic", RULES), RULES, 20, seed=3)


def test_marginals_before_the_first_call_are_a_third_each(log: HandLog) -> None:
    s = log.states[0]
    seat = int(s["cur"])
    found = exact_marginals(RULES, s, seat)
    mine = [int(s["hands"][seat]) >> tile & 1 for tile in range(28)]
    assert found == pytest.approx(np.tile([(1 - m) / 3 for m in mine], (3, 1)))


@pytest.mark.parametrize("preset", ["n42pa", "seventy_two", "three_handed"])
def test_marginals_are_the_limit_of_drawn_worlds(preset: str) -> None:
    rules = Rules.preset(preset)
    played = play_hands(make_agent("heuristic", rules), rules, 3, seed=7)
    n = 4000
    for row in range(5, len(played.states), 11):
        s, seat = played.states[row], int(played.states[row]["cur"])
        exact = exact_marginals(rules, s, seat)
        drawn = sample_worlds(rules, s, seat, n, key=row)
        for other in range(1, rules.seats):
            hands = drawn.hands[:, (seat + other) % rules.seats]
            held = [((hands >> np.uint64(b)) & np.uint64(1)).mean() for b in range(rules.n_types * rules.game.copies)]
            shares = np.reshape(held, (rules.game.copies, rules.n_types)).sum(axis=0)
            assert exact[other - 1] == pytest.approx(shares, abs=5 * 0.5 / math.sqrt(n))


def test_marginals_by_listing_all_deals_of_an_ending() -> None:
    """Trick 6, I lead: four hidden tiles with two seats apart, all ways listed by hand."""
    whole = RULES.replace(early_end="play_all")
    played = play_hands(make_agent("random", whole), whole, 1, seed=2)
    row = next(k for k in played.plays if played.states[k]["n_tricks"] == 5 and played.states[k]["pos"] == 0)
    s, seat = played.states[row], int(played.states[row]["cur"])
    others = [(seat + k) % 4 for k in (1, 2, 3)]
    hidden = [b for b in range(28) if any(int(s["hands"][o]) >> b & 1 for o in others)]
    deals = []
    for first in combinations(hidden, 2):
        for second in combinations([b for b in hidden if b not in first], 2):
            third = [b for b in hidden if b not in first + second]
            deal = (first, second, tuple(third))
            if all(not int(s["cannot"][o]) >> b & 1 for o, held in zip(others, deal, strict=True) for b in held):
                deals.append(deal)
    wanted = np.zeros((3, 28))
    for deal in deals:
        for k, held in enumerate(deal):
            wanted[k, list(held)] += 1 / len(deals)
    assert exact_marginals(RULES, s, seat) == pytest.approx(wanted)


class KnowsNothing:
    """Equal odds for every seat that may hold a tile."""

    name = "nothing"

    def beliefs(self, decisions: Decisions) -> npt.NDArray[Any]:
        return np.zeros((len(decisions), 3, 28))


def test_equal_odds_before_any_void_are_the_exact_uniform(log: HandLog) -> None:
    head = belief_head(KnowsNothing())  # type: ignore[arg-type]
    assert head is not None
    found = log_beliefs(log, head)
    first = np.flatnonzero(log.states["n_plays"][found.rows] == 0)
    assert len(first)
    assert surprise(found.head, found.truth)[first] == pytest.approx(math.log2(3))
    assert found.head[first] == pytest.approx(found.uniform[first])
    report = belief_report(log, found)
    auction = next(g for g in report["groups"] if g["when"] == "auction")
    assert auction["gain"]["mean"] == pytest.approx(0)
    assert report["uniform"]["brier"] <= report["head"]["brier"]
    json.dumps(report, allow_nan=False)


def test_a_head_that_knows_is_never_surprised(log: HandLog) -> None:
    class Knows:
        name = "knows"

        def __init__(self) -> None:
            self.at = 0

        def beliefs(self, decisions: Decisions) -> npt.NDArray[Any]:
            rows = np.arange(self.at, self.at + len(decisions))
            self.at += len(decisions)
            out = np.zeros((len(rows), 3, 28))
            for i, row in enumerate(rows):
                s = log.states[row]
                for k in range(3):
                    held = int(s["hands"][(int(s["cur"]) + k + 1) % 4])
                    out[i, k] = [60.0 * (held >> tile & 1) for tile in range(28)]
            return out

    head = belief_head(Knows())  # type: ignore[arg-type]
    assert head is not None
    found = log_beliefs(log, head)
    assert np.nanmax(surprise(found.head, found.truth)) < 1e-6
    report = belief_report(log, found)
    assert report["head"]["ece"] == pytest.approx(0, abs=1e-9)
    assert report["groups"][0]["gain"]["mean"] > 1


def test_players_without_a_head_have_none() -> None:
    assert belief_head(make_agent("heuristic", RULES)) is None


def test_a_sample_of_decisions_repeats_with_its_seed(log: HandLog) -> None:
    head = belief_head(KnowsNothing())  # type: ignore[arg-type]
    assert head is not None
    once, again = (log_beliefs(log, head, limit=30, seed=4) for _ in range(2))
    assert len(once.rows) == 30
    assert once.rows.tolist() == again.rows.tolist()


def test_reliability_of_a_worked_example() -> None:
    """Ten forecasts of 0.85 of which six come true, ten of 0.15 of which two do: errors 0.25 and 0.05."""
    found = reliability([0.85] * 10 + [0.15] * 10, [1] * 6 + [0] * 4 + [1] * 2 + [0] * 8)
    assert found["ece"] == pytest.approx(0.15)
    brier = (6 * 0.15**2 + 4 * 0.85**2 + 2 * 0.85**2 + 8 * 0.15**2) / 20
    assert found["brier"] == pytest.approx(brier)
    assert [(row["n"], row["frequency"]) for row in found["bins"]] == [(10, 0.2), (10, 0.6)]


def test_reliability_of_nothing_and_of_nonsense() -> None:
    assert reliability([], []) == {"n": 0, "ece": None, "brier": None, "bins": []}
    with pytest.raises(ValueError, match="outside 0 to 1"):
        reliability([1.5], [1])
    with pytest.raises(ValueError, match="same length"):
        reliability([0.5], [1, 0])


def test_a_certain_forecast_falls_into_the_last_bin() -> None:
    assert reliability([1.0, 0.0], [1, 0])["ece"] == 0


def test_forecasts_of_the_heuristic_by_the_heuristic_are_calibrated() -> None:
    many = play_hands(make_agent("heuristic", RULES), RULES, 400, seed=11)
    p = make_forecasts(many, seed=1, worlds=40)
    played = many.finals["made"] >= 0
    assert np.isfinite(p[played]).all()
    assert np.isnan(p[~played]).all()
    report = make_report(many, p)
    assert report["all"]["n"] == int(played.sum())
    assert abs(float(p[played].mean()) - float((many.finals["made"][played] == 1).mean())) < 0.1
    assert report["all"]["brier"] < 0.25  # what a constant one half gets
    assert sum(found["n"] for found in report["bids"].values()) == report["all"]["n"]


def test_games_with_a_widow_have_no_forecast() -> None:
    rules = Rules.preset("seventy_two")
    with pytest.raises(OptionsError, match="widow"):
        make_forecasts(play_hands(make_agent("random", rules), rules, 1, seed=1))


def test_bidding_report_counts_every_call_and_contract(log: HandLog) -> None:
    report = bidding_report(log)
    assert sum(sum(entry["calls"].values()) for entry in report["calls"]) == int(log.finals["n_calls"].sum())
    contracts = report["hands"] - report["thrown_in"]
    assert sum(level["played"] for level in report["levels"].values()) == contracts
    assert sum(level["played"] for level in report["declarations"].values()) == contracts
    first = [entry for entry in report["calls"] if entry["seat"] == 1]
    assert {entry["standing"] for entry in first} == {NOTHING}
    assert report["forced"] is None
    json.dumps(report, allow_nan=False)


def test_seats_are_counted_from_the_shaker() -> None:
    """Nobody bids in front: the last call of a hand that all pass to is the shaker's, seat 0."""
    forced = Rules.preset("seed_marks")
    report = bidding_report(play_hands(make_agent("passer", forced), forced, 10, seed=1))
    assert report["forced"] == 10
    assert report["forced_level"]["played"] == 10
    assert report["choice"]["played"] == 0
    assert report["choice"]["make_rate"] is None
    shaker = [entry for entry in report["calls"] if entry["seat"] == 0]
    assert [(entry["standing"], sum(entry["calls"].values())) for entry in shaker] == [(NOTHING, 10)]
    assert all(entry["calls"] == {"PASS": 10} for entry in report["calls"] if entry["seat"] != 0)


def test_marks_won_are_the_bidders_side_against_the_other(log: HandLog) -> None:
    gains = bidder_gains(log)
    for hand in range(log.n_hands):
        record = log.record(hand)
        if record.contract is None:
            assert gains[hand] == 0
            continue
        side = record.contract["bidder"] % 2
        assert gains[hand] == record.score_delta[side] - record.score_delta[1 - side]


def test_special_contracts_are_counted_as_called_and_as_made() -> None:
    rules = RULES.replace(nello="any", splash="on", plunge="on", sevens="any")
    played = play_hands(make_agent("random", rules), rules, 300, seed=2)
    specials = bidding_report(played)["specials"]
    assert set(specials) == {"SPLASH", "PLUNGE", "NELLO", "SEVENS"}
    assert specials["NELLO"]["played"] > 0
    assert specials["SPLASH"]["called"] >= specials["SPLASH"]["played"] > 0
    assert specials["SPLASH"]["made"] <= specials["SPLASH"]["played"]


def test_evaluation_needs_no_torch_and_no_matplotlib() -> None:
    code = (
        "import sys\n"
        "import texas42.training.evaluation.report, texas42.training.evaluation.calibration\n"
        "import texas42.training.evaluation.regret, texas42.training.evaluation.bidding\n"
        "import texas42.commands.report\n"
        "assert not {'torch', 'matplotlib', 'jinja2', 'tensorboard'} & set(sys.modules), 'imported'\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_marginals_take_a_blanked_view_as_well_as_a_full_state(log: HandLog) -> None:
    for row in range(0, len(log.states), 37):
        view = log.decisions(np.array([row])).views[0]
        seat = int(log.states[row]["cur"])
        blank = new_batch(1)
        blank[0] = view
        assert np.array_equal(exact_marginals(RULES, blank[0], seat), exact_marginals(RULES, log.states[row], seat))
