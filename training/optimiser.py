"""What turns gradients into steps: Adam, or Muon for the matrices of hidden layers and Adam for all else."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from texas42.agents.checkpoint import Arrays
from texas42.agents.network import hidden_matrices

ADAM_EPSILON = 1e-8
"""Rewards are fractions of the largest stake, so gradients are small: 1e-5 would slow the critic down."""
MUON_RATE = 20.0
"""An orthogonal step has singular values of 1, where Adam's have entries of about 1."""
_MOMENTS = {torch.optim.Adam: ("step", "exp_avg", "exp_avg_sq"), torch.optim.Muon: ("momentum_buffer",)}


class Optimiser:
    """An optimiser of one network, whose state can be saved by the names of its parameters.

    Muon makes the step of a matrix orthogonal (Jordan 2024): all that an update says counts the same, not its loudest
    part alone. Its matrices move at `MUON_RATE` times the learning rate.

    Args:
        module: the network.
        kind: ``"adam"`` or ``"muon"``.
    """

    def __init__(self, module: nn.Module, kind: str) -> None:
        self.module = module
        matrices = hidden_matrices(module) if kind == "muon" else []
        apart = {id(matrix) for matrix in matrices}
        rest = [parameter for parameter in module.parameters() if id(parameter) not in apart]
        self.parts: list[torch.optim.Optimizer] = [torch.optim.Adam(rest, eps=ADAM_EPSILON)]
        if matrices:
            self.parts.append(torch.optim.Muon(matrices, weight_decay=0.0))

    def set_learning_rate(self, rate: float) -> None:
        """Set the rate of all parameters."""
        for part in self.parts:
            scale = MUON_RATE if isinstance(part, torch.optim.Muon) else 1.0
            for group in part.param_groups:
                group["lr"] = scale * rate

    def step(self) -> None:
        """Move all parameters by their gradients."""
        for part in self.parts:
            part.step()

    def to_arrays(self) -> Arrays:
        """The moments, by parameter and name; none before the first step."""
        out: Arrays = {}
        for name, parameter, part in self._parameters():
            state = part.state.get(parameter, {})
            out |= {f"{name}.{key}": _copied(state[key]) for key in _MOMENTS[type(part)] if key in state}
        return out

    def load(self, arrays: Arrays) -> None:
        """The inverse of `to_arrays`.

        Raises:
            ValueError: names or shapes do not fit.
        """
        for name, parameter, part in self._parameters():
            keys = _MOMENTS[type(part)]
            found = {key: arrays[f"{name}.{key}"] for key in keys if f"{name}.{key}" in arrays}
            shapes = {key: () if key == "step" else tuple(parameter.shape) for key in keys}
            if found and {key: array.shape for key, array in found.items()} != shapes:
                raise ValueError(f"the optimiser's moments of {name!r} do not fit the network")
            for key, array in found.items():
                place = "cpu" if key == "step" else parameter.device  # Adam counts on the processor
                part.state[parameter][key] = torch.from_numpy(array.copy()).to(place)

    def _parameters(self) -> Iterator[tuple[str, nn.Parameter, torch.optim.Optimizer]]:
        groups = [(part, group["params"]) for part in self.parts for group in part.param_groups]
        mine = {id(parameter): part for part, parameters in groups for parameter in parameters}
        for name, parameter in self.module.named_parameters():
            yield name, parameter, mine[id(parameter)]


def _copied(tensor: Tensor) -> npt.NDArray[np.float32]:
    return np.asarray(tensor.cpu().numpy().copy())
