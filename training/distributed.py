"""Several processes that train one policy: each plays its own hands, gradients are averaged.

``torchrun --nproc-per-node N -m texas42 train ...`` starts them; alone, a process needs none of this. Every process
takes the same steps from the same weights, so the weights stay equal without being sent.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
import torch
from torch import distributed, nn

PATIENCE = timedelta(minutes=30)
"""How long a process waits for the others: longer than the longest evaluation, which the first process plays alone."""


class LostProcessError(RuntimeError):
    """Another process of the run ended or does not answer; the run goes on from its last checkpoint."""


@dataclass(frozen=True)
class World:
    """The processes of a run.

    Attributes:
        rank: number of this process.
        size: how many there are.
        actor, critic: groups for the gradients of each, which are averaged at the same time; None alone.
    """

    rank: int = 0
    size: int = 1
    actor: Any = None
    critic: Any = None

    @property
    def leads(self) -> bool:
        """Whether this is the process that evaluates, saves and reports."""
        return self.rank == 0

    def share(self, n: int) -> tuple[int, int]:
        """First and one past the last of `n` things that are this process's."""
        return n * self.rank // self.size, n * (self.rank + 1) // self.size

    def average_gradients(self, module: nn.Module, group: Any) -> None:
        """Replace a module's gradients by their mean over all processes.

        Raises:
            LostProcessError: another process is gone.
        """
        if self.size == 1:
            return
        gradients = [p.grad for p in module.parameters() if p.grad is not None]
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        self._reduce(flat, distributed.ReduceOp.SUM, group)
        flat /= self.size
        means = torch.split(flat, [gradient.numel() for gradient in gradients])
        for gradient, mean in zip(gradients, means, strict=True):
            gradient.copy_(mean.view_as(gradient))

    def total(self, values: "np.ndarray[Any, Any]", group: Any = None) -> "np.ndarray[Any, Any]":
        """The sum of an array over all processes, float64.

        Raises:
            LostProcessError: another process is gone.
        """
        return self._reduced(values, distributed.ReduceOp.SUM, group)

    def least(self, value: int, group: Any = None) -> int:
        """The least of a number over all processes.

        Raises:
            LostProcessError: another process is gone.
        """
        return int(self._reduced(np.array(value), distributed.ReduceOp.MIN, group))

    def any(self, value: bool) -> bool:
        """Whether it is true in any process.

        Raises:
            LostProcessError: another process is gone.
        """
        return bool(self._reduced(np.array(float(value)), distributed.ReduceOp.MAX, None))

    def _reduced(self, values: "np.ndarray[Any, Any]", how: Any, group: Any) -> "np.ndarray[Any, Any]":
        if self.size == 1:
            return values.astype(np.float64)
        tensor = torch.from_numpy(values.astype(np.float64).reshape(-1).copy())
        self._reduce(tensor, how, group)
        return tensor.numpy().reshape(values.shape)

    def _reduce(self, tensor: torch.Tensor, how: Any, group: Any) -> None:
        try:
            distributed.all_reduce(tensor, how, group=group)
        except RuntimeError as error:
            raise LostProcessError(
                f"process {self.rank} of {self.size} lost another one ({_first_line(error)}); start the run again"
                " with --resume to go on from its last checkpoint"
            ) from error


ALONE = World()


@contextmanager
def joined(device: torch.device | None = None) -> Iterator[World]:
    """The world that torchrun's environment variables name, or `ALONE`.

    Args:
        device: where this process's networks are, if not on the processor.

    Raises:
        LostProcessError: the others cannot be reached.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1 or "RANK" not in os.environ:
        yield ALONE
        return
    on_gpu = device is not None and device.type == "cuda"
    backend = "cpu:gloo,cuda:nccl" if on_gpu else "gloo"  # counts travel as numpy arrays, gradients as they are
    if on_gpu:
        torch.cuda.set_device(device)
    try:
        distributed.init_process_group(backend, timeout=PATIENCE)
    except (RuntimeError, ValueError) as error:
        raise LostProcessError(f"the processes of the run cannot meet: {_first_line(error)}") from error
    try:
        groups = [distributed.new_group(timeout=PATIENCE, backend=backend) for _ in range(2)]
        yield World(distributed.get_rank(), size, *groups)
    finally:
        distributed.destroy_process_group()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
