"""What holds in every hand of every game: points, tiles and pay add up (RULES.md a.15)."""

from random import Random
from typing import Any

import numpy as np
import pytest

from support.house import random_house
from support.walk import History, walk
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import tile_count


def houses(preset: str, number: int) -> list[Rules]:
    random = Random(f"invariants of {preset}")
    return [Rules.preset(preset), *(random_house(preset, random) for _ in range(number))]


def tiles_in(mask: Any) -> int:
    return int(mask).bit_count()


@pytest.mark.parametrize("preset", PRESETS)
def test_tiles_are_never_lost(preset: str) -> None:
    """Hands, widow, discards and played tiles are the deck, each once, at every moment."""

    def check(game: BatchedGame, history: History) -> None:
        s, rules = game.states[0], game.rules
        deck = sum(1 << i for i in rules.deck)
        piles = [int(s.hands[seat]) for seat in range(rules.seats)] + [int(s.played), int(s.discards)]
        taken = s.n_discards > 0 or s.phase == 2 or (rules.game.widow_use == "declare_first" and s.decl >= 0)
        seen = 0
        for pile in piles:
            assert seen & pile == 0
            seen |= pile
        widow = int(s.widow)
        assert (seen | widow) == deck
        in_hand = widow & seen == widow
        assert in_hand or widow & seen == 0
        if taken and rules.kitty != "unused":
            assert in_hand

    for rules in houses(preset, 3):
        walk(BatchedGame(rules, 1, auto_reset=False), Random(preset), check)


@pytest.mark.parametrize("preset", PRESETS)
def test_points_of_a_hand_played_out_are_its_total(preset: str) -> None:
    """a.15: all tricks played and all count in play give T; discarded count in 84 and 140 is dead (f.4.2)."""
    random = Random(preset)
    played_out = 0
    for rules in [Rules.preset(preset).replace(early_end="play_all"), *houses(preset, 3)]:
        game = BatchedGame(rules, 1, auto_reset=False)
        for _ in range(12):
            walk(game, random, lambda g, h: None)
            s = game.states[0]
            if s.n_tricks < rules.setup.hand or s.sits_out:
                continue
            played_out += 1
            dead = [i for i in rules.deck if int(s.discards if s.n_discards else s.widow) >> i & 1]
            if rules.game.widow_use == "declare_first" or not rules.setup.widow:
                dead = []
            count = sum(tile_count(i % rules.n_types, rules.game.count_sums) for i in dead)
            assert sum(int(p) for p in s.taken[: rules.sides]) == rules.total - count
            assert sum(int(w) for w in s.won[: rules.sides]) == rules.setup.hand
    assert played_out > 0


@pytest.mark.parametrize("preset", PRESETS)
def test_all_seats_are_paid_and_pay_is_zero_sum(preset: str) -> None:
    """A seat gets its side's change minus the mean of the others', partners alike, when the hand ends."""
    random = Random(preset)
    for rules in houses(preset, 2):
        game = BatchedGame(rules, 1, auto_reset=False)
        for _ in range(6):
            game.reset(seed=random.getrandbits(40))
            rewards = np.zeros((1, rules.seats), np.float32)
            while not game.done[0]:
                assert not rewards.any()
                legal = [n for n in game.legal_names(0) if n != "CLAIM"]
                rewards, ended = game.step([game.codec.parse(random.choice(legal))])
            assert ended[0]
            delta = [int(d) for d in game.states[0].delta[: rules.sides]]
            for seat in range(rules.seats):
                mine = rules.side_of(seat)
                others = [d for side, d in enumerate(delta) if side != mine]
                assert rewards[0, seat] == pytest.approx(delta[mine] - sum(others) / len(others))
            by_side = [rewards[0, side] for side in range(rules.sides)]
            assert sum(by_side) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("preset", ["n42pa", "seed_marks", "spruce", "casual", "open", "geezer", "seventy_two"])
def test_one_side_scores_in_marks_between_two_teams(preset: str) -> None:
    """a.15."""
    game = BatchedGame(preset, 300, auto_reset=False)
    game.reset(seed=3)
    while not game.done.all():
        keys = np.arange(300, dtype=np.uint64) + np.uint64(int(game.states["n_plays"].sum()) * 1000)
        actions = np.empty(300, np.int64)
        drivers.choose_random(game.states, game.tables, keys, actions)
        game.step(actions)
    delta = game.states["delta"][:, :2]
    thrown_in = game.states["made"] < 0
    assert ((delta > 0).sum(axis=1) == np.where(thrown_in, 0, 1)).all()
    assert (delta >= 0).all()


def test_a_marks_game_to_seven_has_at_most_thirteen_scored_hands() -> None:
    """a.15, d.30."""
    game = BatchedGame("seed_marks", 200, episode="game", auto_reset=False)
    game.reset(seed=5)
    hands = np.zeros(200, np.int64)
    number = 0
    while not game.done.all():
        number += 1
        keys = np.arange(200, dtype=np.uint64) + np.uint64(number * 1000)
        actions = np.empty(200, np.int64)
        drivers.choose_random(game.states, game.tables, keys, actions)
        rewards, _ = game.step(np.where(game.done, -1, actions))
        hands += rewards.any(axis=1)
    assert (hands <= 13).all()
    assert (game.states["scores"][:, :2].max(axis=1) >= 7).all()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_trump_never_follows_its_other_number(preset: str) -> None:
    """a.15: for every declaration, trumps are in no number suit."""
    game = BatchedGame(preset, 1)
    for d in range(len(game.codec.declarations)):
        trumps = int(game.tables.trumps[d])
        for suit in range(10):
            assert int(game.tables.follow[d, suit]) & trumps == 0 or game.codec.declarations[d].closeness


def test_throw_ins_in_a_row_are_capped() -> None:
    """c.1.5: a game in which nobody ever bids is cut off, and nobody wins it."""
    game = BatchedGame("n42pa", 1, episode="game", auto_reset=False)
    game.reset(seed=1)
    passes = 0
    while not game.done[0]:
        game.step([game.codec.parse("PASS")])
        passes += 1
        assert passes <= 4000
    assert (int(game.states[0].done), int(game.states[0].winners), passes) == (2, 0, 4000)
