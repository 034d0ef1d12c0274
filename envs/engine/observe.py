"""Observations, views and the hidden part: what a seat may know, written as numbers (docs/OBSERVATION.md).

Seats in the output are relative to the observer: 0 me, then clockwise.
"""

from typing import Any

import numpy as np

from texas42.envs.engine.bits import ZERO, around, bit, put_mask, shift_right
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.play import types_of
from texas42.envs.engine.state import DISCARD, OVER, PLAY
from texas42.envs.rules import layout
from texas42.envs.rules.ladder import MARKS, SPECIAL
from texas42.envs.rules.tables import (
    BY_MARKS,
    MARKS_ONE_STACK,
    NO_STACK,
    ONE_STACK,
    TWO_MARKS_ONE_STACK,
    TWO_STACKS,
    VISIBLE_ALL,
)

(
    P_PHASE,
    P_TO_MOVE,
    P_SHAKER,
    P_OPENER,
    P_HAND,
    P_SECOND,
    P_WIDOW,
    P_DISCARDS,
    P_SHOWN,
    P_CALLS,
    P_BIDDER,
    P_SPECIAL,
    P_CHOICE,
    P_NAMER,
    P_DECLARATION,
    P_TABLE,
    P_LEAD_SUIT,
    P_WINNING,
    P_PLAYED_BY,
    P_PLAYED_IN,
    P_LOW_LEADS,
    P_MAY_HOLD,
    P_TO_MAKE,
    P_TO_SET,
    P_SCORES,
    P_NEGATIVE,
) = range(len(layout.PIECES))
SCORE_STEPS = layout.SCORE_STEPS


@kernel
def relative(seat: Any, me: Any, n: Any) -> Any:
    """Seat as the observer counts: 0 me, then clockwise."""
    place = seat - me
    return place + n if place < 0 else place


@kernel
def put_tiles(out: Any, at: Any, mask: Any, t: Any) -> None:
    """An instance mask as 0/1 rows, one row for each copy: the second row marks a tile held twice."""
    put_mask(out, at, types_of(mask, t), t.n_types)
    if t.copies == 2:
        put_mask(out, at + t.n_types, mask & shift_right(mask, t.n_types), t.n_types)


@kernel
def put_seat(out: Any, at: Any, seat: Any, me: Any, n: Any) -> None:
    """One-hot of a seat, nothing for -1."""
    if seat >= 0:
        out[at + relative(seat, me, n)] = 1


@kernel
def write_observation(s: Any, t: Any, me: Any, table_recall: Any, out: Any) -> None:
    """The observation of seat `me` into `out` (int8, width).

    With `table_recall` tricks that the rules turn down are left out (`won_tricks_visibility`), and with them the
    inferences of `may_hold`.
    """
    for i in range(t.width):
        out[i] = 0
    n = t.n_seats
    at = t.piece_at
    if s.phase != OVER:
        out[at[P_PHASE] + s.phase] = 1
    put_seat(out, at[P_TO_MOVE], s.cur, me, n)
    put_seat(out, at[P_SHAKER], s.shaker, me, n)
    put_seat(out, at[P_OPENER], s.opener, me, n)
    put_tiles(out, at[P_HAND], s.hands[me], t)
    if t.two_seats == 1:
        put_tiles(out, at[P_SECOND], s.hands[(me + 2) % n], t)
    if t.widow_size > 0:
        write_widow(s, t, me, out)
    write_auction(s, t, me, out)
    hidden = hidden_tricks(s, t) if table_recall else 0
    if s.decl >= 0:
        write_play(s, t, me, hidden, out)
    write_may_hold(s, t, me, hidden, out)
    write_scores(s, t, me, out)


@kernel
def saw_widow(s: Any, t: Any, me: Any) -> Any:
    """Whether a seat has seen the widow: the winner, once it came to him."""
    mine = me == s.bidder or (t.two_seats == 1 and me % 2 == s.bidder % 2)
    return mine and t.widow_use > 0 and s.high > 0 and s.namer >= 0


@kernel
def write_widow(s: Any, t: Any, me: Any, out: Any) -> None:
    """What the bidder knows of the widow and his discards, and what was turned up."""
    if saw_widow(s, t, me):
        put_tiles(out, t.piece_at[P_WIDOW], s.widow, t)
        put_tiles(out, t.piece_at[P_DISCARDS], s.discards, t)
    if t.piece_size[P_SHOWN] > 0:
        put_tiles(out, t.piece_at[P_SHOWN], s.shown, t)
    if t.piece_size[P_CHOICE] > 0 and s.widow_choice > 0:
        out[t.piece_at[P_CHOICE] + s.widow_choice - 1] = 1


