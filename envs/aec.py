"""`texas42_v0`: the game as a PettingZoo AEC environment, a thin shell over the compiled engine.

The shell holds no rules. One record holds the game; a step is one kernel call, an observation another.
"""

import operator
import secrets
import sys
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from pettingzoo import AECEnv

from texas42.envs import rendering
from texas42.envs.engine import drivers
from texas42.envs.engine.state import OVER, Batch, new_batch
from texas42.envs.errors import GameOverError, IllegalActionError, MalformedActionError, OptionsError, whole_option
from texas42.envs.options import begin, legal_names, parse_options, tile_names
from texas42.envs.rules.codec import Codec, build_codec
from texas42.envs.rules.layout import Layout, build_layout
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.envs.rules.tables import compile_tables

Int8 = npt.NDArray[np.int8]
Observation = dict[str, Int8]
"""``{"observation": int8 (width,), "action_mask": int8 (n_actions,)}``, fresh arrays of 0 and 1."""

REWARDS = ("score", "points", "win")
_RECORD = new_batch(1).dtype  # a plain array of it passes to kernels faster than a recarray
_REBUILT = ("codec", "layout", "_tables")


class Texas42AEC(AECEnv):  # type: ignore[misc]
    """The AEC environment; make it with `env` or ``texas42.make("texas42_v0")``.

    Args:
        rules: a `Rules`, a preset name, a YAML path or a mapping.
        episode: ``"hand"``, or ``"game"`` to play on to the target.
        reward: ``"score"``: in the step that ends a hand, each agent gets its side's score change minus the
            mean of the other sides', in marks or points. ``"points"``: the same with the points taken in the
            hand, divided by the hand's total. ``"win"``: at the end of a game the winning sides share +1 and
            the others -1, and every seat gets its side's part.
        recall: ``"full"``, or ``"table"``: observations leave out the won tricks that the rules turn down.
        illegal: ``"raise"``, or ``"penalise"``: an illegal action ends the episode as if the other sides had
            scored one mark (the hand total in points games, `min_bid` in signed ones).
        render_mode: ``None``, ``"ansi"`` (`render` returns text), ``"human"`` (it writes out every position).

    Attributes:
        rules, codec, layout: the game, the names of its actions, the pieces of its observation.

    Raises:
        RulesError: `rules` name no rules.
        OptionsError: a bad value of another argument.
    """

    metadata = {  # noqa: RUF012 (PettingZoo wants a plain class attribute)
        "name": "texas42_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: Rules | str | Mapping[str, object] = "n42pa",
        *,
        episode: str = "hand",
        reward: str = "score",
        recall: str = "full",
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        self.rules: Rules = resolve_rules(rules)
        self.episode = _one_of("episode", episode, ("hand", "game"))
        self.reward = _one_of("reward", reward, REWARDS)
        self.recall = _one_of("recall", recall, ("full", "table"))
        self.illegal = _one_of("illegal", illegal, ("raise", "penalise"))
        self.render_mode = _one_of("render_mode", render_mode, (None, "ansi", "human"))
        if reward == "win" and episode == "hand":
            raise OptionsError("reward='win' is not allowed with episode='hand'; allowed: 'score', 'points'")
        n_agents = self.rules.players if self.rules.two_seats_each else self.rules.seats
        self.possible_agents: list[str] = [f"player_{i}" for i in range(n_agents)]
        self._index = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._payment = REWARDS.index(reward)
        self._hides = recall == "table"
        self._states: Batch = np.zeros(1, _RECORD)
        self._paid = np.zeros(self.rules.seats)
        self._seed: int | None = None
        self._history: list[int] = []
        self._mover = -1
        self._was_paid = False
        self._rebuild()
        self._make_spaces()
        self._no_agents()

    def _rebuild(self) -> None:
        self.codec: Codec = build_codec(self.rules)
        self.layout: Layout = build_layout(self.rules, self.codec)
        self._width, self._n_actions = self.layout.width, self.codec.n_actions
        self._tables = compile_tables(self.rules).view(np.ndarray)

    def _make_spaces(self) -> None:
        width, n_actions = self._width, self._n_actions
        self.observation_spaces = {agent: _observation_space(width, n_actions) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(n_actions) for agent in self.possible_agents}
        self.state_space = Box(0, 1, (width + self.layout.hidden_width + self.rules.seats,), np.int8)

    def _no_agents(self) -> None:
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """The game as it stands; what follows from the rules is made anew."""
        return {name: value for name, value in self.__dict__.items() if name not in _REBUILT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rebuild()

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """``Dict(observation, action_mask)``, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """``Discrete(n_actions)``, the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> None:
        """Start episode 0 of `seed`, or, without one, the next episode of the last seed (at first random).

        Args:
            seed: 0 to 2**64 - 1.
            options: see `texas42.envs.options.OPTIONS`.

        Raises:
            OptionsError, MalformedActionError, IllegalActionError: a bad seed or option; nothing has changed.
        """
        start = parse_options(self.rules, options)
        stream = self._next_stream(seed)
        states: Batch = np.zeros(1, _RECORD)
        whole_game = self.episode == "game"
        self._history = begin(states, self._tables, self.rules, self.codec, start, stream, whole_game)
        self._states, self._seed = states, stream[0]
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._was_paid, self._skip_agent_selection = False, None
        self._turn_to(int(states["cur"][0]))
        self._show()

    def _next_stream(self, seed: int | None) -> tuple[int, int, int]:
        """(seed, row, episode) of the episode that `reset` starts."""
        if seed is None and self._seed is not None:
            state = self._states[0]
            return int(state["seed"]), int(state["row"]), (int(state["episode"]) + 1) % 2**64
        if seed is None:
            return secrets.randbits(63), 0, 0
        return whole_option("seed", seed, 0, 2**64 - 1), 0, 0

    def _turn_to(self, mover: int) -> None:
        self._mover = mover
        if mover >= 0:
            self.agent_selection = self.possible_agents[mover % len(self.possible_agents)]

    def step(self, action: int | None) -> None:
        """Apply the action of `agent_selection`; ``None`` removes an agent whose episode is over.

        Raises:
            MalformedActionError: no whole number, or out of range.
            IllegalActionError: not legal now, with ``illegal="raise"``.
            GameOverError: before `reset`, or an action after the end.
            All of them leave the game as it was.
        """
        agent = self.agent_selection
        if self._mover < 0:
            self._step_dead(agent, action)
            return
        index = self._checked(action)
        happened, mover = drivers.take_action(self._states, self._tables, index, self._payment, self._paid)
        if happened == drivers.ILLEGAL:
            self._refuse(agent, index)
            return
        self._cumulative_rewards[agent] = 0.0
        if happened == drivers.GOES_ON:
            self._history.append(index)
            if self._was_paid:
                self._pay(None)
        else:
            self._history = []
            self._pay(self._paid.tolist())
            if happened != drivers.HAND_ENDED:
                self._end(truncated=happened == drivers.TRUNCATED)
        self._turn_to(mover)
        self._show()

    def _checked(self, action: object) -> int:
        try:
            index = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            index = -1
        if isinstance(action, bool) or not 0 <= index < self._n_actions:
            allowed = f"a whole number from 0 to {self._n_actions - 1}"
            raise MalformedActionError(f"{self.agent_selection}: action {action!r} is not {allowed}")
        return index

    def _step_dead(self, agent: str, action: object) -> None:
        if not self.agents:
            raise GameOverError("step without an episode in progress; call reset first")
        if action is not None:
            raise GameOverError(f"{agent}: the episode is over; step(None) removes the agent, reset starts anew")
        self.rewards = dict(self.rewards)  # PettingZoo empties the dict in place
        self._was_dead_step(None)

    def _refuse(self, agent: str, index: int) -> None:
        """An illegal action: an error, or the end of the episode at the cost of the mover's side."""
        if self.illegal == "raise":
            legal = ", ".join(self.legal_actions())
            raise IllegalActionError(f"{agent}: {self.codec.name(index)} is not legal; legal: {legal}")
        self._cumulative_rewards[agent] = 0.0
        self._pay(self._penalty(self.rules.side_of(self._mover)))
        for field, value in (("done", 1), ("phase", OVER), ("cur", -1), ("hand_over", 0)):
            self._states[field] = value
        self._end(truncated=False)
        self._turn_to(-1)
        self._show()

    def _penalty(self, offender: int) -> list[float]:
        """Rewards by seat as if every side but `offender` had scored (see `illegal`)."""
        sides = self.rules.sides
        unit = {"marks": 1, "points": self.rules.total, "signed_points": self.rules.min_bid}[self.rules.scoring]
        amount = {"score": float(unit), "points": 1.0, "win": 1 / (sides - 1)}[self.reward]
        scored = np.full(sides, amount)
        scored[offender] = -1.0 if self.reward == "win" else 0.0
        by_side = scored if self.reward == "win" else scored - (scored.sum() - scored) / (sides - 1)
        return [float(by_side[self.rules.side_of(seat)]) for seat in range(self.rules.seats)]

    def _pay(self, by_seat: list[float] | None) -> None:
        """Set the rewards of this step, and add them up for `last`."""
        self._was_paid = by_seat is not None
        if by_seat is None:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            return
        self.rewards = dict(zip(self.agents, by_seat, strict=False))  # of two seats each, the first stands for both
        self._accumulate_rewards()

    def _end(self, *, truncated: bool) -> None:
        """All agents end together."""
        self._history = []
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """What an agent may know, at any time after `reset`; the mask is all zero unless it is to move.

        With ``two_seats_each`` an agent sees both its hands, from its seat to move, else from its first seat.
        """
        if self._seed is None:
            raise GameOverError("observe before reset")
        observation = np.empty(self._width, np.int8)
        mask = np.empty(self._n_actions, np.int8)
        drivers.observe_seat(self._states, self._tables, self._seat(agent), self._hides, observation, mask)
        return {"observation": observation, "action_mask": mask}

    def _seat(self, agent: str) -> int:
        index = self._index.get(agent)
        if index is None:
            raise ValueError(f"unknown agent {agent!r}; agents: {', '.join(self.possible_agents)}")
        if self._mover % len(self._index) == index and self._mover >= 0:
            return self._mover
        return index

    def state(self) -> Int8:
        """Everything, for a centralised critic; int8 of 0 and 1, in `state_space`.

        Seat 0's observation with full recall, the other hands, the widow and the discards, who is to move.
        """
        if self._seed is None:
            raise GameOverError("state before reset")
        out = np.empty(self.state_space.shape, np.int8)
        drivers.full_state(self._states, self._tables, out)
        return out

    def legal_actions(self) -> list[str]:
        """The legal actions of the agent to move in record notation, in id order; empty after the end.

        Raises:
            GameOverError: before `reset`.
        """
        if self._seed is None:
            raise GameOverError("legal_actions before reset")
        return legal_names(self._states, self._tables, self.codec)

    def position(self) -> dict[str, Any]:
        """The options with which ``reset(options=...)`` comes back to this decision, all hands included.

        Raises:
            GameOverError: no decision is due.
        """
        if self._mover < 0:
            raise GameOverError("there is no position: the episode is over, or was never begun")
        s = self._states[0]
        return {
            "shaker": int(s["shaker"]),
            "scores": [int(score) for score in s["scores"][: self.rules.sides]],
            "hands": [tile_names(self.rules, int(mask)) for mask in s["dealt"][: self.rules.seats]],
            "widow": tile_names(self.rules, int(s["widow"])),
            "actions": [self.codec.names[action] for action in self._history],
            "stream": [int(s[name]) for name in ("seed", "row", "episode", "hand_no")],
        }

    def render(self, *, show_all: bool = False) -> str | None:
        """The table as text: returned with ``render_mode="ansi"``, written out with ``"human"``.

        Shows the hand of the seat to move; with `show_all` every hand.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render needs a render_mode: make the environment with 'ansi' or 'human'")
            return None
        if self._seed is None:
            raise GameOverError("render before reset")
        text = rendering.table_text(self._states[0], self.rules, self.codec, show_all=show_all)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Nothing to release."""


def _observation_space(width: int, n_actions: int) -> gymnasium.spaces.Dict:
    """An ordered mapping: a plain one would be sorted, and the mask come first."""
    pieces = [
        ("observation", Box(0, 1, (width,), np.int8)),
        ("action_mask", Box(0, 1, (n_actions,), np.int8)),
    ]
    return gymnasium.spaces.Dict(OrderedDict(pieces))


def _one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    if value not in allowed:
        raise OptionsError(f"{name}={value!r} is not allowed; allowed: {', '.join(map(repr, allowed))}")
    return value


def raw_env(**kwargs: Any) -> Texas42AEC:
    """A new environment; takes the arguments of `Texas42AEC`."""
    return Texas42AEC(**kwargs)


env = raw_env
"""The same: the environment checks actions and order itself, so it needs no wrappers."""
