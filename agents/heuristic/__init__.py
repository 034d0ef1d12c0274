"""The heuristic player: compiled kernels that bid, declare and play from a view (docs/HEURISTIC.md)."""

from texas42.agents.heuristic.agent import HeuristicAgent

__all__ = ["HeuristicAgent"]
