"""What a network is told beside the observation, in positions a person can check."""

from typing import Any

import numpy as np
import pytest
import torch

from texas42.agents.features import MANY, Ranks, actor_features, actor_width, critic_features, critic_width
from texas42.agents.shape import Shape
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES

N42PA = Rules.preset("n42pa")
SHAPE = Shape.of(N42PA, 8, 1)
HANDS = ["6-6 6-5 6-4 5-5 4-1 3-0 1-1", "6-3 6-2 5-0 4-4 4-3 2-2 0-0"]
HANDS += ["6-1 5-4 5-3 5-2 3-3 2-1 1-0", "6-0 5-1 4-2 4-0 3-2 3-1 2-0"]
PLANES = ("trump", "my trumps", "live trumps", "beaters", "sure", "my winners now", "live winners now")


def at(actions: str) -> BatchedGame:
    """Player 0 opens with the hands above; then `actions`."""
    game = BatchedGame(N42PA, 1, auto_reset=False)
    game.reset(0)
    s = game.states[0]
    s.shaker, s.opener, s.cur = 3, 0, 0
    for seat, hand in enumerate(HANDS):
        s.hands[seat] = s.dealt[seat] = np.uint64(sum(1 << TILE_NAMES.index(name) for name in hand.split()))
    for text in actions.split():
        game.step(np.array([game.codec.parse(text)]))
    return game


def told(game: BatchedGame) -> dict[str, set[str]]:
    """The names of the tiles marked in each plane of the mover's features."""
    observations = torch.from_numpy(game.observe()[0]).float()
    row = actor_features(Ranks(SHAPE, N42PA), observations)[0]
    assert len(row) == actor_width(SHAPE)
    planes = row[: 7 * 28].view(7, 28)
    return {
        name: {TILE_NAMES[i] for i in torch.nonzero(plane)[:, 0]} for name, plane in zip(PLANES, planes, strict=True)
    }


def tiles(text: str) -> set[str]:
    return set(text.split())


def test_nothing_is_told_before_the_declaration() -> None:
    game = at("")
    assert not any(told(game).values())
    observations, hidden = (
        torch.from_numpy(game.observe()[0]).float(),
        torch.from_numpy(game.hidden()).float(),
    )
    assert not critic_features(Ranks(SHAPE, N42PA), observations, hidden).any()


def test_the_bidder_with_sixes_sees_his_trumps_and_sure_tiles() -> None:
    planes = told(at("P41 PASS PASS PASS PIP6"))
    assert planes["trump"] == tiles("6-6 6-5 6-4 6-3 6-2 6-1 6-0")
    assert planes["my trumps"] == tiles("6-6 6-5 6-4")
    assert planes["live trumps"] == tiles("6-3 6-2 6-1 6-0")
    # 6-5 and 6-4 stand above every trump that is out; led doubles can be trumped
    assert planes["sure"] == tiles("6-6 6-5 6-4")


def test_after_a_lead_the_tiles_that_would_win_are_told() -> None:
    planes = told(at("P41 PASS PASS PASS PIP6 4-1"))
    assert planes["my winners now"] == tiles("6-3 6-2 4-4 4-3")
    assert "4-2" in planes["live winners now"]
    assert "4-0" not in planes["live winners now"]
    assert "5-5" not in planes["live winners now"]


def test_without_trump_a_double_is_sure_until_treated_otherwise() -> None:
    planes = told(at("P41 PASS PASS PASS NT-high"))
    assert planes["sure"] == tiles("6-6 6-5 6-4 5-5 1-1")
    assert planes["trump"] == set()


def test_beaters_are_counted_up_to_a_limit() -> None:
    game = at("P41 PASS PASS PASS PIP6")
    row = actor_features(Ranks(SHAPE, N42PA), torch.from_numpy(game.observe()[0]).float())[0]
    beaters = row[3 * 28 : 4 * 28]
    assert beaters[TILE_NAMES.index("5-5")] == 1  # the four trumps that are out
    assert beaters[TILE_NAMES.index("6-6")] == 0
    assert (beaters * MANY == (beaters * MANY).round()).all()


def test_the_critic_knows_which_side_is_sure() -> None:
    game = at("P41 PASS PASS PASS PIP6 6-6 6-3 6-1 6-0")
    observations, hidden = (
        torch.from_numpy(game.observe()[0]).float(),
        torch.from_numpy(game.hidden()).float(),
    )
    row = critic_features(Ranks(SHAPE, N42PA), observations, hidden)[0]
    assert len(row) == critic_width(SHAPE)
    mine, theirs = ({TILE_NAMES[i] for i in torch.nonzero(row[k * 28 : (k + 1) * 28])[:, 0]} for k in (3, 4))
    # 6-2 is the last trump of the other side: nothing of ours but the higher trumps is sure, and nothing of theirs
    assert mine == tiles("6-5 6-4")
    assert theirs == set()


@pytest.mark.parametrize("preset", ["open", "moon", "big_game", "eighty_four", "players_2", "one_forty", "geezer"])
def test_features_agree_with_the_engine_in_every_game(preset: str) -> None:
    rules = Rules.preset(preset)
    shape, game = Shape.of(rules, 8, 1), BatchedGame(rules, 40)
    ranks, rng = Ranks(shape, rules), np.random.default_rng(1)
    game.reset(3)
    for _ in range(60):
        observations, masks = game.observe()
        features = actor_features(ranks, torch.from_numpy(observations).float()).numpy()
        winners = features[:, 5 * shape.tiles : 6 * shape.tiles]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        check_winners(game, winners, actions, shape)
        game.step(actions)


def check_winners(
    game: BatchedGame, winners: "np.ndarray[Any, Any]", actions: "np.ndarray[Any, Any]", shape: Shape
) -> None:
    """A follower's tile is said to win exactly if its power is above the best on the table."""
    base = game.codec.bases[3]
    for row, s in enumerate(game.states):
        tile = int(actions[row]) - base
        if s.phase == 4 and s.pos > 0 and 0 <= tile < shape.tiles:
            assert bool(winners[row, tile]) == (int(game.tables.power[s.decl, s.suit, tile]) > s.best)
