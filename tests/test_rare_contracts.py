"""The script that says who takes rare contracts and whether they pay, on hands of which that is known."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import parse_tile

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "rare_contracts.py"
OPEN = Rules.preset("open")


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rare_contracts", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def deal(module: ModuleType, monkeypatch: pytest.MonkeyPatch, hands: list[str]) -> list[dict[str, Any]]:
    """The rows of two tables with these hands, by the seats from the first caller on."""
    masks = [sum(1 << parse_tile(tile) for tile in hand.split()) for hand in hands]

    class Given(BatchedGame):
        def reset(self, seed: int | None = None) -> None:
            super().reset(seed)
            for i in range(self.n):
                first = int(self.states["opener"][i])
                for k, mask in enumerate(masks):
                    self.states["hands"][i, (first + k) % 4] = mask
                drivers.reopen(self.states[i : i + 1], self._table_array)

    monkeypatch.setattr(module, "BatchedGame", Given)
    contracts = module.rare_contracts(OPEN)
    chances = module.find_chances(OPEN, [module.HeuristicAgent()], contracts, "plain", 2, 1)
    rows: list[dict[str, Any]] = module.measure(OPEN, chances, contracts, 8, 1)
    return rows


def test_a_certain_sevens_is_taken_and_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    module = script()
    rows = deal(
        module,
        monkeypatch,
        [
            "5-2 6-1 4-3 4-4 3-3 6-2 5-1",  # three sevens, four tiles one pip away: nothing is closer than these
            "6-6 6-3 6-5 4-2 2-2 4-0 0-0",
            "5-4 1-0 6-0 3-0 4-1 5-3 3-1",
            "5-0 5-5 2-0 3-2 1-1 6-4 2-1",
        ],
    )
    (sevens,) = (row for row in rows if row["contract"] == "SEVENS")
    assert sevens["deals_with_one"] == 2
    assert sevens["taken"] == [1]
    assert sevens["preferred"] == 1
    assert sevens["gain"]["mean"] > 1
    assert sevens["hindsight_gain"]["mean"] > 1


def test_chances_are_those_of_hands_with_enough_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    module = script()
    rows = deal(
        module,
        monkeypatch,
        [
            "6-6 5-5 4-4 3-3 1-0 2-0 2-1",  # may splash and plunge; nobody else has three doubles
            "0-0 1-1 3-0 3-1 3-2 4-0 4-1",
            "2-2 4-2 4-3 5-0 5-1 5-2 5-3",
            "5-4 6-0 6-1 6-2 6-3 6-4 6-5",
        ],
    )
    chances = {row["contract"]: row["chances"] for row in rows}
    assert chances["SPLASH"] == chances["PLUNGE"] == 2


def test_every_player_is_asked_about_the_same_chances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = script()
    arguments = ["heuristic", "random", "--deals", "30", "--worlds", "2", "--json", str(tmp_path / "out.json")]
    monkeypatch.setattr(sys, "argv", ["script", *arguments])
    assert module.main() == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert len(lines) == 2 + len(rows)
    assert all(line.count("|") == lines[0].count("|") for line in lines)
    assert {row["deals"] for row in rows} == {"plain", "doubles", "low", "sevens"}
    by = {(row["deals"], row["contract"]): row for row in rows}
    assert by["doubles", "PLUNGE"]["deals_with_one"] > by["plain", "PLUNGE"]["deals_with_one"]
    assert np.isfinite([row["gain"]["mean"] for row in rows]).all()
    assert all(0 <= share <= 1 for row in rows for share in (*row["taken"], row["preferred"], row["hindsight_best"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], "unknown agent 'nosuch'"),
        (
            ["--rules", "n42pa"],
            "rules 'n42pa': needs a four-player double-six game with splash, plunge, nello or sevens",
        ),
        (["--rules", "geezer"], "rules 'geezer': needs a four-player double-six game"),
        (["--rules", "casual", "--on", "sevens"], "--on sevens: allowed are plain, doubles, low"),
    ],
)
def test_bad_arguments_end_with_code_2(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["script", *arguments])
    assert script().main() == 2
    assert message in capsys.readouterr().err
