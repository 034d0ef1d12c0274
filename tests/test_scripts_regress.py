"""scripts/regress_on_advice.py learns, and says what is wrong with its arguments."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "scripts" / "regress_on_advice.py"
SMALL = "network.width=16,network.tile_width=8,ppo.hands=64,ppo.minibatch=64,advice.share=1,workers=1"


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)


def test_a_network_that_learns_gains_and_one_that_does_not_stays() -> None:
    still = f"{SMALL},ppo.learning_rate=0,ppo.final_learning_rate=0"
    result = run(SMALL, still, "--config", "quick", "--updates", "8", "--test-hands", "128")
    assert result.returncode == 0, result.stderr
    teacher, learnt, stood = [line.split("|")[2:-1] for line in result.stdout.splitlines()[2:]]
    assert float(teacher[-1]) > 0
    assert int(learnt[0].replace(",", "")) == int(stood[0].replace(",", "")) > 64 * 8 * 4
    assert len(set(stood[1:5])) == len(set(stood[5:9])) == 1
    assert float(learnt[4]) > float(stood[4])
    assert float(learnt[8]) > float(stood[8])


def test_settings_that_do_not_fit_are_refused() -> None:
    result = run("optimiser=sgd")
    assert (result.returncode, result.stdout) == (2, "")
    assert "optimiser='sgd' is not allowed" in result.stderr
