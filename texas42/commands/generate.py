"""Play hands and write them as records, one line of JSON a hand (docs/RECORD_FORMAT.md).

Whole games are played, so that scores vary; the last one is cut off. The same arguments give the same bytes.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from texas42.commands.common import (
    CommandError,
    add_rules_arguments,
    add_seed_argument,
    as_command_error,
    progress_bar,
    rules_from,
    whole_number,
)

if TYPE_CHECKING:
    from texas42.agents.base import Agent
    from texas42.envs.records import HandRecord
    from texas42.envs.rules.rules import Rules

HELP = "play hands and write them as records"
EXAMPLES = """examples:
  texas42 generate --agents random --hands 100 --out hands.jsonl --legal
  texas42 generate --rules open --agents heuristic random --hands 1000 --seed 7 --out hands.jsonl.gz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 generate``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    add_rules_arguments(parser)
    parser.add_argument(
        "--agents",
        nargs="+",
        required=True,
        metavar="SPEC",
        help="one for all seats, one for each side, or one for each seat; a mixed side is SPEC+SPEC",
    )
    parser.add_argument("--hands", type=whole_number(1), required=True, metavar="N", help="number of hands")
    add_seed_argument(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="file to write, gzipped if it ends in .gz"
    )
    parser.add_argument("--legal", action="store_true", help="write the legal actions of every decision")
    parser.add_argument(
        "--episode",
        choices=("game", "hand"),
        default="game",
        help="whole games (default), or single hands at score zero",
    )


def run(args: argparse.Namespace) -> int:
    """Play and write."""
    from texas42.agents.recording import record_hands
    from texas42.envs.errors import OptionsError
    from texas42.envs.records import RecordFileError, write

    rules = rules_from(args)
    with as_command_error(OptionsError, RecordFileError):
        agents = agents_by_seat(args.agents, rules)
        with progress_bar(args.hands, "hands") as advance:
            hands = record_hands(rules, agents, args.hands, args.seed, legal=args.legal, episode=args.episode)
            n = write(args.out, counted(hands, advance))
    print(f"{n} hands written to {args.out}")
    return 0


def agents_by_seat(specs: list[str], rules: "Rules") -> "list[Agent]":
    """One agent for each seat; equal specs share one object.

    Raises:
        CommandError: a spec names no agent that plays by these rules.
        OptionsError: the number of specs does not fit the table.
    """
    from texas42.agents.recording import specs_by_seat
    from texas42.agents.specs import make_agent

    made: dict[str, Agent] = {}
    seats = specs_by_seat(specs, rules)
    for spec in dict.fromkeys(seats):
        try:
            made[spec] = make_agent(spec, rules)
        except ValueError as error:
            raise CommandError(str(error)) from error
    return [made[spec] for spec in seats]


def counted(hands: "Iterator[HandRecord]", advance: Callable[[int], None]) -> "Iterator[HandRecord]":
    """The same hands, each reported as it passes."""
    for hand in hands:
        advance(1)
        yield hand
