"""The code in the documents runs."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"


def _blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_house_rules_document_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = DOCS / "HOUSE_RULES.md"
    monkeypatch.chdir(tmp_path)
    Path("tuesday.yaml").write_text(_blocks(path, "yaml")[0], encoding="utf-8")
    exec("\n".join(_blocks(path, "python")), {})


def test_house_rules_from_a_file_play_whole_hands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from texas42.envs.batch import BatchedGame

    monkeypatch.chdir(tmp_path)
    Path("tuesday.yaml").write_text(_blocks(DOCS / "HOUSE_RULES.md", "yaml")[0], encoding="utf-8")
    game = BatchedGame("tuesday.yaml", 1)
    game.reset(5)
    assert "P31" in game.legal_names(0)
    assert "P30" not in game.legal_names(0)
