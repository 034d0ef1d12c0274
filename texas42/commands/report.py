"""Write one HTML page about some policies: ladder, cross-play, bidding, regret, calibration, learning curves, hands.

A policy is an agent's spec, a checkpoint or the folder of a training run. Finished parts are kept under OUT/parts: the
same command goes on where it was interrupted, and measures only what is new.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from texas42.commands.common import (
    CommandError,
    add_rules_arguments,
    add_seed_argument,
    as_command_error,
    command_line,
    is_terminal,
    rules_from,
    whole_number,
    write_json,
)

HELP = "one HTML page that compares policies: strength, partners, bidding, regret, calibration"
EXAMPLES = """examples:
  texas42 report random heuristic pimc:worlds=10 pimc:worlds=40 runs/quick --out report/
  texas42 report runs/a runs/b runs/c --deals 1000 --out report/
  texas42 report heuristic --quick --out report/
"""
_SIZES = {
    "deals": ("deals of every match of the ladder", 1),
    "cross_deals": ("deals of every partnership of the cross-play; 0 leaves it out", 0),
    "hands": ("hands each policy plays in all seats, for bidding, regret and calibration", 1),
    "sample": ("plays of these that are held against pimc", 0),
    "worlds": ("worlds of that pimc", 1),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 report``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("policies", metavar="POLICY", nargs="+", help="agent spec, checkpoint or run folder")
    parser.add_argument("--out", type=Path, default=Path("report"), metavar="DIR", help="folder; default report/")
    add_rules_arguments(parser)
    for name, (meaning, low) in _SIZES.items():
        option, text = "--" + name.replace("_", "-"), f"{meaning}; default {_default(name)}"
        parser.add_argument(option, type=whole_number(low, 10**6), metavar="N", help=text)
    parser.add_argument("--quick", action="store_true", help="small sizes for a first look; the intervals are wide")
    parser.add_argument(
        "--opponent", default="heuristic", metavar="SPEC", help="whom partnerships play against; default heuristic"
    )
    parser.add_argument(
        "--workers", type=whole_number(1, 1024), default=1, metavar="N", help="processes for the matches; default 1"
    )
    add_seed_argument(parser)


def _default(name: str) -> str:
    sizes = {"deals": (200, 20), "cross_deals": (100, 10), "hands": (200, 30), "sample": (150, 20), "worlds": (200, 50)}
    usual, quick = sizes[name]
    return f"{usual}, quick {quick}"


def run(args: argparse.Namespace) -> int:
    """Measure what is missing, write the page, say where it is."""
    try:
        import jinja2  # noqa: F401
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise CommandError(f"the report needs {error.name}; in the clone: pip install '.[report]'") from error
    from texas42.envs.errors import OptionsError
    from texas42.training.evaluation import AgentError
    from texas42.training.evaluation.report import ContestantError, Parts, Sizes, measure, resolve_contestants
    from texas42.training.evaluation.report.page import render
    from texas42.training.evaluation.saved import write_atomically

    rules = rules_from(args)
    with as_command_error(ContestantError, OptionsError, AgentError, OSError):
        contestants = resolve_contestants(args.policies)
        given = {name: getattr(args, name) for name in _SIZES if getattr(args, name) is not None}
        sizes = replace(Sizes.quick() if args.quick else Sizes(), **given)
        parts = Parts(args.out / "parts", Progress())
        try:
            report = measure(
                contestants,
                rules,
                parts,
                seed=args.seed,
                sizes=sizes,
                opponent=args.opponent,
                workers=args.workers,
            )
        except KeyboardInterrupt:
            print(f"finished parts are kept in {parts.folder}; the same command goes on from there", file=sys.stderr)
            raise
        page = args.out / "report.html"
        write_json(args.out / "report.json", {**report.to_json(), "command": command_line(args)})
        write_atomically(page, render(report, command_line(args)).encode("utf-8", "replace").decode("utf-8"))
    print(page)
    return 0


class Progress:
    """Tells on stderr what is being measured: a bar for each part on a terminal, a line for each elsewhere."""

    def __init__(self) -> None:
        self.total = self.done = 0

    def plan(self, total: int) -> None:
        """How many parts there are."""
        self.total = total

    def kept(self, title: str) -> None:
        """A part was found finished."""
        self.done += 1
        self._say(f"{title}: kept")

    @contextmanager
    def working(self, title: str, steps: int, unit: str, counts: bool = True) -> Iterator[Callable[[int], None]]:
        """Some parts are being measured; several are told of again, each as kept."""
        self.done += counts
        if not is_terminal():
            self._say(title)
        name = f"[{self.done}/{self.total}] {title}"
        with tqdm(total=steps, desc=name, unit=f" {unit}", disable=not is_terminal(), leave=False) as bar:

            def advance(n: int) -> None:
                bar.update(n)

            yield advance

    def _say(self, text: str) -> None:
        print(f"[{self.done}/{self.total}] {text}", file=sys.stderr, flush=True)
