"""The neural player and its checkpoints: sampling, independence of the batch, and files from strangers."""

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from texas42.agents.arena import decision_keys, decisions_for
from texas42.agents.base import Decisions
from texas42.agents.checkpoint import (
    CheckpointError,
    check_fingerprint,
    fingerprint,
    load_checkpoint,
    save_checkpoint,
)
from texas42.agents.choice import best_actions, sample_actions, uniforms
from texas42.agents.network import Actor, Critic, from_arrays, initialise, to_arrays
from texas42.agents.policy import PolicyAgent, load_policy_agent
from texas42.agents.shape import Shape
from texas42.agents.specs import make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.rules import Rules

N42PA = Rules.preset("n42pa")


def an_actor(rules: Rules = N42PA, seed: int = 3, width: int = 32) -> Actor:
    """An untrained actor with clear preferences."""
    actor = Actor(Shape.of(rules, width, 2), rules)
    initialise(actor, seed)
    with torch.no_grad():
        for parameter in actor.heads.parameters():
            parameter.mul_(100)
    return actor


def meta(rules: Rules = N42PA, width: int = 32) -> dict[str, Any]:
    return {
        "fingerprint": fingerprint(rules),
        "rules": rules.to_dict(),
        "shape": Shape.of(rules, width, 2).to_dict(),
    }


def write(path: Path, rules: Rules = N42PA, **changes: Any) -> Path:
    arrays = {f"actor.{name}": array for name, array in to_arrays(an_actor(rules)).items()}
    save_checkpoint(path, arrays, meta(rules) | changes)
    return path


def some_decisions(n: int = 300, moves: int = 6) -> Decisions:
    """Decisions of `n` games after some random moves."""
    game = BatchedGame(N42PA, n, auto_reset=True)
    game.reset(11)
    rng = np.random.default_rng(0)
    for _ in range(moves):
        _, masks = game.observe()
        game.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
    keys = decision_keys(game, 5, np.zeros(n, np.int64))
    return decisions_for(game, np.arange(n), keys)


def part_of(decisions: Decisions, rows: "np.ndarray[Any, Any]") -> Decisions:
    d = decisions
    return Decisions(d.rules, d.views[rows], d.seats[rows], d.game_ids[rows], d.keys[rows])


def test_uniforms_are_in_range_and_spread() -> None:
    u = uniforms(np.arange(100_000, dtype=np.uint64))
    assert (u >= 0).all()
    assert (u < 1).all()
    counts, _ = np.histogram(u, bins=10, range=(0, 1))
    assert (abs(counts - 10_000) < 5 * 100).all()


def test_sampled_frequencies_follow_the_softmax_of_the_legal_actions() -> None:
    n = 200_000
    logits = np.tile(np.array([0.0, 9.0, 1.0, 2.0], np.float32), (n, 1))
    masks = np.tile(np.array([1, 0, 1, 1], np.int8), (n, 1))
    actions, log_p = sample_actions(logits, masks, np.arange(n, dtype=np.uint64))
    expected = np.exp([0.0, -np.inf, 1.0, 2.0]) / np.exp([0.0, 1.0, 2.0]).sum()
    observed = np.bincount(actions, minlength=4) / n
    assert observed[1] == 0
    assert observed == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(n))
    assert np.exp(log_p) == pytest.approx(expected[actions], rel=1e-5)


def test_sampling_a_row_depends_on_its_key_alone() -> None:
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(50, 9)).astype(np.float32)
    masks = (rng.random((50, 9)) < 0.5).astype(np.int8)
    masks[:, 4] = 1
    keys = rng.integers(0, 2**63, 50).astype(np.uint64)
    together, _ = sample_actions(logits, masks, keys)
    alone = [sample_actions(logits[i : i + 1], masks[i : i + 1], keys[i : i + 1])[0][0] for i in range(50)]
    assert together.tolist() == alone


def test_sampling_survives_extreme_logits() -> None:
    logits = np.array([[3e38, -3e38, 0.0], [-3e38, -3e38, -3e38]], np.float32)
    actions, log_p = sample_actions(logits, np.array([[1, 1, 0], [0, 0, 1]], np.int8), np.zeros(2, np.uint64))
    assert actions.tolist() == [0, 2]
    assert log_p.tolist() == [0, 0]


