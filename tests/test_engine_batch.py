"""Batches: rows are independent of each other, of batch size, threads and play; seeds give the same bytes."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.state import STATE
from texas42.envs.rules.presets import PRESETS

SEED = 20240901


def play(game: BatchedGame, steps: int, key: int = 5) -> list[bytes]:
    """Random legal play whose choices depend on row, episode, hand and decision alone; the states after it."""
    number = np.zeros(game.n, np.int64)
    actions = np.empty(game.n, np.int64)
    keys = np.empty(game.n, np.uint64)
    for _ in range(steps):
        live = ~game.done
        if not live.any():
            break
        drivers.decision_keys(game.states, np.uint64(key), number, keys)
        drivers.choose_random(game.states, game.tables, keys, actions)
        _, ended = game.step(np.where(live, actions, -1))
        number = np.where(ended, 0, number + 1)
    return [game.states[row : row + 1].tobytes() for row in range(game.n)]


def started(rules: str, n: int, **options: Any) -> BatchedGame:
    game = BatchedGame(rules, n, **options)
    game.reset(seed=SEED)
    return game


def test_the_record_has_no_padding() -> None:
    """A copy need not keep bytes between fields, so there are none."""
    fields: dict[str, Any] = dict(STATE.fields or {})
    assert sum(field[0].itemsize for field in fields.values()) == STATE.itemsize


@pytest.mark.parametrize("preset", PRESETS)
def test_rows_do_not_depend_on_the_batch(preset: str) -> None:
    """Batch size, threads and first row: row i of a seed is the same game."""
    whole = play(started(preset, 7), 60)
    assert play(started(preset, 7, threads=3), 60) == whole
    assert play(started(preset, 3), 60) == whole[:3]
    assert play(started(preset, 4, first_row=3), 60) == whole[3:]
    assert [play(started(preset, 1, first_row=row), 60)[0] for row in (0, 6)] == [whole[0], whole[6]]


def test_same_seed_same_bytes_other_seed_other_game() -> None:
    assert play(started("open", 3), 80) == play(started("open", 3), 80)
    other = BatchedGame("open", 3)
    other.reset(seed=SEED + 1)
    assert all(a != b for a, b in zip(play(started("open", 3), 0), play(other, 0), strict=True))
    assert len({state for state in play(started("open", 50), 0)}) == 50


def test_numpys_global_state_does_not_matter() -> None:
    np.random.seed(1)
    first = play(started("n42pa", 2), 40)
    np.random.seed(2)
    assert play(started("n42pa", 2), 40) == first


def deals(game: BatchedGame) -> npt.NDArray[np.uint64]:
    return np.array(game.states["dealt"])


def test_the_deal_of_a_hand_does_not_depend_on_play() -> None:
    """Hand k of a game is dealt alike whatever was called and played before."""
    games = [started("n42pa", 40, episode="game") for _ in range(2)]
    seen: list[dict[tuple[int, int, int], bytes]] = [{}, {}]
    for which, game in enumerate(games):
        for number in range(120):
            keys = np.arange(40, dtype=np.uint64) + np.uint64(1000 * number + 7919 * which)
            actions = np.empty(40, np.int64)
            drivers.choose_random(game.states, game.tables, keys, actions)
            game.step(actions)
            for row, state in enumerate(game.states):
                place = (row, int(state["episode"]), int(state["hand_no"]))
                seen[which].setdefault(place, state["dealt"].tobytes())
    common = seen[0].keys() & seen[1].keys()
    assert max(hand for _, _, hand in common) >= 3
    assert all(seen[0][place] == seen[1][place] for place in common)


def test_a_throw_in_counts_as_a_hand() -> None:
    """The next hand after a throw-in is the one that would have followed a played hand."""
    passed, played = (started("n42pa", 1, episode="game") for _ in range(2))
    while passed.states[0].hand_no == 0:
        passed.step([passed.codec.parse("PASS")])
    while played.states[0].hand_no == 0:
        played.step([played.codec.parse(played.legal_names(0)[-1])])
    assert (deals(passed) == deals(played)).all()


def test_auto_reset_starts_the_rows_next_episode() -> None:
    """Episode k of a row is (seed, row, k), auto-reset or not."""
    auto, by_hand = started("n42pa", 3), started("n42pa", 3, auto_reset=False)
    first = deals(auto).copy()
    assert (deals(by_hand) == first).all()
    while not by_hand.done.all():
        by_hand.step([by_hand.codec.parse(n[-1]) if (n := by_hand.legal_names(row)) else -1 for row in range(3)])
    by_hand.reset()
    ends = 0
    for _ in range(200):
        actions = [auto.codec.parse(auto.legal_names(row)[-1]) for row in range(3)]
        _, ended = auto.step(actions)
        ends += int(ended.sum())
        if (auto.states["episode"] == 1).all():
            break
        assert not auto.done.any()
    again = started("n42pa", 3)
    again.reset()
    assert ends >= 3
    assert (deals(by_hand) == deals(again)).all()
    assert (deals(auto) == deals(again)).all()
    assert (deals(again) != first).any()


def test_reset_with_a_seed_starts_over() -> None:
    game = started("n42pa", 2)
    first = play(game, 0)
    game.reset()
    assert play(game, 0) != first
    game.reset(seed=SEED)
    assert play(game, 0) == first


def test_a_finished_row_stays_as_it_is() -> None:
    game = started("n42pa", 2, auto_reset=False)
    while not game.done[0]:
        live = [game.codec.parse(n[-1]) if (n := game.legal_names(row)) else -1 for row in range(2)]
        game.step([live[0], live[1]])
        if game.done[1]:
            break
    over = int(np.flatnonzero(game.done)[0])
    before = game.states[over : over + 1].tobytes()
    if not game.done.all():
        legal = game.legal_names(1 - over)
        rewards, ended = game.step([game.codec.parse(legal[0])] * 2)
        assert not rewards[over].any()
        assert not ended[over]
    assert game.states[over : over + 1].tobytes() == before


def test_rollouts_are_the_same_games_in_any_chunking() -> None:
    """`rollout_random` depends on key, row and episode alone."""
    whole, parts = started("open", 6), started("open", 6)
    drivers.rollout_random(whole.states, whole.tables, 100, np.uint64(3))
    for rows in (slice(0, 1), slice(1, 4), slice(4, 6)):
        drivers.rollout_random(parts.states[rows], parts.tables, 100, np.uint64(3))
    assert whole.states.tobytes() == parts.states.tobytes()
