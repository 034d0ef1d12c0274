"""The search for any number of seats, two sides, one or two sets: slower than `search`, and with fewer bounds.

Values are as in `search`: points of the leader's side of the trick, fail-soft. In nello (*misere*) the side that
loses a trick scores it. The search keeps its own stack: level 0 is the first play it looks at, each further play
one level deeper.
"""

from typing import Any

from texas42.agents.solver.kernels import kernel
from texas42.agents.solver.order import choose_any_lead, choose_last, choose_reply, replies
from texas42.agents.solver.table import entry_key, probe, store
from texas42.envs.engine.bits import ZERO, bit, lowest, popcount

MOST = 255
UNKNOWN = -1


@kernel
def last_trick(w: Any, alive: Any, leader: Any, left: Any) -> Any:
    """One tile each: all that is left, or nothing."""
    top = lowest(alive & w.own[leader])
    suit = w.lead_suit[top]
    higher = alive & w.beats[suit, top]
    while higher != ZERO:
        top = lowest(higher)
        higher = alive & w.beats[suit, top]
    same = w.side[w.owner[top]] == w.side[leader]
    return left if same == (w.misere == 0) else 0


@kernel
def open_trick(w: Any, level: Any, alive: Any, leader: Any, gamma: Any, left: Any) -> Any:
    """The value of a position between tricks if it is known without search, else UNKNOWN and `level` is set up."""
    if gamma <= 0 or gamma > left:
        return 0 if gamma <= 0 else left
    if popcount(alive) == w.in_trick and w.plain == 1:
        return last_trick(w, alive, leader, left)
    w.nodes += 1
    lower, upper, hint = probe(w, entry_key(w, alive, leader), left)
    if lower >= gamma or upper < gamma:
        return lower if lower >= gamma else upper
    w.alive[level], w.leader[level], w.seat[level] = alive, leader, leader
    w.gamma[level], w.left[level], w.lower[level], w.upper[level] = gamma, left, lower, upper
    w.hint[level], w.moves[level], w.on_table[level] = hint, alive & w.own[leader], ZERO
    w.lows[level] = ZERO
    if w.low_tiles != ZERO and popcount(alive) >= w.low_from:
        w.lows[level] = w.low_tiles & alive & w.own[leader]
    w.pos[level] = w.points[level] = 0
    w.best[level] = -1
    return UNKNOWN


@kernel
def keep(w: Any, level: Any, value: Any) -> None:
    """Store what a finished search of a position between tricks found."""
    lower, upper = w.lower[level], w.upper[level]
    if value >= w.gamma[level]:
        lower = max(lower, value)
    else:
        upper = min(upper, value)
    store(w, entry_key(w, w.alive[level], w.leader[level]), lower, upper, w.best_tile[level])


@kernel
def choose(w: Any, level: Any) -> Any:
    """The next move to try, taken off the list."""
    pos, moves = w.pos[level], w.moves[level]
    if pos == 0:
        if moves == ZERO:
            tile = lowest(w.lows[level])
            w.lows[level] &= ~bit(tile)
            w.suit[level] = w.low_suit[tile]
            return tile
        tile = choose_any_lead(w, level, moves)
        w.suit[level] = w.lead_suit[tile]
    elif pos == w.in_trick - 1:
        tile = choose_last(w, moves, w.beaten_by[level], w.side[w.winner[level]] == w.side[w.seat[level]])
    else:
        tile = choose_reply(w, level, moves)
    w.moves[level] = moves & ~bit(tile)
    return tile


@kernel
def play(w: Any, level: Any, tile: Any) -> Any:
    """Play a tile. Returns its value if that is known, else UNKNOWN and `level + 1` is set up."""
    suit, seat, below = w.suit[level], w.seat[level], level + 1
    winner, beaten_by = w.winner[level], w.beaten_by[level]
    if w.pos[level] == 0 or beaten_by & bit(tile) != ZERO:
        winner, beaten_by = seat, w.beats[suit, tile]
    points = w.points[level] + w.count[tile]
    on_table = w.on_table[level] | bit(tile)
    if w.pos[level] == w.in_trick - 1:
        return finish_trick(w, level, winner, points + w.trick_value, on_table)
    after = w.after[seat]
    w.alive[below], w.on_table[below] = w.alive[level], on_table
    w.leader[below], w.seat[below], w.suit[below] = w.leader[level], after, suit
    w.gamma[below], w.left[below], w.pos[below] = w.gamma[level], w.left[level], w.pos[level] + 1
    w.winner[below], w.beaten_by[below], w.points[below] = winner, beaten_by, points
    w.moves[below] = replies(w, w.alive[level] & w.own[after], suit)
    w.best[below] = -1 if w.side[after] == w.side[w.leader[level]] else MOST
    return UNKNOWN


@kernel
def finish_trick(w: Any, level: Any, winner: Any, points: Any, on_table: Any) -> Any:
    """The last tile of a trick: the value of the play if the next trick's is known, else UNKNOWN."""
    rest = w.left[level] - points
    same = w.side[winner] == w.side[w.leader[level]]
    gain = points if same == (w.misere == 0) else 0
    alive = w.alive[level] & ~on_table
    if same:
        w.base[level], w.sign[level] = gain, 1
        value = open_trick(w, level + 1, alive, winner, w.gamma[level] - gain, rest)
        return gain + value if value >= 0 else UNKNOWN
    w.base[level], w.sign[level] = gain + rest, -1
    value = open_trick(w, level + 1, alive, winner, gain + rest - w.gamma[level] + 1, rest)
    return gain + rest - value if value >= 0 else UNKNOWN


@kernel
def note(w: Any, level: Any, tile: Any, value: Any) -> None:
    """Take the value of a play into account; a cut-off empties the list of moves."""
    if w.side[w.seat[level]] == w.side[w.leader[level]]:
        if value > w.best[level]:
            w.best[level], w.best_tile[level] = value, tile
        if value >= w.gamma[level]:
            w.moves[level] = w.lows[level] = ZERO
    else:
        w.best[level] = min(w.best[level], value)
        if value < w.gamma[level]:
            w.moves[level] = ZERO


@kernel
def run(w: Any) -> Any:
    """Search what is set up at level 0; returns its value."""
    level = 0
    while True:
        while w.moves[level] != ZERO or (w.pos[level] == 0 and w.lows[level] != ZERO):
            tile = choose(w, level)
            value = play(w, level, tile)
            if value == UNKNOWN:
                w.trying[level] = tile
                level += 1
            else:
                note(w, level, tile, value)
        value = w.best[level]
        if w.pos[level] == 0:
            keep(w, level, value)
        if level == 0 or w.nodes > w.limit:
            return value
        level -= 1
        if w.pos[level] == w.in_trick - 1:
            value = w.base[level] + w.sign[level] * value
        note(w, level, w.trying[level], value)


