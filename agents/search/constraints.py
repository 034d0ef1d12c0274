"""What a seat knows about where the unseen tiles are, as a counting problem.

The unseen tiles go to *holders*: the other seats, and the widow or the discards where the seat has not seen them.
Tiles that the same holders may have, and that count towards the same needs, form a *class*: only how many of each
class go to which holder matters, so deals are counted and drawn class by class (`counting`).
"""

from typing import Any

import numpy as np

from texas42.agents.search.kernels import kernel
from texas42.envs.engine.auction import trump_leader
from texas42.envs.engine.bits import ONE, ZERO, bit, has, lowest, popcount
from texas42.envs.engine.observe import tiles_left, unseen_by
from texas42.envs.engine.state import DECLARE, PLAY
from texas42.envs.rules.tables import DISCARD_ANY, DISCARD_PLAIN, WIDOW_CHOICE, WIDOW_DECLARE_FIRST

MAX_HOLDERS = 8
MAX_CLASSES = 56
OUT = -1

KNOWLEDGE = np.dtype(
    [
        ("unseen", np.uint64),
        ("n_holders", np.int64),
        ("seat", np.int64, MAX_HOLDERS),  # OUT: the widow or the discards
        ("room", np.int64, MAX_HOLDERS),  # tiles it holds
        ("may", np.uint64, MAX_HOLDERS),  # unseen tiles it may hold
        ("doubles", np.int64, MAX_HOLDERS),  # doubles it must hold at least
        ("sevens", np.int64, MAX_HOLDERS),  # tiles of seven pips it must hold at least
        ("stride", np.int64, MAX_HOLDERS),
        ("n_states", np.int64),
        ("n_classes", np.int64),
        ("after_sevens", np.int64),  # classes of tiles of seven pips come first where that matters
        ("from_doubles", np.int64),  # classes of doubles come last where that matters
        ("tiles", np.uint64, MAX_CLASSES),
        ("holders", np.int64, MAX_CLASSES),  # bit mask of holders
        ("to_come", np.int64, MAX_CLASSES + 1),  # tiles of this class and later ones
    ],
    align=True,
)


@kernel
def gather(c: Any, s: Any, t: Any, me: Any) -> None:
    """Fill `c` (one record of `KNOWLEDGE`) from what seat `me` sees."""
    c.unseen = unseen_by(s, t, me)
    c.n_holders = 0
    left = popcount(c.unseen)
    for seat in range(t.n_seats):
        if seat == me or (t.two_seats == 1 and seat % 2 == me % 2):
            continue
        room = tiles_left(s, t, seat)
        if seat == s.bidder and s.phase == DECLARE and t.widow_use == WIDOW_DECLARE_FIRST:
            room += t.widow_size
        if room > 0:
            add_holder(c, seat, room, c.unseen & ~s.cannot[seat])
            left -= room
    if left > 0:
        add_holder(c, OUT, left, c.unseen & may_lie_out(s, t))
    bid_needs(c, s, t)
    opener_needs(c, s, t)
    classify(c, t)


@kernel
def add_holder(c: Any, seat: Any, room: Any, may: Any) -> None:
    """One more place for unseen tiles."""
    h = c.n_holders
    c.seat[h], c.room[h], c.may[h] = seat, room, may
    c.doubles[h] = c.sevens[h] = 0
    c.n_holders += 1


@kernel
def may_lie_out(s: Any, t: Any) -> Any:
    """Tiles that may be in the widow or the discards of another seat (c.10, c.13, f.3.3).

    That a bidder who has nothing else may discard count or trumps is left out: where no deal fits without it, the
    caller lifts the limit (`lift_limit`).
    """
    may = t.deck_mask
    if s.phase != PLAY or t.widow_use == 0:
        return may
    if t.widow_use == WIDOW_CHOICE or t.discard_rule != DISCARD_ANY:
        may &= ~t.count_tiles
    if t.discard_rule == DISCARD_PLAIN and t.widow_use == WIDOW_DECLARE_FIRST:
        may &= ~t.trumps[s.decl]
    return may


