"""Conditioned deals: at a share of the tables somebody holds a hand for a rare contract, so that it is met in training.

A kind of hand is a worth of every tile and the least sum that a seat's tiles must come to. The deal of such a table is
the first among candidates in which some seat fulfils the kind, hence uniform over all deals that do. The plain deal is
the first candidate, and stays where none does. All of it follows from the table's own (seed, row, episode).
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.engine.bits import ZERO, below, combine, drop_lowest, lowest, shift_right, stream
from texas42.envs.engine.deal import deal_tiles, hand_key, open_hand
from texas42.envs.engine.state import Batch
from texas42.envs.rules.ladder import SPECIAL, build_ladder
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import TILE_ENDS
from texas42.training.config import DealsConfig
from texas42.training.kernels import kernel

Bool = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]

CANDIDATES = 256
"""Deals looked at for one table: the rarest kind of `open` is in one of fourteen."""
DOUBLES = 4
"""Doubles of a hand where no bid asks for a number of them."""
SPREADS = 2.0
"""How far from the average hand a low one, or one of sevens, lies: in standard deviations, one hand in forty or so."""
_SALT = np.uint64(0xC0DE)
_FIRST = np.uint64(1 << 63)
_BITS = 53


def conditions(rules: Rules, kinds: tuple[str, ...]) -> tuple[Int64, Int64]:
    """What a hand of each kind is: the worth of a tile type, int64 (kinds, types), and the least sum of a hand's.

    ``doubles``: as many doubles as the most demanding bid on doubles asks for (`DOUBLES` where there is none);
    ``low``: so few pips, and ``sevens``: tiles that in sum are so close to seven pips, as `SPREADS` says.
    """
    ends = np.array(TILE_ENDS[: rules.n_types])
    pips = ends.sum(axis=1)
    worth = {"doubles": (ends[:, 0] == ends[:, 1]).astype(np.int64), "low": -pips, "sevens": -abs(pips - 7)}
    least = {
        "doubles": max((r.doubles for r in build_ladder(rules) if r.kind == SPECIAL and r.offered), default=DOUBLES)
    }
    for kind in ("low", "sevens"):
        least[kind] = _outstanding(worth[kind][np.array(rules.deck) % rules.n_types], rules.setup.hand)
    return np.array([worth[kind] for kind in kinds]), np.array([least[kind] for kind in kinds])


def _outstanding(deck: Int64, size: int) -> int:
    """The sum that lies `SPREADS` standard deviations above the mean of hands of a size, rounded up."""
    spread = math.sqrt(size * float(deck.var()) * (len(deck) - size) / (len(deck) - 1))
    return math.ceil(size * float(deck.mean()) + SPREADS * spread)


class ConditionedDeals:
    """Deals such tables anew.

    Args:
        rules: the rules.
        config: share and kinds.
    """

    def __init__(self, rules: Rules, config: DealsConfig) -> None:
        self.tables = compile_tables(rules)[0]
        self.worth, self.least = conditions(rules, config.used_kinds(rules))
        self.limit = np.uint64(config.share * 2**_BITS)

    def deal(self, states: Batch) -> Bool:
        """Change the deals of tables at the beginning of their auctions, in place; whose are conditioned, bool (n,)."""
        found = np.zeros(len(states), np.bool_)
        condition_rows(states, self.tables, self.limit, self.worth, self.least, found)
        return found


@kernel
def condition_rows(states: Any, t: Any, limit: Any, worth: Any, least: Any, found: Any) -> None:
    """Deal anew where the upper bits of the row's random word lie below `limit`; ``found[i]``: its deal fulfils a kind.

    The candidates after the plain deal are those of hands that no game reaches.
    """
    for i in range(len(states)):
        s = states[i]
        key = combine(hand_key(s), _SALT)
        if shift_right(stream(key, 0), 64 - _BITS) >= limit:
            continue
        kind = below(key, len(least), 1)
        number = s.hand_no
        for k in range(CANDIDATES):
            if k > 0:
                s.hand_no = _FIRST + np.uint64(k)
                deal_tiles(s, t)
            if some_seat(s, t, worth[kind], least[kind]):
                found[i] = True
                break
        s.hand_no = number
        if not found[i]:
            deal_tiles(s, t)
        open_hand(s, t)


@kernel
def some_seat(s: Any, t: Any, worth: Any, least: Any) -> Any:
    """Whether the tiles of some seat are worth `least`."""
    for seat in range(t.n_seats):
        total = 0
        hand = s.hands[seat]
        while hand != ZERO:
            total += worth[lowest(hand) % t.n_types]
            hand = drop_lowest(hand)
        if total >= least:
            return True
    return False
