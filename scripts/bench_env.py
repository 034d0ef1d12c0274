"""Turns per second of the PettingZoo environment; ``python scripts/bench_env.py --help``.

Prints one JSON row per rule set, measured in CPU seconds, and with ``--official`` what PettingZoo's own
performance_benchmark says (in wall seconds, five of them).
"""

import argparse
import json
import time

from pettingzoo.test import performance_benchmark

from texas42.envs.aec import env
from texas42.envs.benchmarks import measure_env_turns


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", nargs="+", default=["n42pa"], metavar="PRESET")
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU seconds for each rule set")
    parser.add_argument("--official", action="store_true", help="run PettingZoo's performance_benchmark too")
    args = parser.parse_args()
    for rules in args.rules:
        print(json.dumps(measure_env_turns(rules, args.seconds)))
        if args.official:
            wall, cpu = time.time(), time.process_time()
            performance_benchmark(env(rules=rules))
            share = (time.process_time() - cpu) / (time.time() - wall)
            print(f"{share:.0%} of one core was to be had meanwhile")


if __name__ == "__main__":
    main()
