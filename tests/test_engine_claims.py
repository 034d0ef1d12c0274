"""Claims on the engine: example 55 of RULES.md (d), c.17 and f.3.13."""

import pytest

from support.table import Table
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import PLAY
from texas42.envs.rules.rules import Rules

CLAIM = Rules.preset("n42pa").replace(laydown="claim")
PROVED = Rules.preset("n42pa").replace(laydown="proved")
ALL_THREES = {0: "3-3 6-3 5-3 4-3 3-2 3-1 3-0"}


def two_left(rules: Rules, declaration: str, mine: str, left: str, right: str) -> Table:
    """The bidder leads with two tiles left and five tricks won."""
    table = Table(rules).contract("M1", declaration).so_far([30, 0], [5, 0])
    return table.hold(mine, left, "1-0 2-1", right).lead_from(0)


def test_a_claim_holds_when_nothing_can_beat_it() -> None:
    """d.55."""
    table = two_left(CLAIM, "PIP3", "3-3 6-3", "5-5 6-5", "4-4 2-2").claim("3-3 6-3")
    assert (table.phase, table.made, table.delta) == ("over", True, [1, 0])


def test_a_claim_fails_if_some_line_sets_it() -> None:
    """d.55: the opponent can keep 5-5 when 6-6 is led, with 2-0 or with 6-5 to play on it."""
    for left in ("5-5 2-0", "5-5 6-5"):
        table = two_left(CLAIM, "NT-high", "6-6 5-4", left, "4-0 2-2").claim("6-6 5-4")
        assert (table.phase, table.made, table.delta) == ("over", False, [0, 1])


def test_the_order_of_a_claim_matters() -> None:
    """c.17: he states it: the low lead first loses the trick, drawing it first does not."""
    good = two_left(CLAIM, "PIP3", "3-3 6-5", "3-0 2-0", "4-4 2-2")
    assert good.claim("3-3 6-5").made is True
    bad = two_left(CLAIM, "PIP3", "3-3 6-5", "3-0 2-0", "4-4 2-2")
    assert bad.claim("6-5 3-3").made is False


def test_the_claimant_plays_his_first_legal_tile() -> None:
    """f.3.13: at each of his turns."""
    table = Table(CLAIM).contract("P30", "PIP3").so_far([29, 7], [4, 2])
    table.hold("6-5", "6-4", "1-0", "2-1").lead_from(0)
    assert table.claim("6-5").made is True


def test_a_bad_claim_may_lose_the_game() -> None:
    """f.3.13 `laydown_penalty`."""
    for penalty, delta in (("hand", [0, 1]), ("game", [0, 7])):
        table = two_left(CLAIM.replace(laydown_penalty=penalty), "NT-high", "6-6 5-4", "5-5 2-0", "4-0 2-2")
        assert table.claim("6-6 5-4").delta == delta
    lifted = Table(CLAIM.replace(laydown_penalty="game"), scores=[2, 3]).contract("M1", "NT-high")
    lifted.so_far([30, 0], [5, 0]).hold("6-6 5-4", "5-5 2-0", "1-0 2-1", "4-0 2-2").lead_from(0)
    assert lifted.claim("6-6 5-4").scores == [2, 7]


def test_claims_are_for_the_bidding_side_on_lead() -> None:
    """c.17, b.3 `laydown`."""
    table = two_left(CLAIM, "PIP3", "3-3 6-3", "5-5 6-5", "4-4 2-2")
    assert "CLAIM" in table.legal
    assert "CLAIM" not in table.play("3-3").legal
    assert "CLAIM" not in two_left(CLAIM, "PIP3", "3-3 6-3", "5-5 6-5", "4-4 2-2").lead_from(1).legal
    assert "CLAIM" in two_left(CLAIM, "PIP3", "3-3 6-3", "5-5 6-5", "4-4 2-2").lead_from(2).legal
    assert "CLAIM" not in two_left(Rules.preset("n42pa"), "PIP3", "3-3 6-3", "5-5 6-5", "4-4 2-2").legal


