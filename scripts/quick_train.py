"""Train configs/quick.yaml, measure the policy against the baselines, and say where everything is.

`make train` runs this. Killed at any moment and run again, it goes on where it was saved and ends the same.
Needs the extra `train`; five minutes on two cores that do nothing else, evaluation included.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from texas42.agents.base import Agent
from texas42.agents.checkpoint import CheckpointError
from texas42.agents.policy import load_policy_agent
from texas42.agents.recording import record_hands
from texas42.cli import main as texas42
from texas42.envs.records import HandRecord, format_hand, write
from texas42.envs.rules.rules import Rules
from texas42.training.config import ConfigError, load_config
from texas42.training.evaluation.match import play_match
from texas42.training.trainer import BEST, LAST, RunError, is_begun

BASELINES = ("random", "passer", "heuristic")
EVALUATION_SEED = 42
HANDS_LOOKED_AT = 20


def main() -> int:
    """Returns the exit code of training, or 0."""
    args = parse_arguments()
    started = time.monotonic()
    try:
        config = load_config(args.config)
        resume = is_begun(args.out, config)
    except (ConfigError, CheckpointError, RunError) as error:
        print(f"quick_train: {error}", file=sys.stderr)
        return 2
    if resume:
        print(f"going on with the run in {args.out}")
    command = ["train", "--out", str(args.out), *(["--resume"] if resume else ["--config", args.config])]
    code = texas42(command)
    if code:
        return code
    rules = config.resolved_rules
    agent = load_policy_agent(args.out / BEST, rules)
    for baseline in BASELINES:
        print(evaluate(agent, baseline, rules, args.deals, args.out), flush=True)
    hand = show_hand(agent, rules, args.out)
    print(f"\n{hand}\n")
    print(closing(args.out, time.monotonic() - started))
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", default="quick", help="configuration (default quick)")
    parser.add_argument("--out", type=Path, default=Path("runs/quick"), help="folder (default runs/quick)")
    parser.add_argument("--deals", type=int, default=5000, help="deals of each match (default 5000)")
    return parser.parse_args()


def evaluate(agent: Agent, baseline: str, rules: Rules, deals: int, out: Path) -> str:
    """Play a duplicate match, write its figures, and return a line about them."""
    result = play_match(agent, baseline, rules, deals, EVALUATION_SEED)
    figures = result.to_json()
    (out / f"match-{baseline}.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    low, high = result.ci95
    return (
        f"against {baseline:<9} {result.mean:+.3f} {result.unit} a deal, 95 % interval [{low:+.3f}, {high:+.3f}], "
        f"{deals} deals, both sides"
    )


def show_hand(agent: Agent, rules: Rules, out: Path) -> str:
    """Record one hand that was bid, as a record and as text; returns the text."""
    hands = list(record_hands(rules, [agent] * rules.seats, HANDS_LOOKED_AT, EVALUATION_SEED, episode="hand"))
    chosen: HandRecord = next((hand for hand in hands if hand.contract is not None), hands[0])
    write(out / "hand.jsonl", [chosen])
    text = format_hand(chosen)
    (out / "hand.txt").write_text(text + "\n", "utf-8")
    return text


def closing(out: Path, seconds: float) -> str:
    """Where everything is."""
    return "\n".join(
        [
            f"done in {seconds / 60:.1f} minutes",
            f"policy       {out / BEST}   play against it: texas42 play --agents checkpoint:{out / BEST}",
            f"all of it    {out / LAST}",
            f"matches      {out}/match-*.json",
            f"one hand     {out / 'hand.txt'}   {out / 'hand.jsonl'}",
            f"curves       tensorboard --logdir {out / 'tensorboard'}",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
