"""Auctions on the engine: worked examples of RULES.md (d) on what may be called, and how many auctions there are."""

import pytest

from support.auctions import calls_after, count_auctions, points
from support.table import Table
from texas42.envs.rules.rules import Rules

PLAIN = "6-5 6-4 6-3 6-2 6-1 5-4 5-3"
THREE_DOUBLES = "6-6 5-5 0-0 4-2 3-1 2-0 1-0"
FOUR_DOUBLES = "6-6 5-5 0-0 3-3 3-1 2-0 1-0"


OPENING = {"PASS", "M1", "M2"} | points(30, 41)


def test_opening_calls_and_what_follows() -> None:
    """d.22."""
    assert len(calls_after("n42pa")) == 15
    assert calls_after("n42pa") == OPENING
    assert calls_after("n42pa", "P30") == OPENING - {"P30"}
    assert calls_after("n42pa", "P41") == {"PASS", "M1", "M2"}
    assert calls_after("n42pa", "M1") == {"PASS", "M2"}
    assert calls_after("n42pa", "M2") == {"PASS", "M3"}


def test_marks_rise_one_at_a_time() -> None:
    """d.23."""
    assert calls_after("n42pa", "M2 PASS") == {"PASS", "M3"}


def test_four_players_reach_five_marks_at_most() -> None:
    """d.24."""
    assert calls_after("n42pa", "M2 M3 M4") == {"PASS", "M5"}
    table = Table("n42pa").play("M2 M3 M4 M5")
    assert (table.phase, table.mover) == ("declare", 0)


def test_three_marks_cannot_open() -> None:
    """a.13: whatever stands below the marks."""
    for calls in ("", "PASS", "P30", "P41"):
        assert "M3" not in calls_after("n42pa", calls)


def test_the_last_caller_must_bid_where_the_dealer_is_forced() -> None:
    """d.25."""
    three = "PASS PASS PASS"
    assert calls_after("seed_marks", three) == OPENING - {"PASS"}
    assert len(OPENING - {"PASS"}) == 14
    exactly = Rules.preset("seed_marks").replace(forced_bid="exactly_min")
    assert calls_after(exactly, three) == {"P30"}
    assert calls_after("seed_marks", "PASS P30 PASS") == OPENING - {"P30"}


@pytest.mark.parametrize(("all_pass", "next_shaker"), [("throw_in_next", 1), ("throw_in_same", 0)])
def test_all_pass_throws_the_hand_in(all_pass: str, next_shaker: int) -> None:
    """d.25, b.2 `all_pass`."""
    rules = Rules.preset("n42pa").replace(all_pass=all_pass)
    table = Table(rules, shaker=0, scores=[3, 2], episode="game").play("PASS PASS PASS PASS")
    assert (table.phase, int(table.state.shaker), table.scores) == ("auction", next_shaker, [3, 2])
    assert (table.delta, int(table.state.hand_no)) == ([0, 0], 1)
    once = Table(rules).play("PASS PASS PASS PASS")
    assert (once.phase, once.made, once.delta) == ("over", None, [0, 0])


@pytest.mark.parametrize(("cap", "auctions"), [(1, 2380), (2, 3060), (3, 3196), (4, 3213), (5, 3214)])
def test_number_of_complete_auctions(cap: int, auctions: int) -> None:
    """d.26: each with a throw-in, and one less where the last caller is forced."""
    assert count_auctions({"preset": "n42pa", "max_marks_cap": cap}) == auctions
    assert count_auctions({"preset": "seed_marks", "max_marks_cap": cap}) == auctions - 1


def test_uncapped_auctions_are_those_capped_at_five() -> None:
    """a.13, d.26."""
    assert count_auctions("n42pa") == 3214
    assert count_auctions("seed_marks") == 3213


def test_a_bid_must_be_higher_than_the_standing_one() -> None:
    """d.27."""
    legal = calls_after("n42pa", "P33")
    assert "P33" not in legal
    assert "P34" in legal


def test_doubles_of_the_hand_open_splash_and_plunge() -> None:
    """d.45, b.4 `splash`, `plunge`."""
    assert calls_after("open", "", THREE_DOUBLES) - OPENING == {"SPLASH"}
    assert calls_after("open", "", FOUR_DOUBLES) - OPENING == {"SPLASH", "PLUNGE"}
    assert calls_after("open", "", PLAIN) == OPENING
    assert calls_after("seed_marks", "", FOUR_DOUBLES) == OPENING


