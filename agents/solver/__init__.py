"""The exact solver: the perfect-information value of a position and of each legal move (docs/SOLVER.md)."""

from texas42.agents.solver.position import SolverError
from texas42.agents.solver.solver import Solution, solve, solve_all, solve_batch

__all__ = ["Solution", "SolverError", "solve", "solve_all", "solve_batch"]
