"""Contracts that are not about points: nello, closeness, and bids whose trump the partner names."""

import math
from typing import Any

from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.plan import LOPER_LINE, NELLO_LINE, PARTNER_LINE, SEVENS_LINE
from texas42.agents.heuristic.strength import sigmoid
from texas42.envs.engine.bits import ZERO, drop_lowest, lowest, popcount
from texas42.envs.rules.declarations import N_SUITS, NELLO, SEVENS


@kernel
def special_chance(t: Any, p: Any, hand: Any, unseen: Any, decl: Any) -> Any:
    """The chance to make a nello or closeness declaration."""
    kind = t.decl_kind[decl]
    line = NELLO_LINE if kind == NELLO else (SEVENS_LINE if kind == SEVENS else LOPER_LINE)
    return sigmoid(p.special[line, 0] + p.special[line, 1] * raw_worth(t, hand, unseen, decl))


@kernel
def partner_chance(t: Any, p: Any, hand: Any) -> Any:
    """The chance to make a special bid, by the doubles held."""
    return sigmoid(p.special[PARTNER_LINE, 0] + p.special[PARTNER_LINE, 1] * popcount(hand & t.doubles))


@kernel
def raw_worth(t: Any, hand: Any, unseen: Any, decl: Any) -> Any:
    """Nello: the sum of the logarithms of each tile's safety; closeness: minus the sum of the distances."""
    if t.decl_kind[decl] == NELLO:
        return nello_worth(t, hand, unseen, decl)
    total = 0
    for distance in range(len(t.distance)):
        total -= distance * popcount(hand & t.distance[distance])
    return float(total)


@kernel
def nello_worth(t: Any, hand: Any, unseen: Any, decl: Any) -> Any:
    """A tile is as safe as the worse of its suits."""
    total = 0.0
    rest = hand
    while rest != ZERO:
        tile = lowest(rest) % t.n_types
        rest = drop_lowest(rest)
        worst = 1.0
        for suit in range(N_SUITS):
            own = t.power[decl, suit, tile]
            if own > 0:
                worst = min(worst, suit_safety(t, decl, suit, own, hand, unseen))
        total += math.log(worst)
    return total


@kernel
def suit_safety(t: Any, decl: Any, suit: Any, own: Any, hand: Any, unseen: Any) -> Any:
    """How safe a tile of power `own` is where `suit` is led: unseen tiles above it against those below.

    Lower tiles of the suit in hand cover it.
    """
    over = under = cover = 0
    rest = unseen & t.follow[decl, suit]
    while rest != ZERO:
        if t.power[decl, suit, lowest(rest) % t.n_types] > own:
            over += 1
        else:
            under += 1
        rest = drop_lowest(rest)
    rest = hand & t.follow[decl, suit]
    while rest != ZERO:
        if t.power[decl, suit, lowest(rest) % t.n_types] < own:
            cover += 1
        rest = drop_lowest(rest)
    return (1.0 + over + 2.0 * cover) / (1.0 + over + 2.0 * cover + under)
