"""Set-up, calls and declarations of every game, written out by hand from RULES.md (a.2, c.1, c.9 to c.16, f.3)."""

from collections import Counter
from typing import NamedTuple

import pytest

from support.auctions import calls_after, points
from support.table import Spec, Table, trick_of
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules


class Game(NamedTuple):
    """One row of the set-up tables of section (c)."""

    seats: int
    sides: int
    hand: int
    widow: int
    highest: int
    copies: int
    removed: str
    in_count: int
    total: int
    trumps: str


BLANKS = "1-0 2-0 3-0 4-0 5-0 6-0"
FOUR_42 = Game(4, 2, 7, 0, 6, 1, "", 35, 42, "0123456")
GAMES = {
    **dict.fromkeys(("n42pa", "seed_marks", "seed_points", "spruce", "casual", "open"), FOUR_42),
    "eighty_four": Game(8, 2, 7, 0, 6, 2, "", 70, 84, "0123456"),
    "eighty_four_6": Game(6, 2, 9, 2, 6, 2, "", 70, 88, "0123456"),
    "eighty_four_7": Game(7, 7, 8, 0, 6, 2, "", 70, 86, "0123456"),
    "seventy_two": Game(4, 2, 10, 2, 6, 2, f"0-0 {BLANKS}", 60, 72, "123456"),
    "moon": Game(3, 3, 7, 1, 6, 1, BLANKS, 0, 7, "0123456"),
    "geezer": Game(4, 2, 9, 0, 7, 1, "", 45, 54, "01234567"),
    "big_game": Game(4, 2, 11, 1, 8, 1, "", 55, 66, "012345678"),
    "one_forty": Game(6, 3, 9, 1, 9, 1, "", 95, 140, "0123456789"),
    "three_handed": Game(3, 3, 9, 0, 6, 1, "1-0", 35, 44, "0123456"),
    "players_2": Game(2, 2, 14, 0, 6, 1, "", 35, 49, "0123456"),
    "players_5": Game(5, 5, 5, 0, 6, 1, "1-0 2-0 3-0", 35, 40, "0123456"),
    "players_6": Game(6, 6, 4, 0, 6, 1, "1-0 2-0 3-0 4-0", 35, 39, "0123456"),
    "players_7": Game(7, 7, 4, 0, 6, 1, "", 35, 39, "0123456"),
}
LOWEST = {
    "eighty_four": "P60", "eighty_four_6": "P60", "eighty_four_7": "P60", "seventy_two": "P40", "moon": "P4",
    "geezer": "P39", "big_game": "P42", "one_forty": "P100",
}  # fmt: skip
DOUBLES = {"SPLASH", "PLUNGE"}
FORCED = sorted(set(GAMES) - {"n42pa", "casual", "moon", "geezer"})


def lowest(preset: str) -> str:
    return LOWEST.get(preset, "P30")


def declaring(spec: Spec, bid: str) -> Table:
    """The table at which seat 0, having won with `bid`, declares; a widow is left, or any tiles discarded."""
    table = Table(spec, shaker=-1 % Table(spec).rules.seats).play(bid)
    while table.phase == "auction":
        table.play("PASS")
    while table.phase != "declare":
        table.play("LEAVE" if table.phase == "widow" else min(table.legal).replace(" ", ":"))
    return table


def test_every_preset_is_written_out_here() -> None:
    assert set(GAMES) == set(PRESETS)


@pytest.mark.parametrize("preset", GAMES)
def test_tiles_hands_and_widow(preset: str) -> None:
    """a.2, c.1, c.9 to c.16: the set, what is left out of it, and who gets how many."""
    row = GAMES[preset]
    tiles = {f"{a}-{b}": row.copies for a in range(row.highest + 1) for b in range(a + 1)}
    for tile in row.removed.split():
        del tiles[tile]
    table = Table(preset)
    hands = [table.hand(seat) for seat in range(table.rules.seats)]
    assert [len(hand) for hand in hands] == [row.hand] * row.seats
    dealt = Counter(tile for hand in hands for tile in hand)
    left = Counter(tiles) - dealt
    assert dealt + left == Counter(tiles)
    assert left.total() == row.widow == int(table.state.widow).bit_count()


