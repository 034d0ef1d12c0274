"""The same counting as in `counting`, in plain Python with whole numbers: for games with many seats, whose table of
states would be too large, and only the states that come up are looked at."""

from collections.abc import Iterator
from functools import cache
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.search.constraints import OUT

Rooms = tuple[int, ...]


class ExactCounts:
    """Counts and draws the deals of one record of `KNOWLEDGE`."""

    def __init__(self, knowledge: Any) -> None:
        n, k = int(knowledge.n_holders), int(knowledge.n_classes)
        self.seats = [int(s) for s in knowledge.seat[:n]]
        self.rooms: Rooms = tuple(int(r) for r in knowledge.room[:n])
        self.doubles = [int(d) for d in knowledge.doubles[:n]]
        self.sevens = [int(d) for d in knowledge.sevens[:n]]
        self.classes = [int(m) for m in knowledge.tiles[:k]]
        self.holders = [[h for h in range(n) if int(m) >> h & 1] for m in knowledge.holders[:k]]
        self.after_sevens, self.from_doubles = int(knowledge.after_sevens), int(knowledge.from_doubles)
        self.ways = cache(self._ways)

    def _ways(self, k: int, rooms: Rooms) -> int:
        """Deals of classes k, k+1, ... into these rooms."""
        if k == self.after_sevens and any(
            r0 - r < need for r0, r, need in zip(self.rooms, rooms, self.sevens, strict=True)
        ):
            return 0
        if k == self.from_doubles and any(r < need for r, need in zip(rooms, self.doubles, strict=True)):
            return 0
        if k == len(self.classes):
            return int(not any(rooms))
        return sum(ways * self.ways(k + 1, after) for _, ways, after in self.splits(k, rooms))

    def splits(self, k: int, rooms: Rooms) -> Iterator[tuple[Rooms, int, Rooms]]:
        """Every way to share out class `k`: tiles by holder, in how many ways, the rooms after it."""
        size = self.classes[k].bit_count()

        def share(left: int, holders: list[int], split: dict[int, int]) -> Iterator[dict[int, int]]:
            if not holders:
                if left == 0:
                    yield split
                return
            h, rest = holders[0], holders[1:]
            low = max(0, left - sum(rooms[g] for g in rest))
            for n in range(low, min(left, rooms[h]) + 1):
                yield from share(left - n, rest, {**split, h: n})

        for split in share(size, self.holders[k], {}):
            row = tuple(split.get(h, 0) for h in range(len(rooms)))
            ways = factorial(size)
            for n in row:
                ways //= factorial(n)
            yield row, ways, tuple(r - n for r, n in zip(rooms, row, strict=True))

    def draw(self, key: int, hands: npt.NDArray[np.uint64], out: npt.NDArray[np.uint64]) -> float:
        """Draw into ``hands[i, seat]`` and ``out[i]``; returns the number of deals, 0 if nothing fits."""
        total = self.ways(0, self.rooms)
        if total:
            for i in range(len(hands)):
                self._draw_one(np.random.default_rng([key, i]), hands[i], out, i)
        return float(total)

    def _draw_one(self, rng: np.random.Generator, hands: npt.NDArray[np.uint64], out: Any, i: int) -> None:
        masks = [0] * len(self.seats)
        rooms = self.rooms
        for k, tiles in enumerate(self.classes):
            row, rooms = self._pick(k, rooms, rng)
            order = rng.permutation([b for b in range(64) if tiles >> b & 1])
            start = 0
            for h, n in enumerate(row):
                masks[h] |= sum(1 << int(b) for b in order[start : start + n])
                start += n
        for seat, mask in zip(self.seats, masks, strict=True):
            if seat == OUT:
                out[i] = mask
            else:
                hands[seat] = mask

    def _pick(self, k: int, rooms: Rooms, rng: np.random.Generator) -> tuple[Rooms, Rooms]:
        """A split of class `k`, in proportion to the deals that follow."""
        options = [(row, ways * self.ways(k + 1, after), after) for row, ways, after in self.splits(k, rooms)]
        left = _whole_below(sum(n for _, n, _ in options), rng)
        for row, n, after in options:
            if left < n:
                return row, after
            left -= n
        raise AssertionError("the splits of a class add up to its ways")


def _whole_below(n: int, rng: np.random.Generator) -> int:
    """A uniform whole number below `n`, which may be large."""
    bits = n.bit_length()
    while True:
        value = int.from_bytes(rng.bytes((bits + 7) // 8), "little") & ((1 << bits) - 1)
        if value < n:
            return value
