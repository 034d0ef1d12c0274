"""Drawing worlds, with working memory that is kept."""

from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.heuristic.plan import new_notes
from texas42.agents.heuristic.weights import N_FEATURES
from texas42.agents.search.constraints import KNOWLEDGE, MAX_CLASSES, gather
from texas42.agents.search.counting import count_deals, draw_deals
from texas42.agents.search.inference import Inference, Room
from texas42.agents.search.kernels import kernel
from texas42.agents.search.picking import pick
from texas42.agents.solver.root import N_MOVES
from texas42.agents.solver.workspace import Work, new_work
from texas42.envs.engine.state import Batch, new_batch
from texas42.envs.rules.tables import Tables

STATES = 64  # four seats, seven tiles each: the room of two hidden hands
OVERSAMPLE = 3
"""Worlds drawn for each that is picked by its likelihood."""
Hands = npt.NDArray[np.uint64]


class Memory:
    """What one thread needs to think: the solver's memory, a scratch state, the heuristic's notes.

    Attributes:
        score: int64 (N_MOVES,), per move: worlds in which it reaches the aim, or points.
        head: float64 (N_MOVES,), per move: what it is worth otherwise.
    """

    def __init__(self) -> None:
        self.work: Work = new_work()
        self.knowledge = np.zeros(1, KNOWLEDGE).view(np.recarray)[0]
        self.ways = np.zeros((MAX_CLASSES + 1, STATES))
        self.reached = np.zeros((MAX_CLASSES + 1, STATES), np.bool_)
        self.scratch: Batch = new_batch(1)
        self.score = np.zeros(N_MOVES, np.int64)
        self.head = np.zeros(N_MOVES)
        self.notes = new_notes()[0]
        self.features = np.zeros(N_FEATURES)
        self.room = Room()


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


def likely_worlds(m: Memory, t: Tables, s: Any, me: int, n: int, key: int, inference: Inference | None) -> Hands:
    """`n` worlds that fit what seat `me` sees, each alike, or in proportion to their likelihood; uint64 (n, 4)."""
    hands = np.empty((n if inference is None else n * OVERSAMPLE, 4), np.uint64)
    out = np.empty(len(hands), np.uint64)
    draw_worlds(m.knowledge, s, t, me, np.uint64(key), m.ways, m.reached, hands, out)
    if inference is None:
        return hands
    logs = inference.logs(s, me, hands, m.room)
    picked: Hands = hands[pick(np.exp(logs - logs.max()), n, key)]
    return picked
