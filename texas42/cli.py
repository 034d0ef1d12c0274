"""The ``texas42`` command: parse, call, print. Each command is a module of `texas42.commands`."""

import argparse
import importlib
import logging
import os
import sys
from collections.abc import Sequence

from texas42 import __version__
from texas42.commands.common import CommandError

COMMANDS = (
    "train",
    "evaluate",
    "tournament",
    "crossplay",
    "exploit",
    "report",
    "export",
    "play",
    "presets",
    "bench",
    "generate",
    "verify",
    "show",
    "solve",
    "odds",
)
"""Modules of `texas42.commands`; each has HELP, `add_arguments(parser)` and `run(args) -> exit code`."""


def build_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="texas42",
        description="Texas 42 and its relatives: environments, agents, matches, training.",
        epilog="'texas42 COMMAND --help' explains a command.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"texas42 {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in commands:
        module = importlib.import_module(f"texas42.commands.{name}")
        sub = subparsers.add_parser(name, help=module.HELP, description=module.__doc__, allow_abbrev=False)
        module.add_arguments(sub)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 fine, 1 a check failed, 2 bad input, 130 interrupted."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    given = sys.argv[1:] if argv is None else list(argv)
    args = build_parser().parse_args(given)
    args.given = given
    module = importlib.import_module(f"texas42.commands.{args.command}")
    try:
        code = int(module.run(args))
        if sys.stdout is not None:  # None where standard output is closed
            sys.stdout.flush()
        return code
    except CommandError as error:
        print(f"texas42 {args.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader went away; keep the interpreter from complaining about it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.filename is not None:  # not about standard output
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"texas42 {args.command}: cannot write the output: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
