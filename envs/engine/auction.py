"""The auction, the widow and the declaration (RULES.md a.13, f.3)."""

from typing import Any

from texas42.envs.engine.bits import ONE, ZERO, around, bit, lowest, n_members, popcount
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.score import throw_in
from texas42.envs.engine.state import DECLARE, DISCARD, PLAY, WIDOW
from texas42.envs.rules import ladder
from texas42.envs.rules.declarations import NELLO
from texas42.envs.rules.tables import (
    DISCARD_ANY,
    DISCARD_NO_COUNT,
    FORCED_LAST,
    WIDOW_CHOICE,
    WIDOW_DECLARE_FIRST,
    WIDOW_NONE,
)


@kernel
def call(s: Any, t: Any, row: Any) -> None:
    """One call of the seat to move (a.13)."""
    seat = s.cur
    s.calls[s.n_calls] = row
    s.callers[s.n_calls] = seat
    s.n_calls += 1
    if row == 0:
        s.passed |= 1 << seat
    else:
        s.last = 1 if s.high == 0 and n_members(s.passed) == t.n_seats - 1 else 0
        take_bid(s, t, row)
    if auction_over(s, t):
        end_auction(s, t)
    else:
        next_caller(s, t)


@kernel
def take_bid(s: Any, t: Any, row: Any) -> None:
    """Note a bid; a special bid is worth its base or one more than the standing marks (c.4)."""
    s.call = row
    s.bidder = s.cur
    if t.call_kind[row] == ladder.SPECIAL:
        s.marks = max(t.call_base[row], s.marks + 1)
        s.high = t.marks_row[s.marks]
    else:
        s.marks = t.call_marks[row] if t.call_kind[row] == ladder.MARKS else 0
        s.high = row


@kernel
def auction_over(s: Any, t: Any) -> Any:
    """Whether the last call ended the auction."""
    if t.until_one_left == 0:
        return s.n_calls == t.n_seats or t.call_ends[s.call] == 1
    left = t.n_seats - n_members(s.passed)
    return left == 0 or (left == 1 and s.high != 0)


@kernel
def next_caller(s: Any, t: Any) -> None:
    """Clockwise; in several rounds, whoever passed is out (c.13)."""
    s.cur = around(s.cur + 1, t.n_seats)
    while (s.passed >> s.cur) & 1 == 1:
        s.cur = around(s.cur + 1, t.n_seats)


@kernel
def end_auction(s: Any, t: Any) -> None:
    """Throw in, or let the winner meet the widow or declare."""
    if s.call == 0:
        throw_in(s, t)
        return
    s.special = s.call if t.call_partner[s.call] == 1 else 0
    s.namer = partner_of(s.bidder, t) if s.special > 0 else s.bidder
    if t.widow_use == WIDOW_NONE:
        start_declaring(s)
    else:
        meet_widow(s, t)


