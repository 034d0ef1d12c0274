"""The PettingZoo environment: episodes and rewards, and how it answers illegal and malformed actions."""

import random
from typing import Any

import numpy as np
import pytest

from support.seated import AUCTION, TRICKS, play, play_random, seated
from texas42.envs import texas42_v0
from texas42.envs.aec import Texas42AEC
from texas42.envs.engine.score import MAX_THROW_INS
from texas42.envs.errors import GameOverError, IllegalActionError, MalformedActionError, OptionsError, RulesError
from texas42.envs.rules.presets import PRESETS


def test_all_four_are_paid_in_the_step_that_ends_the_hand() -> None:
    """Pitfall 6; RULES.md (d) example 20: N/S take 35 of 42 and make 32, one mark."""
    env = seated(f"{AUCTION} {TRICKS}")
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0, "player_2": 1.0, "player_3": -1.0}
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert not any(env.truncations.values())


def test_last_pays_every_agent_what_it_earned() -> None:
    env = seated(f"{AUCTION} {TRICKS}")
    paid = {}
    for agent in env.agent_iter():
        paid[agent] = env.last()[1]
        env.step(None)
    assert paid == {"player_0": 1.0, "player_1": -1.0, "player_2": 1.0, "player_3": -1.0}


def test_a_set_pays_the_other_side() -> None:
    """RULES.md (d) example 21: E/W take 11 with 6-6 at trick 3 and set the bid at once."""
    env = seated(f"{AUCTION} 1-1 2-1 3-1 1-0 6-1 5-1 5-5 3-0 6-4 6-5 4-0 6-6")
    assert list(env.rewards.values()) == [-1.0, 1.0, -1.0, 1.0]
    assert all(env.terminations.values())


def test_points_reward_is_the_share_of_the_hand_total() -> None:
    env = seated(f"{AUCTION} {TRICKS}", reward="points")
    assert list(env.rewards.values()) == pytest.approx([28 / 42, -28 / 42, 28 / 42, -28 / 42])


def test_points_reward_counts_the_last_trick_when_the_game_goes_on() -> None:
    env = seated(f"{AUCTION} {TRICKS}", reward="points", episode="game")
    assert not any(env.terminations.values())
    assert list(env.rewards.values()) == pytest.approx([28 / 42, -28 / 42, 28 / 42, -28 / 42])


def test_points_game_pays_points() -> None:
    """Example 20 in points: +35 and +7."""
    env = seated(f"{AUCTION} {TRICKS}", rules="seed_points")
    assert list(env.rewards.values()) == [28.0, -28.0, 28.0, -28.0]


def test_rewards_stay_readable_until_the_next_step() -> None:
    env = seated(f"{AUCTION} {TRICKS}", episode="game")
    paid = env.rewards
    assert paid["player_0"] == 1.0
    env.step(env.codec.parse("PASS"))
    assert env.rewards == dict.fromkeys(env.possible_agents, 0.0)
    assert paid["player_0"] == 1.0


def test_win_reward_at_the_end_of_a_game() -> None:
    env = seated(f"{AUCTION} {TRICKS}", episode="game", reward="win", options={"scores": [6, 5]})
    assert list(env.rewards.values()) == [1.0, -1.0, 1.0, -1.0]
    assert all(env.terminations.values())


def test_win_reward_is_shared_among_joint_winners_and_losers() -> None:
    """f.4.4: two defenders of the three-handed game reach the target in the same hand."""
    env = texas42_v0.env(rules="three_handed", episode="game", reward="win")
    rng = random.Random(1)
    seen = set()
    for seed in range(60):
        env.reset(seed=seed, options={"scores": [6, 6, 6]})
        play_random(env, rng)
        seen.add(tuple(sorted(env.rewards.values())))
    assert seen == {(-1.0, 0.5, 0.5), (-0.5, -0.5, 1.0)}


def test_win_reward_needs_a_game() -> None:
    with pytest.raises(OptionsError, match="reward='win' is not allowed with episode='hand'"):
        texas42_v0.env(reward="win")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_runs_to_the_target_and_pays_the_score_differences(preset: str) -> None:
    env = texas42_v0.env(rules=preset, episode="game")
    rng = random.Random(preset)
    env.reset(seed=3)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    while not env.terminations[env.agent_selection]:
        env.step(env.codec.parse(_modest(env, rng)))
        for agent, reward in env.rewards.items():
            totals[agent] += reward
    sides = env.rules.sides
    scores = env._states["scores"][0, :sides].astype(float)
    assert scores.max() >= env.rules.target
    for i, agent in enumerate(env.possible_agents):
        mine = scores[env.rules.side_of(i)]
        assert totals[agent] == pytest.approx(mine - (scores.sum() - mine) / (sides - 1))


def _modest(env: Texas42AEC, rng: random.Random) -> str:
    """A random action, but the lowest bid: random bids lose more than a signed game ever wins back."""
    legal = env.legal_actions()
    lowest = f"P{env.rules.min_bid}"
    if "PASS" in legal or lowest in legal:
        return lowest if lowest in legal else "PASS"
    return rng.choice(legal)


