"""Adapters: the same game with the mask elsewhere, keys named otherwise, or all agents stepping at once."""

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.utils.conversions import parallel_to_aec

from texas42.envs.adapters.aec import AdaptedAEC, adapted_env
from texas42.envs.adapters.parallel import TurnParallel, parallel_env
from texas42.envs.aec import env as plain_env
from texas42.envs.errors import GameOverError, IllegalActionError, MalformedActionError, OptionsError


def legal(mask: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize("form", [{}, {"mask": "info"}, {"keys": ("obs", "mask")}])
@pytest.mark.parametrize("rules", ["n42pa", "moon"])
def test_adapted_environments_play_the_same_game(form: dict[str, Any], rules: str) -> None:
    episode = "game" if rules == "n42pa" else "hand"
    env, plain = adapted_env(rules=rules, episode=episode, **form), plain_env(rules=rules, episode=episode)
    names = form.get("keys", ("observation", "action_mask"))
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    plain.reset(seed=1)
    while not any(plain.terminations.values()):
        for agent in plain.agents:
            wanted, seen = plain.observe(agent), env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            if form.get("mask") == "info":
                assert np.array_equal(seen, wanted["observation"])
                assert np.array_equal(env.infos[agent]["action_mask"], wanted["action_mask"])
            else:
                assert list(seen) == list(names)
                assert all(np.array_equal(seen[new], wanted[old]) for new, old in zip(names, wanted, strict=True))
        action = legal(plain.observe(plain.agent_selection)["action_mask"], rng)
        plain.step(action)
        env.step(action)
        assert env.rewards == plain.rewards
    assert env.terminations == plain.terminations


@pytest.mark.parametrize("form", [{}, {"mask": "info"}])
def test_adapted_environments_pass_pettingzoos_tests(form: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        if form:  # dicts with a mask are frowned upon
            warnings.simplefilter("error")
        api_test(adapted_env(**form), num_cycles=200)
        seed_test(lambda: adapted_env(**form), num_cycles=50)


@pytest.mark.parametrize(
    "form", [{"idle": "noop"}, {"illegal": "penalise"}, {"idle": "noop", "keys": ("o", "action_mask")}]
)
def test_the_parallel_environment_passes_pettingzoos_tests(form: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(**form), num_cycles=300)
        parallel_seed_test(lambda: parallel_env(**{**form, "illegal": "penalise", "idle": "zeros"}), num_cycles=50)


@pytest.mark.parametrize("idle", ["zeros", "noop"])
@pytest.mark.parametrize("mask", ["obs", "info"])
def test_the_parallel_environment_plays_the_same_game(idle: str, mask: str) -> None:
    env, plain = parallel_env(idle=idle, mask=mask, rules="open"), plain_env(rules="open")
    rng = np.random.default_rng(3)
    for seed in range(5):
        seen, infos = env.reset(seed=seed)
        plain.reset(seed=seed)
        while env.agents:
            assert env.mover == plain.agent_selection
            masks = {a: (seen[a]["action_mask"] if mask == "obs" else infos[a]["action_mask"]) for a in env.agents}
            for agent in env.agents:
                wanted = plain.observe(agent)
                flat = seen[agent]["observation"] if mask == "obs" else seen[agent]
                assert np.array_equal(flat, wanted["observation"])
                assert np.array_equal(masks[agent][: len(wanted["action_mask"])], wanted["action_mask"])
                assert masks[agent].any() == (idle == "noop" or agent == env.mover)
            actions = {agent: legal(masks[agent], rng) for agent in env.agents if masks[agent].any()}
            plain.step(actions[env.mover])
            seen, rewards, terminations, _, infos = env.step(actions)
            assert rewards == plain.rewards
            assert set(rewards) == set(env.possible_agents)
        assert all(terminations.values())


def test_pettingzoo_turns_it_back() -> None:
    env = parallel_to_aec(parallel_env(idle="noop"))
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        totals[agent] += reward
        env.step(None if over else legal(seen["action_mask"], rng))
    assert totals["player_0"] == totals["player_2"] == -totals["player_1"]


def test_bad_input_is_refused() -> None:
    for kwargs in ({"mask": "infos"}, {"keys": ("a", "a")}, {"keys": ("a",)}):
        with pytest.raises(OptionsError, match="is not allowed"):
            AdaptedAEC(**kwargs)
    with pytest.raises(OptionsError, match="idle='wait'"):
        TurnParallel(idle="wait")
    env = parallel_env(idle="noop")
    with pytest.raises(GameOverError):
        env.step({})
    env.reset(seed=0)
    with pytest.raises(MalformedActionError, match="who is to move"):
        env.step({})
    noop = env.n_actions - 1
    others = {agent: noop for agent in env.agents if agent != env.mover}
    with pytest.raises(IllegalActionError, match="waiting is not legal"):
        env.step({**others, env.mover: noop})
    with pytest.raises(IllegalActionError, match="not to move"):
        env.step({**dict.fromkeys(others, 0), env.mover: 0})
    before = env.state().tobytes()
    with pytest.raises(IllegalActionError, match="is not legal"):
        env.step({**others, env.mover: noop - 1})
    assert env.state().tobytes() == before
