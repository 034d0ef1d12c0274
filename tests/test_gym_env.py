"""The single-learner Gymnasium environment: agreement with the AEC environment, checks, tasks, bad input."""

import copy
import pickle
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.utils.env_checker import check_env

import texas42
from texas42.agents.random_agent import RandomAgent
from texas42.envs.aec import Texas42AEC
from texas42.envs.decisions import Decisions
from texas42.envs.errors import (
    GameOverError,
    IllegalActionError,
    MalformedActionError,
    OptionsError,
    RulesError,
)
from texas42.envs.gym import Texas42Env
from texas42.registration import TASKS, VARIANTS

ANYONE: dict[str, Any] = {"partner": "random", "opponents": "random", "guide": "random"}


def make(name: str = "Texas42-v0", **kwargs: Any) -> Any:
    return gymnasium.make(f"texas42/{name}", **{**ANYONE, **kwargs}).unwrapped


def random_legal(env: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(env.action_masks())))


def play_episode(env: Any, rng: np.random.Generator) -> list[float]:
    """Random legal play to the end of the episode in progress; the rewards."""
    rewards, over = [], False
    while not over:
        _, reward, terminated, truncated, _ = env.step(random_legal(env, rng))
        rewards.append(reward)
        over = terminated or truncated
    return rewards


class Recorder(RandomAgent):
    """A random player that notes what it was asked and answered."""

    def __init__(self) -> None:
        self.log: list[tuple[int, int]] = []

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        answers = super().act(decisions)
        self.log += zip(decisions.seats.tolist(), answers.tolist(), strict=True)
        return answers


def play_forced(aec: Texas42AEC, me: str) -> None:
    """Moves without a choice, for which agents are not asked."""
    while not any(aec.terminations.values()) and aec.agent_selection != me:
        legal = np.flatnonzero(aec.observe(aec.agent_selection)["action_mask"])
        if len(legal) > 1:
            return
        aec.step(int(legal[0]))


@pytest.mark.parametrize("rules", ["n42pa", "open", "moon", "big_game", "one_forty", "players_5"])
@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("reward", ["score", "points"])
def test_steps_agree_with_the_aec_environment(rules: str, seat: int, reward: str) -> None:
    others = Recorder()
    env = Texas42Env(rules, partner=others, opponents=others, seat=seat, reward=reward)
    aec = Texas42AEC(rules, reward=reward)
    rng = np.random.default_rng(1)
    me = f"player_{seat}"
    for seed in range(8):
        others.log.clear()
        observation, info = env.reset(seed=seed)
        assert info == {}
        aec.reset(seed=seed)
        over, passed_over = False, env.table.states["episode"][0] > 0
        if passed_over:
            continue
        while True:
            for mover, action in others.log:
                play_forced(aec, me)
                assert aec.agent_selection == f"player_{mover}"
                aec.step(action)
            others.log.clear()
            play_forced(aec, me)
            seen = aec.observe(me)
            assert np.array_equal(seen["observation"], observation["observation"])
            assert np.array_equal(seen["action_mask"], observation["action_mask"])
            if over:
                break
            action = random_legal(env, rng)
            aec.step(action)
            observation, paid, over, truncated, _ = env.step(action)
            assert not truncated
        assert paid == aec.rewards[me]
        assert aec.terminations[me]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mask": "info"},
        {"mask": "method", "seat": "random"},
        {"episode": "game", "reward": "win", "recall": "table"},
        {"rules": "moon", "reward": "points"},
    ],
)
def test_gymnasium_and_sb3_check_env_without_warnings(options: dict[str, Any]) -> None:
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = make(illegal="penalise", **options)
        check_env(env)
        sb3.check_env(env)


@pytest.mark.parametrize("name", sorted(TASKS))
def test_every_task_plays(name: str) -> None:
    env = make(name)
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=3)
    assert env.observation_space.contains(observation)
    for _ in range(1 if "Game" in name else 5):
        assert all(np.isfinite(play_episode(env, rng)))
        env.reset()


