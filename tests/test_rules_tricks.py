"""Ranks, leads, following and trick winners on the engine: worked examples of RULES.md (d) on suits.

Each test's docstring names its example, as ``d.14``.
"""

from support.table import Table, legal_after, trick_of, winner_of
from texas42.envs.rules.declarations import TRUMP
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import TILE_NAMES, parse_tile

HOUSE = Rules.preset("open").replace(
    nt_doubles=["high", "low", "own", "inv"], nello_doubles=["high", "low", "own", "inv"]
)
EIGHTY_FOUR = Rules.preset("eighty_four")


def suit_order(rules: Rules | str, declaration: str, suit: int) -> str:
    """The tiles that follow a suit, highest first."""
    resolved = resolve_rules(rules)
    table = Table(resolved)
    decl = [d.name for d in table.game.codec.declarations].index(declaration)
    tables = compile_tables(resolved)[0]
    followers = {i % resolved.n_types for i in resolved.deck if int(tables.follow[decl, suit]) >> i & 1}
    ordered = sorted(followers, key=lambda tile: int(tables.power[decl, suit, tile]), reverse=True)
    assert len({int(tables.power[decl, suit, tile]) for tile in ordered}) == len(ordered)
    return " ".join(TILE_NAMES[tile] for tile in ordered)


def lead_suit(declaration: str, tile: str) -> int:
    table = Table(HOUSE)
    decl = [d.name for d in table.game.codec.declarations].index(declaration)
    return int(compile_tables(HOUSE)[0].lead_suit[decl, parse_tile(tile)])


def test_double_is_the_highest_trump_and_the_rest_rank_by_their_other_end() -> None:
    """d.1."""
    assert suit_order("n42pa", "PIP3", TRUMP) == "3-3 6-3 5-3 4-3 3-2 3-1 3-0"


def test_a_trump_is_absent_from_its_other_suit() -> None:
    """d.2."""
    assert suit_order("n42pa", "PIP3", 5) == "5-5 6-5 5-4 5-2 5-1 5-0"


def test_a_lead_calls_its_higher_number_unless_it_is_trump() -> None:
    """d.3."""
    assert lead_suit("PIP6", "4-3") == 4
    assert lead_suit("PIP3", "4-3") == TRUMP


def test_a_trump_does_not_follow_its_other_number() -> None:
    """d.4."""
    assert legal_after("n42pa", "PIP0", "6-3", "6-5 6-0 5-5 4-4") == {"6-5"}


def test_without_trumps_anything_may_be_played_on_a_trump_lead() -> None:
    """d.5."""
    assert legal_after("n42pa", "PIP4", "4-2", "6-2 5-2 0-0") == {"6-2", "5-2", "0-0"}


def test_following_takes_any_tile_of_the_suit_but_trumps() -> None:
    """d.6."""
    assert legal_after("n42pa", "PIP4", "5-1", "5-4 5-5 5-0 6-6") == {"5-5", "5-0"}


def test_a_led_double_trump_is_followed_by_doubles_only() -> None:
    """d.7."""
    assert legal_after("n42pa", "DBL", "6-6", "6-5 6-4 1-1") == {"1-1"}
    assert legal_after("n42pa", "DBL", "6-6", "6-5 6-4 2-0") == {"6-5", "6-4", "2-0"}


def test_double_trump_is_not_in_its_number_suit() -> None:
    """d.8."""
    assert legal_after("n42pa", "DBL", "6-5", "6-6 6-1 2-0") == {"6-1"}
    assert winner_of("n42pa", "DBL", "6-5 6-1 2-2 6-4") == 2


def test_without_trump_only_the_led_suit_wins() -> None:
    """d.9."""
    assert winner_of("n42pa", "NT-high", "5-3 5-5 6-5 6-6") == 1


def test_low_doubles_rank_below_their_suit() -> None:
    """d.10."""
    assert winner_of(HOUSE, "NT-low", "6-0 6-6 5-5 6-1") == 3
    assert winner_of(HOUSE, "NT-low", "6-6 6-0 5-5 0-0") == 1


def test_the_highest_trump_wins() -> None:
    """d.11."""
    assert winner_of("n42pa", "PIP2", "6-5 6-6 2-0 5-2") == 3


def test_a_suit_that_was_not_led_cannot_win() -> None:
    """d.12."""
    assert winner_of("n42pa", "PIP1", "5-0 4-0 0-0 3-3") == 0


def test_a_trick_is_worth_one_and_its_count() -> None:
    """d.13."""
    assert trick_of("n42pa", "PIP6", "6-4 6-6 6-1 5-5").trick_points == [21]


