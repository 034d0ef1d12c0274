"""`may_hold`: the tiles another seat may hold, from what one has seen. It never excludes a tile that is there."""

from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from support.house import random_house
from support.recall import Reader
from support.table import Table
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES

ROWS, STEPS = 64, 70


def held_types(game: BatchedGame) -> npt.NDArray[np.bool_]:
    """Which tile types every seat holds, (rows, seats, types)."""
    n, types = game.rules.seats, game.rules.n_types
    hands = game.states["hands"][:, :n, None]
    instances = (hands >> np.arange(game.rules.game.copies * types, dtype=np.uint64)) & np.uint64(1)
    return np.asarray(instances.reshape(len(hands), n, -1, types).any(axis=2))


def missing(game: BatchedGame, me: int) -> int:
    """Tiles that others hold and `may_hold` of seat `me` excludes."""
    observations, _ = game.observe(me)
    piece = game.layout.pieces["may_hold"]
    may = observations[:, game.layout.slice("may_hold")].reshape(-1, *piece.shape) == 1
    order = [(me + place) % game.rules.seats for place in range(1, game.rules.seats)]
    return int((held_types(game)[:, order] & ~may).sum())


def play_on(game: BatchedGame, rng: np.random.Generator) -> None:
    """A random legal action in every row."""
    keys = rng.integers(2**63, size=game.n).astype(np.uint64)
    actions = np.empty(game.n, np.int64)
    drivers.choose_random(game.states, game.tables, keys, actions)
    claim = game.codec.claim
    if claim < 0 or not (actions == claim).any():
        game.step(actions)
        return
    _, masks = game.observe()
    masks[:, claim] = 0
    game.step(np.where(actions == claim, masks.argmax(axis=1), actions))


@pytest.mark.parametrize("preset", PRESETS)
def test_may_hold_never_excludes_a_tile_that_is_held(preset: str) -> None:
    random = Random(f"may hold {preset}")
    rng = np.random.default_rng(7)
    for number in range(6):
        rules = Rules.preset(preset) if number == 0 else random_house(preset, random)
        game = BatchedGame(rules, ROWS, recall=random.choice(["full", "full", "table"]))
        game.reset(seed=number)
        for _ in range(STEPS):
            me = random.randrange(rules.seats)
            assert missing(game, me) == 0, rules.to_dict()
            play_on(game, rng)


def may_hold(table: Table, me: int, seat: int) -> set[str]:
    """The tiles `me` thinks `seat` may hold."""
    observation = table.game.observe([me])[0][0]
    rows: Any = Reader(table.game, me, observation).pieces["may_hold"]
    return {TILE_NAMES[i] for i in np.flatnonzero(rows[(seat - me) % table.rules.seats - 1])}


def test_void_in_a_suit_but_not_in_the_trump_that_shows_its_pip() -> None:
    """Fours are trump, 0-0 is led, 4-3 is played: no blank is left in that hand, but 4-0 may be."""
    held = {0: "0-0 6-6 6-5 6-3 6-2 6-1 5-5", 1: "4-3 4-0 5-3 5-2 5-1 3-3 3-2", 3: "1-0 2-0 3-0 5-0 6-0 4-4 4-2"}
    table = Table("n42pa", held, shaker=3).play("M1 PASS PASS PASS PIP4 0-0 4-3")
    seen = may_hold(table, 0, 1)
    assert "4-0" in seen
    assert not seen & {"1-0", "2-0", "3-0", "5-0", "6-0"}
    assert {"4-4", "4-2", "1-1", "3-3"} <= seen
    assert {"1-0", "6-0", "4-0"} <= may_hold(table, 0, 3)


def test_a_follower_may_hold_more_of_the_suit() -> None:
    held = {0: "6-6 6-5", 1: "6-1 6-0"}
    table = Table("n42pa", held, shaker=3).play("M1 PASS PASS PASS PIP4 6-6 6-1")
    assert {"6-0", "6-2", "6-3"} <= may_hold(table, 0, 1)
    assert "6-1" not in may_hold(table, 0, 1)
    assert "6-5" not in may_hold(table, 0, 1)
    assert "6-5" in may_hold(table, 2, 0)