@pytest.mark.parametrize("preset", GAMES)
def test_sides_count_and_total(preset: str) -> None:
    """a.9, c: teams alternate around the table, or everybody plays alone; count and points of a hand."""
    row, table = GAMES[preset], Table(preset)
    assert table.rules.total == row.total
    assert [int(table.game.tables.side[seat]) for seat in range(row.seats)] == [
        seat % row.sides for seat in range(row.seats)
    ]
    assert sum(int(table.game.tables.count[i % table.rules.n_types]) for i in table.rules.deck) == row.in_count


@pytest.mark.parametrize("preset", GAMES)
def test_calls_go_round_once_from_the_left_of_the_shaker(preset: str) -> None:
    """b.1 `opening_bidder`, a.13: clockwise, one call each; in the Big Game, too, if nobody bids before the last."""
    table, callers = Table(preset, shaker=1), []
    while table.phase == "auction":
        callers.append(table.mover)
        table.play("PASS" if "PASS" in table.legal else lowest(preset))
    assert callers == [(2 + i) % GAMES[preset].seats for i in range(GAMES[preset].seats)]


@pytest.mark.parametrize("preset", FORCED)
def test_the_last_caller_must_bid_the_minimum_or_more(preset: str) -> None:
    """b.2 `all_pass`, `forced_bid`, c.9, c.10.8, c.13.1, c.14.4, c.15.7, f.1."""
    passes = " ".join(["PASS"] * (GAMES[preset].seats - 1))
    free, forced = calls_after(preset) - DOUBLES, calls_after(preset, passes) - DOUBLES
    assert forced == free - {"PASS"}
    assert lowest(preset) in forced
    exactly = Rules.preset(preset).replace(forced_bid="exactly_min")
    assert calls_after(exactly, passes) == {lowest(preset)}
    thrown = Rules.preset(preset).replace(all_pass="throw_in_next")
    assert calls_after(thrown, passes) - DOUBLES == free
    assert Table(thrown).play(f"{passes} PASS").phase == "over"


@pytest.mark.parametrize("preset", GAMES)
def test_trumps_that_may_be_named(preset: str) -> None:
    """c.1, c.9, c.10, c.11, c.12, c.14: every pip of the set, doubles, no trump; no doubles in Moon, no PIP0 in 72."""
    trumps = {f"PIP{pip}" for pip in GAMES[preset].trumps} | {"NT-high"}
    if preset != "moon":
        trumps |= {"DBL"}
    assert declaring(preset, lowest(preset)).legal - {"LOPER"} == trumps


@pytest.mark.parametrize("preset", GAMES)
def test_the_bid_winner_leads_any_tile(preset: str) -> None:
    """c.1, c.9 to c.14: trick 1 is his, whoever shook, and the lead is free."""
    table = declaring(preset, lowest(preset)).play("PIP3")
    while table.phase == "discard":
        table.play(min(table.legal).replace(" ", ":"))
    assert (table.phase, table.mover) == ("play", 0)
    assert {tile for tile in table.legal if "/" not in tile} == set(table.hand(0))


def test_least_bid_and_step() -> None:
    """b.2 `min_bid`, `bid_step`: 31 in some houses, fives in 140."""
    rules = Rules.preset("n42pa").replace(min_bid=31)
    assert calls_after(rules) == {"PASS", "M1", "M2"} | points(31, 41)
    assert calls_after(rules.replace(bid_step=5)) == {"PASS", "M1", "M2", "P31", "P36", "P41"}
    assert calls_after(rules.replace(bid_step=5), "P36") == {"PASS", "M1", "M2", "P41"}


def test_points_game_bids() -> None:
    """c.2: P30 to P41, 42, 84, then one hand total more at a time."""
    assert calls_after("seed_points") == {"PASS", "M1", "M2"} | points(30, 41)
    assert calls_after("seed_points", "M2") == {"PASS", "M3"}


def test_one_mark_opens_at_most_where_the_house_says() -> None:
    """f.2.4 `max_opening_marks`: 1 keeps M2 for those who overbid."""
    rules = Rules.preset("n42pa").replace(max_opening_marks=1)
    assert calls_after(rules, "P41") == {"PASS", "M1"}
    assert calls_after(rules, "M1") == {"PASS", "M2"}


