"""PettingZoo's naming: ``from texas42.envs import texas42_v0``, then ``texas42_v0.env()``."""

from texas42.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
