"""The agent protocol: a batch of decisions in, a batch of actions out.

Protocol and question stand on the environments' floor, because environments seat players too.
"""

from collections.abc import Callable

from texas42.envs.decisions import Agent, Decisions

__all__ = ["Agent", "AgentFactory", "Decisions", "sees_all"]

AgentFactory = Callable[..., Agent]


def sees_all(agent: Agent) -> bool:
    """Whether matches show an agent all hands: its attribute `sees_all`, for yardsticks such as ``cheat``."""
    return bool(getattr(agent, "sees_all", False))
