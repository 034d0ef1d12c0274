"""Where networks play and learn: the processor, or a GPU of the machine. Experience stays in numpy either way."""

import os
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor

from texas42.training.config import ConfigError


def learning_device(name: str) -> torch.device:
    """The device of a configuration; under torchrun each process has the GPU of its number on the machine.

    Args:
        name: ``cpu``, ``cuda`` or ``cuda:N``.

    Raises:
        ConfigError: there is no such device here.
    """
    if name == "cpu":
        return torch.device(name)
    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not there:
        raise ConfigError(f"network.device={name!r} is not available: torch {torch.__version__} finds no GPU; use cpu")
    rank = os.environ.get("LOCAL_RANK") if int(os.environ.get("WORLD_SIZE", "1")) > 1 else None
    number = int(rank or name.partition(":")[2] or 0)
    if number >= there:
        why = "LOCAL_RANK" if rank else "its number"
        raise ConfigError(f"network.device={name!r} is not available: {why} is {number}, but there are {there} GPUs")
    return torch.device("cuda", number)


def moved(array: npt.NDArray[Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device; on the processor they share their memory."""
    return torch.from_numpy(array).to(device)
