"""Train small configurations, one for each game beside those of `quick`, `standard`, `open_rules`, and measure them.

    python scripts/train_variants.py [NAME ...] [--out DIR] [--deals N] [--seed S]

Every policy plays duplicate matches against `random` and `heuristic` by its own rules. Prints a Markdown table, each
row as soon as it is known. Killed and started again it goes on: finished runs are measured, not trained anew.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from texas42.agents.checkpoint import CheckpointError, load_checkpoint
from texas42.agents.policy import PolicyAgent, load_policy_agent
from texas42.cli import main as texas42
from texas42.envs.rules.rules import Rules
from texas42.training.config import config_names, load_config
from texas42.training.evaluation.match import play_match
from texas42.training.trainer import BEST, LAST, RunError, is_begun, saved_config

BIG = {"quick", "standard", "exploit", "open_rules", "large"}
OPPONENTS = ("random", "heuristic")
HEADER = "| configuration | decisions learnt from | against `random` | against `heuristic` |\n|---|---|---|---|"


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0, or the exit code of a training that failed or was interrupted."""
    args = parse_arguments(argv)
    print(HEADER, flush=True)
    for name in args.names:
        out = args.out / name
        try:
            command = ["--resume"] if is_begun(out, load_config(name)) else ["--config", name]
        except (CheckpointError, RunError) as error:
            print(f"train_variants: {error}", file=sys.stderr)
            return 2
        with redirect_stdout(sys.stderr):  # the table alone goes to standard output
            code = texas42(["train", "--out", str(out), *command])
        if code:
            return code
        print(row(name, out, args.deals, args.seed), flush=True)
    return 0


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    names = [name for name in config_names() if name not in BIG]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"configurations, of {', '.join(names)} (default all)")
    parser.add_argument("--out", type=Path, default=Path("runs/variants"), help="folder (default runs/variants)")
    parser.add_argument("--deals", type=int, default=1000, help="deals of each match (default 1000)")
    parser.add_argument("--seed", type=int, default=42, help="of the matches (default 42)")
    args = parser.parse_args(argv)
    odd = [name for name in args.names if name not in names]
    if odd:
        parser.error(f"no small configuration {', '.join(map(repr, odd))}; there are {', '.join(names)}")
    if args.deals < 1:
        parser.error(f"--deals {args.deals} must be at least 1")
    args.names = args.names or names
    return args


def row(name: str, out: Path, deals: int, seed: int) -> str:
    """What a finished policy reached, as a row of the table."""
    config = saved_config(out)
    rules, agent = config.resolved_rules, load_policy_agent(out / BEST, config.resolved_rules)
    cells = [against(agent, opponent, rules, deals, seed) for opponent in OPPONENTS]
    return f"| `{name}` | {decisions(out):,} | {' | '.join(cells)} |"


def against(agent: PolicyAgent, opponent: str, rules: Rules, deals: int, seed: int) -> str:
    """A match as text: mean and interval with their unit."""
    result = play_match(agent, opponent, rules, deals, seed)
    low, high = result.ci95
    return f"{result.mean:+.2f} ({low:+.2f} to {high:+.2f}) {result.unit}"


def decisions(out: Path) -> int:
    """Decisions a run has learnt from."""
    return int(load_checkpoint(out / LAST, groups=()).field("progress", dict)["decisions"])


if __name__ == "__main__":
    sys.exit(main())
