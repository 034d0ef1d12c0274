"""The exact solver against plain minimax on the oracle's rules, plain alpha-beta, and symmetry."""

import random
from typing import Any

import numpy as np
import pytest

from oracle.tricks import trick_winner
from support.plain_solver import Hands, PlainSolver, alpha_beta, without
from texas42.agents.solver import SolverError, solve, solve_all, solve_batch
from texas42.agents.solver.measure import random_deals
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import TILE_ENDS, TILE_NAMES, tile_count

ALL = ["high", "low", "own", "inv"]
OPEN = Rules.preset("open").replace(nt_doubles=ALL, nello_doubles=ALL)
TRICK_PLAY = [d.name for d in build_codec(OPEN).declarations if d.name not in ("SEVENS", "LOPER")]
COUNTS = {TILE_NAMES[i]: tile_count(i, (5, 10)) for i in range(28)}


def ending(rng: random.Random, size: int, max_pip: int = 6) -> Hands:
    """Random hands of `size` tiles each out of a double-six set."""
    tiles = [name for name, ends in zip(TILE_NAMES, TILE_ENDS, strict=True) if ends[0] <= max_pip]
    drawn = rng.sample(tiles, 4 * size)
    return tuple(tuple(drawn[size * seat : size * seat + size]) for seat in range(4))


def plain(decl: str, bidder: int) -> PlainSolver:
    """The plain solver for a contract of the bidder."""
    if decl.startswith("NELLO"):
        seats = tuple(s for s in range(4) if s != (bidder + 2) % 4)
        return PlainSolver(decl, seats, (bidder,), COUNTS)
    return PlainSolver(decl, (0, 1, 2, 3), (bidder, (bidder + 2) % 4), COUNTS)


def expected(decl: str, value: int) -> int:
    """Nello is made if the declarer takes nothing; else the points themselves."""
    return int(value == 0) if decl.startswith("NELLO") else value


@pytest.mark.parametrize("decl", TRICK_PLAY)
@pytest.mark.parametrize(("size", "deals"), [(3, 100), (4, 8)])
def test_endings_have_the_value_of_brute_force(decl: str, size: int, deals: int) -> None:
    rng = random.Random(f"{decl} {size}")
    for _ in range(deals):
        hands, leader = ending(rng, size), rng.randrange(4)
        bidder = leader if decl.startswith("NELLO") else rng.randrange(4)
        reference = plain(decl, bidder)
        solution = solve(OPEN, hands, decl, leader, bidder=bidder)
        assert solution.value == expected(decl, reference.value(hands, leader)), (hands, leader, bidder)
        moves = {tile: expected(decl, v) for tile, v in reference.moves(hands, leader, ()).items()}
        assert solution.moves == moves, (hands, leader, bidder)


@pytest.mark.parametrize("decl", ["PIP5", "PIP0", "DBL", "NT-high"])
def test_the_need_is_reached_exactly_up_to_the_value(decl: str) -> None:
    rng = random.Random(decl)
    for _ in range(30):
        hands = ending(rng, 3)
        value = solve("n42pa", hands, decl, 1).value
        for need in {max(value, 0), value + 1, 5}:
            made = solve("n42pa", hands, decl, 1, goal="made", need=need)
            assert made.value == int(value >= need)
            assert max(made.moves.values()) == made.value


def plain_line(decl: str, hands: Hands, leader: int, bidder: int, line: tuple[tuple[int, str], ...]) -> int:
    """Points of the bidder's side in a line of play; the order of seats is checked on the way."""
    reference = plain(decl, bidder)
    points, table = 0, tuple[str, ...]()
    for seat, tile in line:
        assert seat == reference.seat(leader, len(table))
        assert tile in reference.legal(hands[seat], table)
        hands, table = without(hands, seat, tile), (*table, tile)
        if len(table) == len(reference.seats):
            leader = reference.seat(leader, trick_winner(list(table), decl))
            points += reference.gain(leader, table)
            table = ()
    assert not any(hands[s] for s in reference.seats)
    return points


