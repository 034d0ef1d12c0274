"""Whole runs: exact resume, interruption, the command's errors, and that learning learns."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from support.runs import KillAt, Killed, Silent
from texas42.agents.checkpoint import CheckpointError, load_checkpoint
from texas42.agents.network import Actor, initialise, to_arrays
from texas42.agents.policy import load_policy_agent
from texas42.agents.shape import Shape
from texas42.agents.specs import make_agent
from texas42.cli import main
from texas42.envs.rules.rules import Rules
from texas42.training.benchmark import measure_train
from texas42.training.config import NetworkConfig, TrainConfig
from texas42.training.learner import Learner
from texas42.training.metrics import FAMILIES, METRICS, Metrics
from texas42.training.opponents import League
from texas42.training.trainer import BEST, LAST, Interrupted, Run, RunError, saved_config, train

ROOT = Path(__file__).resolve().parents[1]
TINY = {
    "network": {"width": 16, "layers": 2, "mixed": True},
    "imitation": {"batches": 2, "hands": 24, "minibatch": 64},
    "ppo": {"updates": 4, "hands": 24, "minibatch": 64, "magnet": 0.05},
    "advice": {"share": 0.5, "late": 0.8, "gain": 2.0},
    "opponents": {"snapshot_every": 1, "keep": 2, "share": 0.5},
    "evaluation": {"every": 2, "deals": 8, "others": ["random"], "other_deals": 4, "hands": 4},
    "checkpoint_every": 1,
}
N42PA = Rules.preset("n42pa")
CONFIG = TrainConfig.from_dict(TINY)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "whole"
    train(CONFIG, out, Silent())
    return out


def test_a_killed_run_on_advice_alone_ends_with_the_same_bytes(tmp_path: Path) -> None:
    ppo = {"updates": 3, "hands": 24, "minibatch": 63, "weight": 0, "temperature": 0.5}
    config = TrainConfig.from_dict(TINY | {"ppo": ppo, "imitation": {"batches": 0}, "optimiser": "muon"})
    heard = Memory()
    whole = train(config, tmp_path / "whole", heard)
    assert not {"policy/loss", "value/loss"} & heard.metrics.keys()
    assert heard.metrics["policy/advice_loss"] > 0
    before, after = to_arrays(fresh(config)), to_arrays(whole.learner.actor)
    assert not np.array_equal(before["tower.option.weight"], after["tower.option.weight"])
    with pytest.raises(Killed):
        train(config, tmp_path / "run", KillAt(2))
    train(saved_config(tmp_path / "run"), tmp_path / "run", Silent(), resume=True)
    for name in (LAST, BEST):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def fresh(config: TrainConfig) -> Actor:
    """The actor a run begins with."""
    network = config.network
    return Learner(Shape.of(N42PA, network.width, network.layers, network.tile_width), N42PA, config.seed).actor


@pytest.mark.parametrize("steps", [2, 3, 4, 6])
def test_a_killed_run_ends_with_the_same_bytes(finished: Path, tmp_path: Path, steps: int) -> None:
    with pytest.raises(Killed):
        train(CONFIG, tmp_path / "run", KillAt(steps))
    train(saved_config(tmp_path / "run"), tmp_path / "run", Silent(), resume=True)
    for name in (LAST, BEST):
        assert (tmp_path / "run" / name).read_bytes() == (finished / name).read_bytes()


def test_a_killed_run_of_whole_games_ends_with_the_same_bytes(tmp_path: Path) -> None:
    steps = {"imitation": {"batches": 1, "hands": 6}, "ppo": {"updates": 2, "hands": 6, "minibatch": 64}}
    config = TrainConfig.from_dict(TINY | steps | {"episode": "game"})
    heard = Memory()
    whole = train(config, tmp_path / "whole", heard)
    assert whole.stake == 1
    assert whole.progress.hands > 18  # three times six games
    assert 0 < heard.metrics["hands/decisions"] < 40
    with pytest.raises(Killed):
        train(config, tmp_path / "run", KillAt(2))
    train(saved_config(tmp_path / "run"), tmp_path / "run", Silent(), resume=True)
    for name in (LAST, BEST):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_run_killed_between_saves_ends_with_the_same_weights(finished: Path, tmp_path: Path) -> None:
    config = TrainConfig.from_dict(TINY | {"checkpoint_every": 2})
    with pytest.raises(Killed):
        train(config, tmp_path, KillAt(5))
    assert load_checkpoint(tmp_path / LAST).meta["progress"]["updates"] < 3
    train(config, tmp_path, Silent(), resume=True)
    ended, whole = load_checkpoint(tmp_path / LAST).arrays, load_checkpoint(finished / LAST).arrays
    assert {n: a.tobytes() for n, a in ended.items()} == {n: a.tobytes() for n, a in whole.items()}


def test_another_seed_ends_with_other_weights(finished: Path, tmp_path: Path) -> None:
    train(TrainConfig.from_dict(TINY | {"seed": 2}), tmp_path, Silent())
    assert (tmp_path / LAST).read_bytes() != (finished / LAST).read_bytes()


def test_a_finished_run_can_be_resumed_and_stays_the_same(finished: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = (finished / LAST).read_bytes()
    train(CONFIG, finished, Silent(), resume=True)
    assert (finished / LAST).read_bytes() == before
    assert f"nothing is left to do: the run in {finished} is finished" in caplog.text


class InterruptAt(Silent):
    """Presses Ctrl-C during the second step."""

    def step(self, done: int, metrics: Metrics) -> None:
        os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_saves_and_the_run_goes_on_exactly(finished: Path, tmp_path: Path) -> None:
    config = TrainConfig.from_dict(TINY | {"checkpoint_every": 1000})
    with pytest.raises(Interrupted):
        train(config, tmp_path, InterruptAt())
    assert load_checkpoint(tmp_path / LAST).meta["progress"]["batches"] > 0
    train(config, tmp_path, Silent(), resume=True)
    ended, whole = load_checkpoint(tmp_path / LAST).arrays, load_checkpoint(finished / LAST).arrays
    assert {n: a.tobytes() for n, a in ended.items()} == {n: a.tobytes() for n, a in whole.items()}


def test_ctrl_c_of_the_command_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from texas42.commands import train as command

    monkeypatch.setattr(command, "make_reporter", InterruptAt)
    assert main(["train", "--config", tiny_file(tmp_path), "--out", str(tmp_path / "run")]) == 130
    assert f"texas42 train --resume --out {tmp_path / 'run'}" in capsys.readouterr().err
    monkeypatch.setattr(command, "make_reporter", Silent)
    assert main(["train", "--resume", "--out", str(tmp_path / "run")]) == 0
    assert "best.safetensors" in capsys.readouterr().out


def tiny_file(folder: Path) -> str:
    path = folder / "tiny.yaml"
    path.write_text(yaml.safe_dump(TINY))
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --config"),
        (["--resume"], "--resume needs the run's folder"),
        (["--config", "nosuch"], "no configuration 'nosuch'"),
        (
            ["--config", "quick", "--set", "ppo.updats=3"],
            "unknown key 'ppo.updats' (did you mean 'ppo.updates'?)",
        ),
        (["--config", "quick", "--set", "evaluation.opponent=heuristik"], "unknown agent 'heuristik'"),
        (["--config", "quick", "--out", "/proc/nowhere"], "cannot write to /proc/nowhere"),
        (["--resume", "--out", "/nonexistent"], "no run to resume in /nonexistent"),
        (["--config", "quick", "--seed", "-4"], "seed=-4 is not allowed"),
    ],
)
def test_bad_arguments_end_with_code_2_and_no_traceback(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_a_folder_with_a_run_is_not_overwritten(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--config", "quick", "--out", str(finished)]) == 2
    assert "holds a run already; go on with --resume" in capsys.readouterr().err


def test_resuming_with_another_configuration_is_refused(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--resume", "--config", "quick", "--out", str(finished)]) == 2
    assert "was started with another configuration" in capsys.readouterr().err


def test_a_damaged_checkpoint_is_not_resumed(finished: Path, tmp_path: Path) -> None:
    whole = (finished / LAST).read_bytes()
    (tmp_path / LAST).write_bytes(whole[: len(whole) // 2])
    assert main(["train", "--resume", "--out", str(tmp_path)]) == 2


def test_a_checkpoint_without_optimiser_is_not_resumed(finished: Path, tmp_path: Path) -> None:
    (tmp_path / LAST).write_bytes((finished / BEST).read_bytes())
    assert main(["train", "--resume", "--out", str(tmp_path)]) == 2


def test_the_best_checkpoint_is_a_player(finished: Path) -> None:
    assert load_policy_agent(finished / BEST, N42PA).name.startswith("checkpoint:")
    assert load_policy_agent(finished / LAST, N42PA)
    assert yaml.safe_load((finished / "config.yaml").read_text()) == CONFIG.to_dict()


def test_curves_are_written_with_documented_names_only(finished: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished / "tensorboard"))
    events.Reload()
    tags = set(events.Tags()["scalars"])
    assert {"policy/kl", "value/loss", "belief/bits", "evaluation/marks_per_deal", "speed/learn"} <= tags
    families = {family.split("/")[0] for family in FAMILIES}
    assert all(tag in METRICS or tag.split("/")[0] in families for tag in tags)


def test_every_metric_is_explained_in_the_documentation() -> None:
    text = (ROOT / "docs" / "METRICS.md").read_text("utf-8")
    for name, meaning in {**METRICS, **FAMILIES}.items():
        assert f"| `{name}` | {meaning} |" in text


def test_past_selves_spread_over_the_run() -> None:
    shape = Shape.of(N42PA, 4, 1)
    league = League(shape, N42PA, 4, ())
    for update in range(12):
        league.remember(update, Actor(shape, N42PA))
    times = [past.update for past in league.past]
    assert times[0] == 0
    assert times[-1] == 11
    assert max(np.diff(times)) <= 6
    again = League(shape, N42PA, 4, ())
    again.load(league.to_arrays())
    assert [past.update for past in again.past] == times


def test_strangers_are_drawn_from_all_alike() -> None:
    shape = Shape.of(N42PA, 4, 1)
    league = League(shape, N42PA, 3, (make_agent("random", N42PA),))
    for update in range(3):
        league.remember(update, Actor(shape, N42PA))
    rng = np.random.default_rng(0)
    names = [agent.name for _ in range(400) for agent in league.draw(2, rng)]
    assert len(names) == 800
    assert all(names.count(name) == pytest.approx(200, abs=60) for name in set(names))
    assert len(set(names)) == 4


@pytest.mark.parametrize("preset", ["open", "moon", "seventy_two", "one_forty", "players_2"])
def test_every_game_can_be_trained(preset: str, tmp_path: Path) -> None:
    steps = {"imitation": {"batches": 1, "hands": 8}, "ppo": {"updates": 1, "hands": 8}}
    config = TrainConfig.from_dict(TINY | steps | {"rules": preset, "advice": {"share": 0.0}})
    run = train(config, tmp_path, Silent())
    assert run.progress.decisions > 0


def test_unwritable_folder_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot write to"):
        Run(CONFIG, tmp_path / "file" / "run")


def test_speed_is_measured_by_halves() -> None:
    row = measure_train(N42PA, updates=1, hands=32, network=NetworkConfig(16, 1))
    assert row["bench"] == "train"
    assert row["rules"] == "n42pa"
    assert row["decisions"] > 0
    parts = 1 / row["play_decisions_per_cpu_s"] + 1 / row["learn_decisions_per_cpu_s"]
    assert 1 / row["decisions_per_cpu_s"] == pytest.approx(parts)


class Memory(Silent):
    """Keeps the latest value of every metric."""

    def __init__(self) -> None:
        self.metrics: Metrics = {}

    def step(self, done: int, metrics: Metrics) -> None:
        self.metrics |= metrics


def test_imitation_learns_the_teachers_choices_and_self_play_keeps_bidding(tmp_path: Path) -> None:
    config = TINY | {
        "network": {"width": 64, "layers": 2},
        "imitation": {"batches": 12, "hands": 256, "minibatch": 128, "learning_rate": 3e-3},
        "ppo": {"updates": 3, "hands": 256, "minibatch": 256},
    }
    heard = Memory()
    train(TrainConfig.from_dict(config), tmp_path, heard)
    assert heard.metrics["imitation/agreement_auction"] > 0.7
    assert heard.metrics["imitation/agreement_play"] > 0.5
    assert heard.metrics["hands/thrown_in"] < 0.5


def test_the_magnet_is_a_moving_average_of_the_policy() -> None:
    learner = Learner(Shape.of(N42PA, 8, 1, 0), N42PA, seed=1)
    before = to_arrays(learner.actor)
    learner.start_magnet()
    initialise(learner.actor, seed=2)
    learner.pull_magnet(0.75)
    assert learner.magnet is not None
    after = to_arrays(learner.actor)
    for name, array in to_arrays(learner.magnet).items():
        np.testing.assert_allclose(array, 0.75 * before[name] + 0.25 * after[name], rtol=1e-5, atol=1e-6)


WITH_ONE_LOST = """
import os, sys
from texas42.cli import main
from texas42.training import trainer

