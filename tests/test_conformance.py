"""`check_env` passes for every preset and mode, and fails for environments that break what it promises."""

import resource
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from texas42.envs import texas42_v0
from texas42.envs.aec import Texas42AEC
from texas42.envs.conformance import ConformanceError, check_env
from texas42.envs.rules.presets import PRESETS


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_conforms(preset: str) -> None:
    check_env(texas42_v0.env, rules=preset, episodes=2, resets=100)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"rules": "open", "episode": "game"},
        {"rules": "open", "reward": "points", "recall": "table"},
        {"rules": "n42pa", "episode": "game", "reward": "win"},
        {"rules": "n42pa", "illegal": "penalise"},
        {"rules": "one_forty", "illegal": "penalise", "reward": "points"},
        {"rules": "three_handed", "episode": "game", "reward": "win", "illegal": "penalise"},
        {"rules": {"preset": "players_2", "two_seats_each": True}},
        {"rules": {"preset": "seed_marks", "opening_bidder": "holder_of_1_0"}},
        {"rules": {"preset": "open", "laydown": "proved", "special_declared_at": "after"}},
        {"rules": {"preset": "moon", "players": 4}, "episode": "game"},
    ],
    ids=str,
)
def test_every_mode_conforms(kwargs: dict[str, Any]) -> None:
    check_env(texas42_v0.env, episodes=2, resets=50, **kwargs)


@pytest.mark.slow
def test_memory_stays_flat_over_100_000_resets() -> None:
    """Pitfall 13."""
    env = texas42_v0.env(rules="n42pa")
    for k in range(2_000):
        env.reset(seed=k)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for k in range(100_000):
        env.reset(seed=k)
        env.step(0)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4 * 1024, f"{grown} KiB"


class MaskForAll(Texas42AEC):
    """Shows everybody the mover's mask."""

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        seen["action_mask"] = super().observe(self.agent_selection)["action_mask"]
        return seen


class Leaky(Texas42AEC):
    """Shows the next seat's highest tile where nobody looks."""

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        other = (self.possible_agents.index(agent) + 1) % self.rules.seats
        seen["observation"][-1] = int(self._states["hands"][0, other]) >> 20 & 1
        return seen


class Buffered(Texas42AEC):
    """Hands out one buffer again and again."""

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        if not hasattr(self, "buffer"):
            self.buffer = seen
        for key, array in seen.items():
            self.buffer[key][:] = array
        return self.buffer


class OnlyMoverPaid(Texas42AEC):
    """Pays the last player only."""

    def step(self, action: int | None) -> None:
        mover = self.agent_selection
        super().step(action)
        self.rewards = {agent: reward if agent == mover else 0.0 for agent, reward in self.rewards.items()}


class NewGameOnCopy(Texas42AEC):
    """Copies like EzPickle: a new environment, and its first episode."""

    def __getstate__(self) -> dict[str, Any]:
        return {"rules": self.rules}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["rules"])  # type: ignore[misc]
        self.reset(seed=0)


class FixedSeats(Texas42AEC):
    """Says who shakes by the seat's number, not as the observer counts."""

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        piece = seen["observation"][self.layout.slice("shaker")]
        piece[:] = np.eye(self.rules.seats, dtype=np.int8)[int(self._states["shaker"][0])]
        return seen


class Unseeded(Texas42AEC):
    """Ignores the seed."""

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(None, options)


class Lenient(Texas42AEC):
    """Takes any action, and plays a legal one instead."""

    def step(self, action: int | None) -> None:
        legal = self.legal_actions()
        super().step(self.codec.parse(legal[0]) if legal and self.agents else action)


class NewSpaces(Texas42AEC):
    """Builds its spaces anew at every call."""

    def action_space(self, agent: str) -> Any:
        self._make_spaces()
        return super().action_space(agent)


class Hoarder(Texas42AEC):
    """Keeps every state it was ever in."""

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(seed, options)
        self.__dict__.setdefault("kept", []).append(self._states)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (MaskForAll, "wrong mask while player_. moves"),
        (Leaky, "shown something of tiles it cannot see"),
        (Buffered, "was changed by a later step|writing into"),
        (OnlyMoverPaid, "add up to|partners get different|is not due"),
        (NewGameOnCopy, "a copy by pickle is another game"),
        (FixedSeats, "are shown different things"),
        (Unseeded, "is not always the same|differs|deal the same"),
        (Lenient, "was accepted instead of"),
        (NewSpaces, "spaces are rebuilt"),
        (Hoarder, "bytes behind"),
    ],
)
def test_broken_environments_are_found_out(broken: Callable[..., Any], message: str) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_env(broken, rules="n42pa", episodes=8, resets=300)