def test_equal_logits_go_to_the_lowest_legal_id() -> None:
    assert best_actions(np.zeros((1, 4), np.float32), np.array([[0, 1, 1, 1]], np.int8)).tolist() == [1]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_answers_do_not_depend_on_the_batch(temperature: float) -> None:
    agent, decisions = PolicyAgent(an_actor(), temperature=temperature), some_decisions()
    whole = agent.act(decisions)
    for size in (1, 7, 129):
        rows = np.random.default_rng(size).permutation(len(decisions))[:size]
        assert agent.act(part_of(decisions, rows)).tolist() == whole[rows].tolist()


def test_logits_are_the_same_bits_in_any_batch_and_on_any_number_of_threads() -> None:
    agent, observations = PolicyAgent(an_actor(width=256)), some_decisions().observations
    whole = agent.logits(observations)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        assert agent.logits(observations[13:20]).tobytes() == whole[13:20].tobytes()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_every_answer_is_legal() -> None:
    decisions = some_decisions(moves=9)
    for temperature in (0.0, 1.0, 50.0):
        actions = PolicyAgent(an_actor(), temperature=temperature).act(decisions)
        assert decisions.masks[np.arange(len(actions)), actions].all()


def test_a_checkpoint_gives_back_the_policy(tmp_path: Path) -> None:
    agent, decisions = load_policy_agent(write(tmp_path / "a.safetensors"), N42PA), some_decisions()
    assert agent.act(decisions).tolist() == PolicyAgent(an_actor()).act(decisions).tolist()
    assert load_checkpoint(tmp_path / "a.safetensors", groups=()).arrays == {}


def test_spec_with_temperature_draws(tmp_path: Path) -> None:
    path, decisions = write(tmp_path / "a.safetensors"), some_decisions()
    drawn = make_agent(f"checkpoint:{path},temperature=1", N42PA).act(decisions)
    assert drawn.tolist() == PolicyAgent(an_actor(), temperature=1.0).act(decisions).tolist()


def test_unknown_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="device 'warp' is not available"):
        load_policy_agent(write(tmp_path / "a.safetensors"), N42PA, device="warp")


def test_a_checkpoint_moves_between_house_rules(tmp_path: Path) -> None:
    load_policy_agent(write(tmp_path / "a.safetensors"), Rules.preset("open"))


def test_a_checkpoint_of_another_game_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"made for .*n42pa.*does not fit .*moon.*codec.*observation"):
        load_policy_agent(write(tmp_path / "a.safetensors"), Rules.preset("moon"))


def test_a_checkpoint_of_another_engine_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", fingerprint=fingerprint(N42PA) | {"engine": "99"})
    with pytest.raises(CheckpointError, match=r"differs in engine \(99 is not 0\)$"):
        check_fingerprint(load_checkpoint(path), N42PA)


def test_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    for path in (tmp_path / "none.safetensors", tmp_path):
        with pytest.raises(CheckpointError, match="no checkpoint at"):
            load_checkpoint(path)


@pytest.mark.parametrize("content", [b"", b"x", b"\xff" * 200, b"PK\x03\x04 not ours", b"\x08\0\0\0\0\0\0\0[[[[[[[["])
def test_foreign_bytes_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged or not a checkpoint"):
        load_checkpoint(path)


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.99])
def test_truncated_checkpoint_is_refused(tmp_path: Path, keep: float) -> None:
    path = write(tmp_path / "a.safetensors")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(CheckpointError, match="damaged or not a checkpoint"):
        load_policy_agent(path, N42PA)


def test_safetensors_of_another_program_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"weight": np.zeros(3, np.float32)}, tmp_path / "a.safetensors")
    with pytest.raises(CheckpointError, match="not a texas42 checkpoint"):
        load_checkpoint(tmp_path / "a.safetensors")


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"format": 99}', "[" * 100_000])
def test_odd_headers_are_refused(tmp_path: Path, text: str) -> None:
    from safetensors.numpy import save_file

    save_file({"actor.w": np.zeros(3, np.float32)}, tmp_path / "a.safetensors", metadata={"texas42": text})
    with pytest.raises(CheckpointError, match=r"damaged header|checkpoint format"):
        load_checkpoint(tmp_path / "a.safetensors")


