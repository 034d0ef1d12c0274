"""Playing hands out: what contracts come to where an agent plays all seats, each seeing its own tiles only.

Bids are judged so, and not by the solver: with all hands open far too many bids look good (docs/SOLVER.md).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions
from texas42.agents.search.kernels import kernel
from texas42.envs.engine import drivers
from texas42.envs.engine.auction import call, declare
from texas42.envs.engine.bits import bit
from texas42.envs.engine.state import AUCTION, Batch, new_batch
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables

PARTNER_NAMES = -1
Ints = npt.NDArray[np.int64]


@kernel
def set_up(states: Any, t: Any, hands: Any, rows: Any, decls: Any) -> None:
    """Turn copies of a view into hands under a contract: state i gets hands ``i % len(hands)``, the seat to move
    calls ``rows[i // len(hands)]``, all others pass, and ``decls[...]`` is declared, or left to the partner."""
    n = len(hands)
    for i in range(len(states)):
        s = states[i]
        s.whole_game = 0
        for seat in range(t.n_seats):
            s.hands[seat] = hands[i % n, seat]
            s.dealt[seat] = hands[i % n, seat]
            for k in range(s.n_plays):
                if s.players[k] == seat:
                    s.dealt[seat] |= bit(s.plays[k])
        row = rows[i // n]
        if s.phase == AUCTION:
            call(s, t, row)
            while s.phase == AUCTION:
                call(s, t, 0)
        if decls[i // n] != PARTNER_NAMES:
            declare(s, t, decls[i // n])


class Rollouts:
    """Plays hands out under the rules, to the last trick.

    Args:
        rules: the rules; here every trick is played, so that points are whole.
        agent: who plays all seats.
    """

    def __init__(self, rules: Rules, agent: Agent) -> None:
        self.rules = rules.replace(early_end="play_all", forced_sweep_bonus=0, laydown="off")
        self.t = compile_tables(self.rules)[0]
        self.agent = agent

    def contracts(self, view: Any, hands: Any, rows: list[int], decls: list[int], key: int) -> tuple[Ints, Ints]:
        """Play contracts out in worlds.

        Args:
            view: in the auction or the declaration.
            hands: the worlds, uint64 (worlds, 4).
            rows: what the seat to move calls, one for each contract (any number where the auction is over).
            decls: what is declared, or `PARTNER_NAMES`.
            key: of the agent's randomness.

        Returns:
            points of the bidder's side and whether the contract was made, int64 (contracts, worlds) each.
        """
        shape = (len(rows), len(hands))
        states = new_batch(shape[0] * shape[1])
        if not len(states):
            return np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        states[:] = np.asarray(view).reshape(1)
        set_up(states, self.t, hands, np.array(rows, np.int64), np.array(decls, np.int64))
        self.finish(states, key)
        side = states["bidder"] % int(self.t.n_sides)
        points = states["taken"][np.arange(len(states)), side].astype(np.int64)
        return points.reshape(shape), (states["made"] == 1).astype(np.int64).reshape(shape)

    def finish(self, states: Batch, key: int) -> None:
        """Play states on to the end of their hands, in place."""
        keys = np.arange(len(states), dtype=np.uint64) + np.uint64(key)
        while True:
            live = np.flatnonzero(states["done"] == 0)
            if not len(live):
                return
            whole = len(live) == len(states)
            views = states.copy() if whole else states[live]
            seats = views["cur"].astype(np.int64)
            drivers.blank_batch(views, self.t, seats)
            actions = self.agent.act(Decisions(self.rules, views, seats, live.astype(np.uint64), keys[live]))
            every = np.full(len(states), -1, np.int64)
            every[live] = actions
            drivers.step_batch(states, self.t, every)
