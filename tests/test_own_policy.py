"""A policy of one's own in a match: a function, an object, a file, an ONNX model."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from texas42.agents.callable_agent import CallableError, as_agent
from texas42.agents.specs import SpecError, make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match

N42PA = Rules.preset("n42pa")
FILE = """
import numpy as np

def lowest(observations, masks):
    return masks.argmax(axis=1)

def highest(observations, masks):
    return np.arange(masks.shape[1]) * np.ones((len(masks), 1))

class Player:
    def __init__(self, rules):
        self.rules = rules
    def act(self, decisions):
        return decisions.masks.argmax(axis=1)
    def reset(self, game_ids):
        pass

class Plain:
    name = "plain"
    def __call__(self, observations, masks):
        return masks.argmax(axis=1)

class Needy:
    def __init__(self):
        raise RuntimeError("no network")

three = 3
"""


def lowest(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    return np.asarray(masks.argmax(axis=1))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


def test_a_function_is_a_team() -> None:
    result = play_match(lowest, "heuristic", deals=20)
    assert result.a == "lowest"
    assert result.tally.calls[0][1:].sum() == 0  # the lowest id is PASS
    mixed = play_match([lowest, make_agent("heuristic", N42PA)], "heuristic", deals=5)
    assert mixed.a == "lowest+heuristic"
    assert mixed.sittings == 4


@pytest.mark.parametrize("name", ["lowest", "Player", "Plain"])
def test_names_in_a_file_are_teams(name: str, file: Path) -> None:
    spec = f"python:{file}:{name}"
    assert (play_match(spec, "random", deals=8).scores == play_match(lowest, "random", deals=8).scores).all()
    assert play_match(f"{spec}+heuristic", "random", deals=2).a == f"{spec}+heuristic"


def test_scores_play_the_highest_legal_action(file: Path) -> None:
    result = play_match(f"python:{file}:highest", "passer", deals=10, faults="forfeit")
    assert result.forfeits == (0, 0)
    assert result.tally.calls[0][0] < result.tally.calls[0].sum()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine.py", "write the file and a name in it, as in python:my_policy.py:policy"),
        ("mine.py:", "write the file and a name in it"),
        ("none.py:policy", "no file at none.py"),
        ("mine.py:nothing", "mine.py has no 'nothing'"),
        ("mine.py:three", "3 is neither an agent nor a function"),
        ("mine.py:Needy", "cannot be made: RuntimeError: no network"),
        ("broken.py:policy", "broken.py cannot be run: ZeroDivisionError"),
        ("mine.txt:policy", "mine.txt is no Python file"),
    ],
)
def test_files_without_a_player_are_refused(
    name: str, message: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    Path("broken.py").write_text("1 / 0\n")
    Path("mine.txt").write_text("")
    with pytest.raises(SpecError, match=message):
        make_agent(f"python:{name}", N42PA)


def test_agents_need_both_methods() -> None:
    class Half:
        def act(self, decisions: object) -> None: ...

    with pytest.raises(CallableError, match=r"has act\(decisions\) but no reset\(game_ids\)"):
        as_agent(Half())
    with pytest.raises(OptionsError, match="3 is neither an agent nor a function"):
        play_match(3, "random", deals=1)  # type: ignore[arg-type]


def test_a_function_with_a_bad_answer_is_named() -> None:
    def half(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> object:
        return np.zeros((len(masks), 2))

    with pytest.raises(ValueError, match=r"half must answer 1 whole numbers, or scores of shape \(1, \d+\), not"):
        play_match(half, "random", deals=1)


# ONNX: models are made here, node by node.


def write_model(path: Path, *, width: int, actions: int, rows: object = "n", mask: bool = False, kind: int = 1) -> Path:
    """A model whose logits are the observation times fixed random weights."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    helper = onnx.helper
    weights = np.random.default_rng(0).normal(size=(width, actions)).astype(np.float32)
    inputs = [helper.make_tensor_value_info("observation", kind, [rows, width])]
    if mask:
        inputs.append(helper.make_tensor_value_info("mask", kind, [rows, actions]))
    nodes = [
        helper.make_node("Cast", ["observation"], ["floats"], to=1),
        helper.make_node("MatMul", ["floats", "weights"], ["logits"]),
    ]
    outputs = [helper.make_tensor_value_info("logits", 1, [rows, actions])]
    graph = helper.make_graph(nodes, "policy", inputs, outputs, [onnx.numpy_helper.from_array(weights, "weights")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return path


def sizes(rules: str = "n42pa") -> dict[str, Any]:
    game = BatchedGame(rules, 1)
    return {"width": game.layout.width, "actions": game.codec.n_actions}


def test_onnx_model_plays_its_highest_legal_logit_whatever_its_form(tmp_path: Path) -> None:
    size = sizes()
    weights = np.random.default_rng(0).normal(size=(size["width"], size["actions"])).astype(np.float32)

    def same(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        return np.asarray(observations.astype(np.float32) @ weights)

    expected = play_match(same, "random", deals=12).scores
    for k, options in enumerate(({}, {"rows": 1}, {"rows": 7}, {"kind": 3}, {"mask": True})):
        path = write_model(tmp_path / f"{k}.onnx", **size, **options)  # type: ignore[arg-type]
        assert (play_match(f"onnx:{path}", "random", deals=12).scores == expected).all()
        assert (play_match(f"onnx:{path}", "random", deals=12, batch=2).scores == expected).all()


def test_onnx_model_can_draw(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.onnx", **sizes())
    drawn, best = (play_match(f"onnx:{path}{option}", "random", deals=12) for option in (",temperature=50", ""))
    assert (drawn.scores != best.scores).any()
    assert (drawn.scores == play_match(f"onnx:{path},temperature=50", "random", deals=12, batch=6).scores).all()


def test_onnx_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    size = sizes()
    wide = write_model(tmp_path / "wide.onnx", width=size["width"] + 1, actions=size["actions"])
    few = write_model(tmp_path / "few.onnx", width=size["width"], actions=3)
    words = write_model(tmp_path / "ints.onnx", **size, kind=7)
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"\x08\x07broken")
    for path, message in (
        (wide, rf"'observation' has shape .*; these rules need \(n, {size['width']}\)"),
        (few, rf"'logits' has shape .*; these rules need \(n, {size['actions']}\)"),
        (words, r"input 'observation' is tensor\(int64\); allowed: tensor\(float\)"),
        (broken, "no ONNX model"),
        (tmp_path / "none.onnx", "no ONNX file at"),
    ):
        with pytest.raises(SpecError, match=message):
            make_agent(f"onnx:{path}", N42PA)


def test_onnx_agent_does_not_import_torch(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.onnx", **sizes())
    match = f"texas42.training.evaluation.play_match('onnx:{path}', 'random', deals=1)"
    code = f"import sys, texas42.training.evaluation; {match}; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
