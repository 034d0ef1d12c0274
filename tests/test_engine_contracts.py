"""Nello, splash, plunge, sevens and loper on the engine: worked examples of RULES.md (d), c.3 to c.7, f.3."""

from typing import Any

import pytest

from support.table import Spec, Table
from texas42.envs.rules.rules import Rules

TRUMPS = {"DBL", "NT-high"} | {f"PIP{t}" for t in range(7)}
THREE_DOUBLES = "6-6 5-5 0-0 4-2 3-1 2-0 1-0"
FOUR_DOUBLES = "6-6 5-5 0-0 3-3 3-1 2-0 1-0"
SEVENS_WON = {
    0: "4-3 6-1 5-2 6-2 5-3 4-2 5-1", 1: "6-6 5-5 4-4 1-1 0-0 1-0 2-0",
    2: "6-0 3-3 4-1 3-2 6-3 5-4 2-2", 3: "6-5 6-4 5-0 4-0 3-0 3-1 2-1",
}  # fmt: skip
SEVENS_LOST = {
    0: "4-3 6-1 5-3 5-4 6-3 6-4 6-5", 1: "5-2 6-2 4-2 5-1 3-3 6-0 4-4",
    2: "4-1 3-2 5-0 6-6 5-5 2-2 0-0", 3: "4-0 3-1 2-1 3-0 1-1 2-0 1-0",
}  # fmt: skip


def declarations(rules: Spec, calls: str, held: dict[int, str] | None = None, shaker: int = 0) -> set[str]:
    table = Table(rules, held or {}, shaker=shaker).play(calls)
    assert table.phase == "declare"
    return table.legal


def test_any_of_nine_declarations_after_any_bid() -> None:
    """c.1: whatever he holds and whatever he bid."""
    for calls in ("P30 PASS PASS PASS", "M2 PASS PASS PASS"):
        assert declarations("n42pa", calls) == TRUMPS


def test_trump_choices_and_no_trump_minimum() -> None:
    """b.3 `trump_choices`, `nt_doubles`, `nt_min_bid`."""
    rules = Rules.preset("n42pa").replace(trump_choices=["DBL", "NT"], nt_doubles=["low", "own"])
    assert declarations(rules, "P30 PASS PASS PASS") == {"DBL", "NT-low", "NT-own"}
    mark = Rules.preset("n42pa").replace(nt_min_bid="1 mark")
    assert declarations(mark, "P41 PASS PASS PASS") == TRUMPS - {"NT-high"}
    assert declarations(mark, "M1 PASS PASS PASS") == TRUMPS


def test_nello_partner_sits_out_and_one_trick_sets_it() -> None:
    """d.42: the order of trick 1 is 1, 2, 0; the hand stops at the declarer's trick."""
    table = Table("casual", {1: "6-6 6-5"}).play("M2 PASS PASS PASS NELLO-own")
    order = []
    for _ in range(3):
        order.append(table.mover)
        table.play("6-6" if table.mover == 1 else min(table.legal))
    assert (order, table.phase, table.made, table.delta) == ([1, 2, 0], "over", False, [2, 0])
    assert len(table.hand(3)) == 7


def test_nello_is_made_when_no_trick_is_taken() -> None:
    """c.3: all seven tricks lost earn the marks bid."""
    table = Table("open").contract("M2", "NELLO-high").so_far([0, 36], [0, 6])
    table.hold("1-0", "2-1", "", "0-0").play("1-0 2-1 0-0")
    assert (table.made, table.delta) == (True, [2, 0])


def test_nello_early_end_and_played_out_score_the_same() -> None:
    """f.4.1."""
    for early_end in ("decided", "play_all"):
        rules = Rules.preset("casual").replace(early_end=early_end)
        table = Table(rules, {1: "6-6 6-5"}).play("M1 PASS PASS PASS NELLO-own 6-6")
        while table.phase == "play":
            table.play(min(table.legal))
        assert (table.made, table.delta) == (False, [1, 0])
        assert int(table.state.n_tricks) == (1 if early_end == "decided" else 7)


@pytest.mark.parametrize("preset", ["seed_marks", "n42pa"])
def test_nello_for_the_last_caller_only(preset: str) -> None:
    """d.43, f.2.5: whatever `all_pass` is."""
    rules = Rules.preset(preset).replace(nello="forced_last_only", nello_doubles=["high"])
    assert "NELLO-high" not in declarations(rules, "PASS M1 PASS PASS")
    assert "NELLO-high" in declarations(rules, "PASS PASS PASS M1")
    assert "NELLO-high" not in declarations(rules, "PASS PASS PASS P30")
    assert "NELLO-high" not in declarations(rules, "P30 PASS PASS M1")


def test_sevens_for_the_last_caller_only() -> None:
    """f.2.5."""
    rules = Rules.preset("seed_marks").replace(sevens="forced_last_only")
    assert "SEVENS" not in declarations(rules, "PASS M1 PASS PASS")
    assert "SEVENS" in declarations(rules, "PASS PASS PASS M1")


