"""Replay the records of files through the engine and compare every key with what the rules give.

Prints the first mismatch of every failing line, and as its last line ``N passed, M failed``. Exit code 0: all
passed; 1: some failed; 2: a file cannot be read, or not to its end.
"""

import argparse
import sys

HELP = "check records against the rules"
EXAMPLES = """examples:
  texas42 verify hands.jsonl
  texas42 verify a.jsonl b.jsonl.gz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 verify``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON lines, plain or gzipped")


def run(args: argparse.Namespace) -> int:
    """Verify every file; all are tried even if one cannot be read."""
    from texas42.envs.records import RecordFileError, Report, verify_lines

    report, unreadable = Report(), False
    for path in args.files:
        try:
            for result in verify_lines(path):
                report.add(result)
                if result.error is not None:
                    print(f"{path}: {result.error}")
        except RecordFileError as error:
            unreadable = True
            sys.stdout.flush()
            print(f"texas42 verify: {error}", file=sys.stderr)
    print(f"{report.passed} passed, {report.failed} failed")
    return 2 if unreadable else int(report.failed > 0)
