"""A checkpoint exported to ONNX plays exactly as it does, and is refused where it does not fit."""

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

from support.checkpoints import write_checkpoint
from texas42.agents import onnx_export
from texas42.agents.specs import SpecError, make_agent
from texas42.cli import main
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match

N42PA = Rules.preset("n42pa")


def test_exported_checkpoint_plays_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint = write_checkpoint(tmp_path / "a.safetensors", N42PA)
    assert main(["export", str(checkpoint)]) == 0
    assert "decisions differ by" in capsys.readouterr().out
    onnx = tmp_path / "a.onnx"
    specs = (f"checkpoint:{checkpoint}", f"onnx:{onnx}")
    ours, theirs = (play_match(spec, "random", deals=30, seed=1).scores for spec in specs)
    assert (ours == theirs).all()
    assert not play_match(*specs, deals=10).scores.any()
    with pytest.raises(SpecError, match="made for other rules or another version; its fingerprint is"):
        make_agent(f"onnx:{onnx}", Rules.preset("moon"))
    monkeypatch.setattr(onnx_export, "TOLERANCE", -1.0)
    assert main(["export", str(checkpoint), "--out", str(tmp_path / "b.onnx")]) == 2
    assert "answers otherwise than the checkpoint" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx", "a.safetensors"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.safetensors"], "no checkpoint at no.safetensors"),
        (["a.safetensors", "--rules", "moon"], "does not fit"),
        (["a.safetensors", "--out", "missing/a.onnx"], "cannot write missing/a.onnx"),
    ],
)
def test_what_cannot_be_exported_is_said(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_checkpoint(Path("a.safetensors"), N42PA)
    assert main(["export", *arguments]) == 2
    assert message in capsys.readouterr().err
