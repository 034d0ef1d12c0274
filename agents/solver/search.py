"""The search for four players in two teams with one set: zero-window alpha-beta over whole tricks.

The value of a position between tricks is the number of points the leader's side takes from it on. Results are
fail-soft: one of at least `gamma` is a lower bound of the value, a smaller one an upper bound.
"""

from typing import Any

from numba import from_dtype, int64, uint64

from texas42.agents.solver.bounds import cash_bound, hand_at, sure_leads, trump_bounds
from texas42.agents.solver.kernels import highest, kernel, recursive
from texas42.agents.solver.order import choose_last, choose_lead, choose_second, choose_third, replies
from texas42.agents.solver.table import entry_key, probe, store
from texas42.agents.solver.workspace import MERGE, WORK
from texas42.envs.engine.bits import ZERO, bit, lowest, popcount

MOST = 255


@kernel
def last_trick(w: Any, alive: Any, leader: Any, left: Any) -> Any:
    """One tile each: all that is left, or nothing."""
    top = lowest(alive & w.own[leader])
    suit = w.lead_suit[top]
    higher = alive & w.beats[suit, top]
    while higher != ZERO:
        top = lowest(higher)
        higher = alive & w.beats[suit, top]
    return left if (w.owner[top] ^ leader) & 1 == 0 else 0


@kernel
def widen(w: Any, alive: Any, leader: Any, left: Any, lower: Any, upper: Any) -> Any:
    """The bounds of the table, tightened by those that need no search."""
    least, most = trump_bounds(w, alive, leader, left)
    cash = cash_bound(w, alive, leader, left, sure_leads(w, alive, leader))
    return max(lower, max(least, cash)), min(upper, most)


@kernel
def usable_tiles(w: Any, alive: Any) -> Any:
    """Tiles alive without those that are as good as another one of their hand."""
    return alive & ~w.redundant[alive & w.trumps] if w.features & MERGE != 0 else alive


@recursive(int64(from_dtype(WORK), uint64, int64, int64, int64))
def search(w: Any, alive: Any, leader: Any, gamma: Any, left: Any) -> Any:
    """Points of the leader's side out of the `left` to come, exact enough to tell whether they reach `gamma`.

    The four loops are the four places of one trick: leader and partner (0, 2) maximise, the others minimise.
    """
    if gamma <= 0 or gamma > left:
        return 0 if gamma <= 0 else left
    if popcount(alive) == 4:
        return last_trick(w, alive, leader, left)
    w.nodes += 1
    key = entry_key(w, alive, leader)
    lower, upper, hint = probe(w, key, left)
    if lower < gamma and upper >= gamma:
        lower, upper = widen(w, alive, leader, left, lower, upper)
    if lower >= gamma or upper < gamma:
        return lower if lower >= gamma else upper
    usable = usable_tiles(w, alive)
    moves0 = hand_at(w, usable, leader)
    best0, best_lead = -1, 0
    while moves0 != ZERO and best0 < gamma:
        tile0 = choose_lead(w, alive, leader, moves0, hint)
        moves0 &= ~bit(tile0)
        suit = w.lead_suit[tile0]
        beats0 = w.beats[suit, tile0]
        moves1 = replies(w, hand_at(w, alive, leader + 1), suit) & usable
        all2 = replies(w, hand_at(w, alive, leader + 2), suit) & usable
        all3 = replies(w, hand_at(w, alive, leader + 3), suit) & usable
        best1 = MOST
        while moves1 != ZERO and best1 >= gamma:
            tile1 = choose_second(w, suit, moves1, beats0, all2, all3)
            moves1 &= ~bit(tile1)
            wins1 = beats0 & bit(tile1) != ZERO
            beats1 = w.beats[suit, tile1] if wins1 else beats0
            moves2 = all2
            best2 = -1
            while moves2 != ZERO and best2 < gamma:
                tile2 = choose_third(w, suit, moves2, beats1, not wins1, all3)
                moves2 &= ~bit(tile2)
                wins2 = beats1 & bit(tile2) != ZERO
                beats2 = w.beats[suit, tile2] if wins2 else beats1
                points2 = w.trick_value + w.count[tile0] + w.count[tile1] + w.count[tile2]
                rest2 = alive & ~(bit(tile0) | bit(tile1) | bit(tile2))
                winner2 = leader + (2 if wins2 else (1 if wins1 else 0))
                moves3 = all3
                best3 = MOST
                while moves3 != ZERO and best3 >= gamma:
                    tile3 = choose_last(w, moves3, beats2, wins1 and not wins2)
                    moves3 &= ~bit(tile3)
                    winner = leader + 3 if beats2 & bit(tile3) != ZERO else winner2
                    points = points2 + w.count[tile3]
                    rest = left - points
                    if (winner ^ leader) & 1 == 0:
                        value = points + search(w, rest2 & ~bit(tile3), winner & 3, gamma - points, rest)
                    else:
                        value = rest - search(w, rest2 & ~bit(tile3), winner & 3, rest - gamma + 1, rest)
                    best3 = min(best3, value)
                best2 = max(best2, best3)
            best1 = min(best1, best2)
        if best1 > best0:
            best0, best_lead = best1, tile0
    if best0 >= gamma:
        store(w, key, max(best0, lower), upper, best_lead)
    else:
        store(w, key, lower, min(best0, upper), best_lead)
    return best0


@recursive(int64(from_dtype(WORK), int64, int64, uint64, uint64, int64, int64, int64))
def finish(w: Any, pos: Any, winner: Any, on_table: Any, beats: Any, suit: Any, points: Any, gamma: Any) -> Any:
    """As `search`, from the middle of the root's trick: `pos` tiles lie, `winner` is ahead, `beats` beat him."""
    alive, leader, left = w.alive[0], w.leader[0], w.left[0]
    if pos == 4:
        points += w.trick_value
        rest = left - points
        if (winner ^ leader) & 1 == 0:
            return points + search(w, alive & ~on_table, winner, gamma - points, rest)
        return rest - search(w, alive & ~on_table, winner, rest - gamma + 1, rest)
    seat = (leader + pos) & 3
    moves = replies(w, alive & w.own[seat], suit) & usable_tiles(w, alive)
    maximise = pos & 1 == 0
    best = -1 if maximise else MOST
    while moves != ZERO and (best < gamma) == maximise:
        tile = highest(moves)
        moves &= ~bit(tile)
        ahead, over = winner, beats
        if beats & bit(tile) != ZERO:
            ahead, over = seat, w.beats[suit, tile]
        value = finish(w, pos + 1, ahead, on_table | bit(tile), over, suit, points + w.count[tile], gamma)
        best = max(best, value) if maximise else min(best, value)
    return best