@kernel
def lift_limit(c: Any, t: Any) -> Any:
    """Allow any tile in the widow or the discards; False if that was so already."""
    h = c.n_holders - 1
    if c.seat[h] != OUT or c.may[h] == c.unseen:
        return False
    c.may[h] = c.unseen
    classify(c, t)
    return True


@kernel
def played_of(s: Any, seat: Any, tiles: Any) -> Any:
    """How many tiles out of a set of types a seat has played."""
    n = 0
    for i in range(s.n_plays):
        if s.players[i] == seat and has(tiles, s.plays[i]):
            n += 1
    return n


@kernel
def bid_needs(c: Any, s: Any, t: Any) -> None:
    """Splash, plunge and their like promise doubles (c.4, c.5, c.12); Sevens may promise a seven (f.3.10)."""
    for i in range(s.n_calls):
        if t.call_doubles[s.calls[i]] > 0:
            need_doubles(c, s, t, s.callers[i], t.call_doubles[s.calls[i]])
    if s.special > 0 and t.call_doubles[s.special] > 0:
        need_doubles(c, s, t, s.bidder, t.call_doubles[s.special])
    if s.decl >= 0 and has(t.sevens, s.decl):
        leader = trump_leader(s, t)
        for h in range(c.n_holders):
            if c.seat[h] == leader and played_of(s, leader, t.seven_pips) == 0:
                c.sevens[h] = 1


@kernel
def need_doubles(c: Any, s: Any, t: Any, seat: Any, n: Any) -> None:
    """A seat was dealt at least `n` doubles."""
    for h in range(c.n_holders):
        if c.seat[h] == seat:
            c.doubles[h] = max(c.doubles[h], np.int64(n) - played_of(s, seat, t.doubles))


@kernel
def opener_needs(c: Any, s: Any, t: Any) -> None:
    """Where the holder of 1-0 calls first (f.3.6), nobody from the left of the shaker up to him was dealt it."""
    if t.one_zero_opens == 0 or c.unseen & t.one_zero == ZERO:
        return
    left = (s.shaker + 1) % t.n_seats
    before = (s.opener - left) % t.n_seats
    for h in range(c.n_holders):
        seat = c.seat[h]
        ahead = seat != OUT and (seat - left) % t.n_seats < before
        sole = t.copies == 1 and seat != s.opener and (before > 0 or t.widow_size == 0)
        if ahead or sole:
            c.may[h] &= ~t.one_zero


@kernel
def classify(c: Any, t: Any) -> None:
    """Group the unseen tiles; tiles of seven pips first and doubles last, where a holder needs some."""
    doubles = sevens = ZERO
    for h in range(c.n_holders):
        if c.doubles[h] > 0:
            doubles = t.doubles
        if c.sevens[h] > 0:
            sevens = t.seven_pips
    c.n_classes = 0
    add_classes(c, c.unseen & sevens)
    c.after_sevens = c.n_classes
    add_classes(c, c.unseen & ~sevens & ~doubles)
    c.from_doubles = c.n_classes
    add_classes(c, c.unseen & doubles)
    c.to_come[c.n_classes] = 0
    for k in range(c.n_classes - 1, -1, -1):
        c.to_come[k] = c.to_come[k + 1] + popcount(c.tiles[k])
    c.n_states = 1
    for h in range(c.n_holders - 1):  # the last holder's room follows from the others'
        c.stride[h] = c.n_states
        c.n_states *= c.room[h] + 1


@kernel
def add_classes(c: Any, tiles: Any) -> None:
    """Classes of a set of tiles by who may hold them, those with the fewest holders first."""
    for size in range(c.n_holders + 1):
        rest = tiles
        while rest != ZERO:
            tile = lowest(rest)
            holders = holders_of(c, tile)
            same = ZERO
            left = rest
            while left != ZERO:
                other = lowest(left)
                left &= left - ONE
                if holders_of(c, other) == holders:
                    same |= bit(other)
            rest &= ~same
            if popcount(np.uint64(holders)) == size:
                c.tiles[c.n_classes], c.holders[c.n_classes] = same, holders
                c.n_classes += 1


@kernel
def holders_of(c: Any, tile: Any) -> Any:
    """Bit mask of the holders that may hold a tile."""
    mask = 0
    for h in range(c.n_holders):
        if has(c.may[h], tile):
            mask |= 1 << h
    return mask
