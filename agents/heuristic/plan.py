"""What the heuristic keeps for a `Rules`: one record beside the compiled tables, and a scratch record."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.heuristic.calibration import Calibration
from texas42.agents.heuristic.fitted import calibration_of
from texas42.agents.heuristic.weights import N_FEATURES, ROLES, WEIGHTS
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
        ("weights", np.float64, (len(ROLES), len(WEIGHTS))),
        ("model", np.float64, N_FEATURES),  # points of 42 expected: one factor for each feature of a hand
        ("alpha", np.float64, MAX_ROWS),  # by call: chance to make it = sigmoid(alpha + beta * expected points)
        ("beta", np.float64, MAX_ROWS),
        ("gain", np.float64, MAX_ROWS),  # by call: score change of my side less the others' if made, if set
        ("loss", np.float64, MAX_ROWS),
        ("passing", np.float64, (3, 2, 3)),  # by who stands, and whether others call after me: value of a pass
        ("bidding", np.float64, (3, 2, 2)),  # the same for a point bid, by what it brings if it ends the auction
        ("special", np.float64, (4, 2)),  # NELLO_LINE and the like: chance = sigmoid(line(raw worth of the hand))
    ],
    align=True,
)

NOTES = np.dtype(
    [
        ("me", np.int64),
        ("attack", np.int64),  # 1 on the bidder's side
        ("role", np.int64),  # NAMER, PARTNER or DEFENDER
        ("decl", np.int64),
        ("unseen", np.uint64),  # instances I have not seen
        ("theirs", np.uint64),  # unseen instances that some opponent may hold
        ("may", np.uint64, MAX_SEATS),  # unseen instances each other seat may hold
        ("held", np.int64, MAX_SEATS),  # tiles each other seat holds
        ("friend", np.int64, MAX_SEATS),  # 1 on my side of the contract
        ("active", np.int64, MAX_SEATS),  # 1 if it plays in this contract
        ("later", np.int64, MAX_SEATS),  # 1 if it plays after me in this trick
        ("mean_count", np.float64),  # mean count of the unseen tiles, in points of 42
        ("share", np.float64, (MAX_SEATS, MAX_INSTANCES)),  # chance that a seat holds an unseen instance
    ],
    align=True,
)

NELLO_LINE, SEVENS_LINE, LOPER_LINE, PARTNER_LINE = range(4)

Plan = Any
"""One record of `PLAN`."""

Notes = Any
"""One record of `NOTES`."""


def new_notes() -> npt.NDArray[Any]:
    """Scratch for one thread, shape (1,)."""
    return np.zeros(1, NOTES).view(np.recarray)


@lru_cache(maxsize=256)
def build_plan(rules: Rules) -> npt.NDArray[Any]:
    """The plan of some rules, a read-only recarray of shape (1,)."""
    array = make_plan(rules, calibration_of(rules))
    array.flags.writeable = False
    return array


def make_plan(rules: Rules, calibration: Calibration) -> npt.NDArray[Any]:
    """A plan with a calibration of one's own, shape (1,)."""
    array = np.zeros(1, PLAN).view(np.recarray)
    plan, t = array[0], compile_tables(rules)[0]
    plan.deck = np.uint64(sum(1 << i for i in rules.deck))
    plan.scale = 42.0 / rules.total
    plan.weights[:] = np.array(list(WEIGHTS.values())).T
    plan.model[:] = calibration.model
    lines = calibration.forced if rules.all_pass == "forced_last" else calibration.thrown
    plan.passing[:], plan.bidding[:] = lines[0], lines[1]
    plan.special[:] = (calibration.nello, calibration.sevens, calibration.loper, calibration.partner)
    _fill_calls(plan, rules, t, calibration)
    for decl in range(t.n_decls):
        for tile in range(rules.n_types):
            plan.over[decl, tile] = _over(rules, t, decl, tile)
    return array


def _fill_calls(plan: Any, rules: Rules, t: Any, calibration: Calibration) -> None:
    for row in range(t.n_calls):
        need, sweep = int(t.call_need[row]), t.call_need[row] == 0
        plan.alpha[row], plan.beta[row] = calibration.sweep if sweep else calibration.line(need)
        plan.gain[row], plan.loss[row] = _stakes(rules, need, int(t.call_marks[row]), int(t.call_value[row]))


def _stakes(rules: Rules, need: int, marks: int, value: int) -> tuple[float, float]:
    """What a call brings if made and costs if set, mine less the mean of the other sides.

    In points, a made bid is taken to bring three points more than bid, a set one to fall six short (of 42).
    """
    if rules.scoring == "marks":
        return float(marks), float(marks)
    total, others = rules.total, rules.sides - 1
    over, under = total / 14, total / 7
    if need == 0:
        return float(value), value + (under if rules.scoring == "points" else under / others)
    taken = min(need + over, total)
    gain = taken - (total - taken) / others
    left = total - max(need - under, 0.0)
    return gain, value + (left if rules.scoring == "points" else left / others)


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
