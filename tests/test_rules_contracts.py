"""Contracts whose rules RULES.md states in a sentence of its own: who may call them, who leads, what sets them."""

import pytest

from support.auctions import calls_after
from support.rulebook import section_text
from support.table import Spec, Table
from texas42.envs.engine import claims
from texas42.envs.rules.rules import Rules

PLAIN = "6-5 6-4 6-3 6-2 6-1 5-4 5-3"
THREE_DOUBLES = "6-6 5-5 0-0 4-2 3-1 2-0 1-0"
FOUR_DOUBLES = "6-6 5-5 0-0 3-3 3-1 2-0 1-0"
FIVE_DOUBLES = "0-0 1-1 2-2 3-3 4-4 7-6 7-5 7-4 7-3"
TRUMPS = {"DBL", "NT-high"} | {f"PIP{pip}" for pip in range(7)}
POINTS = Rules.preset("open").replace(scoring="points", early_end="play_all", target=250)


def declarations(rules: Spec, calls: str, held: str = "") -> set[str]:
    """What the winner may declare; seat 1, who calls first, holds `held`."""
    table = Table(rules, {1: held} if held else {}, shaker=0).play(calls)
    assert table.phase == "declare"
    return table.legal


# ---------------------------------------------------------------------- nello


def test_the_winner_of_a_nello_trick_leads_and_the_partner_is_passed_over() -> None:
    """c.3, a.12: declarer 1, partner 3: seat 2 wins and leads, then 0 and 1 follow."""
    rules = Rules.preset("open").replace(early_end="play_all")
    table = Table(rules).contract("M1", "NELLO-high", bidder=1)
    table.hold("4-0 5-5", "1-0 3-3", "1-1 6-5", "2-2 2-1").lead_from(1).play("1-0 1-1 4-0")
    assert (table.trick_winners, table.mover) == ([2], 2)
    order = []
    for tile in ("6-5", "5-5", "3-3"):
        order.append(table.mover)
        table.play(tile)
    assert order == [2, 0, 1]


def test_a_nello_partner_keeps_his_tiles() -> None:
    """c.3: he sits out, tiles face down and unplayed, to the end of the hand."""
    table = Table("open", {1: "0-0 1-0 2-0 3-0 4-0 5-0 1-1"}, shaker=0).play("M1 PASS PASS PASS NELLO-high")
    before = table.hand(3)
    while table.phase == "play":
        assert table.mover != 3
        table.play(min(table.legal))
    assert (table.hand(3), len(before)) == (before, 7)


def test_nello_of_the_last_caller_at_one_or_two_marks() -> None:
    """c.3: `forced_last_only`, M1 or M2."""
    rules = Rules.preset("seed_marks").replace(nello="forced_last_only", nello_doubles=["high"])
    for bid in ("M1", "M2"):
        assert declarations(rules, f"PASS PASS PASS {bid}") == TRUMPS | {"NELLO-high"}
    two = rules.replace(nello_min_marks=2)
    assert declarations(two, "PASS PASS PASS M1") == TRUMPS
    assert declarations(two, "PASS PASS PASS M2") == TRUMPS | {"NELLO-high"}


def test_nello_in_points_needs_a_bid_of_42() -> None:
    """c.2.4: allowed at 42 or more only."""
    rules = Rules.preset("seed_points").replace(nello="any", nello_doubles=["own"])
    assert declarations(rules, "P41 PASS PASS PASS") == TRUMPS
    assert declarations(rules, "M1 PASS PASS PASS") == TRUMPS | {"NELLO-own"}


def test_nello_is_named_after_the_auction() -> None:
    """c.3.2: the bid is plain marks, and nothing in the auction tells."""
    assert not {call for call in calls_after("open") if call.startswith("NELLO")}
    table = Table("open").contract("M2", "NELLO-low")
    assert table.game.codec.ladder[int(table.state.call)].name == "M2"


@pytest.mark.parametrize(("preset", "idle", "players"), [
    ("geezer", {2}, 3), ("eighty_four_6", {2, 4}, 4), ("eighty_four", {2, 4, 6}, 5), ("eighty_four_7", set(), 7),
    ("three_handed", set(), 3), ("players_5", set(), 5), ("players_2", set(), 2),
])  # fmt: skip
def test_all_team_mates_sit_out_in_nello(preset: str, idle: set[int], players: int) -> None:
    """c.9, c.12, c.15.6, c.16: the declarer's team but for himself; nobody where there are no teams."""
    rules = Rules.preset(preset).replace(nello="any")
    table = Table(rules).contract("M1", "NELLO-high")
    assert {seat for seat in range(rules.seats) if table.state.sits_out >> seat & 1} == idle
    assert (int(table.state.in_trick), table.mover) == (players, 0)


