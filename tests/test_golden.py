"""Golden playthroughs: the text of a few hands of every preset, judged by the engine and by the slow oracle."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import oracle
from texas42.envs.records import complete, to_line, verify
from texas42.envs.rules.presets import PRESETS

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
NAMES = sorted({*PRESETS, *(path.stem for path in GOLDEN.glob("*.jsonl"))})


def lines_of(name: str) -> list[str]:
    return (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def records_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(name)]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_golden", ROOT / "scripts" / "make_golden.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_a_golden_playthrough(preset: str) -> None:
    records = records_of(preset)
    assert len(records) >= 5
    assert all(record["rules"] == {"preset": preset} and record["legal"] for record in records)


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_writes_the_golden_text(name: str) -> None:
    for number, line in enumerate(lines_of(name), 1):
        r = json.loads(line)
        again = complete(r["rules"], r["shaker"], r["scores"], r["hands"], r["widow"], r["actions"])
        assert to_line(again) == line, f"{name}.jsonl, line {number}"


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_agrees_with_the_golden_text(name: str) -> None:
    problems = {i: oracle.replay(record) for i, record in enumerate(records_of(name), 1)}
    assert not {line: found for line, found in problems.items() if found}


@pytest.mark.parametrize("name", NAMES)
def test_golden_files_verify(name: str) -> None:
    report = verify(GOLDEN / f"{name}.jsonl")
    assert (report.passed, report.errors) == (len(lines_of(name)), [])


@pytest.mark.parametrize("name", ["moon", "open"])
def test_the_script_writes_the_golden_files(name: str) -> None:
    assert script().golden_lines(name) == lines_of(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_script_writes_every_golden_file(name: str) -> None:
    assert script().golden_lines(name) == lines_of(name)


def test_golden_hands_show_the_rare_actions() -> None:
    kinds = {script().kind_of(action) for name in NAMES for r in records_of(name) for action in r["actions"]}
    water = {"DIP", "DIVE", "C51", "ASK", "TWO39", "MOON", "SHOOT_OVER", "SPLASH", "PLUNGE"}
    declarations = {"PIP", "DBL", "NT", "NELLO", "SEVENS", "LOPER", "COUNT"}
    assert kinds == water | declarations | {"PASS", "P", "M", "TAKE", "LEAVE", "DISCARD", "CLAIM", "tile", "low"}


def test_golden_hands_end_in_every_way() -> None:
    records = [r for name in NAMES for r in records_of(name)]
    claims = {r["made"] for r in records if r["actions"][-1].startswith("CLAIM")}
    assert {r["made"] for r in records} == {True, False, None}
    assert claims == {True, False}
