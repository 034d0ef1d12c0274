"""scripts/cross_play.py: its settings, its arguments, and that it goes on after a kill and after Ctrl-C."""

import json
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from texas42.agents.checkpoint import load_checkpoint
from texas42.commands.train import LineReporter
from texas42.training.config import TrainConfig
from texas42.training.rollout import LEARNER, seat_strangers
from texas42.training.trainer import LAST, saved_config, train

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "cross_play.py"
TINY: dict[str, Any] = {
    "network": {"width": 16, "layers": 1},
    "imitation": {"batches": 1, "hands": 24, "minibatch": 64},
    "ppo": {"updates": 3, "hands": 24, "minibatch": 64},
    "evaluation": {"every": 0, "deals": 8},
    "checkpoint_every": 1,
}


def command(folder: Path, *more: str) -> list[str]:
    config = folder / "tiny.yaml"
    config.write_text(yaml.safe_dump(TINY))
    deals = ["--deals", "6", "--stranger-deals", "4"]
    return [sys.executable, "-P", str(SCRIPT), "--config", str(config), "--runs", str(folder / "runs"), *deals, *more]


def planned(folder: Path, *more: str) -> dict[str, list[TrainConfig]]:
    script = runpy.run_path(str(SCRIPT))
    plan = script["plan"](script["parse_arguments"](["--runs", str(folder), *more]))
    return {name: [training.config for training in trainings] for name, trainings in plan.items()}


def test_settings_differ_in_what_they_leave_out_alone(tmp_path: Path) -> None:
    configs = planned(tmp_path, "full", "no_belief", "own_partners", "neither", "--seeds", "3")
    assert all([config.seed for config in found] == [1, 2, 3] for found in configs.values())
    plain = {name: found[0].to_dict() for name, found in configs.items()}
    for name in ("no_belief", "neither"):
        assert plain[name]["ppo"].pop("belief") == 0
        plain[name]["ppo"]["belief"] = plain["full"]["ppo"]["belief"]
    for name in ("own_partners", "neither"):
        assert plain[name]["opponents"].pop("mixed") == 0
        plain[name]["opponents"]["mixed"] = plain["full"]["opponents"]["mixed"]
    assert plain["full"]["ppo"]["belief"] > 0
    assert all(config == plain["full"] for config in plain.values())


