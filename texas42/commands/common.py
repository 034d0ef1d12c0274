"""What commands share: rules, agents, numbers and output files as arguments, and errors that end in exit code 2."""

import argparse
import json
import math
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.reading import ReadingError, read_yaml, shown
from texas42.envs.rules.rules import Rules, resolve_rules

MAX_SEED = 2**64 - 1
SPECS = (
    "a SPEC is random, passer, heuristic, pimc:worlds=N, ismcts:iterations=N, cheat, pretrained, search:worlds=N,"
    " checkpoint:FILE, onnx:FILE, sb3:FILE, python:FILE.py:NAME"
)
"""The agents, for help texts."""


class CommandError(Exception):
    """Bad input: printed without a traceback, exit code 2."""


@contextmanager
def as_command_error(*kinds: type[Exception]) -> Iterator[None]:
    """Turn exceptions of these kinds into `CommandError`."""
    try:
        yield
    except kinds as error:
        raise CommandError(str(error)) from error


def add_rules_arguments(parser: argparse.ArgumentParser, default: str = "n42pa") -> None:
    """``--rules PRESET|FILE.yaml`` and ``--rule name=value``."""
    parser.add_argument(
        "--rules",
        default=default,
        metavar="PRESET|FILE.yaml",
        help=f"rules to play by (default {default}); 'texas42 presets' lists them",
    )
    add_rule_argument(parser)


def add_rule_argument(parser: argparse.ArgumentParser) -> None:
    """``--rule name=value``, any number of times."""
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one rule, as in --rule nello=any; 'texas42 presets NAME' shows all of them",
    )


def rules_from(args: argparse.Namespace) -> Rules:
    """The rules the arguments ask for."""
    return rules_with(args.rules, args.rule)


def rules_with(name: str, changes: Sequence[str]) -> Rules:
    """The rules of a preset or YAML file, with ``NAME=VALUE`` changes; values are read as YAML."""
    with as_command_error(RulesError):
        overrides: dict[str, object] = {}
        for text in changes:
            key, equals, value = text.partition("=")
            if key.strip() in overrides:
                raise CommandError(f"--rule {key.strip()} is given twice")
            if not equals:
                raise CommandError(f"--rule {shown(text)}: write NAME=VALUE, as in --rule nello=any")
            try:
                overrides[key.strip()] = read_yaml(value)
            except ReadingError as error:
                raise CommandError(
                    f"--rule {shown(text)}: the value cannot be read; write VALUE or [VALUE, VALUE]"
                ) from error
        rules = resolve_rules(name)
        return rules.replace(**overrides) if overrides else rules


def whole_number(low: int, high: int | None = None) -> Callable[[str], int]:
    """An argument type: a whole number from `low` to `high`."""
    wanted = f"a whole number from {low} to {high}" if high is not None else f"a whole number, {low} or more"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}") from None
        if value < low or (high is not None and value > high):
            raise argparse.ArgumentTypeError(f"{text} is not {wanted}")
        return value

    return read


def positive_number() -> Callable[[str], float]:
    """An argument type: a finite number above 0."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
        return value

    return read


def add_seed_argument(parser: argparse.ArgumentParser) -> None:
    """``--seed S``."""
    parser.add_argument(
        "--seed",
        type=whole_number(0, MAX_SEED),
        default=0,
        metavar="S",
        help="seed; the same seed, the same result; default 0",
    )


def add_limit_argument(parser: argparse.ArgumentParser) -> None:
    """``--seconds S``: what a player may take where failing costs the hand."""
    parser.add_argument(
        "--seconds",
        type=positive_number(),
        default=1.0,
        metavar="S",
        help="seconds a decision that a player may take before it forfeits, on average over a batch; default 1",
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """``--json FILE``."""
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="write the figures to FILE as JSON")


def check_writable(path: Path | None) -> None:
    """Refuse an output file that cannot be written, before any work is done for it.

    Raises:
        CommandError: it is a folder, or it cannot be opened for writing.
    """
    if path is None:
        return
    existed = path.exists()
    try:
        with path.open("a", encoding="utf-8"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror or error}") from error


def write_json(path: Path | None, content: object) -> None:
    """Write `content` as JSON, if there is a path."""
    if path is None:
        return
    with as_command_error(OSError):
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def command_line(args: argparse.Namespace) -> str:
    """The command as it was given, for result files."""
    return shlex.join(["texas42", *args.given])


def is_terminal() -> bool:
    """Whether progress bars make sense."""
    return sys.stderr.isatty()


@contextmanager
def progress_bar(total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal, nothing elsewhere; yields a function that takes what was just done."""
    with tqdm(total=total, unit=f" {unit}", disable=not is_terminal(), leave=False) as bar:

        def advance(n: int) -> None:
            bar.update(n)

        yield advance


def format_table(rows: Sequence[Sequence[str]], right: Sequence[int] = (), gap: str = "  ") -> str:
    """Rows of text as aligned columns; the columns numbered in `right` are set to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]

    def place(i: int, cell: str) -> str:
        return cell.rjust(widths[i]) if i in right else cell.ljust(widths[i])

    return "\n".join(gap.join(place(i, cell) for i, cell in enumerate(row)).rstrip() for row in rows)
