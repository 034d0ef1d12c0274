"""Print the solver's figures: ``python scripts/bench_solver.py [--deals 1000] [--seed 0]``."""

import argparse

from texas42.agents.solver.measure import measure_solver


def main() -> None:
    """Measure and print one line for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=1000, help="deals for the single questions (tables: a tenth)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"{'CPU milliseconds a deal':28}   mean  median     p99     max     nodes   deals")
    for row in measure_solver(args.deals, args.seed):
        figures = f"{row['mean_ms']:7.3f} {row['median_ms']:7.3f} {row['p99_ms']:7.2f} {row['max_ms']:7.2f}"
        print(f"{row['question']:28}{figures} {row['nodes']:9.0f} {row['deals']:7}")


if __name__ == "__main__":
    main()
