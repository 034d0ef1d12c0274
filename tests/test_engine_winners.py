"""Who wins every possible trick of four-player 42: all 737,100 of them, engine against oracle.

A trick is a declaration (9), a lead (28) and three of the other 27 tiles (2925): who plays which of the three does
not change the winning tile.
"""

from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import oracle
from support.table import Table
from texas42.envs.engine import drivers
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES

DECLARATIONS = [*(f"PIP{t}" for t in range(7)), "DBL", "NT-high"]
TILES = TILE_NAMES[:28]
RULES = Rules.preset("n42pa").replace(early_end="play_all")


def all_tricks() -> npt.NDArray[np.int64]:
    """Lead and followers, (81900, 4)."""
    rows = [
        (lead, *followers)
        for lead in range(28)
        for followers in combinations([tile for tile in range(28) if tile != lead], 3)
    ]
    return np.array(rows, np.int64)


def engine_winners(declaration: str, tricks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Play each trick on the engine, one row each: the place of the winning tile."""
    template = Table(RULES).contract("M1", declaration)
    states: Any = np.repeat(template.game.states, len(tricks)).view(np.recarray)
    for seat in range(4):
        states["hands"][:, seat] = np.uint64(1) << tricks[:, seat].astype(np.uint64)
    for seat in range(4):
        assert (states["cur"] == seat).all()
        drivers.step_batch(states, template.game.tables, tricks[:, seat] + template.game.codec.parse("0-0"))
    assert (states["n_tricks"] == 1).all()
    return np.asarray(states["trick_winners"][:, 0], np.int64)


def oracle_strength(declaration: str) -> dict[object, npt.NDArray[np.int64]]:
    """For each suit led, the strength of every tile: 0 cannot win, trumps stand above everything (a.7)."""
    table = {}
    for suit in (*range(7), "TRUMP"):
        row = np.zeros(28, np.int64)
        for i, tile in enumerate(TILES):
            mine = oracle.suits(tile, declaration)
            if "TRUMP" in mine:
                row[i] = 1000 + oracle.rank(tile, "TRUMP", declaration)
            elif suit in mine:
                row[i] = 100 + oracle.rank(tile, suit, declaration)
        table[suit] = row
    return table


def oracle_winners(declaration: str, tricks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The place of the strongest tile."""
    strength = oracle_strength(declaration)
    by_lead = np.array([strength[oracle.lead_suit(tile, declaration)] for tile in TILES])
    return np.asarray(np.argmax(by_lead[tricks[:, :1], tricks], axis=1), np.int64)


@pytest.fixture(scope="module")
def tricks() -> npt.NDArray[np.int64]:
    return all_tricks()


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_winner_of_every_trick(declaration: str, tricks: npt.NDArray[np.int64]) -> None:
    assert len(tricks) * len(DECLARATIONS) == 737_100
    assert (engine_winners(declaration, tricks) == oracle_winners(declaration, tricks)).all()


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_strength_gives_the_winner_the_oracle_names(declaration: str, tricks: npt.NDArray[np.int64]) -> None:
    """The table above says what the oracle's own trick winner says."""
    random = Random(declaration)
    sample = tricks[random.sample(range(len(tricks)), 400)]
    named = [oracle.trick_winner([TILES[tile] for tile in row], declaration) for row in sample]
    assert oracle_winners(declaration, sample).tolist() == named


@pytest.mark.parametrize("treatment", ["high", "low", "own", "inv"])
def test_winner_of_every_nello_trick(treatment: str, tricks: npt.NDArray[np.int64]) -> None:
    """c.3: three players; every lead with every pair of followers."""
    doubles = ["high", "low", "own", "inv"]
    rules = Rules.preset("open").replace(nello_doubles=doubles, early_end="play_all")
    declaration = f"NELLO-{treatment}"
    template = Table(rules).contract("M1", declaration)
    rows = np.unique(tricks[:, :3], axis=0)
    states: Any = np.repeat(template.game.states, len(rows)).view(np.recarray)
    for place, seat in enumerate((0, 1, 3)):
        states["hands"][:, seat] = np.uint64(1) << rows[:, place].astype(np.uint64)
    for place in range(3):
        drivers.step_batch(states, template.game.tables, rows[:, place] + template.game.codec.parse("0-0"))
    found = np.array([0, 1, -1, 2])[states["trick_winners"][:, 0]]
    names = [[TILES[tile] for tile in row] for row in rows]
    assert found.tolist() == [oracle.trick_winner(plays, declaration) for plays in names]


