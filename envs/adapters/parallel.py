"""The turn-based game as a PettingZoo parallel environment, for libraries that know nothing else.

    from texas42.envs.adapters.parallel import parallel_env

    env = parallel_env(rules="n42pa", idle="noop")

PettingZoo's own `parallel_to_aec` turns it back.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import ParallelEnv

from texas42.envs.adapters.aec import AdaptedAEC
from texas42.envs.errors import GameOverError, IllegalActionError, MalformedActionError, OptionsError
from texas42.envs.rules.rules import Rules

Int8 = npt.NDArray[np.int8]


class TurnParallel(ParallelEnv):  # type: ignore[misc]
    """All agents step at once, one of them to some purpose.

    Args:
        rules, options: as for `AdaptedAEC`, its `mask` and `keys` included.
        idle: what the others may do. ``"zeros"``: their masks are all zero, and whatever they answer, or leave out, is
            not looked at. ``"noop"``: there is one more action, the last, which is the only legal one for them and
            never legal for the mover; libraries that cannot live with an empty mask want this.

    Raises:
        OptionsError: a bad value.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "texas42_parallel_v0", "render_modes": ["ansi", "human"]}

    def __init__(
        self,
        rules: Rules | str | Mapping[str, object] = "n42pa",
        *,
        idle: str = "zeros",
        mask: str = "obs",
        **options: Any,
    ) -> None:
        if idle not in ("zeros", "noop"):
            raise OptionsError(f"idle={idle!r} is not allowed; allowed: 'zeros', 'noop'")
        self.aec = AdaptedAEC(rules, mask=mask, **options)
        self.idle, self._mask = idle, mask
        self.possible_agents: list[str] = self.aec.possible_agents[:]
        self.agents: list[str] = []
        self.render_mode = self.aec.render_mode
        self.state_space = self.aec.state_space
        self.n_actions = self.aec.codec.n_actions + (idle == "noop")
        self._mask_key = self.aec._keys[1]
        self.observation_spaces = {agent: self._widened(agent) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(self.n_actions) for agent in self.possible_agents}

    def _widened(self, agent: str) -> Space[Any]:
        space = self.aec.observation_space(agent)
        if self.idle == "zeros" or not isinstance(space, Dict):
            return space
        parts = OrderedDict(space.spaces)
        parts[self._mask_key] = Box(0, 1, (self.n_actions,), np.int8)
        return Dict(parts)

    def observation_space(self, agent: str) -> Space[Any]:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The same object at every call."""
        return self.action_spaces[agent]

    @property
    def mover(self) -> str:
        """The agent whose action counts."""
        return str(self.aec.agent_selection)

    def reset(
        self, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Observations and infos of all agents; see `Texas42AEC.reset`."""
        self.aec.reset(seed, options)
        self.agents = self.possible_agents[:]
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """The mover's action; the others wait.

        Raises:
            MalformedActionError, IllegalActionError: the mover's action, or with ``idle="noop"`` another's; nothing
                was applied.
            GameOverError: no episode is in progress.
        """
        if not self.agents:
            raise GameOverError("step without an episode in progress; call reset first")
        if self.mover not in actions:
            raise MalformedActionError(f"no action of {self.mover}, who is to move")
        if self.idle == "noop":
            self._check_idle(actions)
        self.aec.step(actions[self.mover])
        agents = self.possible_agents
        results = (
            self._observations(),
            {agent: float(self.aec.rewards[agent]) for agent in agents},
            {agent: bool(self.aec.terminations[agent]) for agent in agents},
            {agent: bool(self.aec.truncations[agent]) for agent in agents},
            self._infos(),
        )
        if any(results[2].values()) or any(results[3].values()):
            self.agents = []
        return results

    def _check_idle(self, actions: Mapping[str, int]) -> None:
        noop = self.n_actions - 1
        if actions[self.mover] == noop:
            raise IllegalActionError(f"{self.mover}: waiting is not legal; it is to move")
        for agent, action in actions.items():
            if agent != self.mover and action != noop:
                raise IllegalActionError(f"{agent}: action {action!r} is not legal; it is not to move, legal: {noop}")

    def _observations(self) -> dict[str, Any]:
        seen = {agent: self.aec.observe(agent) for agent in self.possible_agents}
        if self.idle == "noop" and self._mask == "obs":
            for part in seen.values():
                part[self._mask_key] = self._with_noop(part[self._mask_key])
        return seen

    def _infos(self) -> dict[str, Any]:
        infos = {agent: dict(self.aec.infos.get(agent, {})) for agent in self.possible_agents}
        if self.idle == "noop" and self._mask == "info":
            for info in infos.values():
                info[self._mask_key] = self._with_noop(info[self._mask_key])
        return infos

    def _with_noop(self, mask: Int8) -> Int8:
        return np.append(mask, np.int8(not mask.any()))

    def state(self) -> Int8:
        """See `Texas42AEC.state`."""
        return self.aec.state()

    def render(self) -> Any:
        """See `Texas42AEC.render`."""
        return self.aec.render()

    def close(self) -> None:
        """Nothing to release."""


def parallel_env(**kwargs: Any) -> TurnParallel:
    """A new environment; takes the arguments of `TurnParallel`."""
    return TurnParallel(**kwargs)
