"""The PettingZoo environment: official tests, whose turn it is, what is handed out, weight and speed."""

import copy
import os
import pickle
import random
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.state_test import test_state as state_plays_on
from pettingzoo.test.state_test import test_state_space as state_space_is_sound

import texas42
from support.seated import AUCTION, DEAL, TRICKS, seated, tiles
from texas42.envs import texas42_v0
from texas42.envs.aec import Texas42AEC
from texas42.envs.options import OPTIONS
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

# Only the two that a Dict observation cannot avoid, and the all-zero masks of agents whose episode is over.
UNAVOIDABLE = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
}


# PettingZoo's own tests


@pytest.mark.parametrize("preset", PRESETS)
def test_api_test_passes_without_avoidable_warnings(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(texas42_v0.env(rules=preset), num_cycles=60)
    assert {str(warning.message) for warning in caught} <= UNAVOIDABLE


@pytest.mark.parametrize("preset", ["n42pa", "open", "moon", "big_game", "eighty_four_6"])
def test_seed_test_passes(preset: str) -> None:
    seed_test(lambda: texas42_v0.env(rules=preset), num_cycles=50)
    seed_test(lambda: texas42_v0.env(rules=preset, episode="game"), num_cycles=50)


@pytest.mark.parametrize("preset", PRESETS)
def test_state_tests_pass_with_unmasked_actions(preset: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = texas42_v0.env(rules=preset, illegal="penalise")
        state_space_is_sound(env)
        state_plays_on(env, 20)


def test_render_test_passes(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(texas42_v0.env)
    assert "To move: player_" in capsys.readouterr().out


def test_every_way_of_making_it_gives_the_same_environment() -> None:
    made = [
        texas42.make("texas42_v0", rules="open", episode="game"),
        texas42_v0.env(rules="open", episode="game"),
        texas42_v0.raw_env(rules="open", episode="game"),
    ]
    if hasattr(pettingzoo, "make"):
        made.append(pettingzoo.make("aec", "texas42_v0", rules="open", episode="game"))
    assert all(type(env) is Texas42AEC and env.rules == Rules.preset("open") for env in made)
    assert {str(env) for env in made} == {"texas42_v0"}
    assert all(env.unwrapped is env for env in made)


# Whose turn


def test_the_idle_partner_of_a_nello_is_never_selected_and_is_paid() -> None:
    env = texas42_v0.env(rules="open")
    env.reset(seed=1, options={"shaker": 0, "actions": ["PASS", "PASS", "PASS", "M1", "NELLO-high"]})
    rng = random.Random(0)
    moved = set()
    while not env.terminations[env.agent_selection]:
        moved.add(env.agent_selection)
        assert "player_2" in env.agents
        env.step(env.codec.parse(rng.choice(env.legal_actions())))
    assert moved == {"player_0", "player_1", "player_3"}
    assert env.rewards["player_2"] == env.rewards["player_0"] != 0


def test_two_seats_each_is_two_agents_with_four_hands() -> None:
    rules = Rules.preset("players_2").replace(two_seats_each=True)
    env = texas42_v0.env(rules=rules)
    env.reset(seed=2, options={"shaker": 0, "hands": DEAL})
    assert env.possible_agents == ["player_0", "player_1"]
    movers = []
    for name in (AUCTION + " " + TRICKS).split():
        movers.append(env.agent_selection)
        seen = env.observe(env.agent_selection)["observation"]
        for piece in ("hand", "second_hand"):
            assert seen[env.layout.slice(piece)].sum() > 0 or len(movers) > 29
        env.step(env.codec.parse(name))
    assert movers[:5] == ["player_1", "player_0", "player_1", "player_0", "player_0"]
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}


def test_an_agent_with_two_seats_sees_both_hands_from_the_seat_to_move() -> None:
    env = texas42_v0.env(rules=Rules.preset("players_2").replace(two_seats_each=True))
    env.reset(options={"shaker": 0, "hands": DEAL, "actions": ["PASS"]})  # seat 2, held by player_0, is to call
    seen = env.observe("player_0")["observation"]
    assert tiles(env, seen[env.layout.slice("hand")]) == set(DEAL[2].split())
    assert tiles(env, seen[env.layout.slice("second_hand")]) == set(DEAL[0].split())


# What is handed out


@pytest.mark.parametrize("preset", PRESETS)
def test_unseen_tiles_change_nothing_an_agent_is_shown(preset: str) -> None:
    """Pitfall 2, on the record itself: what a seat has not seen is replaced by noise."""
    env = texas42_v0.env(rules=preset)
    rng = random.Random(preset)
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        for agent in env.possible_agents:
            assert _same_under_noise(env, agent, rng)
        env.step(env.codec.parse(rng.choice(env.legal_actions())))


def _same_under_noise(env: Texas42AEC, agent: str, rng: random.Random) -> bool:
    seen, seat = env.observe(agent), env.possible_agents.index(agent)
    noisy = copy.deepcopy(env)
    deck = np.uint64(sum(1 << i for i in env.rules.deck))
    for other in range(env.rules.seats):
        if other != seat:
            for field in ("hands", "dealt"):
                noisy._states[field][0, other] = np.uint64(rng.getrandbits(63)) & deck
    bid_winner = seen["observation"][env.layout.pieces["bidder"].start] and not _in_auction(env, seen)
    if not bid_winner:
        for field in ("widow", "discards"):
            noisy._states[field] = np.uint64(rng.getrandbits(63)) & deck
    for field in ("seed", "row", "episode"):
        noisy._states[field] = np.uint64(rng.getrandbits(63))
    other_seen = noisy.observe(agent)
    return all(np.array_equal(seen[key], other_seen[key]) for key in seen) and noisy.infos[agent] == {}


def _in_auction(env: Texas42AEC, seen: dict[str, Any]) -> bool:
    return bool(seen["observation"][env.layout.pieces["phase"].start])


def test_the_mask_shows_the_mover_and_nobody_else() -> None:
    env = seated()
    masks = {agent: env.observe(agent)["action_mask"].sum() for agent in env.agents}
    assert masks == {"player_0": 0, "player_1": 15, "player_2": 0, "player_3": 0}  # example 22


def test_a_state_does_not_tell_the_next_deal() -> None:
    """Pitfall 10: neither observations nor the critic's state depend on the stream that deals the next hand."""
    one, two = texas42_v0.env(episode="game"), texas42_v0.env(episode="game")
    for env, seed in ((one, 1), (two, 2)):
        env.reset(seed=seed, options={"shaker": 0, "hands": DEAL})
    assert np.array_equal(one.state(), two.state())


def test_the_state_holds_every_hand_and_the_mover() -> None:
    env = seated()
    state, width, types = env.state(), env.layout.width, 28
    hands = state[width : width + 3 * types].reshape(3, types)
    assert [tiles(env, hand) for hand in hands] == [set(hand.split()) for hand in DEAL[1:]]
    assert state[-4:].tolist() == [0, 1, 0, 0]
    assert np.array_equal(state[:width], env.observe("player_0")["observation"])


def test_void_in_the_led_suit_may_still_hold_the_trump_that_shows_it() -> None:
    """Pitfall 11: fours are trumps, blanks led, 4-3 played: no blank, but 4-0 may be there."""
    hands = [
        "0-0 5-0 6-6 6-5 5-5 6-2 5-2",
        "4-3 4-0 3-3 3-1 3-2 6-3 5-3",
        "1-0 2-0 3-0 6-0 1-1 2-1 2-2",
        "6-4 5-4 4-4 4-2 4-1 6-1 5-1",
    ]
    env = texas42_v0.env()
    calls = ["PASS", "PASS", "PASS", "P30", "PIP4", "0-0", "4-3"]
    env.reset(options={"shaker": 0, "hands": hands, "actions": calls})
    seen = env.observe("player_3")["observation"][env.layout.slice("may_hold")].reshape(3, 28)
    left = tiles(env, seen[1])  # player_1 as player_3 counts
    assert "4-0" in left
    assert not left & {"1-0", "2-0", "3-0", "5-0", "6-0"}


def test_recall_table_hides_turned_down_tricks() -> None:
    played = "PASS PASS PASS M1 PIP1 1-1 2-1 3-1 1-0 6-1 5-1 5-5 3-0"
    full, table = seated(played), seated(played, recall="table")
    piece = full.layout.slice("played_by")
    assert full.observe("player_1")["observation"][piece].sum() == 8
    assert table.observe("player_1")["observation"][piece].sum() == 4  # one stack: the last trick only
    assert np.array_equal(full.state(), table.state())


def test_zero_is_a_seat_a_suit_a_tile_and_an_action() -> None:
    """Pitfall 16: seat 0 shakes, PASS is action 0, blanks are trumps, 0-0 is the highest of them."""
    env = seated("PASS PASS PASS P30 PIP0 6-0 5-0 0-0 3-0")
    seen = env.observe("player_2")["observation"]
    shaker = seen[env.layout.slice("shaker")].tolist()
    assert shaker == [0, 0, 1, 0]  # seat 0 is across from seat 2
    assert env.agent_selection == "player_2"  # 0-0 took the trick


def test_copies_of_a_game_in_progress_have_the_same_future() -> None:
    """Pitfall 1."""
    rules = Rules.preset("open").replace(target=100)
    env = texas42_v0.env(rules=rules, episode="game", reward="points", illegal="penalise", recall="table")
    env.reset(seed=9)
    rng = random.Random(4)
    for _ in range(57):
        env.step(env.codec.parse(rng.choice(env.legal_actions())))
    copies = [env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(200):
        name = rng.choice(env.legal_actions())
        for one in copies:
            one.step(one.codec.parse(name))
        assert len({one.state().tobytes() for one in copies}) == 1
        assert len({str(one.rewards) for one in copies}) == 1
    assert [(one.reward, one.recall, one.illegal, one.episode) for one in copies] == [
        ("points", "table", "penalise", "game")
    ] * 3


# Weight and speed


def test_importing_environments_is_light() -> None:
    """Neither torch nor pygame is imported, a step included (`texas42 bench engine` measures the time)."""
    code = (
        "import sys\n"
        "import texas42.envs; from texas42.envs import texas42_v0\n"
        "env = texas42_v0.env(); env.reset(seed=0); env.step(0)\n"
        "print('torch' in sys.modules, 'pygame' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]


# Documentation


def test_sizes_in_the_documentation_are_the_environments() -> None:
    """Pitfall 17."""
    text = (Path(__file__).parent.parent / "docs" / "ENVIRONMENT.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d+ \| \d+ \| \d+ \| \d+) \|$", text, re.MULTILINE))
    expected = {}
    for preset in PRESETS:
        env = texas42_v0.env(rules=preset)
        sizes = (len(env.possible_agents), env.codec.n_actions, env.layout.width, env.state_space.shape[0])
        expected[preset] = " | ".join(map(str, sizes))
    assert rows == expected


def test_every_option_is_documented() -> None:
    text = (Path(__file__).parent.parent / "docs" / "ENVIRONMENT.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in [*OPTIONS, *("rules", "episode", "reward", "recall", "illegal")])


def test_the_documented_loop_runs() -> None:
    text = (Path(__file__).parent.parent / "docs" / "ENVIRONMENT.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["env"].agents == []


def test_without_the_jit_a_hand_is_the_same() -> None:
    """Kernels run uncompiled too, so that a person can step through a hand in a debugger."""
    code = (
        "from texas42.envs import texas42_v0\n"
        "env = texas42_v0.env(rules='open'); env.reset(seed=3)\n"
        "while not env.terminations[env.agent_selection]:\n"
        "    env.step(env.codec.parse(env.legal_actions()[-1]))\n"
        "print(env.state().tolist(), env.rewards)\n"
    )
    texts = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert texts[0] == texts[1]
