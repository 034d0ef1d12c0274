"""Nodes and time of the solver with one feature switched off at a time (docs/SOLVER.md).

``python scripts/solver_ablation.py [--deals 300] [--seed 0]``
"""

import argparse

from texas42.agents.solver import workspace
from texas42.agents.solver.measure import Bench, row

FEATURES = {
    "everything": 0,
    "no equivalent trump sets in the table": workspace.CANON,
    "no merged neighbouring trumps": workspace.MERGE,
    "no bound from leads that cannot lose": workspace.CASH,
    "no bound from trump tricks": workspace.TRUMPS,
    "leads in fixed order": workspace.LEADS,
    "replies in fixed order": workspace.REPLIES,
    "MTD(f) from the middle, no bisection": workspace.BISECT,
    "no table": workspace.TABLE,
}


def main() -> None:
    """Measure and print one line for each feature."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"{'exact points, 28 tiles':42}  mean ms     nodes   30 or more: ms     nodes")
    checksums = set()
    for name, off in FEATURES.items():
        bench = Bench(args.deals, args.seed, features=workspace.ALL_FEATURES & ~off)
        exact = row(name, *bench.times(bench.exact))
        window = row(name, *bench.times(bench.at_least_30))
        checksums.add((exact["checksum"], window["checksum"]))
        print(f"{name:42} {exact['mean_ms']:8.3f} {exact['nodes']:9.0f} "
              f"{window['mean_ms']:16.3f} {window['nodes']:9.0f}")
    if len(checksums) != 1:
        raise SystemExit("the answers differ: a feature is not exact")


if __name__ == "__main__":
    main()
