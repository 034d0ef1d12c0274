"""Compiled loops of the rollout: forced moves, what the network reads, and what every choice comes to."""

from pathlib import Path
from typing import Any

import numpy as np

from texas42.agents.kernels import agent_kernels
from texas42.agents.search.playouts import gain_of, play_out
from texas42.agents.search.plays import need_of
from texas42.agents.solver.load import load_state
from texas42.agents.solver.root import after_move, decide, root_lows, root_moves
from texas42.agents.solver.search import usable_tiles
from texas42.envs.engine.bits import ONE, ZERO, bit, lowest
from texas42.envs.engine.drivers import pay, pay_winners
from texas42.envs.engine.observe import write_hidden, write_observation
from texas42.envs.engine.state import PLAY
from texas42.envs.engine.step import apply, n_legal, nth_legal, write_mask
from texas42.envs.rules.declarations import LOPER, SEVENS
from texas42.envs.rules.tables import MARKS

_HERE = Path(__file__).resolve().parent
_AGENTS = _HERE.parent / "agents"
kernel = agent_kernels(
    "texas42-training", _HERE, _AGENTS / "solver", _AGENTS / "search", _AGENTS / "heuristic"
)
SOLVED_SHARE = 0.5
"""How much of the advice on a play is the solver's, as in ``pimc``."""
POINTS_WORTH = 0.1
"""What all points of the hand are worth beside the stake."""


@kernel
def play_on(s: Any, t: Any, action: Any, i: Any, ended: Any, over: Any) -> None:
    """Apply a legal action to row i. The next deal of a whole game overwrites the hand before it: where the action ends
    a hand, ``ended[i]`` becomes its record and ``over[i]`` 1."""
    if s.whole_game == 1 and (s.phase != PLAY or s.pos + 1 >= s.in_trick or action == t.claim):
        ended[i] = s
        c = ended[i]
        c.whole_game = 0
        apply(c, t, action)
        over[i] = c.hand_over
    apply(s, t, action)


@kernel
def skip_forced(states: Any, t: Any, ended: Any, over: Any) -> None:
    """Play every row on until its mover has a choice or the hand is over; `ended`, `over`: see `play_on`."""
    for i in range(len(states)):
        s = states[i]
        while s.done == 0 and over[i] == 0 and n_legal(s, t) == 1:
            play_on(s, t, nth_legal(s, t, 0), i, ended, over)


@kernel
def observe_rows(states: Any, t: Any, rows: Any, observations: Any, hidden: Any, masks: Any) -> None:
    """Observation, hidden part and mask (int8) of the mover of ``states[rows[i]]`` into rows i."""
    for i in range(len(rows)):
        s = states[rows[i]]
        write_observation(s, t, s.cur, False, observations[i])
        write_hidden(s, t, s.cur, hidden[i])
        write_mask(s, t, s.cur, masks[i])


@kernel
def apply_rows(states: Any, t: Any, rows: Any, actions: Any, ended: Any, over: Any) -> None:
    """Apply one legal action to the mover of ``states[rows[i]]``; `ended`, `over`, by row: see `play_on`."""
    for i in range(len(rows)):
        play_on(states[rows[i]], t, actions[i], rows[i], ended, over)


@kernel
def final_rewards(states: Any, t: Any, rewards: Any) -> None:
    """What every seat is paid for the hand that is over, float32 (n, seats)."""
    for i in range(len(states)):
        pay(states[i], t, rewards[i])


@kernel
def game_rewards(states: Any, t: Any, rewards: Any) -> None:
    """What every seat is paid for the game that is over, float32 (n, seats): 1 if won, 0 for one cut off."""
    for i in range(len(states)):
        pay_winners(states[i], t, rewards[i])


@kernel
def advise_rows(m: Any, t: Any, whole: Any, p: Any, k: Any, out: Any, scratch: Any, states: Any, rows: Any,
                asked: Any, advice: Any) -> None:  # fmt: skip
    """Into ``advice[i]`` (float32, (actions,)) what each legal action of the mover of ``states[rows[i]]`` comes to
    with the true hands (`judge`); NaN for other actions and where ``asked[i] == 0``.

    `m`: the solver's memory; `whole`: the rules with hands played to the end; `p`: the heuristic's plan; `k`, `out`:
    its scratch; `scratch`: one state.
    """
    advice[:] = np.nan
    for i in range(len(rows)):
        if asked[i] != 0:
            judge(m, t, whole, p, k, out, scratch, states[rows[i]], advice[i])


@kernel
def judge(m: Any, t: Any, whole: Any, p: Any, k: Any, out: Any, scratch: Any, s: Any, row: Any) -> None:
    """Into `row` what each legal action of the mover comes to, all hands as they are in `s`: the score of its side less
    the others'; other entries stay.

    A call or declaration is played out by the heuristic in all seats, each seeing its own tiles. Of a play that is
    one half, the other half is the solver's, all hands open.
    """
    mine = t.side[s.cur]
    for j in range(n_legal(s, t)):
        action = nth_legal(s, t, j)
        if action == t.claim:
            continue
        scratch[0] = s
        c = scratch[0]
        c.whole_game = 0
        apply(c, whole, action)
        if c.hand_over == 0:
            play_out(c, whole, p, k, out)
        row[action] = gain_of(c, whole, mine, 0)
        if s.phase == PLAY:
            points = c.taken[t.side[c.bidder]] / t.total
            sign = 1.0 if mine == t.side[s.bidder] else -1.0
            row[action] += POINTS_WORTH * stake_of(s, t) * sign * points
    if s.phase == PLAY and (t.decl_kind[s.decl] < SEVENS or t.decl_kind[s.decl] > LOPER):
        load_state(m, t, s)
        add_solved(m, t, need_of(m, t, s), mine == t.side[s.bidder], stake_of(s, t), row)


@kernel
def stake_of(s: Any, t: Any) -> Any:
    """What the contract is worth, in the unit of the score."""
    return max(s.marks, 1) if t.scoring == MARKS else t.call_value[s.high]


@kernel
def add_solved(m: Any, t: Any, need: Any, mine: Any, stake: Any, advice: Any) -> None:
    """Mix what the solver says of the plays of the loaded position into one row; `mine`: the mover has the contract."""
    won = (decide(m, need) == 1) == mine
    usable = usable_tiles(m, m.alive[0])
    for low in range(2):
        moves = root_moves(m) if low == 0 else root_lows(m)
        last = -stake
        while moves != ZERO:
            tile = lowest(moves)
            moves &= moves - ONE
            if won and (low == 1 or usable & bit(tile) != ZERO):  # else worth as much as its neighbour in rank
                last = stake if (after_move(m, tile, low == 1, need, 0) == 1) == mine else -stake
            name = m.tile[tile] % t.n_types
            action = t.base_low + t.low_index[name] if low == 1 else t.base_tile + name
            advice[action] += SOLVED_SHARE * (last - advice[action])
