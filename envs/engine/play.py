"""Trick play: what may be played, who wins a trick, when the hand is decided (RULES.md a.4 to a.12)."""

from typing import Any

from texas42.envs.engine.bits import ONE, ZERO, around, bit, lowest, shift_right
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.score import finish_hand, sweep_bonus_open
from texas42.envs.rules.declarations import LOPER, NELLO, SEVENS
from texas42.envs.rules.tables import LOW_FIRST_TRICK


@kernel
def types_of(mask: Any, t: Any) -> Any:
    """Tile types of an instance mask."""
    if t.copies == 1:
        return mask
    return (mask | shift_right(mask, t.n_types)) & (bit(t.n_types) - ONE)


@kernel
def follows_closeness(decl: Any, t: Any) -> Any:
    """Whether play is by closeness to seven pips."""
    kind = t.decl_kind[decl]
    return SEVENS <= kind <= LOPER


@kernel
def legal_tiles(s: Any, t: Any) -> Any:
    """Instances the seat to move may play."""
    hand = s.hands[s.cur]
    if follows_closeness(s.decl, t):  # a.8
        distance = 0
        while hand & t.distance[distance] == ZERO:
            distance += 1
        return hand & t.distance[distance]
    if s.pos == 0:
        if t.opening_trump == 1 and s.n_tricks == 0 and hand & t.trumps[s.decl] != ZERO:
            return hand & t.trumps[s.decl]
        return hand
    following = hand & t.follow[s.decl, s.suit]  # a.6
    return following if following != ZERO else hand


@kernel
def legal_low_leads(s: Any, t: Any, tiles: Any) -> Any:
    """Mask over announced low leads (b.3 `lead_low_end`); `tiles`: types that may be led."""
    result = ZERO
    if s.pos != 0 or (t.low_mode == LOW_FIRST_TRICK and s.n_tricks > 0):
        return result
    tiles &= t.low_tiles[s.decl]
    while tiles != ZERO:
        tile = lowest(tiles)
        tiles &= ~bit(tile)
        result |= bit(t.low_index[tile])
    return result


@kernel
def play_tile(s: Any, t: Any, tile: Any, low: Any) -> None:
    """Play a tile; `low` announces its lower end as the suit of the lead."""
    place_tile(s, t, tile, low)
    if s.pos == s.in_trick:
        take_trick(s, t)
        verdict = decided(s, t)
        if verdict >= 0:
            finish_hand(s, t, verdict)


@kernel
def place_tile(s: Any, t: Any, tile: Any, low: Any) -> None:
    """Put a tile on the table and pass the turn on; the last one leaves the trick to be taken."""
    seat = s.cur
    mask = bit(tile)
    if s.hands[seat] & mask == ZERO:
        mask = bit(tile + t.n_types)
    if s.pos == 0:
        lead(s, t, tile, low)
    note_void(s, t, mask, tile)
    s.hands[seat] &= ~mask
    s.played |= mask
    s.plays[s.n_plays] = tile
    s.players[s.n_plays] = seat
    s.n_plays += 1
    s.trick_points += t.count[tile]
    power = t.power[s.decl, s.suit, tile]
    if power + t.ties_last > s.best:  # a.7: of equal tiles the first played stands
        s.best = power
        s.best_seat = seat
    s.pos += 1
    if s.pos < s.in_trick:
        next_player(s, t)


@kernel
def lead(s: Any, t: Any, tile: Any, low: Any) -> None:
    """The suit of the lead: trump, doubles, or the higher number unless the lower is announced (a.5)."""
    if low:
        s.suit = t.low_suit[s.decl, tile]
        s.low_leads |= 1 << s.n_tricks
    else:
        s.suit = t.lead_suit[s.decl, tile]
    s.best = 0
    s.leader = s.cur
    s.leaders[s.n_tricks] = s.cur


@kernel
def note_void(s: Any, t: Any, mask: Any, tile: Any) -> None:
    """What a play tells about the tiles the player does not hold."""
    if follows_closeness(s.decl, t):
        distance = 0
        while t.distance[distance] & mask == ZERO:
            s.cannot[s.cur] |= t.distance[distance]
            distance += 1
    elif s.pos > 0:
        if t.follow[s.decl, s.suit] & mask == ZERO:
            s.cannot[s.cur] |= t.follow[s.decl, s.suit]
    elif t.opening_trump == 1 and s.n_tricks == 0 and t.trumps[s.decl] & mask == ZERO:
        s.cannot[s.cur] |= t.trumps[s.decl]


@kernel
def next_player(s: Any, t: Any) -> None:
    """Clockwise, past seats that sit out (a.12)."""
    s.cur += 1
    if s.cur == t.n_seats:
        s.cur = 0
    while (s.sits_out >> s.cur) & 1 == 1:
        s.cur = around(s.cur + 1, t.n_seats)


@kernel
def take_trick(s: Any, t: Any) -> None:
    """The winner takes the trick for his side and leads the next (a.7, a.9)."""
    winner = s.best_seat
    side = t.side[winner]
    points = s.trick_points + t.trick_value
    s.trick_winners[s.n_tricks] = winner
    s.trick_values[s.n_tricks] = points
    s.taken[side] += points
    s.won[side] += 1
    s.n_tricks += 1
    s.pos = s.trick_points = 0
    s.leader = s.cur = winner


@kernel
def decided(s: Any, t: Any) -> Any:
    """1 made, 0 set, -1 open: after each trick where the hand may end early, else after the last (a.10, a.11)."""
    over = s.n_tricks == t.hand_size
    if t.early_end == 0 and not over:
        return -1
    return verdict(s, t, over)


@kernel
def verdict(s: Any, t: Any, over: Any) -> Any:
    """1 made, 0 set, -1 open by what has been taken so far; `over` after the last trick (a.10)."""
    side = t.side[s.bidder]
    kind = t.decl_kind[s.decl]
    if kind == NELLO:
        if s.won[side] > 0:
            return 0
    elif kind == LOPER:
        if s.n_tricks - s.won[side] > 1:
            return 0
    elif s.marks > 0:
        if s.n_tricks > s.won[side]:
            return 0
    else:
        return points_decided(s, t, side, over)
    return 1 if over else -1


@kernel
def points_decided(s: Any, t: Any, side: Any, over: Any) -> Any:
    """POINTS(n): made at n, set when the others hold more than T - n (a.11)."""
    need = t.call_need[s.call]
    if s.taken[side] >= need:
        return -1 if sweep_bonus_open(s, t) and not over else 1
    others = 0
    for i in range(t.n_sides):
        if i != side:
            others += s.taken[i]
    return 0 if over or others > t.total - need else -1
