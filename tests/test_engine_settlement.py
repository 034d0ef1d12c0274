"""What a hand scores on the engine: worked examples of RULES.md (d) on making, setting and settling."""

from collections.abc import Sequence

import pytest

from support.settle import finish, settled
from support.table import Spec, Table
from texas42.envs.rules.rules import Rules

POINTS: dict[str, object] = {"preset": "seed_points"}
SOLO: Spec = {"preset": "three_handed", "set_award_solo": "bidder_loses"}
SOLO_POINTS: dict[str, object] = {"preset": "three_handed", "scoring": "points", "early_end": "play_all", "target": 250}


def delta(spec: Spec, bid: str, points: Sequence[int], tricks: Sequence[int]) -> list[int]:
    table = settled(spec, bid, points, tricks)
    assert (table.phase, table.points) == ("over", list(points))
    return table.delta


def verdict(
    spec: Spec, bid: str, points: Sequence[int], tricks: Sequence[int], declaration: str = "PIP3"
) -> bool | None:
    """Whether the hand has ended, and how, after a trick that brings the sides to these totals."""
    side = max(i for i, n in enumerate(tricks) if n > 0)
    table = finish(Table(spec).contract(bid, declaration), points, tricks, side)
    assert (table.made is None) == (table.phase == "play")
    return table.made


def test_thirty_points_make_thirty() -> None:
    """d.28."""
    assert delta("n42pa", "P30", [30, 12], [4, 3]) == [1, 0]
    assert delta("n42pa", "P30", [29, 13], [4, 3]) == [0, 1]


def test_defenders_set_with_more_than_the_rest() -> None:
    """d.28: thirteen set a bid of 30; eight set 35."""
    assert verdict("n42pa", "P30", [20, 12], [3, 2]) is None
    assert verdict("n42pa", "P30", [20, 13], [3, 2]) is False
    assert verdict("n42pa", "P35", [20, 7], [3, 2]) is None
    assert verdict("n42pa", "P35", [20, 8], [3, 2]) is False


def test_the_hand_ends_when_the_bid_is_made() -> None:
    """a.11."""
    assert verdict("n42pa", "P30", [29, 0], [4, 0]) is None
    assert verdict("n42pa", "P30", [30, 0], [4, 0]) is True
    assert verdict({"preset": "n42pa", "early_end": "play_all"}, "P30", [30, 0], [4, 0]) is None


def test_one_lost_trick_sets_a_mark_bid() -> None:
    """d.29."""
    table = finish(Table("n42pa").contract("M2", "PIP3"), [20, 1], [3, 1], side=1)
    assert (table.phase, table.made, table.delta) == ("over", False, [0, 2])
    assert verdict("n42pa", "M2", [41, 0], [6, 0]) is None
    assert delta("n42pa", "M2", [42, 0], [7, 0]) == [2, 0]


def test_a_game_to_seven_ends_when_seven_is_reached_or_passed() -> None:
    """d.30."""
    table = settled("n42pa", "M2", [42, 0], [7, 0], scores=[6, 5], episode="game")
    assert (table.phase, table.scores, table.winners) == ("over", [8, 5], [0])
    on = settled("n42pa", "P30", [30, 12], [4, 3], scores=[5, 6], episode="game")
    assert (on.phase, on.scores, on.winners) == ("auction", [6, 6], [])


def test_points_below_the_hand_total_score_what_was_taken() -> None:
    """d.32, and b.5 `defenders_keep_points_when_made`."""
    assert delta(POINTS, "P30", [31, 11], [4, 3]) == [31, 11]
    kept = {**POINTS, "defenders_keep_points_when_made": False}
    assert delta(kept, "P30", [31, 11], [4, 3]) == [31, 0]


def test_a_set_pays_the_bid_and_the_points_taken() -> None:
    """d.33."""
    assert delta(POINTS, "P30", [26, 16], [4, 3]) == [0, 46]
    assert delta({**POINTS, "set_award_sweep": "bid_only"}, "P30", [26, 16], [4, 3]) == [0, 46]


def test_a_made_sweep_scores_the_bid() -> None:
    """d.34."""
    assert delta(POINTS, "M1", [42, 0], [7, 0]) == [42, 0]
    assert delta(POINTS, "M2", [42, 0], [7, 0]) == [84, 0]