def test_a_proved_claim_beats_every_unseen_tile() -> None:
    """f.3.13: never by looking at hidden hands."""
    assert "CLAIM" in Table(PROVED, ALL_THREES, shaker=3).play("M2 PASS PASS PASS PIP3").legal
    assert "CLAIM" not in Table(PROVED, ALL_THREES, shaker=3).play("M2 PASS PASS PASS PIP4").legal
    for right in ("4-4 2-2", "5-5 2-2"):  # 6-3 is the highest unseen trump wherever the others lie
        assert "CLAIM" in two_left(PROVED, "PIP3", "3-3 6-3", "5-4 6-5", right).legal


def test_a_proved_claim_is_offered_until_the_contract_is_secured() -> None:
    """f.3.13: a point bid needs only its points, a mark bid every trick, and a lost one refuses."""
    points = Table(PROVED).contract("P30", "PIP3").so_far([29, 0], [5, 1])
    assert "CLAIM" in points.hold("3-3 2-0", "5-4 5-5", "1-0 2-1", "4-4 2-2").lead_from(0).legal
    marks = Table(PROVED.replace(early_end="play_all")).contract("M1", "PIP3").so_far([29, 1], [4, 1])
    assert "CLAIM" not in marks.hold("3-3 6-3", "5-4 5-5", "1-0 2-1", "4-4 2-2").lead_from(0).legal


def test_a_proved_claim_is_not_offered_in_nello() -> None:
    """f.3.13: even sure winners prove nothing there."""
    sixes = {0: "6-6 6-5 6-4 6-3 6-2 6-1 6-0"}
    for declaration, offered in (("NELLO-high", False), ("PIP6", True)):
        table = Table(PROVED.replace(nello="any"), sixes, shaker=3).play(f"M1 PASS PASS PASS {declaration}")
        assert ("CLAIM" in table.legal) is offered
    lost = Table(PROVED.replace(early_end="play_all")).contract("M1", "PIP3").so_far([30, 1], [5, 1])
    assert "CLAIM" not in lost.hold("3-3", "5-4", "1-0", "4-4").lead_from(0).legal


def test_the_bidder_has_seen_his_discards() -> None:
    """f.3.13: 6-6 cannot beat his 6-5 where he discarded it; for his partner it is still out."""
    for leader, offered in ((0, True), (2, False)):
        rules = Rules.preset("seventy_two").replace(laydown="proved")
        held = {0: "4-4 4-4 6-4 6-4 4-1 4-1 4-2 4-3 5-4 5-5"}
        table = Table(rules, held, widow="3-2 6-6", shaker=3)
        table.play("M1 PASS PASS PASS PIP4 DISCARD:6-6 DISCARD:3-2").so_far([69, 0], [9, 0])
        hands = ["5-1", "3-1", "5-2", "2-1"]
        hands[leader] = "6-5"
        table.hold(*hands).lead_from(leader)
        table.state.played &= ~table.state.discards
        assert ("CLAIM" in table.legal) is offered


@pytest.mark.parametrize("preset", ["seed_points", "moon", "big_game", "one_forty"])
def test_claims_exist_in_marks_only(preset: str) -> None:
    """f.3.13."""
    game = BatchedGame(preset, 1)
    game.reset(seed=1)
    while game.states[0].phase != PLAY:
        game.step([game.codec.parse(game.legal_names(0)[-1])])
    assert "CLAIM" not in game.legal_names(0)


def test_the_bare_claim_takes_the_engines_order() -> None:
    """f.3.13: trumps first, then by power in the suit each leads."""
    table = two_left(CLAIM, "PIP3", "6-5 3-3", "3-0 2-0", "4-4 2-2").play("CLAIM")
    assert table.made is True


def test_a_claim_leaves_the_record_as_it_was() -> None:
    """The search plays nothing: the tiles, the tricks and what is known stay."""
    table = two_left(CLAIM, "PIP3", "3-3 6-3", "5-5 6-5", "4-4 2-2")
    before = table.game.states.copy()
    table.claim("3-3 6-3")
    for name in ("hands", "played", "plays", "players", "n_plays", "n_tricks", "won", "taken", "cannot"):
        assert (table.state[name] == before[0][name]).all(), name