def test_doubles_of_their_own_do_not_follow_numbers() -> None:
    """d.37."""
    assert legal_after(HOUSE, "NELLO-own", "1-0", "1-1 6-1 5-4") == {"6-1"}
    for declaration in ("NELLO-high", "NELLO-low"):
        assert legal_after(HOUSE, declaration, "1-0", "1-1 6-1 5-4") == {"1-1", "6-1"}


def test_nello_doubles_decide_who_wins_a_small_lead() -> None:
    """d.38."""
    winners = {q: winner_of(HOUSE, f"NELLO-{q}", "1-0 1-1 5-4") for q in ("own", "high", "low")}
    assert winners == {"own": 0, "high": 1, "low": 0}


def test_nello_doubles_decide_who_wins_a_double_lead() -> None:
    """d.39."""
    winners = {q: winner_of(HOUSE, f"NELLO-{q}", "6-6 6-0 5-5") for q in ("own", "high", "low", "inv")}
    assert winners == {"own": 0, "high": 0, "low": 1, "inv": 2}


def test_doubles_of_their_own_may_be_inverted() -> None:
    """d.40."""
    assert winner_of(HOUSE, "NELLO-own", "2-2 0-0 3-3") == 2
    assert winner_of(HOUSE, "NELLO-inv", "2-2 0-0 3-3") == 1


def test_doubles_of_their_own_are_followed_by_doubles() -> None:
    """d.41."""
    assert legal_after(HOUSE, "NELLO-own", "3-3", "6-6 4-4 6-5") == {"6-6", "4-4"}


def test_reversed_doubles_as_trump() -> None:
    """b.3 `dbl_order`: 0-0 becomes the highest double."""
    rules = Rules.preset("n42pa").replace(dbl_order="reversed")
    assert suit_order(rules, "DBL", TRUMP) == "0-0 1-1 2-2 3-3 4-4 5-5 6-6"
    assert suit_order("n42pa", "DBL", TRUMP) == "6-6 5-5 4-4 3-3 2-2 1-1 0-0"


def test_sevens_must_play_the_closest_tile() -> None:
    """d.50."""
    assert legal_after("open", "SEVENS", "6-6", "5-3 4-2 6-1 5-5") == {"6-1"}
    assert legal_after("open", "SEVENS", "6-6", "5-3 4-2 0-0") == {"5-3", "4-2"}


def test_sevens_leader_must_play_his_closest_tile_too() -> None:
    """a.8, d.50."""
    table = Table("open").contract("M1", "SEVENS")
    assert table.hold("6-6 5-3 4-2 6-1").legal == {"6-1"}


def test_sevens_ties_go_to_the_first_played() -> None:
    """d.51."""
    assert winner_of("open", "SEVENS", "5-3 4-2 6-0 3-3") == 0
    assert winner_of("open", "SEVENS", "5-4 4-2 5-3 6-6") == 1
    assert winner_of("open", "SEVENS", "5-0 6-3 4-1 5-4") == 0


def test_of_identical_tiles_the_first_played_is_higher() -> None:
    """d.56, b.3 `identical_tiles`."""
    plays = "5-4 5-4 6-5 6-5 1-1 2-2 3-3 4-4"
    assert winner_of(EIGHTY_FOUR, "PIP5", plays) == 2
    assert winner_of(EIGHTY_FOUR.replace(identical_tiles="last_played"), "PIP5", plays) == 3


def test_84_counts_two_points_a_trick() -> None:
    """d.57."""
    plays = "6-4 6-6 5-5 6-6 6-5 4-4 3-3 2-2"
    assert winner_of(EIGHTY_FOUR, "PIP0", plays) == 1
    assert trick_of(EIGHTY_FOUR, "PIP0", plays).trick_points == [22]


def test_an_identical_tile_does_not_overtake_the_lead() -> None:
    """d.58."""
    assert winner_of("seventy_two", "NT-high", "6-5 6-5 6-4 4-4") == 0
    last = Rules.preset("seventy_two").replace(identical_tiles="last_played")
    assert winner_of(last, "NT-high", "6-5 6-5 6-4 4-4") == 1


def test_moon_has_one_blank() -> None:
    """d.65."""
    rules = Rules.preset("moon")
    assert len(rules.deck) == 22
    assert suit_order(rules, "NT-high", 2) == "2-2 6-2 5-2 4-2 3-2 2-1"
    assert suit_order(rules, "NT-high", 0) == "0-0"


def test_moon_follows_and_wins_as_42() -> None:
    """d.66."""
    assert legal_after("moon", "PIP5", "6-4", "6-5 6-1 2-2", bid="P4") == {"6-1"}
    assert winner_of("moon", "PIP5", "6-4 6-6 5-1", bid="P4") == 2


