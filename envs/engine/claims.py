"""Claims: laying down the rest of the hand (RULES.md c.17, f.3.13)."""

from typing import Any

import numpy as np

from texas42.envs.engine.bits import ONE, ZERO, bit, combine, lowest, popcount
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.play import decided, legal_tiles, place_tile, take_trick, types_of
from texas42.envs.engine.score import finish_hand
from texas42.envs.engine.state import MAX_PLAYS, MAX_TRICKS
from texas42.envs.rules.declarations import LOPER, NELLO
from texas42.envs.rules.tables import LAYDOWN_OFF, LAYDOWN_PROVED

MEMO = 1 << 16
N_WORDS, N_NUMBERS = 3, 25


@kernel
def may_claim(s: Any, t: Any) -> Any:
    """Whether CLAIM is offered to the seat to move: the bidding side's player on lead."""
    if t.laydown == LAYDOWN_OFF or s.pos != 0 or t.side[s.cur] != t.side[s.bidder]:
        return False
    return t.laydown != LAYDOWN_PROVED or proved(s, t)


@kernel
def best_remaining(hand: Any, t: Any, decl: Any) -> Any:
    """The next tile in the engine's order: trumps, then power in the suit it leads, then tile id, descending."""
    best = -1
    best_key = -1
    while hand != ZERO:
        tile = lowest(hand) % t.n_types
        hand &= hand - ONE
        power = t.power[decl, t.lead_suit[decl, tile], tile]  # trumps stand above everything else
        key = np.int64(power) * 64 + tile
        if key > best_key:
            best, best_key = tile, key
    return best


@kernel
def proved(s: Any, t: Any) -> Any:
    """Each tile, led in the engine's order, beats every unseen tile until the contract is secured (f.3.13)."""
    side = t.side[s.bidder]
    kind = t.decl_kind[s.decl]
    lost = s.n_tricks - s.won[side]
    if kind == NELLO or (s.marks > 0 and lost > 0) or (kind == LOPER and lost > 1):
        return False
    unseen = unseen_tiles(s, t)
    hand = s.hands[s.cur]
    taken = s.taken[side]
    points = s.marks == 0 and kind != LOPER
    while hand != ZERO:
        if points and taken >= t.call_need[s.call]:
            return True
        if kind == LOPER and lost + popcount(hand) <= 1:
            return True
        tile = best_remaining(hand, t, s.decl)
        if beaten(t, s.decl, tile, unseen):
            return False
        taken += t.trick_value + t.count[tile]
        mask = bit(tile)
        hand &= ~(mask if hand & mask != ZERO else bit(tile + t.n_types))
    return not points or taken >= t.call_need[s.call]


@kernel
def unseen_tiles(s: Any, t: Any) -> Any:
    """Tiles the seat to move has not seen: not his, not played, and not his discards."""
    known = s.hands[s.cur] | s.played | s.shown
    if s.cur == s.bidder:
        known |= s.discards
    return t.deck_mask & ~known


@kernel
def beaten(t: Any, decl: Any, tile: Any, unseen: Any) -> Any:
    """Whether some unseen tile would take the trick that `tile` leads."""
    suit = t.lead_suit[decl, tile]
    own = t.power[decl, suit, tile]
    while unseen != ZERO:
        other = lowest(unseen) % t.n_types
        unseen &= unseen - ONE
        if t.power[decl, suit, other] + t.ties_last > own:
            return True
    return False


@kernel
def claim(s: Any, t: Any, order: Any) -> None:
    """End the hand by a claim: made if it holds in every line of play of the others, else set.

    `order` (uint8, MAX_TRICKS) lists the claimant's tiles in his order.
    """
    holds = claim_holds(s, t, order)
    s.claimed = 1
    finish_hand(s, t, 1 if holds else 0)


@kernel
def engine_order(s: Any, t: Any) -> Any:
    """The claimant's tiles in the engine's order, uint8 (MAX_TRICKS,)."""
    order = np.zeros(MAX_TRICKS, np.uint8)
    hand = s.hands[s.cur]
    n = 0
    while hand != ZERO:
        tile = best_remaining(hand, t, s.decl)
        order[n] = tile
        n += 1
        mask = bit(tile)
        hand &= ~(mask if hand & mask != ZERO else bit(tile + t.n_types))
    return order


