"""Search beside a trained policy: whose opinion counts for what, and worlds weighted by its probabilities."""

from pathlib import Path

import numpy as np
import pytest
import torch

from support.players import assert_rows_stand_alone
from texas42.agents.arena import decision_keys, decisions_for
from texas42.agents.checkpoint import fingerprint, save_checkpoint
from texas42.agents.network import Actor, initialise, to_arrays
from texas42.agents.policy import PolicyAgent
from texas42.agents.search.guided import SearchAgent
from texas42.agents.search.inference import DOUBT, Inference
from texas42.agents.search.pimc import PimcAgent
from texas42.agents.shape import Shape
from texas42.agents.specs import SpecError, make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import PLAY
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.match import play_match
from texas42.training.evaluation.saved import digest_of_files

RULES = Rules.preset("n42pa")
SHAPE = Shape.of(RULES, 16, 2)
HEURISTIC = make_agent("heuristic", RULES)


def opinionated(seed: int = 0, scale: float = 3.0) -> PolicyAgent:
    """A policy of random, strong opinions."""
    actor = Actor(SHAPE, RULES)
    initialise(actor, seed)
    with torch.no_grad():
        for head in actor.heads:
            head.weight.mul_(100 * scale)  # type: ignore[operator]
    return PolicyAgent(actor)


def positions(n: int = 24, plays: int = 9) -> tuple[BatchedGame, np.ndarray]:
    """Hands of the heuristic after some decisions, and the rows still in progress."""
    game = BatchedGame(RULES, n, auto_reset=False)
    game.reset(5)
    steps = np.zeros(n, np.int64)
    for _ in range(plays):
        live = np.flatnonzero(~game.done)
        actions = np.full(n, -1)
        actions[live] = HEURISTIC.act(decisions_for(game, live, decision_keys(game, 1, steps)[live]))
        game.step(actions)
        steps += 1
    return game, np.flatnonzero(~game.done)


def test_without_weight_a_play_is_that_of_pimc() -> None:
    game, rows = positions()
    asked = decisions_for(game, rows, decision_keys(game, 1, np.zeros(game.n, np.int64))[rows])
    search = SearchAgent(RULES, opinionated(), worlds=5, weight=0.0, inference=HEURISTIC)
    plays = asked.views["phase"] == PLAY
    assert plays.any()
    expected = PimcAgent(RULES, worlds=5, inference=HEURISTIC).act(asked)
    np.testing.assert_array_equal(search.act(asked)[plays], expected[plays])


def test_with_all_the_weight_a_play_is_the_policys() -> None:
    game, rows = positions()
    asked = decisions_for(game, rows, decision_keys(game, 1, np.zeros(game.n, np.int64))[rows])
    policy = opinionated(scale=0.2)
    search = SearchAgent(RULES, policy, worlds=3, weight=3e5, calls="policy", inference=HEURISTIC)
    np.testing.assert_array_equal(search.act(asked), policy.act(asked))


def test_calls_are_those_of_pimc_or_the_policys_or_race_from_its_favourite() -> None:
    game = BatchedGame(RULES, 16, auto_reset=False)
    game.reset(8)
    rows = np.arange(16)
    asked = decisions_for(game, rows, decision_keys(game, 1, np.zeros(16, np.int64)))
    policy = opinionated()
    own = policy.act(asked)
    np.testing.assert_array_equal(SearchAgent(RULES, policy, worlds=2).act(asked), own)
    expected = PimcAgent(RULES, worlds=2, inference=HEURISTIC).act(asked)
    searched = SearchAgent(RULES, policy, worlds=2, calls="pimc", inference=HEURISTIC).act(asked)
    np.testing.assert_array_equal(searched, expected)
    raced = SearchAgent(RULES, policy, worlds=2, calls="race").act(asked)
    assert (asked.masks[rows, raced] == 1).all()
    assert (raced != own).any()  # random opinions about bids do not hold their own in hands played out


def test_worlds_are_as_likely_as_the_policys_probabilities() -> None:
    """One call of another seat: the likelihood of each of its hands is the policy's chance of that call, doubted."""
    game = BatchedGame(RULES, 1, auto_reset=False)
    game.reset(3)
    caller = int(game.movers[0])
    first = game.states.copy()
    policy = opinionated()
    game.step(np.array([game.codec.parse("P30")]))
    view, me = game.views()[0], int(game.movers[0])
    rng = np.random.default_rng(0)
    others = [i for i in range(28) if not int(view.hands[me]) >> i & 1]
    worlds = []
    for _ in range(6):
        dealt = rng.permutation(others)
        hands = {me: int(view.hands[me])}
        for k, seat in enumerate(s for s in range(4) if s != me):
            hands[seat] = sum(1 << int(i) for i in dealt[7 * k : 7 * k + 7])
        worlds.append([hands[seat] for seat in range(4)])
    logs = Inference(RULES, policy).logs(view, me, np.array(worlds, np.uint64))
    for world, log in zip(worlds, logs, strict=True):
        asked = first.copy()
        asked["hands"][0, :4] = asked["dealt"][0, :4] = world
        game.states[:] = asked
        decisions = decisions_for(game, np.array([0]), np.zeros(1, np.uint64))
        assert int(decisions.seats[0]) == caller
        chance = np.exp(policy.log_probabilities(decisions)[0, game.codec.parse("P30")])
        assert log == pytest.approx(np.log((1 - DOUBT) * chance + DOUBT / decisions.masks.sum()), abs=1e-5)


def test_log_probabilities_are_those_of_the_legal_actions() -> None:
    game, rows = positions()
    asked = decisions_for(game, rows, np.zeros(len(rows), np.uint64))
    logs = opinionated().log_probabilities(asked)
    np.testing.assert_allclose(np.exp(logs).sum(axis=1)[asked.masks.sum(axis=1) > 1], 1.0)
    assert (np.isneginf(logs) == (asked.masks == 0)).all()


@pytest.mark.parametrize("options", ["", ",weight=0.2,calls=pimc,inference=policy", ",inference=none"])
def test_the_spec_names_the_player(tmp_path: Path, options: str) -> None:
    path = tmp_path / "policy.safetensors"
    arrays = {f"actor.{name}": array for name, array in to_arrays(opinionated().actor).items()}
    meta = {"fingerprint": fingerprint(RULES), "rules": RULES.to_dict(), "shape": SHAPE.to_dict()}
    save_checkpoint(path, arrays, meta)
    spec = f"search:checkpoint={path},worlds=2{options}"
    player = make_agent(spec, RULES)
    assert player.name == spec
    assert str(path) in digest_of_files(f"heuristic+{spec}")
    game = BatchedGame(RULES, 3, auto_reset=False)
    game.reset(2)
    assert_rows_stand_alone(game, player, make_agent(spec + ",threads=2", RULES), 12)
    assert play_match(player, HEURISTIC, RULES, 2, 1).forfeits == (0, 0)


def test_a_search_that_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no checkpoint at"):
        make_agent(f"search:checkpoint={tmp_path / 'none'}", RULES)
    with pytest.raises(OptionsError, match="search plays four-player double-six 42"):
        SearchAgent(Rules.preset("players_6"), opinionated())
    with pytest.raises(SpecError, match="calls='both' is not allowed; allowed: one of pimc, race, policy"):
        make_agent("search:calls=both", RULES)
