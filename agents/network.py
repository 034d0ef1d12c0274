"""The networks: a seat-relative actor with a belief head, and a central critic that sees all hands."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from texas42.agents.features import (
    Position,
    Ranks,
    actor_features,
    actor_width,
    call_features,
    call_inputs,
    critic_features,
    critic_width,
    slots,
    tile_features,
    tile_inputs,
)
from texas42.agents.shape import Shape
from texas42.envs.rules.rules import Rules

CALL_WIDTH = 96
"""Units of the layers that read the hand under every declaration."""


class Actor(nn.Module):
    """From what a seat may know to action logits, and to guesses: who holds the unseen tiles, is the contract made.

    One trunk serves all phases and seats. The logits of the auction, the declaration and the play come from
    linear heads. If `tile_width` is set, layers shared by all tiles read each tile of the hand by what it does, and,
    before the declaration, layers shared by all declarations read the hand by what it would be under each. The trunk
    hears means and maxima, and the logit of a play or declaration adds what its layers make of it and the trunk.

    Attributes:
        mixed: compute the trunk in bfloat16; training may set it.
    """

    def __init__(self, shape: Shape, rules: Rules) -> None:
        super().__init__()
        self.shape = shape
        self.ranks = Ranks(shape, rules)
        inputs = shape.observation + actor_width(shape)
        self.tower = Tower(inputs, tile_inputs(shape), shape.tile_width, shape.width) if shape.tile_width else None
        self.caller = Tower(inputs, call_inputs(shape), CALL_WIDTH, shape.width) if shape.tile_width else None
        pooled = 2 * (shape.tile_width + CALL_WIDTH) if shape.tile_width else 0
        self.trunk = _mlp(inputs + pooled, shape.width, shape.layers)
        self.heads = nn.ModuleList(nn.Linear(shape.width, end - first) for first, end in shape.heads)
        self.belief_head = nn.Linear(shape.width, shape.others * shape.tiles)
        self.made_head = nn.Linear(shape.width, 1)
        self.mixed = False

    def read(self, observations: Tensor) -> "Reading":
        """What the trunk makes of int8 or float observations (n, observation)."""
        known = observations.to(self.belief_head.weight.dtype)
        at = Position(self.ranks, known)
        inputs = torch.cat([known, actor_features(at)], dim=1)
        with mixed_precision(self.mixed, known):
            if self.tower is None or self.caller is None:
                return Reading(_single(self.trunk(inputs)))
            tiles, there = slots(at)
            rows = torch.nonzero(at.declared == 0).squeeze(1)
            plays = self.tower.read(inputs, tile_features(at, tiles)) * there[:, :, None]
            calls = self.caller.read(inputs.index_select(0, rows), call_features(at, rows, tiles[rows], there[rows]))
            pooled = [plays.sum(dim=1) / self.shape.slots, plays.amax(dim=1)]
            pooled += [_placed(part, rows, len(known)) for part in (calls.mean(dim=1), calls.amax(dim=1))]
            features = self.trunk(torch.cat([inputs, *pooled], dim=1))
            played = _single(self.tower.score(plays, features)) * there
            called = _single(self.caller.score(calls, features.index_select(0, rows)))
        played = torch.zeros_like(known[:, : self.shape.tiles]).scatter_add(1, tiles, played)
        named = torch.zeros_like(known[rows, : self.shape.piece("declaration")[1]])
        called = _placed(named.index_copy(1, self.ranks.named, called), rows, len(known))
        return Reading(_single(features), played, called)

    def logits(self, reading: "Reading") -> Tensor:
        """Unmasked action logits (n, actions)."""
        heads = [head(reading.features) for head in self.heads]
        for phase, more in ((1, reading.calls), (2, reading.plays)):
            if more is not None:
                logits, size = heads[phase], more.shape[1]
                heads[phase] = torch.cat([logits[:, :size] + more, logits[:, size:]], dim=1)
        return torch.cat(heads, dim=1)

    def belief(self, features: Tensor) -> Tensor:
        """Unmasked logits (n, others, tiles): which other seat holds a tile."""
        logits: Tensor = self.belief_head(features)
        return logits.view(-1, self.shape.others, self.shape.tiles)

    def made(self, features: Tensor) -> Tensor:
        """Logits (n,) of the chance that the contract is made; they mean something once there is one."""
        logits: Tensor = self.made_head(features)
        return logits.squeeze(1)

    def forward(self, observations: Tensor) -> Tensor:
        """Unmasked action logits (n, actions)."""
        return self.logits(self.read(observations))


@dataclass
class Reading:
    """What an actor makes of a batch: `features` of the trunk (n, width), and what its towers add to the logits of
    plays (n, tiles) and of declarations (n, declarations)."""

    features: Tensor
    plays: Tensor | None = None
    calls: Tensor | None = None


class Tower(nn.Module):
    """Layers shared by all options, such as the tiles of the hand.

    Args:
        inputs: numbers that tell of the surroundings.
        features: numbers that tell of an option.
        width: units of its layers.
        trunk: units of the trunk.
    """

    def __init__(self, inputs: int, features: int, width: int, trunk: int) -> None:
        super().__init__()
        self.option, self.around = nn.Linear(features, width), nn.Linear(inputs, width, bias=False)
        self.hidden = nn.Linear(width, width)
        self.mixer, self.context = nn.Linear(width, 2 * width), nn.Linear(trunk, 2 * width, bias=False)
        self.score_head = nn.Linear(2 * width, 1)

    def read(self, inputs: Tensor, options: Tensor) -> Tensor:
        """Each of (n, options, features) in its surroundings, (n, options, width)."""
        first = functional.relu(self.option(options) + self.around(inputs)[:, None])
        return functional.relu(self.hidden(first))

    def score(self, read: Tensor, features: Tensor) -> Tensor:
        """What each option is worth, (n, options)."""
        mixed = functional.relu(self.mixer(read) + self.context(features)[:, None])
        scores: Tensor = self.score_head(mixed)
        return scores.squeeze(2)


def _placed(values: Tensor, rows: Tensor, n: int) -> Tensor:
    """Values (rows, k) in their rows of zeros (n, k)."""
    return values.new_zeros((n, values.shape[1])).index_copy(0, rows, values)


def _single(values: Tensor) -> Tensor:
    """bfloat16 as float32; float64 stays."""
    return values.float() if values.dtype == torch.bfloat16 else values


class Critic(nn.Module):
    """The value of a position for the seat to move, from its observation and all hidden tiles.

    Used in training only. Values are in marks (points) divided by the largest stake.
    """

    def __init__(self, shape: Shape, rules: Rules) -> None:
        super().__init__()
        self.ranks = Ranks(shape, rules)
        inputs = shape.observation + shape.hidden + critic_width(shape)
        self.trunk = _mlp(inputs, shape.width, shape.layers)
        self.value = nn.Linear(shape.width, 1)
        self.mixed = False

    def forward(self, observations: Tensor, hidden: Tensor) -> Tensor:
        """Values (n,) from observations (n, observation) and hidden parts (n, hidden)."""
        dtype = self.value.weight.dtype
        known, unknown = observations.to(dtype), hidden.to(dtype)
        with mixed_precision(self.mixed, known):
            inputs = torch.cat([known, unknown, critic_features(self.ranks, known, unknown)], dim=1)
            features = self.trunk(inputs)
        values: Tensor = self.value(_single(features))
        return values.squeeze(1)


def mixed_precision(on: bool, inputs: Tensor) -> torch.autocast:
    """A block whose matrix products are made in bfloat16 if `on`; the weights stay float32."""
    return torch.autocast(inputs.device.type, torch.bfloat16, enabled=on)


def _mlp(inputs: int, width: int, layers: int) -> nn.Sequential:
    sizes = [inputs, *[width] * layers]
    parts: list[nn.Module] = []
    for before, after in pairwise(sizes):
        parts += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*parts)


def initialise(module: nn.Module, seed: int) -> None:
    """Orthogonal weights and zero biases from a seed; output layers start small: play starts uniform."""
    generator = torch.Generator().manual_seed(seed)
    outputs = {id(layer) for layer in _output_layers(module)}
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            gain = 0.01 if id(layer) in outputs else math.sqrt(2)
            nn.init.orthogonal_(layer.weight, gain, generator=generator)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def _output_layers(module: nn.Module) -> list[nn.Module]:
    if isinstance(module, Actor):
        scores = [tower.score_head for tower in (module.tower, module.caller) if tower is not None]
        return [*module.heads, *scores, module.belief_head, module.made_head]
    return [module.value] if isinstance(module, Critic) else []


def hidden_matrices(module: nn.Module) -> list[Tensor]:
    """The weights of all layers but the output layers."""
    outputs = {id(layer) for layer in _output_layers(module)}
    return [m.weight for m in module.modules() if isinstance(m, nn.Linear) and id(m) not in outputs]


def to_arrays(module: nn.Module) -> dict[str, npt.NDArray[Any]]:
    """Copies of a module's tensors as numpy arrays, for a checkpoint."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def from_arrays(module: nn.Module, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Load arrays into a module, which may stand on torch's `meta` device.

    Raises:
        ValueError: names or shapes do not fit, or a value is not finite.
    """
    wanted = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: array.shape for name, array in arrays.items()}
    if wanted != found:
        odd = sorted(n for n in wanted.keys() | found.keys() if wanted.get(n) != found.get(n))
        raise ValueError(f"tensors do not fit the network: {', '.join(odd)}")
    for name, array in arrays.items():
        if array.dtype != np.float32 or not np.isfinite(array).all():
            raise ValueError(f"tensor {name!r} is not all finite float32")
    module.load_state_dict({n: torch.from_numpy(a.copy()) for n, a in arrays.items()}, assign=True)
