"""Play a duplicate match: two teams on the same deals from both sides, with a 95 % interval by bootstrap over deals.

A team is an agent's SPEC or a mixed partnership SPEC+SPEC.
The score is A's minus B's per deal, averaged over the sittings of the deal. With --json FILE the match is kept in
FILE.partial while it is played, and the same command goes on from there.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from texas42.commands.common import (
    SPECS,
    add_json_argument,
    add_limit_argument,
    add_rules_arguments,
    add_seed_argument,
    as_command_error,
    check_writable,
    command_line,
    format_table,
    positive_number,
    progress_bar,
    rules_from,
    whole_number,
    write_json,
)
from texas42.envs.rules.rules import resolve_rules

if TYPE_CHECKING:
    from texas42.training.evaluation import MatchResult

HELP = "match of two teams on the same deals, sides swapped"
EXAMPLES = """examples:
  texas42 evaluate heuristic random --deals 5000 --seed 1
  texas42 evaluate heuristic random --contract 30
  texas42 evaluate heuristic passer --until 0.02 --deals 100000
  texas42 evaluate heuristic+random random --rules open --episode game --deals 500 --json match.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 evaluate``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{SPECS}\n\n{EXAMPLES}"
    parser.add_argument("a", metavar="A", help="team A: SPEC or SPEC+SPEC")
    parser.add_argument("b", metavar="B", help="team B: SPEC or SPEC+SPEC")
    add_rules_arguments(parser)
    parser.add_argument(
        "--deals",
        type=whole_number(1, 10**8),
        default=1000,
        metavar="N",
        help="deals (games with --episode game); default 1000",
    )
    parser.add_argument(
        "--until",
        type=positive_number(),
        default=None,
        metavar="W",
        help="stop before --deals when the 95 %% interval is no wider than the score ± W",
    )
    add_seed_argument(parser)
    parser.add_argument(
        "--contract",
        metavar="BID",
        help="no auction: the last caller bids BID (30, or M1) and names his best pip trump",
    )
    parser.add_argument(
        "--episode", choices=("hand", "game"), default="hand", help="score single hands (default) or whole games"
    )
    parser.add_argument(
        "--batch", type=whole_number(1, 10**6), default=4096, metavar="N", help="hands side by side; default 4096"
    )
    parser.add_argument(
        "--threads", type=whole_number(1, 1024), default=1, metavar="N", help="engine threads; default 1"
    )
    parser.add_argument(
        "--forfeit",
        action="store_true",
        help="a player that answers illegally, slowly or not at all loses the hand; otherwise it ends the match",
    )
    add_limit_argument(parser)
    add_json_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Play the match, print it, write it."""
    from texas42.envs.errors import OptionsError
    from texas42.training.evaluation import AgentError, play_match

    rules = rules_from(args)
    check_writable(args.json)
    saved = None if args.json is None else Path(f"{args.json}.partial")
    with as_command_error(OptionsError, AgentError, OSError), progress_bar(args.deals, "deals") as advance:
        result = play_match(
            args.a,
            args.b,
            rules,
            args.deals,
            args.seed,
            episode=args.episode,
            contract=args.contract,
            batch=args.batch,
            threads=args.threads,
            progress=advance,
            until=args.until,
            faults="forfeit" if args.forfeit else "raise",
            limit=args.seconds,
            saved=saved,
        )
    print(describe(result))
    write_json(args.json, {**result.to_json(), "command": command_line(args)})
    if saved is not None:
        saved.unlink(missing_ok=True)
    return 0


def describe(result: "MatchResult") -> str:
    """A match as a person reads it."""
    figures = result.to_json()
    names = result.tally.codec.names
    low, high = result.ci95
    lines = [
        f"A: {result.a}    B: {result.b}",
        _what(result, figures),
        "",
        f"A's score minus B's, {result.unit} per deal: {result.mean:+.4f}   95 % interval {low:+.4f} to {high:+.4f}",
        "",
        *_why_stopped(result),
        format_table(_rows(figures), right=(1, 2)),
    ]
    if result.notes:
        lines += ["", "forfeited hands:", *(f"  {times:,} × {text}" for text, times in result.notes.items())]
    if not result.contract:
        lines += ["", "calls, as a share of all calls of the team:"]
        lines.append(format_table(_call_rows(figures["calls"], names), right=(1, 2)))
    for key in ("contracts", "declarations"):
        lines += ["", f"{key}:", format_table(_played_rows(figures[key], names), right=(1, 2, 3, 4))]
    lines += ["", f"{result.cpu_s:.2f} CPU s, {result.hands_per_cpu_s:,.0f} hands per CPU s"]
    return "\n".join(lines)


def _why_stopped(result: "MatchResult") -> list[str]:
    if result.until is None:
        return []
    if result.stopped_early:
        return [f"stopped: sure to within ±{result.until:g}", ""]
    return [f"not yet sure to within ±{result.until:g}: give more --deals", ""]


def _what(result: "MatchResult", figures: dict[str, Any]) -> str:
    what = "games" if result.episode == "game" else "deals"
    contract = f", contract {result.contract}" if result.contract else ""
    played = f"{result.deals:,} {what} × {result.sittings} sittings"
    return f"rules {resolve_rules(figures['rules'])}{contract}, seed {result.seed}: {played}"


def _rows(figures: dict[str, Any]) -> list[list[str]]:
    rows = [["", "A", "B"]]
    if "games_won" in figures:
        rows.append(["games won", *_pair(figures["games_won"], "{:,}")])
        low, high = figures["win_rate_ci95"]
        rows.append(["  share, 95 % interval", f"{figures['win_rate']:.1%}", f"{low:.1%} to {high:.1%}"])
    rows += [
        ["points per hand", *_pair(figures["points_per_hand"], "{:.2f}")],
        ["share of contracts", *_pair(figures["contract_rate"], "{:.1%}")],
        ["  of these made", *_pair(figures["make_rate"], "{:.1%}")],
        ["  of these set", *_pair(figures["set_rate"], "{:.1%}")],
        ["  forced", *_pair(figures["forced_contracts"], "{:,}")],
        ["decisions", *_pair(figures["decisions"], "{:,}")],
        ["CPU µs per decision", *_pair(_micro(figures["cpu_s_per_decision"]), "{:.2f}")],
        ["hands with a contract", f"{figures['hands']:,}", ""],
        ["hands thrown in", f"{figures['thrown_in']:,}", ""],
    ]
    if any(figures["forfeits"].values()):
        rows.append(["hands forfeited", *_pair(figures["forfeits"], "{:,}")])
    return rows


def _micro(pair: dict[str, float | None]) -> dict[str, float | None]:
    return {k: None if v is None else v * 1e6 for k, v in pair.items()}


def _pair(pair: dict[str, Any], form: str) -> list[str]:
    return ["-" if pair[k] is None else form.format(pair[k]) for k in "ab"]


def _played_rows(teams: dict[str, dict[str, dict[str, int]]], names: Sequence[str]) -> list[list[str]]:
    rows = [["", "A", "made", "B", "made"]]
    for name in _used(teams, names):
        row = [name]
        for team in "ab":
            counts = teams[team].get(name)
            row += [f"{counts['played']:,}", f"{counts['made'] / counts['played']:.1%}"] if counts else ["-", "-"]
        rows.append(row)
    return rows


def _call_rows(teams: dict[str, dict[str, int]], names: Sequence[str]) -> list[list[str]]:
    totals = {team: max(sum(teams[team].values()), 1) for team in "ab"}
    rows = [[name, *(f"{teams[t].get(name, 0) / totals[t]:.2%}" for t in "ab")] for name in _used(teams, names)]
    return [["", "A", "B"], *rows]


def _used(teams: dict[str, dict[str, Any]], names: Sequence[str]) -> list[str]:
    """The names that one of the teams has, in the order of action ids."""
    return [name for name in names if name in teams["a"] or name in teams["b"]]