def test_a_set_sweep_pays_bid_and_points_or_the_bid_only() -> None:
    """d.35, b.5 `set_award_sweep`."""
    assert delta(POINTS, "M1", [36, 6], [5, 2]) == [0, 48]
    assert delta({**POINTS, "set_award_sweep": "bid_only"}, "M1", [36, 6], [5, 2]) == [0, 42]


@pytest.mark.parametrize(("multiples", "value"), [("linear", 126), ("doubling", 168)])
def test_multiples_above_84(multiples: str, value: int) -> None:
    """b.2 `points_mode_multiples`."""
    rules = Rules.preset("seed_points").replace(points_mode_multiples=multiples, max_opening_marks=3)
    assert delta(rules, "M3", [42, 0], [7, 0]) == [value, 0]


def test_in_points_all_tricks_are_played() -> None:
    """c.2."""
    assert verdict(POINTS, "P30", [35, 0], [5, 0]) is None
    assert verdict(POINTS, "P30", [10, 20], [3, 3]) is None
    assert verdict(POINTS, "M1", [36, 3], [5, 1]) is None


@pytest.mark.parametrize(("widow_points", "made"), [(2, True), (0, False)])
def test_72_credits_the_widow_to_the_bidder(widow_points: int, made: bool) -> None:
    """d.64, f.2.2 `widow_points`: 49 in tricks are 51 with the widow."""
    rules = Rules.preset("seventy_two").replace(widow_points=widow_points)
    table = Table(rules, {0: "6-6 6-5 6-4 6-3 6-2 6-1 5-4 5-3 5-2 5-1"}, widow="4-4 4-2")
    table.contract("P50", "PIP3")
    credit = table.points
    assert credit == [widow_points, 0]
    assert finish(table, [49 + credit[0], 21], [7, 3]).made is made


def test_moon_scores_tricks_and_loses_the_bid() -> None:
    """d.67."""
    assert delta("moon", "P5", [6, 1, 0], [6, 1, 0]) == [6, 1, 0]
    assert delta("moon", "P5", [4, 2, 1], [4, 2, 1]) == [-5, 2, 1]


def test_moon_for_21_and_42() -> None:
    """d.68."""
    assert delta("moon", "MOON", [7, 0, 0], [7, 0, 0]) == [21, 0, 0]
    assert delta("moon", "MOON", [6, 1, 0], [6, 1, 0]) == [-21, 1, 0]
    for points, change in (([7, 0, 0], [42, 0, 0]), ([6, 0, 1], [-42, 0, 1])):
        table = Table("moon", shaker=1).play("MOON SHOOT_OVER")
        while table.phase != "play":
            table.play((min(table.legal) if table.phase == "discard" else "PIP3").replace(" ", ":"))
        assert finish(table, points, points).delta == change
    assert verdict("moon", "MOON", [3, 1, 0], [3, 1, 0]) is None  # c.11.9: others still score


def test_geezer_count_bid_is_51_points() -> None:
    """d.76: three lost tricks without count, or the count in one lost trick."""
    assert verdict("geezer", "C51", [30, 3], [3, 3], "COUNT") is None
    assert verdict("geezer", "C51", [30, 4], [3, 4], "COUNT") is False
    for points, tricks, change in (
        ([51, 3], [6, 3], [1, 0]),
        ([48, 6], [8, 1], [0, 1]),
        ([50, 4], [5, 4], [0, 1]),
    ):
        table = Table("geezer").contract("C51", "COUNT")
        assert count_trick(table, points, tricks) == change


def count_trick(table: Table, points: list[int], tricks: list[int]) -> list[int]:
    """The score change where a last trick without count goes to the bidder."""
    table.so_far([points[0] - 1, points[1]], [tricks[0] - 1, tricks[1]])
    return table.hold("7-7", "1-0", "2-0", "3-0").lead_from(0).play("7-7 1-0 2-0 3-0").delta


def test_geezer_two_for_39() -> None:
    """d.77: the opponents score two; made, the bidder does."""
    for points, change in (([38, 16], [0, 2]), ([39, 15], [2, 0])):
        table = Table("geezer", shaker=0).play("PASS PASS PASS TWO39 PIP3")
        assert finish(table, points, [5, 4], side=0).delta == change
    for points, change in (([38, 16], [0, 1]), ([39, 15], [1, 0])):
        table = Table("geezer", shaker=0).play("PASS PASS PASS ASK PIP3")
        assert finish(table, points, [5, 4], side=0).delta == change


def test_big_game_scores_as_points() -> None:
    """d.83."""
    assert delta("big_game", "P45", [50, 16], [8, 3]) == [50, 16]
    assert delta("big_game", "P45", [40, 26], [8, 3]) == [0, 71]


