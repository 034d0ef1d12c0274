"""`sample_worlds`: the hidden tiles dealt anew, uniformly over all deals that fit what a seat may know.

A seat knows its own tiles, what was played and by whom, who failed to follow, how many tiles everybody holds, the
widow or discards if it saw them, and what a bid promises (splash and plunge: doubles; Sevens: a seven, where the
rules ask for one; the holder of 1-0 calling first, where he does). A sat-out partner holds tiles too, and tells
nothing. What is not used: that discarding is restricted in the rare case that a bidder has no choice (72, 84).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.search.constraints import KNOWLEDGE, gather, lift_limit
from texas42.agents.search.counting import count_deals, draw_deals
from texas42.agents.search.exact_counts import ExactCounts
from texas42.agents.search.picking import pick
from texas42.envs.engine.state import Batch, new_batch
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.envs.rules.tables import Tables, compile_tables

Weigh = Callable[["Worlds"], npt.ArrayLike]
MAX_STATES = 1 << 14
OVERSAMPLE = 4


class SamplingError(ValueError):
    """No deal fits the view: it cannot come from a real game."""


@dataclass(frozen=True)
class Worlds:
    """Deals that a seat cannot tell apart.

    Attributes:
        view: the view they were drawn for, one record of `STATE`, shape (1,).
        seat: the seat that wonders.
        hands: what every seat holds now, uint64 (n, seats); the seat's own as they are.
        out: the hidden widow or discards, uint64 (n,); 0 where there are none or the seat knows them.
        deals: how many deals fit, as a float.
    """

    view: Batch
    seat: int
    hands: npt.NDArray[np.uint64]
    out: npt.NDArray[np.uint64]
    deals: float

    def __len__(self) -> int:
        return len(self.hands)

    def states(self) -> Batch:
        """States of the engine with these hands, in the same moment of play, shape (n,)."""
        states = new_batch(len(self))
        states[:] = self.view
        states["hands"][:, : self.hands.shape[1]] = self.hands
        return states

    def dealt(self) -> npt.NDArray[np.uint64]:
        """The hands as they were dealt, uint64 (n, seats): what is held and what was played.

        For a bidder who took a widow this is his hand after discarding. In two-set games one of two equal tiles
        stands for the other.
        """
        view, hands = self.view[0], self.hands.copy()
        for i in range(int(view["n_plays"])):
            hands[:, int(view["players"][i])] |= np.uint64(1 << int(view["plays"][i]))
        return hands


def sample_worlds(
    rules: Rules | str | Mapping[str, object],
    view: Any,
    seat: int,
    n: int,
    key: int | np.random.Generator,
    weigh: Weigh | None = None,
    temper: float = 1.0,
    uniform: float = 0.1,
) -> Worlds:
    """Draw deals, each of all that fit with the same probability.

    Args:
        rules: the rules of the game.
        view: what `seat` sees, one record of `STATE` (hidden parts are not looked at, so a full state will do).
        seat: the seat that wonders.
        n: how many.
        key: a number below 2**64, or a generator that is asked for one; equal keys give equal worlds.
        weigh: a likelihood of each world (n,), such as `Inference`: how likely a policy would have called and
            played so with these hands; four times as many are drawn and `n` of them picked in proportion to it.
        temper: power to which the likelihood is raised.
        uniform: share of the weight that every world gets alike.

    Raises:
        SamplingError: no deal fits.
    """
    t = compile_tables(resolve_rules(rules))[0]
    record = new_batch(1)
    record[:] = np.atleast_1d(np.asarray(view))
    word = int(key.integers(1 << 63)) if isinstance(key, np.random.Generator) else int(key)
    if weigh is None:
        return _draw(t, record, seat, n, word)
    many = _draw(t, record, seat, n * OVERSAMPLE, word)
    picked = pick(np.asarray(weigh(many), np.float64), n, word, temper, uniform)
    return Worlds(record, seat, many.hands[picked], many.out[picked], many.deals)


def _draw(t: Tables, record: Batch, seat: int, n: int, key: int) -> Worlds:
    knowledge = np.zeros(1, KNOWLEDGE).view(np.recarray)[0]
    gather(knowledge, record[0], t, seat)
    hands = np.empty((n, int(t.n_seats)), np.uint64)
    hands[:] = record[0]["hands"][: int(t.n_seats)]
    out = np.zeros(n, np.uint64)
    deals = _fill(knowledge, key, hands, out)
    while deals == 0:
        if not lift_limit(knowledge, t):
            raise SamplingError(f"no deal fits what seat {seat} sees")
        deals = _fill(knowledge, key, hands, out)
    return Worlds(record, seat, hands, out, deals)


def _fill(knowledge: Any, key: int, hands: npt.NDArray[np.uint64], out: npt.NDArray[np.uint64]) -> float:
    """Draw into `hands` and `out`; returns the number of deals that fit."""
    if int(knowledge.n_holders) == 0:
        return 1.0
    if int(knowledge.n_states) > MAX_STATES:
        return ExactCounts(knowledge).draw(key, hands, out)
    shape = (int(knowledge.n_classes) + 1, int(knowledge.n_states))
    ways = np.empty(shape)
    deals = float(count_deals(knowledge, ways, np.empty(shape, np.bool_)))
    if deals > 0:
        draw_deals(knowledge, ways, np.uint64(key), hands, out)
    return deals
