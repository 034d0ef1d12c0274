"""The compiler of the solver's kernels, and the one bit operation that the engine does not have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import types

from texas42.envs.engine import jit
from texas42.envs.engine.bits import bit, lowest, untyped_intrinsic
from texas42.envs.rules import tables

F = TypeVar("F", bound=Callable[..., Any])
_ENGINE = Path(jit.__file__).resolve().parent
_RULES = Path(tables.__file__).resolve().parent

kernel = jit.KernelCompiler("texas42-solver", Path(__file__).resolve().parent, _ENGINE, _RULES)

if jit.JIT:

    @untyped_intrinsic
    def highest(typingctx: Any, mask: Any) -> Any:
        """Index of the highest set bit; undefined for 0."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            from llvmlite import ir

            word = ir.IntType(64)
            zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(ir.Constant(word, 63), zeros)

        return types.int64(types.uint64), codegen

else:

    def highest(mask: Any) -> Any:
        """Index of the highest set bit; undefined for 0."""
        return int(mask).bit_length() - 1


@kernel
def to_mask(i: Any) -> Any:
    """A small number as a bit set."""
    return np.uint64(i)


@kernel
def to_int(word: Any) -> Any:
    """A small word as a signed number."""
    return np.int64(word)


@kernel
def first(mask: Any) -> Any:
    """The lowest bit of a set, as a set; `mask` must not be empty."""
    return bit(lowest(mask))


def recursive(signature: Any) -> Callable[[F], F]:
    """As `kernel`, for a kernel that calls itself.

    Numba can load such a kernel from its cache only if it was compiled for an explicit signature, which it does
    when the module is imported.
    """

    return lambda function: kernel.compile(function, signature)
