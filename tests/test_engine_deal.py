"""Deals are uniform over all ordered partitions of the deck (RULES.md a.2), and the shaker over the seats."""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from support.table import Spec
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.presets import PRESETS

ROWS = 20_000
FAR = 5.0
"""Chi-square beyond the mean by this many standard deviations: less than one chance in a hundred thousand."""


def chi_square(counts: npt.NDArray[Any], expected: npt.ArrayLike) -> float:
    """How far counts are from what is expected, in standard deviations of chi-square."""
    wanted = np.broadcast_to(np.asarray(expected, float), counts.shape)
    freedom = counts.size - 1
    statistic = float(((counts - wanted) ** 2 / wanted).sum())
    return float((statistic - freedom) / np.sqrt(2 * freedom))


def dealt(rules: Spec, seed: int = 1, n: int = ROWS) -> tuple[BatchedGame, npt.NDArray[np.int8]]:
    """Many deals: for each tile instance the seat that holds it, or the number of seats for the widow."""
    game = BatchedGame(rules, n)
    game.reset(seed=seed)
    seats = game.rules.seats
    where = np.full((n, max(game.rules.deck) + 1), -1, np.int8)
    piles = [*(game.states["hands"][:, seat] for seat in range(seats)), game.states["widow"]]
    for place, masks in enumerate(piles):
        for tile in game.rules.deck:
            where[(masks >> np.uint64(tile)) & np.uint64(1) == 1, tile] = place
    return game, where


@pytest.mark.parametrize("preset", PRESETS)
def test_a_deal_is_a_partition_of_the_deck(preset: str) -> None:
    """a.15: every tile lies in one place, hands and widow have their sizes."""
    game, where = dealt(preset, n=200)
    setup, deck = game.rules.setup, list(game.rules.deck)
    assert (where[:, deck] >= 0).all()
    for seat in range(game.rules.seats):
        assert ((where[:, deck] == seat).sum(axis=1) == setup.hand).all()
    assert ((where[:, deck] == game.rules.seats).sum(axis=1) == setup.widow).all()
    bits = np.zeros(200, np.int64)
    for masks in [*(game.states["hands"][:, s] for s in range(8)), game.states["widow"]]:
        bits += np.bitwise_count(masks).astype(np.int64)
    assert (bits == len(deck)).all()


@pytest.mark.parametrize("preset", ["n42pa", "moon", "seventy_two", "players_5", "eighty_four"])
def test_every_tile_goes_everywhere_alike(preset: str) -> None:
    """Each tile's place has the probability of the pile's size."""
    game, where = dealt(preset)
    setup, n = game.rules.setup, game.rules.seats
    share = np.array([setup.hand] * n + [setup.widow] * bool(setup.widow)) / len(game.rules.deck)
    for tile in game.rules.deck:
        counts = np.bincount(where[:, tile], minlength=len(share))
        assert abs(chi_square(counts, ROWS * share)) < FAR


def test_pairs_of_tiles_lie_together_as_often_as_chance_says() -> None:
    """Two tiles lie in one hand of seven with probability 6/27, whichever they are."""
    _, where = dealt("n42pa")
    together = np.array([(where[:, a] == where[:, b]).sum() for a, b in combinations(range(28), 2)])
    expected = ROWS * 6 / 27
    deviations = (together - expected) / np.sqrt(expected * (1 - 6 / 27))
    assert np.abs(deviations).max() < FAR
    assert 0.8 < deviations.std() < 1.2


def test_doubles_per_hand() -> None:
    """Hypergeometric: of 1,184,040 hands 116280, 379848, 427329, 209475, 46550, 4410, 147, 1 hold 0 to 7."""
    hands = [comb(7, k) * comb(21, 7 - k) for k in range(8)]
    assert hands == [116280, 379848, 427329, 209475, 46550, 4410, 147, 1]
    _, where = dealt("n42pa")
    doubles = [tile * (tile + 3) // 2 for tile in range(7)]
    counts = np.bincount((where[:, doubles] == 2).sum(axis=1), minlength=8)
    expected = np.array(hands) / sum(hands) * ROWS
    assert abs(chi_square(np.append(counts[:5], counts[5:].sum()), np.append(expected[:5], expected[5:].sum()))) < FAR


@pytest.mark.parametrize("preset", ["n42pa", "moon", "eighty_four_7"])
def test_the_first_shaker_is_drawn_evenly(preset: str) -> None:
    """b.1 `first_shaker`; independent of who holds what."""
    game, where = dealt(preset)
    counts = np.bincount(game.states["shaker"], minlength=game.rules.seats)
    assert abs(chi_square(counts, ROWS / game.rules.seats)) < FAR
    tile = game.rules.deck[0]
    joint = np.zeros((game.rules.seats, game.rules.seats + 1))
    np.add.at(joint, (game.states["shaker"], where[:, tile]), 1)
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True) / ROWS
    used = expected > 0
    assert chi_square(joint[used], expected[used]) < FAR


def test_episodes_and_rows_are_unlike() -> None:
    """The next episode of a row, the next row and the next seed are dealt anew: tiles agree as chance says."""
    game, first = dealt("n42pa")
    game.reset()
    again = np.full_like(first, -1)
    for seat in range(4):
        for tile in range(28):
            again[(game.states["hands"][:, seat] >> np.uint64(tile)) & np.uint64(1) == 1, tile] = seat
    _, other = dealt("n42pa", seed=2)
    for pair in ((first, again), (first, other), (first[1:], first[:-1])):
        agree = (pair[0] == pair[1]).mean()
        assert abs(agree - 0.25) < 0.005
