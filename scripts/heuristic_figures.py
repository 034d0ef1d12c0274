"""The heuristic's figures: speed, and duplicate matches against `random` and `passer`; prints JSON rows.

    python scripts/heuristic_figures.py [--deals 5000] [--seed 1] [--rules n42pa] [--json FILE]

The first match is played on a given contract (the last caller bids 30 and names his best pip trump), so that only
the play of the hand counts; the others are whole hands with bidding.
"""

import argparse
import json
import sys
from pathlib import Path

from texas42.benchmarks import measure_agent
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match

MATCHES = (("random", "30"), ("passer", None), ("random", None))


def rows(rules: Rules, deals: int, seed: int, repeats: int) -> list[dict[str, object]]:
    """The speed, then every match."""
    found: list[dict[str, object]] = [measure_agent("heuristic", rules, repeats=repeats)]
    for opponent, contract in MATCHES:
        result = play_match("heuristic", opponent, rules, deals, seed, contract=contract)
        found.append({"bench": "match", **result.to_json()})
    return found


def main(argv: list[str] | None = None) -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5, help="repeats of the speed measurement")
    parser.add_argument("--rules", default="n42pa", metavar="PRESET")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args(argv)
    found = rows(Rules.preset(args.rules), args.deals, args.seed, args.repeats)
    text = json.dumps({"rows": found}, indent=2)
    print(text)
    if args.json:
        Path(args.json).write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
