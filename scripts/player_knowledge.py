"""What a trained policy knows: whether its forecasts of contracts come true, and where it thinks hidden tiles lie.

    python scripts/player_knowledge.py SPEC [--rules PRESET] [--hands N] [--beliefs N] [--seed S] [--json FILE]

The policy plays in all seats, greedily. By winning call, before the first lead: the mean forecast of the leader (the
bidder, in most games) that the contract is made, and how often it was; a call passes if it has 500 cases and the gap is
at most 3 points plus two standard errors. By trick: bits per hidden tile of the belief head, and of the exact
uniform over all deals that fit what the seat has seen. Markdown tables on stdout.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from texas42.agents.policy import PolicyAgent
from texas42.agents.specs import SpecError, make_agent
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.calibration import belief_head, belief_report, log_beliefs, make_report
from texas42.training.evaluation.forecasts import own_forecasts
from texas42.training.evaluation.handlog import HandLog, play_hands

CASES = 500
POINTS = 0.03


def main() -> int:
    """Returns 0 if every call with enough cases passes, 1 if one does not, 2 for bad arguments."""
    args = parse_arguments()
    try:
        rules = Rules.preset(args.rules)
        agent = make_agent(args.spec, rules)
    except (RulesError, SpecError) as error:
        print(f"player_knowledge: {error}", file=sys.stderr)
        return 2
    if not isinstance(agent, PolicyAgent):
        print(f"player_knowledge: {args.spec!r} is no trained policy, such as checkpoint:PATH", file=sys.stderr)
        return 2
    log = play_hands(agent, rules, args.hands, args.seed)
    bids = calibrate(log, agent)
    beliefs = believe(log, agent, args.beliefs, args.seed)
    print(f"{args.spec}, rules {args.rules}, {args.hands} hands, seed {args.seed}\n")
    print(bid_table(bids))
    print()
    print(belief_table(beliefs))
    if args.json:
        args.json.write_text(json.dumps({"bids": bids, "beliefs": beliefs}, indent=2) + "\n", "utf-8")
    return 0 if all(row["passes"] is not False for row in bids) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", help="a trained policy: pretrained, checkpoint:PATH")
    parser.add_argument("--rules", default="n42pa", help="preset (default n42pa)")
    parser.add_argument("--hands", type=int, default=20_000, help="hands played (default 20000)")
    parser.add_argument("--beliefs", type=int, default=3_000, help="decisions asked for beliefs (default 3000)")
    parser.add_argument("--seed", type=int, default=1, help="of the deals (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON, too")
    args = parser.parse_args()
    if args.hands < 1 or args.beliefs < 1:
        parser.error(f"--hands {args.hands} and --beliefs {args.beliefs} must be at least 1")
    return args


def calibrate(log: HandLog, agent: PolicyAgent) -> list[dict[str, Any]]:
    """By winning call: cases, mean forecast, share made, allowed gap, and whether it passes (None: too few cases)."""
    rows = []
    for call, found in make_report(log, own_forecasts(log, agent.made))["bids"].items():
        n = found["n"]
        forecast = sum(b["n"] * b["forecast"] for b in found["bins"]) / n
        made = sum(b["n"] * b["frequency"] for b in found["bins"]) / n
        allowed = POINTS + 2 * float(np.sqrt(made * (1 - made) / n))
        passes = abs(forecast - made) <= allowed if n >= CASES else None
        rows.append({"call": call, "n": n, "forecast": forecast, "made": made, "allowed": allowed, "passes": passes})
    return rows


def believe(log: HandLog, agent: PolicyAgent, limit: int, seed: int) -> list[dict[str, Any]]:
    """By phase and trick: bits per hidden tile of head and uniform, and their difference with its interval."""
    head = belief_head(agent)
    assert head is not None
    groups: list[dict[str, Any]] = belief_report(log, log_beliefs(log, head, limit=limit, seed=seed), seed)["groups"]
    return groups


def bid_table(rows: list[dict[str, Any]]) -> str:
    lines = ["| call | cases | forecast | made | gap allowed | within |", "|---|---|---|---|---|---|"]
    for row in rows:
        within = {True: "yes", False: "NO", None: "few cases"}[row["passes"]]
        figures = f"{row['forecast']:.3f} | {row['made']:.3f} | {row['allowed']:.3f}"
        lines.append(f"| {row['call']} | {row['n']:,} | {figures} | {within} |")
    return "\n".join(lines)


def belief_table(groups: list[dict[str, Any]]) -> str:
    lines = ["| when | policy, bits | exact uniform, bits | known beyond counting |", "|---|---|---|---|"]
    for group in groups:
        when = group["when"] if isinstance(group["when"], str) else f"trick {group['when']}"
        gain = group["gain"]
        low, high = gain["ci95"]
        lines.append(
            f"| {when} | {group['head']['mean']:.3f} | {group['uniform']['mean']:.3f}"
            f" | {gain['mean']:.3f} [{low:.3f}, {high:.3f}] |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
