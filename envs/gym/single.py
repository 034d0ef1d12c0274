"""`Texas42Env`: one learner's seat as a Gymnasium environment; partner and opponents play inside `step`."""

import operator
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt

from texas42.envs import rendering
from texas42.envs.engine.state import Batch
from texas42.envs.errors import GameOverError, MalformedActionError, OptionsError
from texas42.envs.gym.kernels import LEARNER
from texas42.envs.gym.learner import LearnerTables, Player, seeds_and_rows
from texas42.envs.gym.spaces import Observation, action_space, observation_space, random_seed
from texas42.envs.gym.task import Task, make_task
from texas42.envs.options import begin, legal_names, parse_options
from texas42.envs.rules.rules import Rules

RENDER_MODES = (None, "ansi", "human")
_NOWHERE = np.zeros(1, np.int64)


class RenderModeError(OptionsError, TypeError):
    """An unknown render mode; a `TypeError` too, for SB3's `make_vec_env` then tries without one."""


class Texas42Env(gymnasium.Env[Any, np.int64]):
    """The environment; ``gymnasium.make("texas42/Texas42-v0")`` makes it from agents' specs.

    A step is the learner's action and everything until he is to move again or the episode ends; its reward is
    what his side was paid meanwhile. Every decision is a step, also one with a single legal action. Infos are
    empty, but for ``action_mask`` with ``mask="info"``. A truncated game is one thrown in a thousand times in a
    row.

    Args:
        rules: a `Rules`, a preset name, a YAML path or a mapping.
        partner, opponents: agents that play the other seats; None plays uniformly at random. Without teams all
            others are opponents.
        guide: the agent that decides the phases `phases` leaves out, for every seat.
        render_mode: ``None``, ``"ansi"`` (`render` returns the table as text), ``"human"`` (it is written out
            whenever the learner is to move).
        options: the fields of `texas42.envs.gym.task.Task`: episode, reward, recall, illegal, seat, phases, mask.

    Raises:
        RulesError: `rules` name no rules.
        OptionsError: an unknown argument or a bad value.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["ansi", "human"],
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: Rules | str | Mapping[str, object] = "n42pa",
        *,
        partner: Player = None,
        opponents: Player = None,
        guide: Player = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in RENDER_MODES:
            allowed = ", ".join(map(repr, RENDER_MODES))
            raise RenderModeError(f"render_mode={render_mode!r} is not allowed; allowed: {allowed}")
        self.task: Task = make_task(rules, options)
        self.render_mode = render_mode
        self.table = LearnerTables(self.task, 1, partner, opponents, guide)
        self.observation_space = observation_space(self.task, self.table)
        self.action_space = action_space(self.table)
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start episode 0 of `seed`, or, without one, the next episode of the last seed (at first random).

        Args:
            seed: 0 to 2**64 - 1.
            options: see `texas42.envs.options.OPTIONS`.

        Raises:
            OptionsError, MalformedActionError, IllegalActionError: a bad seed or option; nothing has changed.
        """
        start = parse_options(self.task.rules, options)
        seeds = seeds_and_rows(seed, 1)
        super().reset(seed=None if seed is None else int(seed))
        if seeds is None and not self._begun:
            seeds = seeds_and_rows(random_seed(), 1)
        if options:
            self._start_at(start, seeds)
        elif seeds is not None:
            self.table.start(*seeds)
        else:
            self.table.begin_next(_NOWHERE)
        self._begun = True
        self._show()
        return self._observed()

    def _start_at(self, start: Any, seeds: Any) -> None:
        """Begin at a given position, in which the learner must have something to decide."""
        table = self.table
        s = table.states[0]
        stream = (int(s["seed"]), int(s["row"]), int(s["episode"]) + 1)
        if seeds is not None:
            stream = (int(seeds[0][0]), int(seeds[1][0]), 0)
        states: Batch = np.zeros_like(table.states)
        whole_game = self.task.episode == "game"
        begin(states, table.tables, self.task.rules, table.codec, start, stream, whole_game)
        before = table.states, table.seats.copy()
        table.states = states
        table.seat(_NOWHERE, pass_over=False)
        if table.waits[0] != LEARNER:
            table.states, table.seats = before
            raise OptionsError("options: the learner has nothing to decide from this position to the end")

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The learner's action, then everybody else until he is to move again or the episode is over.

        Raises:
            MalformedActionError: no whole number, or out of range.
            IllegalActionError: not legal now, with ``illegal="raise"``.
            GameOverError: before `reset`, or after the end.
            All of them leave the game as it was.
        """
        table = self.table
        if table.waits[0] != LEARNER:
            raise GameOverError("step without an episode in progress; call reset first")
        table.step(table.check(_one(action)))
        self._show()
        observation, info = self._observed()
        done = int(table.states["done"][0])
        return observation, float(table.pay()[0]), done == 1, done == 2, info

    def _observed(self) -> tuple[Observation, dict[str, Any]]:
        table = self.table
        observations = np.empty((1, table.layout.width), np.int8)
        masks = np.empty((1, table.codec.n_actions), np.int8)
        table.observe(observations, masks)
        if self.task.mask == "obs":
            return {"observation": observations[0], "action_mask": masks[0]}, {}
        return observations[0], {"action_mask": masks[0]} if self.task.mask == "info" else {}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool (n_actions,); none after the end. sb3-contrib asks for it.

        Raises:
            GameOverError: before `reset`.
        """
        self._must_be_on("action_masks")
        masks: npt.NDArray[np.bool_] = self.table.masks()[0]
        return masks

    def legal_actions(self) -> list[str]:
        """The learner's legal actions in record notation, in id order; none after the end.

        Raises:
            GameOverError: before `reset`.
        """
        self._must_be_on("legal_actions")
        return legal_names(self.table.states, self.table.tables, self.table.codec)

    def render(self) -> Any:
        """The table as the learner sees it, as text: returned with ``"ansi"``, written out with ``"human"``."""
        if self.render_mode is None:
            gymnasium.logger.warn("render needs a render_mode: make the environment with 'ansi' or 'human'")
            return None
        self._must_be_on("render")
        text = rendering.table_text(self.table.states[0], self.task.rules, self.table.codec)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def _must_be_on(self, what: str) -> None:
        if not self._begun:
            raise GameOverError(f"{what} before reset")

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def _one(action: Any) -> npt.NDArray[np.int64]:
    """An action as a batch of one."""
    try:
        if isinstance(action, bool | np.bool_):
            raise TypeError
        return np.array([operator.index(action)], np.int64)
    except (TypeError, OverflowError):
        raise MalformedActionError(f"action {action!r} is not a whole number") from None
