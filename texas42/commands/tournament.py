"""Play every team against every other on the same deals: a matrix with 95 % intervals, and a ranking.

A team is an agent's spec or a mixed partnership SPEC+SPEC. With --out DIR finished pieces are kept in DIR, and the
same command goes on from there; more teams or deals may be added. A player that answers illegally, slowly or not at
all loses the hand, with a note; it never ends the tournament.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from texas42.commands.common import (
    add_json_argument,
    add_limit_argument,
    add_rules_arguments,
    add_seed_argument,
    as_command_error,
    check_writable,
    command_line,
    format_table,
    progress_bar,
    rules_from,
    whole_number,
    write_json,
)
from texas42.envs.rules.rules import resolve_rules

if TYPE_CHECKING:
    from texas42.training.evaluation.match import Setting
    from texas42.training.evaluation.result import MatchResult
    from texas42.training.evaluation.tournament import TournamentResult

HELP = "every team against every other, on the same deals"
EXAMPLES = """examples:
  texas42 tournament random passer heuristic --deals 2000 --workers 2
  texas42 tournament heuristic pimc:worlds=10 pimc:worlds=40 --deals 500 --workers 2 --out ladder
"""
JOURNAL = "matches.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 tournament``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("teams", metavar="TEAM", nargs="+", help="two or more: SPEC or SPEC+SPEC")
    add_many_matches_arguments(parser)


def add_many_matches_arguments(parser: argparse.ArgumentParser, deals: int = 1000) -> None:
    """Arguments of commands that play many matches."""
    add_rules_arguments(parser)
    parser.add_argument(
        "--deals",
        type=whole_number(1, 10**8),
        default=deals,
        metavar="N",
        help=f"deals of each match (games with --episode game); default {deals}",
    )
    add_seed_argument(parser)
    parser.add_argument("--contract", metavar="BID", help="no auction: see texas42 evaluate")
    parser.add_argument(
        "--episode", choices=("hand", "game"), default="hand", help="score single hands (default) or whole games"
    )
    parser.add_argument(
        "--workers",
        type=whole_number(1, 1024),
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes; default: as many as there are processors",
    )
    parser.add_argument(
        "--ray", action="store_true", help="play on a Ray cluster: RAY_ADDRESS's, else a local one of --workers"
    )
    add_limit_argument(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder that keeps finished pieces and the result")
    add_json_argument(parser)


def setting_from(args: argparse.Namespace) -> "Setting":
    """How the matches are played."""
    from texas42.envs.errors import OptionsError
    from texas42.training.evaluation.match import Setting

    rules = rules_from(args)
    with as_command_error(OptionsError):
        return Setting(rules, args.seed, args.episode, args.contract, faults="forfeit", limit=args.seconds)


@contextmanager
def many_matches(args: argparse.Namespace, matches: int) -> Iterator[dict[str, Any]]:
    """Keyword arguments of `play_pairings` and the like, with a progress bar; their errors end the command."""
    from texas42.envs.errors import OptionsError

    check_writable(args.json)
    if args.out is not None:
        with as_command_error(OSError):
            args.out.mkdir(parents=True, exist_ok=True)
    journal = None if args.out is None else args.out / JOURNAL
    with as_command_error(OptionsError, OSError), progress_bar(matches * args.deals, "deals") as advance:
        yield {"workers": args.workers, "ray": args.ray, "journal": journal, "progress": advance}


def run(args: argparse.Namespace) -> int:
    """Play, print, write."""
    from texas42.training.evaluation.tournament import play_tournament

    setting, n = setting_from(args), len(args.teams)
    with many_matches(args, n * (n - 1) // 2) as options:
        result = play_tournament(args.teams, setting, args.deals, **options)
    print(describe(result))
    write_result(args, result.to_json(), "tournament.json")
    return 0


def write_result(args: argparse.Namespace, figures: dict[str, Any], name: str) -> None:
    """Write the figures where the arguments ask for them."""
    content = {**figures, "command": command_line(args)}
    write_json(args.json, content)
    if args.out is not None:
        write_json(args.out / name, content)


def describe(result: "TournamentResult") -> str:
    """A tournament as a person reads it."""
    figures = result.to_json()
    what = "games" if result.setting.episode == "game" else "deals"
    lines = [
        f"rules {resolve_rules(figures['rules'])}, seed {figures['seed']}, {result.deals:,} {what} a match",
        "",
        f"score of the row's team minus the column's, {figures['unit']} per {what[:-1]}, 95 % interval:",
        format_table(_matrix(result), right=range(1, len(result.teams) + 1)),
        "",
        "ranking by the mean over all other teams (openskill: a summary only):",
        format_table(_ranking(figures), right=(2, 3, 4, 5)),
    ]
    notes = describe_notes(list(result.matches.values()))
    return "\n".join([*lines, *notes])


def describe_notes(matches: "list[MatchResult]") -> list[str]:
    """Why hands were forfeited, added up over matches; empty if none was."""
    total: dict[str, int] = {}
    for match in matches:
        for text, times in match.notes.items():
            total[text] = total.get(text, 0) + times
    return ["", "forfeited hands:", *(f"  {times:,} × {text}" for text, times in total.items())] if total else []


def _matrix(result: "TournamentResult") -> list[list[str]]:
    n = len(result.teams)
    rows = [["", *(f"({j + 1})" for j in range(n))]]
    for i, team in enumerate(result.teams):
        row = [f"({i + 1}) {team}"]
        for j in range(n):
            if i == j:
                row.append("-")
            else:
                mean, low, high = result.interval(i, j)
                row.append(f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]")
        rows.append(row)
    return rows


def _ranking(figures: dict[str, Any]) -> list[list[str]]:
    rows = [["", "team", f"{figures['unit']}/deal", "95 % interval", "openskill", "forfeits"]]
    for place, entry in enumerate(figures["ranking"], 1):
        low, high = entry["ci95"]
        skill = entry["openskill"]
        rows.append(
            [
                f"{place}.",
                entry["team"],
                f"{entry['marks_per_deal']:+.3f}",
                f"{low:+.3f} to {high:+.3f}",
                f"{skill['mu']:.1f} ± {skill['sigma']:.1f}",
                f"{entry['forfeits']:,}",
            ]
        )
    return rows