def test_void_in_trumps_keeps_the_other_numbers() -> None:
    """A hand that does not follow a trump lead holds no tile with that pip at all."""
    held = {0: "4-4 6-6", 1: "6-5 5-5 6-0 5-0 1-0 2-0 3-0"}
    table = Table("n42pa", held, shaker=3).play("M1 PASS PASS PASS PIP4 4-4 6-5")
    assert not {tile for tile in may_hold(table, 0, 1) if "4" in tile}


def test_doubles_as_trump_leave_the_number_suits_open() -> None:
    """6-6 is led under doubles, 6-5 played: no double there, but sixes may be."""
    held = {0: "6-6 0-0", 1: "6-5 6-4 5-4 5-3 4-3 4-2 3-2"}
    table = Table("n42pa", held, shaker=3).play("M1 PASS PASS PASS DBL 6-6 6-5")
    seen = may_hold(table, 0, 1)
    assert not {tile for tile in seen if tile[0] == tile[2]}
    assert {"6-4", "6-1"} <= seen


def test_the_idle_partner_of_a_nello_may_hold_anything_unseen() -> None:
    """His seven tiles stay hidden and give no void evidence, to the end of the hand."""
    table = Table("casual", {1: "0-0 1-0 2-0 3-0 4-0 5-0 1-1"}, shaker=0)
    table.play("M1 PASS PASS PASS NELLO-own")
    partner = 3
    while table.phase == "play":
        played = {TILE_NAMES[int(table.state.plays[i])] for i in range(table.state.n_plays)}
        unseen = {tile for tile in TILE_NAMES[:28]} - played - set(table.hand(0))
        assert may_hold(table, 0, partner) == unseen
        assert set(table.hand(partner)) <= unseen
        table.play(min(table.legal))


def test_sevens_tell_what_is_not_held() -> None:
    """a.8: a player plays his closest tile, so he holds none that is closer."""
    table = Table("open").contract("M1", "SEVENS")
    table.hold("4-3 6-6 0-0", "6-5", "5-2", "6-1")
    table.play("4-3")
    seen_before = may_hold(table, 0, 1)
    table.play("6-5")
    closer = {tile for tile in seen_before if abs(int(tile[0]) + int(tile[2]) - 7) < 4}
    assert closer
    assert not may_hold(table, 0, 1) & closer


def test_the_bidder_knows_where_his_discards_are() -> None:
    """They are in no other hand; the others cannot tell."""
    table = Table("moon", {0: "6-6 5-5 4-4"}, widow="0-0", shaker=2).play("P4 PASS PASS DISCARD:4-4 PIP6")
    assert "4-4" not in may_hold(table, 0, 1)
    assert "4-4" in may_hold(table, 1, 0)
    assert "0-0" in may_hold(table, 1, 0)


def test_discards_turned_up_are_in_no_hand() -> None:
    """c.10: both copies of 4-3 lie open; of one turned up, the other copy may be anywhere."""
    held = {0: "4-4 4-4 6-4 6-4 4-1 4-1 4-2 4-3 5-4 4-3"}
    table = Table("seventy_two", held, widow="3-2 4-2", shaker=3)
    table.play("P50 PASS PASS PASS PIP4 DISCARD:4-3")
    assert "4-3" in may_hold(table, 1, 0)
    table.play("DISCARD:4-3")
    assert not any("4-3" in may_hold(table, 1, seat) for seat in (0, 2, 3))


def test_a_person_with_two_seats_knows_his_other_hand() -> None:
    """f.2.2."""
    table = Table({"preset": "players_2", "two_seats_each": True})
    assert may_hold(table, 1, 3) == set(table.hand(3))
    assert may_hold(table, 1, 0) == set(table.hand(0)) | set(table.hand(2))


def test_a_hand_that_is_empty_holds_nothing() -> None:
    table = Table("n42pa").contract("M1", "PIP3").so_far([41, 0], [6, 0]).hold("3-3", "2-0", "1-0", "0-0")
    table.play("3-3 2-0")
    assert may_hold(table, 3, 1) == set()
    assert may_hold(table, 3, 0) == set()
    assert may_hold(table, 3, 2) == {"1-0"}
