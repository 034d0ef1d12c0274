"""Regret of plays: hindsight against the exact solver, what could be known against many worlds."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from texas42.agents.base import Agent, Decisions
from texas42.agents.solver import solve
from texas42.agents.specs import make_agent
from texas42.envs.engine.state import PLAY, new_batch
from texas42.envs.errors import OptionsError
from texas42.envs.records import HandRecord, format_hand, verify_record
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.handlog import HandLog, play_hands
from texas42.training.evaluation.intervals import clustered_means, wilson_interval
from texas42.training.evaluation.judge import ILLEGAL, Judge, is_decided
from texas42.training.evaluation.regret import crossed_loss, measure_regret, regret_report, worst_hands

RULES = Rules.preset("n42pa")
NELLO = Rules.preset("n42pa").replace(nello="any", all_pass="forced_last")


@pytest.fixture(scope="module")
def log() -> HandLog:
    return play_hands(make_agent("heuristic", RULES), RULES, 6, seed=3)


class SolvesOpenHands:
    """Plays the true hands as the solver would: an open book that only tests may read."""

    name = "open"

    def __init__(self, rules: Rules, states: dict[int, Any]) -> None:
        self.rules, self.states = rules, states
        self.habit = make_agent("heuristic", rules)

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """The heuristic's calls; of plays one that keeps the exact value."""
        actions = self.habit.act(decisions)
        for i, view in enumerate(decisions.views):
            if view["phase"] == PLAY:
                state = new_batch(1)
                state[0] = view
                state["hands"][0] = self._hands(view, int(decisions.game_ids[i]))
                solution = solve(self.rules, state[0])
                best = next(name for name, value in solution.moves.items() if value == solution.value)
                actions[i] = decisions.codec.parse(best)
        return actions

    def _hands(self, view: Any, row: int) -> Any:
        hands = self.states[row].copy()
        for k in range(int(view["n_plays"])):
            hands[int(view["players"][k])] &= ~np.uint64(1 << int(view["plays"][k]))
        return hands

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""


def dealt_hands(rules: Rules, n: int, seed: int) -> dict[int, Any]:
    log = play_hands(make_agent("random", rules), rules, n, seed)
    return {int(s["row"]): s["dealt"].copy() for s in log.finals}


def test_log_keeps_every_decision_in_the_order_of_play(log: HandLog) -> None:
    for hand in range(log.n_hands):
        record = log.record(hand)
        rows = np.flatnonzero(log.hand == hand)
        assert record.actors == log.states["cur"][rows].tolist()
        verify_record(record)


def test_two_agents_get_the_same_deals() -> None:
    a = play_hands(make_agent("random", RULES), RULES, 4, seed=9)
    b = play_hands(make_agent("heuristic", RULES), RULES, 4, seed=9)
    assert [a.record(k).hands for k in range(4)] == [b.record(k).hands for k in range(4)]


def test_a_longer_log_begins_with_the_shorter_one(log: HandLog) -> None:
    longer = play_hands(make_agent("heuristic", RULES), RULES, 9, seed=3)
    n = len(log.actions)
    assert longer.actions[:n].tolist() == log.actions.tolist()
    assert longer.hand[:n].tolist() == log.hand.tolist()


def test_record_of_a_given_contract_starts_with_its_calls() -> None:
    given = play_hands(make_agent("heuristic", RULES), RULES, 2, seed=1, contract="31")
    assert not given.own_bids
    record = given.record(0)
    assert record.actions[:4] == ["PASS", "PASS", "PASS", "P31"]
    assert record.contract is not None
    assert record.contract["bid"] == "P31"


def test_no_hands_are_refused() -> None:
    with pytest.raises(OptionsError, match="hands=0 is not allowed"):
        play_hands(make_agent("random", RULES), RULES, 0, seed=1)


def test_judge_agrees_with_the_solver_on_points_and_on_the_contract(log: HandLog) -> None:
    judge = Judge(RULES)
    checked = 0
    for row in log.plays[::7]:
        s = log.states[row]
        if int(s["marks"]) > 0:
            continue
        for goal in ("points", "made"):
            wanted = solve(RULES, s, goal=goal).moves
            mine = int(s["cur"]) % 2 == int(s["bidder"]) % 2
            if goal == "points":
                found = judge.points(s)
                turned = {name: value if mine else 42 - value for name, value in wanted.items()}
            else:
                found = judge.reaches(s, s["hands"][None, :4])[0]
                turned = {name: value if mine else 1 - value for name, value in wanted.items()}
            assert {judge.move(log.codec.parse(name)): v for name, v in turned.items()} == {
                k: v for k, v in enumerate(found.tolist()) if v != ILLEGAL
            }
            checked += 1
    assert checked > 10


def test_exact_play_has_no_hindsight_regret() -> None:
    agent: Agent = SolvesOpenHands(RULES, dealt_hands(RULES, 3, seed=5))
    exact = play_hands(agent, RULES, 3, seed=5)
    regrets = measure_regret(exact, sample=0)
    in_points = exact.states["marks"][regrets.rows] == 0
    assert np.nansum(regrets.points[in_points]) == 0
    assert np.nansum(regrets.made) == 0


def test_points_given_away_in_a_hand_are_what_the_value_fell_by(log: HandLog) -> None:
    """The value of the position moves only by what the plays give away, so it ends at the result."""
    played_on = RULES.replace(early_end="play_all")
    whole = play_hands(make_agent("heuristic", played_on), played_on, 5, seed=3)
    regrets = measure_regret(whole, sample=0)
    for hand in range(whole.n_hands):
        rows = np.flatnonzero(regrets.hand == hand)
        final = whole.finals[hand]
        if int(final["marks"]) > 0:
            continue
        first = whole.states[regrets.rows[rows[0]]]
        start = solve(played_on, first, goal="points").value
        sign = np.where(regrets.role[rows] == 2, 1, -1)
        moved = float(np.nansum(np.nan_to_num(regrets.points[rows]) * sign))
        assert start + moved == int(final["taken"][int(final["bidder"]) % 2])


