"""When a game is over and who has won it: worked examples of RULES.md (d), b.1 and f.4.4 to f.4.5."""

import pytest

from support.settle import settled
from support.table import Spec, Table
from texas42.envs.rules.rules import Rules

POINTS: Spec = {"preset": "seed_points"}


def winners(
    spec: Spec, before: list[int], bid: str, points: list[int], tricks: list[int], bidder: int = 0
) -> list[int]:
    """Sides that have won after a hand; none while the game goes on."""
    table = settled(spec, bid, points, tricks, bidder=bidder, scores=before, episode="game")
    assert (table.phase == "over") == bool(table.winners)
    return table.winners


def test_win_by_two() -> None:
    """d.31, b.1 `win_by_two`, f.4.5: 7-6 is not over, 8-6 is."""
    rules = Rules.preset("n42pa").replace(win_by_two=True)
    assert winners(rules, [6, 6], "P30", [30, 12], [4, 3]) == []
    assert winners("n42pa", [6, 6], "P30", [30, 12], [4, 3]) == [0]
    assert winners(rules, [7, 6], "P30", [30, 12], [4, 3]) == [0]
    assert winners(rules, [7, 7], "M2", [30, 12], [4, 3]) == [1]


def test_win_by_two_among_three() -> None:
    """f.4.5: the highest leads every other by two."""
    rules = Rules.preset("three_handed").replace(win_by_two=True)
    assert winners(rules, [6, 6, 3], "P30", [29, 9, 6], [5, 2, 2]) == []  # 6, 7, 4
    assert winners(rules, [6, 7, 3], "P30", [29, 9, 6], [5, 2, 2]) == [1]  # 6, 8, 4
    assert winners(rules, [3, 7, 7], "P30", [29, 9, 6], [5, 2, 2]) == []


def test_both_at_the_target_the_bidder_goes_out_first() -> None:
    """d.36."""
    assert winners(POINTS, [240, 245], "P30", [32, 10], [4, 3]) == [0]
    assert winners(POINTS, [215, 245], "P30", [32, 10], [4, 3]) == [1]
    assert winners(POINTS, [240, 245], "P30", [26, 16], [4, 3]) == [1]


def test_both_at_the_target_and_the_bidder_set_the_higher_wins() -> None:
    """b.1 `tie_rule`: two defenders of a three-handed points game reach it with 39 and 36."""
    spec: Spec = {"preset": "three_handed", "scoring": "points", "early_end": "play_all", "target": 250}
    assert winners(spec, [240, 230, 240], "P30", [29, 9, 6], [5, 2, 2]) == [2]  # 240, 269, 276
    assert winners(spec, [240, 230, 233], "P30", [29, 9, 6], [5, 2, 2]) == []  # 240, 269, 269


@pytest.mark.parametrize(("tie_rule", "before", "won"), [
    ("bidder_first_then_higher", [225, 248], [0]), ("higher", [225, 248], [1]), ("bidder_only", [225, 248], [0]),
    ("higher", [230, 250], []),
])  # fmt: skip
def test_tie_rules(tie_rule: str, before: list[int], won: list[int]) -> None:
    """b.1, c.2.3: 31 and 11 taken; equal totals play on."""
    rules = Rules.preset("seed_points").replace(tie_rule=tie_rule)
    assert winners(rules, before, "P30", [31, 11], [4, 3]) == won


def test_bidder_only_plays_on_when_the_bidder_is_set() -> None:
    """f.4.4: several at the target and the bidder not out: the game goes on; a single side always wins."""
    rules = Rules.preset("moon").replace(tie_rule="bidder_only")
    assert winners(rules, [5, 20, 20], "P5", [4, 2, 1], [4, 2, 1]) == []
    assert winners(rules, [5, 20, 10], "P5", [4, 2, 1], [4, 2, 1]) == [1]
    assert winners("moon", [5, 20, 20], "P5", [4, 2, 1], [4, 2, 1]) == [1]


def test_moon_bidder_wins_first() -> None:
    """d.70."""
    assert winners("moon", [19, 20, 5], "P4", [4, 2, 1], [4, 2, 1]) == [0]
    assert winners("moon", [0, 20, 20], "P4", [4, 2, 1], [4, 2, 1]) == [1]  # made it, but is at 4
    assert winners("moon", [30, 30, 5], "P5", [4, 2, 1], [4, 2, 1]) == [1]  # at 25, but was set


def test_moon_from_a_negative_score_goes_on() -> None:
    """d.71."""
    table = settled("moon", "MOON", [7, 0, 0], [7, 0, 0], scores=[-10, 5, 5], episode="game")
    assert (table.scores, table.winners, table.phase) == ([11, 5, 5], [], "auction")


def test_defenders_at_the_target_together_win_jointly() -> None:
    """c.15.4, f.4.4: whatever their totals."""
    assert winners("three_handed", [3, 6, 6], "P30", [29, 9, 6], [5, 2, 2]) == [1, 2]
    assert winners({"preset": "three_handed", "target": 6}, [3, 5, 6], "P30", [29, 9, 6], [5, 2, 2]) == [1, 2]


def test_140_the_bidding_team_goes_out_first() -> None:
    """c.14.5."""
    assert winners("one_forty", [400, 490, 100], "P110", [115, 15, 10], [5, 2, 2]) == [0]
    assert winners("one_forty", [400, 490, 490], "P110", [105, 20, 15], [5, 2, 2]) == [1]
    assert winners("one_forty", [400, 490, 495], "P110", [105, 20, 15], [5, 2, 2]) == []


def test_a_thrown_in_hand_ends_nothing() -> None:
    """c.1.5."""
    table = Table("n42pa", scores=[6, 6], episode="game").play("PASS PASS PASS PASS")
    assert (table.winners, table.phase) == ([], "auction")


def test_the_shaker_moves_clockwise() -> None:
    """b.1 `shaker_rotation`: after a played hand and after a thrown-in one; `throw_in_same` keeps him."""
    played = settled("n42pa", "P30", [30, 12], [4, 3], bidder=0, episode="game")
    assert int(played.state.shaker) == 0  # seat 3 shook
    for rule, shaker in (("throw_in_next", 3), ("throw_in_same", 2)):
        table = Table(Rules.preset("n42pa").replace(all_pass=rule), shaker=2, episode="game")
        assert int(table.play("PASS PASS PASS PASS").state.shaker) == shaker


def test_a_target_other_than_seven() -> None:
    """b.1 `target`."""
    rules = Rules.preset("n42pa").replace(target=3)
    assert winners(rules, [2, 0], "P30", [30, 12], [4, 3]) == [0]
    assert winners("n42pa", [2, 0], "P30", [30, 12], [4, 3]) == []
