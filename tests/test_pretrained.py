"""The trained players of the package: they are there, fit, play, and are what play and specs take."""

import io
import re
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from support.checkpoints import write_checkpoint
from texas42.agents.checkpoint import check_fingerprint, load_checkpoint, save_checkpoint
from texas42.agents.policy import PolicyAgent, load_actor
from texas42.agents.pretrained import files
from texas42.agents.specs import SpecError, make_agent
from texas42.cli import main
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match
from texas42.training.evaluation.crossplay import at_temperature

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = files.player_names()
N42PA = Rules.preset("n42pa")


@pytest.fixture
def stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two untrained players in place of the package's own."""
    folder = tmp_path / "pretrained"
    folder.mkdir()
    for seed, name in enumerate(("n42pa", "open")):
        write_checkpoint(folder / f"{name}.safetensors", Rules.preset(name), seed)
    monkeypatch.setattr(files, "FOLDER", folder)
    return folder


def test_both_players_come_with_the_package() -> None:
    assert {"n42pa", "open"} <= set(SHIPPED)


def test_player_files_are_package_data() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert "texas42.agents.pretrained" in setuptools["packages"]
    patterns = setuptools["package-data"]["texas42.agents.pretrained"]
    folder = ROOT / "agents" / "pretrained"
    covered = {path for pattern in patterns for path in folder.glob(pattern)}
    assert {path.stem for path in covered} == set(SHIPPED)
    assert set(ROOT.glob("agents/**/*.safetensors")) == covered


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_file_holds_a_small_actor_that_fits_and_nothing_else(name: str) -> None:
    path = files.player_path(name)
    assert path.stat().st_size <= files.LARGEST
    checkpoint = load_checkpoint(path)
    rules = Rules.from_dict(checkpoint.field("rules", dict))
    assert rules == Rules.preset(name)
    check_fingerprint(checkpoint, rules)
    load_actor(checkpoint, rules)
    assert {array.split(".")[0] for array in checkpoint.arrays} == {"actor"}
    assert set(checkpoint.meta) == {"config", "digests", "fingerprint", "format", "progress", "rules", "shape"}
    assert "/" not in str(checkpoint.meta)


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("contract", [None, "30"])
def test_a_shipped_player_plays_legally_and_beats_random(name: str, contract: str | None) -> None:
    match = play_match(f"pretrained:{name}", "random", rules=name, deals=50, seed=1, contract=contract)
    assert match.ci95[0] > 0


@pytest.mark.parametrize("name", SHIPPED)
def test_the_onnx_file_of_a_shipped_player_answers_alike(name: str, tmp_path: Path) -> None:
    for library in ("onnx", "onnxruntime", "onnxscript"):
        pytest.importorskip(library)
    from texas42.agents.onnx_export import TOLERANCE, export_onnx

    rules, out = Rules.preset(name), tmp_path / f"{name}.onnx"
    assert export_onnx(files.player_path(name), rules, out).difference <= TOLERANCE
    assert not play_match(f"onnx:{out}", f"pretrained:{name}", rules=rules, deals=10).scores.any()


def test_the_model_card_has_a_section_for_every_player() -> None:
    card = (ROOT / "docs" / "MODELS.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\w+)$", card, re.MULTILINE)
    assert set(SHIPPED) <= set(sections)


@pytest.mark.parametrize(
    ("spec", "rules", "player"),
    [
        ("pretrained", "n42pa", "n42pa"),
        ("pretrained", "open", "open"),
        ("pretrained", "casual", "n42pa"),
        ("pretrained:open", "n42pa", "open"),
        ("pretrained:n42pa", "open", "n42pa"),
        ("pretrained:", "open", "open"),
    ],
)
def test_the_player_is_the_one_named_or_the_presets_or_the_usual_one(
    spec: str, rules: str, player: str, stand_ins: Path
) -> None:
    agent = make_agent(spec, Rules.preset(rules))
    assert isinstance(agent, PolicyAgent)
    assert (agent.name, agent.temperature) == (f"pretrained:{player}", 0.0)
    meant = make_agent(f"checkpoint:{stand_ins / player}.safetensors", Rules.preset(rules))
    assert isinstance(meant, PolicyAgent)
    weights, wanted = (a.actor.belief_head.weight.detach().numpy() for a in (agent, meant))
    assert np.array_equal(weights, wanted)


@pytest.mark.parametrize("spec", ["pretrained:temperature=0.5", "pretrained:open,temperature=0.5,device=cpu"])
def test_options_may_follow_a_name_or_stand_alone(spec: str, stand_ins: Path) -> None:
    agent = make_agent(spec, N42PA)
    assert isinstance(agent, PolicyAgent)
    assert agent.temperature == 0.5


@pytest.mark.parametrize(
    ("spec", "rules", "message"),
    [
        (
            "pretrained:opne",
            "n42pa",
            r"'pretrained:opne': unknown trained player 'opne' \(did you mean 'open'\?\); known: n42pa, open",
        ),
        ("pretrained:../n42pa", "n42pa", "unknown trained player '../n42pa'"),
        ("pretrained:,temperature=1", "n42pa", "unknown trained player ''"),
        ("pretrained:open,n42pa", "n42pa", "'n42pa' must be KEY=VALUE"),
        ("pretrained:temprature=1", "n42pa", r"unknown option 'temprature' \(did you mean 'temperature'\?\)"),
        ("pretrained:device=nonesuch", "n42pa", "device 'nonesuch' is not available"),
        ("pretrained", "moon", r"n42pa.safetensors: made for .*'n42pa'.*, does not fit .*'moon'.*differs in codec"),
        ("pretrained:open", "eighty_four", "open.safetensors: made for .*'open'.*, does not fit .*'eighty_four'"),
    ],
)
def test_bad_specs_are_explained(spec: str, rules: str, message: str, stand_ins: Path) -> None:
    with pytest.raises(SpecError, match=message):
        make_agent(spec, Rules.preset(rules))


