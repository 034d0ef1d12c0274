"""A `Rules` compiled to one record of small arrays, sized for the largest game, that kernels look things up in."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.rules import ladder as calls
from texas42.envs.rules.codec import Codec, build_codec
from texas42.envs.rules.declarations import (
    N_SUITS,
    SEVENS,
    TRUMP,
    allowed,
    announced_low,
    power,
    suits,
)
from texas42.envs.rules.ladder import next_calls
from texas42.envs.rules.layout import PIECES, build_layout
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import MAX_INSTANCES, TILE_ENDS, tile_count

MAX_ROWS = 64

THROW_NEXT, THROW_SAME, FORCED_LAST = range(3)
MARKS, POINTS, SIGNED = range(3)
WIDOW_NONE, WIDOW_SWAP, WIDOW_CHOICE, WIDOW_DECLARE_FIRST = range(4)
DISCARD_ANY, DISCARD_NO_COUNT, DISCARD_PLAIN = range(3)
LOW_LEADS, LOW_FIRST_TRICK = range(2)
LAYDOWN_OFF, LAYDOWN_PROVED, LAYDOWN_CLAIM = range(3)
BIDDER_FIRST, HIGHER, BIDDER_ONLY = range(3)
VISIBLE_ALL, BY_MARKS, MARKS_ONE_STACK, TWO_MARKS_ONE_STACK, TWO_STACKS, ONE_STACK, NO_STACK = range(7)

_SCALARS = (
    "n_seats",
    "n_sides",
    "n_types",
    "copies",
    "n_deck",
    "hand_size",
    "widow_size",
    "n_calls",
    "n_decls",
    "base_decl",
    "base_discard",
    "base_tile",
    "base_low",
    "claim",
    "base_take",
    "n_actions",
    "max_marks",
    "all_pass",
    "forced_exact",
    "min_call",
    "until_one_left",
    "one_zero_opens",
    "special_jump",
    "special_after",
    "namer_leads",
    "sevens_need_seven",
    "opening_trump",
    "low_mode",
    "early_end",
    "total",
    "trick_value",
    "scoring",
    "target",
    "win_by_two",
    "tie_rule",
    "sweep_bonus",
    "keep_points",
    "set_sweep_bid_only",
    "bidder_loses",
    "ties_last",
    "widow_use",
    "discard_rule",
    "widow_points",
    "laydown",
    "laydown_game",
    "visibility",
    "two_seats",
    "width",
    "hidden_width",
)

TABLES = np.dtype(
    [
        *((name, np.int32) for name in _SCALARS),
        ("side", np.int32, 8),  # side of a seat (f.2.7)
        ("deck_mask", np.uint64),
        ("count", np.uint8, MAX_INSTANCES),  # by tile type
        ("doubles", np.uint64),  # instance masks
        ("seven_pips", np.uint64),
        ("one_zero", np.uint64),
        ("count_tiles", np.uint64),
        ("low_tile", np.uint8, MAX_INSTANCES),  # tile of the i-th announced low lead
        ("low_index", np.uint8, MAX_INSTANCES),  # its inverse
        ("call_kind", np.uint8, MAX_ROWS),
        ("call_need", np.int32, MAX_ROWS),
        ("call_marks", np.int32, MAX_ROWS),
        ("call_value", np.int32, MAX_ROWS),
        ("call_base", np.uint8, MAX_ROWS),
        ("call_doubles", np.uint8, MAX_ROWS),
        ("call_partner", np.uint8, MAX_ROWS),
        ("call_ends", np.uint8, MAX_ROWS),
        ("next_calls", np.uint64, MAX_ROWS),  # rows legal over a standing row, PASS included
        ("specials", np.uint64),
        ("forced_calls", np.uint64),
        ("marks_row", np.uint8, MAX_ROWS),  # row of M(m)
        ("decls", np.uint64, MAX_ROWS),  # declarations after a call
        ("last_decls", np.uint64, MAX_ROWS),  # the same for a last caller after all others passed
        ("decl_kind", np.uint8, MAX_ROWS),
        ("sevens", np.uint64),  # mask of declarations that need a tile of seven pips
        ("lead_suit", np.uint8, (MAX_ROWS, MAX_INSTANCES)),
        ("low_suit", np.int8, (MAX_ROWS, MAX_INSTANCES)),
        ("low_tiles", np.uint64, MAX_ROWS),  # types whose low end may be announced
        ("follow", np.uint64, (MAX_ROWS, N_SUITS)),  # instances that follow a suit
        ("power", np.uint8, (MAX_ROWS, N_SUITS, MAX_INSTANCES)),  # by tile type
        ("trumps", np.uint64, MAX_ROWS),
        ("distance", np.uint64, 16),  # instances at distance k from seven pips
        ("piece_at", np.int32, len(PIECES)),  # of each observation piece
        ("piece_size", np.int32, len(PIECES)),
    ],
    align=True,
)

Tables = Any
"""One record of `TABLES`."""


@lru_cache(maxsize=256)
def compile_tables(rules: Rules) -> npt.NDArray[Any]:
    """The tables of some rules: a read-only recarray of shape (1,); kernels take its element 0."""
    array = np.zeros(1, TABLES).view(np.recarray)
    codec = build_codec(rules)
    table = array[0]
    _fill_frame(table, rules, codec)
    _fill_parameters(table, rules)
    _fill_tiles(table, rules, codec)
    _fill_calls(table, rules, codec)
    _fill_declarations(table, rules, codec)
    _fill_layout(table, rules, codec)
    array.flags.writeable = False
    return array


def _fill_frame(t: Tables, rules: Rules, codec: Codec) -> None:
    setup = rules.setup
    t.n_seats, t.n_sides = rules.seats, rules.sides
    t.side[: rules.seats] = [rules.side_of(seat) for seat in range(rules.seats)]
    t.n_types, t.copies, t.n_deck = rules.n_types, rules.game.copies, len(rules.deck)
    t.hand_size, t.widow_size = setup.hand, setup.widow
    t.n_calls, t.n_decls = len(codec.ladder), len(codec.declarations)
    t.base_decl, t.base_discard, t.base_tile, t.base_low = codec.bases[1:]
    t.claim, t.n_actions = codec.claim, codec.n_actions
    t.base_take = codec.bases[1] + len(codec.declarations)


def _fill_parameters(t: Tables, rules: Rules) -> None:
    game = rules.game
    t.max_marks = rules.max_marks_cap or 1000
    t.all_pass = ("throw_in_next", "throw_in_same", "forced_last").index(rules.all_pass)
    t.forced_exact = rules.forced_bid == "exactly_min"
    t.until_one_left = rules.calls == "until_one_left"
    t.one_zero_opens = rules.opening_bidder == "holder_of_1_0"
    t.special_jump, t.special_after = rules.special_jump, rules.special_declared_at == "after"
    t.namer_leads, t.sevens_need_seven = rules.special_leader == "namer", rules.sevens_need_seven
    t.opening_trump = rules.opening_lead_must_be_trump
    t.low_mode = LOW_FIRST_TRICK if rules.lead_low_end == "first_trick" else LOW_LEADS
    t.early_end, t.total, t.trick_value = rules.early_end == "decided", rules.total, rules.trick_value
    t.scoring = ("marks", "points", "signed_points").index(rules.scoring)
    t.target, t.win_by_two = rules.target, rules.win_by_two
    t.tie_rule = ("bidder_first_then_higher", "higher", "bidder_only").index(rules.tie_rule)
    t.sweep_bonus, t.keep_points = rules.forced_sweep_bonus, rules.defenders_keep_points_when_made
    t.set_sweep_bid_only = rules.set_award_sweep == "bid_only"
    t.bidder_loses, t.ties_last = rules.set_award_solo == "bidder_loses", rules.identical_tiles == "last_played"
    unused = rules.kitty == "unused" or not rules.setup.widow
    t.widow_use = 0 if unused else ("none", "swap", "choice", "declare_first").index(game.widow_use)
    t.discard_rule = ("any", "no_count", "plain").index(game.discard_rule)
    t.widow_points = rules.widow_points
    t.laydown = ("off", "proved", "claim").index(rules.laydown)
    t.laydown_game = rules.laydown_penalty == "game"
    t.visibility = (
        "all",
        "by_marks",
        "mark_bids_one_stack",
        "two_marks_one_stack",
        "two_stacks",
        "one_stack",
        "none",
    ).index(rules.won_tricks_visibility)
    t.two_seats = rules.two_seats_each


def _fill_layout(t: Tables, rules: Rules, codec: Codec) -> None:
    layout = build_layout(rules, codec)
    for i, name in enumerate(PIECES):
        t.piece_at[i], t.piece_size[i] = layout.pieces[name].start, layout.pieces[name].size
    t.width, t.hidden_width = layout.width, layout.hidden_width


def _instances(rules: Rules) -> list[np.uint64]:
    """By tile type, the bit mask of its instances that are dealt."""
    n_types = rules.n_types
    return [np.uint64(sum(1 << i for i in rules.deck if i % n_types == tile)) for tile in range(n_types)]


def _fill_tiles(t: Tables, rules: Rules, codec: Codec) -> None:
    t.deck_mask = np.uint64(sum(1 << i for i in rules.deck))
    for tile, mask in enumerate(_instances(rules)):
        high, low = TILE_ENDS[tile]
        t.count[tile] = tile_count(tile, rules.game.count_sums)
        t.doubles |= mask if high == low else np.uint64(0)
        t.seven_pips |= mask if high + low == 7 else np.uint64(0)
        t.one_zero |= mask if (high, low) == (1, 0) else np.uint64(0)
        t.count_tiles |= mask if t.count[tile] else np.uint64(0)
        t.distance[abs(high + low - 7)] |= mask
    for i, tile in enumerate(codec.low_tiles):
        t.low_tile[i], t.low_index[tile] = tile, i


def _mask(rows: list[int]) -> np.uint64:
    return np.uint64(sum(1 << i for i in rows))


def _fill_calls(t: Tables, rules: Rules, codec: Codec) -> None:
    rows = list(codec.ladder)
    for i, row in enumerate(rows):
        t.call_kind[i], t.call_need[i], t.call_marks[i] = row.kind, row.need, row.marks
        t.call_value[i], t.call_base[i], t.call_doubles[i] = row.value, row.base, row.doubles
        t.call_partner[i], t.call_ends[i] = row.partner_names, row.ends_auction
        t.next_calls[i] = _mask(next_calls(rules, rows, row))
        if row.kind == calls.MARKS:
            t.marks_row[row.marks] = i
    t.specials = _mask([i for i, r in enumerate(rows) if r.kind == calls.SPECIAL and r.offered])
    t.forced_calls = _mask([i for i, r in enumerate(rows) if r.kind == calls.FORCED])
    t.min_call = next(i for i, r in enumerate(rows) if r.kind == calls.POINTS and r.offered)


def _fill_declarations(t: Tables, rules: Rules, codec: Codec) -> None:
    instances = _instances(rules)
    for d, declaration in enumerate(codec.declarations):
        t.decl_kind[d] = declaration.kind
        if declaration.kind == SEVENS and rules.sevens_need_seven:
            t.sevens |= np.uint64(1 << d)
        lead_suit, low_suit, follow, powers = t.lead_suit[d], t.low_suit[d], t.follow[d], t.power[d]
        for tile, mask in enumerate(instances):
            of_tile = suits(rules, declaration, tile)
            lead_suit[tile] = of_tile[0]
            low_suit[tile] = announced_low(rules, declaration, tile)
            if low_suit[tile] >= 0:
                t.low_tiles[d] |= np.uint64(1 << tile)
            for suit in of_tile:
                follow[suit] |= mask
            powers[:, tile] = [power(rules, declaration, suit, tile) for suit in range(N_SUITS)]
        t.trumps[d] = follow[TRUMP]
    for i, row in enumerate(codec.ladder):
        for last, field in ((False, t.decls), (True, t.last_decls)):
            options = [d for d, dec in enumerate(codec.declarations) if allowed(rules, row, dec, last)]
            field[i] = _mask(options)


