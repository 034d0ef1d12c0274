"""The compiler of this package's kernels; they call the solver's and the heuristic's."""

from pathlib import Path

from texas42.agents.kernels import agent_kernels

_HERE = Path(__file__).resolve().parent

kernel = agent_kernels("texas42-search", _HERE, _HERE.parent / "solver", _HERE.parent / "heuristic")
