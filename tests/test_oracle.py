"""The oracle against the worked examples of RULES.md (d) and the sample records.

A test's docstring or parameter names the examples it holds, as `d.14` for example 14.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from oracle import (
    PRESETS,
    Hand,
    IllegalAction,
    OracleError,
    complete_auctions,
    game_winners,
    hand_sizes,
    replay,
    resolve_rules,
    suits,
    tile_set,
    trick_winner,
)
from oracle.auction import Call, high_bid, legal_calls, next_caller, opening_bidder
from oracle.claims import ClaimSearch, Position
from oracle.contract import Contract, make_contract
from oracle.games import game_of, is_double
from oracle.scoring import Tally, decided, is_made, settle
from oracle.tricks import TRUMP, closest, followers, lead_suit, rank
from oracle.widow import exchange_discards, two_discards

Spec = dict[str, object]
SAMPLES = Path(__file__).parent / "data" / "sample_records.jsonl"
N42PA: Spec = {"preset": "n42pa"}
POINTS: Spec = {"preset": "seed_points"}


def deal(
    spec: Spec, held: dict[int, str] | None = None, widow: str = ""
) -> tuple[list[list[str]], list[str]]:
    """A whole deal in which some seats hold the tiles named; the rest goes round in order."""
    size, widow_size = hand_sizes(spec)
    hands: list[list[str]] = [(held or {}).get(seat, "").split() for seat in range(game_of(spec).seats)]
    left_over = widow.split()
    rest = list((Counter(tile_set(spec)) - Counter(sum(hands, left_over))).elements())
    for tiles in [*hands, left_over]:
        want = (widow_size if tiles is left_over else size) - len(tiles)
        tiles += rest[:want]
        rest = rest[want:]
    return hands, left_over


def start(spec: Spec, shaker: int = 0, held: dict[int, str] | None = None, widow: str = "") -> Hand:
    hands, left_over = deal(spec, held, widow)
    return Hand(spec, shaker, hands, left_over, [0] * game_of(spec).sides)


def after(hand: Hand, actions: str) -> Hand:
    """The hand after some actions; a discard is written `DISCARD:3-2`."""
    for action in actions.split():
        hand.apply(action.replace(":", " "))
    return hand


def calls_after(spec: Spec, calls: str = "", tiles: str = "6-5") -> set[str]:
    """The legal calls of the next caller, who holds `tiles`; the shaker is seat 0."""
    rules, game, made = resolve_rules(spec), game_of(spec), list[Call]()
    opener = 1 % game.seats
    for call in [*calls.split(), None]:
        seat = next_caller(rules, game, opener, made)
        assert seat is not None
        legal = legal_calls(rules, game, made, seat, tiles.split())
        if call is None:
            return set(legal)
        # Special calls of earlier bidders depend on tiles that do not matter here.
        assert call in legal or call in ("SPLASH", "PLUNGE", "DIP", "DIVE")
        made.append((seat, call))
    raise AssertionError


def points_range(low: int, high: int, step: int = 1) -> set[str]:
    return {f"P{n}" for n in range(low, high + 1, step)}


def contract(spec: Spec, bid: str, declaration: str = "PIP3", bidder: int = 0) -> Contract:
    rules, game = resolve_rules(spec), game_of(spec)
    won = high_bid(rules, game, [(bidder, bid)])
    assert won is not None
    return make_contract(rules, game, won, declaration, bidder, forced=False)


def score(spec: Spec, bid: str, points: list[int], tricks: list[int], declaration: str = "PIP3") -> list[int]:
    """What a finished hand of bidder 0 scores."""
    game, played = game_of(spec), contract(spec, bid, declaration)
    tally = Tally(points, tricks)
    return settle(resolve_rules(spec), game, played, is_made(game, played, tally), tally, claimed=False)


def verdict(
    spec: Spec, bid: str, points: list[int], tricks: list[int], declaration: str = "PIP3"
) -> bool | None:
    """a.11 for bidder 0 after some tricks."""
    return decided(
        resolve_rules(spec), game_of(spec), contract(spec, bid, declaration), Tally(points, tricks)
    )


def suit_order(spec: Spec, suit: int | str, declaration: str) -> list[str]:
    members = [tile for tile in set(tile_set(spec)) if suit in suits(tile, declaration)]
    return sorted(members, key=lambda tile: rank(tile, suit, declaration), reverse=True)


# ---------------------------------------------------------------------- records and parameters


@pytest.mark.parametrize("line", range(46))
def test_sample_records_replay_exactly(line: int) -> None:
    record = json.loads(SAMPLES.read_text().splitlines()[line])
    assert replay(record) == []


def test_replay_reports_every_wrong_key() -> None:
    record = json.loads(SAMPLES.read_text().splitlines()[14])
    wrong = {
        "actors": [0], "legal": [], "tricks": [], "contract": None, "made": False,
        "points": [0, 0], "score_delta": [0, 1], "format": "other",
    }
    for key, value in wrong.items():
        assert any(key in message or "actor" in message for message in replay({**record, key: value})), key
    assert replay({**record, "actions": record["actions"][:-1]})
    assert replay({**record, "actions": [*record["actions"], "6-6"]})
    assert replay({**record, "hands": record["hands"][::-1]})
    assert replay({**record, "note": "readers accept keys they do not know"}) == []


def test_unknown_presets_and_parameters_are_refused() -> None:
    with pytest.raises(OracleError, match="unknown preset"):
        resolve_rules({"preset": "nosuch"})
    with pytest.raises(OracleError, match="unknown parameter"):
        resolve_rules({"preset": "n42pa", "nellow": "any"})


@pytest.mark.parametrize(
    ("preset", "total"),
    [
        ("n42pa", 42), ("moon", 7), ("geezer", 54), ("big_game", 66), ("one_forty", 140), ("seventy_two", 72),
        ("eighty_four", 84), ("eighty_four_6", 88), ("eighty_four_7", 86), ("three_handed", 44),
        ("players_2", 49), ("players_5", 40), ("players_6", 39), ("players_7", 39),
    ],
)
def test_hand_totals(preset: str, total: int) -> None:
    """d.59, d.61, d.65, d.72, d.78, d.85, d.89, d.91 and a.9."""
    assert game_of({"preset": preset}).total == total


@pytest.mark.parametrize(
    ("preset", "tiles", "count"),
    [("moon", 22, 0), ("geezer", 36, 45), ("big_game", 45, 55), ("one_forty", 55, 95),
     ("seventy_two", 42, 60), ("eighty_four", 56, 70), ("three_handed", 27, 35)],
)
def test_tile_sets_and_their_count(preset: str, tiles: int, count: int) -> None:
    game = game_of({"preset": preset})
    assert len(game.tiles) == tiles
    assert sum(map(game.count, game.tiles)) == count


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_deals_the_whole_set(preset: str) -> None:
    size, widow = hand_sizes({"preset": preset})
    assert size * game_of({"preset": preset}).seats + widow == len(tile_set({"preset": preset}))


# ---------------------------------------------------------------------- ranks, leads, following


@pytest.mark.parametrize(
    ("spec", "suit", "declaration", "order"),
    [
        ("n42pa", TRUMP, "PIP3", "3-3 6-3 5-3 4-3 3-2 3-1 3-0"),  # d.1
        ("n42pa", 5, "PIP3", "5-5 6-5 5-4 5-2 5-1 5-0"),  # d.2
        ("moon", 2, "NT-high", "2-2 6-2 5-2 4-2 3-2 2-1"),  # d.65
        ("moon", 0, "NT-high", "0-0"),  # d.65
        ("geezer", 6, "NELLO-high-L3", "6-6 7-6 6-5 6-4 6-2 6-1 6-0 6-3"),  # d.74
        ("geezer", 6, "NELLO-low-L3", "7-6 6-5 6-4 6-2 6-1 6-0 6-3 6-6"),  # c.12.5
        ("geezer", 3, "NELLO-high-L3", "3-3 7-3 6-3 5-3 4-3 3-2 3-1 3-0"),  # c.12.5
        ("geezer", TRUMP, "COUNT", "5-5 7-3 6-4 5-0 4-1 3-2"),  # d.75
        ("big_game", 3, "NT-high", "3-3 8-3 7-3 6-3 5-3 4-3 3-2 3-1 3-0"),  # d.79
        ("big_game", 2, "NT-high", "2-2 8-2 7-2 6-2 5-2 4-2 3-2 2-1 2-0"),  # d.79
        ("n42pa", "D", "NT-inv", "0-0 1-1 2-2 3-3 4-4 5-5 6-6"),  # a.3
    ],
)
def test_order_of_a_suit(spec: str, suit: int | str, declaration: str, order: str) -> None:
    assert suit_order({"preset": spec}, suit, declaration) == order.split()


@pytest.mark.parametrize(
    ("tile", "declaration", "suit"), [("4-3", "PIP6", 4), ("4-3", "PIP3", TRUMP), ("6-4", "DBL", 6)]
)
def test_suit_of_the_lead(tile: str, declaration: str, suit: int | str) -> None:
    """d.3."""
    assert lead_suit(tile, declaration) == suit


@pytest.mark.parametrize(
    ("declaration", "lead", "hand", "legal"),
    [
        ("PIP0", "6-3", "6-5 6-0 5-5 4-4", "6-5"),  # d.4
        ("PIP4", "4-2", "6-2 5-2 0-0", "6-2 5-2 0-0"),  # d.5
        ("PIP4", "5-1", "5-4 5-5 5-0 6-6", "5-5 5-0"),  # d.6
        ("DBL", "6-6", "6-5 6-4 1-1", "1-1"),  # d.7
        ("DBL", "6-6", "6-5 6-4 2-0", "6-5 6-4 2-0"),  # d.7
        ("DBL", "6-5", "6-6 6-1 2-0", "6-1"),  # d.8
        ("NELLO-own", "1-0", "1-1 6-1 5-4", "6-1"),  # d.37
        ("NELLO-high", "1-0", "1-1 6-1 5-4", "1-1 6-1"),  # d.37
        ("NELLO-low", "1-0", "1-1 6-1 5-4", "1-1 6-1"),  # d.37
        ("NELLO-own", "3-3", "6-6 4-4 6-5", "6-6 4-4"),  # d.41
        ("PIP5", "6-4", "6-5 6-1 2-2", "6-1"),  # d.66
        ("COUNT", "7-3", "5-4 6-0 4-1", "4-1"),  # d.75
        ("COUNT", "7-2", "5-5 6-6 7-1", "7-1"),  # d.75
    ],
)
def test_who_can_follow(declaration: str, lead: str, hand: str, legal: str) -> None:
    assert followers(hand.split(), lead_suit(lead, declaration), declaration) == legal.split()


@pytest.mark.parametrize(
    ("declaration", "plays", "winner"),
    [
        ("DBL", "6-5 6-1 2-2 6-4", 2),  # d.8
        ("NT-high", "5-3 5-5 6-5 6-6", 1),  # d.9
        ("NT-low", "6-0 6-6 5-5 6-1", 3),  # d.10
        ("NT-low", "6-6 6-0 5-5 0-0", 1),  # d.10
        ("PIP2", "6-5 6-6 2-0 5-2", 3),  # d.11
        ("PIP1", "5-0 4-0 0-0 3-3", 0),  # d.12
        ("NELLO-own", "1-0 1-1 5-4", 0), ("NELLO-high", "1-0 1-1 5-4", 1),  # d.38
        ("NELLO-low", "1-0 1-1 5-4", 0),  # d.38
        ("NELLO-own", "6-6 6-0 5-5", 0), ("NELLO-high", "6-6 6-0 5-5", 0),  # d.39
        ("NELLO-low", "6-6 6-0 5-5", 1), ("NELLO-inv", "6-6 6-0 5-5", 2),  # d.39
        ("NELLO-own", "2-2 0-0 3-3", 2), ("NELLO-inv", "2-2 0-0 3-3", 1),  # d.40
        ("SEVENS", "5-3 4-2 6-0 3-3", 0), ("SEVENS", "5-4 4-2 5-3 6-6", 1),  # d.51
        ("SEVENS", "5-0 6-3 4-1 5-4", 0),  # d.51
        ("PIP5", "5-4 5-4 6-5 6-5 1-1 2-2 3-3 4-4", 2),  # d.56
        ("PIP0", "6-4 6-6 5-5 6-6 6-5 4-4 3-3 2-2", 1),  # d.57
        ("NT-high", "6-5 6-5 6-4 4-4", 0),  # d.58
        ("PIP5", "6-4 6-6 5-1", 2),  # d.66
        ("NELLO-high-L3", "6-0 6-3 5-4", 0),  # d.74
        ("COUNT", "7-2 7-7 7-3 7-6", 2),  # d.75
    ],
)
def test_trick_winner(declaration: str, plays: str, winner: int) -> None:
    assert trick_winner(plays.split(), declaration) == winner


def test_options_of_rank() -> None:
    """b.3 `identical_tiles` and `dbl_order`; d.80 for the announced low end."""
    assert trick_winner(["6-5", "6-5", "6-4"], "NT-high", identical_tiles="last_played") == 1
    assert trick_winner(["6-6", "0-0", "3-3"], "DBL", dbl_order="reversed") == 1
    assert trick_winner(["7-3", "6-3", "7-7", "3-3"], "NT-high") == 2
    assert trick_winner(["7-3", "6-3", "7-7", "3-3"], "NT-high", announced_low=True) == 3


@pytest.mark.parametrize(
    ("preset", "tiles", "points"),
    [("n42pa", "6-4 6-6 6-1 5-5", 21), ("eighty_four", "6-4 6-6 5-5 6-6 6-5 4-4 3-3 2-2", 22),
     ("one_forty", "9-6 9-9 9-1 8-7 6-4 0-0", 55)],
)
def test_trick_points(preset: str, tiles: str, points: int) -> None:
    """d.13, d.57, d.85."""
    assert game_of({"preset": preset}).trick_points(tiles.split()) == points


@pytest.mark.parametrize(
    ("hand", "legal"), [("6-6 5-3 4-2 6-1", "6-1"), ("5-3 4-2 0-0", "5-3 4-2")]
)
def test_closest_to_seven_must_be_played(hand: str, legal: str) -> None:
    """d.50."""
    assert closest(hand.split()) == legal.split()


# ---------------------------------------------------------------------- a full hand

ROBERSON = {
    0: "6-4 6-0 4-3 3-2 1-1 6-1 4-1", 1: "6-5 5-3 5-1 5-0 2-2 2-0 2-1",
    2: "5-5 5-4 4-4 4-2 4-0 3-1 0-0", 3: "6-6 6-3 6-2 5-2 3-3 3-0 1-0",
}
TWO_TRICKS = "PASS PASS PASS P32 PIP1 1-1 2-1 3-1 1-0 6-1 5-1 5-5 3-0"


def test_roberson_hand_legal_tiles() -> None:
    """d.14 to d.19 (f.4.7: the first trick was 1-1, 2-1, 3-1, 1-0)."""
    hand = after(start(N42PA, held=ROBERSON), "PASS PASS PASS P32 PIP1")
    legal = {}
    plays = "1-1 2-1 3-1 1-0 6-1 5-1 5-5 3-0 6-0 6-5 4-0 6-2 2-2 4-2 5-2 3-2 5-3 5-4 6-6 4-1 6-4 2-0 0-0 6-3"
    for play in plays.split():
        legal[len(hand.tricks) + 1, hand.actor] = hand.legal()
        hand.apply(play)
    assert (legal[1, 1], legal[1, 2], legal[1, 3]) == (["2-1", "5-1"], ["3-1"], ["1-0"])
    assert legal[2, 1] == ["5-1"]
    assert len(legal[2, 2]) == len(legal[2, 3]) == 6
    assert legal[3, 1] == ["6-5"]
    assert len(legal[3, 2]) == 5
    assert legal[3, 3] == ["6-2", "6-3", "6-6"]
    assert (legal[4, 2], legal[4, 3], legal[4, 0]) == (["4-2"], ["5-2"], ["3-2"])
    assert legal[5, 2] == ["5-4"]
    assert len(legal[5, 3]) == len(legal[5, 0]) == 3
    assert legal[6, 3] == ["6-3"]
    assert not hand.done


REST = "6-0 6-5 4-0 6-2 2-2 4-2 5-2 3-2 5-3 5-4 6-6 4-1 6-4 2-0 0-0 6-3 4-3 5-0 4-4 3-3"


@pytest.mark.parametrize(("spec", "delta"), [(N42PA, [1, 0]), (POINTS, [35, 7])])
def test_roberson_hand_is_made(spec: Spec, delta: list[int]) -> None:
    """d.15 to d.20."""
    hand = after(start(spec, held=ROBERSON), f"{TWO_TRICKS} {REST}")
    assert [(t["winner"], t["points"]) for t in hand.tricks] == [
        (0, 1), (0, 11), (1, 1), (1, 6), (0, 6), (0, 11), (2, 6)
    ]
    assert (hand.made, hand.tally.points, hand.score_delta) == (True, [35, 7], delta)
    assert replay(hand.record()) == []


def test_roberson_hand_bid_of_35_is_made_and_36_is_set_after_trick_four() -> None:
    """d.20, f.4.7."""
    made = after(start(N42PA, held=ROBERSON), f"{TWO_TRICKS} {REST}".replace("P32", "P35"))
    assert made.made is True
    plays = f"{TWO_TRICKS} {REST}".replace("P32", "P36").split()
    lost = after(start(N42PA, held=ROBERSON), " ".join(plays[: 5 + 16]))
    assert (lost.made, len(lost.tricks)) == (False, 4)


def test_roberson_hand_set_at_once() -> None:
    """d.21."""
    hand = after(start(N42PA, held=ROBERSON), f"{TWO_TRICKS} 6-4 6-5 4-0 6-6")
    assert (hand.done, hand.made, hand.tally.points, hand.score_delta) == (True, False, [12, 11], [0, 1])


# ---------------------------------------------------------------------- auctions

OPENING = {"PASS", "M1", "M2", *points_range(30, 41)}
GEEZER_OPENING = {"PASS", "M1", "M2", "C51", *points_range(39, 53)}


@pytest.mark.parametrize(
    ("preset", "calls", "legal"),
    [
        ("n42pa", "", OPENING), ("n42pa", "P30", OPENING - {"P30"}),  # d.22
        ("n42pa", "P41", {"PASS", "M1", "M2"}), ("n42pa", "M1", {"PASS", "M2"}),  # d.22
        ("n42pa", "M2", {"PASS", "M3"}), ("n42pa", "M2 PASS", {"PASS", "M3"}),  # d.22, d.23
        ("n42pa", "M2 M3 M4", {"PASS", "M5"}),  # d.24
        ("seed_marks", "PASS PASS PASS", OPENING - {"PASS"}),  # d.25
        ("n42pa", "PASS PASS PASS", OPENING),  # d.25
        ("n42pa", "P33", {"PASS", "M1", "M2", *points_range(34, 41)}),  # d.27
        ("spruce", "M2", {"PASS"}),  # f.1
        ("open", "PLUNGE", {"PASS", "M5"}),  # d.49
        ("eighty_four", "", {"PASS", "M1", "M2", *points_range(60, 82, 2)}),  # d.59
        ("seventy_two", "", {"PASS", "M1", "M2", *points_range(40, 71)}),  # d.61
        ("moon", "", {"PASS", "MOON", *points_range(4, 7)}),  # d.69
        ("moon", "MOON", {"PASS", "SHOOT_OVER"}), ("moon", "P7", {"PASS", "MOON"}),  # d.69
        ("geezer", "", GEEZER_OPENING),  # d.72
        ("geezer", "M1", {"PASS", "M2", "C51", *points_range(46, 53)}),  # d.72
        ("geezer", "P46", {"PASS", "M2", "C51", *points_range(47, 53)}),  # d.72
        ("geezer", "C51", {"PASS", "M2", "P52", "P53"}),  # c.12
        ("geezer", "PASS PASS PASS", (GEEZER_OPENING | {"ASK", "TWO39"}) - {"PASS"}),  # d.77
        ("big_game", "", {"PASS", "M1", "M2", *points_range(42, 65)}),  # d.78
        ("one_forty", "", {"PASS", "M1", "M2", *points_range(100, 135, 5)}),  # d.86
        ("one_forty", "M2", {"PASS", "M3"}),  # d.86
        ("three_handed", "", OPENING),  # c.15.2
        ("players_2", "", OPENING),  # c.16
        ("players_5", "", {"PASS", "M1", "M2", *points_range(30, 39)}),  # d.91
        ("players_6", "", {"PASS", "M1", "M2", *points_range(30, 38)}),  # d.91
        ("players_7", "", {"PASS", "M1", "M2", *points_range(30, 38)}),  # d.91
    ],
)
def test_legal_calls(preset: str, calls: str, legal: set[str]) -> None:
    assert calls_after({"preset": preset}, calls) == legal


def test_exact_forced_bid() -> None:
    """d.25."""
    assert calls_after({"preset": "seed_marks", "forced_bid": "exactly_min"}, "PASS PASS PASS") == {"P30"}


def test_all_pass_throws_the_hand_in() -> None:
    """d.25."""
    hand = after(start(N42PA), "PASS PASS PASS PASS")
    assert (hand.done, hand.made, hand.score_delta, hand.record()["contract"]) == (True, None, [0, 0], None)


def test_raise_up_to_two_and_cap() -> None:
    """f.2.4."""
    spec: Spec = {"preset": "n42pa", "mark_raise": "plus_up_to_two"}
    assert calls_after(spec, "M1") == {"PASS", "M2", "M3"}
    assert calls_after({**spec, "max_marks_cap": 4}, "M1 M3") == {"PASS", "M4"}
    assert calls_after({"preset": "n42pa", "max_opening_marks": 1}, "M1") == {"PASS", "M2"}


@pytest.mark.parametrize(("cap", "auctions"), [(1, 2380), (2, 3060), (3, 3196), (4, 3213), (5, 3214)])
def test_number_of_complete_auctions(cap: int, auctions: int) -> None:
    """d.26."""
    assert complete_auctions({"preset": "n42pa", "max_marks_cap": cap}) == auctions
    assert complete_auctions({"preset": "seed_marks", "max_marks_cap": cap}) == auctions - 1


def test_number_of_complete_moon_auctions() -> None:
    """d.69."""
    assert complete_auctions({"preset": "moon"}) == 63


def test_holder_of_1_0_bids_first() -> None:
    """d.92, c.16.5."""
    spec: Spec = {"preset": "n42pa", "opening_bidder": "holder_of_1_0"}
    hands, _ = deal(spec, {3: "1-0"})
    assert opening_bidder(resolve_rules(spec), game_of(spec), 0, hands) == 3
    assert after(start(spec, held={3: "1-0"}), "PASS PASS PASS PASS").actors == [3, 0, 1, 2]
    assert after(start(N42PA, held={3: "1-0"}), "PASS PASS PASS PASS").actors == [1, 2, 3, 0]
    assert start({"preset": "three_handed", "opening_bidder": "holder_of_1_0"}, shaker=1).actor == 2


def test_big_game_auction_ends_when_all_but_one_have_passed() -> None:
    """d.84."""
    hand = after(start({"preset": "big_game"}), "P42 PASS P43 PASS P44 PASS")
    assert hand.bid is not None
    assert (hand.bid.call, hand.bid.seat, hand.actors) == ("P44", 1, [1, 2, 3, 0, 1, 3])


# ---------------------------------------------------------------------- special bids

THREE_DOUBLES = "6-6 5-5 0-0 4-2 3-1 2-0 1-0"
FOUR_DOUBLES = "6-6 5-5 0-0 3-3 3-1 2-0 1-0"


@pytest.mark.parametrize(
    ("spec", "calls", "tiles", "special"),
    [
        ({"preset": "open"}, "", THREE_DOUBLES, {"SPLASH"}),  # d.45
        ({"preset": "open"}, "P38", FOUR_DOUBLES, {"SPLASH", "PLUNGE"}),  # d.46
        ({"preset": "geezer"}, "", "0-0 1-1 2-2 3-1", {"DIP"}),  # d.73
        ({"preset": "geezer"}, "", "0-0 1-1 2-2 3-3", {"DIP", "DIVE"}),  # d.73
        ({"preset": "geezer"}, "", "0-0 1-1 2-2 3-3 4-4", {"DIP", "DIVE", "PLUNGE"}),  # d.73
        ({"preset": "open", "special_jump": False}, "", FOUR_DOUBLES, set()),  # f.3.7
        ({"preset": "open", "special_jump": False}, "M2", FOUR_DOUBLES, {"SPLASH"}),  # f.3.7
        ({"preset": "open", "special_declared_at": "after"}, "", FOUR_DOUBLES, set()),  # f.3.7
        ({"preset": "open", "max_marks_cap": 3}, "", FOUR_DOUBLES, {"SPLASH"}),  # f.2.4
        ({"preset": "seed_marks"}, "", FOUR_DOUBLES, set()),
    ],
)
def test_special_calls_need_their_doubles(spec: Spec, calls: str, tiles: str, special: set[str]) -> None:
    assert calls_after(spec, calls, tiles) & {"SPLASH", "PLUNGE", "DIP", "DIVE"} == special


@pytest.mark.parametrize(
    ("preset", "calls", "marks"),
    [
        ("open", "P38 PLUNGE", 4), ("open", "M2 M3 M4 PLUNGE", 5), ("open", "M2 M3 SPLASH", 4),  # d.46
        ("geezer", "DIP", 2), ("geezer", "DIVE", 3), ("geezer", "PLUNGE", 4), ("geezer", "M2 DIP", 3),  # d.73
        ("geezer", "M1 DIP", 2),
    ],
)
def test_value_of_a_special_call(preset: str, calls: str, marks: int) -> None:
    rules, game = resolve_rules({"preset": preset}), game_of({"preset": preset})
    high = high_bid(rules, game, list(enumerate(calls.split())))
    assert high is not None
    assert high.marks == marks


@pytest.mark.parametrize(("leads", "leader"), [("namer", 3), ("bidder", 1)])
def test_partner_declares_after_a_plunge(leads: str, leader: int) -> None:
    """d.47."""
    spec: Spec = {"preset": "open", "special_leader": leads}
    hand = after(start(spec, held={1: FOUR_DOUBLES}), "PLUNGE PASS PASS PASS")
    assert (hand.phase, hand.actor) == ("declare", 3)
    hand.apply("PIP4")
    assert (hand.phase, hand.actor) == ("play", leader)


def test_plunge_set_costs_its_marks() -> None:
    """d.48."""
    assert score({"preset": "open"}, "PLUNGE", [41, 1], [6, 1]) == [0, 4]


def test_special_declared_after_keeps_the_plain_bid() -> None:
    """f.3.7."""
    spec: Spec = {"preset": "open", "special_declared_at": "after", "splash_marks": 2}
    hand = after(start(spec, held={1: FOUR_DOUBLES}), "M2 PASS PASS PASS")
    assert {"SPLASH", "SEVENS", "NELLO-own"} <= set(hand.legal())
    assert "PLUNGE" not in hand.legal()
    after(hand, "SPLASH")
    assert (hand.actor, set(hand.legal())) == (3, {"DBL", "NT-high", *(f"PIP{t}" for t in range(7))})
    after(hand, "PIP4")
    assert hand.contract is not None
    assert (hand.contract.bid.call, hand.contract.declarer, hand.actor) == ("M2", 3, 3)


def test_partner_options_sevens_and_nello() -> None:
    """f.3.8."""
    spec: Spec = {"preset": "casual", "special_partner_options": "trumps+NT+SEVENS+NELLO"}
    hand = after(start(spec, held={1: FOUR_DOUBLES}), "PLUNGE PASS PASS PASS")
    assert {"SEVENS", "NELLO-own"} <= set(hand.legal())
    after(hand, "NELLO-own")
    assert hand.contract is not None
    assert (hand.actor, hand.contract.declarer, hand.contract.sits_out) == (1, 3, {3})


# ---------------------------------------------------------------------- nello, sevens, loper, claims


def test_nello_partner_sits_out_and_one_trick_sets_it() -> None:
    """d.42."""
    hand = after(start({"preset": "casual"}, held={1: "6-6 6-5"}), "M1 PASS PASS PASS NELLO-own 6-6")
    for _ in range(2):
        hand.apply(hand.legal()[0])
    assert hand.actors[-3:] == [1, 2, 0]
    assert (hand.done, hand.made, hand.score_delta) == (True, False, [1, 0])


@pytest.mark.parametrize(("calls", "offered"), [("PASS M1 PASS PASS", False), ("PASS PASS PASS M1", True)])
def test_nello_for_the_forced_last_bidder_only(calls: str, offered: bool) -> None:
    """d.43."""
    hand = after(start({"preset": "seed_marks", "nello": "forced_last_only"}), calls)
    assert ("NELLO-high" in hand.legal()) is offered


def test_points_bids_offer_no_nello_and_no_sevens() -> None:
    """d.44, c.7."""
    legal = after(start({"preset": "open"}), "P30 PASS PASS PASS").legal()
    assert set(legal) == {"DBL", "NT-high", "LOPER", *(f"PIP{t}" for t in range(7))}


def test_pistol_of_eight_players() -> None:
    """d.60."""
    spec: Spec = {"preset": "eighty_four", "nello": "any"}
    hand = after(start(spec, shaker=7, held={0: "0-0 0-0"}), "M1" + " PASS" * 7 + " NELLO-high 0-0")
    while not hand.tricks:
        hand.apply(hand.legal()[0])
    assert hand.actors[-5:] == [0, 1, 3, 5, 7]


SEVENS_WON = {
    0: "4-3 6-1 5-2 6-2 5-3 4-2 5-1", 1: "6-6 5-5 4-4 1-1 0-0 1-0 2-0",
    2: "6-0 3-3 4-1 3-2 6-3 5-4 2-2", 3: "6-5 6-4 5-0 4-0 3-0 3-1 2-1",
}
SEVENS_LOST = {
    0: "4-3 6-1 5-3 5-4 6-3 6-4 6-5", 1: "5-2 6-2 4-2 5-1 3-3 6-0 4-4",
    2: "4-1 3-2 5-0 6-6 5-5 2-2 0-0", 3: "4-0 3-1 2-1 3-0 1-1 2-0 1-0",
}


@pytest.mark.parametrize(
    ("held", "calls", "made", "tricks"),
    [
        (SEVENS_WON, "M1 PASS PASS PASS SEVENS", True, 7),  # d.52
        (SEVENS_LOST, "M1 PASS PASS PASS SEVENS", False, 4),  # d.53
        (SEVENS_LOST, "P30 PASS PASS PASS LOPER", False, 5),  # d.53
    ],
)
def test_closeness_hands(held: dict[int, str], calls: str, made: bool, tricks: int) -> None:
    hand = after(start({"preset": "open"}, shaker=3, held=held), calls)
    while not hand.done:
        hand.apply(hand.legal()[-1])
    assert (hand.made, len(hand.tricks)) == (made, tricks)


def test_sevens_need_a_seven() -> None:
    """f.3.10."""
    spec: Spec = {"preset": "open", "sevens_need_seven": True}
    without = after(start(spec, held={1: SEVENS_WON[1]}), "M1 PASS PASS PASS")
    assert "SEVENS" not in without.legal()
    assert "SEVENS" in after(start(spec, held={1: SEVENS_WON[0]}), "M1 PASS PASS PASS").legal()


@pytest.mark.parametrize(
    ("declaration", "mine", "left", "right", "valid"),
    [
        ("PIP3", "3-3 6-3", "5-5 6-5", "4-4 2-2", True),  # d.55
        ("NT-high", "6-6 5-4", "5-5 2-0", "4-0 2-2", False),  # d.55
        ("NT-high", "6-6 5-4", "5-5 6-5", "4-0 2-2", False),
    ],
)
def test_a_claim_must_survive_every_line(
    declaration: str, mine: str, left: str, right: str, valid: bool
) -> None:
    rules, game = resolve_rules(N42PA), game_of(N42PA)
    hands = {0: tuple(mine.split()), 1: tuple(left.split()), 2: ("1-0", "2-1"), 3: tuple(right.split())}
    search = ClaimSearch(rules, game, contract(N42PA, "M1", declaration), 0, mine.split())
    assert search.holds(Position(hands, (), 0, (30, 0), (5, 0))) is valid


@pytest.mark.parametrize(("penalty", "delta"), [("hand", [0, 1]), ("game", [0, 7])])
def test_a_bad_claim_sets_the_contract(penalty: str, delta: list[int]) -> None:
    """c.17, f.3.13."""
    spec: Spec = {"preset": "n42pa", "laydown": "claim", "laydown_penalty": penalty}
    hand = after(start(spec, held=ROBERSON), TWO_TRICKS)
    assert "CLAIM" in hand.legal()
    with pytest.raises(IllegalAction, match="in some order"):
        hand.apply("CLAIM 6-4")
    hand.apply("CLAIM 6-4 6-0 4-3 3-2 4-1")
    assert (hand.made, hand.score_delta, len(hand.tricks)) == (False, delta, 2)
    assert replay(hand.record()) == []


def test_a_claim_is_offered_when_proved() -> None:
    """f.3.13."""
    spec: Spec = {"preset": "n42pa", "laydown": "proved"}
    all_threes = {0: "3-3 6-3 5-3 4-3 3-2 3-1 3-0"}
    hand = after(start(spec, shaker=3, held=all_threes), "M2 PASS PASS PASS PIP3")
    assert "CLAIM" in hand.legal()
    hand.apply("CLAIM")
    assert hand.actions[-1] == "CLAIM 3-3 6-3 5-3 4-3 3-2 3-1 3-0"
    assert (hand.made, hand.score_delta) == (True, [2, 0])
    assert "CLAIM" not in after(start(spec, shaker=3, held=all_threes), "M2 PASS PASS PASS PIP4").legal()


# ---------------------------------------------------------------------- widows


@pytest.mark.parametrize(
    ("declaration", "discarded", "legal"),
    [
        ("PIP4", "", "4-4 4-4 6-4 6-4 4-1 4-1 4-2 4-3 5-4 5-5 3-2 6-6"),  # d.62, f.3.5: the first is free
        ("PIP4", "3-2", "6-6"), ("PIP4", "6-6", "4-4 4-4 6-4 6-4 4-1 4-1 4-2 4-3 5-4 5-5 3-2"),  # d.62
        ("NT-high", "", "4-4 4-4 4-2 4-3 5-4 6-6"),  # d.63
    ],
)
def test_discards_of_72(declaration: str, discarded: str, legal: str) -> None:
    twelve = Counter(["4-4", "4-4", "6-4", "6-4", "4-1", "4-1", "4-2", "4-3", "5-4", "5-5", "3-2", "6-6"])
    hand = list((twelve - Counter(discarded.split())).elements())
    found = two_discards(game_of({"preset": "seventy_two"}), hand, discarded.split(), declaration)
    assert sorted(found) == sorted(legal.split())


def test_72_credits_the_widow_and_the_discarded_count() -> None:
    """d.62, f.4.2."""
    hand = after(
        start({"preset": "seventy_two"}, 3, {0: "4-4 4-4 6-4 6-4 4-1 4-1 4-2 4-3 5-4 5-5"}, "3-2 6-6"),
        "P50 PASS PASS PASS PIP4 DISCARD:3-2 DISCARD:6-6",
    )
    assert hand.tally.points == [2, 5]


def test_72_bid_made_by_the_widow_points() -> None:
    """d.64."""
    game = game_of({"preset": "seventy_two"})
    assert is_made(game, contract({"preset": "seventy_two"}, "P50"), Tally([49 + 2, 21], [7, 3]))
    without: Spec = {"preset": "seventy_two", "widow_points": 0}
    assert not is_made(game_of(without), contract(without, "P50"), Tally([49, 21], [7, 3]))
    assert "P70" not in calls_after(without)


def test_big_game_widow() -> None:
    """d.82, f.3.3."""
    count = after(start({"preset": "big_game"}, widow="6-4"), "P42 PASS PASS PASS")
    assert count.phase == "discard"
    assert "DISCARD 6-4" not in count.legal()
    assert not any(count.game.count(action.split()[1]) for action in count.legal())
    plain = after(start({"preset": "big_game"}, widow="8-7"), "P42 PASS PASS PASS")
    assert plain.legal() == ["LEAVE", "TAKE"]
    assert "DISCARD 8-7" not in after(plain, "TAKE").legal()


def test_140_with_all_ten_count_tiles() -> None:
    """f.3.3, c.14.1."""
    game = game_of({"preset": "one_forty"})
    tens = ["9-6", "8-7", "9-1", "8-2", "7-3", "6-4", "5-5", "5-0", "4-1", "3-2"]
    assert set(exchange_discards(game, tens, "9-6")) == {"5-0", "4-1", "3-2"}
    held = " ".join(tens[1:])
    count = after(start({"preset": "one_forty"}, 5, {0: held}, "9-6"), "P100" + " PASS" * 5)
    assert count.phase == "discard"
    plain = after(start({"preset": "one_forty"}, 5, {0: held}, "0-0"), "P100" + " PASS" * 5)
    assert plain.phase == "declare"


def test_moon_discards_one_of_eight() -> None:
    """f.3.4."""
    hand = after(start({"preset": "moon"}, shaker=2), "MOON SHOOT_OVER")
    assert (hand.phase, hand.actor, len(hand.legal())) == ("discard", 1, 8)
    after(hand, f"DISCARD:{hand.widow[0]}")
    assert hand.legal() == ["NT-high", *(f"PIP{t}" for t in range(7))]


def test_big_game_low_end_leads() -> None:
    """d.80, d.81."""
    held = {0: "7-3 8-2 6-5", 1: "7-7 6-3 5-5"}
    hand = after(start({"preset": "big_game"}, 3, held, "0-0"), "P42 PASS PASS PASS LEAVE PIP8")
    assert {"7-3", "7-3/3"} <= set(hand.legal())
    assert "8-2/2" not in hand.legal()
    assert "6-5/5" not in hand.legal()
    assert set(after(hand, "7-3/3").legal()) & {"7-7", "6-3", "5-5"} == {"6-3"}
    for trump in ("PIP7", "PIP3"):
        other = after(start({"preset": "big_game"}, 3, held, "0-0"), f"P42 PASS PASS PASS LEAVE {trump}")
        assert "7-3/3" not in other.legal()
        assert "8-2/2" in other.legal()


# ---------------------------------------------------------------------- making, scores, end of the game


@pytest.mark.parametrize(
    ("preset", "bid", "declaration", "points", "tricks", "expected"),
    [
        ("n42pa", "P30", "PIP3", [28, 12], [4, 2], None),  # d.28
        ("n42pa", "P30", "PIP3", [27, 13], [4, 2], False),  # d.28
        ("n42pa", "P30", "PIP3", [30, 6], [4, 2], True),
        ("n42pa", "P35", "PIP3", [20, 8], [3, 1], False),
        ("n42pa", "M2", "PIP3", [20, 1], [3, 1], False),  # d.29
        ("n42pa", "M2", "PIP3", [41, 0], [6, 0], None),
        ("eighty_four", "P60", "PIP3", [40, 24], [4, 2], None),  # d.59
        ("eighty_four", "P60", "PIP3", [40, 25], [4, 2], False),  # d.59
        ("three_handed", "P30", "PIP3", [20, 8, 6], [4, 2, 1], None),  # d.89
        ("three_handed", "P30", "PIP3", [20, 8, 7], [4, 2, 1], False),  # d.89
        ("geezer", "C51", "COUNT", [30, 3], [3, 3], None),  # d.76
        ("geezer", "C51", "COUNT", [30, 4], [3, 4], False),  # d.76
        ("moon", "P5", "PIP3", [0, 4, 0], [0, 4, 0], None),  # f.4.3
    ],
)
def test_early_end(
    preset: str, bid: str, declaration: str, points: list[int], tricks: list[int], expected: bool | None
) -> None:
    assert verdict({"preset": preset}, bid, points, tricks, declaration) is expected


ONE_FORTY: Spec = {"preset": "one_forty"}
SOLO: Spec = {"preset": "three_handed", "set_award_solo": "bidder_loses"}
SOLO_POINTS: Spec = {"preset": "three_handed", "scoring": "points"}


@pytest.mark.parametrize(
    ("spec", "bid", "points", "tricks", "delta"),
    [
        (N42PA, "P30", [30, 12], [4, 3], [1, 0]), (N42PA, "P30", [29, 13], [4, 3], [0, 1]),  # d.28
        (N42PA, "M2", [20, 1], [3, 1], [0, 2]), (N42PA, "M2", [42, 0], [7, 0], [2, 0]),  # d.29, d.30
        (POINTS, "P30", [31, 11], [4, 3], [31, 11]), (POINTS, "P30", [26, 16], [4, 3], [0, 46]),  # d.32, d.33
        (POINTS, "M1", [42, 0], [7, 0], [42, 0]), (POINTS, "M2", [42, 0], [7, 0], [84, 0]),  # d.34
        (POINTS, "M1", [36, 6], [5, 2], [0, 48]),  # d.35
        ({**POINTS, "set_award_sweep": "bid_only"}, "M1", [36, 6], [5, 2], [0, 42]),  # d.35
        ({**POINTS, "points_mode_multiples": "doubling"}, "M3", [42, 0], [7, 0], [168, 0]),  # b.2
        ({**POINTS, "defenders_keep_points_when_made": False}, "P30", [31, 11], [4, 3], [31, 0]),  # b.5
        ({"preset": "moon"}, "P5", [6, 1, 0], [6, 1, 0], [6, 1, 0]),  # d.67
        ({"preset": "moon"}, "P5", [4, 2, 1], [4, 2, 1], [-5, 2, 1]),  # d.67
        ({"preset": "moon"}, "MOON", [7, 0, 0], [7, 0, 0], [21, 0, 0]),  # d.68
        ({"preset": "moon"}, "MOON", [6, 1, 0], [6, 1, 0], [-21, 1, 0]),  # d.68
        ({"preset": "moon"}, "SHOOT_OVER", [7, 0, 0], [7, 0, 0], [42, 0, 0]),  # d.68
        ({"preset": "moon"}, "SHOOT_OVER", [6, 0, 1], [6, 0, 1], [-42, 0, 1]),  # d.68
        ({"preset": "geezer"}, "C51", [51, 3], [6, 3], [1, 0]),  # d.76
        ({"preset": "geezer"}, "C51", [48, 6], [8, 1], [0, 1]),  # d.76
        ({"preset": "geezer"}, "C51", [50, 4], [5, 4], [0, 1]),  # d.76
        ({"preset": "geezer"}, "TWO39", [38, 16], [5, 4], [0, 2]),  # d.77
        ({"preset": "big_game"}, "P45", [50, 16], [8, 3], [50, 16]),  # d.83
        ({"preset": "big_game"}, "P45", [40, 26], [8, 3], [0, 71]),  # d.83
        (ONE_FORTY, "P110", [105, 20, 15], [5, 2, 2], [-110, 20, 15]),  # d.87
        (ONE_FORTY, "P110", [115, 15, 10], [5, 2, 2], [115, 15, 10]),  # d.87
        (ONE_FORTY, "M2", [140, 0, 0], [9, 0, 0], [280, 0, 0]),  # d.88
        (ONE_FORTY, "M2", [135, 5, 0], [8, 1, 0], [-280, 5, 0]),  # d.88
        ({"preset": "three_handed"}, "P30", [29, 9, 6], [5, 2, 2], [0, 1, 1]),  # d.90
        (SOLO, "P30", [29, 9, 6], [5, 2, 2], [-1, 0, 0]),  # c.15.3
        (SOLO_POINTS, "P30", [29, 9, 6], [5, 2, 2], [0, 39, 36]),  # c.15.5
        (SOLO_POINTS, "M1", [44, 0, 0], [9, 0, 0], [44, 0, 0]),  # f.4.6
    ],
)
def test_settlement(spec: Spec, bid: str, points: list[int], tricks: list[int], delta: list[int]) -> None:
    assert score(spec, bid, points, tricks) == delta


def test_three_handed_mark_needs_nine_tricks() -> None:
    """d.90."""
    spec: Spec = {"preset": "three_handed"}
    assert is_made(game_of(spec), contract(spec, "M1"), Tally([44, 0, 0], [9, 0, 0]))
    assert not is_made(game_of(spec), contract(spec, "M1"), Tally([43, 1, 0], [8, 1, 0]))


def test_forced_sweep_bonus() -> None:
    """f.3.9: play goes on past the bid until a trick is lost."""
    spec: Spec = {"preset": "seed_marks", "forced_sweep_bonus": 2}
    held = {0: "3-3 6-3 5-3 4-3 3-2 3-1 3-0", 1: "5-5 6-4"}
    hand = after(start(spec, held=held), "PASS PASS PASS P30 PIP3")
    while not hand.done:
        hand.apply(hand.legal()[-1])
    assert (len(hand.tricks), hand.score_delta) == (7, [2, 0])


@pytest.mark.parametrize(
    ("spec", "before", "delta", "bidder", "made", "winners"),
    [
        (N42PA, [6, 5], [2, 0], 0, True, [0]),  # d.30
        ({**N42PA, "win_by_two": True}, [6, 6], [1, 0], 0, True, None),  # d.31
        ({**N42PA, "win_by_two": True}, [7, 6], [1, 0], 0, True, [0]),  # d.31
        (POINTS, [240, 245], [32, 10], 0, True, [0]), (POINTS, [215, 245], [32, 10], 0, True, [1]),  # d.36
        ({**POINTS, "tie_rule": "higher"}, [225, 248], [31, 11], 0, True, [1]),  # b.1
        ({**POINTS, "tie_rule": "bidder_only"}, [240, 250], [0, 12], 0, False, [1]),  # f.4.4
        ({**POINTS, "tie_rule": "higher"}, [230, 250], [31, 11], 0, True, None),  # c.2.3
        ({"preset": "moon"}, [19, 20, 5], [4, 2, 1], 0, True, [0]),  # d.70
        ({"preset": "moon"}, [-10, 5, 5], [21, 0, 0], 0, True, None),  # d.71
        ({"preset": "three_handed"}, [6, 6, 3], [0, 1, 1], 0, False, [1]),
        ({"preset": "three_handed"}, [3, 6, 6], [0, 1, 1], 0, False, [1, 2]),  # c.15.4
        ({"preset": "moon"}, [30, 21, 5], [0, 0, 0], None, None, [0]),
    ],
)
def test_end_of_the_game(
    spec: Spec, before: list[int], delta: list[int], bidder: int | None, made: bool | None,
    winners: list[int] | None,
) -> None:
    assert game_winners(spec, before, delta, bidder, made) == winners


def test_an_illegal_action_changes_nothing() -> None:
    hand = after(start(N42PA), "P30")
    for action in ("P30", "M3", "6-6", "CLAIM", "nonsense"):
        with pytest.raises(IllegalAction):
            hand.apply(action)
    assert (hand.actions, hand.actor, hand.phase) == (["P30"], 2, "auction")


def test_opening_lead_must_be_trump() -> None:
    """b.3."""
    spec: Spec = {"preset": "n42pa", "opening_lead_must_be_trump": True}
    hand = after(start(spec, held=ROBERSON), "PASS PASS PASS P32 PIP1")
    assert hand.legal() == ["1-1", "4-1", "6-1"]


def test_two_seats_each_is_the_four_hand_game() -> None:
    """f.2.2."""
    spec: Spec = {"preset": "players_2", "two_seats_each": True}
    assert (game_of(spec).seats, game_of(spec).sides, game_of(spec).total) == (4, 2, 42)
    assert sum(is_double(tile) for tile in tile_set(spec)) == 7
