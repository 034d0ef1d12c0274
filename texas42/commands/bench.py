"""Measure speeds on this machine, in figures per CPU second of the process (one thread unless told).

engine     random legal play without observations; all tricks played; the price of house rules; the first start
observe    the same with the mover's observation and action mask written before every decision
env        turns of the PettingZoo environment
heuristic  decisions of the heuristic player, in batches
train      decisions of a training run
solver     exact values by perfect information, on random deals of n42pa

Rows give the best of several repeats and their median; train and solver are one run.
"""

import argparse
import statistics
from collections.abc import Callable
from typing import Any

from texas42.commands.common import (
    CommandError,
    add_json_argument,
    add_rules_arguments,
    check_writable,
    command_line,
    format_table,
    progress_bar,
    rules_from,
    whole_number,
    write_json,
)
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.rules import Rules

HELP = "measure speeds: engine, observe, env, heuristic, train, solver"
_WHAT = ("play", "cache", "question")
Row = dict[str, Any]
Step = Callable[[], list[Row]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 bench``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("what", choices=tuple(BENCHES), metavar="WHAT", help=" | ".join(BENCHES))
    add_rules_arguments(parser)
    parser.add_argument(
        "--threads", type=whole_number(1, 1024), default=1, metavar="N", help="threads (not for env); default 1"
    )
    parser.add_argument(
        "--repeats", type=whole_number(1, 1000), default=7, metavar="N", help="repeats of each measurement; default 7"
    )
    add_json_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Measure, print a table, write the rows."""
    from texas42.benchmarks import machine

    rules = rules_from(args)
    check_writable(args.json)
    steps = BENCHES[args.what](rules, args)
    rows: list[Row] = []
    with progress_bar(len(steps), "measurements") as advance:
        for step in steps:
            rows += step()
            advance(1)
    print(describe(rows))
    write_json(args.json, {"rows": rows, "machine": machine(), "command": command_line(args)})
    return 0


def describe(rows: list[Row]) -> str:
    """The rows as a table: what was measured, under what, and every figure."""
    table = [["bench", "rules", "what", "figures"]]
    for row in rows:
        rest = {k: v for k, v in row.items() if k not in ("bench", "rules", *_WHAT)}
        what = next((str(row[key]) for key in _WHAT if key in row), "")
        table.append([str(row["bench"]), str(row.get("rules", "")), what, ", ".join(map(_figure, rest.items()))])
    return format_table(table)


def _figure(item: tuple[str, Any]) -> str:
    name, value = item
    if isinstance(value, int | float):
        value = f"{value:,.0f}" if value >= 1000 or isinstance(value, int) else f"{value:.3g}"
    return f"{name} {value}"


def _engine(rules: Rules, args: argparse.Namespace) -> list[Step]:
    from texas42 import benchmarks

    def engine(of: Rules) -> Step:
        return lambda: [benchmarks.measure_engine(of, args.threads, repeats=args.repeats)]

    steps = [engine(rules), *(engine(played) for played in _play_all(rules))]
    if rules.base == "n42pa":
        open_house = Rules.preset("open")
        steps += [
            lambda: [benchmarks.measure_engine_against(rules, open_house, args.threads, repeats=args.repeats)],
            lambda: [benchmarks.measure_same_hands(rules, open_house, repeats=args.repeats)],
            lambda: [benchmarks.measure_start(cold=True)],
            lambda: [benchmarks.measure_start(cold=False)],
        ]
    return steps


def _play_all(rules: Rules) -> list[Rules]:
    """The same rules with every trick played, where that is another game and allowed."""
    if rules.early_end == "play_all":
        return []
    try:
        return [rules.replace(early_end="play_all")]
    except RulesError:
        return []


def _observe(rules: Rules, args: argparse.Namespace) -> list[Step]:
    from texas42 import benchmarks

    return [lambda: [benchmarks.measure_observe(rules, args.threads, repeats=args.repeats)]]


def _env(rules: Rules, args: argparse.Namespace) -> list[Step]:
    from texas42.envs.benchmarks import measure_env_turns

    def step() -> list[Row]:
        rows = [measure_env_turns(rules, seconds=1.0) for _ in range(args.repeats)]
        best = max(rows, key=lambda row: row["turns_per_cpu_s"])
        return [{**best, "turns_per_cpu_s_median": statistics.median(row["turns_per_cpu_s"] for row in rows)}]

    return [step]


def _heuristic(rules: Rules, args: argparse.Namespace) -> list[Step]:
    from texas42.benchmarks import measure_agent

    return [lambda: [measure_agent("heuristic", rules, repeats=args.repeats)]]


def _train(rules: Rules, args: argparse.Namespace) -> list[Step]:
    try:
        from texas42.training.benchmark import measure_train
    except ModuleNotFoundError as error:
        raise CommandError(f"train needs {error.name}; in the clone: pip install '.[train]'") from error
    return [lambda: [measure_train(rules, workers=args.threads)]]


def _solver(rules: Rules, args: argparse.Namespace) -> list[Step]:
    from texas42.agents.solver.measure import measure_solver

    if rules != Rules.preset("n42pa") or args.threads != 1:
        raise CommandError("solver is measured on deals of n42pa with one thread; leave --rules and --threads out")
    return [measure_solver]


BENCHES: dict[str, Callable[[Rules, argparse.Namespace], list[Step]]] = {
    "engine": _engine,
    "observe": _observe,
    "env": _env,
    "heuristic": _heuristic,
    "train": _train,
    "solver": _solver,
}
