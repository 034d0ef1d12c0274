"""Compiled kernels of agents: each package of kernels has its own cache folder."""

from pathlib import Path

import texas42.envs.engine as engine
import texas42.envs.rules as rules
from texas42.envs.engine.jit import KernelCompiler


def agent_kernels(name: str, *folders: Path) -> KernelCompiler:
    """A kernel decorator for an agent's package.

    Args:
        name: prefix of the cache folder, such as ``texas42-heuristic``.
        folders: the package's own folder first, then others its kernels call besides engine and rules.
    """
    floors = [Path(str(package.__file__)).resolve().parent for package in (engine, rules)]
    return KernelCompiler(name, *folders, *floors)
