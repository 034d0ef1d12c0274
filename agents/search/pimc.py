"""``pimc``: perfect-information Monte Carlo, together with hands played out.

Play: in each world the exact solver tells for each tile whether the contract is then made, all hands open; and in
twice as many worlds the hand is played out by the heuristic after each tile. The first knows every trick that
can be taken, the second what players do who see only their own tiles; the mean of both decides. Calls and
declarations: `searcher`. It plays four-player double-six 42 by any house rules.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent
from texas42.agents.search.playouts import GAIN, MADE, POINTS
from texas42.agents.search.plays import count_successes, sum_utility
from texas42.agents.search.searcher import Opinions, Searcher, move_index, policy_of, with_inference
from texas42.agents.search.worlds import Hands
from texas42.envs.errors import OptionsError
from texas42.envs.rules.declarations import NELLO
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import MARKS

OBJECTIVES = ("make", "points", "marks")
PLAYED = 2
"""Worlds played out for each that is solved."""
SOLVED_SHARE = 0.5
"""How much of the judgement is the solver's."""
POINTS_WORTH = 0.05
"""What all points of the hand are worth beside the contract."""


class PimcAgent(Searcher):
    """A player that solves and plays out every choice in many worlds.

    Args:
        rules: what it plays by; four players, double-six.
        worlds: deals solved for each play.
        objective: ``make``: probability that the contract is made, points count little; ``points``: mean points;
            ``marks``: mean score (where marks are scored, the same as ``make``).
        inference: the policy that worlds are weighted by, None for worlds all alike.
        threads: decisions of a batch are spread over this many threads.
        name: what it is called instead of its spec.

    Raises:
        OptionsError: another game, or a bad option.
    """

    def __init__(
        self,
        rules: Rules,
        worlds: int = 40,
        objective: str = "make",
        threads: int = 1,
        inference: Agent | None = None,
        *,
        name: str | None = None,
    ) -> None:
        if objective not in OBJECTIVES:
            raise OptionsError(f"objective={objective!r} is not allowed; allowed: {', '.join(OBJECTIVES)}")
        if name is None:
            name = f"pimc:worlds={worlds}" + (f",objective={objective}" if objective != "make" else "")
            name = with_inference(name, inference)
        super().__init__(name, rules, worlds, inference, threads)
        self.objective = objective

    opinion_worth = 0.0
    """What a policy's log-probability counts beside what was judged."""

    def play(self, s: Any, me: int, legal: list[int], key: int, opinion: Opinions | None) -> int:
        """The tile with the best mean of both judgements; the heuristic's, where it is as good."""
        mine = me % int(self.t.n_sides) == int(s.bidder) % int(self.t.n_sides)
        hands = self.draw(s, me, PLAYED * self.worlds, key)
        actions = np.array(legal, np.int64)
        worth = (1 - SOLVED_SHARE) * self._played(s, hands, actions, mine)
        if opinion is not None:
            worth += self.opinion_worth * opinion[actions]
        worth += SOLVED_SHARE * self._solved(s, hands[::PLAYED], actions, mine, worth / SOLVED_SHARE)
        best = [a for a, w in zip(legal, worth, strict=True) if w > worth.max() - 1e-9]
        if len(best) == 1:
            return best[0]
        habit = self.habit(s)
        return habit if habit in best else best[0]

    def _played(self, s: Any, hands: Hands, actions: npt.NDArray[np.int64], mine: bool) -> npt.NDArray[np.float64]:
        """Judged by hands played out, float64 (actions,)."""
        results = self.playouts(s, self.whole, hands, actions).mean(axis=1)
        sign = 1.0 if mine else -1.0
        if self._by_score():
            return np.asarray(results[:, GAIN] / int(self.t.total))
        if int(self.t.decl_kind[s.decl]) == NELLO:
            return np.asarray(sign * results[:, MADE])
        points = results[:, POINTS] / int(self.t.total)
        if self.objective == "points":
            return np.asarray(sign * points)
        return np.asarray(sign * (results[:, MADE] + POINTS_WORTH * points))

    def _by_score(self) -> bool:
        return self.objective == "marks" and int(self.t.scoring) != MARKS

    def _solved(
        self, s: Any, hands: Hands, actions: npt.NDArray[np.int64], mine: bool, head: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Judged by the solver, float64 (actions,); exact only for moves that can still be best beside `head`."""
        t, m = self.t, self.memory()
        m.scratch[0] = s
        utility = self._utility(s)
        if utility is None:
            m.head[[move_index(t, int(a)) for a in actions]] = head * len(hands)
            count_successes(m.work, t, m.scratch[0], hands, mine, m.head, m.score)
        else:
            sum_utility(m.work, t, m.scratch[0], hands, mine, utility, m.score)
        scale = len(hands) * (1 if utility is None else int(t.total))
        return np.array([int(m.score[move_index(t, int(a))]) for a in actions]) / scale

    def _utility(self, s: Any) -> npt.NDArray[np.int64] | None:
        """What the bidder's side's points are worth to it, where the objective is not whether the contract is made."""
        t = self.t
        points = np.arange(int(t.total) + 1)
        if int(t.decl_kind[s.decl]) == NELLO or (self.objective == "make" and not self._is_decided(s)):
            return None
        if not self._by_score():
            return points if self.objective == "points" or self._is_decided(s) else None
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


def make_pimc(
    rules: Rules, worlds: int = 40, objective: str = "make", threads: int = 1, inference: str = "heuristic"
) -> PimcAgent:
    """Factory for specs; `inference`: ``none`` or a spec."""
    return PimcAgent(rules, worlds, objective, threads, policy_of(inference, rules))
