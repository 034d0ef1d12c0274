"""Conditioned deals: somebody holds such a hand, and all else is as without them."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.runs import KillAt, Killed, Silent
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import AUCTION, Batch
from texas42.envs.options import tile_names
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules
from texas42.training.config import DEAL_KINDS, ConfigError, DealsConfig, TrainConfig
from texas42.training.deals import ConditionedDeals, conditions
from texas42.training.metrics import table_metrics
from texas42.training.rollout import Choice, Experience, Pending, Rollout
from texas42.training.trainer import LAST, saved_config, train

OPEN = Rules.preset("open")
TABLES = 60
SEEDS = st.integers(0, 2**40)


class LastMove:
    """Plays the last of the legal actions."""

    def choose(self, pending: Pending) -> Choice:
        actions = pending.masks.shape[1] - 1 - pending.masks[:, ::-1].argmax(axis=1).astype(np.int64)
        return Choice(actions, actions, np.zeros(len(actions), np.float32))


def dealt(
    rules: Rules, deals: DealsConfig, seed: int, n: int = TABLES, first: int = 0
) -> tuple[Batch, Batch, list[bool]]:
    """The tables as dealt, the same anew, and which of these are conditioned."""
    game = BatchedGame(rules, n, first_row=first)
    game.reset(seed)
    before = game.states.copy()
    return before, game.states, ConditionedDeals(rules, deals).deal(game.states).tolist()


def played(deals: DealsConfig, workers: int = 1, episode: str = "hand", rules: Rules = OPEN) -> Experience:
    with ThreadPoolExecutor(2) as pool:
        rollout = Rollout(rules, TABLES, workers, pool, episode=episode, deals=deals)
        return rollout.play(9, 100, np.zeros((TABLES, rules.seats), np.int64), LastMove, ())


def same(a: Batch, b: Batch) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a.dtype.names or ())


def hands(rules: Rules, state: np.void, field: str = "hands") -> list[list[tuple[int, int]]]:
    """The tiles of every seat as pairs of pips."""
    texts = [tile_names(rules, int(mask)) for mask in state[field][: rules.seats]]
    return [[(int(tile[0]), int(tile[2])) for tile in hand] for hand in texts]


def is_for(kind: str, hand: list[tuple[int, int]]) -> bool:
    """Whether a hand of seven double-six tiles is of a kind, under the rules of `open`."""
    if kind == "doubles":
        return sum(a == b for a, b in hand) >= 4  # plunge asks for four
    if kind == "low":
        return sum(a + b for a, b in hand) <= 28  # 42 on average, give or take 7
    return sum(abs(a + b - 7) for a, b in hand) <= 9  # 18 on average, give or take 4.3


@pytest.mark.parametrize("kind", DEAL_KINDS)
@settings(max_examples=20, deadline=None)
@given(seed=SEEDS)
def test_somebody_holds_such_a_hand_and_every_tile_is_dealt_once(kind: str, seed: int) -> None:
    before, states, conditioned = dealt(OPEN, DealsConfig(1.0, (kind,)), seed)
    assert all(conditioned)
    for plain, state in zip(before, states, strict=True):
        tiles = hands(OPEN, state)
        assert any(is_for(kind, hand) for hand in tiles)
        assert sorted(tile for hand in tiles for tile in hand) == [(a, b) for a in range(7) for b in range(a + 1)]
        assert [len(hand) for hand in tiles] == [7] * 4
        if any(is_for(kind, hand) for hand in hands(OPEN, plain)):  # good as it is
            assert state == plain


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, share=st.floats(0, 1), preset=st.sampled_from(sorted(PRESETS)))
def test_all_but_the_tiles_is_as_after_a_plain_deal(seed: int, share: float, preset: str) -> None:
    rules = Rules.preset(preset)
    before, states, conditioned = dealt(rules, DealsConfig(share), seed)
    for name in states.dtype.names or ():
        same_rows = (states[name] == before[name]).reshape(TABLES, -1).all(axis=1)
        if name not in ("hands", "dealt", "widow"):
            assert same_rows.all(), name
        assert same_rows[~np.array(conditioned)].all(), name
    assert (states["phase"] == AUCTION).all()


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_the_share_is_kept_and_does_not_follow_the_number_of_the_table(share: float) -> None:
    conditioned = np.array(dealt(OPEN, DealsConfig(share), 5, 4000)[2])
    assert conditioned.mean() == pytest.approx(share, abs=0.03)
    assert conditioned[::2].mean() == pytest.approx(share, abs=0.04)
    other_seed = np.array(dealt(OPEN, DealsConfig(share), 6, 4000)[2])
    assert (conditioned == other_seed).mean() == pytest.approx(share**2 + (1 - share) ** 2, abs=0.04)


def test_kinds_share_the_tables() -> None:
    states = dealt(OPEN, DealsConfig(1.0), 5, 3000)[1]
    found = {kind: np.mean([any(is_for(kind, h) for h in hands(OPEN, s)) for s in states]) for kind in DEAL_KINDS}
    for kind, plain in (("doubles", 0.17), ("low", 0.11), ("sevens", 0.08)):  # shares of plain deals
        assert found[kind] == pytest.approx(1 / 3 + 2 / 3 * plain, abs=0.05)
    twice = dealt(OPEN, DealsConfig(1.0, ("low", "low", "sevens")), 5, 3000)[1]
    assert np.mean([any(is_for("low", h) for h in hands(OPEN, s)) for s in twice]) == pytest.approx(0.7, abs=0.05)


def test_deals_are_uniform_over_those_that_fulfil_the_condition() -> None:
    ways = {k: comb(7, k) * comb(21, 7 - k) for k in range(4, 8)}  # two seats cannot have four doubles both
    expected = sum(ways[k] for k in (5, 6, 7)) / sum(ways.values())
    states = dealt(OPEN, DealsConfig(1.0, ("doubles",)), 7, 4000)[1]
    most = [max(sum(a == b for a, b in hand) for hand in hands(OPEN, state)) for state in states]
    deviation = (expected * (1 - expected) / 4000) ** 0.5
    assert np.mean(np.array(most) >= 5) == pytest.approx(expected, abs=4 * deviation)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, first=st.integers(0, 2**41), cut=st.integers(1, TABLES - 1), share=st.floats(0, 1))
def test_a_row_has_one_deal_whatever_it_is_dealt_beside(seed: int, first: int, cut: int, share: float) -> None:
    deals = DealsConfig(share)
    _, whole, conditioned = dealt(OPEN, deals, seed, first=first)
    _, head, of_head = dealt(OPEN, deals, seed, cut, first)
    _, tail, of_tail = dealt(OPEN, deals, seed, TABLES - cut, first + cut)
    assert same(whole, np.concatenate([head, tail]))
    assert conditioned == of_head + of_tail


def test_plain_python_deals_the_same() -> None:
    """Without the JIT, and with warnings as errors."""
    code = """
