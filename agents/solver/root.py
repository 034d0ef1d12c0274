"""The root: a position as it lies, in the middle of a trick too, solved by whichever search fits.

It is kept at level 0 of the stack; `banked` holds what the bidder's side (side 0) has from earlier tricks. Values
here are always points of the bidder's side at the end of the hand.
"""

from typing import Any

from texas42.agents.solver.general import MOST, UNKNOWN, open_trick, run
from texas42.agents.solver.kernels import highest, kernel
from texas42.agents.solver.order import replies
from texas42.agents.solver.search import finish, search, usable_tiles
from texas42.agents.solver.workspace import BISECT, N_LEVELS, N_LOCAL
from texas42.envs.engine.bits import ONE, ZERO, bit, has, lowest, popcount

SAVED = N_LEVELS - 2
N_MOVES = 2 * N_LOCAL


@kernel
def set_root(w: Any, n: Any, leader: Any) -> None:
    """`n` tiles in play, nothing on the table, `leader` to lead."""
    w.alive[0] = bit(n) - ONE
    w.left[0] = n // w.in_trick * w.trick_value
    for i in range(n):
        w.left[0] += w.count[i]
    w.banked = 0
    w.must_lead = ZERO
    lead_on(w, leader)


@kernel
def lead_on(w: Any, leader: Any) -> None:
    """The root is between tricks."""
    w.leader[0] = w.seat[0] = w.winner[0] = leader
    w.pos[0] = w.points[0] = 0
    w.on_table[0] = ZERO


@kernel
def play_root(w: Any, tile: Any, low: Any) -> None:
    """Play a tile at the root; `low` announces its lower end as the suit of the lead."""
    seat = w.seat[0]
    w.must_lead = ZERO
    if w.pos[0] == 0:
        w.suit[0] = w.low_suit[tile] if low else w.lead_suit[tile]
    if w.pos[0] == 0 or has(w.beaten_by[0], tile):
        w.winner[0], w.beaten_by[0] = seat, w.beats[w.suit[0], tile]
    w.points[0] += w.count[tile]
    w.on_table[0] |= bit(tile)
    w.pos[0] += 1
    w.seat[0] = w.after[seat]
    if w.pos[0] == w.in_trick:
        take_root(w)


@kernel
def take_root(w: Any) -> None:
    """The root's trick is complete."""
    points = w.points[0] + w.trick_value
    if (w.side[w.winner[0]] == 0) == (w.misere == 0):
        w.banked += points
    w.left[0] -= points
    w.alive[0] &= ~w.on_table[0]
    lead_on(w, w.winner[0])


@kernel
def copy_root(w: Any, source: Any, target: Any) -> None:
    """Keep the root, or bring it back."""
    w.alive[target], w.on_table[target], w.beaten_by[target] = w.alive[source], w.on_table[source], w.beaten_by[source]
    w.leader[target], w.seat[target], w.winner[target] = w.leader[source], w.seat[source], w.winner[source]
    w.pos[target], w.suit[target] = w.pos[source], w.suit[source]
    w.points[target], w.left[target] = w.points[source], w.left[source]


@kernel
def root_moves(w: Any) -> Any:
    """What may be played at the root."""
    if w.must_lead != ZERO:
        return w.must_lead
    hand = w.alive[0] & ~w.on_table[0] & w.own[w.seat[0]]
    return hand if w.pos[0] == 0 else replies(w, hand, w.suit[0])


@kernel
def root_lows(w: Any) -> Any:
    """Tiles that may be led with the low end announced."""
    if w.pos[0] > 0 or w.low_tiles == ZERO or popcount(w.alive[0]) < w.low_from:
        return ZERO
    return w.alive[0] & w.own[w.seat[0]] & w.low_tiles


@kernel
def test(w: Any, gamma: Any) -> Any:
    """Zero-window search of the root, in points of the leader's side from this trick on."""
    if w.must_lead != ZERO:
        return test_leads(w, gamma)
    return test_free(w, gamma)


@kernel
def test_leads(w: Any, gamma: Any) -> Any:
    """`test` where the first lead must be a trump (`opening_lead_must_be_trump`)."""
    leads = moves = w.must_lead
    best = -1
    copy_root(w, 0, SAVED + 1)
    while moves != ZERO and best < gamma:
        tile = lowest(moves)
        moves &= moves - ONE
        play_root(w, tile, False)
        best = max(best, test_free(w, gamma))
        copy_root(w, SAVED + 1, 0)
    w.must_lead = leads
    return best


