"""Solve a hand with all tiles face up: what perfect play of both sides comes to.

With --hands alone: a table of every declaration led by every seat. With --hands and --declaration: the value of
every lead and a line of best play. With a record: the contract played, and what each play gave away.
"""

import argparse
from typing import TYPE_CHECKING, Any

from texas42.commands.common import (
    CommandError,
    add_json_argument,
    add_rules_arguments,
    as_command_error,
    check_writable,
    format_table,
    rules_from,
    whole_number,
    write_json,
)
from texas42.envs.rules.errors import RulesError

if TYPE_CHECKING:
    from texas42.agents.solver import Solution
    from texas42.envs.records import HandRecord

HELP = "exact values of a deal or of a recorded hand, all tiles face up"
EXAMPLES = """examples:
  texas42 solve --hands "6-6 6-5 6-4 6-3 6-2 6-1 6-0" "5-5 5-4 5-3 5-2 5-1 5-0 4-4" \\
                        "4-3 4-2 4-1 4-0 3-3 3-2 3-1" "3-0 2-2 2-1 2-0 1-1 1-0 0-0"
  texas42 solve --hands ... --declaration PIP6 --leader 0
  texas42 solve hands.jsonl --hand 3
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 solve``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("file", metavar="FILE", nargs="?", help="a record file, JSON lines, plain or gzipped")
    parser.add_argument(
        "--hand", type=whole_number(1), default=1, metavar="K", help="the K-th hand of FILE, counted from 1; default 1"
    )
    parser.add_argument("--hands", nargs="+", metavar="TILES", help="the hand of every seat, seat 0 first, quoted")
    parser.add_argument("--declaration", metavar="NAME", help="with --hands: PIP0..PIP6, DBL, NT-high, NELLO-own, ...")
    parser.add_argument("--leader", type=whole_number(0), default=0, metavar="SEAT", help="who leads; default 0")
    parser.add_argument("--bidder", type=whole_number(0), metavar="SEAT", help="whose contract; default the leader's")
    parser.add_argument("--need", type=whole_number(0), metavar="N", help="only ask whether the bidders reach N points")
    add_rules_arguments(parser)
    add_json_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Solve, print, write."""
    from texas42.agents.solver import SolverError

    check_writable(args.json)
    if (args.file is None) == (args.hands is None):
        raise CommandError("give either a record file or --hands")
    with as_command_error(SolverError, RulesError):
        if args.file is not None:
            return _run_record(args)
        return _run_hands(args)


def _run_hands(args: argparse.Namespace) -> int:
    from texas42.agents.solver import solve, solve_all

    rules = rules_from(args)
    if args.declaration is None:
        table = solve_all(rules, args.hands)
        print(_deal_table(table))
        write_json(args.json, {"rules": rules.to_dict(), "table": {d: v.tolist() for d, v in table.items()}})
        return 0
    solution = solve(rules, args.hands, args.declaration, args.leader, bidder=args.bidder, need=args.need)
    print(_solution_text(solution))
    write_json(args.json, {"rules": rules.to_dict(), "declaration": args.declaration, **_plain(solution)})
    return 0


def _deal_table(table: dict[str, Any]) -> str:
    """Rows: declarations; columns: the seat that declares and leads."""
    seats = len(next(iter(table.values())))
    rows = [["", *(f"seat {s}" for s in range(seats))]]
    made = {0: "set", 1: "made"}
    for name, values in table.items():
        whole = name.startswith(("NELLO", "SEVENS", "LOPER"))
        rows.append([name, *(made[int(v)] if whole else str(v) for v in values)])
    note = "Points of the side whose seat declares and leads, or whether the contract is made."
    return f"{format_table(rows, right=range(1, seats + 1))}\n{note}"


def _plain(solution: "Solution") -> dict[str, Any]:
    return {
        "goal": solution.goal,
        "value": solution.value,
        "seat": solution.seat,
        "moves": solution.moves,
        "line": [list(play) for play in solution.line],
    }


def _worth(goal: str, value: int) -> str:
    return str(value) if goal == "points" else ("made" if value else "set")


def _solution_text(solution: "Solution") -> str:
    """The value, the moves from the best to the worst for the seat to move, and a line of best play."""
    what = "points of the bidder's side" if solution.goal == "points" else "the contract"
    lines = [f"{what}: {_worth(solution.goal, solution.value)}"]
    if solution.moves:
        ranked = sorted(solution.moves.items(), key=lambda item: (item[1] != solution.value, -item[1], item[0]))
        lines.append(f"plays of seat {solution.seat}")
        rows = [[f"  {tile}", _worth(solution.goal, value)] for tile, value in ranked]
        lines.append(format_table(rows, right=(1,)))
    if solution.line:
        lines.append("best play: " + "  ".join(f"{seat}:{tile}" for seat, tile in solution.line))
    return "\n".join(lines)


def _run_record(args: argparse.Namespace) -> int:
    record = _record(args.file, args.hand)
    if record.contract is None:
        raise CommandError(f"{args.file}: hand {args.hand} was thrown in; there is nothing to solve")
    plays, final = _plays(record)
    print(f"{record.contract['bid']} {record.contract['declaration']} by seat {record.contract['bidder']}")
    print(_plays_table(plays))
    print(f"as played: {final}")
    write_json(args.json, {"contract": record.contract, "plays": plays})
    return 0


def _record(path: str, number: int) -> "HandRecord":
    from texas42.envs.records import RecordError, RecordFileError, read

    with as_command_error(RecordFileError):
        k = 0
        try:
            for k, record in enumerate(read(path), 1):
                if k == number:
                    return record
        except RecordError as error:
            raise CommandError(f"{path}: {error}") from error
    raise CommandError(f"{path} has no hand {number}; it has {k}")


def _plays(record: "HandRecord") -> tuple[list[dict[str, Any]], str]:
    """Every play of a record with its value and the value of the best one."""
    from texas42.agents.solver import solve
    from texas42.envs.engine.state import PLAY
    from texas42.envs.records import position
    from texas42.envs.rules.rules import Rules

    rules = Rules.from_dict(record.rules)
    plays: list[dict[str, Any]] = []
    for k, action in enumerate(record.actions):
        state = position(record, k).states[0]
        if int(state.phase) != PLAY or action.startswith("CLAIM"):
            continue
        solution = solve(rules, state)
        plays.append({
            "seat": solution.seat,
            "tile": action,
            "goal": solution.goal,
            "value": solution.moves.get(action, solution.value),
            "best": solution.value,
            "as_good": [t for t, v in solution.moves.items() if v == solution.value and t != action],
        })
    points = ", ".join(str(p) for p in record.points)
    return plays, f"{'made' if record.made else 'set'}, points by side {points}"


def _plays_table(plays: list[dict[str, Any]]) -> str:
    rows = [["play", "seat", "tile", "then", "best", "better"]]
    for k, p in enumerate(plays, 1):
        gave = p["value"] != p["best"]
        better = " ".join(p["as_good"]) if gave else ""
        rows.append([
            str(k), str(p["seat"]), p["tile"], _worth(p["goal"], p["value"]), _worth(p["goal"], p["best"]), better
        ])
    note = "then: what perfect play comes to from there, as points of the bidder's side or the contract; best: instead"
    return f"{format_table(rows, right=(0, 1, 3, 4))}\n{note}; better: plays that reach it."
