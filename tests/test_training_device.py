"""Where networks learn: on another device with the same numbers, back again, and clear refusals."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest
import torch

from support.pretended import DEVICE, Pretended, pretended_device, pretended_workers
from support.runs import KillAt, Killed, Silent
from texas42.agents import network
from texas42.agents.checkpoint import Arrays, load_checkpoint
from texas42.agents.shape import Shape
from texas42.cli import main
from texas42.envs.rules.rules import Rules
from texas42.training import trainer
from texas42.training.config import ConfigError, TrainConfig, load_config
from texas42.training.device import learning_device
from texas42.training.distributed import World
from texas42.training.learner import Learner, side_by_side
from texas42.training.trainer import LAST, Run, train

TINY = {
    "network": {"width": 16, "layers": 2},
    "imitation": {"batches": 1, "hands": 8, "minibatch": 64},
    "ppo": {"updates": 3, "hands": 8, "minibatch": 64, "magnet": 0.05},
    "advice": {"share": 0.5, "late": 0.8, "gain": 2.0},
    "opponents": {"snapshot_every": 1, "keep": 2, "share": 0.5},
    "evaluation": {"every": 0, "deals": 2},
    "checkpoint_every": 1,
}
CONFIG = TrainConfig.from_dict(TINY)


@pytest.fixture(scope="module")
def on_cpu(tmp_path_factory: pytest.TempPathFactory) -> Arrays:
    out = tmp_path_factory.mktemp("cpu")
    train(CONFIG, out, Silent())
    return load_checkpoint(out / LAST).arrays


def pretend(patch: pytest.MonkeyPatch) -> None:
    """Let runs take the pretended device."""
    patch.setattr(trainer, "learning_device", lambda name: DEVICE)
    patch.setattr(trainer, "_workers", pretended_workers)
    patch.setattr(network, "mixed_precision", lambda on, inputs: nullcontext())  # not known to the pretended device


def same(out: Path, arrays: Arrays) -> bool:
    found = load_checkpoint(out / LAST).arrays
    return {n: a.tobytes() for n, a in found.items()} == {n: a.tobytes() for n, a in arrays.items()}


def test_a_pretended_device_does_not_mix_with_the_processor() -> None:
    with pretended_device():
        here, there = torch.ones(3), torch.ones(3).to(DEVICE)
        assert (there + there).cpu().tolist() == [2, 2, 2]
        with pytest.raises(RuntimeError, match="tensors of both devices"):
            _ = here + there


def test_a_run_on_another_device_keeps_everything_there_and_saves_the_same_numbers(
    on_cpu: Arrays, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch)
    with pretended_device():
        run = train(CONFIG, tmp_path, Silent())
    learner = run.learner
    assert learner.magnet is not None
    for module in (learner.actor, learner.critic, learner.magnet, *(past.agent.actor for past in run.league.past)):
        assert all(type(tensor) is Pretended for tensor in (*module.parameters(), *module.buffers()))
    assert same(tmp_path, on_cpu)


def test_a_run_goes_on_on_either_device(on_cpu: Arrays, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pretended_device():
        pretend(patch)
        with pytest.raises(Killed):
            train(CONFIG, tmp_path / "there", KillAt(3))
    train(CONFIG, tmp_path / "there", Silent(), resume=True)
    assert same(tmp_path / "there", on_cpu)

    with pytest.raises(Killed):
        train(CONFIG, tmp_path / "here", KillAt(3))
    with monkeypatch.context() as patch, pretended_device():
        pretend(patch)
        train(CONFIG, tmp_path / "here", Silent(), resume=True)
    assert same(tmp_path / "here", on_cpu)


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)


@pytest.mark.usefixtures("two_gpus")
def test_a_process_has_the_gpu_of_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [learning_device(name) for name in ("cpu", "cuda", "cuda:1")] == [
        torch.device("cpu"),
        torch.device("cuda", 0),
        torch.device("cuda", 1),
    ]
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert learning_device("cuda") == learning_device("cuda:0") == torch.device("cuda", 1)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(ConfigError, match=r"network.device='cuda' is not available: LOCAL_RANK is 2, but .* 2 GPUs"):
        learning_device("cuda")


@pytest.mark.usefixtures("two_gpus")
def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"network.device='cuda:2' is not available: its number is 2, but .* 2 GPUs"):
        learning_device("cuda:2")


def test_without_a_gpu_it_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match=r"network.device='cuda' is not available: .* finds no GPU"):
        Run(load_config("large"), tmp_path / "run")
    assert main(["train", "--config", "quick", "--set", "network.device=cuda", "--out", str(tmp_path / "run")]) == 2
    assert "finds no GPU; use cpu" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_device_alone_may_change_when_a_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = {"imitation": {"batches": 0}, "ppo": {"updates": 1, "hands": 8}}
    train(TrainConfig.from_dict(TINY | steps), tmp_path, Silent())
    again = ["train", "--resume", "--out", str(tmp_path), "--set"]
    assert main([*again, "network.device=cpu"]) == 0
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main([*again, "network.device=cuda"]) == 2
    assert "finds no GPU" in capsys.readouterr().err
    assert main([*again, "ppo.updates=2"]) == 2
    assert "network.device alone may change" in capsys.readouterr().err


def test_gpus_that_exchange_gradients_learn_one_network_after_the_other() -> None:
    learner = Learner(Shape.of(Rules.preset("n42pa"), 4, 1), Rules.preset("n42pa"), 1)
    learner.device, learner.world = torch.device("cuda"), World(0, 2)
    with ThreadPoolExecutor(2) as pool:
        threads = list(side_by_side(learner, pool, threading.get_ident, threading.get_ident))
        assert threads == [threading.get_ident()] * 2
        learner.device = torch.device("cpu")
        assert threading.get_ident() not in side_by_side(learner, pool, threading.get_ident, threading.get_ident)
