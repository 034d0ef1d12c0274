"""docs/OBSERVATION.md says what the engine does."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "scripts" / "observation_docs.py"


def test_the_observation_is_documented_as_it_is() -> None:
    run = subprocess.run([sys.executable, "-P", str(SCRIPT), "--check"], check=False)
    assert run.returncode == 0, "docs/OBSERVATION.md is out of date: run scripts/observation_docs.py"
