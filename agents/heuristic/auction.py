"""The auction: the call with the highest expected score."""

from typing import Any

from texas42.agents.heuristic.declare import best_trumps
from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.notes import unseen_by_mover
from texas42.agents.heuristic.special import partner_chance, special_chance
from texas42.agents.heuristic.strength import chance_to_make
from texas42.envs.engine.bits import ONE, ZERO, drop_lowest, lowest, n_members, popcount
from texas42.envs.rules import ladder
from texas42.envs.rules.declarations import NELLO, SEVENS
from texas42.envs.rules.tables import MARKS

NOBODY, PARTNER, OTHER = range(3)


@kernel
def choose_call(s: Any, t: Any, p: Any, calls: Any, passer: Any, out: Any) -> Any:
    """The ladder row to call; `calls`: legal rows. `passer`: pass, or bid the least."""
    if passer or popcount(calls) == 1:
        return lowest(calls)
    hand = s.hands[s.cur]
    unseen = unseen_by_mover(s, t, p)
    plain = t.decls[t.min_call]
    _, value = best_trumps(t, p, hand, unseen, plain, out)
    best = -1e18
    choice = -1
    if calls & ONE != ZERO:
        choice, best = 0, pass_value(s, t, p, value)
    rest = calls & ~ONE
    while rest != ZERO:
        row = lowest(rest)
        rest = drop_lowest(rest)
        worth = bid_value(s, t, p, row, hand, unseen, value, out)
        if worth > best + 1e-9:
            best, choice = worth, row
    return choice


@kernel
def who_stands(s: Any, t: Any) -> Any:
    """NOBODY, PARTNER or OTHER, by the side that holds the standing bid."""
    if s.high == 0:
        return NOBODY
    return PARTNER if s.bidder % t.n_sides == s.cur % t.n_sides else OTHER


@kernel
def pass_value(s: Any, t: Any, p: Any, value: Any) -> Any:
    """What a pass is worth with a hand expected to take `value` points: as many times it as marks stand."""
    line = p.passing[who_stands(s, t), others_call_after(s, t)]
    worth = (line[0] + line[1] * value + line[2] * standing_level(s, t, p)) * max(s.marks, 1)
    return worth if t.scoring == MARKS else worth * t.total


@kernel
def standing_level(s: Any, t: Any, p: Any) -> Any:
    """By how much the standing point bid is above the least, in points of 42; 0 where none stands."""
    if s.high == 0 or s.marks > 0:
        return 0.0
    return p.scale * max(t.call_need[s.high] - t.call_need[t.min_call], 0)


@kernel
def bid_value(s: Any, t: Any, p: Any, row: Any, hand: Any, unseen: Any, value: Any, out: Any) -> Any:
    """What a bid is worth: what it brings if it ends the auction, and for point bids what may follow."""
    if t.call_kind[row] == ladder.COUNT51:  # count tiles will be trump
        _, value = best_trumps(t, p, hand, unseen, t.decls[row], out)
    worth = last_bid_value(s, t, p, row, hand, unseen, value)
    if t.call_kind[row] != ladder.POINTS:
        return worth
    line = p.bidding[who_stands(s, t), others_call_after(s, t)]
    unit = 1.0 if t.scoring == MARKS else float(t.total)
    return line[0] * unit + line[1] * worth


@kernel
def others_call_after(s: Any, t: Any) -> Any:
    """1 if somebody may still call after the mover, else 0."""
    if t.until_one_left == 0:
        return 1 if s.n_calls < t.n_seats - 1 else 0
    return 1 if n_members(s.passed) < t.n_seats - (1 if s.high == 0 else 2) else 0


@kernel
def last_bid_value(s: Any, t: Any, p: Any, row: Any, hand: Any, unseen: Any, value: Any) -> Any:
    """What a bid is expected to bring if it ends the auction."""
    chance = chance_to_make(p, row, value)
    gain, loss = p.gain[row], p.loss[row]
    kind = t.call_kind[row]
    if kind == ladder.SPECIAL:
        marks = max(t.call_base[row], s.marks + 1)
        chance = partner_chance(t, p, hand)
        gain = loss = float(marks)
    elif kind == ladder.MARKS:
        rest = t.decls[row]
        while rest != ZERO:
            decl = lowest(rest)
            rest = drop_lowest(rest)
            if t.decl_kind[decl] in (NELLO, SEVENS):
                chance = max(chance, special_chance(t, p, hand, unseen, decl))
    if t.scoring == MARKS:
        gain, loss = min(gain, marks_to_go(s, t, True)), min(loss, marks_to_go(s, t, False))
    return chance * gain - (1.0 - chance) * loss


@kernel
def marks_to_go(s: Any, t: Any, mine: Any) -> Any:
    """Marks that my side, or the best of the others, lacks to the target: more than that is worth nothing."""
    side = s.cur % t.n_sides
    top = -1000
    for i in range(t.n_sides):
        if (i == side) == mine:
            top = max(top, s.scores[i])
    return max(float(t.target - top), 1.0)