def test_there_is_a_task_for_every_preset() -> None:
    from texas42.envs.rules.presets import PRESETS

    assert {"n42pa", *VARIANTS.values()} == set(PRESETS)


def test_importing_texas42_registers_and_compiles_nothing() -> None:
    code = (
        "import sys, gymnasium, texas42; print('texas42/Texas42-Moon-v0' in gymnasium.registry); "
        "print(sorted({'numba', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["True", "[]"]
    assert texas42.__version__


def test_a_learner_of_trick_play_sees_tiles_only() -> None:
    env = make("Texas42-Play-v0", guide="heuristic", seat="random")
    rng = np.random.default_rng(0)
    for _ in range(20):
        env.reset()
        while True:
            names = env.legal_actions()
            assert all(name[0].isdigit() or name == "CLAIM" for name in names), names
            _, _, over, _, _ = env.step(random_legal(env, rng))
            if over:
                break


def test_a_learner_of_bidding_sees_no_tiles() -> None:
    env = make("Texas42-Bid-v0", guide="heuristic")
    rng = np.random.default_rng(0)
    for _ in range(20):
        env.reset()
        over, steps = False, 0
        while not over:
            assert not any(name[0].isdigit() for name in env.legal_actions())
            _, _, over, _, _ = env.step(random_legal(env, rng))
            steps += 1
        assert steps <= 2


def test_rewards_of_a_game_add_up_to_the_final_margin() -> None:
    for name in ("Texas42-v0", "Texas42-Play-v0"):  # in the latter hands may end before the first decision
        env = make(name, episode="game", seat=1)
        rng = np.random.default_rng(2)
        env.reset(seed=1)
        total = sum(play_episode(env, rng))
        scores = env.table.states["scores"][0]
        assert total == scores[1] - scores[0]


def test_a_drawn_seat_varies_and_belongs_to_the_seed() -> None:
    env = make(seat="random")
    drawn = []
    for _ in range(2):
        env.reset(seed=5)
        seats = [int(env.table.seats["learner"][0])]
        for _ in range(30):
            env.reset()
            seats.append(int(env.table.seats["learner"][0]))
        drawn.append(seats)
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) == {0, 1, 2, 3}


def test_two_seats_are_played_by_one_learner() -> None:
    env = make(rules={"preset": "players_2", "two_seats_each": True}, seat=1)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    movers = set()
    for _ in range(20):
        over = False
        while not over:
            movers.add(int(env.table.states["cur"][0]))
            _, _, over, _, _ = env.step(random_legal(env, rng))
        env.reset()
    assert movers == {1, 3}


def test_same_seed_same_episodes_and_reset_goes_on() -> None:
    envs = make(), make()
    actions: list[list[float]] = [[], []]
    for env, log in zip(envs, actions, strict=True):
        rng = np.random.default_rng(0)
        env.reset(seed=9)
        for _ in range(5):
            log += [*play_episode(env, rng), float(env.table.states["hands"].sum() % 1009)]
            env.reset()
    assert actions[0] == actions[1]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_game_has_the_same_future(copied: Any) -> None:
    env = make(episode="game", opponents="heuristic")
    rng = np.random.default_rng(0)
    env.reset(seed=4)
    for _ in range(5):
        env.step(random_legal(env, rng))
    other = copied(env)
    futures = [play_episode(e, np.random.default_rng(1)) for e in (env, other)]
    assert futures[0] == futures[1]


def test_observations_are_no_views_of_a_buffer() -> None:
    env = make()
    rng = np.random.default_rng(0)
    first, _ = env.reset(seed=0)
    kept = copy.deepcopy(first)
    env.step(random_legal(env, rng))
    assert all(np.array_equal(first[key], kept[key]) for key in kept)


