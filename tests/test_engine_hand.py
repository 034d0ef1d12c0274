"""One hand played through, trick by trick: the Roberson deal of RULES.md (d), examples 14 to 21.

Nancy is seat 0 and shakes; Ella, Steve and Will follow clockwise. Nancy bids 32 after three passes and names ones.
"""

import pytest

from support.table import Table

NANCY, ELLA, STEVE, WILL = range(4)
DEAL = {
    NANCY: "6-4 6-0 4-3 3-2 1-1 6-1 4-1",
    ELLA: "6-5 5-3 5-1 5-0 2-2 2-0 2-1",
    STEVE: "5-5 5-4 4-4 4-2 4-0 3-1 0-0",
    WILL: "6-6 6-3 6-2 5-2 3-3 3-0 1-0",
}
TRICKS = [
    "1-1 2-1 3-1 1-0",
    "6-1 5-1 5-5 3-0",
    "6-0 6-5 4-0 6-2",
    "2-2 4-2 5-2 3-2",
    "5-3 5-4 6-6 4-1",
    "6-4 2-0 0-0 6-3",
    "4-3 5-0 4-4 3-3",
]


def after(tricks: int, bid: str = "P32", rules: str = "n42pa") -> Table:
    """The table after some whole tricks."""
    table = Table(rules, DEAL, shaker=NANCY).play(f"PASS PASS PASS {bid} PIP1")
    return table.play(" ".join(TRICKS[:tricks]))


def legal_for(table: Table, plays: str) -> list[set[str]]:
    """What each player after the leader could have played in a trick."""
    lead, *rest = plays.split()
    table.play(lead)
    found = []
    for tile in rest:
        found.append(table.legal)
        table.play(tile)
    return found


def test_first_trick_everybody_follows_trump() -> None:
    """d.14 with f.4.7: the trick was 1-1, 2-1, 3-1, 1-0."""
    table = after(0)
    assert table.mover == NANCY
    assert legal_for(table, TRICKS[0]) == [{"5-1", "2-1"}, {"3-1"}, {"1-0"}]
    assert (table.trick_winners, table.points) == ([NANCY], [1, 0])


def test_second_trick_players_without_trump_play_anything() -> None:
    """d.15."""
    table = after(1)
    ella, steve, will = legal_for(table, TRICKS[1])
    assert ella == {"5-1"}
    assert len(steve) == len(will) == 6
    assert (table.trick_winners[-1], table.trick_points[-1], table.points) == (NANCY, 11, [12, 0])


def test_third_trick_goes_to_the_defenders() -> None:
    """d.16."""
    table = after(2)
    ella, steve, will = legal_for(table, TRICKS[2])
    assert (ella, len(steve), will) == ({"6-5"}, 5, {"6-6", "6-3", "6-2"})
    assert (table.trick_winners[-1], table.points) == (ELLA, [12, 1])


def test_fourth_trick_all_are_forced() -> None:
    """d.17."""
    table = after(3)
    assert table.mover == ELLA
    assert legal_for(table, TRICKS[3]) == [{"4-2"}, {"5-2"}, {"3-2"}]
    assert (table.trick_winners[-1], table.trick_points[-1], table.points) == (ELLA, 6, [12, 7])


def test_fifth_trick_is_trumped() -> None:
    """d.18."""
    table = after(4)
    steve, will, nancy = legal_for(table, TRICKS[4])
    assert (steve, len(will), len(nancy)) == ({"5-4"}, 3, 3)
    assert (table.trick_winners[-1], table.trick_points[-1], table.points) == (NANCY, 6, [18, 7])


def test_sixth_trick_leaves_the_hand_open() -> None:
    """d.19."""
    table = after(5)
    ella, steve, will = legal_for(table, TRICKS[5])
    assert (len(ella), len(steve), will) == (2, 2, {"6-3"})
    assert (table.points, table.phase) == ([29, 7], "play")


@pytest.mark.parametrize(("bid", "rules", "delta"), [
    ("P32", "n42pa", [1, 0]), ("P35", "n42pa", [1, 0]), ("P32", "seed_points", [35, 7]),
])  # fmt: skip
def test_last_trick_makes_the_bid(bid: str, rules: str, delta: list[int]) -> None:
    """d.20."""
    table = after(7, bid, rules)
    assert (table.phase, table.made, table.points, table.delta) == ("over", True, [35, 7], delta)
    assert (table.trick_winners[-1], table.trick_points[-1]) == (STEVE, 6)


def test_a_bid_of_36_is_set_after_the_fourth_trick() -> None:
    """d.20 with f.4.7: the defenders hold 7, more than 42 - 36."""
    assert after(3, "P36").phase == "play"
    table = after(4, "P36")
    assert (table.phase, table.made, table.delta) == ("over", False, [0, 1])


def test_the_hand_ends_as_soon_as_the_defenders_hold_too_much() -> None:
    """d.21."""
    table = after(2).play("6-4 6-5 4-0 6-6")
    assert (table.phase, table.made, table.points, table.delta) == ("over", False, [12, 11], [0, 1])


def test_the_winner_of_a_trick_leads_the_next() -> None:
    """a.7, c.1.4: the next trick, not the next hand."""
    table = Table("n42pa", DEAL, shaker=NANCY, episode="game").play("PASS PASS PASS P32 PIP1")
    leads = []
    for trick in TRICKS[:6]:
        leads.append(table.mover)
        table.play(trick)
    assert leads == [NANCY, NANCY, NANCY, ELLA, ELLA, NANCY]
    assert table.mover == NANCY
    table.play(TRICKS[6])
    assert (table.phase, int(table.state.shaker), table.mover) == ("auction", ELLA, STEVE)
