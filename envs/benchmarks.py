"""How fast the environment shells are, per CPU second of this process."""

import random
import time
from typing import Any

import numpy as np

from texas42.envs.aec import Texas42AEC
from texas42.envs.rules.rules import Rules

TURNS_A_LOOK = 256  # turns between looks at the clock


def measure_env_turns(rules: Rules | str, seconds: float = 5.0, seed: int = 0) -> dict[str, Any]:
    """The loop of PettingZoo's ``performance_benchmark``, timed in CPU seconds.

    Args:
        rules: what `Texas42AEC` takes.
        seconds: CPU time to spend.

    Returns:
        A row ``{"bench": "env", "rules", "threads", "turns_per_cpu_s", "turns", "cpu_s"}``; a turn is one
        ``last()``, one random legal action and one ``step()``, resets included.
    """
    env = Texas42AEC(rules)
    rng = random.Random(seed)
    env.reset(seed=seed)
    _turns(env, rng, TURNS_A_LOOK)  # compiles
    start = time.process_time()
    turns, spent = 0, 0.0
    while spent < seconds:
        _turns(env, rng, TURNS_A_LOOK)
        turns += TURNS_A_LOOK
        spent = time.process_time() - start
    rate = round(turns / spent)
    name = env.rules.base
    return {
        "bench": "env",
        "rules": name,
        "threads": 1,
        "turns_per_cpu_s": rate,
        "turns": turns,
        "cpu_s": round(spent, 3),
    }


def _turns(env: Texas42AEC, rng: random.Random, n: int) -> None:
    for _ in env.agent_iter(n):
        observation, _reward, terminated, truncated, _info = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        if all(env.terminations.values()) or all(env.truncations.values()):
            env.reset()