def test_140_loses_the_bid() -> None:
    """d.87."""
    assert delta("one_forty", "P110", [105, 20, 15], [5, 2, 2]) == [-110, 20, 15]
    assert delta("one_forty", "P110", [115, 15, 10], [5, 2, 2]) == [115, 15, 10]


def test_140_marks_are_multiples_of_140() -> None:
    """d.88."""
    assert delta("one_forty", "M2", [140, 0, 0], [9, 0, 0]) == [280, 0, 0]
    assert delta("one_forty", "M2", [135, 5, 0], [8, 1, 0]) == [-280, 5, 0]


def test_three_handed_defenders_pool_their_points() -> None:
    """d.89."""
    assert verdict("three_handed", "P30", [20, 8, 6], [4, 2, 1]) is None
    assert verdict("three_handed", "P30", [20, 8, 7], [4, 2, 1]) is False


def test_three_handed_each_defender_scores_the_stake() -> None:
    """d.90, c.15.3, f.2.2 `set_award_solo`."""
    assert delta("three_handed", "P30", [29, 9, 6], [5, 2, 2]) == [0, 1, 1]
    assert delta(SOLO, "P30", [29, 9, 6], [5, 2, 2]) == [-1, 0, 0]
    assert delta("three_handed", "M1", [44, 0, 0], [9, 0, 0]) == [1, 0, 0]
    assert verdict("three_handed", "M1", [43, 1, 0], [8, 1, 0]) is False
    assert verdict("three_handed", "M1", [43, 0, 0], [8, 0, 0]) is None


def test_three_handed_in_points() -> None:
    """c.15.5, f.4.6."""
    assert delta(SOLO_POINTS, "P30", [29, 9, 6], [5, 2, 2]) == [0, 39, 36]
    assert delta(SOLO_POINTS, "P30", [31, 9, 4], [5, 2, 2]) == [31, 9, 4]
    assert delta(SOLO_POINTS, "M1", [44, 0, 0], [9, 0, 0]) == [44, 0, 0]


def test_84_set_with_more_than_24() -> None:
    """d.59."""
    assert verdict("eighty_four", "P60", [40, 24], [4, 2]) is None
    assert verdict("eighty_four", "P60", [40, 25], [4, 2]) is False


@pytest.mark.parametrize("preset", ["seventy_two", "eighty_four", "eighty_four_6", "geezer"])
def test_stakes_are_one_mark_or_the_marks_bid(preset: str) -> None:
    """c.9, c.10, c.12: a point bid is worth 1, M(m) is worth m; a set gives the stake to the others."""
    rules = Rules.preset(preset)
    total, hand = rules.total, rules.setup.hand
    assert delta(preset, "P60" if total > 72 else "P50", [total, 0], [hand, 0]) == [1, 0]
    assert delta(preset, "M2", [total, 0], [hand, 0]) == [2, 0]
    assert delta(preset, "M2", [total - 5, 5], [hand - 1, 1]) == [0, 2]


def test_a_sweep_is_judged_by_tricks_only() -> None:
    """c.10.2: count discarded by force does not set a mark bid in 72."""
    assert delta("seventy_two", "M1", [67, 5], [10, 0]) == [1, 0]


def test_forced_sweep_bonus() -> None:
    """b.2 `forced_sweep_bonus`, f.3.9: a forced point bid that takes every trick earns two, and play goes on for it."""
    rules = Rules.preset("seed_marks").replace(forced_sweep_bonus=2)
    for tricks, points, change in (([7, 0], [42, 0], [2, 0]), ([6, 1], [41, 1], [1, 0])):
        table = Table(rules, shaker=0).play("PASS PASS PASS P30 PIP3")
        assert finish(table, points, tricks).delta == change
    going = finish(Table(rules, shaker=0).play("PASS PASS PASS P30 PIP3"), [35, 0], [5, 0])
    assert going.phase == "play"
    free = finish(Table(rules, shaker=0).play("PASS PASS P30 PASS PIP3"), [0, 35], [0, 5])
    assert free.phase == "over"
    willing = finish(Table(rules.replace(all_pass="throw_in_next")).play("PASS PASS PASS P30 PIP3"), [35, 0], [5, 0])
    assert willing.phase == "over"  # he might have passed
    assert delta("seed_marks", "P30", [42, 0], [7, 0]) == [1, 0]
