"""What commands share: the rules arguments and errors that end in exit code 2."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import yaml

from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.rules import Rules, resolve_rules


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
    parser.add_argument("--rules", default=default, metavar="PRESET|FILE.yaml", help=f"rules (default {default})")
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one rule, as in --rule nello=any; see 'texas42 presets NAME'",
    )


def rules_from(args: argparse.Namespace) -> Rules:
    """The rules the arguments ask for."""
    with as_command_error(RulesError):
        overrides: dict[str, object] = {}
        for text in args.rule:
            name, equals, value = text.partition("=")
            if not equals:
                raise CommandError(f"--rule {text!r}: write NAME=VALUE, as in --rule nello=any")
            overrides[name.strip()] = yaml.safe_load(value)
        rules = resolve_rules(args.rules)
        return rules.replace(**overrides) if overrides else rules


def is_terminal() -> bool:
    """Whether progress bars make sense."""
    return sys.stderr.isatty()
