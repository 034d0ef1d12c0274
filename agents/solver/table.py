"""The transposition table: what is known of positions between tricks."""

from typing import Any

import numpy as np

from texas42.agents.solver.kernels import kernel, to_int, to_mask
from texas42.agents.solver.workspace import CANON, TABLE, TABLE_BITS
from texas42.envs.engine.bits import ZERO, bit, multiply

AT_LEADER = np.uint64(56)
# The second word of an entry: 8 bits lower bound, 8 upper bound, 8 best lead, 40 generation.
AT_UPPER, AT_LEAD, AT_GENERATION = np.uint64(8), np.uint64(16), np.uint64(24)
BYTE = np.uint64(255)
SCATTER = np.uint64(0x9E3779B97F4A7C15)
TO_SLOT = np.uint64(64 - TABLE_BITS)


@kernel
def entry_key(w: Any, alive: Any, leader: Any) -> Any:
    """What identifies a position: tiles under their equivalents' name, and the leader."""
    if w.features & CANON != 0:
        trumps = alive & w.trumps
        alive = (alive ^ trumps) | w.canon[trumps]
    return alive | (to_mask(leader) << AT_LEADER)


@kernel
def probe(w: Any, key: Any, left: Any) -> Any:
    """Lower bound, upper bound and best lead (as a set) of a position with `left` points to come."""
    slot = multiply(key, SCATTER) >> TO_SLOT
    entry = w.table[slot, 1]
    if w.table[slot, 0] != key or entry >> AT_GENERATION != w.generation or w.features & TABLE == 0:
        return 0, left, ZERO
    return to_int(entry & BYTE), to_int((entry >> AT_UPPER) & BYTE), bit((entry >> AT_LEAD) & BYTE)


@kernel
def store(w: Any, key: Any, lower: Any, upper: Any, lead: Any) -> None:
    """Put what is known of a position into the table, over what was there."""
    slot = multiply(key, SCATTER) >> TO_SLOT
    bounds = to_mask(lower) | (to_mask(upper) << AT_UPPER) | (to_mask(lead) << AT_LEAD)
    w.table[slot, 0] = key
    w.table[slot, 1] = bounds | (w.generation << AT_GENERATION)
