"""Strangers at the learner's tables: past selves and fixed agents."""

from dataclasses import dataclass

import numpy as np
import torch

from texas42.agents.base import Agent
from texas42.agents.checkpoint import Arrays
from texas42.agents.network import Actor, from_arrays, to_arrays
from texas42.agents.policy import PolicyAgent
from texas42.agents.shape import Shape
from texas42.envs.rules.rules import Rules


@dataclass
class PastSelf:
    """The actor as it was before update `update`, and an agent that draws from it."""

    update: int
    arrays: Arrays
    agent: PolicyAgent


class League:
    """Past selves, spread evenly over the run so far, and fixed agents; strangers are drawn from all alike.

    Args:
        shape: sizes of the past selves' networks.
        rules: the rules.
        keep: how many of them are kept.
        fixed: the fixed agents.
        device: where past selves play.
    """

    def __init__(
        self, shape: Shape, rules: Rules, keep: int, fixed: tuple[Agent, ...], device: torch.device | str = "cpu"
    ) -> None:
        self.device = str(device)
        self.shape, self.rules, self.keep, self.fixed = shape, rules, keep, fixed
        self.past: list[PastSelf] = []

    def remember(self, update: int, actor: Actor) -> None:
        """Add the actor as it is now; of too many, the one with the nearest neighbours in time goes."""
        if self.keep == 0:
            return
        self._add(update, to_arrays(actor))
        if len(self.past) > self.keep:
            self.past.pop(self._most_crowded())

    def _most_crowded(self) -> int:
        times = [past.update for past in self.past]
        gaps = [times[i + 1] - times[i - 1] for i in range(1, len(times) - 1)]
        return 1 + int(np.argmin(gaps)) if gaps else 0

    def _add(self, update: int, arrays: Arrays) -> None:
        with torch.device("meta"):
            actor = Actor(self.shape, self.rules)
        from_arrays(actor, arrays)
        agent = PolicyAgent(actor, f"past:{update}", temperature=1.0, device=self.device)
        self.past.append(PastSelf(update, arrays, agent))

    def draw(self, n: int, rng: np.random.Generator) -> list[Agent]:
        """Up to `n` different strangers."""
        everyone: list[Agent] = [*self.fixed, *(past.agent for past in self.past)]
        chosen = rng.permutation(len(everyone))[:n]
        return [everyone[i] for i in chosen]

    def to_arrays(self) -> Arrays:
        """The past selves for a checkpoint, by name ``past.UPDATE.*``."""
        return {f"past.{p.update}.{name}": array for p in self.past for name, array in p.arrays.items()}

    def load(self, arrays: Arrays) -> None:
        """The inverse of `to_arrays`; other names are passed over.

        Raises:
            ValueError: names or shapes do not fit.
        """
        self.past = []
        names = [name.split(".", 2) for name in arrays if name.startswith("past.")]
        for update in sorted({int(part[1]) for part in names}):
            prefix = f"past.{update}."
            self._add(update, {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)})
