"""What each legal play is worth, averaged over worlds."""

from typing import Any

from texas42.agents.search.kernels import kernel
from texas42.agents.solver.load import load_state
from texas42.agents.solver.root import (
    after_move,
    decide,
    root_lows,
    root_moves,
)
from texas42.agents.solver.search import usable_tiles
from texas42.agents.solver.workspace import N_LOCAL
from texas42.envs.engine.bits import ONE, ZERO, bit, lowest, popcount
from texas42.envs.rules.declarations import NELLO

ILLEGAL = -1
LATE = 16
"""From so many tiles in play on (down), ties are broken by exact points, before by a need a few points off."""
SHIFT = 5


@kernel
def set_world(w: Any, t: Any, scratch: Any, hands: Any) -> None:
    """Load the view in `scratch` with the hands of one world into the solver."""
    for seat in range(t.n_seats):
        scratch.hands[seat] = hands[seat]
    load_state(w, t, scratch)


@kernel
def need_of(w: Any, t: Any, s: Any) -> Any:
    """Points at which the contract of the loaded state is made; everything for sweeps and nello."""
    if s.marks > 0 or t.decl_kind[s.decl] == NELLO:
        lost = s.n_tricks - s.won[s.bidder % t.n_sides]
        if t.decl_kind[s.decl] == NELLO:
            lost = s.won[s.bidder % t.n_sides]
        return w.banked + w.left[0] + (1 if lost > 0 else 0)
    return t.call_need[s.call]


@kernel
def tile_moves(w: Any, t: Any, moves: Any, lows: Any, out: Any) -> None:
    """Mark the legal plays in `out` with 0: index tile, or N_LOCAL + tile for a low lead; the rest ILLEGAL."""
    out[:] = ILLEGAL
    while moves != ZERO:
        out[w.tile[lowest(moves)]] = 0
        moves &= moves - ONE
    while lows != ZERO:
        out[N_LOCAL + w.tile[lowest(lows)]] = 0
        lows &= lows - ONE


@kernel
def count_successes(w: Any, t: Any, scratch: Any, hands: Any, shifts: Any, mine: Any, score: Any) -> None:
    """Into `score`: in how many worlds a move reaches the aim of the seat to move (make, or set, the contract).

    In world i a points bid counts as made from ``shifts[i]`` points above its need on. Moves that can no longer
    catch up with the best are dropped: they keep what they had.
    """
    n = len(hands)
    for i in range(n):
        set_world(w, t, scratch, hands[i])
        if i == 0:
            tile_moves(w, t, root_moves(w), root_lows(w), score)
        need = need_of(w, t, scratch)
        if scratch.marks == 0 and t.decl_kind[scratch.decl] != NELLO:
            need = min(max(need + shifts[i], w.banked + 1), w.banked + w.left[0])
        best = 0
        for move in range(len(score)):
            best = max(best, score[move])
        if (decide(w, need) == 1) == mine:
            add_world(w, need, mine, best - (n - i), score)


@kernel
def add_world(w: Any, need: Any, mine: Any, least: Any, score: Any) -> None:
    """Count one world that can be won, for moves with a score of at least `least`."""
    usable = usable_tiles(w, w.alive[0])
    for low in range(2):
        moves = root_moves(w) if low == 0 else root_lows(w)
        before = 0
        while moves != ZERO:
            tile = lowest(moves)
            moves &= moves - ONE
            move = w.tile[tile] + (N_LOCAL if low == 1 else 0)
            if score[move] < least:
                continue
            if low == 1 or usable & bit(tile) != ZERO:
                before = 1 if (after_move(w, tile, low == 1, need, 0) == 1) == mine else 0
            score[move] += before


@kernel
def add_margins(w: Any, t: Any, scratch: Any, hands: Any, mine: Any, score: Any, margin: Any) -> None:
    """Break ties among the moves with the best score: into `margin` their points, or worlds with some to spare."""
    best, n_best = 0, 0
    for move in range(len(score)):
        best = max(best, score[move])
    for move in range(len(score)):
        margin[move] = 0
        n_best += 1 if score[move] == best else 0
    if n_best < 2:
        return
    likely = 2 * best >= len(hands)
    for i in range(len(hands)):
        set_world(w, t, scratch, hands[i])
        if popcount(w.alive[0]) <= LATE:
            exact_margins(w, mine, best, score, margin)
        else:
            need = need_of(w, t, scratch)
            shifted = need + SHIFT if likely == mine else need - SHIFT
            shifted_margins(w, shifted, mine, best, score, margin)


@kernel
def sum_utility(w: Any, t: Any, scratch: Any, hands: Any, mine: Any, utility: Any, score: Any, margin: Any) -> None:
    """Into `margin` the sum over worlds of ``utility[points]`` of the bidder's side, its negative for the others.

    `score` is 0 for every legal play, ILLEGAL elsewhere.
    """
    margin[:] = 0
    for i in range(len(hands)):
        set_world(w, t, scratch, hands[i])
        if i == 0:
            tile_moves(w, t, root_moves(w), root_lows(w), score)
        root = decide(w, -1)
        for low in range(2):
            moves = root_moves(w) if low == 0 else root_lows(w)
            while moves != ZERO:
                tile = lowest(moves)
                moves &= moves - ONE
                value = utility[after_move(w, tile, low == 1, -1, root)]
                margin[w.tile[tile] + (N_LOCAL if low == 1 else 0)] += value if mine else -value


@kernel
def exact_margins(w: Any, mine: Any, best: Any, score: Any, margin: Any) -> None:
    """Add the exact points of the mover's side."""
    root = decide(w, -1)
    total = w.banked + w.left[0]
    for low in range(2):
        moves = root_moves(w) if low == 0 else root_lows(w)
        while moves != ZERO:
            tile = lowest(moves)
            moves &= moves - ONE
            move = w.tile[tile] + (N_LOCAL if low == 1 else 0)
            if score[move] == best:
                points = after_move(w, tile, low == 1, -1, root)
                margin[move] += points if mine else total - points


@kernel
def shifted_margins(w: Any, need: Any, mine: Any, best: Any, score: Any, margin: Any) -> None:
    """Add one where the move reaches the aim with points to spare, or comes near it."""
    if need > w.banked + w.left[0] or need <= w.banked or (decide(w, need) == 1) != mine:
        return
    for low in range(2):
        moves = root_moves(w) if low == 0 else root_lows(w)
        while moves != ZERO:
            tile = lowest(moves)
            moves &= moves - ONE
            move = w.tile[tile] + (N_LOCAL if low == 1 else 0)
            if score[move] == best:
                margin[move] += 1 if (after_move(w, tile, low == 1, need, 0) == 1) == mine else 0
