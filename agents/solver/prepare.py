"""From the engine's compiled rules and a deal to the small arrays that the search looks things up in."""

from typing import Any

from texas42.agents.solver.kernels import kernel, to_int, to_mask
from texas42.agents.solver.workspace import BISECT, LEADS, REPLIES, TABLE
from texas42.envs.engine.bits import ONE, ZERO, bit, lowest, popcount
from texas42.envs.rules.declarations import NELLO, TRUMP

MAX_TRUMPS = 7


@kernel
def prepare(w: Any, t: Any, decl: Any, hands: Any, bidder: Any, sits_out: Any) -> Any:
    """Set up hands, a declaration and the sides.

    `hands`: uint64 (8,), tiles on the table counted to who played them, nothing for seats that sit out.
    Returns the number of tiles; they are the lowest so many bits.
    """
    w.generation += ONE
    set_sides(w, t, bidder, sits_out)
    n = number_tiles(w, t, decl, hands)
    set_kind(w, t, decl, n)
    fill_tiles(w, t, decl, hands, n)
    fill_suits(w, t, decl, n)
    if w.fast == 1:
        fill_trumps(w, popcount(w.trumps))
    return n


@kernel
def set_sides(w: Any, t: Any, bidder: Any, sits_out: Any) -> None:
    """Who plays after whom, and on which side."""
    w.in_trick = t.n_seats - popcount(to_mask(sits_out))
    w.trick_value = t.trick_value
    for seat in range(t.n_seats):
        w.side[seat] = 0 if seat % t.n_sides == bidder % t.n_sides else 1
        after = (seat + 1) % t.n_seats
        while (sits_out >> after) & 1 == 1:
            after = (after + 1) % t.n_seats
        w.after[seat] = after


@kernel
def set_kind(w: Any, t: Any, decl: Any, n: Any) -> None:
    """Which search and which of its features fit."""
    w.misere = 1 if t.decl_kind[decl] == NELLO else 0
    w.low_tiles = ZERO
    for i in range(n):
        if t.low_tiles[decl] & bit(w.tile[i] % t.n_types) != ZERO:
            w.low_tiles |= bit(i)
    standard = t.n_seats == 4 and t.n_sides == 2 and t.copies == 1 and w.in_trick == 4 and w.misere == 0
    small = n <= 28 and popcount(w.trumps) <= MAX_TRUMPS and t.total <= 63
    w.plain = 1 if t.copies == 1 and w.low_tiles == ZERO else 0
    w.fast = 1 if standard and small and w.plain == 1 else 0
    if w.fast == 1:
        w.features = w.wanted
    elif w.misere == 1:
        w.features = w.wanted & (TABLE | BISECT)
    else:
        w.features = w.wanted & (TABLE | BISECT | LEADS | REPLIES)


@kernel
def number_tiles(w: Any, t: Any, decl: Any, hands: Any) -> Any:
    """Local numbers: trumps from the highest down, then by count and power in the suit a tile leads, ascending."""
    rest = ZERO
    for seat in range(t.n_seats):
        w.own[seat] = ZERO
        rest |= hands[seat]
    w.trumps = bit(popcount(rest & t.trumps[decl])) - ONE
    n = 0
    while rest != ZERO:
        best, best_key = 0, 1 << 30
        left = rest
        while left != ZERO:
            instance = lowest(left)
            left &= left - ONE
            tile = instance % t.n_types
            suit = t.lead_suit[decl, tile]
            power = to_int(t.power[decl, suit, tile])
            key = -power if suit == TRUMP else to_int(t.count[tile]) * 64 + power
            if key < best_key:
                best, best_key = instance, key
        w.tile[n] = best
        n += 1
        rest &= ~bit(best)
    return n


@kernel
def fill_tiles(w: Any, t: Any, decl: Any, hands: Any, n: Any) -> None:
    """Owners, counts and the suit each tile leads."""
    w.fives = w.tens = ZERO
    for i in range(n):
        tile = w.tile[i] % t.n_types
        for seat in range(t.n_seats):
            if hands[seat] & bit(w.tile[i]) != ZERO:
                w.own[seat] |= bit(i)
                w.owner[i] = seat
        w.lead_suit[i] = t.lead_suit[decl, tile]
        w.low_suit[i] = t.low_suit[decl, tile]
        w.count[i] = t.count[tile]
        if w.count[i] == 5:
            w.fives |= bit(i)
        elif w.count[i] == 10:
            w.tens |= bit(i)


@kernel
def fill_suits(w: Any, t: Any, decl: Any, n: Any) -> None:
    """Which tiles follow a suit, and which beat a tile where the suit was led."""
    for suit in range(12):
        w.follow[suit] = ZERO
        if t.follow[decl, suit] == ZERO:
            continue
        for i in range(n):
            if t.follow[decl, suit] & bit(w.tile[i]) != ZERO:
                w.follow[suit] |= bit(i)
            power = t.power[decl, suit, w.tile[i] % t.n_types]
            higher = ZERO
            for k in range(n):  # of equal tiles the first played stands, or the last (a.7)
                if t.power[decl, suit, w.tile[k] % t.n_types] + t.ties_last > power and k != i:
                    higher |= bit(k)
            w.beats[suit, i] = higher


@kernel
def fill_trumps(w: Any, n: Any) -> None:
    """What depends on the set of trumps alive alone."""
    for trumps in range(1 << n):
        alive = to_mask(trumps)
        fill_equivalents(w, alive)
        for side in range(2):
            w.sure_points[trumps, side] = w.sure_tricks[trumps, side] = 0
            for seat in range(side, 4, 2):
                fill_sure(w, alive, side, seat)


@kernel
def same_kind(w: Any, i: Any, k: Any) -> Any:
    """Whether two tiles have one owner and one count."""
    return w.owner[i] == w.owner[k] and w.count[i] == w.count[k]


@kernel
def fill_equivalents(w: Any, alive: Any) -> None:
    """Neighbours in rank with one owner and count are worth the same; so are sets with the same row of owners and
    counts, which are given the highest such set as their name."""
    name = redundant = ZERO
    slot, before = 0, -1
    left = alive
    while left != ZERO:
        tile = lowest(left)
        left &= left - ONE
        while not same_kind(w, slot, tile):
            slot += 1
        name |= bit(slot)
        slot += 1
        if before >= 0 and same_kind(w, before, tile):
            redundant |= bit(tile)
        before = tile
    w.canon[alive] = name
    w.redundant[alive] = redundant


@kernel
def fill_sure(w: Any, alive: Any, side: Any, seat: Any) -> None:
    """What the trumps of one seat bring its side at least, whoever leads.

    A trick with a trump of the seat is lost only to a higher trump of the other side, and each of those takes one
    trick: at most `lost` of the seat's trumps are lost, at worst those with the most count.
    """
    higher = free = mine = lost = count = fives = tens = 0
    left = alive
    while left != ZERO:
        tile = lowest(left)
        left &= left - ONE
        if w.owner[tile] & 1 != side:
            higher += 1
            free += 1
        elif w.owner[tile] == seat:
            mine += 1
            count += w.count[tile]
            if higher > 0:
                fives += 1 if w.count[tile] == 5 else 0
                tens += 1 if w.count[tile] == 10 else 0
            if free > 0:
                free -= 1
                lost += 1
    gone = min(lost, tens)
    points = count + (mine - lost) * w.trick_value - 10 * gone - 5 * min(lost - gone, fives)
    w.sure_points[alive, side] = max(w.sure_points[alive, side], points)
    w.sure_tricks[alive, side] = max(w.sure_tricks[alive, side], mine - lost)
