"""Claims: laying down the rest of the hand (RULES.md c.17, f.3.13)."""

from typing import Any

import numpy as np

from texas42.envs.engine.bits import ONE, ZERO, bit, combine, lowest, popcount
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.play import (
    follows_closeness,
    legal_tiles,
    place_tile,
    take_trick,
    types_of,
    verdict,
)
from texas42.envs.engine.score import finish_hand
from texas42.envs.engine.state import MAX_PLAYS, MAX_TRICKS
from texas42.envs.rules.declarations import LOPER, N_SUITS, NELLO
from texas42.envs.rules.tables import LAYDOWN_OFF, LAYDOWN_PROVED

MEMO = 1 << 16
PATIENCE = 1 << 20
"""Plays after which the search for a line that sets a claim gives up: what is not shown by then does not hold."""
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
    """Depth-first over the lines of the other players, the most dangerous first; `s` is left as it was."""
    claimant = s.cur
    base = s.n_plays
    choices = np.zeros(MAX_PLAYS + 1, np.uint64)
    words = np.zeros((MAX_PLAYS + 1, N_WORDS), np.uint64)
    numbers = np.zeros((MAX_PLAYS + 1, N_NUMBERS), np.int64)
    safe = np.zeros(MEMO, np.uint64)
    choices[0] = open_replies(s, t, claimant, order, safe)
    holds = True
    patience = PATIENCE
    while True:
        depth = s.n_plays - base
        if choices[depth] == ZERO:  # every line from here holds
            if s.pos == 0:
                remember(safe, s, t)
            if depth == 0:
                break
            undo(s, t, words[depth - 1], numbers[depth - 1])
            continue
        tile = most_dangerous(s, t, choices[depth])
        choices[depth] &= ~bit(tile)
        save(s, t, tile, words[depth], numbers[depth])
        place_tile(s, t, tile, False)
        known = -1
        if s.pos == s.in_trick:
            take_trick(s, t)
            known = verdict(s, t, s.n_tricks == t.hand_size)
        patience -= 1
        if known == 0 or patience == 0:
            holds = False
            break
        choices[depth + 1] = ZERO if known == 1 else open_replies(s, t, claimant, order, safe)
    while s.n_plays > base:
        depth = s.n_plays - base
        undo(s, t, words[depth - 1], numbers[depth - 1])
    return holds


@kernel
def open_replies(s: Any, t: Any, claimant: Any, order: Any, safe: Any) -> Any:
    """Types worth trying for the seat to move: none where the position is known to hold."""
    if s.pos == 0 and (recall(safe, s, t) or (s.cur == claimant and runs(s, t, order))):
        return ZERO
    tiles = types_of(legal_tiles(s, t), t)
    if s.cur == claimant:
        return first_legal(tiles, order)
    if follows_closeness(s.decl, t):  # tiles at the same distance are interchangeable (a.8)
        return tiles & ~(tiles - ONE)
    return tiles


@kernel
def first_legal(tiles: Any, order: Any) -> Any:
    """The claimant plays the first legal tile of his order (f.3.13)."""
    for tile in order:
        if tiles & bit(tile) != ZERO:
            return bit(tile)
    return tiles


@kernel
def most_dangerous(s: Any, t: Any, tiles: Any) -> Any:
    """Of some types the one to try first: winning the trick for the opponents, else count where it hurts."""
    best = -1
    best_key = -1000
    while tiles != ZERO:
        tile = lowest(tiles)
        tiles &= tiles - ONE
        key = danger(s, t, tile)
        if key > best_key:
            best, best_key = tile, key
    return best


@kernel
def danger(s: Any, t: Any, tile: Any) -> Any:
    """How promising a play is against the claim; only the order of the search depends on it."""
    side = t.side[s.bidder]
    if s.pos == 0:
        return np.int64(t.power[s.decl, t.lead_suit[s.decl, tile], tile])
    power = np.int64(t.power[s.decl, s.suit, tile])
    if power > s.best:
        return -200 - power if t.side[s.cur] == side else 200 + power
    count = np.int64(t.count[tile])
    return -count if t.side[s.best_seat] == side else count


@kernel
def runs(s: Any, t: Any, order: Any) -> Any:
    """Whether the claimant, on lead, surely wins every trick until the contract is secured.

    No tile of another hand that may still be there when his tile is led beats it. Each lead of a suit draws one
    tile of it from every hand that has one, so the k-th lead finds no hand of fewer than k.
    """
    kind = t.decl_kind[s.decl]
    if verdict(s, t, False) == 0 or kind == NELLO or (t.opening_trump == 1 and s.n_tricks == 0):
        return False
    side = t.side[s.bidder]
    points = s.marks == 0 and kind != LOPER
    lost = s.n_tricks - s.won[side]
    taken = s.taken[side]
    led = np.zeros(N_SUITS, np.int64)
    hand = s.hands[s.cur]
    tricks = 0
    for tile in order:
        if hand == ZERO or (points and taken >= t.call_need[s.call]):
            break
        if kind == LOPER and lost + popcount(hand) <= 1:
            return True
        mask = hand & (bit(tile) | bit(tile + t.n_types)) if t.copies == 2 else hand & bit(tile)
        if mask == ZERO:
            continue
        if may_lose(s, t, tile, led, tricks):
            return False
        led[t.lead_suit[s.decl, tile]] += 1
        tricks += 1
        taken += t.trick_value + t.count[tile]
        hand &= ~bit(lowest(mask))
    if points and hand == ZERO:  # every trick is his, and with it what the others still hold
        taken += count_of_others(s, t)
    return not points or taken >= t.call_need[s.call]


@kernel
def count_of_others(s: Any, t: Any) -> Any:
    """Count in the hands of those who play, but for the seat to move."""
    count = np.int64(0)
    for seat in range(t.n_seats):
        if seat == s.cur or (s.sits_out >> seat) & 1 == 1:
            continue
        hand = s.hands[seat]
        while hand != ZERO:
            count += np.int64(t.count[lowest(hand) % t.n_types])
            hand &= hand - ONE
    return count


@kernel
def may_lose(s: Any, t: Any, tile: Any, led: Any, tricks: Any) -> Any:
    """Whether another hand may hold and play a tile that beats `tile`, led after `tricks` leads (`led` by suit)."""
    suit = t.lead_suit[s.decl, tile]
    own = t.power[s.decl, suit, tile]
    for seat in range(t.n_seats):
        if seat == s.cur or (s.sits_out >> seat) & 1 == 1:
            continue
        hand = s.hands[seat]
        must_follow = popcount(hand & t.follow[s.decl, suit]) > tricks
        rest = hand
        while rest != ZERO:
            mask = rest & ~(rest - ONE)
            other = lowest(rest) % t.n_types
            rest &= rest - ONE
            if t.power[s.decl, suit, other] + t.ties_last <= own:
                continue
            if must_follow and mask & t.follow[s.decl, suit] == ZERO:
                continue
            if not drawn(t, s.decl, hand, mask, led):
                return True
    return False


@kernel
def drawn(t: Any, decl: Any, hand: Any, mask: Any, led: Any) -> Any:
    """Whether leads have surely drawn a tile: of one of its suits as many were led as the hand held."""
    for suit in range(N_SUITS):
        members = t.follow[decl, suit]
        if mask & members != ZERO and led[suit] >= popcount(hand & members):
            return True
    return False


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
