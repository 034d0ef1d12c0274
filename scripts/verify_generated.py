"""Write hands of every preset under random house rules and verify them: what `generate` writes must pass `verify`.

    python scripts/verify_generated.py [--houses 20] [--hands 100] [--seed 0] [PRESET ...]

Of each preset the rules as they are and random houses are played, by random and heuristic players mixed, and written
with their legal actions. Prints a line for each preset and a total; exit code 1 if a record failed.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.generated import Outcome, verify_generated
from texas42.envs.rules.presets import PRESETS


def main() -> int:
    """Play, write, verify and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="default: all")
    parser.add_argument("--houses", type=int, default=20, metavar="N", help="rule sets of each preset (default 20)")
    parser.add_argument("--hands", type=int, default=100, metavar="N", help="hands of each rule set (default 100)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    total = Outcome()
    for preset in args.presets or PRESETS:
        with tempfile.TemporaryDirectory() as folder:
            outcome = verify_generated(preset, args.houses, args.hands, args.seed, Path(folder))
        total.add(outcome)
        print(f"{preset:14} {outcome.houses} houses: {outcome.passed} passed, {outcome.failed} failed", flush=True)
        for problem in outcome.problems[:5]:
            print(f"  {problem}")
    print(f"{total.houses} houses: {total.passed} passed, {total.failed} failed")
    return int(total.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
