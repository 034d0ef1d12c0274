"""``pimc``: perfect-information Monte Carlo. Every choice is solved in many worlds and judged by the mean.

Play: in each world the exact solver tells for each tile whether the contract is then made; the tile that reaches
the aim (make it, or set it) in most worlds is played, and points break ties. Bids and declarations: `bidding`.
It plays four-player double-six 42 by any house rules.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Decisions
from texas42.agents.heuristic.agent import HeuristicAgent
from texas42.agents.search.bidding import Bidder, bits
from texas42.agents.search.plays import add_margins, count_successes, sum_utility
from texas42.agents.search.rollouts import Rollouts
from texas42.agents.search.worlds import Memory, draw_worlds
from texas42.agents.solver.workspace import N_LOCAL
from texas42.envs.engine.claims import proved
from texas42.envs.engine.state import AUCTION, PLAY, new_batch
from texas42.envs.engine.step import legal_words
from texas42.envs.errors import OptionsError
from texas42.envs.rules.declarations import LOPER, NELLO, SEVENS
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import MARKS, Tables, compile_tables

SPREAD = 0.0
"""Points by which the mark to reach is spread over worlds; 0 counts every world by the bid itself."""
PLAYED_OUT = 40
"""Worlds at least in which a call or a declaration is played out."""
OBJECTIVES = ("make", "points", "marks")


def shifts_of(worlds: int, spread: float) -> npt.NDArray[np.int64]:
    """How many points above the bid counts as made in each world: quantiles of a logistic distribution, shuffled."""
    u = (np.arange(worlds) + 0.5) / worlds
    points = np.rint(spread * np.log(u / (1 - u))).astype(np.int64)
    return np.random.default_rng(0).permutation(points)


class PimcAgent:
    """A player that solves every choice in many worlds.

    Args:
        rules: what it plays by; four players, double-six.
        worlds: deals drawn for each decision.
        objective: ``make``: probability that the contract is made, points break ties; ``points``: mean points;
            ``marks``: mean score (where marks are scored, the same as ``make``).
        threads: decisions of a batch are spread over this many threads.
    """

    def __init__(self, rules: Rules, worlds: int = 40, objective: str = "make", threads: int = 1) -> None:
        if rules.seats != 4 or rules.game.max_pip != 6 or rules.game.copies != 1 or rules.game.ladder != "standard":
            raise OptionsError(f"pimc plays four-player double-six 42, not {rules.base!r} with {rules.seats} seats")
        if objective not in OBJECTIVES:
            raise OptionsError(f"objective={objective!r} is not allowed; allowed: {', '.join(OBJECTIVES)}")
        if worlds < 1 or threads < 1:
            raise OptionsError(f"worlds={worlds} and threads={threads} must be at least 1")
        self.name = f"pimc:worlds={worlds}" + (f",objective={objective}" if objective != "make" else "")
        self.rules, self.worlds, self.objective = rules, worlds, objective
        self.t: Tables = compile_tables(rules)[0]
        self.rollouts = Rollouts(rules, HeuristicAgent())
        self.shifts = shifts_of(worlds, SPREAD)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._local = threading.local()

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,)."""
        rows = range(len(decisions))
        choose = partial(self._choose, decisions)
        chosen = map(choose, rows) if self._pool is None else self._pool.map(choose, rows)
        return np.fromiter(chosen, np.int64, len(decisions))

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""

    def _memory(self) -> Memory:
        if not hasattr(self._local, "memory"):
            self._local.memory = Memory(self.worlds)
        memory: Memory = self._local.memory
        return memory

    def _choose(self, decisions: Decisions, i: int) -> int:
        s, me, t = decisions.views[i], int(decisions.seats[i]), self.t
        base, first, next_base, second = legal_words(s, t)
        legal = [int(base) + k for k in bits(first)] + [int(next_base) + k for k in bits(second)]
        if len(legal) == 1:
            return legal[0]
        if int(s.phase) == PLAY:
            return self._play(s, me, legal, int(decisions.keys[i]))
        return self._call_or_declare(s, me, legal, int(decisions.keys[i]))

    def _draw(self, s: Any, me: int, key: int) -> Memory:
        m = self._memory()
        draw_worlds(m.knowledge, s, self.t, me, np.uint64(key), m.ways, m.reached, m.hands, m.out)
        return m

    def _call_or_declare(self, s: Any, me: int, legal: list[int], key: int) -> int:
        t, m = self.t, self._memory()
        hands = np.zeros((max(self.worlds, PLAYED_OUT), 4), np.uint64)
        out = np.zeros(len(hands), np.uint64)
        draw_worlds(m.knowledge, s, t, me, np.uint64(key), m.ways, m.reached, hands, out)
        bidder = Bidder(t, self.rollouts, s, me, hands, key)
        if int(s.phase) == AUCTION:
            return bidder.choose_call(legal)
        specials = [a for a in legal if a < int(t.base_decl)]  # splash and plunge after the auction (f.3.7)
        choice, worth = bidder.choose_declaration([a - int(t.base_decl) for a in legal if a >= int(t.base_decl)])
        for row in specials:
            if bidder.worth_of_special(row) > worth:
                return row
        return int(t.base_decl) + choice

    def _play(self, s: Any, me: int, legal: list[int], key: int) -> int:
        t = self.t
        kind = int(t.decl_kind[s.decl])
        if int(t.claim) in legal:
            if proved(s, t):
                return int(t.claim)
            legal = [a for a in legal if a != int(t.claim)]
        if len(legal) == 1 or kind in (SEVENS, LOPER):  # equally close tiles are worth the same (a.8)
            return legal[0]
        m = self._draw(s, me, key)
        m.scratch[0] = s
        mine = me % int(t.n_sides) == int(s.bidder) % int(t.n_sides)
        self._judge(m, s, mine, kind)
        worths = {a: self._worth(m, a) for a in legal}
        best = [a for a in legal if worths[a] == max(worths.values())]
        return best[0] if len(best) == 1 else self._by_habit(s, me, best)

    def _by_habit(self, s: Any, me: int, best: list[int]) -> int:
        """Of plays that search cannot tell apart the one the heuristic would choose, if it is among them."""
        view = new_batch(1)
        view[0] = s
        none = np.zeros(1, np.uint64)
        habit = int(self.rollouts.agent.act(Decisions(self.rules, view, np.array([me]), none, none))[0])
        return habit if habit in best else best[0]

    def _judge(self, m: Memory, s: Any, mine: bool, kind: int) -> None:
        """Fill `m.score` and `m.margin` for every legal play."""
        t, scratch = self.t, m.scratch[0]
        utility = self._utility(s, kind)
        if utility is not None:
            sum_utility(m.work, t, scratch, m.hands, mine, utility, m.score, m.margin)
            return
        count_successes(m.work, t, scratch, m.hands, self.shifts, mine, m.score)
        m.margin[:] = 0
        if kind != NELLO and int(s.marks) == 0:
            add_margins(m.work, t, scratch, m.hands, mine, m.score, m.margin)

    def _utility(self, s: Any, kind: int) -> npt.NDArray[np.int64] | None:
        """What the bidder's side's points are worth to it, where the objective is not whether the contract is made."""
        t = self.t
        points = np.arange(int(t.total) + 1)
        if kind == NELLO or (self.objective == "make" and not self._is_decided(s)):
            return None
        if self.objective != "marks" or int(t.scoring) == MARKS:
            return points if self.objective != "marks" else None
        bid = int(t.call_value[s.high])
        need = int(t.total) if int(s.marks) > 0 else int(t.call_need[s.call])
        made = np.full(len(points), bid) if int(s.marks) > 0 else 2 * points - int(t.total)
        return np.where(points >= need, made, -(bid + int(t.total) - points)).astype(np.int64)

    def _is_decided(self, s: Any) -> bool:
        """Whether the contract is made or set already and is played on for points (`play_all`)."""
        t = self.t
        side = int(s.bidder) % int(t.n_sides)
        others = sum(int(s.taken[k]) for k in range(int(t.n_sides)) if k != side)
        if int(s.marks) > 0:
            return int(s.n_tricks) > int(s.won[side])
        need = int(t.call_need[s.call])
        return int(s.taken[side]) >= need or others > int(t.total) - need

    def _worth(self, m: Memory, action: int) -> tuple[int, int]:
        t = self.t
        low = action >= int(t.base_low)
        move = N_LOCAL + int(t.low_tile[action - int(t.base_low)]) if low else action - int(t.base_tile)
        return int(m.score[move]), int(m.margin[move])


def make_pimc(rules: Rules, worlds: int = 40, objective: str = "make", threads: int = 1) -> PimcAgent:
    """Factory for specs."""
    return PimcAgent(rules, worlds, objective, threads)
