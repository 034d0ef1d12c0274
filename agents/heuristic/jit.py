"""The decorator of this package's kernels."""

from pathlib import Path

from texas42.agents.kernels import agent_kernels

kernel = agent_kernels("texas42-heuristic", Path(__file__).resolve().parent)
