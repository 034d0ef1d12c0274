"""Bounds on what the leader's side takes from a position between tricks, without search."""

from typing import Any

from texas42.agents.solver.kernels import first, kernel
from texas42.agents.solver.workspace import CASH, TRUMPS
from texas42.envs.engine.bits import ONE, ZERO, bit, lowest, popcount


@kernel
def hand_at(w: Any, alive: Any, seat: Any) -> Any:
    """Tiles alive in a hand; seats count on past 3."""
    return alive & w.own[seat & 3]


@kernel
def top_counts(w: Any, hand: Any, n: Any) -> Any:
    """The most count that `n` tiles of a hand can have."""
    tens = min(n, popcount(hand & w.tens))
    return 10 * tens + 5 * min(n - tens, popcount(hand & w.fives))


@kernel
def most_in(w: Any, alive: Any, tricks: Any) -> Any:
    """The most points that `tricks` of the tricks to come can hold."""
    points = tricks * w.trick_value
    for seat in range(4):
        points += top_counts(w, alive & w.own[seat], tricks)
    return points


@kernel
def trump_bounds(w: Any, alive: Any, leader: Any, left: Any) -> Any:
    """Lower and upper bound from trump tricks that cannot be lost."""
    if w.features & TRUMPS == 0:
        return 0, left
    trumps = alive & w.trumps
    mine, theirs = leader & 1, (leader & 1) ^ 1
    upper = left - w.sure_points[trumps, theirs]
    n = w.sure_tricks[trumps, theirs]
    if n > 0:
        upper = min(upper, most_in(w, alive, (popcount(alive) >> 2) - n))
    return w.sure_points[trumps, mine], upper


@kernel
def sure_leads(w: Any, alive: Any, leader: Any) -> Any:
    """Tiles of the leader that his side takes a trick with, one after the other.

    His trumps above all others win whenever he plays them. After these, a tile that nobody beats in its suit wins
    where every opponent is out of trumps or still has a tile of the suit to follow with; a tile that the partner
    may have to overtake counts too, but only as the last.
    """
    hand, partner = hand_at(w, alive, leader), hand_at(w, alive, leader + 2)
    left, right = hand_at(w, alive, leader + 1), hand_at(w, alive, leader + 3)
    trumps = alive & w.trumps
    other_trumps = trumps & ~hand
    sure = trumps & hand
    if other_trumps != ZERO:
        sure &= first(other_trumps) - ONE
    drawn = popcount(sure)
    out_left = popcount(other_trumps & left) <= drawn
    out_right = popcount(other_trumps & right) <= drawn
    out_partner = popcount(other_trumps & partner) <= drawn
    last = ZERO
    n = 0
    plain = hand & ~trumps
    while plain != ZERO:
        tile = lowest(plain)
        plain &= plain - ONE
        suit = w.lead_suit[tile]
        higher = w.beats[suit, tile] & ~trumps
        if higher & (left | right) != ZERO:
            continue
        follow = w.follow[suit]
        if (out_left or popcount(left & follow) > n) and (out_right or popcount(right & follow) > n):
            if higher & partner == ZERO and (out_partner or popcount(partner & follow) > n):
                sure |= bit(tile)
                n += 1
            else:
                last |= bit(tile)
    return sure | first(last) if n == 0 and last != ZERO else sure


@kernel
def cash_bound(w: Any, alive: Any, leader: Any, left: Any, sure: Any) -> Any:
    """Points the leader's side takes at least by his sure leads: all but the most the other tricks can hold."""
    if w.features & CASH == 0 or sure == ZERO:
        return 0
    hand = hand_at(w, alive, leader)
    lost = popcount(hand) - popcount(sure)
    if lost == 0:
        return left
    lost_count = top_counts(w, hand & ~sure, lost)
    for seat in range(1, 4):
        lost_count += top_counts(w, hand_at(w, alive, leader + seat), lost)
    return left - lost * w.trick_value - lost_count