@pytest.mark.parametrize("decl", ["PIP4", "DBL", "NT-high", "NT-inv", "NELLO-own", "NELLO-low"])
def test_the_line_is_legal_and_worth_the_value(decl: str) -> None:
    rng = random.Random(decl)
    for size in (2, 4, 5, 7):
        hands = ending(rng, size)
        solution = solve(OPEN, hands, decl, 2)
        assert expected(decl, plain_line(decl, hands, 2, 2, solution.line)) == solution.value


def compiled_tables() -> Any:
    """The tables of n42pa."""
    return compile_tables(Rules.preset("n42pa"))[0]


@pytest.mark.parametrize(
    ("tiles", "deals"), [(20, 150), (24, 20), pytest.param(28, 20, marks=pytest.mark.slow)]
)
def test_deals_have_the_value_of_plain_alpha_beta(tiles: int, deals: int) -> None:
    hands, decls = random_deals(deals, tiles, seed=tiles)
    t = compiled_tables()
    wanted = [alpha_beta(t, d, h.copy(), 0, 0, 0, 0, 0, 0, -1000, 1000) for h, d in zip(hands, decls, strict=True)]
    assert solve_batch("n42pa", hands, decls).tolist() == wanted


def test_turning_the_table_turns_the_values() -> None:
    hands, decls = random_deals(40, 28, seed=3)
    first = solve_batch("n42pa", hands, decls)
    for turn in (1, 2, 3):
        turned = np.roll(hands, turn, axis=1)
        assert (solve_batch("n42pa", turned, decls, turn) == first).all()


def test_the_order_of_a_batch_and_its_threads_change_nothing() -> None:
    hands, decls = random_deals(60, 28, seed=4)
    one = solve_batch("n42pa", hands, decls)
    assert (solve_batch("n42pa", hands[::-1], decls[::-1], threads=3)[::-1] == one).all()
    assert (solve_batch("n42pa", hands, decls, needs=30) == (one >= 30)).all()


@pytest.mark.parametrize("need", [0, 42, 100])
def test_a_nello_in_a_batch_is_made_or_not_whatever_the_need(need: int) -> None:
    hands, _ = random_deals(60, 28, seed=5)
    name = "NELLO-own"
    decl = [d.name for d in build_codec(OPEN).declarations].index(name)
    for leader in (0, 1):
        wanted = [
            solve(OPEN, [[TILE_NAMES[i] for i in range(28) if int(h) >> i & 1] for h in deal], name, leader).value
            for deal in hands
        ]
        assert solve_batch(OPEN, hands, decl, leader, needs=need).tolist() == wanted


def test_the_table_of_a_deal_agrees_with_single_solves() -> None:
    hands, _ = random_deals(1, 28, seed=5)
    masks = [int(m) for m in hands[0]]
    table = solve_all("open", masks)
    trumps = {*(f"PIP{i}" for i in range(7)), "DBL", "NT-high"}
    assert set(table) == trumps | {"NELLO-high", "NELLO-low", "NELLO-own", "SEVENS", "LOPER"}
    for decl in table:
        assert [solve("open", masks, decl, leader).value for leader in range(4)] == table[decl].tolist()


@pytest.mark.parametrize("preset", ["n42pa", "open", "seed_points"])
def test_states_in_the_middle_of_a_hand_agree_with_brute_force(preset: str) -> None:
    rules = Rules.preset(preset)
    game = BatchedGame(rules, 150, auto_reset=False)
    game.reset(11)
    rng = np.random.default_rng(1)
    codec, checked = game.codec, 0
    while not game.done.all():
        for state in game.states:
            late = state.done == 0 and state.phase == 4 and sum(int(h).bit_count() for h in state.hands) <= 11
            if late and rng.random() < 0.3:
                checked += check_state(rules, state)
        legal = [game.legal_names(i) if game.states[i].done == 0 else [] for i in range(game.n)]
        game.step(np.array([codec.parse(names[rng.integers(len(names))]) if names else 0 for names in legal]))
    assert checked > 20