def test_without_files_there_are_no_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    with pytest.raises(SpecError, match="unknown trained player 'n42pa'; known: none"):
        make_agent("pretrained", N42PA)
    assert not files.has_player(N42PA)


@pytest.mark.parametrize(
    ("spec", "cooler"),
    [
        ("pretrained", "pretrained:temperature=0"),
        ("pretrained:open,temperature=1", "pretrained:open,temperature=0"),
        ("pretrained:temperature=1", "pretrained:temperature=0"),
        ("pretrained:temperature=1,device=cpu", "pretrained:device=cpu,temperature=0"),
        ("checkpoint:a.safetensors", "checkpoint:a.safetensors,temperature=0"),
    ],
)
def test_cross_play_sets_the_temperature_with_and_without_a_name(spec: str, cooler: str) -> None:
    assert at_temperature(spec, 0.0) == cooler


def play(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """``texas42 play`` with a person who leaves at once."""
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    return main(["play", "--seed", "1", *arguments])


def test_play_seats_the_trained_player_of_the_game(
    stand_ins: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = []

    def make_and_tell(spec: str, rules: Rules) -> object:
        made.append(spec)
        return make_agent(spec, rules)

    monkeypatch.setattr("texas42.agents.specs.make_agent", make_and_tell)
    assert play(monkeypatch, "--rules", "open") == 0
    assert capsys.readouterr().err == ""
    assert play(monkeypatch, "--agents", "random") == 0
    assert capsys.readouterr().err == ""
    assert play(monkeypatch, "--rules", "moon") == 0
    line = "The others play by heuristic (no trained player of this game comes with the package).\n"
    assert capsys.readouterr().err == line
    assert made == ["pretrained", "random", "heuristic"]


def test_play_names_a_damaged_player(
    stand_ins: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (stand_ins / "n42pa.safetensors").write_bytes(b"nothing")
    assert play(monkeypatch) == 2
    assert "n42pa.safetensors: damaged" in capsys.readouterr().err


def test_play_without_torch_seats_the_heuristic_and_says_so() -> None:
    code = "import sys; sys.modules['torch'] = None\nfrom texas42.cli import main; main(['play', '--seed', '1'])"
    result = subprocess.run([sys.executable, "-c", code], input="quit\n", capture_output=True, text=True, check=True)
    line = "The others play by heuristic (trained players need torch; in the clone: pip install '.[train]')."
    assert line in result.stderr.splitlines()
    assert result.stdout.rstrip().endswith("Bye.")


def script() -> Any:
    """scripts/ship_player.py as a module."""
    spec = spec_from_file_location("ship_player", ROOT / "scripts" / "ship_player.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def training_checkpoint(path: Path, width: int = 32, layers: int = 2) -> Path:
    """What a run leaves: an actor among other tensors, and a configuration that names folders."""
    made = load_checkpoint(write_checkpoint(path, N42PA, width=width, layers=layers))
    config = {"opponents": {"agents": ["heuristic", "checkpoint:/home/somebody/a run/old.safetensors,temperature=1"]}}
    arrays = made.arrays | {"critic.value.bias": np.zeros(1, np.float32)}
    meta = {key: value for key, value in made.meta.items() if key not in ("digests", "format")}
    save_checkpoint(path, arrays, meta | {"config": config, "progress": {"hands": 7}, "other": 1})
    return path


def test_shipping_keeps_the_actor_and_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, run = script(), training_checkpoint(tmp_path / "last.safetensors")
    folder = tmp_path / "pretrained"
    folder.mkdir()
    path = module.ship(run, "n42pa", folder)
    assert [path] == [folder / "n42pa.safetensors"] == list(folder.iterdir())
    before, after = load_checkpoint(run), load_checkpoint(path)
    assert sorted(after.arrays) == sorted(name for name in before.arrays if name.startswith("actor."))
    for name, array in after.arrays.items():
        assert array.dtype == np.float32
        assert np.array_equal(array, before.arrays[name].astype(np.float16))
    agents = ["heuristic", "checkpoint:old.safetensors,temperature=1"]
    assert after.meta["config"] == {"opponents": {"agents": agents}}
    assert set(after.meta) == {"config", "digests", "fingerprint", "format", "progress", "rules", "shape"}
    monkeypatch.setattr(files, "FOLDER", folder)
    shipped, trained = ("pretrained", f"checkpoint:{run}")
    assert not play_match(shipped, trained, deals=10).scores.any()


@pytest.mark.parametrize(
    ("name", "width", "message"),
    [
        ("open", 32, "was trained by n42pa: it cannot be the player of the preset 'open'"),
        ("N42:PA", 32, "player name 'N42:PA' must be made of small letters, digits and _"),
        ("n42pa", 960, "n42pa would have .* bytes, more than 4,000,000: train with a smaller network.width"),
    ],
)
def test_what_cannot_be_shipped_is_said_and_nothing_is_written(
    name: str, width: int, message: str, tmp_path: Path
) -> None:
    module = script()
    run = training_checkpoint(tmp_path / "last.safetensors", width, 3)
    folder = tmp_path / "pretrained"
    folder.mkdir()
    with pytest.raises(module.ShipError, match=message):
        module.ship(run, name, folder)
    assert not list(folder.iterdir())
