"""Auctions of the other games on the engine: Geezer, Moon, 84, 72, the Big Game, 140 and three to seven players."""

import pytest

from support.auctions import calls_after, count_auctions, points
from support.table import Spec, Table
from texas42.envs.rules.rules import Rules

PLAIN_GEEZER = "7-6 7-5 7-4 7-3 7-2 7-1 6-5 6-4 6-3"
GEEZER_OPENING = {"PASS", "M1", "M2", "C51"} | points(39, 53)


@pytest.mark.parametrize(("preset", "opening"), [
    ("eighty_four", points(60, 82, 2)), ("eighty_four_6", points(60, 86, 2)), ("eighty_four_7", points(60, 84, 2)),
    ("seventy_two", points(40, 71)), ("big_game", points(42, 65)), ("one_forty", points(100, 135, 5)),
    ("three_handed", points(30, 41)), ("players_2", points(30, 41)), ("players_5", points(30, 39)),
    ("players_6", points(30, 38)), ("players_7", points(30, 38)),
])  # fmt: skip
def test_opening_calls_of_a_game(preset: str, opening: set[str]) -> None:
    """d.59, d.61, d.78, d.86, d.91, c.9, c.15.2: point bids below the hand total, and one or two marks."""
    assert calls_after(preset) == opening | {"PASS", "M1", "M2"}


@pytest.mark.parametrize(("preset", "number"), [
    ("eighty_four", 15), ("seventy_two", 35), ("big_game", 27), ("one_forty", 11), ("players_5", 13),
    ("players_6", 12), ("players_7", 12), ("moon", 6),
])  # fmt: skip
def test_number_of_opening_calls(preset: str, number: int) -> None:
    """d.59, d.61, d.69, d.78, d.86, d.91."""
    assert len(calls_after(preset)) == number


@pytest.mark.parametrize(("spec", "total"), [
    ("n42pa", 42), ("moon", 7), ("geezer", 54), ("big_game", 66), ("one_forty", 140), ("seventy_two", 72),
    ({"preset": "seventy_two", "widow_points": 0}, 70), ("eighty_four", 84), ("eighty_four_6", 88),
    ({"preset": "eighty_four_6", "kitty": "unused", "trick_value": 1, "min_bid": 50, "bid_step": 1}, 79),
    ("eighty_four_7", 86), ("three_handed", 44), ("players_2", 49), ("players_5", 40), ("players_6", 39),
    ("players_7", 39), ({"preset": "players_2", "two_seats_each": True}, 42),
    ({"preset": "moon", "players": 4}, 7),
])  # fmt: skip
def test_points_of_a_hand(spec: Spec, total: int) -> None:
    """d.59, d.61, d.72, d.78, d.85, d.89, d.91, c.9, c.10.1, f.2.2 `trick_value`."""
    assert Table(spec).rules.total == total


def test_72_without_widow_points_has_a_shorter_ladder() -> None:
    """c.10.1: the ladder then ends at P69."""
    legal = calls_after({"preset": "seventy_two", "widow_points": 0})
    assert "P69" in legal
    assert "P70" not in legal


def test_moon_calls() -> None:
    """d.69: shooting over needs a MOON, and ends the auction."""
    assert calls_after("moon") == {"PASS", "P4", "P5", "P6", "P7", "MOON"}
    assert calls_after("moon", "MOON") == {"PASS", "SHOOT_OVER"}
    assert calls_after("moon", "P7") == {"PASS", "MOON"}
    table = Table("moon").play("MOON SHOOT_OVER")
    assert (table.phase, table.mover, int(table.state.n_calls)) == ("discard", 2, 2)


def test_number_of_complete_moon_auctions() -> None:
    """d.69: 63, or 56 if 21 ended the auction."""
    assert count_auctions("moon") == 63
    assert count_auctions("moon", ends=lambda call: call == "MOON") == 56


def test_moon_throws_in_when_all_pass() -> None:
    """c.11.4, and the forced four where the house wants it."""
    assert Table("moon").play("PASS PASS PASS").phase == "over"
    assert calls_after({"preset": "moon", "all_pass": "forced_last"}, "PASS PASS") == {
        "P4", "P5", "P6", "P7", "MOON"
    }  # fmt: skip


def geezer_after(calls: str = "", caller: str = PLAIN_GEEZER) -> set[str]:
    return calls_after("geezer", calls, caller)


def test_geezer_opening_calls() -> None:
    """d.72: M1 stands between P45 and P46, C51 at P51."""
    assert geezer_after() == GEEZER_OPENING
    assert len(GEEZER_OPENING) == 19
    assert geezer_after("M1") == {"PASS", "M2", "C51"} | points(46, 53)
    assert geezer_after("P45") == {"PASS", "M1", "M2", "C51"} | points(46, 53)
    assert geezer_after("P46") == {"PASS", "M2", "C51"} | points(47, 53)
    assert geezer_after("C51") == {"PASS", "M2", "P52", "P53"}
    assert geezer_after("M2") == {"PASS", "M3"}