def test_a_thrown_in_hand_ends_a_hand_episode_with_zero_reward() -> None:
    env = seated("PASS PASS PASS PASS")
    assert all(env.terminations.values())
    assert env.rewards == dict.fromkeys(env.possible_agents, 0.0)


def test_a_thrown_in_hand_of_a_game_is_followed_by_the_next_shaker() -> None:
    env = seated("PASS PASS PASS PASS", episode="game")
    assert not any(env.terminations.values())
    assert env.position()["shaker"] == 1
    assert env.agent_selection == "player_2"


def test_endless_throw_ins_truncate_a_game() -> None:
    env = texas42_v0.env(episode="game")
    env.reset(seed=0)
    for _ in range(4 * MAX_THROW_INS):
        assert not any(env.truncations.values())
        env.step(env.codec.parse("PASS"))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())


def test_reset_without_a_seed_goes_on_with_the_seeds_next_episode() -> None:
    one, two = texas42_v0.env(), texas42_v0.env()
    one.reset(seed=5)
    one.reset()
    two.reset(options={"stream": [5, 0, 1, 0]})
    assert one.position() == two.position()


def test_every_seed_in_range_is_taken_and_others_are_refused() -> None:
    env = texas42_v0.env()
    for seed in (0, 2**64 - 1, np.int64(7)):
        env.reset(seed=seed)  # type: ignore[arg-type]
    for bad in (-1, 2**64, 1.5, "1", True):
        with pytest.raises(OptionsError, match="allowed: a whole number from 0"):
            env.reset(seed=bad)  # type: ignore[arg-type]


# Illegal and malformed actions


def test_illegal_actions_are_refused_by_name_and_leave_the_game_alone() -> None:
    env = seated("P31")
    before = env.position()
    with pytest.raises(IllegalActionError, match=r"player_2: P30 is not legal; legal: PASS, P32, .*M1, M2"):
        play(env, "P30")
    assert env.position() == before


@pytest.mark.parametrize("bad", [-1, 93, 1.0, "0", None, True, np.bool_(True), np.float32(1), [1], np.array([1, 2])])
def test_malformed_actions_are_told_apart_from_illegal_ones(bad: Any) -> None:
    env = seated()
    with pytest.raises(MalformedActionError, match="is not a whole number from 0 to 92"):
        env.step(bad)
    assert env.position()["actions"] == []


def test_whole_numbers_of_every_kind_are_actions() -> None:
    for zero in (0, np.int8(0), np.uint64(0), np.array(0)):
        env = seated()
        env.step(zero)  # type: ignore[arg-type]
        assert env.position()["actions"] == ["PASS"]


def test_a_finished_game_takes_no_action() -> None:
    env = seated("PASS PASS PASS PASS")
    with pytest.raises(GameOverError, match=r"the episode is over; step\(None\)"):
        env.step(0)
    while env.agents:
        env.step(None)
    with pytest.raises(GameOverError, match="call reset first"):
        env.step(None)


def test_nothing_works_before_reset_but_the_spaces() -> None:
    env = texas42_v0.env()
    assert env.observation_space("player_0") is env.observation_space("player_0")
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.state, env.position):
        with pytest.raises(GameOverError):
            call()


@pytest.mark.parametrize(
    ("preset", "amount"),
    [("n42pa", 1.0), ("seed_points", 42.0), ("moon", 4.0), ("one_forty", 100.0), ("eighty_four", 1.0)],
)
def test_a_penalised_action_costs_the_movers_side_what_the_others_gain(preset: str, amount: float) -> None:
    """One mark, the hand total in points games, `min_bid` in signed ones; each other side scores it."""
    env = texas42_v0.env(rules=preset, illegal="penalise")
    env.reset(seed=0, options={"shaker": 0})
    env.step(env.codec.n_actions - 1)
    assert all(env.terminations.values())
    sides = env.rules.sides
    for i, reward in enumerate(env.rewards.values()):
        offender = env.rules.side_of(i) == env.rules.side_of(1)
        expected = -amount if offender else amount - (sides - 2) * amount / (sides - 1)
        assert reward == pytest.approx(expected)


def test_a_penalty_is_a_lost_game_with_the_win_reward() -> None:
    env = texas42_v0.env(rules="three_handed", episode="game", reward="win", illegal="penalise")
    env.reset(seed=0, options={"shaker": 0})
    env.step(env.codec.n_actions - 1)
    assert list(env.rewards.values()) == [0.5, -1.0, 0.5]


@pytest.mark.parametrize(
    ("name", "value"),
    [("episode", "match"), ("reward", "marks"), ("recall", None), ("illegal", "ignore"), ("render_mode", "rgb_array")],
)
def test_bad_constructor_arguments_name_value_and_choice(name: str, value: Any) -> None:
    with pytest.raises(OptionsError, match=f"{name}={value!r} is not allowed; allowed: "):
        texas42_v0.env(**{name: value})


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(RulesError, match="unknown preset 'n42pb'"):
        texas42_v0.env(rules="n42pb")
