"""Cross-play: the matrix of partners, and its three scores."""

import json
from pathlib import Path

import numpy as np
import pytest

from texas42.cli import main
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match
from texas42.training.evaluation.crossplay import at_temperature, count_matches, play_crossplay
from texas42.training.evaluation.match import Setting

SETTING = Setting(Rules.preset("n42pa"), seed=3)


@pytest.mark.parametrize(
    ("spec", "temperature", "expected"),
    [
        ("heuristic", 1.0, "heuristic"),
        ("checkpoint:a.safetensors", 0.0, "checkpoint:a.safetensors,temperature=0"),
        ("checkpoint:a,temperature=1,device=cpu", 0.5, "checkpoint:a,device=cpu,temperature=0.5"),
        ("onnx:a.onnx", 1.0, "onnx:a.onnx,temperature=1"),
        ("nonesuch", 1.0, "nonesuch"),
    ],
)
def test_temperature_is_set_where_there_is_one(spec: str, temperature: float, expected: str) -> None:
    assert at_temperature(spec, temperature) == expected


def test_scores_are_means_over_self_play_and_over_pairs() -> None:
    policies, baselines = ["random", "passer", "heuristic"], ["pimc:worlds=1"]
    result = play_crossplay(policies[:2], policies[2:], "heuristic", SETTING, 40)
    (way,) = result.ways
    assert way.name == "as given"
    assert count_matches(policies[:2], policies[2:], [0.0, 1.0]) == len(way.matches) == 6
    alone = [play_match(p, "heuristic", "n42pa", 40, 3).scores for p in policies[:2]]
    crossed = play_match("random+passer", "heuristic", "n42pa", 40, 3).scores
    assert way.self_play.mean == pytest.approx(np.mean(alone))
    assert way.cross_play is not None
    assert way.gap is not None
    assert way.cross_play.mean == pytest.approx(crossed.mean())
    assert way.gap.mean == pytest.approx(np.mean(alone) - crossed.mean())
    assert way.gap.ci95[0] <= way.gap.mean <= way.gap.ci95[1]
    matrix = result.to_json()["ways"][0]["matrix"]
    assert matrix[0][1] == matrix[1][0]
    assert matrix[2][2][:1] == [0.0]  # the opponent's twin
    assert count_matches(policies, baselines, [0.0]) == 10


def test_one_policy_has_no_gap() -> None:
    (way,) = play_crossplay(["random"], [], "passer", SETTING, 5).ways
    assert (way.cross_play, way.gap) == (None, None)
    assert way.to_json()["gap"] is None


@pytest.mark.parametrize(
    ("policies", "rules", "message"),
    [
        ([], "n42pa", "needs a policy"),
        (["random", "random"], "n42pa", "partner 'random': give single specs, each once"),
        (["random+passer"], "n42pa", r"partner 'random\+passer': give single specs"),
        (["random"], "three_handed", "needs two seats a side, not 3 seats on 3 sides"),
    ],
)
def test_partners_that_cannot_be_paired_are_refused(policies: list[str], rules: str, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        play_crossplay(policies, [], "random", Setting(Rules.preset(rules)), 5)


def test_command_plays_checkpoints_greedy_and_sampled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    from support.checkpoints import write_checkpoint

    specs = [f"checkpoint:{write_checkpoint(tmp_path / f'{s}.safetensors', SETTING.rules, s)}" for s in (1, 2)]
    path = tmp_path / "crossplay.json"
    options = ["--with", "heuristic", "--against", "passer", "--deals", "6", "--workers", "1", "--json", str(path)]
    assert main(["crossplay", *specs, *options]) == 0
    content = json.loads(path.read_text())
    assert [way["play"] for way in content["ways"]] == ["greedy", "sampled"]
    assert content["ways"][1]["partners"] == [*(f"{spec},temperature=1" for spec in specs), "heuristic"]
    assert content["ways"][0]["matrix"] != content["ways"][1]["matrix"]
    printed = capsys.readouterr().out
    assert "self-play" in printed
    assert "gap" in printed
