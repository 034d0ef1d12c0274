"""Observations: seats relative to the observer, nothing that a seat may not know, masks for the mover only."""

from random import Random
from typing import Any

import numpy as np
import pytest

from support.house import random_house
from support.table import act, lay_out, tile_names
from support.walk import History, walk
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import deal, drivers
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules


def houses(preset: str, number: int) -> list[Rules]:
    """The preset itself and some random houses of it."""
    random = Random(f"houses of {preset}")
    return [Rules.preset(preset), *(random_house(preset, random) for _ in range(number))]


def see_all(game: BatchedGame) -> tuple[Any, Any]:
    """Observations and masks of every seat of a one-row game."""
    n = game.rules.seats
    states = np.repeat(game.states, n).view(np.recarray)
    observations = np.empty((n, game.layout.width), np.int8)
    masks = np.empty((n, game.codec.n_actions), np.int8)
    table = game.recall == "table"
    drivers.observe_batch(states, game.tables, np.arange(n), table, observations, masks)
    return observations, masks


# ---------------------------------------------------------------------- masks


@pytest.mark.parametrize("preset", PRESETS)
def test_only_the_mover_has_a_mask(preset: str) -> None:
    """A mask for others would tell about the mover's hand."""

    def check(game: BatchedGame, history: History) -> None:
        _, masks = see_all(game)
        assert masks.dtype == np.int8
        legal = set(game.legal_names(0))
        for seat in range(game.rules.seats):
            named = {game.codec.names[i] for i in np.flatnonzero(masks[seat])}
            assert named == (legal if seat == game.states[0].cur else set())

    for rules in houses(preset, 2):
        walk(BatchedGame(rules, 1, auto_reset=False), Random(preset), check)


# ---------------------------------------------------------------------- seats are relative


def rotated(game: BatchedGame, by: int) -> BatchedGame:
    """The same deal with everybody `by` seats further."""
    state, rules = game.states[0], game.rules
    n = rules.seats
    hands = [tile_names(game, state.hands[(seat - by) % n]) for seat in range(n)]
    scores = [int(state.scores[(side - by) % rules.sides]) for side in range(rules.sides)]
    other = BatchedGame(rules, 1, auto_reset=False, recall=game.recall)
    other.reset(seed=0)
    lay_out(other, 0, hands, tile_names(game, state.widow), (int(state.shaker) + by) % n, scores)
    return other


@pytest.mark.parametrize("recall", ["full", "table"])
@pytest.mark.parametrize("preset", PRESETS)
def test_rotating_the_seats_rotates_what_they_see(preset: str, recall: str) -> None:
    """Shaker, roles, scores and tiles turn with the seats; nothing tells the absolute seat."""
    random = Random(f"{preset}/{recall}")
    for rules in houses(preset, 1):
        game = BatchedGame(rules, 1, auto_reset=False, recall=recall)
        game.reset(seed=random.getrandbits(40))
        for side in range(rules.sides):
            game.states[0].scores[side] = random.randrange(rules.target)
        by = random.randrange(1, rules.seats)
        other = rotated(game, by)
        while not game.states[0].done:
            seen, masks = see_all(game)
            turned, turned_masks = see_all(other)
            assert (seen == np.roll(turned, -by, axis=0)).all()
            assert (masks == np.roll(turned_masks, -by, axis=0)).all()
            name = random.choice([n for n in game.legal_names(0) if n != "CLAIM"])
            act(game, name)
            act(other, name)
        assert (game.states["delta"][0][: rules.sides] == np.roll(
            other.states["delta"][0][: rules.sides], -by % rules.sides
        )).all()  # fmt: skip


# ---------------------------------------------------------------------- no leaks


