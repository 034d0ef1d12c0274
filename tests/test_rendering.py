"""The table as text."""

import random

import pytest

from support.seated import AUCTION, DEAL, TRICKS, seated
from texas42.envs import texas42_v0
from texas42.envs.batch import BatchedGame
from texas42.envs.rendering import step_text, table_text
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules


def test_a_table_in_the_middle_of_a_trick() -> None:
    env = seated(f"{AUCTION} 1-1 2-1 3-1 1-0 6-1 5-1", render_mode="ansi", options={"scores": [3, 0]})
    assert env.render() == "\n".join(
        [
            "Hand 1, n42pa, marks to 7. Score: player_0+player_2 3, player_1+player_3 0.",
            "  player_0  shaker  P32   (5 tiles)",
            "  player_1          PASS  (5 tiles)",
            "> player_2          PASS  5-5 5-4 4-4 4-2 4-0 0-0",
            "  player_3          PASS  (6 tiles)",
            "player_0 bid P32. PIP1: ones are trumps. To make: 32 of 42 points.",
            "Tricks: player_0+player_2 1 worth 1, player_1+player_3 0 worth 0.",
            "Last trick: player_0 1-1, player_1 2-1, player_2 3-1, player_3 1-0. player_0 took it, worth 1.",
            "On the table: player_0 6-1, player_1 5-1. Winning: player_0.",
            "To move: player_2 (play).",
        ]
    )


def test_trumps_stand_apart_in_a_hand() -> None:
    env = seated(AUCTION, render_mode="ansi")
    assert "> player_0  shaker  P32   6-1 4-1 1-1 | 6-4 6-0 4-3 3-2" in str(env.render()).splitlines()


def test_only_the_movers_hand_is_shown_unless_all_are_asked_for() -> None:
    env = seated(render_mode="ansi")
    text, everything = str(env.render()), str(env.render(show_all=True))
    for seat, hand in enumerate(DEAL):
        for tile in hand.split():
            assert (tile in text) is (seat == 1)
            assert tile in everything


def test_the_end_of_a_hand_says_who_made_what() -> None:
    env = seated(f"{AUCTION} {TRICKS}", render_mode="ansi")
    last = str(env.render()).splitlines()[-1]
    assert last == (
        "P32 by player_0 is made: player_0+player_2 +1, player_1+player_3 +0. "
        "Score: player_0+player_2 1, player_1+player_3 0."
    )


def test_a_throw_in_and_a_penalty_say_so() -> None:
    assert "All passed: thrown in." in str(seated("PASS PASS PASS PASS", render_mode="ansi").render())
    env = seated(render_mode="ansi", illegal="penalise")
    env.step(env.codec.n_actions - 1)
    assert "ended by an illegal action" in str(env.render())


def test_the_next_hand_of_a_game_tells_how_the_last_one_ended() -> None:
    env = seated(f"{AUCTION} {TRICKS}", episode="game", render_mode="ansi")
    first = str(env.render()).splitlines()[0]
    assert first.startswith("Hand 2, ")
    assert first.endswith("The last hand: player_0+player_2 +1, player_1+player_3 +0.")


def test_human_mode_writes_every_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = seated("PASS PASS", render_mode="human")
    assert env.render() is None
    assert capsys.readouterr().out.count("To move: ") == 4


def test_render_without_a_mode_warns() -> None:
    with pytest.warns(UserWarning, match="render needs a render_mode"):
        assert seated().render() is None


def test_a_splash_names_the_namer() -> None:
    hands = ["6-6 5-5 4-4 6-0 5-1 4-1 3-1", "6-5 6-4 6-3 6-2 6-1 5-4 5-3", *[""] * 2]
    rest = [f"{a}-{b}" for a in range(7) for b in range(a + 1) if f"{a}-{b}" not in " ".join(hands)]
    hands[2:] = [" ".join(rest[:7]), " ".join(rest[7:])]
    env = texas42_v0.env(rules="casual", render_mode="ansi")
    actions = ["SPLASH", "PASS", "PASS", "PASS", "PIP6"]
    env.reset(options={"shaker": 3, "hands": hands, "actions": actions})
    assert "player_0 bid SPLASH (3 marks), named by player_2. PIP6: sixes are trumps. To make: every trick." in str(
        env.render()
    )


def test_whoever_sits_out_nello_is_named() -> None:
    rules = Rules.preset("casual")
    game = BatchedGame(rules, 1, auto_reset=False)
    game.reset(1)
    bidder = int(game.movers[0])
    for name in ["M2", "PASS", "PASS", "PASS", "NELLO-own"]:
        before, action = game.states[0].copy(), game.codec.parse(name)
        game.step([action])
    said = step_text(before, game.states[0], action, rules, game.codec, ["a", "b", "c", "d"])
    assert said[1:] == [f"  {'abcd'[(bidder + 2) % 4]}: not in this hand"]


def test_the_widow_is_shown_to_the_bidder_only() -> None:
    env = texas42_v0.env(rules="seventy_two", render_mode="ansi")
    env.reset(seed=3, options={"shaker": 0, "actions": ["PASS", "PASS", "PASS", "P40", "PIP3"]})
    assert "Widow: " in str(env.render())
    state = env._states[0]
    assert "Widow: " not in table_text(state, env.rules, env.codec, seat=1)
    assert "Widow: " in table_text(state, env.rules, env.codec, seat=1, show_all=True)


def test_discards_of_others_are_not_told() -> None:
    env = texas42_v0.env(rules="moon")
    env.reset(seed=3, options={"shaker": 0, "actions": ["P4", "PASS", "PASS"]})
    before = env._states[0].copy()
    action = env.codec.parse(env.legal_actions()[0])
    env.step(action)
    lines = step_text(before, env._states[0], action, env.rules, env.codec, ["a", "b", "c"])
    assert lines == ["b: discards"]


@pytest.mark.parametrize("rules", [*PRESETS, Rules.preset("players_2").replace(two_seats_each=True)], ids=str)
def test_every_preset_can_be_told_from_start_to_end(rules: str | Rules) -> None:
    env = texas42_v0.env(rules=rules, render_mode="ansi")
    names = [f"player_{i}" for i in range(env.rules.seats)]
    rng = random.Random(str(rules))
    for seed in range(3):
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            assert "To move: " in str(env.render())
            before, action = env._states[0].copy(), env.codec.parse(rng.choice(env.legal_actions()))
            env.step(action)
            assert step_text(before, env._states[0], action, env.rules, env.codec, names)
        assert "Score: " in str(env.render(show_all=True)).splitlines()[-1]
