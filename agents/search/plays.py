"""What the solver says of each legal play, summed over worlds."""

from typing import Any

from texas42.agents.search.kernels import kernel
from texas42.agents.solver.load import load_state
from texas42.agents.solver.root import after_move, decide, root_lows, root_moves
from texas42.agents.solver.search import usable_tiles
from texas42.agents.solver.workspace import N_LOCAL
from texas42.envs.engine.bits import ONE, ZERO, bit, lowest
from texas42.envs.rules.declarations import NELLO

ILLEGAL = -1


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
def count_successes(w: Any, t: Any, scratch: Any, hands: Any, mine: Any, head: Any, score: Any) -> None:
    """Into `score`: in how many worlds a move reaches the aim of the seat to move (make, or set, the contract).

    `head` (float64, like `score`): what a move is worth otherwise, in worlds. A move that can no longer catch up
    with the best is dropped and keeps what it had.
    """
    n = len(hands)
    for i in range(n):
        set_world(w, t, scratch, hands[i])
        if i == 0:
            tile_moves(w, t, root_moves(w), root_lows(w), score)
        need = need_of(w, t, scratch)
        if (decide(w, need) == 1) == mine:
            add_world(w, need, mine, leading(head, score) - (n - i), head, score)


@kernel
def leading(head: Any, score: Any) -> Any:
    """The best sum of `head` and `score` among legal moves."""
    best = -1e18
    for move in range(len(score)):
        if score[move] != ILLEGAL:
            best = max(best, head[move] + score[move])
    return best


@kernel
def add_world(w: Any, need: Any, mine: Any, least: Any, head: Any, score: Any) -> None:
    """Count one world that can be won, for the moves that keep it won and stand at `least` at least."""
    usable = usable_tiles(w, w.alive[0])
    for low in range(2):
        moves = root_moves(w) if low == 0 else root_lows(w)
        before = -1
        while moves != ZERO:
            tile = lowest(moves)
            moves &= moves - ONE
            move = w.tile[tile] + (N_LOCAL if low == 1 else 0)
            fresh = low == 1 or usable & bit(tile) != ZERO  # else worth as much as its neighbour in rank
            if fresh:
                before = -1
            if head[move] + score[move] < least:
                continue
            if before < 0 or fresh:
                before = 1 if (after_move(w, tile, low == 1, need, 0) == 1) == mine else 0
            score[move] += before


@kernel
def sum_utility(w: Any, t: Any, scratch: Any, hands: Any, mine: Any, utility: Any, score: Any) -> None:
    """Into `score` the sum over worlds of ``utility[points]`` of the bidder's side, its negative for the others.

    `utility` rises with the points. Illegal plays get `ILLEGAL` where the sum of a legal one cannot be negative.
    """
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
                score[w.tile[tile] + (N_LOCAL if low == 1 else 0)] += value if mine else -value