def test_points_bids_offer_neither_nello_nor_sevens() -> None:
    """d.44, b.4 `nello`, `sevens`, `loper`, c.7: but loper, which marks do not."""
    assert declarations("open", "P30 PASS PASS PASS") == TRUMPS | {"LOPER"}
    nello = {f"NELLO-{q}" for q in ("high", "low", "own")}
    assert declarations("open", "M1 PASS PASS PASS") == TRUMPS | nello | {"SEVENS"}


def test_least_marks_of_nello_and_sevens() -> None:
    """b.4 `nello_min_marks`, `sevens_min_marks`."""
    rules = Rules.preset("open").replace(nello_min_marks=2, sevens_min_marks=2)
    assert declarations(rules, "M1 PASS PASS PASS") == TRUMPS
    assert {"NELLO-own", "SEVENS"} <= declarations(rules, "M2 PASS PASS PASS")


def test_nello_treatment_may_be_fixed() -> None:
    """b.4 `nello_doubles`, `nello_chooser`."""
    rules = Rules.preset("seed_marks").replace(nello="any", nello_chooser="fixed", nello_doubles=["inv"])
    assert declarations(rules, "M1 PASS PASS PASS") == TRUMPS | {"NELLO-inv"}


@pytest.mark.parametrize(("leads", "leader"), [("namer", 3), ("bidder", 1)])
@pytest.mark.parametrize("special", ["SPLASH", "PLUNGE"])
def test_the_partner_declares_and_leads(special: str, leads: str, leader: int) -> None:
    """d.47, c.4, b.4 `special_leader`."""
    rules = Rules.preset("open").replace(special_leader=leads)
    table = Table(rules, {1: FOUR_DOUBLES}).play(f"{special} PASS PASS PASS")
    assert (table.phase, table.mover, table.legal) == ("declare", 3, TRUMPS)
    assert table.play("PIP4").mover == leader


def test_a_plunge_is_set_by_the_last_trick() -> None:
    """d.48."""
    table = Table("open", {1: FOUR_DOUBLES}).play("PLUNGE PASS PASS PASS PIP4").so_far([0, 41], [0, 6])
    table.hold("4-4", "1-0", "2-0", "3-0").lead_from(0).play("4-4 1-0 2-0 3-0")
    assert (table.made, table.delta) == (False, [4, 0])


def test_partner_may_overbid_a_splash() -> None:
    """c.4.5."""
    table = Table("open", {1: THREE_DOUBLES}).play("SPLASH PASS M4 PASS")
    assert (table.mover, int(table.state.bidder), int(table.state.special)) == (3, 3, 0)


def test_specials_declared_after_the_auction() -> None:
    """b.4 `special_declared_at`, f.3.7: enough doubles and marks; the stake and the bid stay plain."""
    rules = Rules.preset("open").replace(special_declared_at="after", splash_marks=2, nello="off", sevens="off")
    held = {1: FOUR_DOUBLES}
    assert Table(rules, held).legal & {"SPLASH", "PLUNGE"} == set()
    assert declarations(rules, "M1 PASS PASS PASS", held) == TRUMPS
    assert declarations(rules, "P30 PASS PASS PASS", held) == TRUMPS | {"LOPER"}
    table = Table(rules, held).play("M2 PASS PASS PASS")
    assert table.legal == TRUMPS | {"SPLASH"}
    assert table.play("SPLASH").legal == TRUMPS
    assert (table.mover, int(table.state.marks)) == (3, 2)
    assert table.game.codec.ladder[table.state.call].name == "M2"
    assert table.play("PIP4").mover == 3


def test_partner_options() -> None:
    """b.4 `special_partner_options`, f.3.8: the option alone suffices.

    In nello the bidder plays and leads and the namer sits out.
    """
    options: dict[str, set[str]] = {
        "trumps+NT": set(),
        "trumps+NT+SEVENS": {"SEVENS"},
        "trumps+NT+NELLO": {"NELLO-own"},
        "trumps+NT+SEVENS+NELLO": {"SEVENS", "NELLO-own"},
    }
    for option, more in options.items():
        rules = Rules.preset("casual").replace(special_partner_options=option, nello="off")
        table = Table(rules, {1: FOUR_DOUBLES}).play("PLUNGE PASS PASS PASS")
        assert table.legal == TRUMPS | more
    nello = Table(rules, {1: FOUR_DOUBLES}).play("PLUNGE PASS PASS PASS NELLO-own")
    assert (nello.mover, int(nello.state.sits_out)) == (1, 1 << 3)
    sevens = Table(rules, {1: FOUR_DOUBLES}).play("PLUNGE PASS PASS PASS SEVENS")
    assert (sevens.mover, int(sevens.state.sits_out)) == (3, 0)


def close_hand(held: dict[int, str], calls: str) -> Any:
    table = Table("open", held, shaker=3).play(calls)
    while table.phase == "play":
        table.play(max(table.legal))
    return table


