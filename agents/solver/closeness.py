"""Sevens and Loper: the deal and the leader determine the whole hand (RULES.md a.8), so it is played out."""

from typing import Any

from texas42.agents.solver.kernels import kernel
from texas42.envs.engine.bits import ZERO, bit, lowest
from texas42.envs.rules.declarations import LOPER


@kernel
def nearest(t: Any, hand: Any) -> Any:
    """A tile of the smallest distance to seven pips; all such are worth the same."""
    for distance in range(16):
        close = hand & t.distance[distance]
        if close != ZERO:
            return lowest(close)
    return -1


@kernel
def lost_tricks(t: Any, decl: Any, hands: Any, leader: Any, side: Any, best: Any, ahead: Any, pos: Any) -> Any:
    """Tricks that `side` loses from here on; `pos` tiles lie, the closest, of power `best`, played by `ahead`.

    `hands` (uint64, one for each seat) is used up.
    """
    lost = 0
    seat = (leader + pos) % t.n_seats
    while pos > 0 or hands[seat] != ZERO:
        if pos == 0:
            best = 0
        tile = nearest(t, hands[seat])
        hands[seat] &= ~bit(tile)
        power = t.power[decl, 0, tile % t.n_types]
        if power > best:
            best, ahead = power, seat
        pos += 1
        seat = (seat + 1) % t.n_seats
        if pos == t.n_seats:
            lost += 1 if ahead % t.n_sides != side else 0
            pos, seat = 0, ahead
    return lost


@kernel
def closeness_made(t: Any, decl: Any, lost: Any) -> Any:
    """Whether a contract with `lost` tricks is made: none may be lost, in Loper one (a.10)."""
    return 1 if lost <= (1 if t.decl_kind[decl] == LOPER else 0) else 0