@pytest.mark.parametrize(
    "shape",
    [
        None,
        {},
        {**Shape.of(N42PA, 32, 2).to_dict(), "width": 10**9},
        {**Shape.of(N42PA, 32, 2).to_dict(), "width": -1},
        {**Shape.of(N42PA, 32, 2).to_dict(), "width": 64},
        {**Shape.of(N42PA, 32, 2).to_dict(), "layers": 3},
        {**Shape.of(N42PA, 32, 2).to_dict(), "layers": 2.0},
        {**Shape.of(N42PA, 32, 2).to_dict(), "tile_width": True},
    ],
)
def test_sizes_that_do_not_fit_are_refused(tmp_path: Path, shape: object) -> None:
    path = write(tmp_path / "a.safetensors", shape=shape)
    with pytest.raises(CheckpointError, match="damaged"):
        load_policy_agent(path, N42PA)


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    arrays = {f"actor.{name}": array for name, array in to_arrays(an_actor()).items()}
    arrays["actor.belief_head.bias"][0] = np.nan
    save_checkpoint(tmp_path / "a.safetensors", arrays, meta())
    with pytest.raises(CheckpointError, match=r"belief_head\.bias.*not all finite"):
        load_policy_agent(tmp_path / "a.safetensors", N42PA)


class Malice:
    """Runs code when unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (os.environ["TEXAS42_TRAP"],)


def test_a_pickle_is_refused_and_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXAS42_TRAP", str(tmp_path / "sprung"))
    path = tmp_path / "a.pt"
    path.write_bytes(pickle.dumps({"actor": Malice()}))
    with pytest.raises(CheckpointError):
        load_policy_agent(path, N42PA)
    torch.save({"actor": Malice()}, path)
    with pytest.raises(CheckpointError):
        load_policy_agent(path, N42PA)
    assert not (tmp_path / "sprung").exists()


def test_a_failed_write_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.safetensors")
    before = path.read_bytes()

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left"):
        write(path, note="new")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.safetensors"]


def test_unwritable_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot write checkpoint"):
        write(tmp_path / "nowhere" / "a.safetensors")


def test_checkpoint_holds_plain_data_only(tmp_path: Path) -> None:
    data = load_checkpoint(write(tmp_path / "a.safetensors")).meta
    assert json.loads(json.dumps(data)) == data


def test_weights_of_other_sizes_are_named() -> None:
    arrays = to_arrays(an_actor())
    arrays["belief_head.bias"] = np.zeros(3, np.float32)
    with pytest.raises(ValueError, match=r"do not fit the network: belief_head\.bias"):
        from_arrays(an_actor(), arrays)


def test_first_weights_depend_on_the_seed_only() -> None:
    assert (
        to_arrays(an_actor(seed=4))["trunk.0.weight"].tobytes()
        == to_arrays(an_actor(seed=4))["trunk.0.weight"].tobytes()
    )
    assert (to_arrays(an_actor(seed=4))["trunk.0.weight"] != to_arrays(an_actor(seed=5))["trunk.0.weight"]).any()


@pytest.mark.parametrize("preset", ["n42pa", "moon", "big_game", "eighty_four", "one_forty", "players_2"])
def test_networks_fit_every_game(preset: str) -> None:
    rules = Rules.preset(preset)
    shape = Shape.of(rules, 16, 2, tile_width=8)
    game = BatchedGame(rules, 3)
    game.reset(1)
    observations, masks = game.observe()
    actor = Actor(shape, rules)
    reading = actor.read(torch.from_numpy(observations))
    assert actor.logits(reading).shape == masks.shape
    assert actor.belief(reading.features).shape == (3, rules.seats - 1, rules.n_types)
    critic = Critic(shape, rules)
    assert critic(torch.from_numpy(observations), torch.from_numpy(game.hidden())).shape == (3,)
