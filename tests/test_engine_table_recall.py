"""`recall="table"`: won tricks that the rules turn down are not repeated (RULES.md c.8, f.2.3, example 54)."""

import numpy as np
import pytest

from support.recall import Reader
from support.table import Table
from texas42.envs.rules.rules import Rules

THREES = "3-3 6-3 5-3 4-3 3-2 3-1 3-0"
SHOWN = {  # of five tricks won under P35, M1 and M2
    "all": (5, 5, 5),
    "by_marks": (5, 2, 1),
    "mark_bids_one_stack": (5, 1, 1),
    "two_marks_one_stack": (5, 5, 1),
    "two_stacks": (2, 2, 2),
    "one_stack": (1, 1, 1),
    "none": (0, 0, 0),
}


def five_tricks(visibility: str, bid: str, recall: str = "table") -> Reader:
    """What seat 1 sees after the bidder has won five tricks with trumps."""
    rules = Rules.preset("n42pa").replace(won_tricks_visibility=visibility, early_end="play_all")
    table = Table(rules, {0: THREES}, shaker=3, recall=recall).play(f"{bid} PASS PASS PASS PIP3")
    while len(table.trick_winners) < 5:
        table.play(max(table.legal))
    assert table.trick_winners == [0] * 5
    return Reader(table.game, 1, table.game.observe([1])[0][0])


def tricks_shown(reader: Reader) -> list[int]:
    return [int(i) for i in np.flatnonzero(reader.pieces["played_in"].any(axis=(0, 1)))]


@pytest.mark.parametrize("visibility", SHOWN)
def test_won_tricks_are_stacked_by_the_bid(visibility: str) -> None:
    """d.54, b.3 `won_tricks_visibility`, f.2.3: M1 leaves two tricks visible, M2 one, P35 all; and other customs."""
    for bid, number in zip(("P35", "M1", "M2"), SHOWN[visibility], strict=True):
        assert tricks_shown(five_tricks(visibility, bid)) == list(range(5))[5 - number :]


def test_full_recall_shows_every_trick() -> None:
    """a.14: stacking limits the table only."""
    assert tricks_shown(five_tricks("none", "M2", recall="full")) == [0, 1, 2, 3, 4]


def test_turned_down_tiles_may_be_anywhere() -> None:
    """What lies in a stack is forgotten, so the others might hold it still."""
    reader = five_tricks("one_stack", "M1")
    shown = {tile for trick in range(5) for seat in range(4) for tile in reader.played(seat, trick)}
    assert len(shown) == 4
    assert "3-3" not in shown
    assert reader.by_seat("may_hold", 3).any()  # row 2 is seat 0, the bidder


def test_tricks_of_the_opponents_stay_visible() -> None:
    """c.8: the bidder's side stacks, nobody else."""
    rules = Rules.preset("n42pa").replace(won_tricks_visibility="none", early_end="play_all")
    table = Table(rules, {1: THREES}, shaker=3, recall="table").play("M1 PASS PASS PASS PIP3")
    while len(table.trick_winners) < 3:
        table.play(max(table.legal))
    assert set(table.trick_winners) == {1}
    assert tricks_shown(Reader(table.game, 2, table.game.observe([2])[0][0])) == [0, 1, 2]


def test_the_trick_on_the_table_is_always_visible() -> None:
    reader = five_tricks("none", "M1")
    assert tricks_shown(reader) == []
    rules = Rules.preset("n42pa").replace(won_tricks_visibility="none")
    table = Table(rules, {0: THREES}, shaker=3, recall="table").play("M1 PASS PASS PASS PIP3 3-3")
    seen = Reader(table.game, 1, table.game.observe([1])[0][0])
    assert tricks_shown(seen) == [0]
    assert seen.pieces["table"].sum() == 1


def test_legality_does_not_depend_on_stacking() -> None:
    """a.14: it never changes legality."""
    masks = []
    for visibility in SHOWN:
        table = Table(Rules.preset("n42pa").replace(won_tricks_visibility=visibility), {0: THREES}, shaker=3)
        masks.append(table.play("M1 PASS PASS PASS PIP3 3-3").legal)
    assert all(mask == masks[0] for mask in masks)
