"""``ismcts``: information-set Monte Carlo tree search for the play of a hand; calls and declarations as pimc."""

from typing import Any

import numpy as np

from texas42.agents.base import Agent
from texas42.agents.search.pimc import POINTS_WORTH
from texas42.agents.search.searcher import Opinions, Searcher, policy_of, with_inference
from texas42.agents.search.tree import NODE, search_tree, visits_of
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules

EXPLORE = 0.5
MOST_WORLDS = 256
"""Worlds at most, taken in turn where iterations are more."""


class IsmctsAgent(Searcher):
    """A player that grows a tree of plays.

    Args:
        rules: what it plays by; four players, double-six.
        iterations: hands played out for each play.
        finish: who plays on from a new node: ``heuristic`` or ``random``.
        threads: decisions of a batch are spread over this many threads.
        inference: the policy that worlds are weighted by, None for worlds all alike.

    Raises:
        OptionsError: another game, or a bad number.
    """

    def __init__(
        self,
        rules: Rules,
        iterations: int = 1000,
        finish: str = "heuristic",
        threads: int = 1,
        inference: Agent | None = None,
    ) -> None:
        if iterations < 1:
            raise OptionsError(f"iterations={iterations} must be at least 1")
        name = f"ismcts:iterations={iterations}" + (f",finish={finish}" if finish != "heuristic" else "")
        worlds = min(iterations, MOST_WORLDS)
        super().__init__(with_inference(name, inference), rules, worlds, inference, threads)
        self.iterations, self.finish = iterations, finish

    def play(self, s: Any, me: int, legal: list[int], key: int, opinion: Opinions | None) -> int:
        """The play tried most often."""
        m = self.memory()
        hands = self.draw(s, me, self.worlds, key)
        nodes = np.zeros(self.iterations + 1, NODE).view(np.recarray)
        search_tree(
            s, m.scratch, self.whole, self.plan, m.notes, m.features, hands, self.iterations, EXPLORE, POINTS_WORTH,
            self.finish == "random", np.uint64(key), nodes,
        )  # fmt: skip
        visits = np.zeros(len(legal), np.int64)
        visits_of(nodes, np.array(legal, np.int64), visits)
        return legal[int(visits.argmax())]


def make_ismcts(
    rules: Rules, iterations: int = 1000, finish: str = "heuristic", threads: int = 1, inference: str = "heuristic"
) -> IsmctsAgent:
    """Factory for specs; `inference`: ``none`` or a spec."""
    return IsmctsAgent(rules, iterations, finish, threads, policy_of(inference, rules))
