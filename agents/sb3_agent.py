"""``sb3:PATH``: a model saved by Stable-Baselines3 (PPO, MaskablePPO, A2C with an MLP policy) as a player.

SB3 saves a zip archive in which settings are pickles: loading it with SB3 runs whatever code its author put there.
This module never does: it reads the weights with torch's weights-only loader, the settings that are plain JSON, and
builds the actor itself. What it cannot build from these (other networks, other feature extractors) it refuses.
"""

import io
import json
import re
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from texas42.agents.base import Decisions
from texas42.agents.choice import BLOCK, choose_actions
from texas42.agents.policy import torch_threads
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.layout import build_layout
from texas42.envs.rules.rules import Rules

ACTIVATIONS: dict[str, type[nn.Module]] = {
    "Tanh": nn.Tanh,
    "ReLU": nn.ReLU,
    "LeakyReLU": nn.LeakyReLU,
    "ELU": nn.ELU,
    "GELU": nn.GELU,
    "SiLU": nn.SiLU,
}
"""Activations that may be named in a file; SB3's default is Tanh."""
LARGEST = 256 * 2**20
"""Bytes of one unpacked member of the archive, and of all weights together."""
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

Weights = dict[str, Tensor]


class SB3FileError(ValueError):
    """A file that is missing, damaged, no SB3 model, or holds what this reader does not build."""


class SB3Agent:
    """Plays by an SB3 actor's masked logits.

    Args:
        actor: from observations float32 (n, inputs) to logits (n, n_actions).
        with_mask: whether the inputs end with the action mask, as SB3 joins the parts of a dict observation.
        name: what the agent is called.
        temperature: 0 plays the likeliest action, 1 draws from the policy.
    """

    def __init__(self, actor: nn.Module, with_mask: bool, name: str, temperature: float = 0.0) -> None:
        self.actor, self.with_mask, self.name, self.temperature = actor.eval(), with_mask, name, temperature

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,)."""
        masks = decisions.masks
        inputs = decisions.observations
        if self.with_mask:
            inputs = np.concatenate([inputs, masks], axis=1)
        logits = self._logits(inputs)
        return choose_actions(logits, masks, decisions.keys, self.temperature)

    def _logits(self, inputs: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        """Blocks of one size, so that a row's answer does not depend on the batch around it."""
        out = []
        block = np.zeros((BLOCK, inputs.shape[1]), np.int8)
        with torch.inference_mode(), torch_threads(1):
            for start in range(0, len(inputs), BLOCK):
                rows = inputs[start : start + BLOCK]
                block[: len(rows)] = rows
                out.append(self.actor(torch.from_numpy(block).float()).numpy()[: len(rows)].copy())
        return np.concatenate(out)

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""


def load_sb3_agent(path: str | Path, rules: Rules, *, temperature: float = 0.0) -> SB3Agent:
    """The agent ``sb3:PATH`` for some rules.

    Args:
        path: the zip archive that ``model.save`` wrote.
        rules: the rules to play; the model must have been trained on observations and actions of these sizes.
        temperature: 0 (the default) plays the likeliest action, 1 draws from the policy.

    Raises:
        SB3FileError: missing, damaged, no SB3 model, made for other sizes, or of a kind that is not built here.
    """
    path = Path(path)
    weights, activation = _read(path)
    actor = _build_actor(path, weights, activation)
    linear = [layer for layer in actor if isinstance(layer, nn.Linear)]
    inputs, outputs = linear[0].in_features, linear[-1].out_features
    codec = build_codec(rules)
    width = build_layout(rules, codec).width
    if outputs != codec.n_actions or inputs not in (width, width + codec.n_actions):
        wanted = f"{width} (or {width + codec.n_actions} with the mask) and {codec.n_actions}"
        raise SB3FileError(
            f"{path}: made for {inputs} inputs and {outputs} actions; the rules {rules.to_dict()} have {wanted}"
        )
    return SB3Agent(actor, inputs != width, f"sb3:{path}", temperature)


