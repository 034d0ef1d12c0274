"""The code of docs/INTEGRATIONS.md runs, block by block, where the libraries it imports are installed."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

DOC = Path(__file__).resolve().parent.parent / "docs" / "INTEGRATIONS.md"
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
