"""Who holds each unseen tile, over all deals that fit what a seat sees, each deal as likely as any other: exact."""

from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.sampling import SamplingError
from texas42.agents.search.constraints import KNOWLEDGE, OUT, gather, lift_limit
from texas42.agents.search.exact_counts import ExactCounts, Rooms
from texas42.envs.engine.state import new_batch
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables

Float64 = npt.NDArray[np.float64]


def exact_marginals(rules: Rules, view: Any, seat: int) -> Float64:
    """Expected copies of each tile with each other seat, by counting deals instead of drawing them.

    Args:
        rules: the rules of the game.
        view: what `seat` sees, one record of `STATE`; a full state will do.
        seat: the seat that wonders.

    Returns:
        float64 (seats - 1, tile types), other seats clockwise from the left neighbour.

    Raises:
        SamplingError: no deal fits.
    """
    t = compile_tables(rules)[0]
    record = new_batch(1)
    record[0] = view
    knowledge = np.zeros(1, KNOWLEDGE).view(np.recarray)[0]
    gather(knowledge, record[0], t, seat)
    counts = ExactCounts(knowledge)
    while not counts.ways(0, counts.rooms):
        if not lift_limit(knowledge, t):
            raise SamplingError(f"no deal fits what seat {seat} sees")
        counts = ExactCounts(knowledge)
    out = np.zeros((rules.seats - 1, rules.n_types))
    for tiles, shares in zip(counts.classes, _expected_shares(counts), strict=True):
        for holder, share in zip(counts.seats, shares, strict=True):
            if holder != OUT and share:
                other = (holder - seat) % rules.seats - 1
                np.add.at(out[other], [b % rules.n_types for b in range(64) if tiles >> b & 1], share)
    return out


def _expected_shares(counts: ExactCounts) -> list[Float64]:
    """By class: the probability that one of its tiles is with each holder."""
    reached: dict[Rooms, float] = {counts.rooms: 1.0}
    out = []
    for k, tiles in enumerate(counts.classes):
        expected, after_class = np.zeros(len(counts.seats)), dict[Rooms, float]()
        for rooms, probability in reached.items():
            total = counts.ways(k, rooms)
            for split, ways, after in counts.splits(k, rooms):
                share = probability * (ways * counts.ways(k + 1, after) / total)
                if share:
                    expected += share * np.array(split)
                    after_class[after] = after_class.get(after, 0.0) + share
        out.append(expected / tiles.bit_count())
        reached = after_class
    return out
