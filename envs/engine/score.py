"""The end of a hand: settlement, the end of a game, and the way to the next hand (RULES.md c, f.4)."""

from typing import Any

from texas42.envs.engine.bits import ONE, around
from texas42.envs.engine.deal import start_hand
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.state import OVER
from texas42.envs.rules.declarations import LOPER, NELLO
from texas42.envs.rules.tables import BIDDER_FIRST, FORCED_LAST, HIGHER, MARKS, POINTS, THROW_SAME

MAX_THROW_INS = 1000
"""Throw-ins in a row after which a whole game is truncated."""


@kernel
def stake(s: Any, t: Any) -> Any:
    """Marks at stake; a forced point bid that took every trick may earn a bonus (f.3.9)."""
    if s.marks > 0:
        return s.marks
    if sweep_bonus_open(s, t) and s.made == 1 and s.n_tricks == t.hand_size:
        return t.sweep_bonus
    return t.call_marks[s.call]


@kernel
def sweep_bonus_open(s: Any, t: Any) -> Any:
    """Whether a forced point bid may still take every trick for the bonus (f.3.9)."""
    side = t.side[s.bidder]
    if t.sweep_bonus == 0 or s.last == 0 or t.all_pass != FORCED_LAST or s.marks > 0:
        return False
    return t.decl_kind[s.decl] != LOPER and s.won[side] == s.n_tricks


@kernel
def settle_marks(s: Any, t: Any) -> None:
    """Marks: the stake goes to the bidder's side, or to each other side (c.1, c.15)."""
    side = t.side[s.bidder]
    marks = stake(s, t)
    for i in range(t.n_sides):
        s.delta[i] = 0
    if s.made == 1:
        s.delta[side] = marks
    elif t.bidder_loses == 1:
        s.delta[side] = -marks
    else:
        for i in range(t.n_sides):
            if i != side:
                s.delta[i] = marks


@kernel
def settle_points(s: Any, t: Any) -> None:
    """Points (c.2): a made bid scores what was taken, a made sweep the bid; a set pays bid and points taken."""
    side = t.side[s.bidder]
    sweep = s.marks > 0
    bid = t.call_value[s.high]
    nello = t.decl_kind[s.decl] == NELLO
    for i in range(t.n_sides):
        if s.made == 1:
            if i == side:
                s.delta[i] = bid if sweep else s.taken[i]
            else:
                s.delta[i] = 0 if sweep or t.keep_points == 0 else s.taken[i]
        elif i == side:
            s.delta[i] = 0
        else:
            bid_only = nello or (sweep and t.set_sweep_bid_only == 1)
            s.delta[i] = bid if bid_only else bid + s.taken[i]


@kernel
def settle_signed(s: Any, t: Any) -> None:
    """Signed points (c.11, c.14): a set costs the bidder's side the bid; the others keep what they took."""
    side = t.side[s.bidder]
    bid = t.call_value[s.high]
    for i in range(t.n_sides):
        s.delta[i] = s.taken[i]
    if s.made == 0:
        s.delta[side] = -bid
    elif s.marks > 0:
        s.delta[side] = bid


@kernel
def finish_hand(s: Any, t: Any, made: Any) -> None:
    """Settle a hand whose contract is decided, then end the episode or deal the next hand."""
    s.made = made
    if t.scoring == MARKS:
        settle_marks(s, t)
    elif t.scoring == POINTS:
        settle_points(s, t)
    else:
        settle_signed(s, t)
    if s.claimed == 1 and made == 0 and t.laydown_game == 1:  # f.3.13
        lift_others(s, t)
    for i in range(t.n_sides):
        s.scores[i] += s.delta[i]
    s.throw_ins = 0
    s.winners = game_winners(s, t)
    next_hand(s, t, 1)


@kernel
def lift_others(s: Any, t: Any) -> None:
    """A wrong claim lifts the other sides to the target (`laydown_penalty=game`)."""
    for i in range(t.n_sides):
        if i != t.side[s.bidder]:
            s.delta[i] = max(s.delta[i], t.target - s.scores[i])


@kernel
def throw_in(s: Any, t: Any) -> None:
    """All passed: no score; the shaker moves on or stays (`all_pass`)."""
    for i in range(t.n_sides):
        s.delta[i] = 0
    s.throw_ins += 1
    if s.throw_ins >= MAX_THROW_INS and s.whole_game == 1:
        s.done = 2
    next_hand(s, t, 0 if t.all_pass == THROW_SAME else 1)


@kernel
def next_hand(s: Any, t: Any, shaker_moves: Any) -> None:
    """Deal the next hand of a whole game, or end the episode."""
    s.hand_over = 1
    if s.done == 0 and (s.whole_game == 0 or s.winners != 0):
        s.done = 1
    if s.done != 0:
        s.phase = OVER
        s.cur = -1
        return
    s.shaker = around(s.shaker + shaker_moves, t.n_seats)
    s.hand_no += ONE
    start_hand(s, t)


@kernel
def game_winners(s: Any, t: Any) -> Any:
    """Bit mask of the sides that have won the game, 0 while it goes on (f.4.4, f.4.5)."""
    reached = 0
    n_reached = 0
    top = s.scores[0]
    for i in range(t.n_sides):
        top = max(top, s.scores[i])
        if s.scores[i] >= t.target:
            reached |= 1 << i
            n_reached += 1
    if n_reached == 0:
        return 0
    if t.scoring == MARKS:
        return leader_by_two(s, t, top) if t.win_by_two == 1 else reached
    if n_reached == 1:
        return reached
    return break_tie(s, t, reached, top)


@kernel
def leader_by_two(s: Any, t: Any, top: Any) -> Any:
    """The side that leads every other by two, if there is one (f.4.5)."""
    near = 0
    best = 0
    for i in range(t.n_sides):
        if s.scores[i] > top - 2:
            near += 1
        if s.scores[i] == top:
            best = 1 << i
    return best if near == 1 else 0


@kernel
def break_tie(s: Any, t: Any, reached: Any, top: Any) -> Any:
    """Several sides at the target in one hand (`tie_rule`); equal totals play on."""
    side = 1 << (t.side[s.bidder])
    if t.tie_rule != HIGHER:
        if s.made == 1 and reached & side != 0:
            return side
        if t.tie_rule != BIDDER_FIRST:
            return 0
    best = 0
    n_best = 0
    for i in range(t.n_sides):
        if s.scores[i] == top:
            best = 1 << i
            n_best += 1
    return best if n_best == 1 else 0
