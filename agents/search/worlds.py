"""Drawing worlds inside kernels, with working memory that is kept."""

from typing import Any

import numpy as np

from texas42.agents.search.constraints import KNOWLEDGE, MAX_CLASSES, gather
from texas42.agents.search.counting import count_deals, draw_deals
from texas42.agents.search.kernels import kernel
from texas42.agents.solver.root import N_MOVES
from texas42.agents.solver.workspace import Work, new_work
from texas42.envs.engine.state import Batch, new_batch

STATES = 64  # four seats, seven tiles each: the room of two hidden hands


class Memory:
    """What one thread needs to think: the solver's memory, a scratch state, worlds.

    Attributes:
        hands: uint64 (worlds, 4), the worlds drawn last.
        score, margin: int64 (N_MOVES,), per move: worlds in which it reaches the aim, and the tie-break.
    """

    def __init__(self, worlds: int) -> None:
        self.work: Work = new_work()
        self.knowledge = np.zeros(1, KNOWLEDGE).view(np.recarray)[0]
        self.ways = np.zeros((MAX_CLASSES + 1, STATES))
        self.reached = np.zeros((MAX_CLASSES + 1, STATES), np.bool_)
        self.scratch: Batch = new_batch(1)
        self.hands = np.zeros((worlds, 4), np.uint64)
        self.out = np.zeros(worlds, np.uint64)
        self.score = np.zeros(N_MOVES, np.int64)
        self.margin = np.zeros(N_MOVES, np.int64)


@kernel
def draw_worlds(c: Any, s: Any, t: Any, me: Any, key: Any, ways: Any, reached: Any, hands: Any, out: Any) -> Any:
    """Fill `hands` (uint64, (n, 4)) with deals that fit what seat `me` sees; returns how many there are."""
    gather(c, s, t, me)
    for i in range(len(hands)):
        for seat in range(4):
            hands[i, seat] = s.hands[seat]
    if c.n_holders == 0:
        return 1.0
    deals = count_deals(c, ways, reached)
    if deals > 0.0:
        draw_deals(c, ways, key, hands, out)
    return deals
