"""The agent protocol: a batch of decisions in, a batch of actions out.

Protocol and question stand on the environments' floor, because environments seat players too.
"""

from collections.abc import Callable

from texas42.envs.decisions import Agent, Decisions

__all__ = ["Agent", "AgentFactory", "Decisions"]

AgentFactory = Callable[..., Agent]
