"""Early ends and scores of the games beyond 42, worked by hand from RULES.md (a.11, c.9 to c.16, f.4)."""

from collections.abc import Sequence

import pytest

from support.settle import finish, settled
from support.table import Spec, Table
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

MOON_4: Spec = {"preset": "moon", "players": 4}
SOLO_POINTS: Spec = {"preset": "three_handed", "scoring": "points", "early_end": "play_all", "target": 250}
TARGETS = {"seed_points": 250, "moon": 21, "big_game": 400, "one_forty": 500}


def delta(spec: Spec, bid: str, points: Sequence[int], tricks: Sequence[int]) -> list[int]:
    """Score change of a hand of seat 0 that has come to its end."""
    table = settled(spec, bid, points, tricks)
    assert (table.phase, table.points) == ("over", list(points))
    return table.delta


def verdict(spec: Spec, bid: str, points: Sequence[int], tricks: Sequence[int]) -> bool | None:
    """Made, set, or None while seat 0's hand in threes goes on."""
    side = max(i for i, n in enumerate(tricks) if n > 0)
    table = finish(Table(spec).contract(bid, "PIP3"), points, tricks, side)
    assert (table.made is None) == (table.phase == "play")
    return table.made


@pytest.mark.parametrize(("preset", "bid", "points", "tricks", "change"), [
    ("eighty_four_7", "P60", [59, 27, 0, 0, 0, 0, 0], [6, 2, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1, 1]),
    ("eighty_four_7", "P60", [60, 26, 0, 0, 0, 0, 0], [6, 2, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0]),
    ("eighty_four_7", "M2", [86, 0, 0, 0, 0, 0, 0], [8, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0]),
    ("eighty_four_6", "P60", [60, 28], [6, 3], [1, 0]),
    ("seventy_two", "P50", [50, 22], [7, 3], [1, 0]),
    ("players_2", "P30", [29, 20], [8, 6], [0, 1]),
    ("players_2", "M2", [49, 0], [14, 0], [2, 0]),
    ("players_5", "P30", [29, 11, 0, 0, 0], [3, 2, 0, 0, 0], [0, 1, 1, 1, 1]),
    ("players_5", "P30", [30, 10, 0, 0, 0], [3, 2, 0, 0, 0], [1, 0, 0, 0, 0]),
    ("players_6", "P38", [38, 1, 0, 0, 0, 0], [3, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]),
    ("players_7", "M1", [39, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0]),
])  # fmt: skip
def test_marks_of_the_other_games(
    preset: str, bid: str, points: list[int], tricks: list[int], change: list[int]
) -> None:
    """c.9, c.9.5, c.10, c.15, c.16: the stake to the bidder's side, or to every other one."""
    assert delta(preset, bid, points, tricks) == change


@pytest.mark.parametrize(("preset", "bid", "points", "tricks"), [
    ("players_2", "M1", [20, 1], [5, 1]), ("players_5", "M1", [20, 1, 0, 0, 0], [2, 1, 0, 0, 0]),
    ("eighty_four", "M1", [40, 2], [3, 1]), ("seventy_two", "M1", [40, 1], [6, 1]), ("geezer", "M1", [40, 1], [6, 1]),
    ("eighty_four_7", "M1", [40, 2, 0, 0, 0, 0, 0], [3, 1, 0, 0, 0, 0, 0]),
])  # fmt: skip
def test_one_lost_trick_sets_a_mark_bid_in_every_game(
    preset: str, bid: str, points: list[int], tricks: list[int]
) -> None:
    """a.10, a.11, c.9, c.10, c.12, c.16: M(m) is a sweep, and the hand stops."""
    assert verdict(preset, bid, points, tricks) is False


WITHOUT_WIDOW: Spec = {"preset": "seventy_two", "widow_points": 0}


@pytest.mark.parametrize(("spec", "bid", "open_", "lost"), [
    ("eighty_four_6", "P60", [30, 28], [30, 29]), ("seventy_two", "P50", [20, 22], [20, 23]),
    ("eighty_four_7", "P60", [30, 26, 0, 0, 0, 0, 0], [30, 13, 14, 0, 0, 0, 0]),
    (WITHOUT_WIDOW, "P50", [20, 20], [20, 21]), ("geezer", "P39", [20, 15], [20, 16]),
    ("players_2", "P30", [20, 19], [20, 20]), ("players_5", "P30", [20, 10, 0, 0, 0], [20, 4, 4, 3, 0]),
    ("players_6", "P38", [20, 1, 0, 0, 0, 0], [20, 1, 1, 0, 0, 0]),
])  # fmt: skip
def test_a_point_bid_is_set_by_more_than_the_rest(
    spec: Spec, bid: str, open_: list[int], lost: list[int]
) -> None:
    """a.11, c.15, f.4.2: when the others together hold more than T - n; T is the named total."""
    tricks = [2, *(1 if points else 0 for points in open_[1:])]
    assert verdict(spec, bid, open_, tricks) is None
    assert verdict(spec, bid, lost, [2, *(1 if points else 0 for points in lost[1:])]) is False