def check_state(rules: Rules, state: Any) -> int:
    """Compare one state with brute force; 0 if it has no trick play."""
    decl = build_codec(rules).declarations[state.decl].name
    if decl in ("SEVENS", "LOPER"):
        return 0
    bidder = int(state.bidder)
    reference = plain(decl, bidder)
    hands = tuple(tuple(TILE_NAMES[i] for i in range(28) if int(h) >> i & 1) for h in state.hands[:4])
    table = tuple(TILE_NAMES[i] for i in state.plays[state.n_plays - state.pos : state.n_plays])
    side = bidder % 2
    banked = int(state.won[side] if decl.startswith("NELLO") else state.taken[side])
    moves = {tile: banked + v for tile, v in reference.moves(hands, int(state.leader), table).items()}
    if decl.startswith("NELLO"):
        goal, wanted = "made", {tile: int(v == 0) for tile, v in moves.items()}
    elif int(state.marks) > 0:
        goal, wanted = "made", {tile: int(v == 42) for tile, v in moves.items()}
    else:
        goal, wanted = "points", moves
    solution = solve(rules, state)
    assert (solution.goal, solution.seat) == (goal, int(state.cur))
    assert solution.moves == wanted
    return 1


def test_sevens_and_loper_are_played_out() -> None:
    rng = random.Random(7)
    for _ in range(300):
        hands, leader = ending(rng, rng.choice([3, 5, 7])), rng.randrange(4)
        for decl, allowed in (("SEVENS", 0), ("LOPER", 1)):
            reference = PlainSolver(decl, (0, 1, 2, 3), (leader, (leader + 2) % 4), dict.fromkeys(COUNTS, 0))
            reference.play = _first_legal(reference)  # type: ignore[method-assign]
            lost = len(hands[0]) - reference.value(hands, leader)
            assert solve("open", hands, decl, leader).value == int(lost <= allowed)


def _first_legal(reference: PlainSolver) -> Any:
    """Play is forced up to equals: always the first of the closest tiles."""

    def play(hands: Hands, leader: int, table: tuple[str, ...]) -> int:
        if len(table) == 4:
            return PlainSolver.play(reference, hands, leader, table)
        seat = reference.seat(leader, len(table))
        tile = reference.legal(hands[seat], table)[0]
        return play(without(hands, seat, tile), leader, (*table, tile))

    return play


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"declaration": "PIP9"}, "PIP9.*known: PIP0"),
        ({"leader": 4}, "leader=4 is no seat"),
        ({"leader": True}, "leader=True"),
        ({"hands": [["6-6"], ["6-5"], ["6-4"]]}, "3 hands given.*4 seats"),
        ({"hands": [["6-6"], ["6-6"], ["6-4"], ["5-5"]]}, "more often|also in another"),
        ({"hands": [["6-6"], ["6-5", "1-1"], ["6-4"], ["5-5"]]}, "equally many"),
        ({"hands": [["6-6"], ["7-5"], ["6-4"], ["5-5"]]}, "7-5.*not in the deck"),
        ({"hands": [["6-6"], ["65"], ["6-4"], ["5-5"]]}, "'65' is not a tile"),
        ({"goal": "tricks"}, "goal='tricks'.*'points', 'made'"),
        ({"declaration": "NELLO-own", "goal": "points"}, "no exact points"),
        ({"declaration": "NELLO-own", "need": 30}, "need=30"),
        ({"need": -1}, "need=-1"),
        ({"declaration": "NELLO-own", "bidder": 2}, "leader=0 sits out"),
    ],
)
def test_bad_questions_say_what_is_wrong(arguments: dict[str, Any], message: str) -> None:
    hands = arguments.pop("hands", [["6-6"], ["6-5"], ["6-4"], ["5-5"]])
    declaration, leader = arguments.pop("declaration", "PIP6"), arguments.pop("leader", 0)
    with pytest.raises(SolverError, match=message):
        solve(OPEN, hands, declaration, leader, **arguments)


def test_a_state_that_is_not_in_play_is_refused() -> None:
    game = BatchedGame("n42pa", 1)
    game.reset(0)
    with pytest.raises(SolverError, match="phase auction"):
        solve("n42pa", game.states[0])


def test_too_large_a_position_is_given_up() -> None:
    rules = Rules.preset("eighty_four")
    deck = list(rules.deck)
    random.Random(1).shuffle(deck)
    hands = [sum(1 << i for i in deck[7 * s : 7 * s + 7]) for s in range(8)]
    with pytest.raises(SolverError, match="too large: more than 20000 nodes"):
        solve(rules, hands, "PIP3", 0, max_nodes=20_000)
