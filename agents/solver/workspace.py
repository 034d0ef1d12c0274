"""The solver's working memory: one record that every kernel gets, so that no call allocates.

Tiles are renumbered for a position: trumps from the highest down, then the others by count and strength. A set of
tiles is a `uint64` over these *local* numbers, and a position between tricks is the set of tiles still in play
(*alive*) and the leader: the deal fixes who owns what.

The search keeps its own stack: level 0 is the first play it looks at, each further play one level deeper. Recursion
would do, but numba cannot load a recursive kernel from its cache.
"""

from typing import Any

import numpy as np

N_LOCAL = 56
N_LEVELS = 64
TABLE_BITS = 16
N_TRUMPS = 10

CANON, MERGE, CASH, TRUMPS, LEADS, REPLIES, TABLE, BISECT = (1 << i for i in range(8))
ALL_FEATURES = 255
"""What the search may use; the ablation of docs/SOLVER.md switches them off one by one.

`CANON`: positions that differ only in which of equivalent trumps are left share a table entry. `MERGE`: of
adjacent trumps of one hand with equal count one is tried. `CASH`: tricks the leader can cash bound the value.
`TRUMPS`: so do trump tricks that a seat cannot lose. `LEADS`, `REPLIES`: move ordering. `TABLE`: the transposition
table. `BISECT`: the exact value by bisection, else by MTD(f) from the middle.
"""

WORK = np.dtype(
    [
        ("beats", np.uint64, (12, N_LOCAL)),  # [suit led, tile]: tiles that beat it
        ("follow", np.uint64, 12),
        ("own", np.uint64, 8),
        ("side_tiles", np.uint64, 2),
        ("lead_suit", np.int64, N_LOCAL),
        ("low_suit", np.int64, N_LOCAL),
        ("count", np.int64, N_LOCAL),
        ("owner", np.int64, N_LOCAL),
        ("tile", np.int64, N_LOCAL),  # instance of a local number
        ("side", np.int64, 8),  # by seat: 0 the bidder's side, 1 the rest
        ("after", np.int64, 8),  # the next seat that plays
        ("trumps", np.uint64),
        ("fives", np.uint64),
        ("tens", np.uint64),
        ("low_tiles", np.uint64),  # tiles whose low end may be announced
        ("low_from", np.int64),  # tiles alive from which on it may
        ("in_trick", np.int64),
        ("trick_value", np.int64),
        ("misere", np.int64),  # 1: the side that loses a trick scores it
        ("plain", np.int64),  # 1: one set, no announced low leads
        ("fast", np.int64),  # 1: four players in two teams, one set: the search of search.py
        ("banked", np.int64),  # points that the bidder's side has when the root's trick begins
        ("canon", np.uint64, 1 << N_TRUMPS),  # by set of trumps alive: the representative of its equivalents
        ("redundant", np.uint64, 1 << N_TRUMPS),  # trumps equivalent to a higher one of the same hand
        ("sure_points", np.int64, (1 << N_TRUMPS, 2)),  # by trumps alive and side: what it takes at least
        ("sure_tricks", np.int64, (1 << N_TRUMPS, 2)),
        ("hands", np.uint64, 8),
        ("must_lead", np.uint64),  # at the root: the trumps one of which must be led
        ("wanted", np.int64),  # features asked for
        ("features", np.int64),  # features in effect for this position
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes after which the general search gives up
        ("generation", np.uint64),
        # the stack of the general search, by level; level 0 is the root of either search
        ("alive", np.uint64, N_LEVELS),  # tiles alive when the trick began
        ("on_table", np.uint64, N_LEVELS),
        ("usable", np.uint64, N_LEVELS),  # alive without the redundant ones
        ("moves", np.uint64, N_LEVELS),  # left to try
        ("lows", np.uint64, N_LEVELS),  # announced low leads left to try
        ("hint", np.uint64, N_LEVELS),
        ("beaten_by", np.uint64, N_LEVELS),  # tiles that beat what lies on the table
        ("pos", np.int64, N_LEVELS),
        ("seat", np.int64, N_LEVELS),
        ("leader", np.int64, N_LEVELS),
        ("suit", np.int64, N_LEVELS),
        ("winner", np.int64, N_LEVELS),
        ("points", np.int64, N_LEVELS),
        ("left", np.int64, N_LEVELS),  # points to come when the trick began
        ("gamma", np.int64, N_LEVELS),
        ("lower", np.int64, N_LEVELS),
        ("upper", np.int64, N_LEVELS),
        ("best", np.int64, N_LEVELS),
        ("best_tile", np.int64, N_LEVELS),
        ("trying", np.int64, N_LEVELS),
        ("base", np.int64, N_LEVELS),  # the value of a play is base + sign * the value of the next trick
        ("sign", np.int64, N_LEVELS),
        ("table", np.uint64, (1 << TABLE_BITS, 2)),  # the table: position, then what is known of it
    ],
    align=True,
)

Work = Any
"""One record of `WORK`."""


def new_work(features: int = ALL_FEATURES) -> Work:
    """Fresh working memory, about a megabyte; one for each thread."""
    work = np.zeros(1, WORK).view(np.recarray)[0]
    work.wanted, work.limit = features, 1 << 62
    return work
