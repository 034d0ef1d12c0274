"""Widows and discards on the engine: 72, six-handed 84, Moon, the Big Game and 140 (RULES.md c, d, f.3)."""

from collections import Counter

import pytest

from support.table import Table

TWELVE = "4-4 4-4 6-4 6-4 4-1 4-1 4-2 4-3 5-4 5-5 3-2 6-6"
"""Example 62: ten tiles and the widow 3-2 6-6."""


def seventy_two(declaration: str, twelve: str = TWELVE) -> Table:
    tiles = twelve.split()
    table = Table("seventy_two", {0: " ".join(tiles[:10])}, widow=" ".join(tiles[10:]), shaker=3)
    return table.play(f"P50 PASS PASS PASS {declaration}")


def discards(table: Table) -> set[str]:
    assert table.phase == "discard"
    return {name.removeprefix("DISCARD ") for name in table.legal}


def test_72_one_plain_tile_must_be_among_the_two() -> None:
    """d.62, f.3.5: the first discard is free; if it was not the plain tile, the second must be it."""
    assert discards(seventy_two("PIP4")) == set(TWELVE.split())
    assert discards(seventy_two("PIP4").play("DISCARD:3-2")) == {"6-6"}
    assert discards(seventy_two("PIP4").play("DISCARD:6-6")) == set(TWELVE.split()) - {"6-6"}


def test_72_discarded_count_goes_to_the_opponents() -> None:
    """d.62, f.4.2: with the widow's two for the bidder."""
    assert seventy_two("PIP4").play("DISCARD:3-2 DISCARD:6-6").points == [2, 5]
    assert seventy_two("PIP4").play("DISCARD:6-6 DISCARD:5-5").points == [2, 10]


def test_72_a_discarded_trump_is_turned_up() -> None:
    """d.62: 4-3 can be seen by all, 6-6 by nobody else."""
    table = seventy_two("PIP4").play("DISCARD:4-3 DISCARD:6-6")
    observations, _ = table.game.observe([2])
    shown = observations[0, table.game.layout.slice("shown")]
    assert shown.sum() == 1
    assert table.game.observe([0])[0][0, table.game.layout.slice("discards")].sum() == 2
    assert table.game.observe([2])[0][0, table.game.layout.slice("discards")].sum() == 0


def test_72_two_or_more_plain_tiles() -> None:
    """d.63: both discards are of them; copies count apart."""
    plain = {"4-4", "4-2", "4-3", "5-4", "6-6"}
    assert discards(seventy_two("NT-high")) == plain
    assert discards(seventy_two("NT-high").play("DISCARD:4-4")) == plain


def test_72_two_copies_of_one_plain_tile_are_two() -> None:
    """f.3.5: copies count separately, so nothing else may go."""
    twelve = "4-4 4-4 6-4 6-4 4-1 4-1 4-3 5-5 5-5 3-2 6-6 6-6"
    assert discards(seventy_two("PIP4", twelve)) == {"6-6"}
    assert discards(seventy_two("PIP4", twelve).play("DISCARD:6-6")) == {"6-6"}


def test_72_no_plain_tile_any_two() -> None:
    """c.10."""
    twelve = "4-4 4-4 6-4 6-4 4-1 4-1 4-2 4-3 5-4 5-5 3-2 4-2"
    assert discards(seventy_two("PIP4", twelve)) == set(twelve.split())
    assert discards(seventy_two("PIP4", twelve).play("DISCARD:3-2")) == set(twelve.split()) - {"3-2"}


def test_72_declares_before_the_discard() -> None:
    """c.10.3, f.3.1; and PIP0 does not exist (c.10.6)."""
    table = Table("seventy_two", shaker=3).play("P50 PASS PASS PASS")
    assert table.phase == "declare"
    assert table.legal == {"DBL", "NT-high"} | {f"PIP{t}" for t in range(1, 7)}
    assert len(table.hand(0)) == 12  # he sees the widow before (c.10.4)
    assert table.play("PIP4").phase == "discard"


def test_72_doubles_as_trump_keep_doubles() -> None:
    """c.10.5: under DBL all doubles are trumps, 5-5 both."""
    assert discards(seventy_two("DBL")) == {"4-2", "4-3", "5-4"}


