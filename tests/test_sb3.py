"""Stable-Baselines3: the batched `VecEnv`, the training script, and trained models as players."""

import base64
import io
import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.env_util import make_vec_env
from torch import nn

import texas42  # noqa: F401 (registers the tasks)
from texas42.agents.arena import decisions_for
from texas42.agents.sb3_agent import LARGEST, SB3FileError, load_sb3_agent
from texas42.agents.specs import make_agent
from texas42.envs.adapters.sb3 import SB3VecEnv
from texas42.envs.batch import BatchedGame
from texas42.envs.errors import IllegalActionError, OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "train_sb3.py"
TASK = "texas42/Texas42-v0"
ANYONE: dict[str, Any] = {"partner": "random", "opponents": "random"}


def batched(n: int, **kwargs: Any) -> SB3VecEnv:
    return SB3VecEnv(gymnasium.make_vec(TASK, n, **{**ANYONE, **kwargs}))


def first_legal(env: Any) -> Any:
    return np.stack(env.env_method("action_masks")).argmax(1)


@pytest.mark.parametrize("mask", ["obs", "method"])
def test_the_batched_adapter_returns_what_make_vec_env_returns(mask: str) -> None:
    kwargs = {**ANYONE, "mask": mask, "render_mode": None}
    slow = make_vec_env(TASK, 4, env_kwargs=kwargs)
    fast = batched(4, mask=mask)
    slow.seed(7)
    seen: Any = slow.reset()
    also: Any
    fast.venv.reset(seed=[7, 8, 9, 10])  # SB3 seeds environments one after the other
    ended = 0
    for _ in range(40):
        actions = first_legal(fast)
        assert np.array_equal(actions, first_legal(slow))
        seen, rewards, dones, infos = slow.step(actions)
        also, rewards2, dones2, infos2 = fast.step(actions)
        same = [(seen, also)] if mask == "method" else [(seen[key], also[key]) for key in seen]
        assert all(np.array_equal(a, b) for a, b in same)
        assert np.array_equal(rewards, rewards2)
        assert rewards2.dtype == np.float32
        assert np.array_equal(dones, dones2)
        for row in np.flatnonzero(dones):
            assert infos[row]["episode"]["r"] == infos2[row]["episode"]["r"]
            assert infos[row]["episode"]["l"] == infos2[row]["episode"]["l"]
            assert infos[row]["TimeLimit.truncated"] == infos2[row]["TimeLimit.truncated"]
            last, last2 = infos[row]["terminal_observation"], infos2[row]["terminal_observation"]
            pairs = [(last, last2)] if mask == "method" else [(last[key], last2[key]) for key in last]
            assert all(np.array_equal(a, b) for a, b in pairs)
        ended += int(dones.sum())
    assert ended > 4


def test_the_adapter_seeds_rows_and_refuses_other_environments() -> None:
    one, two = batched(3), batched(3)
    for env in (one, two):
        env.seed(5)
    assert np.array_equal(one.reset()["observation"], two.reset()["observation"])
    assert not np.array_equal(one.reset()["observation"], two.venv.reset(seed=5)[0]["observation"])
    with pytest.raises(OptionsError, match="Texas42VectorEnv"):
        SB3VecEnv(gymnasium.make_vec("CartPole-v1", 2, vectorization_mode="sync"))
    with pytest.raises(IllegalActionError):
        one.step(np.full(3, 92))
    with pytest.raises(AttributeError, match="action_masks"):
        one.env_method("legal_actions")
    with pytest.raises(AttributeError, match="share"):
        one.set_attr("task", None)


def test_make_vec_env_works_without_arguments() -> None:
    env = make_vec_env(TASK, 1, env_kwargs=ANYONE)  # asks for pixels first
    env.reset()
    env.step(first_legal(env))


def saved(path: Path, kind: Any = MaskablePPO, **kwargs: Any) -> Path:
    mask, illegal = kwargs.pop("mask", "method"), "raise" if kind is MaskablePPO else "replace"
    policy = "MultiInputPolicy" if mask == "obs" else "MlpPolicy"
    model = kind(policy, batched(4, mask=mask, illegal=illegal), n_steps=4, seed=0, device="cpu", **kwargs)
    model.learn(16)
    model.save(path)
    return path


@pytest.mark.parametrize(
    ("kind", "kwargs"),
    [
        (MaskablePPO, {"batch_size": 16}),
        (MaskablePPO, {"batch_size": 16, "mask": "obs", "policy_kwargs": {"net_arch": [32, 16]}}),
        (PPO, {"batch_size": 16, "policy_kwargs": {"activation_fn": nn.ReLU, "net_arch": {"pi": [16], "vf": [8]}}}),
        (A2C, {}),
    ],
)
def test_a_saved_model_plays_as_sb3_plays_it(kind: Any, kwargs: dict[str, Any], tmp_path: Path) -> None:
    path = saved(tmp_path / "model.zip", kind, **kwargs)
    rules = Rules.preset("n42pa")
    agent = make_agent(f"sb3:{path}", rules)
    model = kind.load(path, device="cpu")
    game = BatchedGame(rules, 64)
    game.reset(0)
    for _ in range(30):
        rows = np.arange(64)
        decisions = decisions_for(game, rows, np.zeros(64, np.uint64))
        answers = agent.act(decisions)
        seen: Any = decisions.observations
        if kwargs.get("mask") == "obs":
            seen = {"observation": decisions.observations, "action_mask": decisions.masks}
        if kind is MaskablePPO:
            theirs, _ = model.predict(seen, deterministic=True, action_masks=decisions.masks)
            assert np.array_equal(answers, theirs)
        else:
            tensor, _ = model.policy.obs_to_tensor(seen)
            probabilities = model.policy.get_distribution(tensor).distribution.probs.detach().numpy()
            assert np.array_equal(answers, np.where(decisions.masks, probabilities, -1).argmax(1))
        game.step(answers)


