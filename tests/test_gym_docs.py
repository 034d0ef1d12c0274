"""docs/INTEGRATIONS.md: its code runs, block by block, where the libraries are installed; its scores are so."""

import re
import shlex
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOC = ROOT / "docs" / "INTEGRATIONS.md"
BLOCKS = re.findall(r"^## (.+?)$|```python\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def titled_blocks() -> list[tuple[str, str]]:
    """(section, code) of every block."""
    found, section = [], ""
    for title, code in BLOCKS:
        section = title or section
        if code:
            found.append((section, code))
    return found


@pytest.mark.parametrize(("section", "code"), titled_blocks())
@pytest.mark.filterwarnings("ignore")
def test_block_runs(section: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, f"docs/INTEGRATIONS.md, {section}", "exec"), {"__name__": section})


def test_every_task_and_argument_is_documented() -> None:
    from dataclasses import fields

    from texas42.envs.gym import Task
    from texas42.registration import TASKS

    text = DOC.read_text(encoding="utf-8")
    assert all(f"`{field.name}`" in text for field in fields(Task))
    assert all(f"`texas42/{name}`" in text for name in TASKS)


def script(path: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A script as a module."""
    spec = spec_from_file_location("a_script", ROOT / "scripts" / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "a_script", module)  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_every_library_has_a_section_with_code_and_a_passing_row(monkeypatch: pytest.MonkeyPatch) -> None:
    run = script("integrations/run.py", monkeypatch)
    text = DOC.read_text(encoding="utf-8")
    assert len(run.LIBRARIES) == 6
    for library in run.LIBRARIES:
        assert run.documented(library), library.name
        assert library.script.exists()
        version = re.escape(library.requirements[0].split("==")[1])
        row = rf"^\| {library.name} \| {version} \|.*\| pass \|"
        assert re.search(row, text, re.MULTILINE), library.name


def test_the_printed_table_has_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    run = script("integrations/run.py", monkeypatch)
    good = {"passed": True, "package": "p", "versions": {"p": "1", "numpy": "2"}, "notes": "all"}
    bad = {"passed": False, "versions": {}, "notes": "exit code 1"}
    lines = run.table({"A": good, "B": bad}).splitlines()
    assert lines[2:] == ["| A | 1 | - | - | 2 | pass | all |", "| B | - | - | - | - | **fail** | exit code 1 |"]


def documented_scores() -> tuple[list[str], dict[str, list[str]]]:
    """Arguments of the command over the table of reference scores, and its cells by task."""
    text = DOC.read_text(encoding="utf-8")
    (command,) = re.findall(r"`python scripts/reference_scores\.py ([^`]+)`", text)
    rows = re.findall(r"^\| `texas42/([\w-]+)` \| (.+) \|$", text, re.MULTILINE)
    return shlex.split(command), {task: cells.split(" | ") for task, cells in rows}


def test_reference_scores_are_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scores = script("reference_scores.py", monkeypatch)
    arguments, cells = documented_scores()
    learners = [name for name in scores.parse(arguments).learners if ":" not in name]  # searching takes hours
    episodes = str(scores.parse(arguments).episodes[0])
    task, file = "Texas42-v0", str(tmp_path / "scores.json")
    again = ["--tasks", task, "--episodes", episodes, "--learners", *learners, "--json", file]
    scores.main(again)
    row = capsys.readouterr().out.splitlines()[-1]
    assert row == f"| `texas42/{task}` | " + " | ".join(cells[task][: len(learners)]) + " |"
    monkeypatch.setattr(scores, "play", None)
    scores.main([*again, "--resume"])
    assert capsys.readouterr().out.splitlines()[-1] == row
    scores.main(["--tasks", "Texas42-Moon-v0", "--learners", "pimc:worlds=1", "--episodes", "2"])
    assert capsys.readouterr().out.splitlines()[-1] == "| `texas42/Texas42-Moon-v0` | – |"
    for bad in (["--resume"], ["--episodes", "1"], ["--episodes", "5", "6", "7"]):
        with pytest.raises(SystemExit, match="2"):
            scores.main(bad)