import warnings
warnings.simplefilter("error")
from texas42.envs.batch import BatchedGame
from texas42.training.config import DealsConfig
from texas42.training.deals import ConditionedDeals
game = BatchedGame("open", 8)
game.reset(3)
found = ConditionedDeals(game.rules, DealsConfig(0.7)).deal(game.states)
print(found.tolist(), game.states["hands"][:, :4].tolist())
"""
    run = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    _, states, conditioned = dealt(OPEN, DealsConfig(0.7), 3, 8)
    assert run.stdout == f"{conditioned} {states['hands'][:, :4].tolist()}\n"


@pytest.mark.parametrize("episode", ["hand", "game"])
def test_hands_do_not_depend_on_the_number_of_workers(episode: str) -> None:
    one, three = (played(DealsConfig(0.5), n, episode) for n in (1, 3))
    assert same(one.finals, three.finals)
    assert one.conditioned.tolist() == three.conditioned.tolist()
    assert 0 < one.conditioned.sum() < TABLES


def test_without_a_share_nothing_changes() -> None:
    data, plain = played(DealsConfig()), played(DealsConfig(0.5))
    assert not data.conditioned.any()
    rest = ~plain.conditioned
    assert same(data.finals[rest], plain.finals[rest])
    assert not same(data.finals, plain.finals)


def test_only_the_first_deal_of_a_game_is_conditioned() -> None:
    data, plain = played(DealsConfig(1.0, ("low",)), episode="game"), played(DealsConfig(), episode="game")
    for state in data.finals[data.finals["hand_no"] == 0]:
        assert any(is_for("low", hand) for hand in hands(OPEN, state, "dealt"))
    (mine, table), (theirs, other) = (
        (d.finals[d.finals["hand_no"] == 1], d.tables[d.finals["hand_no"] == 1]) for d in (data, plain)
    )
    both = np.intersect1d(table, other)
    assert len(both) > TABLES / 2  # the rest ended with the first hand
    assert (mine["dealt"][np.isin(table, both)] == theirs["dealt"][np.isin(other, both)]).all()


@pytest.mark.parametrize(
    ("rules", "doubles"),
    [("open", 4), ("n42pa", 4), ("geezer", 5), ({"preset": "open", "plunge": "off"}, 3), ("eighty_four", 4)],
)
def test_doubles_are_as_many_as_the_most_demanding_bid_asks_for(rules: str | dict[str, str], doubles: int) -> None:
    config = TrainConfig.from_dict({"rules": rules})
    worth, least = conditions(config.resolved_rules, ("doubles",))
    assert least.tolist() == [doubles]
    assert np.flatnonzero(worth[0])[:4].tolist() == [0, 2, 5, 9]  # 0-0, 1-1, 2-2, 3-3


def test_a_game_without_such_hands_keeps_its_plain_deals() -> None:
    rules = Rules.preset("players_6")  # four doubles of seven in four tiles: one deal in fifty
    before, states, conditioned = dealt(rules, DealsConfig(1.0, ("doubles",)), 3, 400)
    assert 0.5 < np.mean(conditioned) < 1
    assert same(before[~np.array(conditioned)], states[~np.array(conditioned)])


def test_metrics_are_of_plain_deals() -> None:
    some, every, none = (table_metrics(played(DealsConfig(share)), OPEN) for share in (0.5, 1.0, 0.0))
    assert 0 < some["deals/conditioned"] < every["deals/conditioned"] == 1
    assert none["deals/conditioned"] == 0
    assert "hands/made" in some
    assert "hands/made" not in every


def test_contracts_whose_trump_the_partner_names_are_counted() -> None:
    data = played(DealsConfig())  # the last legal call is PLUNGE, SPLASH, or the highest mark bid
    called = {name: share for name, share in table_metrics(data, OPEN).items() if name.startswith("called/")}
    winners = [OPEN_LADDER[call] for call in data.finals["call"]]
    assert called == {f"called/{name}": winners.count(name) / TABLES for name in ("SPLASH", "PLUNGE")}
    assert called["called/SPLASH"] > 0


OPEN_LADDER = [call.name for call in BatchedGame(OPEN, 1).codec.ladder]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"deals": {"share": 1.5}}, "deals.share=1.5 is not allowed; allowed: 0 to 1"),
        ({"deals": {"share": True}}, "deals.share=True must be a number"),
        ({"deals": {"shares": 0.5}}, "unknown key 'deals.shares' (did you mean 'deals.share'?)"),
        ({"deals": {"kinds": "low"}}, "deals.kinds='low' must be a list of texts"),
        ({"deals": {"kinds": ["double"]}}, "deals.kinds='double' is not allowed; allowed: doubles"),
        (
            {"rules": "casual", "deals": {"kinds": ["low", "sevens"]}},
            "deals.kinds='sevens' is not allowed under these rules, which have no such contract; allowed: doubles, low",
        ),
    ],
)
def test_bad_sections_are_refused(config: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TrainConfig.from_dict(config)
    assert message in str(caught.value)


def test_kinds_that_are_not_given_are_those_the_rules_have() -> None:
    used = {name: DealsConfig(0.5).used_kinds(Rules.preset(name)) for name in ("open", "casual", "moon")}
    assert used == {"open": DEAL_KINDS, "casual": ("doubles", "low"), "moon": ("doubles",)}


def test_a_killed_run_ends_with_the_same_bytes(tmp_path: Path) -> None:
    sizes = {"hands": 12, "minibatch": 64}
    config = TrainConfig.from_dict(
        {
            "rules": "open",
            "network": {"width": 16, "layers": 1},
            "imitation": {"batches": 2, **sizes},
            "ppo": {"updates": 2, **sizes},
            "deals": {"share": 0.5},
            "evaluation": {"deals": 4},
            "checkpoint_every": 1,
        }
    )
    train(config, tmp_path / "whole", Silent())
    for steps in (2, 3):
        folder = tmp_path / f"killed{steps}"
        with pytest.raises(Killed):
            train(config, folder, KillAt(steps))
        train(saved_config(folder), folder, Silent(), resume=True)
        assert (folder / LAST).read_bytes() == (tmp_path / "whole" / LAST).read_bytes()
