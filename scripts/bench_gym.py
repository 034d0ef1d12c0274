"""Speed of the Gymnasium environments, in learner steps per CPU second of the process.

    python scripts/bench_gym.py [--json FILE]

A learner step is one decision of the learner with all that the other seats do after it; steps in which a table only
begins its next episode are not counted. Observations and masks are written at every step, final observations too where
an episode ends in the same step. Choosing the learner's actions is not measured. Every row gives the best of several
windows and their median.
"""

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

import texas42  # noqa: F401 (registers the tasks)

TASK = "texas42/Texas42-v0"
Row = dict[str, Any]


def measure_vector(players: str, mode: str, tables: int = 1024, steps: int = 25, windows: int = 20) -> Row:
    """The vector environment with `players` in the other seats."""
    env: Any = gymnasium.make_vec(TASK, tables, partner=players, opponents=players, autoreset_mode=mode)
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    rates = []
    for _ in range(windows + 2):  # the first compile and warm up
        spent, taken = 0, 0
        for _ in range(steps):
            masks = env.action_masks()
            actions = random_legal(masks, rng)
            taken += int(masks.any(1).sum())
            start = time.process_time_ns()
            env.step(actions)
            spent += time.process_time_ns() - start
        rates.append(taken / spent * 1e9)
    what = {"bench": "gym_vector", "players": players, "tables": tables, "autoreset_mode": mode}
    return {**what, **figures(rates[2:], "learner_steps_per_cpu_s")}


def random_legal(masks: npt.NDArray[np.bool_], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """One random legal action a row."""
    actions: npt.NDArray[np.int64] = (rng.random(masks.shape, dtype=np.float32) * masks).argmax(1)
    return actions


def measure_single(players: str, steps: int = 1000, windows: int = 10) -> Row:
    """One environment as `gymnasium.make` gives it, resets not counted."""
    env: Any = gymnasium.make(TASK, partner=players, opponents=players)
    rng = np.random.default_rng(0)
    seen, _ = env.reset(seed=1)
    times = []
    for _ in range(windows + 1):
        spent = 0
        for _ in range(steps):
            action = rng.choice(np.flatnonzero(seen["action_mask"]))
            start = time.process_time_ns()
            seen, _, over, cut, _ = env.step(action)
            spent += time.process_time_ns() - start
            if over or cut:
                seen, _ = env.reset()
        times.append(spent / steps / 1e3)
    what = {"bench": "gym_single", "players": players}
    return {**what, "us_per_step": min(times[1:]), "us_per_step_median": statistics.median(times[1:])}


def figures(rates: list[float], unit: str) -> Row:
    """Best and median."""
    return {unit: round(max(rates)), f"{unit}_median": round(statistics.median(rates))}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()
    rows = [measure_vector(p, m) for p in ("random", "heuristic") for m in ("NextStep", "SameStep")]
    rows += [measure_single(p) for p in ("random", "heuristic")]
    for row in rows:
        print(json.dumps(row))
    if args.json:
        args.json.write_text(json.dumps({"rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