def test_strangers_sit_at_as_many_tables_whether_as_partners_or_not(tmp_path: Path) -> None:
    tables = {}
    for name, found in planned(tmp_path, "full", "own_partners").items():
        league = found[0].opponents
        seating = seat_strangers(1000, 4, 2, league.share, league.mixed, 3, np.random.default_rng(1))
        theirs = seating != LEARNER
        tables[name] = int(theirs.any(axis=1).sum()), int((theirs.sum(axis=1) == 1).sum())
        assert ((theirs[:, :2] == theirs[:, 2:]).all(axis=1) | (theirs.sum(axis=1) == 1)).all()
    assert tables["own_partners"] == (400, 0)
    assert tables["full"][0] == 400
    assert 150 < tables["full"][1] < 250


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["ful"], "settings ful: unknown or given twice; there are full, no_belief"),
        (["full", "full"], "settings full, full: unknown or given twice"),
        (["--seeds", "1"], "--seeds: 1 is not a whole number from 2 to 20"),
        (["--jobs", "0"], "--jobs: 0 is not a whole number from 1"),
        (["--deals", "none"], "--deals: 'none' is not a whole number"),
        (["--set", "seed=5"], "--set seed is not allowed"),
        (["--runs", "a,b"], "--runs a,b must be without ',' and '+'"),
        (["--config", "quik"], "no configuration 'quik' (did you mean 'quick'?)"),
        (["--set", "ppo.update=5"], "unknown key 'ppo.update'"),
        (["--set", "rules=moon"], "cross-play needs two seats a side; 'moon' has 1"),
        (["--set", "opponents.share=0"], "opponents.share=0, mixed=0.5"),
        (["--set", "opponents.agents=[]", "--set", "opponents.keep=0"], "agents=[], keep=0: `full` must have"),
        (["--set", "ppo.belief=0"], "ppo.belief=0: `full` must have the belief head's loss"),
        (["--out", "no/such/folder.json"], "cannot write no/such/folder.json"),
    ],
)
def test_bad_arguments_are_named(
    arguments: list[str],
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = runpy.run_path(str(SCRIPT))["main"](arguments)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    printed = capsys.readouterr()
    assert text in printed.err
    assert not printed.out
    assert not list(tmp_path.glob("runs/cross_play/*"))


def test_a_damaged_run_is_found_before_anything_is_trained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no_belief-2").mkdir()
    (tmp_path / "no_belief-2" / LAST).write_bytes(b"junk")
    assert runpy.run_path(str(SCRIPT))["main"](["--runs", str(tmp_path)]) == 2
    assert str(tmp_path / "no_belief-2" / LAST) in capsys.readouterr().err
    assert not (tmp_path / "full-1").exists()


def children(pid: int) -> list[int]:
    return [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def runs_on(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(what: Any, seconds: float = 600) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A folder in which the script was killed early and started again."""
    folder = tmp_path_factory.mktemp("cross_play")
    arguments = command(folder, "full", "own_partners", "--seeds", "2")
    script = subprocess.Popen([*arguments, "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: list(folder.glob(f"runs/*/{LAST}")) or script.poll() is not None)
    started = children(script.pid)
    script.kill()
    script.wait()
    wait_until(lambda: not any(runs_on(pid) for pid in started), 30)
    return folder, subprocess.run(arguments, capture_output=True, text=True, timeout=1200)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_killed_and_started_again_it_ends_the_same(
    killed: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    folder, done = killed
    assert done.returncode == 0, done.stderr
    out = folder / "runs" / "full-1"
    train(saved_config(out), tmp_path / "whole", LineReporter())
    assert (out / LAST).read_bytes() == (tmp_path / "whole" / LAST).read_bytes()
    assert not {"\r", "\x1b"} & set(done.stdout + done.stderr)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_tables_and_figures_agree(killed: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = killed
    lines = done.stdout.splitlines()
    assert lines[2] == "| setting | self-play | cross-play | gap | with heuristic | with pimc:worlds=10 |"
    assert [line.split(" | ")[0] for line in lines[4:6]] == ["| `full`", "| `own_partners`"]
    report = json.loads((folder / "runs" / "cross_play.json").read_text())
    assert "full own_partners --seeds 2" in report["command"]
    own, full = report["settings"]["own_partners"], report["settings"]["full"]
    assert own["overrides"] == ["opponents.mixed=0"]
    assert [run["updates"] for run in own["runs"]] == [3, 3]
    assert full["crossplay"]["deals"] == 6
    assert [match["deals"] for met in full["strangers"].values() for match in met] == [4] * 4
    for name, score in full["scores"].items():
        gain = report["full_minus"]["own_partners"][name]
        assert gain["mean"] == pytest.approx(score["mean"] - own["scores"][name]["mean"])
        assert f"| `own_partners` | {name} | {gain['mean']:+.3f} |" in done.stdout
    assert full["scores"]["gap"]["mean"] == pytest.approx(full["crossplay"]["ways"][0]["gap"]["mean"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_finished_comparison_is_neither_trained_nor_played_anew(
    killed: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = killed
    journal = folder / "runs" / "matches.jsonl"
    before = journal.read_bytes()
    again = subprocess.run(
        command(folder, "full", "own_partners", "--seeds", "2"), capture_output=True, text=True, timeout=1200
    )
    assert again.stdout == done.stdout
    assert "self-play:" not in again.stderr
    assert journal.read_bytes() == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_ctrl_c_saves_every_run_that_is_going(tmp_path: Path) -> None:
    endless = ["--set", "ppo.updates=100000", "--set", "checkpoint_every=100000"]
    script = subprocess.Popen(
        command(tmp_path, "--seeds", "2", "--jobs", "2", *endless), stderr=subprocess.PIPE, text=True
    )
    assert script.stderr is not None
    waiting = {"full-1: self-play: 0 of", "full-2: self-play: 0 of"}
    while waiting:
        line = script.stderr.readline()
        assert line
        waiting -= {text for text in waiting if text in line}
    started = children(script.pid)
    script.send_signal(signal.SIGINT)
    assert "cross_play: stopped; the same command goes on" in script.stderr.read()
    assert script.wait() == 130
    wait_until(lambda: not any(runs_on(pid) for pid in started), 30)
    for seed in (1, 2):
        saved = load_checkpoint(tmp_path / "runs" / f"full-{seed}" / LAST, groups=())
        assert saved.field("progress", dict)["updates"] >= 1
