"""scripts/compare_sb3.py: what it prints, on runs far too short to time anything."""

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib")

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "compare_sb3.py"
TINY = ["--seconds", "0.01", "--repeats", "2", "--width", "16", "--layers", "1"]
TINY += ["--hands", "24", "--minibatch", "64", "--rollout", "128", "--envs", "8"]
SETUPS = ("batched/random", "batched/self", "make_vec_env/random", "make_vec_env/self")


def result_of(*arguments: str) -> tuple[dict[str, Any], str]:
    command = [sys.executable, "-P", str(SCRIPT), *TINY, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    return json.loads(last), "\n".join(lines)


@pytest.mark.slow
def test_every_side_is_measured_in_every_repeat() -> None:
    result, table = result_of()
    sides = {side["side"]: side for side in result["sides"]}
    assert tuple(sides) == ("texas42", *SETUPS)
    for side in sides.values():
        for key in ("decisions_per_s", "decisions_per_cpu_s", "steps_per_s"):
            assert len(side[f"{key}_all"]) == 2
            assert side[key] == max(side[f"{key}_all"]) > 0
        assert 0 < side["play_share"] < 1
        assert side["side"] in table
    assert "\x1b" not in table


@pytest.mark.slow
def test_forced_moves_are_counted_on_neither_side_and_ratios_are_of_the_best() -> None:
    result, _ = result_of("--setups", "batched/self", "--threads", "1", "--mixed")
    ours, theirs = result["sides"]
    assert ours["steps_per_s"] == ours["decisions_per_s"]
    for decisions, steps in zip(theirs["decisions_per_s_all"], theirs["steps_per_s_all"], strict=True):
        assert 0.6 < decisions / steps < 0.95
    ratio = result["ratios"]["batched/self"]
    for key in ("decisions_per_s", "decisions_per_cpu_s"):
        assert ratio[key] == pytest.approx(ours[key] / theirs[key], abs=0.01)
    assert result["ratio"] == ratio["decisions_per_s"]
    settings = {"rules": "n42pa", "epochs": 2, "minibatch": 64, "width": 16, "layers": 1, "hands": 24, "mixed": True}
    assert {key: result[key] for key in settings} == settings
    assert result["envs"]["batched"] == 8
    assert result["threads"] == {"texas42": {"workers": 1, "torch": 1}, "sb3": {"torch": 1}}
    assert {"python", "torch", "sb3-contrib"} <= result["versions"].keys()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--seconds", "0"], "--seconds: '0' is not a number above 0"),
        (["--minibatch", "1"], "--minibatch: 1 is not a whole number from 2"),
        (["--envs", "many"], "--envs: 'many' is not a whole number from 1"),
        (["--setups", "subproc"], "--setups: invalid choice: 'subproc'"),
        (["--rollout", "1000"], "--rollout 1000 is less than --minibatch 2048"),
        (["--hands", "2", "--threads", "3"], "--hands 2 is less than --threads 3"),
    ],
)
def test_bad_arguments_are_named(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(SCRIPT))["parse"](arguments)
    assert stop.value.code == 2
    assert text in capsys.readouterr().err
