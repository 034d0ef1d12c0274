"""Spaces of the one-learner environments."""

import secrets
from collections import OrderedDict
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space

from texas42.envs.gym.learner import LearnerTables
from texas42.envs.gym.task import Task

Observation = Any
"""Flat, int8 (width,), or ``{"observation": (width,), "action_mask": (n_actions,)}``; 0 and 1."""


def observation_space(task: Task, table: LearnerTables) -> Space[Any]:
    """The space of one learner's observations."""
    flat = Box(0, 1, (table.layout.width,), np.int8)
    if task.mask != "obs":
        return flat
    mask = Box(0, 1, (table.codec.n_actions,), np.int8)
    return Dict(OrderedDict([("observation", flat), ("action_mask", mask)]))  # a plain dict would be sorted


def action_space(table: LearnerTables) -> Discrete:
    """All action ids."""
    return Discrete(table.codec.n_actions)


def random_seed() -> int:
    """A seed from the operating system."""
    return secrets.randbits(63)
