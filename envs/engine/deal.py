"""Dealing: the deal of a hand is a pure function of (seed, row, episode, hand), never of what was played."""

from typing import Any

import numpy as np

from texas42.envs.engine.bits import (
    ONE,
    ZERO,
    around,
    below,
    combine,
    mix,
    multiply,
    multiply_high,
    nth_bit_mask,
    stream,
)
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.state import AUCTION, MAX_PLAYS

SHAKER_SALT = 0x5EED
TILES_A_WORD = 7
MAX_WORD = (1 << 64) - 1


@kernel
def hand_key(s: Any) -> Any:
    """The random key of the current hand."""
    return combine(combine(combine(s.seed, s.row), s.episode), s.hand_no)


@kernel
def draw_tiles(pool: Any, left: Any, k: Any, word: Any) -> Any:
    """`k` of the `left` tiles in `pool`, exactly uniform from one random word.

    The word is read as a number in mixed radix; a leftover that would favour some tiles is drawn again
    (Brackett-Rozinsky and Lemire 2024).
    """
    while True:
        taken, rest, fraction, bound = ZERO, pool, word, ONE
        for i in range(k):
            n = np.uint64(left - i)
            tile = nth_bit_mask(rest, multiply_high(fraction, n))
            fraction = multiply(fraction, n)
            bound = multiply(bound, n)
            taken |= tile
            rest ^= tile
        if fraction >= bound or fraction >= (np.uint64(MAX_WORD) - bound + ONE) % bound:
            return taken
        word = mix(word)


@kernel
def deal_tiles(s: Any, t: Any) -> None:
    """Fill `hands` and `widow`, uniformly over all ordered partitions of the deck (a.2)."""
    key = hand_key(s)
    pool = t.deck_mask
    left = t.n_deck
    draws = 0
    for seat in range(t.n_seats):
        hand = pool
        if left > t.hand_size:
            hand = ZERO
            need = t.hand_size
            while need > 0:
                k = min(need, TILES_A_WORD)
                hand |= draw_tiles(pool & ~hand, left, k, stream(key, draws))
                draws += 1
                left -= k
                need -= k
        s.hands[seat] = hand
        pool &= ~hand
    s.widow = pool


@kernel
def open_hand(s: Any, t: Any) -> None:
    """Start the auction with the tiles that lie in `hands` and `widow`."""
    for i in range(MAX_PLAYS):
        s.plays[i] = 0
        s.players[i] = 0
    for seat in range(t.n_seats):
        s.dealt[seat] = s.hands[seat]
        s.cannot[seat] = ZERO
        s.taken[seat] = 0
        s.won[seat] = 0
    s.played = s.discards = s.shown = ZERO
    s.phase = AUCTION
    s.n_calls = s.passed = s.high = s.call = s.marks = s.last = s.special = 0
    s.bidder = s.namer = s.decl = s.leader = s.suit = s.best_seat = -1
    s.best = s.sits_out = s.pos = s.trick_points = s.n_plays = s.n_tricks = 0
    s.low_leads = s.n_discards = s.widow_choice = s.claimed = 0
    s.in_trick = t.n_seats
    s.made = -1
    s.opener = opening_seat(s, t)
    s.cur = s.opener


@kernel
def opening_seat(s: Any, t: Any) -> Any:
    """Who calls first: left of the shaker, or the first holder of 1-0 from there (f.3.6)."""
    left = s.shaker + 1
    if left == t.n_seats:
        left = 0
    if t.one_zero_opens == 1:
        for i in range(t.n_seats):
            seat = around(left + i, t.n_seats)
            if s.hands[seat] & t.one_zero != ZERO:
                return seat
    return left


@kernel
def start_hand(s: Any, t: Any) -> None:
    """Deal the next hand and open its auction."""
    deal_tiles(s, t)
    open_hand(s, t)


@kernel
def start_episode(s: Any, t: Any, seed: Any, row: Any, episode: Any, whole_game: Any) -> None:
    """Begin episode `episode` of row `row`: scores at zero, the shaker drawn from the seed, the first deal."""
    s.seed, s.row, s.episode, s.hand_no = seed, row, episode, ZERO
    s.whole_game = whole_game
    s.throw_ins = s.winners = s.done = s.hand_over = 0
    for side in range(t.n_sides):
        s.scores[side] = 0
        s.delta[side] = 0
    s.shaker = below(stream(hand_key(s), SHAKER_SALT), t.n_seats, 0)
    start_hand(s, t)