@pytest.mark.parametrize(("eleven", "first", "then"), [
    ("6-4 6-4 4-1 4-1 5-5 5-5 3-2 3-2 5-0 6-6 6-5", {"6-6", "6-5"}, {"6-5"}),
    ("6-4 6-4 4-1 4-1 5-5 5-5 3-2 3-2 5-0 5-0 6-5", None, {"6-5"}),
])  # fmt: skip
def test_six_handed_84_discards_two_plain_tiles(eleven: str, first: set[str] | None, then: set[str]) -> None:
    """c.9.4, f.3.5: count stays unless it cannot; then the plain tile must be one of the two."""
    tiles = eleven.split()
    table = Table("eighty_four_6", {0: " ".join(tiles[:9])}, widow=" ".join(tiles[9:]), shaker=5)
    table.play("P60" + " PASS" * 5)
    assert discards(table) == (first or set(tiles))
    assert discards(table.play("DISCARD:6-6" if first else "DISCARD:5-0")) == then
    assert table.play("DISCARD:6-5").phase == "declare"
    assert table.points == [0, 0]


def test_six_handed_84_kitty_may_stay_unused() -> None:
    """c.9.4, f.2.2 `kitty`."""
    table = Table({"preset": "eighty_four_6", "kitty": "unused"}, shaker=5).play("P60" + " PASS" * 5)
    assert table.phase == "declare"


def test_moon_discards_any_one_of_eight() -> None:
    """c.11.1, f.3.4: the widow tile may be it; then he declares, but never doubles."""
    table = Table("moon", {0: "6-6 5-5 4-4"}, widow="0-0", shaker=2).play("P4 PASS PASS")
    assert (len(discards(table)), "0-0" in discards(table)) == (8, True)
    assert table.play("DISCARD:0-0").legal == {"NT-high"} | {f"PIP{t}" for t in range(7)}


def test_four_player_moon_has_no_widow() -> None:
    """c.11.8, f.2.7."""
    table = Table({"preset": "moon", "players": 4}, shaker=3).play("P4 PASS PASS PASS")
    assert (table.phase, table.rules.sides, len(table.rules.deck)) == ("declare", 2, 28)


def test_big_game_count_in_the_widow_must_be_taken() -> None:
    """d.82: and another tile without count goes, trumps too."""
    table = Table("big_game", {0: "8-8 8-7 5-5"}, widow="6-4", shaker=3).play("P42 PASS PASS PASS")
    assert not discards(table) & {"6-4", "5-5", "5-0", "4-1", "3-2", "7-3", "8-2"}
    assert {"8-8", "8-7"} <= discards(table)  # 8-7 is not count
    assert table.play("DISCARD:8-8").phase == "declare"


def test_big_game_other_widows_may_be_left() -> None:
    """d.82, c.13.4: taken, another tile must go."""
    table = Table("big_game", {0: "8-8 5-5"}, widow="8-7", shaker=3).play("P42 PASS PASS PASS")
    assert (table.phase, table.legal) == ("widow", {"TAKE", "LEAVE"})
    before = table.game.states.copy()
    assert table.play("LEAVE").phase == "declare"
    table.game.states[:] = before
    assert "8-7" not in discards(table.play("TAKE"))
    assert "8-8" in discards(table)


def test_140_with_all_count_in_hand_the_smallest_is_discarded() -> None:
    """c.14.1, f.3.3: and a plain widow is then left without a question."""
    count = ["9-6", "8-7", "9-1", "8-2", "7-3", "6-4", "5-5", "5-0", "4-1", "3-2"]
    table = Table("one_forty", {0: " ".join(count[1:])}, widow=count[0], shaker=5)
    assert discards(table.play("P100" + " PASS" * 5)) == {"5-0", "4-1", "3-2"}
    nine = Table("one_forty", {0: " ".join(count[1:])}, widow="0-0", shaker=5).play("P100" + " PASS" * 5)
    assert nine.phase == "declare"


def test_140_may_exchange_one_tile() -> None:
    """c.14."""
    table = Table("one_forty", widow="9-9", shaker=5).play("P100" + " PASS" * 5)
    assert table.legal == {"TAKE", "LEAVE"}
    table.play("TAKE")
    held = Counter(discards(table))
    assert "9-9" not in held
    table.play(f"DISCARD:{min(held)}")
    assert (table.phase, "9-9" in table.hand(0), len(table.hand(0))) == ("declare", True, 9)
