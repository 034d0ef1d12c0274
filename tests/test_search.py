"""pimc: legal, reproducible, sensible; the odds of a hand; the commands solve and odds."""

import json
from itertools import accumulate
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.players import assert_rows_stand_alone
from texas42.agents.arena import decision_keys, decisions_for, play_out
from texas42.agents.random_agent import RandomAgent
from texas42.agents.search.constraints import KNOWLEDGE, classify
from texas42.agents.search.counting import count_deals
from texas42.agents.search.odds import hand_odds, share
from texas42.agents.search.pimc import PimcAgent
from texas42.agents.specs import SpecError, make_agent
from texas42.cli import main
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.deal import open_hand
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import parse_tile

SAMPLES = Path(__file__).parent / "data" / "sample_records.jsonl"
RULES = Rules.preset("n42pa")
FOUR = ["n42pa", "seed_marks", "seed_points", "spruce", "casual", "open"]


def mask(text: str) -> int:
    """The bit set of tiles in a string."""
    return sum(1 << parse_tile(name) for name in text.split())


def game_with(hands: list[str], rules: Any = "n42pa", shaker: int = 3) -> BatchedGame:
    """One hand with these tiles; seat 0 calls first if seat 3 shakes."""
    game = BatchedGame(rules, 1, auto_reset=False)
    game.reset(0)
    state = game.states[0]
    state.shaker = shaker
    state.hands[:4] = np.array([mask(h) for h in hands], np.uint64)
    open_hand(state, game.tables)
    return game


def play(game: BatchedGame, *names: str) -> None:
    """Apply actions."""
    for name in names:
        game.step([game.codec.parse(name)])


def choice(agent: PimcAgent, game: BatchedGame, seed: int = 1) -> str:
    """What an agent does in the only row."""
    decisions = decisions_for(game, np.array([0]), decision_keys(game, seed, np.zeros(1, np.int64)))
    return game.codec.name(int(agent.act(decisions)[0]))


SIXES = ["6-6 6-5 6-4 6-3 6-2 6-1 6-0", "5-5 5-4 5-3 5-2 5-1 5-0 4-4",
         "4-3 4-2 4-1 4-0 3-3 3-2 3-1", "3-0 2-2 2-1 2-0 1-1 1-0 0-0"]


@pytest.mark.parametrize("preset", [*FOUR, "laydown"])
def test_it_plays_every_preset_of_four_player_42(preset: str) -> None:
    if preset == "laydown":
        rules = Rules.preset("open").replace(laydown="proved", opening_bidder="holder_of_1_0", lead_low_end=["6-1"])
    else:
        rules = Rules.preset(preset)
    game = BatchedGame(rules, 5, auto_reset=False)
    game.reset(3)
    play_out(game, [PimcAgent(rules, 2)], np.zeros((5, 4), np.int64), 1)
    assert game.done.all()


@pytest.mark.slow
@pytest.mark.parametrize("preset", FOUR)
def test_it_plays_five_hundred_hands_of_every_preset(preset: str) -> None:
    rules = Rules.preset(preset)
    game = BatchedGame(rules, 500, auto_reset=False)
    game.reset(3)
    play_out(game, [PimcAgent(rules, 2, threads=2)], np.zeros((500, 4), np.int64), 1)
    assert game.done.all()


def test_a_choice_depends_on_its_row_alone() -> None:
    rules = Rules.preset("open")
    game = BatchedGame(rules, 6, auto_reset=False)
    game.reset(8)
    one, many = PimcAgent(rules, 3), PimcAgent(rules, 3, threads=3)
    assert_rows_stand_alone(game, one, many, 10)


def test_hidden_hands_do_not_matter() -> None:
    first = game_with(SIXES)
    swapped = game_with([SIXES[0], SIXES[2], SIXES[3], SIXES[1]])
    agent = PimcAgent(Rules.preset("n42pa"), 10)
    for game in (first, swapped):
        play(game, "M2", "PASS", "PASS", "PASS", "PIP6")
    assert choice(agent, first) == choice(agent, swapped)