def test_dead_count_in_84_helps_nobody() -> None:
    """f.4.2, c.9.4: with ten of 88 discarded, 58 against 20 do not make 60."""
    assert delta("eighty_four_6", "P60", [58, 20], [7, 2]) == [0, 1]


@pytest.mark.parametrize(("points", "tricks"), [([4, 0, 0], [4, 0, 0]), ([3, 3, 0], [3, 3, 0])])
def test_moon_plays_all_seven_tricks(points: list[int], tricks: list[int]) -> None:
    """c.11, f.4.3: a bid of 4 made, or 5 lost, does not end the hand."""
    assert verdict("moon", "P4", points, tricks) is None
    assert verdict("moon", "P5", points, tricks) is None
    assert verdict(MOON_4, "P4", points[:2], tricks[:2]) is None


def test_moon_for_four_scores_by_team() -> None:
    """c.11.8, f.2.7."""
    assert delta(MOON_4, "P5", [5, 2], [5, 2]) == [5, 2]
    assert delta(MOON_4, "P5", [4, 3], [4, 3]) == [-5, 3]
    assert delta(MOON_4, "MOON", [7, 0], [7, 0]) == [21, 0]


@pytest.mark.parametrize(("bid", "points", "tricks", "change"), [
    ("M1", [66, 0], [11, 0], [66, 0]), ("M2", [66, 0], [11, 0], [132, 0]), ("M1", [60, 6], [9, 2], [0, 72]),
    ("M2", [65, 1], [10, 1], [0, 133]),
])  # fmt: skip
def test_big_game_sweeps(bid: str, points: list[int], tricks: list[int], change: list[int]) -> None:
    """c.13: c.2 with 66 for 42: a made sweep scores the bid, a set pays the bid and the points taken."""
    assert delta("big_game", bid, points, tricks) == change


@pytest.mark.parametrize(("preset", "bid", "points", "tricks"), [
    ("big_game", "P42", [50, 0], [7, 0]), ("big_game", "P42", [10, 30], [3, 5]), ("big_game", "M1", [50, 1], [7, 1]),
    ("one_forty", "P100", [110, 0, 0], [6, 0, 0]), ("one_forty", "P100", [10, 30, 30], [2, 2, 2]),
    ("one_forty", "M1", [50, 5, 0], [5, 1, 0]),
])  # fmt: skip
def test_all_tricks_are_played_where_points_count(
    preset: str, bid: str, points: list[int], tricks: list[int]
) -> None:
    """c.13, c.14, a.11: made or set, the hand goes on."""
    assert verdict(preset, bid, points, tricks) is None


def test_140_one_mark_is_140() -> None:
    """c.14.2: M(m) gains or costs 140 m; the others add what they took."""
    assert delta("one_forty", "M1", [140, 0, 0], [9, 0, 0]) == [140, 0, 0]
    assert delta("one_forty", "M1", [125, 10, 5], [7, 1, 1]) == [-140, 10, 5]


def test_three_handed_multiples_of_44() -> None:
    """f.4.6: M(m) is worth m T, and a set of it pays each defender the bid and his points (c.15.5)."""
    assert delta(SOLO_POINTS, "M2", [44, 0, 0], [9, 0, 0]) == [88, 0, 0]
    assert delta(SOLO_POINTS, "M2", [40, 3, 1], [7, 1, 1]) == [0, 91, 89]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_game_ends_at_its_target(preset: str) -> None:
    """b.1 `target`, c.1, c.2, c.9 to c.14: reached by the side that scores, and not a point before."""
    rules = Rules.preset(preset)
    target = TARGETS.get(preset, 7)
    assert rules.target == target
    bid = {"moon": "P5", "one_forty": "P100", "big_game": "P42"}.get(preset, f"P{rules.min_bid}")
    hand, others = rules.setup.hand, [0] * (rules.sides - 1)
    points, tricks = [rules.total, *others], [hand, *others]
    gain = settled(rules, bid, points, tricks).delta[0]
    for before, over in ((target - gain, True), (target - gain - 1, False)):
        table = settled(rules, bid, points, tricks, scores=[before, *others], episode="game")
        assert (table.phase == "over", table.winners) == (over, [0] if over else [])


def test_moon_scores_may_fall_below_zero() -> None:
    """c.11: and the game goes on from there."""
    table = settled("moon", "P5", [4, 2, 1], [4, 2, 1], scores=[0, 3, 3], episode="game")
    assert (table.scores, table.phase) == ([-5, 5, 4], "auction")


def test_play_all_scores_as_decided() -> None:
    """b.3 `early_end`, a.11: in marks only the number of tricks differs."""
    for early_end, phase in (("decided", "over"), ("play_all", "play")):
        rules = Rules.preset("n42pa").replace(early_end=early_end)
        table = finish(Table(rules).contract("M2", "PIP3"), [20, 1], [3, 1], side=1)
        assert table.phase == phase
    assert delta(rules, "M2", [41, 1], [6, 1]) == [0, 2]
