"""The auction: the call with the highest expected score."""

from typing import Any

from texas42.agents.heuristic.declare import best_trumps, special_chance
from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.notes import unseen_by_mover
from texas42.agents.heuristic.strength import chance_to_make
from texas42.envs.engine.bits import ONE, ZERO, drop_lowest, lowest, popcount
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
        worth = bid_value(s, t, p, row, hand, unseen, value)
        if worth > best + 1e-9:
            best, choice = worth, row
    return choice


@kernel
def pass_value(s: Any, t: Any, p: Any, value: Any) -> Any:
    """What a pass is worth, by who stands and by the own hand; shared out where there are many sides."""
    who = NOBODY
    if s.high > 0:
        who = PARTNER if s.bidder % t.n_sides == s.cur % t.n_sides else OTHER
    worth = p.passing[who, 0] + p.passing[who, 1] * value
    return worth if t.scoring == MARKS else worth * t.total


@kernel
def bid_value(s: Any, t: Any, p: Any, row: Any, hand: Any, unseen: Any, value: Any) -> Any:
    """What a bid is expected to bring if it ends the auction."""
    chance = chance_to_make(p, row, value)
    gain, loss = p.gain[row], p.loss[row]
    kind = t.call_kind[row]
    if kind == ladder.SPECIAL:
        marks = max(t.call_base[row], s.marks + 1)
        chance = 0.1 * popcount(hand & t.doubles)
        gain = loss = float(marks)
    elif kind == ladder.MARKS:
        rest = t.decls[row]
        while rest != ZERO:
            decl = lowest(rest)
            rest = drop_lowest(rest)
            if t.decl_kind[decl] in (NELLO, SEVENS):
                chance = max(chance, special_chance(t, hand, unseen, decl))
    return chance * gain - (1.0 - chance) * loss