@kernel
def claim_holds(s: Any, t: Any, order: Any) -> Any:
    """Depth-first over every line of the other players; `s` is left as it was."""
    claimant = s.cur
    base = s.n_plays
    choices = np.zeros(MAX_PLAYS + 1, np.uint64)
    words = np.zeros((MAX_PLAYS + 1, N_WORDS), np.uint64)
    numbers = np.zeros((MAX_PLAYS + 1, N_NUMBERS), np.int64)
    safe = np.zeros(MEMO, np.uint64)
    choices[0] = replies(s, t, claimant, order)
    holds = True
    while True:
        depth = s.n_plays - base
        if choices[depth] == ZERO:  # every line from here holds
            if s.pos == 0:
                remember(safe, s, t)
            if depth == 0:
                break
            undo(s, t, words[depth - 1], numbers[depth - 1])
            continue
        tile = lowest(choices[depth])
        choices[depth] &= choices[depth] - ONE
        save(s, t, tile, words[depth], numbers[depth])
        place_tile(s, t, tile, False)
        verdict = -1
        if s.pos == s.in_trick:
            take_trick(s, t)
            verdict = decided(s, t)
        if verdict == 0:
            holds = False
            break
        known = verdict == 1 or (s.pos == 0 and recall(safe, s, t))
        choices[depth + 1] = ZERO if known else replies(s, t, claimant, order)
    while s.n_plays > base:
        depth = s.n_plays - base
        undo(s, t, words[depth - 1], numbers[depth - 1])
    return holds


@kernel
def replies(s: Any, t: Any, claimant: Any, order: Any) -> Any:
    """Types the seat to move may play; the claimant plays the first legal tile of his order."""
    tiles = types_of(legal_tiles(s, t), t)
    if s.cur != claimant:
        return tiles
    for tile in order:
        if tiles & bit(tile) != ZERO:
            return bit(tile)
    return tiles


@kernel
def position_key(s: Any, t: Any) -> Any:
    """A key of the hands, the leader and the points taken, never 0."""
    key = combine(s.taken[t.side[s.bidder]], s.cur)
    key = combine(key, s.won[t.side[s.bidder]])
    for seat in range(t.n_seats):
        key = combine(key, s.hands[seat])
    return key | ONE


@kernel
def remember(safe: Any, s: Any, t: Any) -> None:
    """Note that every line from this position holds."""
    key = position_key(s, t)
    safe[key & np.uint64(MEMO - 1)] = key


@kernel
def recall(safe: Any, s: Any, t: Any) -> Any:
    """Whether this position is known to hold."""
    key = position_key(s, t)
    return safe[key & np.uint64(MEMO - 1)] == key


@kernel
def save(s: Any, t: Any, tile: Any, words: Any, numbers: Any) -> None:
    """Keep what `place_tile` and `take_trick` change."""
    words[0], words[1], words[2] = s.hands[s.cur], s.cannot[s.cur], s.played
    numbers[0], numbers[1], numbers[2], numbers[3] = s.cur, s.leader, s.suit, s.best
    numbers[4], numbers[5], numbers[6] = s.best_seat, s.pos, s.trick_points
    numbers[7], numbers[8] = s.n_plays, s.n_tricks
    for side in range(t.n_sides):
        numbers[9 + side] = s.taken[side]
        numbers[17 + side] = s.won[side]


@kernel
def undo(s: Any, t: Any, words: Any, numbers: Any) -> None:
    """Take back one play."""
    s.cur, s.leader, s.suit, s.best = numbers[0], numbers[1], numbers[2], numbers[3]
    s.best_seat, s.pos, s.trick_points = numbers[4], numbers[5], numbers[6]
    s.n_plays, s.n_tricks = numbers[7], numbers[8]
    s.hands[s.cur], s.cannot[s.cur], s.played = words[0], words[1], words[2]
    for side in range(t.n_sides):
        s.taken[side] = numbers[9 + side]
        s.won[side] = numbers[17 + side]
    s.plays[s.n_plays] = 0
    s.players[s.n_plays] = 0
