"""Print the hands of a record file the way people see them at the table."""

import argparse

from texas42.commands.common import CommandError, as_command_error, whole_number

HELP = "print a recorded hand as it lies on the table"
EXAMPLES = """examples:
  texas42 show hands.jsonl
  texas42 show hands.jsonl --hand 3
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 show``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("file", metavar="FILE", help="JSON lines, plain or gzipped")
    parser.add_argument(
        "--hand", type=whole_number(1), metavar="K", help="only the K-th hand, counted from 1; default: all"
    )


def run(args: argparse.Namespace) -> int:
    """Print one hand, or all of them."""
    from texas42.envs.records import RecordError, RecordFileError, format_hand, read

    shown = number = 0
    with as_command_error(RecordFileError):
        try:
            for number, record in enumerate(read(args.file, replay=False), 1):
                if args.hand in (None, number):
                    print(f"{'' if not shown else chr(10)}Hand {number}: {format_hand(record)}")
                    shown += 1
                if number == args.hand:
                    break
        except RecordError as error:
            hand = "" if error.line is not None else f"hand {number}: "
            raise CommandError(f"{args.file}: {hand}{error}") from error
    if not shown:
        wanted = f"has no hand {args.hand}" if args.hand else "has no hands"
        raise CommandError(f"{args.file} {wanted}")
    return 0
