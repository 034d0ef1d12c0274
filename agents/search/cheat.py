"""``cheat``: a player that sees all hands, the ceiling for players that search.

Play: exact, so that its side makes (or sets) whatever can be made against best play, with points breaking ties.
Calls: what its side would surely make with the true hands if it won the auction, by the exact solver, the best
declaration named; a bid that cannot be made costs its stake, and a pass is worth what the standing bid comes to.
It asks neither how others will go on bidding nor what mistakes they make, so it is the ceiling of sure play, not of
profit.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Decisions
from texas42.agents.search.plays import count_successes, need_of, sum_utility
from texas42.agents.search.searcher import Opinions, Searcher, bits, move_index
from texas42.agents.solver.batch import solve_closeness_state
from texas42.agents.solver.load import load_state
from texas42.agents.solver.root import decide
from texas42.envs.engine.state import AUCTION, new_batch
from texas42.envs.engine.step import apply, legal_words
from texas42.envs.errors import OptionsError
from texas42.envs.rules.declarations import LOPER, NELLO, SEVENS
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import MARKS

SURE = 1000
"""What a contract made is worth in points."""


class CheatAgent(Searcher):
    """A player that sees all hands.

    Args:
        rules: what it plays by; four players, double-six.

    Raises:
        OptionsError: another game; on `act`, views whose hands are blanked, as anywhere but in matches.
    """

    sees_all = True

    def __init__(self, rules: Rules) -> None:
        super().__init__("cheat", rules, 1, None, 1)

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,)."""
        views = decisions.views
        known = np.bitwise_or.reduce(views["hands"][:, :4], axis=1) | views["played"]
        if (known != self.t.deck_mask).any():
            raise OptionsError("cheat must see all hands: it plays in matches and tournaments, and nowhere else")
        return super().act(decisions)

    def play(self, s: Any, me: int, legal: list[int], key: int, opinion: Opinions | None) -> int:
        """The tile that keeps the contract made (or set), with most points; of several the heuristic's."""
        t, m = self.t, self.memory()
        m.scratch[0] = s
        view = m.scratch[0]
        hands = np.array(s.hands[:4], np.uint64).reshape(1, 4)
        mine = me % int(t.n_sides) == int(s.bidder) % int(t.n_sides)
        if int(t.decl_kind[s.decl]) == NELLO:
            m.head[:] = 0
            count_successes(m.work, t, view, hands, mine, m.head, m.score)
        else:
            load_state(m.work, t, view)
            points = np.arange(int(t.total) + 1)
            utility = points + SURE * (points >= int(need_of(m.work, t, view)))
            sum_utility(m.work, t, view, hands, mine, utility, m.score)
        worth = {a: int(m.score[move_index(t, a)]) for a in legal}
        best = [a for a in legal if worth[a] == max(worth.values())]
        habit = self.habit(s)
        return habit if habit in best else best[0]

    def call_or_declare(self, s: Any, me: int, legal: list[int], key: int, opinion: Opinions | None) -> int:
        """The call worth most, the highest of equals; or the declaration that makes the contract, with most points."""
        if int(s.phase) != AUCTION:
            habit = self.habit(s)
            decls = [a for a in legal if a >= int(self.t.base_decl)]
            return max(decls, key=lambda a: (self._points(s, a), a == habit))
        worth = {row: self._worth(s, me, row) for row in legal}
        if worth.get(0, -SURE) == max(worth.values()):
            return 0
        return max(legal, key=lambda row: (worth[row], row))

    def _points(self, s: Any, action: int) -> int:
        """Points of the bidder's side after a declaration, and `SURE` if the contract is made."""
        t, w = self.t, self.memory().work
        state = self._after(s, action)
        kind = int(t.decl_kind[state.decl])
        if SEVENS <= kind <= LOPER or kind == NELLO:
            return SURE * self._made(s, action)
        load_state(w, t, state)
        points = int(decide(w, -1))
        return points + SURE * (points >= int(need_of(w, t, state)))

    def _made(self, s: Any, action: int) -> bool:
        """Whether the contract is made after a declaration."""
        t, w = self.t, self.memory().work
        state = self._after(s, action)
        if SEVENS <= int(t.decl_kind[state.decl]) <= LOPER:
            return bool(solve_closeness_state(w, t, state))
        load_state(w, t, state)
        return bool(decide(w, need_of(w, t, state)) == 1)

    def _after(self, s: Any, action: int) -> Any:
        batch = new_batch(1)
        batch[0] = s
        apply(batch[0], self.t, action)
        return batch[0]

    def _worth(self, s: Any, me: int, row: int) -> int:
        """What a call is worth to the caller's side if all others pass after it; 0 where then nobody has bid."""
        t, state = self.t, self._after(s, row)
        while int(state.phase) == AUCTION and int(state.high) > 0:
            apply(state, t, 0)
        if int(state.high) == 0:
            return 0
        _, _, base, decls = legal_words(state, t)
        made = any(self._made(state, int(base) + d) for d in bits(decls))
        stake = max(int(state.marks), 1) if int(t.scoring) == MARKS else int(t.call_value[state.high])
        mine = int(state.bidder) % int(t.n_sides) == me % int(t.n_sides)
        return stake if made == mine else -stake


def make_cheat(rules: Rules) -> CheatAgent:
    """Factory for specs."""
    return CheatAgent(rules)
