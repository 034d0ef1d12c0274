"""How fast do networks and optimisers learn what choices come to? All learn from the same hands, apart from self-play.

    python scripts/regress_on_advice.py SETTINGS [SETTINGS ...] [--config NAME|PATH] [--updates N] [--test-hands N]
                                        [--seed S]

SETTINGS are changes of the configuration (default `standard`), such as optimiser=adam,ppo.learning_rate=1e-3. The
teacher plays all hands, some of its moves are made at random; every choice in them has advice, as the configuration's
`advice` says. What the likeliest choice comes to over one at random, in marks, on hands not learnt from, after each
quarter of the updates: a Markdown table, a row as soon as it is known. The teacher's own choices are its first row.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import torch

from texas42.agents.shape import Shape
from texas42.agents.specs import make_agent
from texas42.commands.common import whole_number
from texas42.training import imitation, ppo
from texas42.training.config import ConfigError, TrainConfig, load_config
from texas42.training.learner import Learner, made_targets
from texas42.training.rollout import PHASES, Experience, Rollout

TEST_ROW = 2**40
"""Number of the first test hand, beyond all that are learnt from."""
QUARTERS = 4
COLUMNS = ("auction", "play")
BLOCK = 4096


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0, or 2 for bad arguments."""
    args = parse_arguments(argv)
    try:
        configs = [load_config(args.config, settings.split(",")) for settings in args.settings]
    except ConfigError as error:
        print(f"regress_on_advice: {error}", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    names = [f"{part} {k}/{QUARTERS}" for part in COLUMNS for k in range(1, QUARTERS + 1)]
    print(f"| settings | decisions | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    with ThreadPoolExecutor(configs[0].workers) as pool:
        test = hands(configs[0], args.test_hands, TEST_ROW, args.seed, pool)
        print(row("the teacher", 0, [[gain(test, test.actions, part)] * QUARTERS for part in COLUMNS]), flush=True)
        for settings, config in zip(args.settings, configs, strict=True):
            reached, decisions = learn(config, args, test, pool)
            print(row(settings, decisions, reached), flush=True)
    return 0


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="+", metavar="SETTINGS", help="changes, as A.B=VALUE,C=VALUE")
    parser.add_argument("--config", default="standard", help="what they change (default standard)")
    parser.add_argument("--updates", type=whole_number(QUARTERS, 10**6), default=20, help="default 20")
    parser.add_argument("--test-hands", type=whole_number(1, 10**6), default=8192, help="default 8192")
    parser.add_argument("--seed", type=whole_number(0, 2**62), default=1, help="of hands, weights and shuffles")
    return parser.parse_args(argv)


def hands(config: TrainConfig, n: int, first: int, seed: int, pool: Executor) -> Experience:
    """Hands of the teacher: the decisions that there is advice on, with the teacher's answers."""
    rules = config.resolved_rules
    rollout = Rollout(rules, n, config.workers, pool, config.advice)
    teacher = make_agent(config.imitation.teacher, rules)
    return imitation.demonstrate(teacher, rollout, config.imitation, seed, first).advised()


def learn(
    config: TrainConfig, args: argparse.Namespace, test: Experience, pool: Executor
) -> tuple[list[list[float]], int]:
    """Gains on the test hands after each quarter, by column; and the decisions learnt from."""
    network, rules = config.network, config.resolved_rules
    shape = Shape.of(rules, network.width, network.layers, network.tile_width)
    learner = Learner(shape, rules, args.seed, optimiser=config.optimiser)
    learner.actor.mixed = network.mixed
    terms = replace(config.ppo, updates=args.updates, weight=0.0)
    reached: list[list[float]] = [[] for _ in COLUMNS]
    decisions = 0
    for update in range(args.updates):
        data = hands(config, config.ppo.hands, update * config.ppo.hands, args.seed, pool)
        decisions += len(data)
        batch = ppo.Batch(data, made_targets(data))
        at = ppo.Terms(terms, ppo.Schedule.at(terms, update), config.advice)
        ppo.learn(learner, batch, at, (args.seed, update), pool)
        if (update + 1) * QUARTERS // args.updates > update * QUARTERS // args.updates:
            likeliest = np.concatenate(list(answers(learner, test)))
            for part, gains in zip(COLUMNS, reached, strict=True):
                gains.append(gain(test, likeliest, part))
    return reached, decisions


def answers(learner: Learner, data: Experience) -> Iterator[npt.NDArray[np.int64]]:
    """The likeliest advised action of every decision, in blocks."""
    for start in range(0, len(data), BLOCK):
        rows = slice(start, start + BLOCK)
        with torch.inference_mode():
            logits = learner.actor(torch.from_numpy(data.observations[rows])).numpy()
        yield np.where(np.isnan(data.advice[rows]), -np.inf, logits).argmax(axis=1)


def gain(data: Experience, actions: npt.NDArray[np.int64], part: str) -> float:
    """What actions come to over advised ones at random, on average over the decisions of a phase.

    An action without advice, such as a claim, counts as one at random.
    """
    rows = np.flatnonzero(data.phases == PHASES.index(part))
    advice = data.advice[rows].astype(np.float64)
    over = advice[np.arange(len(rows)), actions[rows]] - np.nanmean(advice, axis=1)
    return float(np.nan_to_num(over).mean()) if len(rows) else 0.0


def row(name: str, decisions: int, reached: Sequence[Sequence[float]]) -> str:
    cells = [f"{value:.4f}" for gains in reached for value in gains]
    return f"| `{name}` | {decisions:,} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
