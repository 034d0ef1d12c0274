"""How often a hand makes its bids, for every declaration.

Two forecasts stand side by side: by the exact solver over random deals of the other hands, all tiles face up, and by
hands that an agent plays out in all four seats, each seat seeing its own tiles only. The first is too hopeful or too
gloomy wherever play depends on what nobody knows; the difference is printed too.
"""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from texas42.commands.common import (
    CommandError,
    add_json_argument,
    add_rules_arguments,
    add_seed_argument,
    as_command_error,
    check_writable,
    format_table,
    progress_bar,
    rules_from,
    whole_number,
    write_json,
)
from texas42.envs.errors import OptionsError

if TYPE_CHECKING:
    from texas42.agents.search.odds import Odds
    from texas42.envs.rules.rules import Rules

HELP = "how often a hand makes each bid, by the solver and by hands played out"
DEFAULT_AGENT = "pimc:worlds=10,objective=points,inference=none"
"""Without inference: the calls of these hands are given, and tell nothing."""
EXAMPLES = """examples:
  texas42 odds --hand "6-6 6-5 6-4 6-1 5-5 4-4 1-0"
  texas42 odds --hand "5-5 5-4 5-2 5-0 3-3 2-1 4-1" --deals 0          # the solver alone
  texas42 odds --hand "5-5 5-4 5-2 5-0 3-3 2-1 4-1" --agent heuristic --deals 2000 --top 9
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 odds``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("--hand", required=True, metavar="TILES", help="the seven tiles of the bidder, quoted")
    parser.add_argument("--worlds", type=whole_number(1), default=200, metavar="N", help="deals solved; default 200")
    parser.add_argument("--deals", type=whole_number(0), default=100, metavar="N", help="hands played; default 100")
    parser.add_argument(
        "--agent", default=DEFAULT_AGENT, metavar="SPEC", help="who plays them; default %(default)s"
    )
    parser.add_argument("--top", type=whole_number(1), default=3, metavar="N", help="declarations played; default 3")
    parser.add_argument("--bids", nargs="+", type=whole_number(1), metavar="N", help="points; default 30 to 42 by 2")
    parser.add_argument("--threads", type=whole_number(1, 1024), default=1, metavar="N", help="threads of the solver")
    add_seed_argument(parser)
    add_rules_arguments(parser)
    add_json_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Solve, play out, print, write."""
    from texas42.agents.search.odds import hand_odds
    from texas42.agents.specs import SpecError, make_agent

    check_writable(args.json)
    rules = rules_from(args)
    if rules.seats != 4 or rules.game.ladder != "standard" or len(rules.deck) != 28:
        raise CommandError("odds are for four-player double-six 42")
    if rules.opening_bidder != "left_of_shaker":
        raise CommandError("odds need opening_bidder=left_of_shaker")
    hand = _hand(rules, args.hand)
    with as_command_error(SpecError, OptionsError):
        agent = make_agent(args.agent, rules) if args.deals else None
    with progress_bar(args.deals * args.top if agent else 0, "hands") as progress:
        odds = hand_odds(rules, hand, args.worlds, args.deals, args.seed, agent, args.top, args.threads, progress)
    bids = args.bids or [30, 32, 34, 36, 38, 40, 42]
    print(_text(odds, bids))
    write_json(args.json, _plain(odds, bids, args))
    return 0


def _hand(rules: "Rules", text: str) -> int:
    from texas42.agents.solver.position import SolverError, one_hand

    with as_command_error(SolverError):
        hand = one_hand(rules, text)
    if hand.bit_count() != rules.setup.hand:
        raise CommandError(f"--hand holds {hand.bit_count()} tiles; a hand has {rules.setup.hand}")
    return hand


def _text(odds: "Sequence[Odds]", bids: Sequence[int]) -> str:
    """Two tables of percentages with their intervals, and what the solver promised too much."""
    solved = [["solved", "points", *map(str, bids)]]
    played = [["played", "points", *map(str, bids)]]
    excess = [["too much", "points", *map(str, bids)]]
    for o in odds:
        solved.append(_row(o.declaration, o.solved, bids))
        if len(o.played):
            played.append(_row(o.declaration, o.played, bids))
            excess.append(_difference(o, bids))
    tables = [solved] + ([played, excess] if len(played) > 1 else [])
    note = "per cent of deals in which the bidder's side takes so many points, with 95 % intervals"
    return "\n\n".join([*(format_table(t, right=range(1, len(bids) + 2)) for t in tables), note])


def _row(name: str, points: Any, bids: Sequence[int]) -> list[str]:
    from texas42.agents.search.odds import share

    cells = [f"{points.mean():.1f}"]
    for bid in bids:
        p, low, high = share(points, bid)
        cells.append(f"{100 * p:.0f} [{100 * low:.0f},{100 * high:.0f}]")
    return [name, *cells]


def _difference(o: "Odds", bids: Sequence[int]) -> list[str]:
    from texas42.agents.search.odds import share

    cells = [f"{o.solved.mean() - o.played.mean():+.1f}"]
    return [o.declaration, *cells, *(f"{100 * (share(o.solved, b)[0] - share(o.played, b)[0]):+.0f}" for b in bids)]


def _plain(odds: "Sequence[Odds]", bids: Sequence[int], args: argparse.Namespace) -> dict[str, Any]:
    from texas42.agents.search.odds import share

    def rows(points: Any) -> dict[str, Any] | None:
        if not len(points):
            return None
        table = {str(b): share(points, b) for b in bids}
        return {"deals": len(points), "mean_points": float(points.mean()), "makes": table}

    table = [{"declaration": o.declaration, "solved": rows(o.solved), "played": rows(o.played)} for o in odds]
    return {"hand": args.hand, "agent": args.agent, "seed": args.seed, "declarations": table}