def test_geezer_low_pip_ranks_below_its_suit() -> None:
    """d.74, c.12.5."""
    assert suit_order("geezer", "NELLO-high-L3", 6) == "6-6 7-6 6-5 6-4 6-2 6-1 6-0 6-3"
    assert suit_order("geezer", "NELLO-low-L3", 6) == "7-6 6-5 6-4 6-2 6-1 6-0 6-3 6-6"
    assert suit_order("geezer", "NELLO-high-L3", 3) == "3-3 7-3 6-3 5-3 4-3 3-2 3-1 3-0"
    assert winner_of("geezer", "NELLO-high-L3", "6-0 6-3 5-4") == 0


def test_geezer_count_tiles_as_trump() -> None:
    """d.75."""
    assert suit_order("geezer", "COUNT", TRUMP) == "5-5 7-3 6-4 5-0 4-1 3-2"
    assert legal_after("geezer", "COUNT", "7-3", "5-4 6-0 4-1", bid="C51") == {"4-1"}
    assert legal_after("geezer", "COUNT", "7-2", "5-5 6-6 7-1", bid="C51") == {"7-1"}
    assert winner_of("geezer", "COUNT", "7-2 7-7 7-3 7-6", bid="C51") == 2


def test_big_game_suits_reach_to_eights() -> None:
    """d.79."""
    assert suit_order("big_game", "NT-high", 3).startswith("3-3 8-3 7-3 6-3")
    assert suit_order("big_game", "NT-high", 2).startswith("2-2 8-2 7-2 6-2")


def test_an_announced_low_lead_ranks_in_the_low_suit() -> None:
    """d.80."""
    assert winner_of("big_game", "NT-high", "7-3 6-3 7-7 3-3") == 2
    assert winner_of("big_game", "NT-high", "7-3/3 6-3 7-7 3-3") == 3


def test_an_announced_low_lead_is_followed_in_the_low_suit() -> None:
    """d.81."""
    assert legal_after("big_game", "PIP8", "7-3/3", "7-7 6-3 5-5") == {"6-3"}
    assert legal_after("big_game", "PIP8", "7-3", "7-7 6-3 5-5") == {"7-7"}


def test_a_trump_has_no_low_end_to_announce() -> None:
    """d.81, c.13.5: 7-3 is a trump under PIP7 and PIP3, and nothing is announced."""
    for declaration, offered in (("PIP7", False), ("PIP3", False), ("DBL", True), ("NT-high", True)):
        table = Table("big_game").contract("P42", declaration).hold("7-3 6-5")
        assert ("7-3/3" in table.legal) is offered, declaration
        assert "6-5/5" not in table.legal


def test_low_ends_may_be_announced_as_the_house_says() -> None:
    """b.3 `lead_low_end`: never, listed tiles, the first trick, any lead."""
    offers = {}
    for where in ("never", "first_trick", "any", ["6-5"]):
        rules = Rules.preset("n42pa").replace(lead_low_end=where)
        first = Table(rules).contract("M1", "PIP3").hold("6-5 5-4 2-2").legal
        later = Table(rules).contract("M1", "PIP3").so_far([1, 0], [1, 0]).hold("6-5 5-4 2-2").legal
        offers[str(where)] = (sorted(n for n in first if "/" in n), sorted(n for n in later if "/" in n))
    both = ["5-4/4", "6-5/5"]
    assert offers == {
        "never": ([], []),
        "first_trick": (both, []),
        "any": (both, both),
        "['6-5']": (["6-5/5"], ["6-5/5"]),
    }


def test_in_response_a_low_tile_follows_either_end() -> None:
    """c.13.6: not led, 7-3 follows sevens and threes."""
    assert legal_after("big_game", "PIP8", "7-6", "7-3 6-3 5-5") == {"7-3"}
    assert legal_after("big_game", "PIP8", "3-1", "7-3 6-2 5-5") == {"7-3"}


def test_140_counts_fifteens_and_five_a_trick() -> None:
    """d.85."""
    assert trick_of("one_forty", "NT-high", "9-6 9-9 9-1 8-7 6-4 0-0").trick_points == [55]


def test_opening_lead_must_be_trump_where_the_house_says() -> None:
    """b.3 `opening_lead_must_be_trump`: trick 1 only, and only if he holds one."""
    rules = Rules.preset("n42pa").replace(opening_lead_must_be_trump=True)
    table = Table(rules).contract("M1", "PIP3")
    assert table.hold("6-3 3-3 5-5").legal == {"6-3", "3-3"}
    assert table.hold("6-5 5-5").legal == {"6-5", "5-5"}
    assert table.so_far([5, 0], [1, 0]).hold("6-3 5-5").legal == {"6-3", "5-5"}


def test_sixes_trump_and_five_five_led() -> None:
    """a.4: under sixes, 6-4 follows trumps only."""
    assert legal_after("n42pa", "PIP6", "5-5", "6-5 5-1 6-4") == {"5-1"}
    assert legal_after("n42pa", "PIP6", "4-4", "6-4 5-1") == {"6-4", "5-1"}
