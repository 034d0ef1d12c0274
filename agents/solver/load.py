"""Setting the root up from the engine's state or from hands."""

from typing import Any

from texas42.agents.solver.kernels import kernel
from texas42.agents.solver.prepare import prepare
from texas42.agents.solver.root import play_root, set_root
from texas42.envs.engine.bits import ZERO, bit
from texas42.envs.rules.declarations import NELLO
from texas42.envs.rules.tables import LOW_FIRST_TRICK

NEVER = 1000


@kernel
def teammates(t: Any, decl: Any, bidder: Any) -> Any:
    """Bit mask of the seats that sit out: in nello the bidder's team-mates (a.12)."""
    mask = 0
    if t.decl_kind[decl] == NELLO:
        for seat in range(t.n_seats):
            if seat != bidder and seat % t.n_sides == bidder % t.n_sides:
                mask |= 1 << seat
    return mask


@kernel
def load_hands(w: Any, t: Any, hands: Any, decl: Any, leader: Any, bidder: Any, first_trick: Any) -> None:
    """The root: `hands` (uint64, one for each seat), nothing on the table, nothing banked."""
    sits_out = teammates(t, decl, bidder)
    for seat in range(t.n_seats):
        w.hands[seat] = hands[seat] if (sits_out >> seat) & 1 == 0 else ZERO
    n = prepare(w, t, decl, w.hands, bidder, sits_out)
    set_root(w, n, leader)
    first_trick_rules(w, t, n, first_trick)


@kernel
def first_trick_rules(w: Any, t: Any, n: Any, first_trick: Any) -> None:
    """What holds in trick 1 only: leading trumps first, announcing low ends (b.3)."""
    w.low_from = 0
    if t.low_mode == LOW_FIRST_TRICK:
        w.low_from = n if first_trick else NEVER
    if t.opening_trump == 1 and first_trick:
        w.must_lead = w.trumps & w.own[w.leader[0]]


@kernel
def load_state(w: Any, t: Any, s: Any) -> None:
    """The root: a state of the engine in the phase PLAY, all hands known."""
    for seat in range(t.n_seats):
        w.hands[seat] = s.hands[seat] if (s.sits_out >> seat) & 1 == 0 else ZERO
    start = s.n_plays - s.pos
    for i in range(start, s.n_plays):
        w.hands[s.players[i]] |= free_instance(w, t, s.plays[i])
    n = prepare(w, t, s.decl, w.hands, s.bidder, s.sits_out)
    set_root(w, n, s.leader)
    first_trick_rules(w, t, n, s.n_tricks == 0)
    for i in range(start, s.n_plays):
        low = i == start and (s.low_leads >> s.n_tricks) & 1 == 1
        play_root(w, local_number(w, t, n, s.plays[i], s.players[i]), low)
    if w.misere == 0:
        w.banked = s.taken[s.bidder % t.n_sides]


@kernel
def free_instance(w: Any, t: Any, tile: Any) -> Any:
    """An instance of a tile type that is in no hand, as a set."""
    taken = ZERO
    for seat in range(t.n_seats):
        taken |= w.hands[seat]
    return bit(tile) if taken & bit(tile) == ZERO else bit(tile + t.n_types)


@kernel
def local_number(w: Any, t: Any, n: Any, tile: Any, seat: Any) -> Any:
    """The local number of a tile type that a seat holds or has played in this trick."""
    for i in range(n):
        if w.tile[i] % t.n_types == tile and w.owner[i] == seat:
            return i
    return -1
