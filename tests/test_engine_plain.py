"""The engine without the JIT: the same hands, so that a person can step through one in a debugger."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import plain

SCRIPT = Path(plain.__file__)


@pytest.fixture(scope="module")
def uncompiled() -> dict[str, str]:
    """Digest of every preset's hands, played by plain Python; a warning is an error there."""
    run = subprocess.run(
        [sys.executable, "-P", str(SCRIPT), *plain.PRESETS],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return dict(line.split() for line in run.stdout.splitlines())


@pytest.mark.parametrize("preset", plain.PRESETS)
def test_plain_python_plays_the_same_hands(preset: str, uncompiled: dict[str, str]) -> None:
    assert plain.digest(preset) == uncompiled[preset]