def test_seven_sixes_bid_two_marks_and_name_sixes() -> None:
    game = game_with(SIXES)
    agent = PimcAgent(Rules.preset("n42pa"), 10)
    assert choice(agent, game) == "M2"
    play(game, "M2", "PASS", "PASS", "PASS")
    assert choice(agent, game) == "PIP6"


def test_a_hopeless_hand_passes_and_bids_the_least_when_forced() -> None:
    rules = Rules.preset("seed_marks")
    game = game_with([SIXES[1], SIXES[2], SIXES[0], SIXES[3]], rules)
    agent = PimcAgent(rules, 10)
    play(game, "PASS", "PASS", "PASS")
    assert choice(agent, game) == "P30"
    poor = ["6-1 5-2 4-3 4-0 2-1 3-0 6-5", "0-0 1-1 2-2 3-3 4-4 5-5 6-6",
            "6-4 6-3 6-2 6-0 5-4 5-3 5-1", "5-0 4-2 4-1 3-2 3-1 2-0 1-0"]
    other = game_with(poor, rules, shaker=1)
    play(other, "P31", "PASS")
    assert choice(agent, other) == "PASS"


def test_a_hand_of_low_tiles_plays_nello() -> None:
    rules = Rules.preset("open")
    low = ["1-0 0-0 2-0 3-0 2-1 4-0 1-1", "5-5 5-4 5-3 5-2 5-1 5-0 4-4",
           "4-3 4-2 4-1 6-6 3-3 3-2 3-1", "6-5 2-2 6-4 6-3 6-2 6-1 6-0"]
    game = game_with(low, rules)
    play(game, "M1", "PASS", "PASS", "PASS")
    assert choice(PimcAgent(rules, 10), game).startswith("NELLO")


def test_it_wins_the_ending_it_can_see() -> None:
    """Sixes are trumps; the leader holds 6-6 and 6-5 and needs both tricks: any order but not the loser first."""
    game = game_with(SIXES)
    play(game, "M1", "PASS", "PASS", "PASS", "PIP6")
    assert choice(PimcAgent(Rules.preset("n42pa"), 5), game) in SIXES[0].split()


@pytest.mark.parametrize("preset", ["moon", "geezer", "three_handed", "eighty_four"])
def test_other_games_are_refused(preset: str) -> None:
    with pytest.raises(OptionsError, match=f"pimc plays four-player double-six 42, not '{preset}'"):
        PimcAgent(Rules.preset(preset))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"objective": "win"}, "objective='win'.*make, points, marks"), ({"worlds": 0}, "worlds=0"), ({"threads": 0}, "threads=0")],  # noqa: E501
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        PimcAgent(Rules.preset("n42pa"), **options)


def test_specs_name_it() -> None:
    rules = Rules.preset("n42pa")
    assert make_agent("pimc:worlds=3,objective=points", rules).name == "pimc:worlds=3,objective=points"
    assert make_agent("pimc", rules).name == "pimc:worlds=40"
    with pytest.raises(SpecError, match="worlds"):
        make_agent("pimc:worlds=none", rules)


def test_it_beats_random_players_on_a_given_contract() -> None:
    rules = Rules.preset("n42pa")
    made = []
    for bidder, defence in ((0, 1), (1, 0)):
        game = BatchedGame(rules, 40, auto_reset=False)
        game.reset(5)
        openers = game.movers.copy()
        for name in ("P30", "PASS", "PASS", "PASS"):
            game.step(np.full(40, game.codec.parse(name)))
        trumps = [int(game.tables.trumps[d]) for d in range(7)]
        best = [max(range(7), key=lambda d: (int(s.hands[s.cur]) & trumps[d]).bit_count()) for s in game.states]
        game.step(np.array([int(game.tables.base_decl) + d for d in best]))
        seating = np.array([[bidder if (s - o) % 2 == 0 else defence for s in range(4)] for o in openers])
        play_out(game, [PimcAgent(rules, 5), RandomAgent()], seating, 2)
        made.append((game.states["made"] == 1).mean())
    assert made[0] > made[1] + 0.3


PUBLISHED = [116280, 379848, 427329, 209475, 46550, 4410, 147, 1]
"""Hands with 0 to 7 doubles, out of 1,184,040."""