def test_a_model_is_evaluated_with_masks(tmp_path: Path) -> None:
    path = saved(tmp_path / "model.zip", batch_size=16)
    model = MaskablePPO.load(path, device="cpu")
    mean, _ = evaluate_policy(model, batched(8, mask="method"), n_eval_episodes=20)
    assert np.isfinite(mean)
    assert play_match(f"sb3:{path}", "random", deals=5).deals == 5
    drawn = play_match(f"sb3:{path},temperature=1", "random", deals=5)
    assert drawn.deals == 5


def rewritten(path: Path, **members: bytes | None) -> Path:
    """A copy of an archive with members replaced, or left out."""
    out = path.with_name(f"changed{len(list(path.parent.iterdir()))}.zip")
    names = {"policy": "policy.pth", "data": "data"}
    changed = {names[key]: value for key, value in members.items()}
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = changed.get(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return out


def torch_bytes(value: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def with_padding(archive: bytes, size: int) -> bytes:
    """An archive with one more member, of `size` zeros, deflated."""
    buffer = io.BytesIO(archive)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as file, file.open("archive/data/zeros", "w") as member:
        for start in range(0, size, 2**20):
            member.write(bytes(min(2**20, size - start)))
    return buffer.getvalue()


class Bomb:
    """Unpickling it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_loading_a_strangers_file_runs_none_of_its_code(tmp_path: Path) -> None:
    path, mark = saved(tmp_path / "model.zip", batch_size=16), tmp_path / "mark"
    rules = Rules.preset("n42pa")
    with pytest.raises(SB3FileError, match="damaged or no SB3 model"):
        load_sb3_agent(rewritten(path, policy=torch_bytes({"action_net.weight": Bomb(mark)})), rules)
    bomb = {":type:": "<class 'function'>", ":serialized:": base64.b64encode(pickle.dumps(Bomb(mark))).decode()}
    data = json.dumps({"policy_class": bomb, "policy_kwargs": {}, "lr_schedule": bomb}).encode()
    load_sb3_agent(rewritten(path, data=data), rules)
    assert not mark.exists()


def test_damaged_and_foreign_files_are_refused_by_name(tmp_path: Path) -> None:
    path, rules = saved(tmp_path / "model.zip", batch_size=16), Rules.preset("n42pa")
    weights = torch.load(io.BytesIO(zipfile.ZipFile(path).read("policy.pth")), weights_only=True)
    without = {name: value for name, value in weights.items() if name != "action_net.bias"}
    bias = weights["action_net.bias"]
    odd = {**weights, "mlp_extractor.policy_net.2.weight": torch.zeros(64, 3)}
    activation = json.dumps({"policy_kwargs": {"activation_fn": "<class 'os.system'>"}}).encode()
    huge = torch.zeros(1).expand(10**6, 10**6)  # four bytes in the file
    inflated = with_padding(torch_bytes(weights), LARGEST + 1)
    cases = [
        (tmp_path / "none.zip", "no SB3 model at"),
        (rewritten(path, policy=None), "no 'policy.pth'"),
        (rewritten(path, policy=torch_bytes([1, 2])), "something else than weights"),
        (rewritten(path, policy=torch_bytes(without)), "no fitting weight and bias of action_net"),
        (rewritten(path, policy=torch_bytes(odd)), "do not fit together"),
        (rewritten(path, policy=torch_bytes({**weights, "features_extractor.x": torch.zeros(1)})), "only MLP"),
        (rewritten(path, policy=torch_bytes({**weights, "action_net.bias": bias * torch.nan})), "not finite"),
        (rewritten(path, policy=torch_bytes({**weights, "action_net.bias": bias.long()})), "no dense tensor"),
        (rewritten(path, policy=torch_bytes({**weights, "value_net.x": huge})), "the weights have .* bytes, allowed"),
        (rewritten(path, policy=inflated), "policy.pth unpacks to .* bytes, allowed"),
        (rewritten(path, data=activation), "activation .* is not known; known: Tanh"),
        (rewritten(path, data=b"{"), "damaged"),
    ]
    for file, text in cases:
        with pytest.raises(SB3FileError, match=text):
            load_sb3_agent(file, rules)
    with pytest.raises(SB3FileError, match=r"made for 816 inputs and 93 actions; the rules .*moon"):
        load_sb3_agent(path, Rules.preset("moon"))
    (tmp_path / "text.zip").write_text("no zip")
    with pytest.raises(SB3FileError, match="damaged"):
        load_sb3_agent(tmp_path / "text.zip", rules)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "texas42", "evaluate", f"sb3:{tmp_path}/none.zip", "random"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def run_script(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", str(SCRIPT), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_a_short_run_learns_to_beat_random(tmp_path: Path) -> None:
    run_script("--steps", "150000", "--evaluations", "2", "--out", str(tmp_path))
    result = play_match(f"sb3:{tmp_path}/model.zip", "random", deals=1000, seed=1)
    assert result.ci95[0] > 0.5
    assert list(tmp_path.glob("train_1/events.out.tfevents*"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["--algo", "ppo"], ["--algo", "ppo", "--illegal", "penalise"], ["--vec", "dummy"]]
)
def test_the_script_trains_in_every_way(arguments: list[str], tmp_path: Path) -> None:
    common = ["--steps", "2048", "--rollout", "1024", "--evaluations", "1", "--episodes", "10"]
    run_script(*common, *arguments, "--out", str(tmp_path))
    assert play_match(f"sb3:{tmp_path}/model.zip", "random", deals=2).deals == 2
