"""The solver on the other games of the family, against plain minimax on the oracle's rules."""

import random
from itertools import product

import pytest

from support.plain_solver import Hands, PlainSolver
from texas42.agents.solver import SolverError, solve, solve_all
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES, tile_count


def endings(rules: Rules, size: int, rng: random.Random) -> Hands:
    """Random hands of `size` tiles for every seat."""
    deck = [TILE_NAMES[i % rules.n_types] for i in rules.deck]
    rng.shuffle(deck)
    return tuple(tuple(deck[size * seat : size * seat + size]) for seat in range(rules.seats))


def reference(rules: Rules, decl: str, bidder: int) -> PlainSolver:
    """The plain solver for the bidder's side against the rest."""
    side = tuple(s for s in range(rules.seats) if rules.side_of(s) == rules.side_of(bidder))
    seats = tuple(range(rules.seats))
    if decl.startswith("NELLO"):
        seats, side = tuple(s for s in seats if s == bidder or s not in side), (bidder,)
    counts = {name: tile_count(i, rules.game.count_sums) for i, name in enumerate(TILE_NAMES)}
    lows = () if isinstance(rules.lead_low_end, str) else rules.lead_low_end
    return PlainSolver(decl, seats, side, counts, rules.trick_value, lows, rules.identical_tiles)


CASES = [
    ("geezer", 3, ["PIP0", "PIP7", "DBL", "NT-high", "COUNT", "NELLO-high", "NELLO-own-L3", "NELLO-low-L0"]),
    ("big_game", 3, ["PIP8", "PIP3", "DBL", "NT-high"]),
    ("one_forty", 2, ["PIP9", "PIP5", "DBL", "NT-high"]),
    ("seventy_two", 3, ["PIP1", "PIP6", "DBL", "NT-high"]),
    ("eighty_four", 2, ["PIP0", "PIP5", "DBL", "NT-high", "NELLO-high"]),
    ("eighty_four_7", 2, ["PIP4", "NT-high"]),
    ("moon", 4, ["PIP0", "PIP5", "NT-high"]),
    ("three_handed", 4, ["PIP2", "DBL", "NT-high", "NELLO-own"]),
    ("players_2", 6, ["PIP6", "DBL", "NT-high", "NELLO-high"]),
    ("players_5", 3, ["PIP3", "NT-high"]),
    ("players_7", 2, ["PIP3", "NT-high"]),
]


@pytest.mark.parametrize(("preset", "size", "decl"), [(p, n, d) for p, n, ds in CASES for d in ds])
def test_endings_of_every_game_have_the_value_of_brute_force(preset: str, size: int, decl: str) -> None:
    changed = {"nello": "any"} if decl.startswith("NELLO") else {}
    rules = Rules.preset(preset).replace(**changed)
    rng = random.Random(f"{preset} {decl}")
    for _ in range(25):
        hands, leader = endings(rules, size, rng), rng.randrange(rules.seats)
        bidder = leader if decl.startswith("NELLO") else rng.randrange(rules.seats)
        plain = reference(rules, decl, bidder)
        wanted, moves = plain.value(hands, leader), plain.moves(hands, leader, ())
        if decl.startswith("NELLO"):
            wanted, moves = int(wanted == 0), {move: int(v == 0) for move, v in moves.items()}
        solution = solve(rules, hands, decl, leader, bidder=bidder)
        assert (solution.value, solution.moves) == (wanted, moves), (hands, leader, bidder)


def test_the_last_of_two_equal_tiles_may_be_the_higher() -> None:
    rng = random.Random(3)
    rules = Rules.preset("seventy_two").replace(identical_tiles="last_played")
    for _ in range(40):
        hands, leader = endings(rules, 3, rng), rng.randrange(4)
        assert solve(rules, hands, "PIP4", leader).value == reference(rules, "PIP4", leader).value(hands, leader)


def test_any_low_end_may_be_led_where_the_rules_say_so() -> None:
    rng = random.Random(4)
    rules = Rules.preset("n42pa").replace(lead_low_end="any")
    for _ in range(25):
        hands, leader = endings(rules, 3, rng), rng.randrange(4)
        plain = reference(rules, "PIP4", leader)
        plain.lows = TILE_NAMES
        solution = solve(rules, hands, "PIP4", leader)
        assert solution.value == plain.value(hands, leader)
        assert solution.moves == plain.moves(hands, leader, ())


def test_the_first_lead_must_be_a_trump_where_the_rules_say_so() -> None:
    rng = random.Random(5)
    free = Rules.preset("n42pa")
    strict = free.replace(opening_lead_must_be_trump=True)
    for decl, _ in product(["PIP1", "DBL", "NT-high"], range(4)):
        hands = endings(free, 7, rng)
        moves = solve(free, hands, decl, 0).moves
        trumps = {t: v for t, v in moves.items() if ("1" in t if decl == "PIP1" else decl == "DBL" and t[0] == t[2])}
        solution = solve(strict, hands, decl, 0)
        assert solution.moves == (trumps or moves)
        assert solution.value == max((trumps or moves).values())


def test_equal_tiles_may_not_be_given_more_often_than_the_deck_has_them() -> None:
    with pytest.raises(SolverError, match="6-6 is given more often"):
        solve("seventy_two", [["6-6"], ["6-6"], ["6-6"], ["1-1"]], "PIP6")


def test_three_handed_tables_are_from_each_leader_as_bidder() -> None:
    rules = Rules.preset("three_handed")
    hands = endings(rules, 4, random.Random(8))
    table = solve_all(rules, hands)
    for decl in table:
        assert [solve(rules, hands, decl, leader).value for leader in range(3)] == table[decl].tolist()