@kernel
def write_auction(s: Any, t: Any, me: Any, out: Any) -> None:
    """Calls, the standing bid, the namer."""
    at = t.piece_at[P_CALLS]
    for i in range(s.n_calls):
        out[at + relative(np.int32(s.callers[i]), me, t.n_seats) * t.n_calls + s.calls[i]] = 1
    put_seat(out, t.piece_at[P_BIDDER], s.bidder, me, t.n_seats)
    put_seat(out, t.piece_at[P_NAMER], s.namer, me, t.n_seats)
    if s.special > 0:
        out[t.piece_at[P_SPECIAL] + special_index(s.special, t)] = 1
    if t.until_one_left == 1 and t.piece_size[P_SPECIAL] > 0:
        write_special_bids(s, t, me, out)


@kernel
def write_special_bids(s: Any, t: Any, me: Any, out: Any) -> None:
    """Auctions in rounds: the special bids by seat and marks, since a seat may make the same one again."""
    specials = special_index(t.n_calls, t)
    top = (t.piece_size[P_SPECIAL] // specials - 1) // t.n_seats
    marks = 0
    for i in range(s.n_calls):
        row = np.int32(s.calls[i])
        if t.call_kind[row] == SPECIAL:
            marks = max(marks + 1, int(t.call_base[row]))
            place = relative(np.int32(s.callers[i]), me, t.n_seats)
            line = place * top + marks
            out[t.piece_at[P_SPECIAL] + line * specials + special_index(row, t)] = 1
        elif row > 0:
            marks = t.call_marks[row] if t.call_kind[row] == MARKS else 0


@kernel
def special_index(row: Any, t: Any) -> Any:
    """Position of a special call among them; ASK counts as the first, and `n_calls` gives their number."""
    index = 0
    if row < t.n_calls and t.call_kind[row] != SPECIAL:
        return index
    for i in range(row):
        if t.call_kind[i] == SPECIAL:
            index += 1
    return index


@kernel
def write_play(s: Any, t: Any, me: Any, hidden: Any, out: Any) -> None:
    """The declaration, the table and every tile played, by whom and in which trick."""
    n = t.n_seats
    at = t.piece_at
    out[at[P_DECLARATION] + s.decl] = 1
    if s.pos > 0:
        out[at[P_LEAD_SUIT] + s.suit] = 1
        put_seat(out, at[P_WINNING], s.best_seat, me, n)
        for i in range(s.n_plays - s.pos, s.n_plays):
            out[at[P_TABLE] + relative(np.int32(s.players[i]), me, n) * t.n_types + s.plays[i]] = 1
    trick = 0
    place = 0
    for i in range(s.n_plays):
        if (hidden >> trick) & 1 == 0:
            write_played(t, np.int32(s.plays[i]), relative(np.int32(s.players[i]), me, n), trick, out)
        place += 1
        if place == s.in_trick:
            place = 0
            trick += 1
    low_leads = s.low_leads & ~hidden
    if t.piece_size[P_LOW_LEADS] > 0 and low_leads != 0:
        for trick in range(t.hand_size):
            out[at[P_LOW_LEADS] + trick] = (low_leads >> trick) & 1
    write_need(s, t, out)


@kernel
def write_played(t: Any, tile: Any, place: Any, trick: Any, out: Any) -> None:
    """One played tile: who and when; the second of two equal tiles goes to the second row."""
    by = t.piece_at[P_PLAYED_BY] + tile * t.n_seats
    when = t.piece_at[P_PLAYED_IN] + tile * t.hand_size
    if t.copies == 2:
        for i in range(t.n_seats):
            if out[by + i] == 1:
                by += t.n_types * t.n_seats
                when += t.n_types * t.hand_size
                break
    out[by + place] = 1
    if trick < t.hand_size:
        out[when + trick] = 1


@kernel
def write_need(s: Any, t: Any, out: Any) -> None:
    """How many points each party still needs."""
    side = t.side[s.bidder]
    others = 0
    for i in range(t.n_sides):
        if i != side:
            others += s.taken[i]
    need = t.total if s.marks > 0 else t.call_need[s.call]
    put_need(out, t.piece_at[P_TO_MAKE], need - s.taken[side], t)
    put_need(out, t.piece_at[P_TO_SET], t.total - need + 1 - others, t)


@kernel
def put_need(out: Any, at: Any, points: Any, t: Any) -> None:
    """Points still needed as a thermometer, a step a point; nothing below zero."""
    for i in range(min(points, t.total)):
        out[at + i] = 1


@kernel
def put_steps(out: Any, at: Any, value: Any, full: Any, steps: Any) -> None:
    """A thermometer: every step begun is lit, none below zero, all from `full` on."""
    if value <= 0:
        return
    lit = min((value * steps + full - 1) // full, steps)
    for i in range(lit):
        out[at + i] = 1


@kernel
def write_may_hold(s: Any, t: Any, me: Any, hidden: Any, out: Any) -> None:
    """For each other seat the tiles it may hold: unseen, and not excluded by its own plays."""
    at = t.piece_at[P_MAY_HOLD]
    unseen = unseen_by(s, t, me)
    if hidden != 0:
        unseen |= tiles_of_tricks(s, hidden)
    for place in range(1, t.n_seats):
        seat = around(me + place, t.n_seats)
        if tiles_left(s, t, seat) > 0:
            may = unseen if hidden != 0 else unseen & ~s.cannot[seat]
            if t.two_seats == 1 and place == 2:
                may = s.hands[seat]  # my other hand
            may = types_of(may, t)
            put_mask(out, at + (place - 1) * t.n_types, may, t.n_types)


@kernel
def tiles_of_tricks(s: Any, tricks: Any) -> Any:
    """Types of the tiles played in a set of tricks."""
    mask = ZERO
    for i in range(s.n_plays):
        if (tricks >> (i // s.in_trick)) & 1 == 1:
            mask |= bit(s.plays[i])
    return mask


@kernel
def tiles_left(s: Any, t: Any, seat: Any) -> Any:
    """How many tiles a seat holds, from public events."""
    if seat == s.bidder and s.phase == DISCARD:
        return t.hand_size + t.widow_size - s.n_discards
    if s.phase != PLAY or (s.sits_out >> seat) & 1 == 1:
        return t.hand_size
    left = t.hand_size - s.n_tricks
    for i in range(s.n_plays - s.pos, s.n_plays):
        if s.players[i] == seat:
            left -= 1
    return left


@kernel
def unseen_by(s: Any, t: Any, me: Any) -> Any:
    """Instances a seat has not seen."""
    known = s.hands[me] | s.played | s.shown
    if t.two_seats == 1:
        known |= s.hands[(me + 2) % t.n_seats]
    if saw_widow(s, t, me):
        known |= s.widow | s.discards
    return t.deck_mask & ~known


@kernel
def hidden_tricks(s: Any, t: Any) -> Any:
    """Mask of won tricks turned down: those of the bidder's side but the last one or two (c.8, f.2.3)."""
    keep = visible_tricks(s, t)
    hidden = 0
    for i in range(s.n_tricks):
        trick = s.n_tricks - 1 - i
        if t.side[s.trick_winners[trick]] == t.side[s.bidder]:
            if keep <= 0:
                hidden |= 1 << trick
            keep -= 1
    return hidden


@kernel
def visible_tricks(s: Any, t: Any) -> Any:
    """How many of the last tricks of the bidder's side stay face up."""
    rule = t.visibility
    if rule == VISIBLE_ALL:
        return 100
    if rule == TWO_STACKS or (rule == BY_MARKS and s.marks == 1):
        return 2
    if rule == NO_STACK:
        return 0
    stacked = (
        rule == ONE_STACK
        or (rule == BY_MARKS and s.marks > 1)
        or (rule == MARKS_ONE_STACK and s.marks > 0)
        or (rule == TWO_MARKS_ONE_STACK and s.marks > 1)
    )
    return 1 if stacked else 100


@kernel
def write_scores(s: Any, t: Any, me: Any, out: Any) -> None:
    """Scores by side, mine first."""
    mine = t.side[me]
    for i in range(t.n_sides):
        score = s.scores[around(mine + i, t.n_sides)]
        if score > 0:
            for k in range(min(score * SCORE_STEPS // t.target, SCORE_STEPS)):
                out[t.piece_at[P_SCORES] + i * SCORE_STEPS + k] = 1
        if t.piece_size[P_NEGATIVE] > 0:
            put_steps(out, t.piece_at[P_NEGATIVE] + i * SCORE_STEPS, -score, t.target, SCORE_STEPS)


@kernel
def write_hidden(s: Any, t: Any, me: Any, out: Any) -> None:
    """What only a central critic may see (int8, hidden_width): other hands by relative seat, widow, discards."""
    for i in range(t.hidden_width):
        out[i] = 0
    tiles = t.copies * t.n_types
    for place in range(1, t.n_seats):
        put_tiles(out, (place - 1) * tiles, s.hands[around(me + place, t.n_seats)], t)
    if t.widow_size > 0:
        put_tiles(out, (t.n_seats - 1) * tiles, s.widow, t)
        put_tiles(out, t.n_seats * tiles, s.discards, t)


@kernel
def blank_hidden(s: Any, t: Any, me: Any) -> None:
    """Turn a copy of the state into the view of seat `me`: blank all it cannot know, the random key included."""
    s.seed = s.row = s.episode = ZERO
    saw = saw_widow(s, t, me)
    for seat in range(t.n_seats):
        mine = seat == me or (t.two_seats == 1 and seat % 2 == me % 2)
        if not mine:
            s.hands[seat] = s.dealt[seat] = ZERO
    if not saw:
        s.widow = s.discards = ZERO