# ---------------------------------------------------------------------- splash, plunge and water bids


@pytest.mark.parametrize(("change", "special", "marks"), [
    ({"splash_marks": 2}, "SPLASH", 2), ({"splash_marks": 3}, "SPLASH", 3), ({"plunge_marks": 2}, "PLUNGE", 2),
    ({"plunge_marks": 3}, "PLUNGE", 3), ({"plunge_marks": 4}, "PLUNGE", 4),
])  # fmt: skip
def test_base_value_of_splash_and_plunge(change: dict[str, object], special: str, marks: int) -> None:
    """b.4 `splash_marks`, `plunge_marks`, c.4.1, c.5: as the house says; one more than a standing M2 at least."""
    rules = Rules.preset("open").replace(**change)
    assert int(Table(rules, {1: FOUR_DOUBLES}).play(special).state.marks) == marks
    over = Table(rules, {2: FOUR_DOUBLES}).play(f"M2 {special}")
    assert int(over.state.marks) == max(marks, 3)


def test_over_a_splash_one_more_mark() -> None:
    """c.4: later players may raise by one mark, and no point bid is left."""
    table = Table("open", {1: THREE_DOUBLES, 2: PLAIN}).play("SPLASH")
    assert table.legal == {"PASS", "M4"}


def test_a_splash_is_a_sweep_for_its_marks() -> None:
    """c.4: made by the side, partner's tricks included; one lost trick sets it."""
    for tricks, winner, delta in (([0, 6], 3, [0, 3]), ([0, 6], 0, [3, 0])):
        table = Table("open", {1: THREE_DOUBLES}).play("SPLASH PASS PASS PASS PIP4").so_far([0, 41], tricks)
        hands = ["1-0", "2-0", "3-0", "5-0"]
        hands[winner] = "4-4"
        table.hold(*hands).lead_from(winner)
        table.play(" ".join(hands[(winner + i) % 4] for i in range(4)))
        assert (table.phase, table.delta) == ("over", delta)


def test_no_splash_after_a_plain_bid() -> None:
    """c.4.4: with `special_declared_at=bid` the declarations after M2 are the plain ones."""
    rules = Rules.preset("open").replace(nello="off", sevens="off", splash_marks=2, plunge_marks=2)
    assert declarations(rules, "M2 PASS PASS PASS", FOUR_DOUBLES) == TRUMPS


def test_late_specials_need_doubles_and_marks() -> None:
    """f.3.7: enough doubles, and at least the base value in marks."""
    rules = Rules.preset("open").replace(
        special_declared_at="after", splash_marks=2, plunge_marks=3, nello="off", sevens="off"
    )
    for held, bid, offered in (
        (PLAIN, "M2", set()),
        (THREE_DOUBLES, "M1", set()),
        (THREE_DOUBLES, "M2", {"SPLASH"}),
        (FOUR_DOUBLES, "M2", {"SPLASH"}),
    ):
        assert declarations(rules, f"{bid} PASS PASS PASS", held) == TRUMPS | offered
    table = Table(rules, {1: FOUR_DOUBLES}, shaker=3).play("M2 M3 PASS PASS")
    assert table.legal == TRUMPS | {"SPLASH", "PLUNGE"}
    assert (table.play("PLUNGE").mover, int(table.state.marks)) == (3, 3)


@pytest.mark.parametrize(("bid", "marks"), [("DIP", 2), ("DIVE", 3), ("PLUNGE", 4)])
def test_geezer_water_bids_are_sweeps_named_and_led_by_the_partner(bid: str, marks: int) -> None:
    """c.12: the partner names trump and leads; one lost trick costs the marks bid."""
    for winner, delta in ((3, [0, marks]), (0, [marks, 0])):
        table = Table("geezer", {1: FIVE_DOUBLES}, shaker=0).play(f"{bid} PASS PASS PASS")
        assert (table.phase, table.mover) == ("declare", 3)
        assert table.play("PIP4").mover == 3
        hands = ["1-0", "2-0", "3-0", "5-0"]
        hands[winner] = "4-4"
        table.so_far([0, 53], [0, 8]).hold(*hands).lead_from(winner)
        table.play(" ".join(hands[(winner + i) % 4] for i in range(4)))
        assert (table.phase, table.delta) == ("over", delta)


def test_geezer_water_bids_need_no_more_than_their_doubles() -> None:
    """c.12.7: with five doubles all three are open; a water bid leaves no nello to the partner."""
    table = Table("geezer", {1: FIVE_DOUBLES}, shaker=0)
    assert {"DIP", "DIVE", "PLUNGE"} <= table.legal
    table.play("DIP PASS PASS PASS")
    assert table.legal == {"DBL", "NT-high"} | {f"PIP{pip}" for pip in range(8)}


