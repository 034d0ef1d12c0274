"""Nello: the declarer wants no trick, the others want him to take one."""

from typing import Any

from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.notes import chance_to_beat
from texas42.envs.engine.bits import ZERO, drop_lowest, lowest

FORCED = 100.0
"""Worth of the trick that decides a nello, against the worth of getting rid of a high tile."""


@kernel
def choose_nello_tile(s: Any, t: Any, k: Any, tiles: Any, lows: Any) -> Any:
    """The action id of the best play in nello."""
    best = -1e18
    action = -1
    rest = tiles
    while rest != ZERO:
        tile = lowest(rest)
        rest = drop_lowest(rest)
        suit = t.lead_suit[k.decl, tile] if s.pos == 0 else s.suit
        score = nello_score(s, t, k, tile, suit)
        if score > best + 1e-9:
            best, action = score, t.base_tile + tile
    while lows != ZERO:
        i = lowest(lows)
        lows = drop_lowest(lows)
        score = nello_score(s, t, k, t.low_tile[i], t.low_suit[k.decl, t.low_tile[i]])
        if score > best + 1e-9:
            best, action = score, t.base_low + i
    return action


@kernel
def nello_score(s: Any, t: Any, k: Any, tile: Any, suit: Any) -> Any:
    """The chance that the declarer does what I want in this trick, then how dangerous a tile I am rid of."""
    power = t.power[k.decl, suit, tile]
    standing = s.best if s.pos > 0 else -1
    mine = power + t.ties_last > standing
    best = power if mine else standing
    danger = height(t, k, tile)
    if k.me == s.bidder:
        if not mine:
            return danger
        alone = 1.0
        for seat in range(t.n_seats):
            if k.later[seat] == 1:
                alone *= 1.0 - chance_to_beat(t, k, seat, suit, best)
        return danger - FORCED * alone
    if k.later[s.bidder] == 1:
        return FORCED * must_beat(t, k, s.bidder, suit, best) + danger
    if s.pos > 0 and s.best_seat == s.bidder and mine:
        return danger - FORCED
    return danger


@kernel
def must_beat(t: Any, k: Any, seat: Any, suit: Any, power: Any) -> Any:
    """The chance that a seat follows suit and holds nothing below `power` to follow with."""
    void = none_under = 1.0
    rest = k.may[seat] & t.follow[k.decl, suit]
    while rest != ZERO:
        u = lowest(rest)
        rest = drop_lowest(rest)
        missing = 1.0 - k.share[seat, u]
        void *= missing
        if t.power[k.decl, suit, u % t.n_types] + t.ties_last <= power:
            none_under *= missing
    return none_under - void


@kernel
def height(t: Any, k: Any, tile: Any) -> Any:
    """How likely a tile is to take a trick against its holder's will, from unseen tiles below and above."""
    result = 0.0
    for suit in range(12):
        own = t.power[k.decl, suit, tile]
        if own == 0:
            continue
        under = over = 0
        rest = k.unseen & t.follow[k.decl, suit]
        while rest != ZERO:
            if t.power[k.decl, suit, lowest(rest) % t.n_types] > own:
                over += 1
            else:
                under += 1
            rest = drop_lowest(rest)
        result += under / (1.0 + over)
    return result
