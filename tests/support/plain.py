"""Hands played by a fixed random policy, as a digest: run with and without compiled kernels, it must not change.

Run as a script it prints the digest of every preset named.
"""

import hashlib
import sys
import warnings

import numpy as np

from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers

PRESETS = ("open", "moon", "seventy_two", "big_game", "geezer")
RULES: dict[str, dict[str, object]] = {
    "open": {"preset": "open", "laydown": "claim", "lead_low_end": "any"},
    "moon": {"preset": "moon"},
    "seventy_two": {"preset": "seventy_two", "laydown": "proved"},
    "big_game": {"preset": "big_game"},
    "geezer": {"preset": "geezer", "opening_bidder": "holder_of_1_0"},
}
"""Between them: special contracts, widows, rounds of bids, claims, low leads."""


def digest(name: str, rows: int = 2, steps: int = 45) -> str:
    """Digest of states, observations of two seats, masks, hidden parts, views and rewards along some play."""
    game = BatchedGame(RULES[name], rows, episode="game", recall="full")
    game.reset(seed=42)
    sha = hashlib.sha256()
    actions, keys = np.empty(rows, np.int64), np.empty(rows, np.uint64)
    for number in range(steps):
        game.recall = "table" if number % 5 == 0 else "full"
        for part in (*game.observe(), *game.observe([number % 3] * rows), game.hidden(), game.views()):
            sha.update(part.tobytes())
        drivers.decision_keys(game.states, np.uint64(9), np.full(rows, number), keys)
        drivers.choose_random(game.states, game.tables, keys, actions)
        rewards, ended = game.step(actions)
        sha.update(rewards.tobytes() + ended.tobytes() + game.states.tobytes())
    return sha.hexdigest()


if __name__ == "__main__":
    warnings.simplefilter("error")
    for preset in sys.argv[1:]:
        print(preset, digest(preset), flush=True)