# ---------------------------------------------------------------------- closeness play


@pytest.mark.parametrize(("bid", "declaration"), [("M1", "SEVENS"), ("P30", "LOPER")])
def test_the_winner_of_the_auction_leads_in_closeness_play(bid: str, declaration: str) -> None:
    """c.6, c.7: whoever shook and whoever is closest to seven."""
    for bidder in range(4):
        assert Table("open").contract(bid, declaration, bidder).mover == bidder


def test_after_a_lost_trick_its_winner_leads_on_in_loper() -> None:
    """c.7: and the second loss sets it."""
    table = Table("open").contract("P30", "LOPER")
    table.hold("6-6 5-5", "4-3 0-0", "1-0 1-1", "2-0 2-1").lead_from(0).play("5-5 4-3 1-1 2-1")
    assert (table.trick_winners, table.mover, table.phase) == ([1], 1, "play")
    table.play("0-0 1-0 2-0 6-6")
    assert (table.trick_winners, table.made) == ([1, 3], False)


def test_loper_is_off_by_default_and_for_any_point_bid() -> None:
    """c.7: any of P30 to P41 will do, and no mark bid."""
    for bid in ("P30", "P35", "P41"):
        assert "LOPER" in declarations("open", f"{bid} PASS PASS PASS")
        assert "LOPER" not in declarations("seed_marks", f"{bid} PASS PASS PASS")
    assert "LOPER" not in declarations("open", "M1 PASS PASS PASS")


@pytest.mark.parametrize(("bid", "declaration", "before", "made"), [
    ("M1", "SEVENS", [8, 0, 0], False), ("P30", "LOPER", [8, 0, 0], True), ("P30", "LOPER", [7, 1, 0], False),
])  # fmt: skip
def test_alone_the_bidder_himself_must_win(bid: str, declaration: str, before: list[int], made: bool) -> None:
    """f.3.12: without teams the bidder's side is the bidder."""
    rules = Rules.preset("three_handed").replace(sevens="any", loper="on")
    table = Table(rules).contract(bid, declaration).so_far(before, before)
    table.hold("5-5", "2-0", "4-3").lead_from(0).play("5-5 2-0 4-3")
    assert (table.made, table.delta) == (made, [1, 0, 0] if made else [0, 1, 1])


def test_loper_in_points_scores_what_each_side_took() -> None:
    """c.7: set as usual, the bid and the points taken."""
    table = Table(POINTS).contract("P31", "LOPER").so_far([25, 10], [4, 2])
    assert table.hold("6-6", "4-3", "1-0", "1-1").play("6-6 4-3 1-0 1-1").delta == [0, 31 + 11]


def test_sevens_hands_stay_private() -> None:
    """f.3.14, which replaces c.6.3: nothing of the other hands is shown when SEVENS is declared."""
    shown = []
    for third in ("5-2 5-0", "6-6 6-5"):
        table = Table("open", {0: "4-3 6-1", 2: third}, shaker=3).play("M1 PASS PASS PASS SEVENS")
        shown.append(table.game.observe([0])[0][0].tobytes())
    assert shown[0] == shown[1]


# ---------------------------------------------------------------------- widows


def test_140_count_in_the_widow_is_taken_and_other_tiles_go() -> None:
    """c.14.1: without a choice; the discard is another tile and no count."""
    held = "5-5 9-9 9-8 8-8 8-6 7-7 6-6 4-4 3-3"
    table = Table("one_forty", {0: held}, widow="9-6", shaker=5).play("P100" + " PASS" * 5)
    assert table.phase == "discard"
    assert "9-6" in table.hand(0)
    assert table.legal == {f"DISCARD {tile}" for tile in held.split() if tile != "5-5"}


def test_widows_are_seen_before_the_choice() -> None:
    """c.13, c.14.3: the winner, and only he, sees the widow when he is asked TAKE or LEAVE."""
    for preset, shaker, bid in (("big_game", 3, "P42"), ("one_forty", 5, "P100")):
        table = Table(preset, {0: "8-8"}, widow="0-0", shaker=shaker).play(f"{bid} {'PASS ' * shaker}")
        assert table.phase == "widow"
        view = table.game.views([0])[0]
        assert int(view.widow) == int(table.state.widow) != 0
        assert int(table.game.views([1])[0].widow) == 0


def test_72_face_down_discards_of_count_and_plain_tiles() -> None:
    """c.10: only a trump is turned up; count goes to the opponents unseen."""
    held = "4-4 4-4 6-4 6-4 4-1 4-1 4-2 4-3 5-4 5-5"
    for discarded, shown, points in (("3-2", 0, [2, 5]), ("6-4", 1, [2, 10])):
        table = Table("seventy_two", {0: held}, widow="3-2 6-6", shaker=3)
        table.play(f"P50 PASS PASS PASS PIP4 DISCARD:{discarded} DISCARD:6-6")
        assert (int(table.state.shown).bit_count(), table.points) == (shown, points)


