"""The AEC environment with its mask elsewhere or its keys named otherwise, for libraries that look there.

    from texas42.envs.adapters.aec import adapted_env

    env = adapted_env(rules="n42pa", mask="info")
    env = adapted_env(rules="n42pa", keys=("observations", "action_mask"))
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, cast

from gymnasium.spaces import Dict

from texas42.envs.aec import Texas42AEC
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules

KEYS = ("observation", "action_mask")


class AdaptedAEC(Texas42AEC):
    """`Texas42AEC` in another form; rules, rewards and order are the same.

    Args:
        rules, options: as for `Texas42AEC`.
        mask: ``"obs"``: observations are dicts, as in `Texas42AEC`. ``"info"``: they are flat int8 arrays, and every
            agent's mask is in ``infos[agent]["action_mask"]``, from `reset` on; all zero unless it is to move.
        keys: names of the observation and of the mask in the dict, or of the mask in the info.

    Raises:
        OptionsError: a bad value.
    """

    def __init__(
        self,
        rules: Rules | str | Mapping[str, object] = "n42pa",
        *,
        mask: str = "obs",
        keys: tuple[str, str] = KEYS,
        **options: Any,
    ) -> None:
        if mask not in ("obs", "info"):
            raise OptionsError(f"mask={mask!r} is not allowed; allowed: 'obs', 'info'")
        if len(keys) != 2 or keys[0] == keys[1] or not all(isinstance(key, str) and key for key in keys):
            raise OptionsError(f"keys={keys!r} is not allowed; allowed: two different names")
        self._mask, self._keys = mask, tuple(keys)
        super().__init__(rules, **options)

    def _make_spaces(self) -> None:
        super()._make_spaces()
        for agent, space in self.observation_spaces.items():
            if self._mask == "info":
                self.observation_spaces[agent] = cast(Any, space["observation"])
            else:
                pairs = zip(self._keys, (space[key] for key in KEYS), strict=True)
                self.observation_spaces[agent] = Dict(OrderedDict(pairs))

    def observe(self, agent: str) -> Any:
        """What an agent may know; see `Texas42AEC.observe`."""
        seen = super().observe(agent)
        if self._mask == "info":
            return seen["observation"]
        return dict(zip(self._keys, seen.values(), strict=True))

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> None:
        """See `Texas42AEC.reset`."""
        super().reset(seed, options)
        self._fill_infos()

    def step(self, action: int | None) -> None:
        """See `Texas42AEC.step`."""
        super().step(action)
        self._fill_infos()

    def _fill_infos(self) -> None:
        if self._mask == "info":
            key = self._keys[1]
            self.infos = {agent: {key: super(AdaptedAEC, self).observe(agent)["action_mask"]} for agent in self.agents}


def adapted_env(**kwargs: Any) -> AdaptedAEC:
    """A new environment; takes the arguments of `AdaptedAEC`."""
    return AdaptedAEC(**kwargs)