finish = trainer.Loop._finish_step
def finish_or_die(self, done, data, metrics):
    finish(self, done, data, metrics)
    if self.world.rank == 1 and self.run.progress.updates == 2 and os.environ.get("DIE"):
        os._exit(9)
trainer.Loop._finish_step = finish_or_die
sys.exit(main(sys.argv[1:]))
"""


def torchrun(script: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    return subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        cwd=script.parent,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
def test_two_processes_train_one_policy_and_a_lost_one_leaves_a_run_to_go_on_with(tmp_path: Path) -> None:
    script = tmp_path / "two.py"
    script.write_text(WITH_ONE_LOST)
    begin = ["train", "--config", tiny_file(tmp_path), "--out"]
    done = torchrun(script, *begin, str(tmp_path / "whole"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("trained on") == 1

    done = torchrun(script, *begin, str(tmp_path / "cut"), DIE="1")
    assert done.returncode != 0
    assert "Traceback (most recent call last)" not in done.stdout
    done = torchrun(script, "train", "--resume", "--out", str(tmp_path / "cut"))
    assert done.returncode == 0, done.stderr
    for name in (LAST, BEST):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_run_can_start_from_another_ones_networks(finished: Path, tmp_path: Path) -> None:
    learnt = load_checkpoint(finished / LAST)
    began = Run(replace(CONFIG, start=str(finished / LAST)), tmp_path / "on")
    assert {n: a.tobytes() for n, a in to_arrays(began.learner.actor).items()} == {
        n: a.tobytes() for n, a in learnt.group("actor").items()
    }
    assert to_arrays(began.learner.critic).keys() == learnt.group("critic").keys()
    assert began.progress.updates == 0
    train(replace(CONFIG, start=str(finished / BEST)), tmp_path / "again", Silent())  # the best holds an actor alone
    with pytest.raises(CheckpointError, match="no checkpoint at"):
        Run(replace(CONFIG, start="nowhere"), tmp_path / "none")
    with pytest.raises(CheckpointError, match=f"a folder with {BEST}, {LAST}"):
        Run(replace(CONFIG, start=str(finished)), tmp_path / "none")
    wider = replace(CONFIG, start=str(finished / LAST), network=NetworkConfig(width=17, layers=2))
    with pytest.raises(CheckpointError, match="does not fit this configuration"):
        Run(wider, tmp_path / "wider")
    assert not (tmp_path / "wider").exists()
