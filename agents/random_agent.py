"""The random player: every legal action alike."""

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Decisions
from texas42.envs.engine import drivers
from texas42.envs.rules.rules import Rules


class RandomAgent:
    """Chooses uniformly among the legal actions, from the decision's key alone."""

    name = "random"

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,)."""
        out = np.empty(len(decisions), np.int64)
        drivers.choose_random(decisions.views, decisions.tables, decisions.keys, out)
        return out

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""


def make_random(rules: Rules) -> RandomAgent:
    """Factory for specs; the player plays by any rules."""
    return RandomAgent()
