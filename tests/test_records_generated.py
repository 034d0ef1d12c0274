"""What is generated verifies: every preset, random house rules, random and heuristic players (in volume: a script)."""

from pathlib import Path

import pytest

from support.generated import verify_generated
from texas42.envs.rules.presets import PRESETS


@pytest.mark.parametrize("preset", PRESETS)
def test_generated_hands_of_random_houses_verify(preset: str, tmp_path: Path) -> None:
    outcome = verify_generated(preset, number=3, hands=8, seed=7, folder=tmp_path)
    assert (outcome.houses, outcome.passed, outcome.failed) == (3, 24, 0), outcome.problems
