"""How much a hand is worth in a declaration: features of the hand and what they forecast."""

import math
from typing import Any

from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.weights import N_FEATURES
from texas42.envs.engine.bits import ZERO, drop_lowest, has, lowest, popcount


@kernel
def features(t: Any, p: Any, hand: Any, unseen: Any, decl: Any, out: Any) -> None:
    """Features of a hand in a declaration into `out` (float64, N_FEATURES).

    0 one; 1 trumps; 2 trumps that nothing unseen beats; 3 trumps that one unseen trump beats; 4 other tiles
    that nothing of their suit beats; 5 those that one tile beats; 6 the rest; 7 own count among 5 and 6;
    8 count among the tiles that beat 5 and 6.
    """
    for i in range(N_FEATURES):
        out[i] = 0.0
    out[0] = 1.0
    trumps = t.trumps[decl]
    rest = hand
    while rest != ZERO:
        i = lowest(rest)
        rest = drop_lowest(rest)
        tile = i % t.n_types
        over = p.over[decl, tile] & unseen
        n_over = popcount(over)
        if has(trumps, i):
            out[1] += 1.0
            if n_over < 2:
                out[2 + n_over] += 1.0
        else:
            out[4 + min(n_over, 2)] += 1.0
            if n_over > 0:
                out[7] += p.scale * t.count[tile]
                out[8] += p.scale * count_in(t, over)


@kernel
def count_in(t: Any, mask: Any) -> Any:
    """Count points of the instances of a mask."""
    total = 0
    mask &= t.count_tiles
    while mask != ZERO:
        total += t.count[lowest(mask) % t.n_types]
        mask = drop_lowest(mask)
    return total


@kernel
def strength(t: Any, p: Any, hand: Any, unseen: Any, decl: Any, out: Any) -> Any:
    """Points of 42 that the bidder's side is expected to take with this hand in this declaration."""
    features(t, p, hand, unseen, decl, out)
    total = 0.0
    for i in range(N_FEATURES):
        total += p.model[i] * out[i]
    return total


@kernel
def sigmoid(x: Any) -> Any:
    """The logistic function."""
    return 1.0 / (1.0 + math.exp(-x))


@kernel
def chance_to_make(p: Any, row: Any, value: Any) -> Any:
    """The chance to make a call with an expectation of `value` points of 42."""
    return sigmoid(p.alpha[row] + p.beta[row] * value)
