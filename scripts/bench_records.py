"""Records verified per CPU second of one core, with their legal sets: one row a preset.

    python scripts/bench_records.py [PRESET ...]
"""

import sys
import tempfile
import time
from pathlib import Path

from texas42.agents.recording import record_hands, specs_by_seat
from texas42.agents.specs import make_agent
from texas42.envs.records import verify, write
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

HANDS = 2000


def main(presets: list[str]) -> None:
    """Print one line for each preset."""
    with tempfile.TemporaryDirectory() as folder:
        for preset in presets:
            path = Path(folder) / f"{preset}.jsonl"
            rules = Rules.preset(preset)
            agents = [make_agent(spec, rules) for spec in specs_by_seat(["random"], rules)]
            write(path, record_hands(rules, agents, HANDS, seed=3, legal=True))
            rate = max(_rate(path) for _ in range(3))
            print(f"{preset:14} {rate:8.0f} records per CPU second")


def _rate(path: Path) -> float:
    start = time.process_time()
    assert verify(path).failed == 0
    return HANDS / (time.process_time() - start)


if __name__ == "__main__":
    main(sys.argv[1:] or list(PRESETS))
