"""Legal actions and the one way to apply an action: everything above the engine goes through these."""

from typing import Any

import numpy as np

from texas42.envs.engine.auction import (
    call,
    choose_widow,
    declare,
    discard,
    late_special,
    legal_calls,
    legal_declarations,
    legal_discards,
    legal_late_specials,
)
from texas42.envs.engine.bits import ONE, ZERO, bit, has, lowest, nth_bit, popcount, put_mask, scale
from texas42.envs.engine.claims import claim, engine_order, may_claim
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.play import legal_low_leads, legal_tiles, play_tile, types_of
from texas42.envs.engine.state import AUCTION, DECLARE, DISCARD, OVER, PLAY, WIDOW

NO_BASE = np.int32(0)


@kernel
def legal_words(s: Any, t: Any) -> Any:
    """The legal actions as ``(base, first, next_base, second)``: bit i of `first` is action ``base + i``."""
    if s.phase == PLAY:
        tiles = types_of(legal_tiles(s, t), t)
        extra = ZERO
        if s.pos == 0:
            if t.low_tiles[s.decl] != ZERO:
                extra = legal_low_leads(s, t, tiles)
            if t.laydown != 0 and may_claim(s, t):
                extra |= bit(t.claim - t.base_low)
        return t.base_tile, tiles, t.base_low, extra
    if s.phase == AUCTION:
        return NO_BASE, legal_calls(s, t), t.base_decl, ZERO
    if s.phase == DECLARE:
        return NO_BASE, legal_late_specials(s, t), t.base_decl, legal_declarations(s, t)
    if s.phase == DISCARD:
        return t.base_discard, types_of(legal_discards(s, t), t), t.base_tile, ZERO
    if s.phase == WIDOW:
        return t.base_take, ONE | bit(1), t.base_discard, ZERO
    return NO_BASE, ZERO, t.base_decl, ZERO


@kernel
def is_legal(s: Any, t: Any, action: Any) -> Any:
    """Whether `action` is legal for the seat to move."""
    base, first, next_base, second = legal_words(s, t)
    if action >= base and action < base + 64 and has(first, action - base):
        return True
    return action >= next_base and action < next_base + 64 and has(second, action - next_base)


@kernel
def n_legal(s: Any, t: Any) -> Any:
    """Number of legal actions."""
    _, first, _, second = legal_words(s, t)
    return popcount(first) + popcount(second)


@kernel
def nth_legal(s: Any, t: Any, n: Any) -> Any:
    """The `n`-th legal action in id order, counted from 0."""
    base, first, next_base, second = legal_words(s, t)
    count = popcount(first)
    if n < count:
        return base + nth_bit(first, n)
    return next_base + nth_bit(second, n - count)


@kernel
def random_legal(s: Any, t: Any, word: Any) -> Any:
    """A legal action chosen by a random word; uniform up to n / 2^32."""
    base, first, next_base, second = legal_words(s, t)
    count = popcount(first)
    n = scale(word, count + popcount(second))
    if n < count:
        return base + nth_bit(first, n)
    return next_base + nth_bit(second, n - count)


@kernel
def write_mask(s: Any, t: Any, seat: Any, out: Any) -> None:
    """The action mask of `seat` into `out` (int8, n_actions): all zero unless it is to move."""
    for i in range(t.n_actions):
        out[i] = 0
    if s.cur != seat or s.phase == OVER:
        return
    base, first, next_base, second = legal_words(s, t)
    put_mask(out, base, first, min(64, t.n_actions - base))
    while second != ZERO:
        out[next_base + lowest(second)] = 1
        second &= second - ONE


@kernel
def apply(s: Any, t: Any, action: Any) -> None:
    """Apply a legal action. Nothing is checked here: the shells refuse illegal ones before."""
    s.hand_over = 0
    if s.phase == PLAY:
        if action < t.base_low:
            play_tile(s, t, action - t.base_tile, False)
        elif action == t.claim:
            claim(s, t, engine_order(s, t))
        else:
            play_tile(s, t, t.low_tile[action - t.base_low], True)
    elif s.phase == AUCTION:
        call(s, t, action)
    elif s.phase == DECLARE:
        if action < t.base_decl:
            late_special(s, t, action)
        else:
            declare(s, t, action - t.base_decl)
    elif s.phase == DISCARD:
        discard(s, t, action - t.base_discard)
    elif s.phase == WIDOW:
        choose_widow(s, t, action - t.base_take)


@kernel
def apply_claim(s: Any, t: Any, order: Any) -> None:
    """A claim with the claimant's stated order (uint8, MAX_TRICKS)."""
    s.hand_over = 0
    claim(s, t, order)