def test_geezer_water_bids() -> None:
    """d.73, f.3.11: three doubles dip, four dive, five plunge, over marks one more than they."""
    others = "7-6 7-5 7-4 7-3"
    water = {"DIP", "DIVE", "PLUNGE"}
    assert geezer_after("", f"0-0 1-1 {others}") & water == set()
    assert geezer_after("", f"0-0 1-1 2-2 {others}") & water == {"DIP"}
    assert geezer_after("", f"0-0 1-1 2-2 3-3 {others}") & water == {"DIP", "DIVE"}
    assert geezer_after("", f"0-0 1-1 2-2 3-3 4-4 {others}") & water == water
    for calls, bid, marks in (("", "DIP", 2), ("", "DIVE", 3), ("", "PLUNGE", 4), ("M2", "DIP", 3), ("M1", "DIP", 2)):
        seat = 1 + len(calls.split())
        table = Table("geezer", {seat: f"0-0 1-1 2-2 3-3 4-4 {others}"}).play(f"{calls} {bid}")
        assert int(table.state.marks) == marks, (calls, bid)


def test_geezer_dip_lets_the_partner_name_trump_and_lead() -> None:
    """c.12: as plunge; `special_leader=bidder` is the other custom."""
    for leads, leader in (("namer", 3), ("bidder", 1)):
        held = {1: "0-0 1-1 2-2 7-6 7-5 7-4 7-3 7-2 7-1"}
        table = Table({"preset": "geezer", "special_leader": leads}, held).play("DIP PASS PASS PASS")
        assert (table.phase, table.mover) == ("declare", 3)
        assert table.legal == {"DBL", "NT-high"} | {f"PIP{t}" for t in range(8)}
        assert table.play("PIP4").mover == leader


def test_geezer_fourth_after_three_passes() -> None:
    """d.77: he may not pass; ASK and TWO39 are his."""
    assert geezer_after("PASS PASS PASS") == (GEEZER_OPENING | {"ASK", "TWO39"}) - {"PASS"}
    assert not geezer_after("PASS PASS") & {"ASK", "TWO39"}
    assert not geezer_after("PASS P39 PASS") & {"ASK", "TWO39"}
    asked = Table("geezer").play("PASS PASS PASS ASK")
    assert (asked.mover, asked.play("PIP4").mover) == (2, 2)
    named = Table("geezer").play("PASS PASS PASS TWO39")
    assert (named.mover, named.play("PIP4").mover) == (0, 0)


def test_geezer_declarations() -> None:
    """c.12: nello on marks only, 27 of them; C51 makes count trump."""
    trumps = {"DBL", "NT-high"} | {f"PIP{t}" for t in range(8)}
    assert Table("geezer").play("P39 PASS PASS PASS").legal == trumps
    nello = {f"NELLO-{q}{low}" for q in ("high", "own", "low") for low in ("", *(f"-L{p}" for p in range(8)))}
    assert len(nello) == 27
    assert Table("geezer").play("M1 PASS PASS PASS").legal == trumps | nello
    assert Table("geezer").play("C51 PASS PASS PASS").legal == {"COUNT"}


def test_big_game_bids_in_rounds_until_one_is_left() -> None:
    """d.84: a player who passed is not asked again."""
    table = Table("big_game", shaker=0)
    asked = []
    for call in ["P42", "PASS", "P43", "PASS", "P44", "PASS"]:
        asked.append(table.mover)
        table.play(call)
    assert asked == [1, 2, 3, 0, 1, 3]
    assert (table.phase == "auction", int(table.state.bidder)) == (False, 1)


def test_big_game_marks_after_points() -> None:
    """c.13: the first multiple at most 132, then 66 more at a time, capped at seven."""
    assert calls_after("big_game", "P65") == {"PASS", "M1", "M2"}
    table = Table("big_game").play("M2 M3 M4 M5 M6 M7")
    assert table.legal == {"PASS"}


def test_big_game_last_caller_must_bid() -> None:
    """c.13.1."""
    assert "PASS" not in calls_after("big_game", "PASS PASS PASS")
    assert Table("big_game").play("PASS PASS PASS P42").phase != "auction"
    thrown = {"preset": "big_game", "all_pass": "throw_in_next"}
    assert Table(thrown).play("PASS PASS PASS PASS").phase == "over"


def test_140_marks_rise_by_one() -> None:
    """d.86: 280 may open; over it only 420."""
    assert calls_after("one_forty", "M2") == {"PASS", "M3"}
    assert calls_after("one_forty", "P135") == {"PASS", "M1", "M2"}


def test_rounds_in_the_standard_game() -> None:
    """b.2 `calls`: until one is left, with a cap."""
    rules = Rules.preset("n42pa").replace(calls="until_one_left", max_marks_cap=3)
    table = Table(rules, shaker=0).play("P30 P31 PASS PASS P32")
    assert (table.phase, table.mover) == ("auction", 2)
    assert table.play("PASS").phase == "declare"
    assert int(table.state.bidder) == 1
    assert Table(rules).play("PASS PASS PASS PASS").phase == "over"
    assert Table(rules).play("PASS PASS PASS P30").phase == "declare"
