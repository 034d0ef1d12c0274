"""Counting the deals that fit what is known, and drawing one of them, each with the same probability.

`ways[k, state]` is the number of ways to place the tiles of classes k, k+1, ... where `state` says how much room
each holder has left. A draw walks through the classes: it picks how many tiles of a class each holder gets with
probability proportional to the number of deals that follow, then which ones.
"""

from typing import Any

import numpy as np

from texas42.agents.search.constraints import MAX_HOLDERS
from texas42.agents.search.kernels import kernel
from texas42.envs.engine.bits import ZERO, combine, popcount, stream
from texas42.envs.engine.deal import TILES_A_WORD, draw_tiles

FACTORIALS = np.cumprod(np.concatenate([[1.0], np.arange(1.0, 57.0)]))
UNIT = 2.0**-53


@kernel
def rooms_of(c: Any, k: Any, state: Any, rooms: Any) -> Any:
    """Into `rooms` the room each holder has before class `k`; False if that cannot be."""
    last = c.n_holders - 1
    rest = c.to_come[k]
    for h in range(last):
        rooms[h] = state // c.stride[h] % (c.room[h] + 1)
        rest -= rooms[h]
    rooms[last] = rest
    return rest >= 0 and rest <= c.room[last]


@kernel
def fits(c: Any, k: Any, rooms: Any) -> Any:
    """Whether the needs for tiles of seven pips and for doubles can still be met on entering class `k`.

    Sevens come first, so what a holder has by then are sevens; doubles come last, so what it still takes are doubles.
    """
    for h in range(c.n_holders):
        if k == c.after_sevens and c.room[h] - rooms[h] < c.sevens[h]:
            return False
        if k == c.from_doubles and rooms[h] < c.doubles[h]:
            return False
    return True


@kernel
def first_split(c: Any, k: Any, rooms: Any, split: Any) -> Any:
    """The first way to share out class `k`: as much as possible to the first holders; False if there is none."""
    rest = popcount(c.tiles[k])
    for h in range(c.n_holders):
        split[h] = min(rest, rooms[h]) if (c.holders[k] >> h) & 1 == 1 else 0
        rest -= split[h]
    return rest == 0


@kernel
def next_split(c: Any, k: Any, rooms: Any, split: Any) -> Any:
    """The next way to share out class `k`, False after the last: the first holder that can take one tile more from
    those before it does so, and what these have goes back to the first ones."""
    before = 0
    for h in range(c.n_holders):
        if (c.holders[k] >> h) & 1 == 0:
            continue
        if before > 0 and split[h] < rooms[h]:
            split[h] += 1
            before -= 1
            for g in range(h):
                if (c.holders[k] >> g) & 1 == 1:
                    split[g] = min(before, rooms[g])
                    before -= split[g]
            return True
        before += split[h]
    return False


@kernel
def split_ways(c: Any, k: Any, split: Any) -> Any:
    """In how many ways the tiles of class `k` can be shared out so."""
    n = FACTORIALS[popcount(c.tiles[k])]
    for h in range(c.n_holders):
        n /= FACTORIALS[split[h]]
    return n


@kernel
def state_after(c: Any, state: Any, split: Any) -> Any:
    """The state after a split."""
    for h in range(c.n_holders - 1):
        state -= split[h] * c.stride[h]
    return state


@kernel
def count_deals(c: Any, ways: Any, reached: Any) -> Any:
    """Fill `ways` (float64, (classes + 1, states)) where it can be reached; returns the number of deals."""
    rooms = np.zeros(MAX_HOLDERS, np.int64)
    split = np.zeros(MAX_HOLDERS, np.int64)
    reached[:] = False
    reached[0, c.n_states - 1] = True
    for k in range(c.n_classes):
        for state in range(c.n_states):
            if reached[k, state] and rooms_of(c, k, state, rooms):
                more = first_split(c, k, rooms, split)
                while more:
                    reached[k + 1, state_after(c, state, split)] = True
                    more = next_split(c, k, rooms, split)
    for k in range(c.n_classes, -1, -1):
        for state in range(c.n_states):
            if reached[k, state]:
                ways[k, state] = ways_from(c, k, state, ways, rooms, split)
    return ways[0, c.n_states - 1]


@kernel
def ways_from(c: Any, k: Any, state: Any, ways: Any, rooms: Any, split: Any) -> Any:
    """One entry of `ways` from those of the next class."""
    if not rooms_of(c, k, state, rooms) or not fits(c, k, rooms):
        return 0.0
    if k == c.n_classes:
        return 1.0
    total = 0.0
    more = first_split(c, k, rooms, split)
    while more:
        total += split_ways(c, k, split) * ways[k + 1, state_after(c, state, split)]
        more = next_split(c, k, rooms, split)
    return total


@kernel
def pick_split(c: Any, k: Any, state: Any, ways: Any, word: Any, rooms: Any, split: Any) -> None:
    """Draw a split of class `k`, in proportion to the deals that follow it."""
    rooms_of(c, k, state, rooms)
    first_split(c, k, rooms, split)
    if k == c.n_classes - 1:
        return
    left = np.float64(word >> np.uint64(11)) * UNIT * ways[k, state]
    while True:
        left -= split_ways(c, k, split) * ways[k + 1, state_after(c, state, split)]
        if left < 0.0 or not next_split(c, k, rooms, split):
            return


@kernel
def draw_some(pool: Any, n: Any, key: Any, draws: Any) -> Any:
    """`n` tiles out of `pool`, uniformly, from number `draws` of a random stream on."""
    taken = ZERO
    left = popcount(pool)
    while n > 0 and left > n:
        k = min(n, TILES_A_WORD)
        taken |= draw_tiles(pool & ~taken, left, k, stream(key, draws))
        draws += 1
        left -= k
        n -= k
    return taken if n == 0 else pool


@kernel
def draw_deals(c: Any, ways: Any, key: Any, hands: Any, out: Any) -> None:
    """Draw deals: into ``hands[i, seat]`` (uint64) what the other seats hold, into ``out[i]`` what lies out."""
    rooms = np.zeros(MAX_HOLDERS, np.int64)
    split = np.zeros(MAX_HOLDERS, np.int64)
    for i in range(len(hands)):
        word = combine(key, i)
        out[i] = ZERO
        for h in range(c.n_holders):
            if c.seat[h] >= 0:
                hands[i, c.seat[h]] = ZERO
        state = c.n_states - 1
        for k in range(c.n_classes):
            pick_split(c, k, state, ways, stream(word, 64 * k), rooms, split)
            state = state_after(c, state, split)
            share_out(c, k, split, word, hands[i], out, i)


@kernel
def share_out(c: Any, k: Any, split: Any, word: Any, hands: Any, out: Any, i: Any) -> None:
    """Which tiles of class `k` each holder gets."""
    pool = c.tiles[k]
    for h in range(c.n_holders):
        if split[h] > 0:
            some = draw_some(pool, split[h], word, 64 * k + 8 * h + 1)
            pool &= ~some
            if c.seat[h] >= 0:
                hands[c.seat[h]] |= some
            else:
                out[i] |= some
