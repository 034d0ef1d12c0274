"""Domino tiles: ids, names and counts (RULES.md section 0 and a.2).

A tile *type* is the unordered pair of its ends. Types are numbered 0-0, 1-0, 1-1, 2-0, ... so that a smaller
set is a prefix of a larger one. In games with two sets a tile *instance* is ``copy * n_types + type``; copies
are for identity only and never rank (a.2).
"""

from texas42.envs.rules.errors import MalformedActionError

MAX_PIP = 9
MAX_TYPES = 55
MAX_INSTANCES = 56


def tile_id(a: int, b: int) -> int:
    """Type id of the tile with ends `a` and `b`, in either order."""
    high, low = max(a, b), min(a, b)
    return high * (high + 1) // 2 + low


def n_types(max_pip: int) -> int:
    """Number of tiles in one double-`max_pip` set (a.2)."""
    return (max_pip + 1) * (max_pip + 2) // 2


TILE_ENDS: tuple[tuple[int, int], ...] = tuple((a, b) for a in range(MAX_PIP + 1) for b in range(a + 1))
TILE_NAMES: tuple[str, ...] = tuple(f"{a}-{b}" for a, b in TILE_ENDS)
_IDS = {name: i for i, name in enumerate(TILE_NAMES)}


def parse_tile(text: str) -> int:
    """Type id of a tile written high-low, such as ``6-4``.

    Raises:
        MalformedActionError: `text` is not such a name.
    """
    tile = _IDS.get(text)
    if tile is None:
        raise MalformedActionError(f"{text!r} is not a tile; tiles are written high-low, such as 6-4 or 5-5")
    return tile


def tile_count(tile: int, count_sums: tuple[int, ...]) -> int:
    """Count points of a tile: its pip sum where that is in `count_sums`, else 0 (a.9)."""
    total = sum(TILE_ENDS[tile])
    return total if total in count_sums else 0