@kernel
def partner_of(seat: Any, t: Any) -> Any:
    """The seat across the table."""
    return around(seat + t.n_seats // 2, t.n_seats)


@kernel
def legal_calls(s: Any, t: Any) -> Any:
    """Mask of the ladder rows the seat to move may call, PASS included."""
    calls = t.next_calls[s.high]
    if t.specials != ZERO and t.special_after == 0:
        calls |= legal_specials(s, t, calls)
    if s.high == 0 and t.all_pass == FORCED_LAST and n_members(s.passed) == t.n_seats - 1:
        if t.forced_exact == 1:  # forced_bid
            return bit(t.min_call)
        calls = (calls & ~ONE) | t.forced_calls
    return calls


@kernel
def legal_specials(s: Any, t: Any, calls: Any) -> Any:
    """Special bids the hand has the doubles for (c.4, c.5, c.12; jumps f.3.7)."""
    result = ZERO
    doubles = popcount(s.hands[s.cur] & t.doubles)
    rows = t.specials
    while rows != ZERO:
        row = lowest(rows)
        rows &= ~bit(row)
        marks = max(t.call_base[row], s.marks + 1)
        fits = t.special_jump == 1 or calls & bit(t.marks_row[marks]) != ZERO
        if doubles >= t.call_doubles[row] and marks <= t.max_marks and fits:
            result |= bit(row)
    return result


@kernel
def start_declaring(s: Any) -> None:
    """The namer is to declare."""
    s.phase = DECLARE
    s.cur = s.namer


@kernel
def meet_widow(s: Any, t: Any) -> None:
    """The winner and the widow: it comes in, or may be taken, or is left (f.3.3)."""
    s.cur = s.bidder
    if t.widow_use == WIDOW_CHOICE and s.widow & t.count_tiles == ZERO:
        if s.hands[s.bidder] & ~t.count_tiles == ZERO:
            start_declaring(s)
        else:
            s.phase = WIDOW
        return
    s.hands[s.bidder] |= s.widow
    if t.widow_use == WIDOW_DECLARE_FIRST:
        start_declaring(s)
    else:
        s.phase = DISCARD


@kernel
def choose_widow(s: Any, t: Any, leave: Any) -> None:
    """TAKE or LEAVE."""
    s.widow_choice = 1 + leave
    if leave == 1:
        start_declaring(s)
    else:
        s.hands[s.bidder] |= s.widow
        s.phase = DISCARD


@kernel
def legal_discards(s: Any, t: Any) -> Any:
    """Instances that may be discarded next."""
    hand = s.hands[s.bidder]
    if t.discard_rule == DISCARD_ANY:
        return hand
    if t.discard_rule == DISCARD_NO_COUNT:  # another tile than the widow's, without count (c.13)
        plain = hand & ~t.count_tiles & ~s.widow
        return plain if plain != ZERO else least_count(hand, t)
    plain = hand & ~t.count_tiles  # c.10, f.3.5
    if s.decl >= 0:
        plain &= ~t.trumps[s.decl]
    return plain if popcount(plain) >= t.widow_size - s.n_discards else hand


@kernel
def least_count(hand: Any, t: Any) -> Any:
    """Tiles of the smallest count in a hand of count tiles only (c.14)."""
    least = 100
    result = ZERO
    rest = hand
    while rest != ZERO:
        i = lowest(rest)
        rest &= ~bit(i)
        count = t.count[i % t.n_types]
        if count < least:
            least = count
            result = ZERO
        if count == least:
            result |= bit(i)
    return result


@kernel
def discard(s: Any, t: Any, tile: Any) -> None:
    """One discard; in 72 its count goes to the others and a trump is turned up (c.10)."""
    hand = s.hands[s.bidder]
    mask = bit(tile)
    if hand & mask == ZERO:
        mask = bit(tile + t.n_types)
    s.hands[s.bidder] = hand & ~mask
    s.discards |= mask
    s.n_discards += 1
    if t.widow_use == WIDOW_DECLARE_FIRST:
        s.taken[1 - t.side[s.bidder]] += t.count[tile]
        s.shown |= mask & t.trumps[s.decl]
    if s.n_discards == t.widow_size:
        if t.widow_use == WIDOW_DECLARE_FIRST:
            s.taken[t.side[s.bidder]] += t.widow_points
            start_play(s)
        else:
            start_declaring(s)


@kernel
def legal_declarations(s: Any, t: Any) -> Any:
    """Mask of the declarations open to the namer."""
    row = s.special if s.special > 0 else s.call
    decls = t.last_decls[row] if s.last == 1 else t.decls[row]
    if t.sevens != ZERO and s.dealt[trump_leader(s, t)] & t.seven_pips == ZERO:  # f.3.10
        decls &= ~t.sevens
    return decls


@kernel
def legal_late_specials(s: Any, t: Any) -> Any:
    """`special_declared_at=after`: splash and plunge beside the winner's declarations (f.3.7)."""
    result = ZERO
    if t.special_after == 0 or s.special > 0 or t.call_kind[s.call] != ladder.MARKS:
        return result
    doubles = popcount(s.hands[s.bidder] & t.doubles)
    rows = t.specials
    while rows != ZERO:
        row = lowest(rows)
        rows &= ~bit(row)
        if doubles >= t.call_doubles[row] and s.marks >= t.call_base[row]:
            result |= bit(row)
    return result


@kernel
def late_special(s: Any, t: Any, row: Any) -> None:
    """The winner splashes or plunges after the auction; the stake stays."""
    s.special = row
    s.namer = partner_of(s.bidder, t)
    s.cur = s.namer


@kernel
def trump_leader(s: Any, t: Any) -> Any:
    """Who leads trick 1: the bidder, or the partner who names trump (`special_leader`)."""
    return s.namer if s.special > 0 and t.namer_leads == 1 else s.bidder


@kernel
def declare(s: Any, t: Any, decl: Any) -> None:
    """Name the declaration; in nello the declarer's team-mates sit out (a.12, f.3.8)."""
    s.decl = decl
    s.leader = trump_leader(s, t)
    if t.decl_kind[decl] == NELLO:
        s.leader = s.bidder
        for seat in range(t.n_seats):
            if seat != s.bidder and t.side[seat] == t.side[s.bidder]:
                s.sits_out |= 1 << seat
    s.in_trick = t.n_seats - n_members(s.sits_out)
    if t.widow_use == WIDOW_DECLARE_FIRST:
        s.phase = DISCARD
        s.cur = s.bidder
    else:
        start_play(s)


@kernel
def start_play(s: Any) -> None:
    """The leader is to lead trick 1."""
    s.phase = PLAY
    s.cur = s.leader
