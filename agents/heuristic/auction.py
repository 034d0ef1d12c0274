"""The auction."""

from typing import Any

from texas42.agents.heuristic.declare import best_trumps, special_chance
from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.notes import unseen_by_mover
from texas42.agents.heuristic.strength import chance_of_points, chance_of_sweep
from texas42.envs.engine.bits import ONE, ZERO, drop_lowest, lowest, popcount
from texas42.envs.rules import ladder
from texas42.envs.rules.declarations import NELLO, SEVENS


@kernel
def choose_call(s: Any, t: Any, p: Any, calls: Any, passer: Any, out: Any) -> Any:
    """The ladder row to call; `calls`: legal rows. `passer`: pass, or bid the least."""
    if popcount(calls) == 1 or (passer and calls & ONE != ZERO):
        return lowest(calls)
    hand = s.hands[s.cur]
    unseen = unseen_by_mover(s, t, p)
    best = -1e18
    choice = -1
    rest = calls
    while rest != ZERO:
        row = lowest(rest)
        rest = drop_lowest(rest)
        if passer:
            return row
        value = call_value(s, t, p, row, hand, unseen, out)
        if value > best + 1e-9:
            best, choice = value, row
    return choice


@kernel
def call_value(s: Any, t: Any, p: Any, row: Any, hand: Any, unseen: Any, out: Any) -> Any:
    """What a call is expected to bring."""
    if row == 0:
        return 0.0 if s.high == 0 or s.bidder % t.n_sides != s.cur % t.n_sides else 0.5
    kind = t.call_kind[row]
    _, value = best_trumps(t, p, hand, unseen, t.decls[row], out)
    if kind == ladder.SPECIAL:
        chance = 0.1 * popcount(hand & t.doubles)
        return max(t.call_base[row], s.marks + 1) * (2.0 * chance - 1.0)
    if kind != ladder.MARKS:
        return t.call_marks[row] * (2.0 * chance_of_points(p, value, t.call_need[row]) - 1.0)
    chance = chance_of_sweep(p, value)
    rest = t.decls[row]
    while rest != ZERO:
        decl = lowest(rest)
        rest = drop_lowest(rest)
        if t.decl_kind[decl] == NELLO or t.decl_kind[decl] == SEVENS:
            chance = max(chance, special_chance(t, hand, unseen, decl))
    return t.call_marks[row] * (2.0 * chance - 1.0)
