"""One decision of the heuristic, and the loop over a batch of them."""

from typing import Any

import numpy as np

from texas42.agents.heuristic.auction import choose_call
from texas42.agents.heuristic.declare import choose_declaration, choose_discard, takes_widow
from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.nello import choose_nello_tile
from texas42.agents.heuristic.notes import take_notes
from texas42.agents.heuristic.play import choose_tile
from texas42.agents.heuristic.weights import N_FEATURES
from texas42.envs.engine.bits import ZERO, bit, lowest, popcount
from texas42.envs.engine.play import follows_closeness
from texas42.envs.engine.state import AUCTION, DECLARE, DISCARD, PLAY
from texas42.envs.engine.step import legal_words
from texas42.envs.rules.declarations import NELLO


@kernel
def decide(s: Any, t: Any, p: Any, k: Any, passer: Any, out: Any) -> Any:
    """The action id for the mover of a view; `passer`: pass unless forced. `out`: scratch (N_FEATURES,)."""
    base, first, next_base, second = legal_words(s, t)
    count = popcount(first)
    if count + popcount(second) == 1:
        return np.int64(base + lowest(first)) if count == 1 else np.int64(next_base + lowest(second))
    if s.phase == PLAY:
        return np.int64(play(s, t, p, k, first, second))
    if s.phase == AUCTION:
        return np.int64(choose_call(s, t, p, first, passer, out))
    if s.phase == DECLARE:
        return np.int64(choose_declaration(s, t, p, second, out))
    if s.phase == DISCARD:
        return np.int64(choose_discard(s, t, p, first, out))
    return np.int64(t.base_take + (0 if takes_widow(s, t, p, out) else 1))


@kernel
def play(s: Any, t: Any, p: Any, k: Any, tiles: Any, extra: Any) -> Any:
    """A play: a claim where it is proved sound, else the best tile."""
    if t.claim >= 0 and t.laydown == 1:
        claim = bit(t.claim - t.base_low)
        if extra & claim != ZERO:
            return t.claim
    lows = extra
    if t.claim >= 0 and t.laydown != 0:
        lows = extra & ~bit(t.claim - t.base_low)
    if follows_closeness(s.decl, t):
        return t.base_tile + lowest(tiles)
    take_notes(s, t, p, k)
    if t.decl_kind[s.decl] == NELLO:
        return choose_nello_tile(s, t, k, tiles, lows)
    return choose_tile(s, t, p, k, tiles, lows)


@kernel
def decide_batch(views: Any, t: Any, p: Any, k: Any, passer: Any, out: Any) -> None:
    """An action for every view into `out` (int64, n)."""
    scratch = np.zeros(N_FEATURES, np.float64)
    for i in range(len(views)):
        out[i] = decide(views[i], t, p, k, passer, scratch)
