"""Cross-play: every two partners as a team against one opponent, on the same deals, greedy and sampled.

Give checkpoints of one configuration trained from several seeds. Self-play is the mean score of each with itself,
cross-play that of each with another, the gap the difference: how much is lost with a partner one never met.
"""

import argparse
from typing import TYPE_CHECKING

from texas42.commands.common import as_command_error, format_table
from texas42.commands.tournament import (
    add_many_matches_arguments,
    describe_notes,
    many_matches,
    setting_from,
    write_result,
)
from texas42.envs.rules.rules import resolve_rules

if TYPE_CHECKING:
    from texas42.training.evaluation.crossplay import CrossPlay, CrossPlayResult, Estimate

HELP = "how well policies play with partners they never met"
EXAMPLES = """examples:
  texas42 crossplay checkpoint:runs/a/best.safetensors checkpoint:runs/b/best.safetensors --with heuristic --workers 2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 crossplay``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("policies", metavar="POLICY", nargs="+", help="specs of policies made alike")
    parser.add_argument(
        "--with",
        dest="baselines",
        action="append",
        default=[],
        metavar="SPEC",
        help="a further partner, such as heuristic; any number of times; not in the three scores",
    )
    parser.add_argument(
        "--against", default="heuristic", metavar="TEAM", help="the opponent of all teams; default heuristic"
    )
    parser.add_argument(
        "--temperature",
        dest="temperatures",
        action="append",
        type=_temperature,
        metavar="T",
        help="play at this temperature, any number of times; default 0 (greedy) and 1 (sampled)",
    )
    add_many_matches_arguments(parser)


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 100")
    return value


def run(args: argparse.Namespace) -> int:
    """Play, print, write."""
    from texas42.envs.errors import OptionsError
    from texas42.training.evaluation.crossplay import count_matches, play_crossplay

    setting, temperatures = setting_from(args), args.temperatures or [0.0, 1.0]
    with as_command_error(OptionsError):
        matches = count_matches(args.policies, args.baselines, temperatures)
    with many_matches(args, matches) as options:
        result = play_crossplay(
            args.policies, args.baselines, args.against, setting, args.deals, temperatures=temperatures, **options
        )
    print(describe(result))
    write_result(args, result.to_json(), "crossplay.json")
    return 0


def describe(result: "CrossPlayResult") -> str:
    """Cross-play as a person reads it."""
    figures = result.to_json()
    lines = [
        f"against {result.opponent}, rules {resolve_rules(figures['rules'])}, seed {figures['seed']},"
        f" {result.deals:,} deals a match",
        f"score of the team of both partners minus the opponent's, {figures['unit']} per deal",
    ]
    for way in result.ways:
        lines += ["", f"{way.name}:", format_table(_matrix(way), right=range(1, len(way.partners) + 1))]
        lines.append(f"self-play  {_estimate(way.self_play)}")
        if way.cross_play is not None and way.gap is not None:
            lines += [f"cross-play {_estimate(way.cross_play)}", f"gap        {_estimate(way.gap)}"]
    return "\n".join([*lines, *describe_notes([m for way in result.ways for m in way.matches.values()])])


def _estimate(value: "Estimate") -> str:
    low, high = value.ci95
    return f"{value.mean:+.3f}   95 % interval {low:+.3f} to {high:+.3f}"


def _matrix(way: "CrossPlay") -> list[list[str]]:
    cells = way.to_json()["matrix"]
    rows = [["", *(f"({j + 1})" for j in range(len(cells)))]]
    for i, partner in enumerate(way.partners):
        rows.append([f"({i + 1}) {partner}", *(f"{mean:+.3f} ±{(high - low) / 2:.3f}" for mean, low, high in cells[i])])
    return rows
