"""`Texas42VectorEnv`: many one-learner tables stepped together by the compiled engine."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from texas42.envs.errors import GameOverError, OptionsError, whole_option
from texas42.envs.gym.kernels import LEARNER
from texas42.envs.gym.learner import Advance, LearnerTables, Player, Seen, seeds_and_rows
from texas42.envs.gym.spaces import action_space, observation_space, random_seed
from texas42.envs.gym.task import Task, make_task
from texas42.envs.rules.rules import Rules

Bools = npt.NDArray[np.bool_]
Info = dict[str, Any]


class Texas42VectorEnv(VectorEnv[Any, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """`num_envs` tables as of `texas42.envs.gym.single.Texas42Env`, on one batch.

    ``reset(seed=s)`` makes table i row i of seed s, the same game whatever `num_envs`; a list of seeds makes it row
    0 of its own, the same as a single environment's ``reset(seed=...)``.

    Autoreset, declared in ``metadata["autoreset_mode"]``: with ``NEXT_STEP`` (Gymnasium's default) the step that
    ends an episode returns its final observation, and the next step, whose action is not looked at, the first of
    the new one with reward 0. With ``SAME_STEP`` the first observation of the new episode is returned at once, and
    the final one is in ``infos["final_obs"][i]`` (``infos["_final_obs"]`` says where). With ``DISABLED`` ended
    tables wait for ``reset(options={"reset_mask": mask})``.

    Args:
        num_envs: number of tables.
        rules, partner, opponents, guide, options: as for the single environment. Agent objects are asked for all
            tables at once.
        autoreset_mode: see above.
        copy: False hands out views of buffers that the next step overwrites.

    Raises:
        RulesError, OptionsError: as for the single environment.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str | Mapping[str, object] = "n42pa",
        *,
        partner: Player = None,
        opponents: Player = None,
        guide: Player = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        num_envs = whole_option("num_envs", num_envs, 1, 2**31 - 1)
        if render_mode is not None:
            raise OptionsError(f"render_mode={render_mode!r}: the vector environment does not render")
        self.task: Task = make_task(rules, options)
        self.mode = _mode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.mode}
        self.num_envs, self.copy = num_envs, copy
        self.table = LearnerTables(self.task, num_envs, partner, opponents, guide)
        self.single_observation_space = observation_space(self.task, self.table)
        self.single_action_space = action_space(self.table)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seen = self.table.new_seen()
        self._begun = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, Info]:
        """Start episode 0 of the seed at every table, or, without one, every table's next episode.

        Args:
            seed: one, or a list of one for each table.
            options: ``{"reset_mask": mask}``, bool (num_envs,): only these tables go on to their next episode.

        Raises:
            OptionsError: a bad seed or option; nothing has changed.
        """
        rows = self._rows_to_reset(options)
        seeds = seeds_and_rows(seed, self.num_envs)
        if seeds is None and not self._begun:
            seeds = seeds_and_rows(random_seed(), self.num_envs)
        if seeds is None:
            self.table.begin_next(rows)
        elif len(rows) < self.num_envs:
            raise OptionsError("reset_mask goes without a seed, and with tables that have begun")
        else:
            self.table.start(*seeds)
            super().reset(seed=int(seeds[0][0]))
        self._begun = True
        seen = self.table.new_seen() if self.copy else self._seen
        self.table.observe(*seen)
        return self._shown(seen, {})

    def _rows_to_reset(self, options: Mapping[str, Any] | None) -> npt.NDArray[np.int64]:
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if options:
            raise OptionsError(f"unknown option {next(iter(options))!r}; options: reset_mask")
        if mask is None:
            return np.arange(self.num_envs)
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise OptionsError(f"reset_mask={mask!r} is not allowed; allowed: a bool array of {self.num_envs}")
        return np.flatnonzero(mask)

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Any, npt.NDArray[np.float64], Bools, Bools, Info]:
        """The learners' actions, then everybody else until every learner is to move or his episode is over.

        Returns:
            observations, rewards float64 (n,), terminated and truncated bool (n,), infos.

        Raises:
            MalformedActionError, IllegalActionError: as for the single environment; nothing was applied.
            GameOverError: before `reset`, or with ``DISABLED`` at a table that is over.
        """
        table = self.table
        if not self._begun:
            raise GameOverError("step before reset")
        over = np.flatnonzero(table.waits != LEARNER)
        if len(over) and self.mode is AutoresetMode.DISABLED:
            raise GameOverError(f"table {over[0]}: the episode is over; reset it with options={{'reset_mask': ...}}")
        seen = table.new_seen() if self.copy else self._seen
        same_step = self.mode is AutoresetMode.SAME_STEP
        result = table.advance(table.check(actions), same_step, seen)
        infos = self._final_infos(result) if same_step and len(result.ended) else {}
        observations, infos = self._shown(seen, infos)
        return observations, result.rewards, result.terminated, result.truncated, infos

    def _final_infos(self, result: Advance) -> Info:
        """``final_obs`` and ``final_info`` of the tables whose episode ended, in Gymnasium's form."""
        observations, masks = result.final or ((), ())
        here = result.terminated | result.truncated
        final = np.full(self.num_envs, None, object)
        info: Info = {}
        if self.task.mask == "obs":
            pairs = zip(observations, masks, strict=True)
            final[result.ended] = [{"observation": seen, "action_mask": mask} for seen, mask in pairs]
        else:
            for row, seen in zip(result.ended.tolist(), observations, strict=True):
                final[row] = seen
        if self.task.mask == "info":
            all_masks = np.zeros((self.num_envs, self.table.codec.n_actions), np.int8)
            all_masks[result.ended] = masks
            info = {"action_mask": all_masks, "_action_mask": here.copy()}
        return {"final_obs": final, "_final_obs": here, "final_info": info, "_final_info": here.copy()}

    def _shown(self, seen: Seen, infos: Info) -> tuple[Any, Info]:
        observations, masks = seen
        if self.task.mask == "obs":
            return {"observation": observations, "action_mask": masks}, infos
        if self.task.mask == "info":
            infos = {**infos, "action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)}
        return observations, infos

    def action_masks(self) -> Bools:
        """The learners' legal actions, bool (num_envs, n_actions); none where the episode is over."""
        return self.table.masks()

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing to release."""


def _mode(value: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(value)
    except ValueError:
        allowed = ", ".join(repr(mode.value) for mode in AutoresetMode)
        raise OptionsError(f"autoreset_mode={value!r} is not allowed; allowed: {allowed}") from None
