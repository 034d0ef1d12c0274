"""Perfect recall: from one observation every public event since the deal can be read back."""

from random import Random

import numpy as np
import pytest

from support.house import random_house
from support.recall import Reader, public
from support.table import Table, tile_names
from support.walk import History, walk
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import PHASE_NAMES
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

ROUNDS = Rules.preset("open").replace(calls="until_one_left", max_marks_cap=8, splash_marks=2, plunge_marks=2)


def reader(game: BatchedGame, me: int) -> Reader:
    return Reader(game, me, game.observe([me])[0][0])


def check_recall(game: BatchedGame, history: History, me: int) -> None:
    """Everything public, and one's own cards, against what happened."""
    state, read = game.states[0], reader(game, me)
    assert read.events() == public(history)
    assert read.seat("shaker") == state.shaker
    assert read.seat("to_move") == state.cur
    assert read.seat("bidder") == state.bidder
    assert read.tiles("hand") == sorted(tile_names(game, state.hands[me]))
    phase = np.flatnonzero(read.pieces["phase"])
    assert [PHASE_NAMES[i] for i in phase] == ([] if state.done else [PHASE_NAMES[state.phase]])
    mine = [name.removeprefix("DISCARD ") for seat, name in history if name.startswith("DISCARD") and seat == me]
    assert read.tiles("discards") == sorted(mine)


@pytest.mark.parametrize("preset", PRESETS)
def test_public_events_are_read_from_the_observation(preset: str) -> None:
    random = Random(preset)
    game = BatchedGame(preset, 1, auto_reset=False)
    for _ in range(4):
        walk(game, random, lambda g, h: check_recall(g, h, random.randrange(g.rules.seats)))


@pytest.mark.parametrize("preset", PRESETS)
def test_public_events_are_read_under_any_house_rules(preset: str) -> None:
    random = Random(f"house {preset}")
    for _ in range(4):
        game = BatchedGame(random_house(preset, random), 1, auto_reset=False)
        for _ in range(2):
            walk(game, random, lambda g, h: check_recall(g, h, random.randrange(g.rules.seats)))


def test_auctions_in_rounds_are_read_even_when_a_seat_splashes_twice() -> None:
    """A seat may make the same special bid again; calls by seat alone would not tell when."""
    random = Random(2)
    game = BatchedGame(ROUNDS, 1, auto_reset=False)
    twice = 0
    for _ in range(150):
        game.reset(seed=random.getrandbits(40))
        history: History = []
        while game.states[0].phase == 0:
            legal = game.legal_names(0)
            high = [name for name in legal if name in ("SPLASH", "PLUNGE")] or [legal[-1], "PASS"]
            name = random.choice([n for n in high if n in legal])
            history.append((int(game.states[0].cur), name))
            game.step([game.codec.parse(name)])
            check_recall(game, history, random.randrange(4))
        specials = [event for event in history if event[1] in ("SPLASH", "PLUNGE")]
        twice += len(set(specials)) < len(specials)
    assert twice > 0


def test_the_bidder_sees_the_widow_and_nobody_else() -> None:
    """a.14: in every game with a widow, from the moment it is shown to him."""
    for preset in ("moon", "big_game", "one_forty", "seventy_two", "eighty_four_6"):
        random = Random(preset)

        def check(game: BatchedGame, history: History) -> None:
            state = game.states[0]
            seen = bool(history) and state.bidder >= 0 and state.namer >= 0
            for me in range(game.rules.seats):
                tiles = sorted(tile_names(game, state.widow)) if seen and me == state.bidder else []
                assert reader(game, me).tiles("widow") == tiles

        walk(BatchedGame(preset, 1, auto_reset=False), random, check)


def test_second_hand_of_a_person_with_two_seats() -> None:
    """f.2.2: he sees both of his hands and no other."""
    game = BatchedGame({"preset": "players_2", "two_seats_each": True}, 1)
    game.reset(seed=3)
    for me in range(4):
        tiles = reader(game, me).tiles("second_hand")
        assert tiles == sorted(tile_names(game, game.states[0].hands[(me + 2) % 4]))


@pytest.mark.parametrize("preset", ["n42pa", "big_game", "moon"])
def test_scores_are_a_thermometer_from_mine(preset: str) -> None:
    """At most 16 steps from zero to the target, and below zero a second one."""
    game = BatchedGame(preset, 1)
    game.reset(seed=3)
    target, sides = game.rules.target, game.rules.sides
    for score, lit in ((0, 0), (target // 2, 16 * (target // 2) // target), (target, 16), (3 * target, 16)):
        game.states[0].scores[1] = score
        for me in range(game.rules.seats):
            rows = reader(game, me).pieces["scores"].sum(axis=1)
            mine = game.rules.side_of(me)
            assert rows[(1 - mine) % sides] == lit
            assert rows.sum() == lit
    if preset == "moon":
        game.states[0].scores[1] = -21
        assert reader(game, 1).pieces["negative_scores"].sum(axis=1).tolist() == [16, 0, 0]


def test_what_is_needed_to_make_and_to_set() -> None:
    """Thermometers with a step a point: which trick decides a hand can be read off exactly."""
    table = Table("n42pa").contract("P30", "PIP3").so_far([10, 5], [2, 1])
    for me in (0, 1):
        read = reader(table.game, me)
        assert read.pieces["to_make"].sum() == 20
        assert read.pieces["to_set"].sum() == 8  # 13 set it, 5 are there
