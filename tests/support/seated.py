"""The Roberson deal of RULES.md (d) as an AEC environment, and short ways to play on."""

import random
from typing import Any

import numpy as np

from texas42.envs import texas42_v0
from texas42.envs.aec import Texas42AEC

# RULES.md (d), examples 14 to 21: seat 0 shakes, bids 32 after three passes and names ones.
DEAL = [
    "6-4 6-0 4-3 3-2 1-1 6-1 4-1",
    "6-5 5-3 5-1 5-0 2-2 2-0 2-1",
    "5-5 5-4 4-4 4-2 4-0 3-1 0-0",
    "6-6 6-3 6-2 5-2 3-3 3-0 1-0",
]
AUCTION = "PASS PASS PASS P32 PIP1"
TRICKS = (
    "1-1 2-1 3-1 1-0  6-1 5-1 5-5 3-0  6-0 6-5 4-0 6-2  2-2 4-2 5-2 3-2  "
    "5-3 5-4 6-6 4-1  6-4 2-0 0-0 6-3  4-3 5-0 4-4 3-3"
)


def seated(actions: str = "", **kwargs: Any) -> Texas42AEC:
    """The Roberson deal after some actions, which are steps of the environment."""
    options = {"shaker": 0, "hands": DEAL, **kwargs.pop("options", {})}
    env = texas42_v0.env(**kwargs)
    env.reset(seed=0, options=options)
    return play(env, actions)


def play(env: Texas42AEC, actions: str) -> Texas42AEC:
    for name in actions.split():
        env.step(env.codec.parse(name))
    return env


def tiles(env: Texas42AEC, row: Any) -> set[str]:
    """The tiles of a row of an observation."""
    return {env.codec.names[env.codec.bases[3] + int(i)] for i in np.flatnonzero(row)}


def play_random(env: Texas42AEC, rng: random.Random) -> None:
    """Random legal actions to the end of the episode."""
    while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
        env.step(env.codec.parse(rng.choice(env.legal_actions())))
