"""Whether a player bids by the score of the game: the same hands at even, late, lost and won scores.

    python scripts/score_awareness.py SPEC [--deals N] [--rules PRESET] [--seed S] [--json FILE]

The player sits in all seats. First its opening call: the first caller's answer to the same N deals at 0-0, at one
short of the target for both sides, for the other side and for its own (6-6, 0-6 and 6-0 to 7; mine first). Then the
whole auctions, the first caller's score first: how often all pass, and of the contracts the share of marks bids, the
share won by the first caller's side and the mean points bid. `change` is the difference to 0-0 on the same deals.
Figures are percentages (points in points) ± one standard error over deals. Markdown tables on stdout.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from texas42.agents.arena import choose_actions, decision_keys
from texas42.agents.base import Agent
from texas42.agents.specs import SpecError, make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.state import AUCTION
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.ladder import PASS, POINTS
from texas42.envs.rules.rules import Rules

Outcomes = dict[str, npt.NDArray[np.float64]]
"""By figure, 0, 1 or a number for every deal, (n,); NaN where it does not apply."""
Figures = dict[str, dict[str, float]]
OPENING = ("passes", "bids points", "bids marks", "points bid")
WHOLE = ("all pass", "marks contract", "first side's", "points of contract")
IN_POINTS = ("points bid", "points of contract")


def main() -> int:
    """Returns 0, or 2 for bad arguments."""
    args = parse_arguments()
    try:
        rules = Rules.preset(args.rules)
        agent = make_agent(args.spec, rules)
    except (RulesError, SpecError, ValueError) as error:
        print(f"score_awareness: {error}", file=sys.stderr)
        return 2
    near = rules.target - 1
    found = {}
    for mine, theirs in ((0, 0), (near, near), (0, near), (near, 0)):
        found[f"{mine}-{theirs}"] = ask(agent, rules, args.deals, args.seed, mine, theirs)
    report = {name: figures(outcomes, found["0-0"]) for name, outcomes in found.items()}
    print(f"{args.spec}, rules {args.rules}, {args.deals} deals, seed {args.seed}\n")
    print(table("opening call at", report, OPENING))
    print()
    print(table("auction at", report, WHOLE))
    if args.json:
        args.json.write_text(json.dumps({"spec": args.spec, "deals": args.deals, "scores": report}, indent=2) + "\n")
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", help="an agent: pretrained, checkpoint:PATH, pimc:worlds=10")
    parser.add_argument("--deals", type=int, default=5_000, help="deals (default 5000)")
    parser.add_argument("--rules", default="n42pa", help="preset (default n42pa)")
    parser.add_argument("--seed", type=int, default=1, help="of the deals (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON, too")
    args = parser.parse_args()
    if args.deals < 2:
        parser.error(f"--deals {args.deals} must be at least 2")
    return args


def ask(agent: Agent, rules: Rules, deals: int, seed: int, mine: int, theirs: int) -> Outcomes:
    """Hold the auctions of the deals at a score, the first caller's side first."""
    game = BatchedGame(rules, deals, episode="game", auto_reset=False)
    game.reset(seed)
    first = game.movers.astype(np.int64) % rules.sides
    game.states["scores"][:, : rules.sides] = np.where(np.arange(rules.sides) == first[:, None], mine, theirs)
    agent.reset(game.states["row"].copy())
    opening = np.full(deals, -1)
    seating, steps = np.zeros((deals, rules.seats), np.int64), np.zeros(deals, np.int64)
    while len(rows := np.flatnonzero((game.states["phase"] == AUCTION) & (game.states["hand_no"] == 0))):
        part = rows_of(game, rows)
        actions = choose_actions(part, [agent], seating[rows], decision_keys(part, seed, steps[rows]))
        if not steps.any():
            opening = actions
        copies = part.states.copy()
        drivers.step_batch(copies, game.tables, actions)
        game.states[rows] = copies
        steps[rows] += 1
    return outcomes_of(game, opening, first)


def rows_of(game: BatchedGame, rows: npt.NDArray[np.int64]) -> BatchedGame:
    """A batch of some rows of a game, for agents to look at."""
    part = BatchedGame(game.rules, len(rows), episode="game", auto_reset=False)
    part.reset(0)
    part.states[:] = game.states[rows]
    return part


def outcomes_of(game: BatchedGame, opening: npt.NDArray[np.int64], first: npt.NDArray[np.int64]) -> Outcomes:
    """What became of the auctions; `opening` are the first calls, `first` the sides that made them."""
    ladder, states = game.codec.ladder, game.states
    kinds, needs = np.array([row.kind for row in ladder]), np.array([row.need for row in ladder])
    kind, points = kinds[opening], kinds[opening] == POINTS
    thrown_in, in_points = states["hand_no"] > 0, kinds[states["call"]] == POINTS
    return {
        "passes": (kind == PASS).astype(float),
        "bids points": points.astype(float),
        "bids marks": ((kind != PASS) & ~points).astype(float),
        "points bid": np.where(points, needs[opening], np.nan),
        "all pass": thrown_in.astype(float),
        "marks contract": np.where(thrown_in, np.nan, ~in_points),
        "first side's": np.where(thrown_in, np.nan, states["bidder"] % game.rules.sides == first),
        "points of contract": np.where(thrown_in | ~in_points, np.nan, needs[states["call"]]),
    }


def figures(found: Outcomes, even: Outcomes) -> Figures:
    """Mean and standard error of every figure, and of its change on deals for which it applies at 0-0 too."""
    out = {}
    for name, values in found.items():
        change = values - even[name]
        (mean, error), (moved, moved_error) = mean_and_error(values), mean_and_error(change)
        out[name] = {"mean": mean, "error": error, "change": moved, "change_error": moved_error}
    return out


def mean_and_error(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    there = values[~np.isnan(values)]
    if len(there) < 2:
        return float("nan"), float("nan")
    return float(there.mean()), float(there.std(ddof=1) / np.sqrt(len(there)))


def written(mean: float, error: float, sign: str = "") -> str:
    return "" if np.isnan(mean) else f"{mean:{sign}.2f} ± {error:.2f}"


def table(head: str, report: dict[str, Figures], names: tuple[str, ...]) -> str:
    columns = " | ".join(f"{name} | change" for name in names)
    lines = [f"| {head} | {columns} |", "|---" * (1 + 2 * len(names)) + "|"]
    for score, found in report.items():
        cells = []
        for name in names:
            figure, scale = found[name], 1 if name in IN_POINTS else 100
            cells.append(written(figure["mean"] * scale, figure["error"] * scale))
            change = written(figure["change"] * scale, figure["change_error"] * scale, "+")
            cells.append("" if score == "0-0" else change)
        lines.append(f"| {score} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