def test_players_who_can_only_pass_are_asked() -> None:
    """f.3.2, f.3.4: PASS alone is an action; only over SHOOT_OVER nobody is asked."""
    table, asked = Table("spruce", shaker=0).play("M2"), []
    while table.phase == "auction":
        assert table.legal == {"PASS"}
        asked.append(table.mover)
        table.play("PASS")
    assert asked == [2, 3, 0]


@pytest.mark.parametrize(("bid", "declaration"), [("C51", "COUNT"), ("P39", "PIP7")])
def test_a_single_declaration_is_an_action(bid: str, declaration: str) -> None:
    """f.3.2, c.12: COUNT is declared although nothing else may be."""
    table = declaring("geezer", bid)
    assert (table.legal == {declaration}) is (bid == "C51")
    assert table.play(declaration).phase == "play"


def test_geezer_points_over_points_and_marks_at_the_top() -> None:
    """c.12: over P53 only two marks, and over them one more at a time."""
    plain = "7-6 7-5 7-4 7-3 7-2 7-1 6-5 6-4 6-3"
    assert calls_after("geezer", "P53", plain) == {"PASS", "M2"}
    assert calls_after("geezer", "M2 M3", plain) == {"PASS", "M4"}


def test_140_calls_over_one_mark() -> None:
    """c.14: M2 may be bid while nobody has bid it; then one mark more."""
    assert calls_after("one_forty", "M1") == {"PASS", "M2"}
    assert calls_after("one_forty", "P100") == {"PASS", "M1", "M2"} | points(105, 135, 5)


def test_four_player_moon_calls_as_three() -> None:
    """c.11.8, f.2.7: bids 4 to 7, no doubles as trump, teams 0, 2 and 1, 3."""
    spec: Spec = {"preset": "moon", "players": 4}
    assert calls_after(spec) == {"PASS", "P4", "P5", "P6", "P7", "MOON"}
    table = declaring(spec, "P4")
    assert table.legal == {"NT-high"} | {f"PIP{pip}" for pip in range(7)}
    assert [int(table.game.tables.side[seat]) for seat in range(4)] == [0, 1, 0, 1]


def test_two_sides_of_two_seats_each() -> None:
    """f.2.2, c.16.2: everything is as in the four-hand game."""
    two, four = Table({"preset": "players_2", "two_seats_each": True}, shaker=0), Table("seed_marks", shaker=0)
    for word in ("PASS", "P30", "P31", "PASS", "PIP6"):
        assert (two.legal, two.mover) == (four.legal, four.mover)
        two.play(word)
        four.play(word)
    assert (two.phase, two.mover, two.legal) == ("play", four.mover, four.legal)


def test_a_high_draw_is_a_random_shaker() -> None:
    """b.1 `first_shaker`: the same distribution, so the same games."""
    one, other = (BatchedGame({"preset": "n42pa", "first_shaker": how}, 20) for how in ("random", "high_draw"))
    one.reset(seed=3)
    other.reset(seed=3)
    assert one.states.tobytes() == other.states.tobytes()


@pytest.mark.parametrize(("preset", "declaration", "plays", "value"), [
    ("moon", "NT-high", "5-5 6-4 5-3", 1), ("geezer", "NT-high", "7-3 7-7 7-6 7-5", 11),
    ("big_game", "NT-high", "8-7 8-8 8-6 8-5", 1), ("big_game", "NT-high", "8-2 8-8 6-4 5-0", 26),
    ("seventy_two", "NT-high", "5-5 5-5 4-1 6-4", 36), ("eighty_four_6", "NT-high", "5-0 5-0 1-1 2-2 3-3 4-4", 12),
    ("three_handed", "NT-high", "5-5 5-0 5-1", 16), ("players_2", "NT-high", "5-5 5-4", 11),
])  # fmt: skip
def test_points_of_a_trick(preset: str, declaration: str, plays: str, value: int) -> None:
    """a.9, c.9 to c.13: fives and tens and the trick itself; Moon has no count, 8-7 is none."""
    bid = "P4" if preset == "moon" else "M1"
    assert trick_of(preset, declaration, plays, bid).trick_points == [value]
