"""The heuristic: never illegal, sees only its view, and does what a player would in plain situations."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from support.house import random_house
from support.table import Table
from texas42.agents.arena import decision_keys, decisions_for, play_out
from texas42.agents.heuristic import HeuristicAgent
from texas42.agents.specs import make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

PLAYERS = ("heuristic", "passer", "random")


def action(table: Table, passer: bool = False) -> str:
    """What the heuristic does for the seat to move."""
    batch = decisions_for(table.game, np.array([0]), np.zeros(1, np.uint64))
    return table.game.codec.name(int(HeuristicAgent(passer).act(batch)[0]))


def play_games(rules: Rules, n: int, seed: int) -> BatchedGame:
    """Games between mixed tables; `BatchedGame.step` refuses an illegal action."""
    game = BatchedGame(rules, n, auto_reset=False)
    game.reset(seed)
    agents = [make_agent(spec, rules) for spec in PLAYERS]
    seating = np.random.default_rng(seed).integers(0, len(PLAYERS), (n, rules.seats))
    seating[: n // 3] = 0
    play_out(game, agents, seating, seed)
    return game


@pytest.mark.parametrize("preset", PRESETS)
def test_never_illegal(preset: str) -> None:
    assert play_games(Rules.preset(preset), 300, 1).done.all()


@pytest.mark.parametrize("preset", PRESETS)
def test_never_illegal_under_house_rules(preset: str) -> None:
    for seed in range(12):
        rules = random_house(preset, random.Random(f"{preset} {seed}"))
        assert play_games(rules, 30, seed).done.all(), rules.to_dict()


@pytest.mark.parametrize("preset", PRESETS)
def test_every_game_sees_contracts_made_and_set(preset: str) -> None:
    game = BatchedGame(Rules.preset(preset), 2000, auto_reset=False)
    game.reset(7)
    play_out(game, [make_agent("heuristic", game.rules)], np.zeros((2000, game.rules.seats), np.int64), 7)
    made = game.states["made"]
    assert (made == 1).sum() > 20
    assert (made == 0).sum() > 20


@pytest.mark.parametrize("preset", ["n42pa", "open", "moon", "geezer", "big_game", "one_forty", "seventy_two"])
def test_hidden_tiles_change_nothing(preset: str) -> None:
    rules = Rules.preset(preset)
    game = BatchedGame(rules, 100, auto_reset=False)
    game.reset(2)
    agent, rng = HeuristicAgent(), np.random.default_rng(0)
    for step in range(40):
        live = np.flatnonzero(game.movers >= 0)
        if len(live) == 0:
            break
        keys = decision_keys(game, 2, np.full(game.n, step))[live]
        actions = agent.act(decisions_for(game, live, keys))
        other = BatchedGame(rules, 100, auto_reset=False)
        other.reset(99)
        other.states[:] = game.states
        shuffle_hidden(other, rng)
        np.testing.assert_array_equal(agent.act(decisions_for(other, live, keys)), actions)
        everything = np.full(game.n, -1)
        everything[live] = actions
        game.step(everything)


def shuffle_hidden(game: BatchedGame, rng: np.random.Generator) -> None:
    """Pass the hands of the seats that are not to move round, and change the stream."""
    for state in game.states:
        others = [seat for seat in range(game.rules.seats) if seat != state.cur]
        order = rng.permutation(others)
        state.hands[others] = state.hands[order]
        state.dealt[others] = state.dealt[order]
        state.seed += np.uint64(1)


def test_without_the_jit() -> None:
    code = (
        "from test_heuristic import PRESETS, Rules, play_games\n"
        "for name in ('n42pa', 'open', 'big_game', 'seventy_two', 'moon'):\n"
        "    assert play_games(Rules.preset(name), 3, 4).done.all()\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.path.dirname(__file__)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_same_actions_with_and_without_the_jit() -> None:
    code = (
        "from test_heuristic import Rules, play_games\n"
        "print([play_games(Rules.preset(name), 4, 8).states['plays'].tolist() for name in ('open', 'big_game')])\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.path.dirname(__file__)}
    result = subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True)
    compiled = [play_games(Rules.preset(name), 4, 8).states["plays"].tolist() for name in ("open", "big_game")]
    assert result.stdout.strip() == str(compiled)


# Play


def test_bidder_draws_trumps_from_the_top() -> None:
    table = Table("n42pa", {0: "6-6 6-3 6-2 6-1 5-5 4-1 3-0"}).contract("P30", "PIP6")
    assert action(table) == "6-6"


def test_bidder_leads_his_double_when_the_trumps_are_out() -> None:
    table = Table("n42pa").contract("P30", "PIP6")
    table.hold("6-1 5-5 3-2", "4-1 2-0 3-1", "4-0 3-0 2-1", "5-4 5-3 4-3").so_far([10, 6], [3, 1])
    assert action(table.lead_from(0)) in ("5-5", "6-1")


def test_count_falls_on_the_partners_sure_trick() -> None:
    table = Table("n42pa").contract("P30", "PIP6")
    table.hold("6-6 6-5", "4-1 2-0", "5-5 3-0", "5-4 5-3").so_far([20, 2], [4, 1])
    table.lead_from(0).play("6-6 2-0")
    assert action(table) == "5-5"


def test_count_is_withheld_from_the_opponents_trick() -> None:
    table = Table("n42pa").contract("P30", "PIP6")
    table.hold("6-6 6-5", "5-5 2-0", "4-1 3-0", "5-4 5-3").so_far([10, 2], [4, 1])
    assert action(table.lead_from(0).play("6-6")) == "2-0"


def test_defender_gives_count_to_his_partners_sure_trick() -> None:
    table = Table("n42pa").contract("P30", "PIP6")
    table.hold("4-3 4-0", "4-4 2-0", "3-1 3-0", "5-5 2-1").so_far([20, 2], [4, 1])
    table.lead_from(1).play("4-4 3-0")
    assert action(table) == "5-5"


def test_defender_takes_a_trick_full_of_count() -> None:
    table = Table("n42pa").contract("P31", "PIP6")
    table.hold("4-3 6-4 2-1", "4-1 2-0 1-0", "5-5 3-0 1-1", "4-4 4-0 3-1").so_far([0, 0], [2, 2])
    table.lead_from(0).play("4-3 4-1 5-5")
    assert action(table) == "4-4"


def test_trump_takes_a_trick_that_sets_the_bid() -> None:
    table = Table("n42pa").contract("P41", "PIP6")
    table.hold("5-3 4-0", "5-5 2-0", "5-1 3-0", "6-0 2-1").so_far([27, 0], [5, 0])
    table.lead_from(0).play("5-3 5-5 5-1")
    assert action(table) == "2-1"  # the partner has the trick already


def test_nello_bidder_keeps_under_the_standing_tile() -> None:
    table = Table("open").contract("M1", "NELLO-high")
    table.hold("4-3 4-0 2-1", "4-4 6-6 6-5", "", "4-2 4-1 3-3").lead_from(1).play("4-4 4-2")
    assert action(table) == "4-3"


def test_nello_defenders_play_low_before_the_bidder() -> None:
    table = Table("open").contract("M1", "NELLO-high")
    table.hold("4-1 2-0", "5-4 3-1", "", "6-4 4-0").lead_from(3)
    assert action(table) == "4-0"


# Auction, declaration and widow

STRONG = "6-6 6-5 6-4 6-3 6-2 5-5 4-4"
WEAK = "6-5 5-4 4-2 3-1 2-0 4-0 3-0"


def test_strong_hands_bid_and_weak_hands_pass() -> None:
    assert action(Table("n42pa", {1: STRONG})) != "PASS"
    assert action(Table("n42pa", {1: WEAK})) == "PASS"


def test_seven_trumps_bid_two_marks() -> None:
    assert action(Table("n42pa", {1: "6-6 6-5 6-4 6-3 6-2 6-1 6-0"})) == "M2"


def test_nobody_stakes_two_marks_for_the_last_one() -> None:
    seven = {1: "6-6 6-5 6-4 6-3 6-2 5-5 4-4"}
    assert action(Table("n42pa", seven)) == "M2"
    assert action(Table("n42pa", seven, scores=[5, 6])).startswith(("P", "M1"))


def test_partners_bid_is_not_raised_without_need() -> None:
    held = {3: "6-6 6-5 6-3 4-4 3-2 2-0 1-0"}
    assert action(Table("n42pa", held).play("P31 PASS")) == "PASS"


@pytest.mark.parametrize("preset", ["seed_marks", "geezer", "eighty_four", "seventy_two"])
def test_passer_bids_the_least_when_forced(preset: str) -> None:
    table = Table(preset)
    for _ in range(table.rules.seats - 1):
        assert action(table, passer=True) == "PASS"
        table.play("PASS")
    assert action(table, passer=True) == f"P{table.rules.min_bid}"


def test_longest_suit_with_its_double_is_trump() -> None:
    table = Table("n42pa", {1: STRONG}).play("P30 PASS PASS PASS")
    assert action(table) == "PIP6"


def test_hand_of_doubles_makes_doubles_trump() -> None:
    table = Table("n42pa", {1: "6-6 5-5 4-4 3-3 2-2 6-5 1-0"}).play("P30 PASS PASS PASS")
    assert action(table) == "DBL"


def test_hand_of_low_tiles_plays_nello() -> None:
    table = Table("open", {1: "6-0 5-0 4-1 3-1 2-0 1-0 2-1"}).play("M1 PASS PASS PASS")
    assert action(table).startswith("NELLO")


def test_sevens_in_hand_play_sevens() -> None:
    table = Table("open", {1: "6-1 5-2 4-3 6-2 5-3 4-2 3-3"}).play("M1 PASS PASS PASS")
    assert action(table) == "SEVENS"


def test_widow_trump_is_taken() -> None:
    table = Table("big_game", {1: "8-8 8-7 8-6 8-5 8-4 7-7 6-6 3-1 2-0 1-0 4-0"}, widow="8-3")
    table.play("P42 PASS PASS PASS")
    assert action(table) == "TAKE"


def test_worthless_widow_tile_goes_again() -> None:
    table = Table("moon", {1: "6-6 6-5 6-4 6-3 6-2 5-5 4-4"}, widow="2-1").play("P5 PASS PASS")
    assert action(table) == "DISCARD 2-1"