# ---------------------------------------------------------------------- claims


def three_left(mine: str, left: str, partner: str, right: str) -> Table:
    rules = Rules.preset("n42pa").replace(laydown="claim")
    table = Table(rules).contract("M1", "NT-high").so_far([20, 0], [4, 0])
    return table.hold(mine, left, partner, right).lead_from(0)


def test_a_claim_must_survive_the_partners_play_too() -> None:
    """c.17: the partner may take 6-5 with 6-6 and lead 1-0 into 1-1; without that line it holds."""
    mine = "6-5 5-5 4-4"
    assert three_left(mine, "1-1 2-0 3-0", "6-6 6-4 1-0", "2-1 3-1 2-2").claim(mine).made is False
    assert three_left(mine, "1-1 2-0 3-0", "6-3 6-4 1-0", "2-1 3-1 2-2").claim(mine).made is True


@pytest.mark.parametrize(("bid", "declaration", "mine", "lost", "offered"), [
    ("P30", "LOPER", "4-3 5-2 6-6", 0, True), ("P30", "LOPER", "4-3 5-2 6-6", 1, False),
    ("P30", "LOPER", "4-3 5-2 6-1", 1, True), ("P30", "LOPER", "4-3 6-6 5-5", 0, False),
    ("M1", "SEVENS", "4-3 5-2 6-1", 0, True), ("M1", "SEVENS", "4-3 5-2 6-6", 0, False),
])  # fmt: skip
def test_a_proved_claim_in_closeness_play(bid: str, declaration: str, mine: str, lost: int, offered: bool) -> None:
    """f.3.13: a lead at distance 0 beats whatever follows; loper is secured once one trick at most can be lost."""
    rules = Rules.preset("open").replace(laydown="proved")
    table = Table(rules).contract(bid, declaration).so_far([4 - lost, lost], [4 - lost, lost])
    table.hold(mine, "6-5 6-4 4-4", "1-0 2-0 3-0", "1-1 2-2 0-0").lead_from(0)
    assert ("CLAIM" in table.legal) is offered


def test_a_claim_not_shown_by_the_search_is_invalid() -> None:
    """f.3.13: this claim holds, but it takes more than 2^20 plays (1,289,184 in the engine's order) to show it."""
    assert claims.PATIENCE == 1 << 20
    assert "2^20 plays" in section_text("f")
    hands = [
        "1-0 3-0 4-0 4-3 4-4 6-0 6-1", "4-2 5-0 5-4 6-2 6-4 6-5 6-6",
        "0-0 2-1 2-2 3-2 5-1 5-2 5-5", "1-1 2-0 3-1 3-3 4-1 5-3 6-3",
    ]  # fmt: skip
    table = Table({"preset": "open", "laydown": "claim"}, hands, shaker=2).play("P30 P31 P32 P33 PIP2 CLAIM")
    assert (table.made, table.delta) == (False, [0, 1])


def test_a_claim_earns_no_sweep_bonus() -> None:
    """f.3.9: the bonus is for every trick taken, and a claim ends the hand before that."""
    rules = Rules.preset("seed_marks").replace(forced_sweep_bonus=2, laydown="claim")
    table = Table(rules, shaker=0).play("PASS PASS PASS P30 PIP3").so_far([35, 0], [5, 0])
    table.hold("3-3 6-3", "5-4 6-5", "1-0 2-1", "4-4 2-2").lead_from(0)
    assert table.claim("3-3 6-3").delta == [1, 0]


# ---------------------------------------------------------------------- forced bids


@pytest.mark.parametrize(("bid", "namer"), [("ASK", 2), ("TWO39", 0)])
def test_geezer_forced_bids_are_for_trumps(bid: str, namer: int) -> None:
    """c.12: who asks leaves trump to the partner; neither call is a mark bid, so neither buys nello."""
    table = Table("geezer", shaker=0).play(f"PASS PASS PASS {bid}")
    assert (table.mover, table.legal) == (namer, {"DBL", "NT-high"} | {f"PIP{pip}" for pip in range(8)})


def test_the_forced_minimum_is_the_houses() -> None:
    """b.2 `forced_bid`, `min_bid`: "forced 40" and the like name the minimum (f.1)."""
    rules = Rules.preset("seed_marks").replace(forced_bid="exactly_min", min_bid=31)
    assert calls_after(rules, "PASS PASS PASS") == {"P31"}
    assert calls_after(rules, "PASS PASS P33", PLAIN) == {"PASS", "M1", "M2"} | {f"P{n}" for n in range(34, 42)}
