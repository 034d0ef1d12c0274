"""Gymnasium environments: one learner at the table, everybody else plays inside `step`."""

from texas42.envs.gym.single import Texas42Env
from texas42.envs.gym.task import Task
from texas42.envs.gym.vector import Texas42VectorEnv

__all__ = ["Task", "Texas42Env", "Texas42VectorEnv"]
