"""Values of plays in given worlds, by the exact solver."""

from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.solver.batch import solve_moves
from texas42.agents.solver.load import load_state
from texas42.agents.solver.root import N_MOVES
from texas42.agents.solver.workspace import N_LOCAL, new_work
from texas42.envs.engine.state import new_batch
from texas42.envs.rules.declarations import NELLO
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import Tables, compile_tables

ILLEGAL = -1
EXACT = -1

Int64 = npt.NDArray[np.int64]


class Judge:
    """Solves positions of one game; keep one for each thread.

    A *move* is the index of a tile, or of a tile whose low end is announced beyond `N_LOCAL`.

    Args:
        rules: four-player double-six 42.
    """

    def __init__(self, rules: Rules) -> None:
        self.t: Tables = compile_tables(rules)[0]
        self._work, self._scratch = new_work(), new_batch(1)
        self._values = np.zeros(N_MOVES, np.int64)

    def move(self, action: int) -> int:
        """The move of an action id of the phase of play that is no claim."""
        low = action - int(self.t.base_low)
        return N_LOCAL + int(self.t.low_tile[low]) if low >= 0 else action - int(self.t.base_tile)

    def reaches(self, s: Any, hands: npt.NDArray[np.uint64]) -> Int64:
        """Whether each move reaches the mover's aim: to make the contract, or to set it.

        Args:
            s: a state in the phase of play, the contract undecided; its hands are not looked at.
            hands: worlds, uint64 (n, 4).

        Returns:
            int64 (n, N_MOVES): 1 or 0, `ILLEGAL` for what is no legal move.
        """
        mine = _is_bidders(s, self.t)
        made = np.stack([self._solve(s, world, self._need(s)) for world in hands])
        return made if mine else np.where(made == ILLEGAL, ILLEGAL, 1 - made)

    def points(self, s: Any) -> Int64:
        """Points that the mover's side has in the end after each move, `ILLEGAL` for what is none, (N_MOVES,).

        The hands are those of `s`; every trick is played out.
        """
        theirs = self._solve(s, s["hands"][:4], EXACT)
        return theirs if _is_bidders(s, self.t) else np.where(theirs == ILLEGAL, ILLEGAL, int(self.t.total) - theirs)

    def _need(self, s: Any) -> int | None:
        """Points to reach; None for all that are left, which is a sweep or, the other way about, a nello."""
        sweep = int(s["marks"]) > 0 or int(self.t.decl_kind[s["decl"]]) == NELLO
        return None if sweep else int(self.t.call_need[s["call"]])

    def _solve(self, s: Any, hands: Any, need: int | None) -> Int64:
        """The bidder's side's points after each move, or 1 where they reach `need`, else 0; (N_MOVES,)."""
        w, scratch = self._work, self._scratch[0]
        self._scratch[0] = s
        self._scratch["hands"][0, :4] = hands
        load_state(w, self.t, scratch)
        solve_moves(w, int(w.banked + w.left[0]) if need is None else need, self._values)
        out = np.full(N_MOVES, ILLEGAL, np.int64)
        for k in np.flatnonzero(self._values >= 0):
            out[int(w.tile[k % N_LOCAL]) + (k // N_LOCAL) * N_LOCAL] = self._values[k]
        return out


def _is_bidders(s: Any, t: Tables) -> bool:
    return int(s["cur"]) % int(t.n_sides) == int(s["bidder"]) % int(t.n_sides)


def is_decided(s: Any, t: Tables) -> bool:
    """Whether the contract of a state in play is made or set already and is played on for points."""
    side = int(s["bidder"]) % int(t.n_sides)
    won, tricks = int(s["won"][side]), int(s["n_tricks"])
    if int(t.decl_kind[s["decl"]]) == NELLO:
        return won > 0
    if int(s["marks"]) > 0:
        return tricks > won
    need = int(t.call_need[s["call"]])
    taken = [int(s["taken"][k]) for k in range(int(t.n_sides))]
    return taken[side] >= need or sum(taken) - taken[side] > int(t.total) - need
