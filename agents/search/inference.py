"""What calls and plays tell about hidden hands: how likely a policy would have acted so, holding those hands.

What another seat did depends on what everybody saw and on its own hand, so a world is as likely as its hands are,
one by one. Every decision of a seat so far is put to the policy once for each hand that the seat has in some world,
as the seat saw it then. A policy that answers one action is taken at its word with a doubt: nobody is sure to play
like it, and what it would not have done stays possible. A trained policy tells its probabilities, and these count.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions
from texas42.agents.heuristic.agent import HeuristicAgent
from texas42.agents.heuristic.decide import decide
from texas42.agents.heuristic.plan import build_plan, new_notes
from texas42.agents.heuristic.weights import N_FEATURES
from texas42.agents.search.kernels import kernel
from texas42.envs.engine.bits import ZERO, bit
from texas42.envs.engine.deal import open_hand
from texas42.envs.engine.state import AUCTION, DECLARE, MAX_CALLS, MAX_PLAYS, Batch, new_batch
from texas42.envs.engine.step import apply
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import Tables, compile_tables

Floats = npt.NDArray[np.float64]
Masks = npt.NDArray[np.uint64]
MOST = MAX_CALLS + 2 + MAX_PLAYS
"""Decisions in a hand at most: calls in several rounds, a special and a declaration, plays."""
OTHER_BID, OTHER_KIND, OTHER_DECLARATION, OTHER_PLAY = 0.4, 0.1, 0.3, 0.4
"""How likely an action is, against the one the policy would take: another bid than its bid; a bid for a pass or a
pass for a bid; another declaration; another play."""


DOUBT = 0.1
"""How far a policy that tells its probabilities is not taken at its word: this share of them is spread evenly."""


@runtime_checkable
class SoftAgent(Protocol):
    """A policy that tells how likely it would take each action."""

    def log_probabilities(self, decisions: Decisions) -> Floats:
        """Of all actions, float64 (n, actions)."""
        ...


@kernel
def played_by(view: Any, seat: Any, first: Any) -> Any:
    """What a seat has played from play number `first` on."""
    tiles = ZERO
    for i in range(first, view.n_plays):
        if view.players[i] == seat:
            tiles |= bit(view.plays[i])
    return tiles


@kernel
def note(view: Any, s: Any, t: Any, me: Any, action: Any, n: Any, states: Any, seats: Any, actions: Any) -> Any:
    """Keep the decision that `action` answers, if it is another seat's than `me`, and apply it.

    What is kept shows no hand but what the mover has played since.
    """
    if s.cur != me:
        states[n] = s
        for seat in range(4):
            states[n].hands[seat] = states[n].dealt[seat] = ZERO
        states[n].hands[s.cur] = played_by(view, s.cur, s.n_plays)
        states[n].dealt[s.cur] = played_by(view, s.cur, 0)
        seats[n], actions[n] = s.cur, action
        n += 1
    apply(s, t, action)
    return n


@kernel
def rebuild(view: Any, scratch: Any, t: Any, me: Any, states: Any, seats: Any, actions: Any) -> Any:
    """The decisions of the other seats in this hand so far; returns how many there are.

    `states`, `seats`, `actions`: room for `MOST` of them. `scratch`: one state.
    """
    scratch[0] = view
    s = scratch[0]
    s.whole_game = 0
    for seat in range(4):
        s.hands[seat] = played_by(view, seat, 0)
    open_hand(s, t)
    s.opener = s.cur = view.opener
    n = 0
    for i in range(view.n_calls):
        n = note(view, s, t, me, np.int64(view.calls[i]), n, states, seats, actions)
    if view.special > 0 and t.special_after == 1:
        n = note(view, s, t, me, np.int64(view.special), n, states, seats, actions)
    if view.decl >= 0:
        n = note(view, s, t, me, np.int64(t.base_decl + view.decl), n, states, seats, actions)
    for i in range(view.n_plays):
        tile = np.int64(view.plays[i])
        low = s.pos == 0 and (view.low_leads >> s.n_tricks) & 1 == 1
        action = np.int64(t.base_low + t.low_index[tile]) if low else np.int64(t.base_tile + tile)
        n = note(view, s, t, me, action, n, states, seats, actions)
    return n


@kernel
def give_hands(states: Any, seat: Any, hands: Any, views: Any) -> None:
    """Every one of some decisions of a seat with each of some hands: ``views[d * len(hands) + h]``."""
    n = len(hands)
    for d in range(len(states)):
        for h in range(n):
            views[d * n + h] = states[d]
            views[d * n + h].hands[seat] |= hands[h]
            views[d * n + h].dealt[seat] |= hands[h]


@kernel
def surprise_of(s: Any, seen: Any, answer: Any, surprise: Any) -> Any:
    """Logarithm of the likelihood of an action where the policy would take another."""
    if seen == answer:
        return 0.0
    if s.phase == AUCTION:
        return surprise[1] if seen == 0 or answer == 0 else surprise[0]
    return surprise[2] if s.phase == DECLARE else surprise[3]


@kernel
def heuristic_logs(
    states: Any, seats: Any, actions: Any, n: Any, hands: Any, t: Any, p: Any, k: Any, out: Any,
    held: Any, hand_logs: Any, surprise: Any, logs: Any,
) -> None:  # fmt: skip
    """Add to `logs` (float64, (worlds,)) what the heuristic makes of `n` rebuilt decisions, without copies of them.

    `k`, `out`: the heuristic's scratch; `held` (uint64), `hand_logs` (float64): room for as many hands as worlds.
    """
    for seat in range(4):
        count = 0
        for i in range(len(hands)):
            h = 0
            while h < count and held[h] != hands[i, seat]:
                h += 1
            if h == count:
                held[h] = hands[i, seat]
                hand_logs[h] = 0.0
                for d in range(n):
                    if seats[d] == seat:
                        s = states[d]
                        later, dealt = s.hands[seat], s.dealt[seat]
                        s.hands[seat], s.dealt[seat] = later | held[h], dealt | held[h]
                        answer = decide(s, t, p, k, False, out)
                        s.hands[seat], s.dealt[seat] = later, dealt
                        hand_logs[h] += surprise_of(s, actions[d], answer, surprise)
                count += 1
            logs[i] += hand_logs[h]


class Room:
    """Working memory of one thread."""

    def __init__(self) -> None:
        self.notes = new_notes()[0]
        self.features = np.zeros(N_FEATURES)
        self.scratch = new_batch(1)
        self.states = new_batch(MOST)
        self.seats = np.zeros(MOST, np.int64)
        self.actions = np.zeros(MOST, np.int64)
        self._views = new_batch(256)

    def views(self, n: int) -> Batch:
        """Room for `n` views."""
        if len(self._views) < n:
            self._views = new_batch(2 * n)
        return self._views[:n]


class Inference:
    """Likelihoods of worlds under a policy.

    Args:
        rules: four-player rules without a widow, one set of tiles.
        agent: the policy; its answers must be pure functions of the view (and the key, which is 0 here).

    Raises:
        OptionsError: other rules.
    """

    def __init__(self, rules: Rules, agent: Agent) -> None:
        self.t: Tables = compile_tables(rules)[0]
        if int(self.t.widow_size) > 0 or rules.seats != 4 or rules.game.copies != 1:
            raise OptionsError(f"inference is for four players with one set and no widow, not for {rules.base!r}")
        self.rules, self.agent = rules, agent
        quick = isinstance(agent, HeuristicAgent) and not agent.passer
        self.plan = build_plan(rules)[0] if quick else None
        self.surprise = np.log([OTHER_BID, OTHER_KIND, OTHER_DECLARATION, OTHER_PLAY])

    def logs(self, view: Any, me: int, hands: Masks, room: Room | None = None) -> Floats:
        """Logarithms of the likelihoods, 0 where all was done as the policy would, float64 (n,).

        Args:
            view: what seat `me` sees, one record.
            me: the seat; its own decisions do not count.
            hands: what the seats hold now in each world, uint64 (n, 4).
            room: working memory, of the calling thread alone.
        """
        r = room or Room()
        logs = np.zeros(len(hands))
        n = int(rebuild(view, r.scratch, self.t, me, r.states, r.seats, r.actions))
        if self.plan is not None:
            held, hand_logs = np.empty(len(hands), np.uint64), np.empty(len(hands))
            heuristic_logs(
                r.states, r.seats, r.actions, n, hands, self.t, self.plan, r.notes, r.features,
                held, hand_logs, self.surprise, logs,
            )  # fmt: skip
            return logs
        for seat in range(4):
            own = np.flatnonzero(r.seats[:n] == seat)
            if len(own):
                held, which = np.unique(hands[:, seat], return_inverse=True)
                logs += self._seat_logs(r, seat, own, held)[which]
        return logs

    def _seat_logs(self, r: Room, seat: int, own: npt.NDArray[np.int64], held: Masks) -> Floats:
        """The same for each hand that one seat may have, float64 (hands,)."""
        shape = (len(own), len(held))
        count = shape[0] * shape[1]
        views = r.views(count)
        give_hands(r.states[own], seat, held, views)
        none = np.zeros(count, np.uint64)
        decisions = Decisions(self.rules, views, np.full(count, seat), none, none)
        seen = r.actions[own][:, None]
        if isinstance(self.agent, SoftAgent):
            logs = self.agent.log_probabilities(decisions)[np.arange(count), np.repeat(r.actions[own], len(held))]
            doubted = np.log((1 - DOUBT) * np.exp(logs) + DOUBT / decisions.masks.sum(axis=1))
            return np.asarray(doubted.reshape(shape).sum(axis=0))
        answers = self.agent.act(decisions).reshape(shape)
        phases = r.states["phase"][own][:, None]
        calls = np.where((seen == 0) | (answers == 0), self.surprise[1], self.surprise[0])
        others = np.where(phases == DECLARE, self.surprise[2], self.surprise[3])
        logs = np.where(phases == AUCTION, calls, others)
        return np.asarray(np.where(answers == seen, 0.0, logs).sum(axis=0))

    def __call__(self, worlds: Any) -> Floats:
        """The likelihoods of `Worlds`, for the `weigh` of `sample_worlds`, float64 (n,)."""
        return np.asarray(np.exp(self.logs(worlds.view[0], worlds.seat, worlds.hands)))