def test_sevens_made() -> None:
    """d.52."""
    table = close_hand(SEVENS_WON, "M1 PASS PASS PASS SEVENS")
    assert (table.made, table.trick_winners, table.delta) == (True, [0] * 7, [1, 0])


def test_sevens_set_and_loper_set_at_the_second_loss() -> None:
    """d.53."""
    table = close_hand(SEVENS_LOST, "M1 PASS PASS PASS SEVENS")
    assert (table.made, table.trick_winners, table.delta) == (False, [0, 0, 0, 1], [0, 1])
    loper = close_hand(SEVENS_LOST, "P30 PASS PASS PASS LOPER")
    assert (loper.made, len(loper.trick_winners), loper.delta) == (False, 5, [0, 1])


def test_sevens_partner_counts_for_the_side() -> None:
    """c.6.1: the bidder's partner may take the trick."""
    table = Table("open").contract("M1", "SEVENS").so_far([41, 0], [6, 0])
    table.hold("6-6", "5-5", "4-3", "0-0").play("6-6 5-5 4-3 0-0")
    assert (table.made, table.trick_winners[-1]) == (True, 2)


def test_loper_may_lose_one_trick_and_scores_one_mark() -> None:
    """c.7: whatever number was bid."""
    for bid in ("P30", "P41"):
        table = Table("open").contract(bid, "LOPER").so_far([0, 10], [5, 1])
        table.hold("4-3", "5-5", "6-6", "0-0").play("4-3 5-5 6-6 0-0")
        assert (table.made, table.delta) == (True, [1, 0])


def test_sevens_need_a_seven() -> None:
    """b.4 `sevens_need_seven`, f.3.10: by the tiles dealt to whoever will lead."""
    rules = Rules.preset("open").replace(sevens_need_seven=True)
    assert "SEVENS" not in declarations(rules, "M1 PASS PASS PASS", {1: SEVENS_WON[1]})
    assert "SEVENS" in declarations(rules, "M1 PASS PASS PASS", {1: SEVENS_WON[0]})
    assert "SEVENS" in declarations("open", "M1 PASS PASS PASS", {1: SEVENS_WON[1]})
    option = rules.replace(special_partner_options="trumps+NT+SEVENS")
    plunger, partner = "6-6 5-5 0-0 3-3 2-2 2-0 1-0", SEVENS_WON[0]
    for leads, offered in (("namer", True), ("bidder", False)):
        asked = option.replace(special_leader=leads)
        legal = declarations(asked, "PLUNGE PASS PASS PASS", {1: plunger, 3: partner})
        assert ("SEVENS" in legal) is offered, leads


def test_84_pistol_all_teammates_sit_out() -> None:
    """d.60."""
    rules = Rules.preset("eighty_four").replace(nello="any")
    table = Table(rules, {0: "0-0 0-0"}, shaker=7).play("M1" + " PASS" * 7 + " NELLO-high")
    players = []
    while not table.trick_winners:
        players.append(table.mover)
        table.play("0-0" if table.mover == 0 else min(table.legal))
    assert players == [0, 1, 3, 5, 7]


def test_without_teams_nobody_sits_out_in_nello() -> None:
    """c.15.6."""
    table = Table(Rules.preset("three_handed").replace(nello="any")).play("M1 PASS PASS NELLO-high")
    assert (int(table.state.sits_out), int(table.state.in_trick)) == (0, 3)


def test_specials_in_points() -> None:
    """f.4.3, c.2.4: sevens, splash and plunge as a sweep, loper as the points bid, nello the bid alone."""
    rules = Rules.preset("open").replace(scoring="points", early_end="play_all", target=250)
    sevens = Table(rules).contract("M2", "SEVENS").so_far([41, 0], [6, 0])
    assert sevens.hold("4-3", "5-5", "6-6", "0-0").play("4-3 5-5 6-6 0-0").delta == [84, 0]
    loper = Table(rules).contract("P31", "LOPER").so_far([30, 11], [5, 1])
    assert loper.hold("4-3", "2-0", "1-0", "1-1").play("4-3 2-0 1-0 1-1").delta == [31, 11]
    nello = Table(rules).contract("M1", "NELLO-high").so_far([0, 41], [0, 6])
    assert nello.hold("1-0", "2-1", "", "0-0").play("1-0 2-1 0-0").delta == [42, 0]
    lost = Table(rules).contract("M1", "NELLO-high").so_far([20, 21], [3, 3])
    assert lost.hold("1-0", "2-0", "", "0-0").play("1-0 2-0 0-0").delta == [0, 42]
    plunge = Table(rules, {1: FOUR_DOUBLES}).play("PLUNGE PASS PASS PASS PIP4").so_far([0, 41], [0, 6])
    assert plunge.hold("3-0", "1-0", "2-0", "4-4").play("4-4 3-0 1-0 2-0").delta == [0, 168]
