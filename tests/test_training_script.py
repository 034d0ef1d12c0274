"""scripts/quick_train.py as `make train` runs it: plain output, files where it says, and a kill does no harm."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from texas42.envs.records import read
from texas42.training.trainer import LAST

ROOT = Path(__file__).resolve().parents[1]
TINY = {
    "network": {"width": 16, "layers": 1},
    "imitation": {"batches": 2, "hands": 24, "minibatch": 64},
    "ppo": {"updates": 6, "hands": 24, "minibatch": 64},
    "evaluation": {"every": 3, "deals": 8},
    "checkpoint_every": 1,
}


def command(folder: Path, out: str) -> list[str]:
    config = folder / "tiny.yaml"
    config.write_text(yaml.safe_dump(TINY))
    script = str(ROOT / "scripts" / "quick_train.py")
    return [sys.executable, script, "--config", str(config), "--out", str(folder / out), "--deals", "20"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("quick")
    done = subprocess.run(command(folder, "run"), capture_output=True, text=True, timeout=600)
    return folder, done


@pytest.mark.slow
def test_it_ends_well_and_leaves_everything_it_names(finished: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = finished
    assert done.returncode == 0, done.stderr
    out = folder / "run"
    for baseline in ("random", "passer", "heuristic"):
        match = json.loads((out / f"match-{baseline}.json").read_text())
        assert match["b"] == baseline
        assert match["deals"] == 20
        assert f"against {baseline}" in done.stdout
    assert len(list(read(out / "hand.jsonl"))) == 1
    assert (out / "hand.txt").read_text().strip() in done.stdout
    assert list((out / "tensorboard").glob("events*"))
    for name in ("best.safetensors", LAST, "tensorboard"):
        assert str(out / name) in done.stdout
        assert (out / name).exists()


@pytest.mark.slow
def test_output_is_plain_when_not_on_a_terminal(finished: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    text = finished[1].stdout + finished[1].stderr
    assert "\r" not in text
    assert "\x1b" not in text


@pytest.mark.slow
def test_killed_and_run_again_it_ends_with_the_same_bytes(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = finished
    killed = subprocess.Popen(command(folder, "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    last = folder / "killed" / LAST
    deadline = time.monotonic() + 300
    while not last.exists() and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    again = subprocess.run(command(folder, "killed"), capture_output=True, text=True, timeout=600)
    assert again.returncode == 0, again.stderr
    assert "going on with the run" in again.stdout
    assert last.read_bytes() == (folder / "run" / LAST).read_bytes()


@pytest.mark.slow
def test_a_folder_of_another_configuration_is_refused(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = finished
    arguments = [*command(folder, "run"), "--config", "quick"]
    refused = subprocess.run(arguments, capture_output=True, text=True, timeout=600)
    assert refused.returncode == 2
    assert "holds a run of another configuration" in refused.stderr
    assert "Traceback" not in refused.stderr