def test_doubles_in_a_hand_are_as_published() -> None:
    t = compile_tables(Rules.preset("n42pa"))[0]
    assert [comb(7, k) * comb(21, 7 - k) for k in range(8)] == PUBLISHED
    at_least = list(accumulate(reversed(PUBLISHED)))[::-1]
    everything = (1 << 28) - 1
    total = None
    for need in range(8):
        k = np.zeros(1, KNOWLEDGE).view(np.recarray)[0]
        k.unseen, k.n_holders = everything, 4
        k.seat[:4], k.room[:4], k.may[:4] = range(4), 7, everything
        k.doubles[0] = need
        classify(k, t)
        shape = (int(k.n_classes) + 1, int(k.n_states))
        deals = count_deals(k, np.empty(shape), np.empty(shape, np.bool_))
        total = total or deals
        assert deals / total == pytest.approx(at_least[need] / 1184040)


def test_some_seat_holds_four_doubles_as_often_as_published() -> None:
    four = sum(PUBLISHED[4:]) / 1184040
    assert 4 * four == pytest.approx(0.172656, abs=5e-7)  # two hands with four are impossible: there are seven


@pytest.mark.parametrize(
    ("hand", "declaration"), [("6-6 6-5 6-4 6-3 6-2 6-1 6-0", "PIP6"), ("5-5 5-4 5-3 5-2 5-1 5-0 6-6", "PIP5")]
)
def test_a_laydown_always_makes_42(hand: str, declaration: str) -> None:
    odds = {o.declaration: o for o in hand_odds(RULES, mask(hand), 60, 4, 1, PimcAgent(RULES, 2, "points"), 2)}
    assert len(odds[declaration].played) == 4
    assert (odds[declaration].solved == 42).all()
    assert (odds[declaration].played == 42).all()


def test_shares_have_their_interval() -> None:
    p, low, high = share(np.array([42] * 8 + [0] * 2), 30)
    assert p == 0.8
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_solve_prints_the_table_of_a_deal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.json"
    assert main(["solve", "--hands", *SIXES, "--json", str(out)]) == 0
    rows = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert rows["PIP6"] == ["42", "0", "42", "0"]
    assert json.loads(out.read_text())["table"]["PIP6"] == [42, 0, 42, 0]


def test_solve_prints_moves_and_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--hands", *SIXES, "--declaration", "PIP6", "--need", "42"]) == 0
    text = capsys.readouterr().out
    assert "the contract: made" in text
    assert "best play: 0:6-" in text


def test_solve_goes_through_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", str(SAMPLES), "--hand", "2"]) == 0
    assert "as played: made" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["solve"], "either a record file or --hands"),
        (["solve", "x.jsonl", "--hands", "6-6"], "either a record file or --hands"),
        (["solve", "missing.jsonl"], "missing.jsonl"),
        (["solve", str(SAMPLES), "--hand", "100000"], "has no hand 100000"),
        (["solve", "--hands", "6-6", "6-6", "1-1", "2-2"], "6-6 is given more often"),
        (["solve", "--hands", *SIXES, "--declaration", "PIP8"], "'PIP8' is unknown"),
        (["odds", "--hand", "6-6 6-5"], "--hand holds 2 tiles"),
        (["odds", "--hand", "6-6 6-6"], "more often"),
        (["odds", "--hand", SIXES[0], "--agent", "nobody"], "nobody"),
        (["odds", "--hand", SIXES[0], "--rules", "moon"], "four-player double-six"),
    ],
)
def test_bad_input_of_the_commands(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    assert message in capsys.readouterr().err


def test_odds_prints_both_forecasts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "odds.json"
    argv = ["odds", "--hand", SIXES[0], "--worlds", "20", "--deals", "4", "--top", "1", "--agent", "random"]
    assert main([*argv, "--json", str(out)]) == 0
    text = capsys.readouterr().out
    assert "solved" in text
    assert "played" in text
    assert "too much" in text
    best = json.loads(out.read_text())["declarations"][0]
    assert best["declaration"] == "PIP6"
    assert best["solved"]["makes"]["42"][0] == best["played"]["makes"]["42"][0] == 1.0