def test_forced_plays_are_counted_apart(log: HandLog) -> None:
    regrets = measure_regret(log, sample=0)
    assert regrets.forced.any()
    assert np.isnan(regrets.made[regrets.forced]).all()
    assert np.isnan(regrets.points[regrets.forced]).all()
    report = regret_report(regrets)
    whole = report["groups"][0]
    assert whole["plays"] == len(regrets.rows)
    assert whole["forced"] == int(regrets.forced.sum())
    by_role = [g for g in report["groups"] if g["role"] is not None and g["trick"] is None]
    assert sum(g["plays"] for g in by_role) == whole["plays"]
    assert sum(g["made"]["n"] for g in by_role) == whole["made"]["n"]


def test_report_is_plain_json(log: HandLog) -> None:
    regrets = measure_regret(log, sample=3, worlds=4, seed=1)
    text = json.dumps(regret_report(regrets), allow_nan=False)
    assert json.loads(text)["per_hand"]["points"]["clusters"] <= log.n_hands


def test_known_regret_is_taken_on_a_sample_and_repeats_with_its_seed(log: HandLog) -> None:
    once, again = (measure_regret(log, sample=5, worlds=8, seed=2) for _ in range(2))
    assert int(np.isfinite(once.known).sum()) == 5
    assert np.array_equal(once.known, again.known, equal_nan=True)
    assert not np.isfinite(once.known[once.forced]).any()
    assert np.nanmax(np.abs(once.known)) <= 1


def test_choice_and_judgement_come_from_different_worlds() -> None:
    chooser, judge = np.array([0.5, 0.6, -1.0]), np.array([0.7, 0.4, -1.0])
    assert crossed_loss(chooser, judge, move=0) == pytest.approx(-0.3)
    assert crossed_loss(chooser, judge, move=1) == 0
    tied = np.array([0.5, 0.5, 0.1])
    assert crossed_loss(tied, np.array([0.2, 0.4, 0.0]), move=2) == pytest.approx(0.3)


def test_nello_has_contract_regret_and_no_points() -> None:
    nello = play_hands(make_agent("random", NELLO), NELLO, 60, seed=4)
    rows = [k for k in nello.plays if nello.codec.declarations[int(nello.states[k]["decl"])].name.startswith("NELLO")]
    assert rows
    regrets = measure_regret(nello, sample=0)
    mine = np.isin(regrets.rows, rows)
    assert np.isnan(regrets.points[mine]).all()
    assert np.isfinite(regrets.made[mine & ~regrets.forced]).any()


def test_a_nello_is_decided_by_the_first_trick_the_bidder_takes() -> None:
    nello = play_hands(make_agent("random", NELLO.replace(early_end="play_all")), NELLO, 1, seed=4)
    s = nello.states[nello.plays[0]].copy()
    judge = Judge(NELLO)
    s["decl"] = next(i for i, d in enumerate(nello.codec.declarations) if d.name == "NELLO-own")
    assert not is_decided(s, judge.t)
    s["won"][int(s["bidder"]) % 2] = 1
    assert is_decided(s, judge.t)


def test_worst_hands_can_be_laid_out(log: HandLog) -> None:
    regrets = measure_regret(log, sample=10, worlds=4)
    worst = worst_hands(log, regrets, 2)
    assert len(worst) == 2
    for found in worst:
        record = HandRecord.from_json(found["record"])
        assert "Auction" in format_hand(record)
        assert all(play["tile"] in record.actions for play in found["plays"])
    assert len({found["hand"] for found in worst}) == 2


def test_other_games_are_refused() -> None:
    moon = Rules.preset("moon")
    other = play_hands(make_agent("random", moon), moon, 1, seed=1)
    with pytest.raises(OptionsError, match="four-player double-six"):
        measure_regret(other)


def test_clustered_mean_is_the_ratio_of_sums() -> None:
    values, clusters = [1.0, 3.0, np.nan, 5.0], [0, 0, 0, 1]
    groups = np.array([[True, False], [True, False], [True, False], [True, True]])
    both, one = clustered_means(values, clusters, groups, seed=1)
    assert both["mean"] == 3.0
    assert both["n"] == 3
    assert both["ci95"] == [2.0, 5.0]
    assert one == {"n": 1, "clusters": 1, "mean": 5.0, "ci95": None}


def test_an_empty_group_has_no_mean() -> None:
    (found,) = clustered_means([], [], np.zeros((0, 1), bool), seed=1)
    assert found == {"n": 0, "clusters": 0, "mean": None, "ci95": None}


def test_clustered_interval_covers_the_mean_of_correlated_values() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(100):
        shift = np.repeat(rng.normal(size=60), 5)
        values = shift + 0.1 * rng.normal(size=300)
        found = clustered_means(values, np.arange(300) // 5, np.ones((300, 1), bool), trial, resamples=400)[0]
        covered += found["ci95"][0] <= 0 <= found["ci95"][1]
    assert 88 <= covered <= 99


def test_wilson_interval_of_published_example() -> None:
    low, high = wilson_interval(0, 10) or [0, 0]
    assert low == pytest.approx(0, abs=1e-12)
    assert high == pytest.approx(0.2775, abs=1e-3)  # z²/(n + z²)
    assert wilson_interval(0, 0) is None
