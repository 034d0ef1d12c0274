"""Compiled part of matches: a hand that is forfeited."""

from pathlib import Path
from typing import Any

from texas42.agents.kernels import agent_kernels
from texas42.envs.engine.score import game_winners, next_hand
from texas42.envs.engine.step import is_legal

kernel = agent_kernels("texas42-evaluation", Path(__file__).resolve().parent)


@kernel
def illegal_rows(states: Any, t: Any, actions: Any, out: Any) -> None:
    """Whether ``actions[i]`` is out of range or illegal for the mover of row i, bool (n,)."""
    for i in range(len(states)):
        out[i] = actions[i] < 0 or actions[i] >= t.n_actions or not is_legal(states[i], t, actions[i])


@kernel
def forfeit_hands(states: Any, t: Any, rows: Any, offenders: Any, lost: Any, given: Any) -> None:
    """End the hands of some rows: side ``offenders[i]`` loses `lost[i]`, every other side scores `given[i]`."""
    for i in range(len(rows)):
        s = states[rows[i]]
        for side in range(t.n_sides):
            s.delta[side] = -lost[i] if side == offenders[i] else given[i]
            s.scores[side] += s.delta[side]
        s.made = -1
        s.throw_ins = 0
        s.bidder = max(s.bidder, 0)  # a tie at the target asks who bid
        s.winners = game_winners(s, t)
        next_hand(s, t, 1)