def test_a_position_is_given_in_record_notation() -> None:
    env = make(seat=2)
    env.reset(seed=0, options={"shaker": 3, "actions": ["PASS", "P30"]})
    assert "P30" not in env.legal_actions()
    assert "P31" in env.legal_actions()


def test_a_position_without_a_decision_is_refused_and_changes_nothing() -> None:
    env = make(opponents="passer")
    env.reset(seed=0)
    before = env.legal_actions(), env.table.states.tobytes()
    with pytest.raises(OptionsError, match="nothing to decide"):
        env.reset(options={"shaker": 3, "actions": ["PASS", "PASS", "PASS"]})
    assert (env.legal_actions(), env.table.states.tobytes()) == before
    env.step(int(np.flatnonzero(env.action_masks())[0]))


def test_bad_actions_are_told_apart_and_change_nothing() -> None:
    env = make()
    with pytest.raises(GameOverError, match="reset"):
        env.step(0)
    env.reset(seed=0)
    before = env.table.states.tobytes()
    for bad in (-1, env.action_space.n, 1.0, None, "0", True, [0]):
        with pytest.raises(MalformedActionError):
            env.step(bad)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    with pytest.raises(IllegalActionError, match="legal: PASS"):
        env.step(illegal)
    assert env.table.states.tobytes() == before


def test_an_illegal_action_may_cost_a_mark_and_the_episode() -> None:
    env = make(illegal="penalise")
    env.reset(seed=0)
    _, reward, terminated, truncated, _ = env.step(int(np.flatnonzero(~env.action_masks())[0]))
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert not env.action_masks().any()
    with pytest.raises(GameOverError):
        env.step(0)


def test_an_illegal_action_may_be_replaced_by_a_legal_one() -> None:
    env = make(illegal="replace")
    env.reset(seed=0)
    over = False
    while not over:
        _, reward, over, _, _ = env.step(int(np.flatnonzero(~env.action_masks())[0]))
    assert reward != -0.5


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"episode": "night"}, OptionsError, "'hand', 'game'"),
        ({"seat": 4}, OptionsError, "0 to 3, or 'random'"),
        ({"seat": True}, OptionsError, "seat=True"),
        ({"reward": "win"}, OptionsError, "'score', 'points'"),
        ({"illegal": "ignore"}, OptionsError, "'raise', 'penalise', 'replace'"),
        ({"phase": "play"}, OptionsError, "did you mean 'phases'"),
        ({"mask": "action_mask"}, OptionsError, "'obs', 'info', 'method'"),
        ({"render_mode": "rgb_array"}, OptionsError, "'ansi', 'human'"),
        ({"rules": "n42"}, RulesError, "n42pa"),
        ({"opponents": "heuristics"}, ValueError, "did you mean 'heuristic'"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*render_mode.*")
def test_bad_arguments_are_named(kwargs: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make(**kwargs)


def test_bad_seeds_and_options_are_refused() -> None:
    env = make()
    env.reset(seed=1)
    before = env.table.states.tobytes()
    for seed in (-1, 2**64, 1.5, True):
        with pytest.raises(OptionsError, match="seed="):
            env.reset(seed=seed)
    with pytest.raises(OptionsError, match="shaker"):
        env.reset(options={"shacker": 0})
    assert env.table.states.tobytes() == before


def test_an_agent_that_answers_illegally_is_named() -> None:
    class Cheat(RandomAgent):
        name = "cheat"

        def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
            return np.full(len(decisions), decisions.codec.n_actions - 1, np.int64)

    env = Texas42Env("n42pa", opponents=Cheat())
    with pytest.raises(IllegalActionError, match="cheat answered"):
        env.reset(seed=0, options={"shaker": 0})


def test_rendering_shows_the_learners_hand_only() -> None:
    env = make(render_mode="ansi")
    env.reset(seed=0)
    text = env.render()
    assert "To move: player_0" in text
    assert text.count("(7 tiles)") == 3
