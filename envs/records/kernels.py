"""Compiled replay of one hand: the engine's kernels, action by action, keeping what a record needs."""

from pathlib import Path
from typing import Any

import numpy as np

from texas42.envs.engine import state
from texas42.envs.engine.bits import ZERO, bit, has
from texas42.envs.engine.claims import engine_order
from texas42.envs.engine.deal import open_hand
from texas42.envs.engine.jit import KernelCompiler
from texas42.envs.engine.observe import write_observation
from texas42.envs.engine.state import OVER
from texas42.envs.engine.step import apply, apply_claim, legal_words, write_mask

MAX_ACTIONS = state.MAX_CALLS + state.MAX_PLAYS + 8
"""More actions than any hand has: calls, plays, and a few for widow, discards and declarations."""

FINISHED, UNFINISHED, ILLEGAL, AFTER_END, BAD_ORDER = range(5)
"""How a replay ends: the hand is over; actions ran out; the action at the index is illegal, comes after the
end of the hand, or is a claim whose order is not the claimant's hand."""

_HERE = Path(__file__).resolve().parent
_ENVS = _HERE.parent
kernel = KernelCompiler("texas42-records", _HERE, _ENVS / "engine", _ENVS / "rules")


@kernel
def set_up(s: Any, t: Any, hands: Any, widow: Any, shaker: Any, scores: Any) -> None:
    """Put a deal on the table: instance masks `hands` (uint64, seats), `widow`; `scores` (int64, sides)."""
    for seat in range(t.n_seats):
        s.hands[seat] = hands[seat]
    for side in range(t.n_sides):
        s.scores[side] = scores[side]
    s.widow = widow
    s.shaker = shaker
    open_hand(s, t)


@kernel
def order_fits(s: Any, t: Any, order: Any, n: Any) -> Any:
    """Whether `order` (uint8, n tiles) is the hand of the seat to move, in any order."""
    left = s.hands[s.cur]
    for i in range(n):
        mask = bit(order[i])
        if left & mask == ZERO:
            mask = bit(order[i] + t.n_types)
        if left & mask == ZERO:
            return False
        left &= ~mask
    return left == ZERO


@kernel
def replay_hand(
    states: Any,
    tables: Any,
    hands: Any,
    widow: Any,
    shaker: Any,
    scores: Any,
    ids: Any,
    order: Any,
    n_order: Any,
    words: Any,
    movers: Any,
) -> Any:
    """Deal into ``states[0]`` and apply `ids` (int64) one by one; returns ``(index, FINISHED or ...)``.

    `order` (uint8, MAX_TRICKS) with `n_order` tiles is the order stated by a claim; with ``n_order == 0`` the
    engine's order is written there. ``words[i]`` (uint64, 4) gets the legal actions before action i as in
    `legal_words`, ``movers[i]`` (int64) the seat to move, also at an index that stops the replay.
    """
    s, t = states[0], tables[0]
    set_up(s, t, hands, widow, shaker, scores)
    for i in range(len(ids)):
        if s.phase == OVER:
            return i, AFTER_END
        base, first, next_base, second = legal_words(s, t)
        words[i, 0], words[i, 1] = np.uint64(base), first
        words[i, 2], words[i, 3] = np.uint64(next_base), second
        movers[i] = s.cur
        action = ids[i]
        in_first = action >= base and action < base + 64 and has(first, action - base)
        in_second = action >= next_base and action < next_base + 64 and has(second, action - next_base)
        if not in_first and not in_second:
            return i, ILLEGAL
        if action != t.claim:
            apply(s, t, action)
        elif n_order == 0:
            order[:] = engine_order(s, t)
            apply_claim(s, t, order)
        elif order_fits(s, t, order, n_order):
            apply_claim(s, t, order)
        else:
            return i, BAD_ORDER
    return len(ids), FINISHED if s.phase == OVER else UNFINISHED


@kernel
def observe_hand(
    states: Any,
    tables: Any,
    hands: Any,
    widow: Any,
    shaker: Any,
    scores: Any,
    ids: Any,
    observations: Any,
    masks: Any,
) -> None:
    """Replay legal `ids`, writing the mover's observation (n, width) and mask (n, n_actions) before each."""
    s, t = states[0], tables[0]
    set_up(s, t, hands, widow, shaker, scores)
    for i in range(len(ids)):
        write_observation(s, t, s.cur, False, observations[i])
        write_mask(s, t, s.cur, masks[i])
        if ids[i] != t.claim:
            apply(s, t, ids[i])
