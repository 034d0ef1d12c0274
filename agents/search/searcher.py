"""What all players that search share: who may play, worlds, calls and declarations, a batch on threads."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions
from texas42.agents.heuristic.plan import build_plan
from texas42.agents.search.bidding import race
from texas42.agents.search.inference import Inference
from texas42.agents.search.playouts import GAIN, ask, call_values, try_actions
from texas42.agents.search.worlds import Hands, Memory, likely_worlds
from texas42.agents.solver.workspace import N_LOCAL
from texas42.envs.engine.claims import proved
from texas42.envs.engine.state import AUCTION, PLAY
from texas42.envs.engine.step import legal_words
from texas42.envs.errors import OptionsError
from texas42.envs.rules.declarations import LOPER, SEVENS
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import MARKS, Tables, compile_tables

BID_WORLDS = 128
"""Worlds at least in which a call or a declaration is played out."""


Opinions = npt.NDArray[np.float64]
NEARLY = 0.25
"""Marks, or hand totals, by which the heuristic may value a call less than the best for it to be looked at."""


def bits(mask: Any) -> list[int]:
    """The members of a bit set."""
    return [i for i in range(64) if int(mask) >> i & 1]


def move_index(t: Tables, action: int) -> int:
    """Where the solver's kernels (`plays`) keep the score of a play."""
    if action >= int(t.base_low):
        return N_LOCAL + int(t.low_tile[action - int(t.base_low)])
    return action - int(t.base_tile)


def with_inference(name: str, inference: Agent | None) -> str:
    """A spec with the option for any policy but the heuristic."""
    if inference is None:
        return f"{name},inference=none"
    return name if inference.name == "heuristic" else f"{name},inference={inference.name}"


def policy_of(inference: str, rules: Rules) -> Agent | None:
    """The policy that worlds are weighted by: None for ``none``, else the agent of a spec."""
    from texas42.agents.specs import make_agent

    return None if inference == "none" else make_agent(inference, rules)


def can_search(rules: Rules) -> bool:
    """Whether players that search, and advice, take these rules: four players, double-six, the usual calls."""
    game = rules.game
    return rules.seats == 4 and game.max_pip == 6 and game.copies == 1 and game.ladder == "standard"


class Searcher:
    """A player of four-player double-six 42 that judges its choices in many worlds.

    Args:
        name: what it is called.
        rules: what it plays by.
        worlds: deals that a play is judged by; calls and declarations are played out in at least `BID_WORLDS`.
        inference: the policy that worlds are weighted by, None for worlds all alike.
        threads: decisions of a batch are spread over this many threads.

    Raises:
        OptionsError: another game, or a bad number.
    """

    def __init__(self, name: str, rules: Rules, worlds: int, inference: Agent | None, threads: int) -> None:
        if not can_search(rules):
            kind = name.partition(":")[0]
            raise OptionsError(f"{kind} plays four-player double-six 42, not {rules.base!r} with {rules.seats} seats")
        if worlds < 1 or threads < 1:
            raise OptionsError(f"worlds={worlds} and threads={threads} must be at least 1")
        self.name, self.rules, self.worlds = name, rules, worlds
        self.t: Tables = compile_tables(rules)[0]
        self.plan = build_plan(rules)[0]
        self.quick: Tables = compile_tables(rules.replace(laydown="off"))[0]  # judging claims is slow
        self.whole: Tables = compile_tables(rules.replace(laydown="off", early_end="play_all"))[0]
        self.inference = Inference(rules, inference) if inference is not None else None
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._local = threading.local()

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,)."""
        rows = range(len(decisions))
        choose = partial(self._choose, decisions, self.opinions(decisions))
        chosen = map(choose, rows) if self._pool is None else self._pool.map(choose, rows)
        return np.fromiter(chosen, np.int64, len(decisions))

    def opinions(self, decisions: Decisions) -> Opinions | None:
        """What a policy says of all actions, log-probabilities float64 (n, actions), for players that have one."""
        return None

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""

    def memory(self) -> Memory:
        """The calling thread's."""
        if not hasattr(self._local, "memory"):
            self._local.memory = Memory()
        memory: Memory = self._local.memory
        return memory

    def _choose(self, decisions: Decisions, opinions: Opinions | None, i: int) -> int:
        s, me, t = decisions.views[i], int(decisions.seats[i]), self.t
        base, first, next_base, second = legal_words(s, t)
        legal = [int(base) + k for k in bits(first)] + [int(next_base) + k for k in bits(second)]
        key = int(decisions.keys[i])
        opinion = None if opinions is None else opinions[i]
        if len(legal) == 1:
            return legal[0]
        if int(s.phase) != PLAY:
            return self.call_or_declare(s, me, legal, key, opinion)
        if int(t.claim) in legal:
            if proved(s, t):
                return int(t.claim)
            legal.remove(int(t.claim))
        if len(legal) == 1 or int(t.decl_kind[s.decl]) in (SEVENS, LOPER):  # equally close tiles are alike (a.8)
            return legal[0]
        return self.play(s, me, legal, key, opinion)

    def play(self, s: Any, me: int, legal: list[int], key: int, opinion: Opinions | None) -> int:
        """The tile to play, of at least two; `opinion`: a policy's, float64 (actions,)."""
        raise NotImplementedError

    def call_or_declare(self, s: Any, me: int, legal: list[int], key: int, opinion: Opinions | None) -> int:
        """The call or declaration that gains most in hands played out."""
        legal = self._worth_a_look(s, legal) if int(s.phase) == AUCTION else legal
        if len(legal) == 1:
            return legal[0]
        n = max(BID_WORLDS, 3 * self.worlds)
        hands = self.draw(s, me, n, key)

        def attempt(actions: npt.NDArray[np.int64], first: int, last: int) -> npt.NDArray[np.float64]:
            return self.playouts(s, self.quick, hands[first:last], actions)[:, :, GAIN]

        return race(self.habit(s), legal, n, attempt)

    def _worth_a_look(self, s: Any, legal: list[int]) -> list[int]:
        """The calls that the heuristic values nearly as highly as the best."""
        values = np.empty(len(legal))
        call_values(s, self.t, self.plan, self.memory().features, np.array(legal, np.int64), values)
        unit = 1 if int(self.t.scoring) == MARKS else int(self.t.total)
        return [row for row, value in zip(legal, values, strict=True) if value > values.max() - NEARLY * unit]

    def draw(self, s: Any, me: int, n: int, key: int) -> Hands:
        """Worlds, uint64 (n, 4)."""
        return likely_worlds(self.memory(), self.t, s, me, n, key, self.inference)

    def habit(self, s: Any) -> int:
        """What the heuristic would do."""
        m = self.memory()
        m.scratch[0] = s
        return int(ask(m.scratch[0], self.t, self.plan, m.notes, m.features))

    def playouts(self, s: Any, t: Tables, hands: Hands, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """What actions come to in worlds (`try_actions`), float64 (actions, worlds, 3)."""
        m = self.memory()
        results = np.empty((len(actions), len(hands), 3))
        try_actions(s, m.scratch, t, self.plan, m.notes, m.features, hands, actions, results)
        return results
