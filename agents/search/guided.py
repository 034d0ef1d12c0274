"""``search``: ``pimc`` with the opinion of a trained policy about plays, whose calls the policy makes.

The policy knows from millions of hands what tends to work against hidden hands; the worlds show what these tiles
come to. In a play both are added up, so that few worlds move a sure policy little and an unsure one much.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions
from texas42.agents.policy import PolicyAgent
from texas42.agents.search.bidding import race
from texas42.agents.search.pimc import PimcAgent
from texas42.agents.search.playouts import GAIN
from texas42.agents.search.searcher import BID_WORLDS, Opinions, policy_of
from texas42.agents.specs import make_agent
from texas42.envs.rules.rules import Rules

OPINION = 1.0
"""Worlds that the policy's log-probability counts as: the more worlds speak, the less does the policy."""
CALLS, INFERENCE = "policy", "heuristic"
DISTANCE = 4.0
"""How far behind the favourite, in log-probability, a play may count: a policy is often surer of itself than right."""
NEAR = 1.5
"""Log-probability by which the policy may hold a call less likely than its favourite for it to be looked at."""


class SearchAgent(PimcAgent):
    """A player that searches beside a policy.

    Args:
        rules: what it plays by; four players, double-six.
        policy: the policy.
        worlds: deals solved for each play; twice as many are played out.
        weight: as how many worlds the policy's log-probability counts.
        calls: who calls and declares: ``policy``; ``pimc``; ``race``: the policy, unless a call it holds likely too
            does better in hands played out.
        inference: the policy that worlds are weighted by, None for worlds all alike.
        threads: decisions of a batch are spread over this many threads.

    Raises:
        OptionsError: another game, or a bad option.
    """

    def __init__(
        self,
        rules: Rules,
        policy: PolicyAgent,
        worlds: int = 40,
        weight: float = OPINION,
        calls: str = CALLS,
        inference: Agent | None = None,
        threads: int = 1,
    ) -> None:
        own = "policy" if inference is policy else None if inference is None else inference.name
        options = {
            "checkpoint": policy.name.partition("checkpoint:")[2] or None,
            "worlds": worlds,
            "weight": None if weight == OPINION else weight,
            "calls": None if calls == CALLS else calls,
            "inference": None if own == INFERENCE else own or "none",
        }
        name = "search:" + ",".join(f"{key}={value}" for key, value in options.items() if value is not None)
        super().__init__(rules, worlds, "make", threads, inference, name=name)
        self.policy, self.opinion_worth, self.calls = policy, weight / worlds, calls

    def opinions(self, decisions: Decisions) -> Opinions:
        """The policy's log-probabilities, float64 (n, actions), none further than `DISTANCE` behind the favourite's."""
        logs = self.policy.log_probabilities(decisions)
        return np.asarray(np.maximum(logs, logs.max(axis=1, keepdims=True) - DISTANCE))

    def call_or_declare(self, s: Any, me: int, legal: list[int], key: int, opinion: Opinions | None) -> int:
        """The call or declaration of pimc or of the policy, as `calls` says."""
        assert opinion is not None
        if self.calls == "pimc":
            return super().call_or_declare(s, me, legal, key, opinion)
        favourite = max(legal, key=lambda a: (opinion[a], -a))
        if self.calls == "policy":
            return favourite
        near = [a for a in legal if opinion[a] > opinion[favourite] - NEAR]
        if len(near) == 1:
            return favourite
        n = max(BID_WORLDS, 3 * self.worlds)
        hands = self.draw(s, me, n, key)

        def attempt(actions: npt.NDArray[np.int64], first: int, last: int) -> npt.NDArray[np.float64]:
            return self.playouts(s, self.quick, hands[first:last], actions)[:, :, GAIN]

        return race(favourite, near, n, attempt)


def make_search(
    rules: Rules,
    checkpoint: str | None = None,
    worlds: int = 40,
    weight: float = OPINION,
    calls: str = CALLS,
    inference: str = INFERENCE,
    threads: int = 1,
) -> SearchAgent:
    """Factory for specs; `checkpoint`: a file, else the player that comes with the package; `inference`: ``none``,
    ``policy`` or a spec.
    """
    policy = make_agent("pretrained" if checkpoint is None else f"checkpoint:{checkpoint}", rules)
    assert isinstance(policy, PolicyAgent)
    model = policy if inference == "policy" else policy_of(inference, rules)
    return SearchAgent(rules, policy, worlds, weight, calls, model, threads)