@kernel
def test_free(w: Any, gamma: Any) -> Any:
    """`test` without such a rule."""
    if w.fast == 1:
        if w.pos[0] == 0:
            return search(w, w.alive[0], w.leader[0], gamma, w.left[0])
        return finish(w, w.pos[0], w.winner[0], w.on_table[0], w.beaten_by[0], w.suit[0], w.points[0], gamma)
    if w.pos[0] == 0:
        value = open_trick(w, 0, w.alive[0], w.leader[0], gamma, w.left[0])
        return run(w) if value == UNKNOWN else value
    w.gamma[0] = gamma
    w.moves[0] = root_moves(w)
    w.best[0] = -1 if w.side[w.seat[0]] == w.side[w.leader[0]] else MOST
    return run(w)


@kernel
def reach(w: Any, need: Any) -> Any:
    """Whether the bidder's side reaches `need`: a value at least that bounds it from below, else from above."""
    need -= w.banked
    if w.side[w.leader[0]] == 0:
        return w.banked + test(w, need)
    return w.banked + w.left[0] - test(w, w.left[0] - need + 1)


@kernel
def value_between(w: Any, lower: Any, upper: Any, guess: Any) -> Any:
    """The exact value, known to lie in ``lower..upper``; `guess` is where to look first."""
    lower, upper = max(lower, w.banked), min(upper, w.banked + w.left[0])
    while lower < upper:
        need = min(max(guess, lower + 1), upper)
        value = reach(w, need)
        if value >= need:
            lower = max(value, lower)
        else:
            upper = min(value, upper)
        guess = (lower + upper + 1) // 2 if w.features & BISECT != 0 else value
    return lower


@kernel
def root_value(w: Any) -> Any:
    """The exact value of the root."""
    return value_between(w, 0, MOST, w.banked + (w.left[0] + 1) // 2)


@kernel
def after_move(w: Any, tile: Any, low: Any, need: Any, best: Any) -> Any:
    """The value of a move: whether it reaches `need`, or exactly, if `need` is -1 and the root's value is `best`."""
    banked, must_lead = w.banked, w.must_lead
    copy_root(w, 0, SAVED)
    mine = w.side[w.seat[0]] == 0
    play_root(w, tile, low)
    if need >= 0:
        value = 1 if reach(w, need) >= need else 0
    elif mine:
        value = value_between(w, 0, best, best)
    else:
        value = value_between(w, best, MOST, best + 1)
    copy_root(w, SAVED, 0)
    w.banked, w.must_lead = banked, must_lead
    return value


@kernel
def move_values(w: Any, need: Any, best: Any, values: Any) -> None:
    """Into `values` (int64, N_MOVES): what each move is worth, -1 where illegal; announced low leads from N_LOCAL."""
    values[:] = -1
    moves, lows = root_moves(w), root_lows(w)
    usable = usable_tiles(w, w.alive[0])
    while moves != ZERO:
        tile = lowest(moves)
        moves &= moves - ONE
        if has(usable, tile):
            values[tile] = after_move(w, tile, False, need, best)
        else:  # worth as much as its neighbour in rank
            values[tile] = values[highest(w.alive[0] & w.trumps & (bit(tile) - ONE))]
    while lows != ZERO:
        tile = lowest(lows)
        lows &= lows - ONE
        values[N_LOCAL + tile] = after_move(w, tile, True, need, best)


@kernel
def principal_move(w: Any, need: Any, best: Any) -> Any:
    """A move (tile, plus N_LOCAL for a low lead) that keeps the value `best` (or whether `need` is reached)."""
    moves, lows = root_moves(w) & usable_tiles(w, w.alive[0]), root_lows(w)
    move = -1
    while moves != ZERO or lows != ZERO:
        low = moves == ZERO
        tile = lowest(lows) if low else lowest(moves)
        if low:
            lows &= lows - ONE
        else:
            moves &= moves - ONE
        move = tile + N_LOCAL if low else tile
        if keeps(w, tile, low, need, best):
            break
    return move


@kernel
def keeps(w: Any, tile: Any, low: Any, need: Any, best: Any) -> Any:
    """Whether a move of the seat to play keeps the root's value."""
    if need >= 0:
        return after_move(w, tile, low, need, best) == best
    mine = w.side[w.seat[0]] == 0
    if mine:
        return after_move(w, tile, low, best, 0) == 1
    return after_move(w, tile, low, best + 1, 0) == 0


@kernel
def decide(w: Any, need: Any) -> Any:
    """1 or 0, whether `need` is reached; or the exact value if `need` is -1."""
    if need < 0:
        return root_value(w)
    return 1 if reach(w, need) >= need else 0


@kernel
def principal_line(w: Any, need: Any, best: Any, line: Any) -> Any:
    """Best play of all sides to the end into `line` (int64, (N_LOCAL, 2): seat, move); returns its length."""
    n = 0
    while w.alive[0] != ZERO:
        line[n, 0] = w.seat[0]
        move = principal_move(w, need, best)
        line[n, 1] = move
        n += 1
        play_root(w, move % N_LOCAL, move >= N_LOCAL)
    return n
