"""Stable-Baselines3 on the batched engine: a `VecEnv` over `Texas42VectorEnv`.

    import gymnasium, texas42
    from texas42.envs.adapters.sb3 import SB3VecEnv

    env = SB3VecEnv(gymnasium.make_vec("texas42/Texas42-v0", 256, mask="method"))

Needs stable-baselines3 (the extra ``train``).
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import VectorEnv
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from texas42.envs.errors import OptionsError
from texas42.envs.gym.vector import Texas42VectorEnv

Indices = None | int | Iterable[int]


class SB3VecEnv(VecEnv):
    """The tables of a vector environment, in SB3's form.

    Ended tables begin anew in the same step; the final observation is in ``infos[i]["terminal_observation"]``, and
    the episode's return and length in ``infos[i]["episode"]``, as SB3's `Monitor` writes them. Masks reach
    sb3-contrib through ``env_method("action_masks")``. ``seed(s)`` makes table i row i of seed s.

    Args:
        venv: a fresh `Texas42VectorEnv`; this adapter steps its tables itself, whatever its autoreset mode.

    Raises:
        OptionsError: another kind of environment.
    """

    def __init__(self, venv: VectorEnv[Any, Any, Any]) -> None:
        table_env = venv.unwrapped
        if not isinstance(table_env, Texas42VectorEnv):
            raise OptionsError(f"SB3VecEnv needs a Texas42VectorEnv, not {type(table_env).__name__}")
        self.venv = table_env
        self.table = table_env.table
        super().__init__(
            table_env.num_envs, table_env.single_observation_space, table_env.single_action_space
        )
        self._actions: npt.NDArray[np.int64] = np.zeros(self.num_envs, np.int64)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._seed: int | None = None
        self._started = time.time()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The seed of the next `reset`."""
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> Any:
        """First observations of new episodes."""
        observations, _ = self.venv.reset(seed=self._seed)
        self._seed = None
        self._returns[:], self._lengths[:] = 0.0, 0
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the actions for `step_wait`; checked there."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Observations, rewards float32 (n,), dones bool (n,), infos.

        Raises:
            MalformedActionError, IllegalActionError: nothing was applied.
        """
        seen = self.table.new_seen()
        result = self.table.advance(self.table.check(self._actions), True, seen)
        self._returns += result.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if result.final is not None:
            for k, row in enumerate(result.ended.tolist()):
                infos[row] = {
                    "terminal_observation": self._one(result.final[0][k], result.final[1][k]),
                    "TimeLimit.truncated": bool(result.truncated[row]),
                    "episode": self._episode(row),
                }
        self._returns[result.ended], self._lengths[result.ended] = 0.0, 0
        dones = result.terminated | result.truncated
        observations = self._one(*seen)
        return observations, result.rewards.astype(np.float32), dones, infos

    def _one(self, observation: Any, mask: Any) -> Any:
        if self.venv.task.mask == "obs":
            return {"observation": observation, "action_mask": mask}
        return observation

    def _episode(self, row: int) -> dict[str, float]:
        elapsed = round(time.time() - self._started, 6)
        return {"r": float(self._returns[row]), "l": int(self._lengths[row]), "t": elapsed}

    def close(self) -> None:
        """Nothing to release."""
        self.venv.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the vector environment, once for each table."""
        return [getattr(self.venv, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refused: the tables share their settings."""
        raise AttributeError(f"{attr_name!r} cannot be set: the tables share their settings")

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """Only ``action_masks``: bool (n_actions,) for each table."""
        if method_name != "action_masks":
            raise AttributeError(f"no method {method_name!r} of single tables; there is: action_masks")
        masks = self.venv.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """True for `Monitor`, whose part in the infos is played here."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]