@pytest.mark.parametrize(("calls", "special", "marks"), [
    ("P38", "PLUNGE", 4), ("M2 M3 M4", "PLUNGE", 5), ("M2 M3", "SPLASH", 4), ("", "SPLASH", 3),
    ("M2", "SPLASH", 3),
])  # fmt: skip
def test_value_of_splash_and_plunge(calls: str, special: str, marks: int) -> None:
    """d.46: the base, or one more than the standing marks."""
    seat = (1 + len(calls.split())) % 4
    table = Table("open", {seat: FOUR_DOUBLES}).play(f"{calls} {special}")
    assert int(table.state.marks) == marks


def test_over_a_plunge_only_one_more_mark() -> None:
    """d.49."""
    table = Table("open", {1: FOUR_DOUBLES, 2: "4-4 2-2 1-1 6-5"}).play("PLUNGE")
    assert table.legal == {"PASS", "M5", "SPLASH"}
    assert int(table.play("SPLASH").state.marks) == 5


def test_specials_without_jump() -> None:
    """f.3.7 `special_jump`: only where their value could be called plainly."""
    rules = Rules.preset("open").replace(special_jump=False)
    specials = {"SPLASH", "PLUNGE"}
    assert calls_after(rules, "", FOUR_DOUBLES) & specials == set()
    assert calls_after(rules, "M2", FOUR_DOUBLES) & specials == {"SPLASH"}
    assert calls_after(rules, "M2 M3", FOUR_DOUBLES) & specials == specials
    assert calls_after(rules.replace(splash_marks=2), "", FOUR_DOUBLES) & specials == {"SPLASH"}


def test_the_cap_bounds_every_mark_bid() -> None:
    """b.2 `max_marks_cap`, f.2.4, f.1 `spruce`."""
    assert calls_after("spruce", "M2") == {"PASS"}
    rules = Rules.preset("open").replace(max_marks_cap=3)
    assert calls_after(rules, "", FOUR_DOUBLES) - OPENING == {"SPLASH"}
    table = Table(rules, {1: THREE_DOUBLES, 2: "4-4 3-3 2-2 1-1"}).play("SPLASH")
    assert table.legal == {"PASS"}


def test_raises_of_up_to_two_marks() -> None:
    """f.2.4 `mark_raise`, `max_opening_marks`."""
    two = Rules.preset("n42pa").replace(mark_raise="plus_up_to_two")
    assert calls_after(two, "M1") == {"PASS", "M2", "M3"}
    assert calls_after(two, "M2 M4") == {"PASS", "M5", "M6"}
    assert calls_after(two.replace(max_marks_cap=4), "M1 M3") == {"PASS", "M4"}
    high = Rules.preset("n42pa").replace(max_opening_marks=4)
    assert calls_after(high) == OPENING | {"M3", "M4"}
    assert calls_after(high, "P41") == {"PASS", "M1", "M2", "M3", "M4"}
    assert calls_after(high, "M1") == {"PASS", "M2"}


def test_holder_of_1_0_opens() -> None:
    """d.92, f.3.6."""
    order = {}
    for opener in ("holder_of_1_0", "left_of_shaker"):
        table = Table({"preset": "n42pa", "opening_bidder": opener}, {3: "1-0"}, shaker=0)
        seats = []
        while table.phase == "auction":
            seats.append(table.mover)
            table.play("PASS")
        order[opener] = seats
    assert order == {"holder_of_1_0": [3, 0, 1, 2], "left_of_shaker": [1, 2, 3, 0]}
    three = Table({"preset": "three_handed", "opening_bidder": "holder_of_1_0"}, shaker=1)
    assert three.mover == 2  # c.16.5: 1-0 is not in play
    two_sets = {"preset": "eighty_four", "opening_bidder": "holder_of_1_0"}
    for holders, first in (((2, 6), 6), ((2, 4), 2), ((4, 4), 4)):  # clockwise from seat 5
        held = dict.fromkeys(holders, "1-0" if len(set(holders)) == 2 else "1-0 1-0")
        assert Table(two_sets, held, shaker=4).mover == first
    widow = Table({"preset": "big_game", "opening_bidder": "holder_of_1_0"}, widow="1-0", shaker=2)
    assert widow.mover == 3
