"""Bit sets and random numbers for kernels, alike with and without the JIT.

Every cast between signed and unsigned numbers is here: mixed arithmetic differs between compiled and plain code.
"""

from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from texas42.envs.engine.jit import JIT, kernel

ONE = np.uint64(1)
ZERO = np.uint64(0)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_MASK32 = np.uint64(0xFFFFFFFF)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_MASK64 = (1 << 64) - 1
_SPREAD = np.array([sum(((b >> i) & 1) << (8 * i) for i in range(8)) for b in range(256)], np.uint64)
_BYTE = np.uint64(255)
_EIGHT = np.uint64(8)


def untyped_intrinsic(function: Any) -> Any:
    """Numba's `intrinsic`, without the types that hide the signature kernels see."""
    return intrinsic(function)


if JIT:

    @untyped_intrinsic
    def popcount(typingctx: Any, mask: Any) -> Any:
        """Number of set bits."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen

    @untyped_intrinsic
    def lowest(typingctx: Any, mask: Any) -> Any:
        """Index of the lowest set bit; undefined for 0."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), codegen

    @untyped_intrinsic
    def multiply_high(typingctx: Any, a: Any, b: Any) -> Any:
        """Upper 64 bits of the 128-bit product of two uint64."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            wide = ir.IntType(128)
            product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
            return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

        return types.uint64(types.uint64, types.uint64), codegen

    @untyped_intrinsic
    def deposit(typingctx: Any, n: Any, mask: Any) -> Any:
        """The `n`-th set bit of `mask` alone, with the processor's bit deposit instruction."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            name = "llvm.x86.bmi.pdep.64"
            function = builder.module.globals.get(name) or ir.Function(
                builder.module, ir.FunctionType(word, [word, word]), name
            )
            return builder.call(function, [builder.shl(ir.Constant(word, 1), args[0]), args[1]])

        return types.uint64(types.uint64, types.uint64), codegen

    @untyped_intrinsic
    def store_bytes(typingctx: Any, out: Any, at: Any, word: Any) -> Any:
        """Write the eight bytes of `word` to ``out[at:at + 8]`` (int8, contiguous), lowest first."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            place = builder.gep(array.data, [args[1]])
            wide = builder.bitcast(place, ir.IntType(64).as_pointer())
            store = builder.store(args[2], wide)
            store.align = 1
            return context.get_dummy_value()

        return types.void(out, types.int64, types.uint64), codegen

    @kernel
    def multiply(a: Any, b: Any) -> Any:
        """Product of two uint64 modulo 2^64."""
        return a * b

    @kernel
    def add(a: Any, b: Any) -> Any:
        """Sum of two uint64 modulo 2^64."""
        return a + b

else:

    def popcount(mask: Any) -> Any:
        """Number of set bits."""
        return int(mask).bit_count()

    def lowest(mask: Any) -> Any:
        """Index of the lowest set bit; undefined for 0."""
        return (int(mask) & -int(mask)).bit_length() - 1

    def store_bytes(out: Any, at: Any, word: Any) -> None:
        """Write the eight bytes of `word` to ``out[at:at + 8]`` (int8, contiguous), lowest first."""
        out[at : at + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.int8)

    def multiply_high(a: Any, b: Any) -> Any:
        """Upper 64 bits of the 128-bit product of two uint64."""
        return np.uint64((int(a) * int(b)) >> 64)

    def multiply(a: Any, b: Any) -> Any:
        """Product of two uint64 modulo 2^64."""
        return np.uint64((int(a) * int(b)) & _MASK64)

    def add(a: Any, b: Any) -> Any:
        """Sum of two uint64 modulo 2^64."""
        return np.uint64((int(a) + int(b)) & _MASK64)


@kernel
def bit(i: Any) -> Any:
    """The uint64 with bit `i` set."""
    return ONE << np.uint64(i)


@kernel
def n_members(seats: Any) -> Any:
    """How many seats a seat mask (a small signed number) holds."""
    return popcount(np.uint64(seats))


@kernel
def around(i: Any, n: Any) -> Any:
    """`i` counted around a circle of `n`, for i < 2n: a division would cost more than the rest of a step."""
    return i - n if i >= n else i


@kernel
def shift_right(mask: Any, n: Any) -> Any:
    """`mask` moved down by `n` bits."""
    return mask >> np.uint64(n)


@kernel
def has(mask: Any, i: Any) -> Any:
    """Whether bit `i` of `mask` is set."""
    return (mask >> np.uint64(i)) & ONE != ZERO


@kernel
def drop_lowest(mask: Any) -> Any:
    """`mask` without its lowest set bit; `mask` must not be 0."""
    return mask & (mask - ONE)


if JIT and llvm.get_host_cpu_features().get("bmi2", False):

    @kernel
    def nth_bit_mask(mask: Any, n: Any) -> Any:
        """The `n`-th set bit of `mask` alone, counted from 0; `mask` must have more than `n`."""
        return deposit(np.uint64(n), mask)

else:

    @kernel
    def nth_bit_mask(mask: Any, n: Any) -> Any:
        """The `n`-th set bit of `mask` alone, counted from 0; `mask` must have more than `n`."""
        for _ in range(n):
            mask = drop_lowest(mask)
        return bit(lowest(mask))


@kernel
def nth_bit(mask: Any, n: Any) -> Any:
    """Index of the `n`-th set bit, counted from 0; `mask` must have more than `n`."""
    return lowest(nth_bit_mask(mask, n))


@kernel
def mix(x: Any) -> Any:
    """A bijection of uint64 that scatters its bits (splitmix64's finaliser)."""
    x = add(x, _GOLDEN)
    x = multiply(x ^ (x >> _S30), _M1)
    x = multiply(x ^ (x >> _S27), _M2)
    return x ^ (x >> _S31)


@kernel
def stream(key: Any, n: Any) -> Any:
    """Number `n` of the random stream `key`: a pure function of both."""
    return mix(add(key, multiply(np.uint64(n), _GOLDEN)))


@kernel
def combine(a: Any, b: Any) -> Any:
    """A key made of two numbers."""
    return mix(mix(np.uint64(a)) ^ np.uint64(b))


@kernel
def scale(word: Any, n: Any) -> Any:
    """A number in 0..n-1 from the upper half of a random word; biased by less than n / 2^32."""
    return np.int64(((word >> _S32) * np.uint64(n)) >> _S32)


@kernel
def below(key: Any, n: Any, draw: Any) -> Any:
    """An exactly uniform number in 0..n-1 from position `draw` of a stream, by rejection (Lemire 2019)."""
    word = stream(key, draw)
    product = (word & _MASK32) * np.uint64(n)
    while (product & _MASK32) < np.uint64(n):
        limit = (np.uint64(1 << 32) - np.uint64(n)) % np.uint64(n)
        if (product & _MASK32) >= limit:
            break
        word = mix(word)
        product = (word & _MASK32) * np.uint64(n)
    return np.int64(product >> _S32)


@kernel
def put_mask(out: Any, at: Any, mask: Any, n: Any) -> None:
    """Write the lowest `n` bits of `mask` as 0/1 to ``out[at:at + n]``."""
    if n < 8:
        for i in range(n):
            out[at + i] = (mask >> np.uint64(i)) & ONE
        return
    last = at + n - 8
    end = mask >> np.uint64(n - 8)  # the last word overlaps the one before: no loop over single bytes
    while at < last:
        store_bytes(out, at, _SPREAD[mask & _BYTE])
        mask >>= _EIGHT
        at += 8
    store_bytes(out, last, _SPREAD[end & _BYTE])
