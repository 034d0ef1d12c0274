"""The heuristic and the passer as agents."""

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Decisions
from texas42.agents.heuristic.decide import decide_batch
from texas42.agents.heuristic.plan import build_plan, new_notes
from texas42.envs.rules.rules import Rules


class HeuristicAgent:
    """Plays by hand-written rules; a pure function of the view, without randomness.

    Args:
        passer: pass unless forced, then bid the least; declaration and play are the same.
    """

    def __init__(self, passer: bool = False) -> None:
        self.name = "passer" if passer else "heuristic"
        self.passer = passer

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,)."""
        out = np.empty(len(decisions), np.int64)
        plan = build_plan(decisions.rules)[0]
        decide_batch(decisions.views, decisions.tables, plan, new_notes()[0], self.passer, out)
        return out

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""


def make_heuristic(rules: Rules) -> HeuristicAgent:
    """Factory for specs."""
    return HeuristicAgent()


def make_passer(rules: Rules) -> HeuristicAgent:
    """Factory for specs."""
    return HeuristicAgent(passer=True)
