"""What the heuristic keeps for a `Rules`: one record beside the compiled tables, and a scratch record."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.heuristic.weights import MODEL, N_FEATURES, WEIGHTS
from texas42.envs.engine.state import MAX_SEATS
from texas42.envs.rules.declarations import TRUMP
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import MAX_ROWS, compile_tables
from texas42.envs.rules.tiles import MAX_INSTANCES

PLAN = np.dtype(
    [
        ("deck", np.uint64),  # every instance dealt
        (
            "over",
            np.uint64,
            (MAX_ROWS, MAX_INSTANCES),
        ),  # by declaration and tile: what beats its lead in suit
        ("scale", np.float64),  # points of 42 that one point of this game is worth
        ("weights", np.float64, len(WEIGHTS)),
        ("model", np.float64, N_FEATURES + 8),
        ("has_trumps", np.uint8, MAX_ROWS),
    ],
    align=True,
)

NOTES = np.dtype(
    [
        ("me", np.int64),
        ("attack", np.int64),  # 1 on the bidder's side
        ("decl", np.int64),
        ("unseen", np.uint64),  # instances I have not seen
        ("may", np.uint64, MAX_SEATS),  # unseen instances each other seat may hold
        ("held", np.int64, MAX_SEATS),  # tiles each other seat holds
        ("friend", np.int64, MAX_SEATS),  # 1 on my side of the contract
        ("active", np.int64, MAX_SEATS),  # 1 if it plays in this contract
        ("later", np.int64, MAX_SEATS),  # 1 if it plays after me in this trick
        ("share", np.float64, (MAX_SEATS, MAX_INSTANCES)),  # chance that a seat holds an unseen instance
    ],
    align=True,
)

Plan = Any
"""One record of `PLAN`."""

Notes = Any
"""One record of `NOTES`."""


def new_notes() -> npt.NDArray[Any]:
    """Scratch for one thread, shape (1,)."""
    return np.zeros(1, NOTES).view(np.recarray)


@lru_cache(maxsize=256)
def build_plan(rules: Rules) -> npt.NDArray[Any]:
    """The plan of some rules, a recarray of shape (1,)."""
    array = np.zeros(1, PLAN).view(np.recarray)
    plan, t = array[0], compile_tables(rules)[0]
    plan.deck = np.uint64(sum(1 << i for i in rules.deck))
    plan.scale = 42.0 / rules.total
    plan.weights[:] = list(WEIGHTS.values())
    plan.model[: len(MODEL)] = MODEL
    for decl in range(t.n_decls):
        plan.has_trumps[decl] = t.trumps[decl] != 0
        for tile in range(rules.n_types):
            plan.over[decl, tile] = _over(rules, t, decl, tile)
    return array


def _over(rules: Rules, t: Any, decl: int, tile: int) -> np.uint64:
    suit = int(t.lead_suit[decl, tile])
    own = int(t.power[decl, suit, tile])
    masks = (1 << i for i in rules.deck if _beats(rules, t, decl, suit, own, i))
    return np.uint64(sum(masks))


def _beats(rules: Rules, t: Any, decl: int, suit: int, own: int, instance: int) -> bool:
    tile = instance % rules.n_types
    if suit != TRUMP and (int(t.trumps[decl]) >> instance) & 1:
        return False
    return int(t.power[decl, suit, tile]) > own