def _read(path: Path) -> tuple[Weights, type[nn.Module]]:
    if not path.is_file():
        raise SB3FileError(f"no SB3 model at {path}")
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(_member(path, archive, "data"))
            blob = _member(path, archive, "policy.pth")
        _check_unpacked(path, blob)
        weights = torch.load(io.BytesIO(blob), map_location="cpu", weights_only=True)
    except SB3FileError:
        raise
    except Exception as error:  # zipfile, json and torch raise many kinds on damaged files
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SB3FileError(f"{path}: damaged or no SB3 model ({reason})") from error
    if not isinstance(weights, dict) or not all(isinstance(value, Tensor) for value in weights.values()):
        raise SB3FileError(f"{path}: policy.pth holds something else than weights")
    _check_weights(path, weights)
    return weights, _activation(path, data)


def _check_unpacked(path: Path, blob: bytes) -> None:
    """Weights are an archive too: a small one may unpack to more than the memory holds."""
    with zipfile.ZipFile(io.BytesIO(blob)) as archive:
        size = sum(info.file_size for info in archive.infolist())
    if size > LARGEST:
        raise SB3FileError(f"{path}: policy.pth unpacks to {size} bytes, allowed are {LARGEST}")


def _check_weights(path: Path, weights: Weights) -> None:
    """Refuse what would not be numbers in the network, or much larger there than in the file."""
    for name, value in weights.items():
        if value.layout != torch.strided or value.dtype not in DTYPES:
            raise SB3FileError(f"{path}: {name} is no dense tensor of floating-point numbers")
    size = sum(value.numel() * value.element_size() for value in weights.values())  # more than stored if strides are 0
    if size > LARGEST:
        raise SB3FileError(f"{path}: the weights have {size} bytes, allowed are {LARGEST}")
    for name, value in weights.items():
        if not bool(torch.isfinite(value).all()):
            raise SB3FileError(f"{path}: {name} holds numbers that are not finite")


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise SB3FileError(f"{path}: no SB3 model, it has no {name!r}") from None
    if info.file_size > LARGEST:
        raise SB3FileError(f"{path}: {name} has {info.file_size} bytes, allowed are {LARGEST}")
    with archive.open(info) as file:
        return file.read(LARGEST + 1)


def _activation(path: Path, data: Any) -> type[nn.Module]:
    """The activation that the settings name; their pickled form is not touched."""
    settings = data.get("policy_kwargs") if isinstance(data, dict) else None
    if not isinstance(settings, dict) or "activation_fn" not in settings:
        return nn.Tanh
    found = re.fullmatch(r"<class 'torch\.nn\.modules\.activation\.(\w+)'>", str(settings["activation_fn"]))
    if found is None or found[1] not in ACTIVATIONS:
        allowed = ", ".join(ACTIVATIONS)
        raise SB3FileError(f"{path}: activation {settings['activation_fn']!r} is not known; known: {allowed}")
    return ACTIVATIONS[found[1]]


def _build_actor(path: Path, weights: Weights, activation: type[nn.Module]) -> nn.Sequential:
    """The actor of an `ActorCriticPolicy`: ``mlp_extractor.policy_net`` and ``action_net``."""
    strange = [name for name in weights if not re.match(r"(mlp_extractor|action_net|value_net)\.", name)]
    if strange:
        raise SB3FileError(f"{path}: only MLP policies of discrete actions are read; it has {strange[0]!r}")
    names = [name for name in weights if re.fullmatch(r"mlp_extractor\.policy_net\.\d+\.weight", name)]
    names = [*sorted(names, key=lambda name: int(name.split(".")[2])), "action_net.weight"]
    layers: list[nn.Module] = []
    for name in names:
        weight, bias = weights.get(name), weights.get(name.removesuffix("weight") + "bias")
        if weight is None or bias is None or weight.dim() != 2 or bias.shape != weight.shape[:1]:
            raise SB3FileError(f"{path}: damaged, no fitting weight and bias of {name.removesuffix('.weight')}")
        linear = nn.Linear(weight.shape[1], weight.shape[0])
        linear.load_state_dict({"weight": weight, "bias": bias})
        layers += [linear, activation()]
    actor = nn.Sequential(*layers[:-1])
    sizes = [layer for layer in actor if isinstance(layer, nn.Linear)]
    if any(a.out_features != b.in_features for a, b in pairwise(sizes)):
        raise SB3FileError(f"{path}: damaged, its layers do not fit together")
    return actor
