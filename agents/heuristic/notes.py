"""What a player can work out before a tile is played: what is unseen, who may hold it, and how likely."""

from typing import Any

from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.strength import count_in
from texas42.agents.heuristic.weights import DEFENDER, NAMER, PARTNER, W_NAMER_TRUMPS
from texas42.envs.engine.bits import ZERO, bit, drop_lowest, has, lowest, popcount
from texas42.envs.rules.declarations import TRUMP, TRUMP_POWER


@kernel
def unseen_by_mover(s: Any, t: Any, p: Any) -> Any:
    """Instances that a view does not show; all hands in a view are the mover's own."""
    seen = s.played | s.shown | s.discards | s.widow
    for seat in range(t.n_seats):
        seen |= s.hands[seat]
    return p.deck & ~seen


@kernel
def take_notes(s: Any, t: Any, p: Any, k: Any) -> None:
    """Fill the notes of the mover in the play of a hand."""
    me = s.cur
    side = s.bidder % t.n_sides
    k.me = me
    k.decl = s.decl
    k.attack = 1 if me % t.n_sides == side else 0
    k.role = NAMER if me == s.namer else (PARTNER if k.attack == 1 else DEFENDER)
    k.unseen = unseen_by_mover(s, t, p)
    for seat in range(t.n_seats):
        attacks = 1 if seat % t.n_sides == side else 0
        k.friend[seat] = 1 if attacks == k.attack else 0
        k.active[seat] = 0 if (s.sits_out >> seat) & 1 == 1 else 1
        k.held[seat] = t.hand_size - s.n_tricks if k.active[seat] == 1 else t.hand_size
        k.later[seat] = k.active[seat]
    for i in range(s.n_plays - s.pos, s.n_plays):
        k.held[s.players[i]] -= 1
        k.later[s.players[i]] = 0
    k.later[me] = 0
    hidden = popcount(k.unseen)
    k.mean_count = p.scale * count_in(t, k.unseen) / max(hidden, 1)
    for seat in range(t.n_seats):
        if seat == me or s.hands[seat] != ZERO:  # one person's two seats see each other
            k.may[seat] = ZERO
        else:
            k.may[seat] = k.unseen & ~s.cannot[seat]
            hidden -= k.held[seat]
    k.theirs = ZERO
    for seat in range(t.n_seats):
        if k.friend[seat] == 0 and k.active[seat] == 1:
            k.theirs |= k.may[seat]
    share_out(s, t, p, k, hidden)


@kernel
def share_out(s: Any, t: Any, p: Any, k: Any, hidden: Any) -> None:
    """The chance of each seat to hold each unseen tile: by hand sizes, among those who may hold it.

    Whoever named the trumps counts for more where a trump is concerned. `hidden` tiles are in nobody's hand.
    """
    trumps = t.trumps[k.decl]
    rest = k.unseen
    while rest != ZERO:
        u = lowest(rest)
        rest = drop_lowest(rest)
        trump = has(trumps, u)
        total = float(max(hidden, 0))
        for seat in range(t.n_seats):
            k.share[seat, u] = 0.0
            if has(k.may[seat], u):
                weight = float(k.held[seat])
                if trump and seat == s.namer:
                    weight *= p.weights[k.role, W_NAMER_TRUMPS]
                k.share[seat, u] = weight
                total += weight
        for seat in range(t.n_seats):
            k.share[seat, u] /= max(total, 1.0)
    for seat in range(t.n_seats):
        if seat != k.me and s.hands[seat] != ZERO:
            show_hand(s, k, seat)


@kernel
def show_hand(s: Any, k: Any, seat: Any) -> None:
    """A hand that the mover sees is held for certain."""
    k.may[seat] = s.hands[seat]
    rest = s.hands[seat]
    while rest != ZERO:
        u = lowest(rest)
        rest = drop_lowest(rest)
        for other in range(len(k.held)):
            k.share[other, u] = 0.0
        k.share[seat, u] = 1.0


@kernel
def chance_of_any(k: Any, seat: Any, mask: Any) -> Any:
    """The chance that a seat holds some tile of `mask`."""
    none = 1.0
    rest = k.may[seat] & mask
    while rest != ZERO:
        none *= 1.0 - k.share[seat, lowest(rest)]
        rest = drop_lowest(rest)
    return 1.0 - none


@kernel
def chance_to_beat(t: Any, k: Any, seat: Any, suit: Any, power: Any) -> Any:
    """The chance that a seat can beat `power` where `suit` was led: higher in it, or void with a trump."""
    none_over = void = 1.0
    rest = k.may[seat] & t.follow[k.decl, suit]
    while rest != ZERO:
        u = lowest(rest)
        rest = drop_lowest(rest)
        missing = 1.0 - k.share[seat, u]
        void *= missing
        if t.power[k.decl, suit, u % t.n_types] + t.ties_last > power:
            none_over *= missing
    chance = 1.0 - none_over
    if suit == TRUMP or t.trumps[k.decl] == ZERO or void < 1e-9:
        return chance
    no_trump = 1.0
    rest = k.may[seat] & t.trumps[k.decl]
    while rest != ZERO:
        u = lowest(rest)
        rest = drop_lowest(rest)
        if power < TRUMP_POWER or t.power[k.decl, suit, u % t.n_types] + t.ties_last > power:
            no_trump *= 1.0 - k.share[seat, u]
    return chance + void * (1.0 - no_trump)


@kernel
def first_instance(hand: Any, t: Any, tile: Any) -> Any:
    """The bit of the instance of a tile that would be played from `hand`."""
    mask = bit(tile)
    return mask if hand & mask != ZERO else bit(tile + t.n_types)