def redealt(game: BatchedGame, me: int, random: Random) -> BatchedGame:
    """A copy in which all tiles that seat `me` has not seen are dealt anew, and the random key is another."""
    state, rules = game.states[0], game.rules
    other = BatchedGame(rules, 1, auto_reset=False, recall=game.recall)
    other.reset(seed=random.getrandbits(40))
    secret = other.states.copy()[0]
    other.states[:] = game.states
    copy = other.states[0]
    mine = {me, (me + 2) % rules.seats} if rules.two_seats_each else {me}
    saw = state.bidder in mine and state.namer >= 0 and bool(game.tables.widow_use)
    places = [("hands", seat) for seat in range(rules.seats) if seat not in mine]
    if not saw:
        places += [("discards", -1)] if state.discards else [("widow", -1)]
    stock = [i for name, seat in places for i in bits(held(state, name, seat))]
    random.shuffle(stock)
    for name, seat in places:
        size = len(bits(held(state, name, seat)))
        mask = np.uint64(sum(1 << i for i in stock[:size]))
        stock = stock[size:]
        if name == "hands":
            copy.hands[seat] = copy.dealt[seat] = mask
        else:
            copy[name] = mask
    copy.seed, copy.row, copy.episode = secret.seed, secret.row, secret.episode
    return other


def held(state: Any, name: str, seat: int) -> int:
    return int(state[name][seat]) if seat >= 0 else int(state[name])


def bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


@pytest.mark.parametrize("preset", PRESETS)
def test_unseen_tiles_change_nothing_a_seat_is_shown(preset: str) -> None:
    """a.14: neither the observation, nor the mask, nor the view."""
    random = Random(f"leak {preset}")

    def check(game: BatchedGame, history: History) -> None:
        me = random.randrange(game.rules.seats)
        other = redealt(game, me, random)
        for seen, same in zip(game.observe([me]), other.observe([me]), strict=True):
            assert (seen == same).all()
        assert game.views([me]).tobytes() == other.views([me]).tobytes()

    for rules in houses(preset, 3):
        for recall in ("full", "table"):
            game = BatchedGame(rules, 1, auto_reset=False, recall=recall)
            walk(game, random, check)


def test_a_view_keeps_what_the_seat_knows() -> None:
    """Its own tiles, the public events and, for the bidder, widow and discards; not the random key."""
    game = BatchedGame("moon", 1, auto_reset=False)

    def check(game: BatchedGame, history: History) -> None:
        state = game.states[0]
        for me in range(3):
            view = game.views([me])[0]
            assert view.hands[me] == state.hands[me]
            assert all(view.hands[s] == 0 for s in range(3) if s != me)
            assert (view.calls == state.calls).all()
            assert (view.plays == state.plays).all()
            assert view.seed == view.row == view.episode == 0
            knows = me == state.bidder and state.namer >= 0
            assert view.widow == (state.widow if knows else 0)

    walk(game, Random(1), check)


def test_an_observation_does_not_change_when_the_game_goes_on() -> None:
    """Fresh arrays: no alias of a buffer that a later step overwrites."""
    game = BatchedGame("n42pa", 4)
    game.reset(seed=1)
    seen, masks = game.observe()
    kept = seen.copy(), masks.copy()
    for _ in range(30):
        game.step([game.codec.parse(game.legal_names(row)[0]) for row in range(4)])
        game.observe()
    assert (seen == kept[0]).all()
    assert (masks == kept[1]).all()


def test_the_hidden_part_shows_the_others() -> None:
    """For a central critic: the other hands by relative seat, then widow and discards."""
    game = BatchedGame("big_game", 1)
    game.reset(seed=4)
    n, types = 4, game.rules.n_types
    for me in range(n):
        rows = game.hidden([me]).reshape(n + 1, types)
        for place in range(1, n):
            tiles = {int(i) for i in np.flatnonzero(rows[place - 1])}
            assert tiles == set(bits(int(game.states[0].hands[(me + place) % n])))
        assert set(np.flatnonzero(rows[n - 1])) == set(bits(int(game.states[0].widow)))


def test_open_hand_clears_what_was_known() -> None:
    """Nothing of the last hand stays in the record that a seat is shown."""
    random = Random(5)
    game = BatchedGame("open", 1, auto_reset=False)
    walk(game, random, lambda g, h: None)
    hands = [tile_names(game, game.states[0].dealt[seat]) for seat in range(4)]
    fresh = BatchedGame("open", 1, auto_reset=False)
    fresh.reset(seed=0)
    scores = [int(s) for s in game.states[0].scores[:2]]
    shaker = int(game.states[0].shaker)
    lay_out(fresh, 0, hands, [], shaker, scores)
    lay_out(game, 0, hands, [], shaker, scores)
    game.states[0].done = 0
    assert deal.opening_seat(game.states[0], game.tables) == game.states[0].cur
    for seen, same in zip(see_all(game), see_all(fresh), strict=True):
        assert (seen == same).all()
