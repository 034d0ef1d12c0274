"""Reference scores of the benchmark tasks: what known players earn in the learner's seat.

    python scripts/reference_scores.py [--tasks Texas42-v0 ...] [--learners random heuristic ...] [--episodes N ...]

The other seats are the tasks' own (heuristic). Every learner plays the same episodes, 0 to N - 1 of the seed, one at
each table. Prints a Markdown table: mean reward per episode with the half-width of its 95 % interval; a dash where a
learner does not play the game. With several numbers of episodes, cells of another than the first say how many.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import gymnasium
import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from texas42.agents.specs import SpecError, make_agent
from texas42.envs.gym import Texas42VectorEnv
from texas42.envs.rules.rules import Rules
from texas42.registration import TASKS

BLOCK = 1024  # episodes side by side
Scores = dict[str, dict[str, dict[str, float]]]
"""By task and learner: ``mean``, ``ci95`` (half-width), ``episodes``."""


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


def plays(learner: str, task: str) -> bool:
    """Whether a learner plays a task's rules; search, for one, knows four-player double-six 42 only.

    Raises:
        SpecError: he does not play n42pa either.
    """
    rules = TASKS[task]["rules"]
    try:
        make_agent(learner, Rules.preset(rules))
    except SpecError:
        make_agent(learner, Rules.preset("n42pa"))
        return False
    return True


def table(scores: Scores, tasks: list[str], learners: list[str], usual: int) -> str:
    """A Markdown table; cells of other than the usual number of episodes say how many."""
    lines = ["| task | " + " | ".join(learners) + " |", "|---|" + "---|" * len(learners)]
    for task in tasks:
        cells = [cell(scores[task].get(learner), usual) for learner in learners]
        lines.append(f"| `texas42/{task}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(found: dict[str, float] | None, usual: int) -> str:
    """Mean and interval, or a dash."""
    if found is None:
        return "–"
    text = f"{found['mean']:+.3f} ± {found['ci95']:.3f}"
    return text if found["episodes"] == usual else f"{text} ({found['episodes']})"


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line; `episodes` and `games` have one number for each learner."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS), metavar="TASK")
    parser.add_argument("--learners", nargs="+", default=["random", "heuristic"], metavar="SPEC")
    parser.add_argument("--episodes", type=int, nargs="+", default=[2000], metavar="N", help="one, or one a learner")
    parser.add_argument("--games", type=int, nargs="+", metavar="N", help="the same for tasks that are whole games")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="written after every score")
    parser.add_argument("--resume", action="store_true", help="keep FILE's scores of the same episodes and seed")
    args = parser.parse_args(argv)
    args.games = args.games or args.episodes
    for name in ("episodes", "games"):
        numbers = getattr(args, name)
        if len(numbers) not in (1, len(args.learners)) or min(numbers) < 2:
            parser.error(f"--{name} takes one number, or {len(args.learners)}, of 2 or more")
        setattr(args, name, numbers * len(args.learners) if len(numbers) == 1 else numbers)
    if args.resume and not args.json:
        parser.error("--resume needs --json FILE")
    return args


def known_scores(args: argparse.Namespace) -> Scores:
    """What an interrupted run has left."""
    if not args.resume or not args.json.exists():
        return {}
    frame = json.loads(args.json.read_text())
    return dict(frame["scores"]) if frame["seed"] == args.seed else {}


def main(argv: list[str] | None = None) -> None:
    """Play, print, write."""
    args = parse(argv)
    scores = known_scores(args)
    pairs = [(task, i) for task in args.tasks for i in range(len(args.learners))]
    for task, i in tqdm(pairs, disable=not sys.stderr.isatty()):
        learner, row = args.learners[i], scores.setdefault(task, {})
        episodes = (args.games if TASKS[task].get("episode") == "game" else args.episodes)[i]
        if plays(learner, task) and row.get(learner, {}).get("episodes") != episodes:
            row[learner] = {**score(play(task, learner, episodes, args.seed)), "episodes": episodes}
            if args.json:
                args.json.write_text(json.dumps({"seed": args.seed, "scores": scores}, indent=2) + "\n")
    print(table(scores, args.tasks, args.learners, args.episodes[0]))


if __name__ == "__main__":
    main()
