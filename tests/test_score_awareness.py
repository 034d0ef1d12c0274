"""The script that measures whether bids depend on the score, on players of whom that is known."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest

from texas42.agents.base import Decisions

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "score_awareness.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_awareness", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Desperate:
    """Bids a mark if the others are at 6, and 30 if its own side is; passes else."""

    name = "desperate"

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        mine = decisions.views["scores"][np.arange(len(decisions)), decisions.seats % 2]
        theirs = decisions.views["scores"][np.arange(len(decisions)), (decisions.seats + 1) % 2]
        wanted = np.where(
            theirs == 6, decisions.codec.parse("M1"), np.where(mine == 6, decisions.codec.parse("P30"), 0)
        )
        legal = decisions.masks[np.arange(len(decisions)), wanted] == 1
        return np.where(legal, wanted, 0).astype(np.int64)

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        pass


def test_a_player_that_bids_by_the_score_is_seen_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = script()
    monkeypatch.setattr(module, "make_agent", lambda spec, rules: Desperate())
    monkeypatch.setattr(sys, "argv", ["script", "desperate", "--deals", "50", "--json", str(tmp_path / "out.json")])
    assert module.main() == 0
    assert "| 6-6 | 0.00 ± 0.00 | -100.00 ± 0.00 |" in capsys.readouterr().out
    scores = json.loads((tmp_path / "out.json").read_text())["scores"]
    mean = {score: {name: figure["mean"] for name, figure in found.items()} for score, found in scores.items()}
    assert mean["0-0"]["passes"] == 1
    assert mean["0-0"]["all pass"] == 1
    assert mean["6-6"]["bids marks"] == mean["6-6"]["marks contract"] == mean["6-6"]["first side's"] == 1
    assert mean["0-6"]["bids marks"] == 1
    assert mean["6-0"]["bids points"] == 1
    assert mean["6-0"]["points bid"] == 30
    assert mean["6-0"]["marks contract"] == 1  # the other side, which is nearly lost, bids a mark over it
    assert mean["6-0"]["first side's"] == 0


def test_a_player_that_does_not_look_at_the_score_calls_alike(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = script()
    monkeypatch.setattr(sys, "argv", ["script", "random", "--deals", "50"])
    assert module.main() == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith(("| 0", "| 6"))]
    assert [row[0] for row in rows] == ["| 0-0", "| 6-6", "| 0-6", "| 6-0"] * 2
    assert all(row[1::2] == rows[index - index % 4][1::2] for index, row in enumerate(rows))


def test_unknown_players_end_with_code_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["script", "nosuch"])
    assert script().main() == 2
    assert "unknown agent 'nosuch'" in capsys.readouterr().err
