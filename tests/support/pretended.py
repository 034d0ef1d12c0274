"""A pretended GPU: tensors that calculate on the processor and refuse to meet the processor's own.

torch calls it ``meta``, the one device that needs no hardware. Numbers are the processor's, to the byte.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils import _pytree as tree
from torch.utils._python_dispatch import TorchDispatchMode

DEVICE = torch.device("meta")
_MAY_MIX = ("_to_copy", "to", "copy_")


class Pretended(torch.Tensor):
    """A tensor on the pretended device; `numbers` holds its numbers."""

    numbers: torch.Tensor

    @staticmethod
    def __new__(cls, numbers: torch.Tensor) -> "Pretended":
        made = torch.Tensor._make_wrapper_subclass(
            cls, numbers.shape, dtype=numbers.dtype, device=DEVICE, strides=numbers.stride()
        )
        made.numbers = numbers
        return made

    def __init__(self, numbers: torch.Tensor) -> None:
        self.numbers = numbers

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        """Do it on the processor.

        Raises:
            RuntimeError: arrays of both devices; a lone number may be anywhere, as on a GPU.
        """
        name = func.overloadpacket.__name__
        kwargs = dict(kwargs or {})
        strangers = [t for t in tree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor) and type(t) is not cls]
        if name not in _MAY_MIX and any(t.dim() > 0 for t in strangers):
            raise RuntimeError(f"{name}: tensors of both devices")
        leaves = torch.device(kwargs.get("device") or DEVICE).type == "cpu"
        if kwargs.get("device") is not None:
            kwargs["device"] = torch.device("cpu")
        plain_args, plain_kwargs = tree.tree_map(lambda t: t.numbers if type(t) is cls else t, (args, kwargs))
        out = func(*plain_args, **plain_kwargs)
        if leaves:
            return out
        if args and type(args[0]) is cls and out is args[0].numbers:  # in place
            return args[0]
        if name == "copy_":
            return args[0]
        return tree.tree_map(lambda t: cls(t) if isinstance(t, torch.Tensor) else t, out)


class _Moves(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """What is sent to the pretended device, or made there, becomes `Pretended`."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        there = any(isinstance(t, Pretended) for t in tree.tree_leaves(args))
        if there or kwargs.get("device") is None or torch.device(kwargs["device"]) != DEVICE:
            return func(*args, **kwargs)
        kwargs["device"] = torch.device("cpu")
        return Pretended(func(*args, **kwargs))


_moves: Any = _Moves  # torch gives modes no types


@contextmanager
def pretended_device() -> Iterator[None]:
    """A block in which the pretended device is there; `pretended_workers` are its threads."""
    swap = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        with _moves():
            yield
    finally:
        torch.__future__.set_swap_module_params_on_conversion(swap)


@contextmanager
def pretended_workers(n: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that know the pretended device."""

    def begin() -> None:
        torch.set_num_threads(1)
        _moves().__enter__()

    with ThreadPoolExecutor(max(n, 2), initializer=begin) as pool:
        yield pool
