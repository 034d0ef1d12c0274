"""Reference scores of the benchmark tasks: what known players earn in the learner's seat.

    python scripts/reference_scores.py [--tasks Texas42-v0 ...] [--learners random heuristic ...] [--episodes N]

The other seats are the tasks' own (heuristic). Every learner plays the same episodes, 0 to N - 1 of the seed, one at
each table. Prints a Markdown table: mean reward per episode with the half-width of its 95 % interval.
"""

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from texas42.agents.specs import make_agent
from texas42.envs.gym import Texas42VectorEnv
from texas42.registration import TASKS

BLOCK = 1024  # episodes side by side


def play(task: str, learner: str, episodes: int, seed: int) -> npt.NDArray[np.float64]:
    """Rewards of episodes ``0 .. episodes``, float64 (episodes,)."""
    returns = []
    for first in range(0, episodes, BLOCK):
        n = min(BLOCK, episodes - first)
        env = gymnasium.make_vec(f"texas42/{task}", n, autoreset_mode="Disabled").unwrapped
        assert isinstance(env, Texas42VectorEnv)
        returns.append(play_block(env, learner, seed, first))
    return np.concatenate(returns)


def play_block(env: Texas42VectorEnv, learner: str, seed: int, first: int) -> npt.NDArray[np.float64]:
    """One episode at every table: row ``first + i`` of the seed at table i."""
    table = env.table
    agent = make_agent(learner, env.task.rules)
    agent.reset(np.arange(table.n, dtype=np.uint64))
    rows = np.arange(first, first + table.n, dtype=np.uint64)
    table.start(np.full(table.n, seed, np.uint64), rows)
    total = np.zeros(table.n)
    while len(live := np.flatnonzero(table.waits == 0)):
        actions = np.zeros(table.n, np.int64)
        actions[live] = agent.act(table.decisions(live))
        table.step(table.check(actions))
        total += table.pay()
    return total


def score(rewards: npt.NDArray[np.float64]) -> dict[str, float]:
    """Mean and half-width of its 95 % interval."""
    return {"mean": float(rewards.mean()), "ci95": 1.96 * float(rewards.std(ddof=1)) / math.sqrt(len(rewards))}


def main() -> None:
    """Play, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), metavar="TASK")
    parser.add_argument("--learners", nargs="+", default=["random", "heuristic"], metavar="SPEC")
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()
    results: dict[str, dict[str, Any]] = {}
    pairs = [(task, learner) for task in args.tasks for learner in args.learners]
    for task, learner in tqdm(pairs, disable=not sys.stderr.isatty()):
        results.setdefault(task, {})[learner] = score(play(task, learner, args.episodes, args.seed))
    print("| task | " + " | ".join(args.learners) + " |\n|---|" + "---|" * len(args.learners))
    for task, by_learner in results.items():
        cells = (f"{found['mean']:+.3f} ± {found['ci95']:.3f}" for found in by_learner.values())
        print(f"| `texas42/{task}` | " + " | ".join(cells) + " |")
    if args.json:
        frame = {"episodes": args.episodes, "seed": args.seed, "scores": results}
        args.json.write_text(json.dumps(frame, indent=2) + "\n")


if __name__ == "__main__":
    main()
