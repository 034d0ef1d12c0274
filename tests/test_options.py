"""Options of ``reset``: given deals, scores and prefixes, and what is refused."""

from typing import Any

import pytest

from support.seated import AUCTION, DEAL, seated
from texas42.envs import texas42_v0
from texas42.envs.errors import IllegalActionError, MalformedActionError, OptionsError
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

CLAIMS = Rules.preset("n42pa").replace(laydown="claim")
# Seat 0 plays one mark without trumps and leads his doubles; then he holds 5-5 and 5-4, seat 1 6-5 and 6-4.
CLAIM_DEAL = [
    "5-5 5-4 4-4 3-3 2-2 1-1 0-0",
    "6-6 6-5 6-4 4-3 3-2 2-1 1-0",
    "6-3 6-2 6-1 5-3 5-2 5-1 5-0",
    "6-0 4-2 4-1 4-0 3-1 3-0 2-0",
]
BEFORE_CLAIM = (
    "PASS PASS PASS M1 NT-high  4-4 4-3 5-3 4-2  3-3 3-2 6-3 3-1  2-2 2-1 5-2 2-0  1-1 1-0 5-1 4-1  0-0 6-6 5-0 3-0"
)


def test_the_first_observation_is_after_the_given_actions() -> None:
    env = seated(options={"actions": AUCTION.split()})
    assert env.agent_selection == "player_0"
    assert env.legal_actions() == sorted(DEAL[0].split())
    assert env.position()["actions"] == AUCTION.split()


def test_a_prefix_is_the_same_as_steps() -> None:
    names = [*AUCTION.split(), "1-1", "2-1", "3-1", "1-0", "6-1"]
    assert (seated(options={"actions": names}).state() == seated(" ".join(names)).state()).all()


def test_the_shaker_alone_leaves_the_deal() -> None:
    env = texas42_v0.env()
    env.reset(seed=8)
    dealt = env.position()["hands"]
    for shaker in range(4):
        env.reset(seed=8, options={"shaker": shaker})
        assert env.position()["hands"] == dealt
        assert env.agent_selection == f"player_{(shaker + 1) % 4}"


def test_a_given_deal_decides_who_opens_with_1_0() -> None:
    """f.3.6."""
    env = seated(rules=Rules.preset("n42pa").replace(opening_bidder="holder_of_1_0"))
    assert env.agent_selection == "player_3"


def test_hands_are_lists_or_texts() -> None:
    as_lists = seated(options={"hands": [hand.split() for hand in DEAL]})
    assert as_lists.position() == seated().position()


def test_the_widow_is_what_the_hands_leave() -> None:
    env = texas42_v0.env(rules="seventy_two")
    env.reset(seed=1)
    position = env.position()
    widow = position.pop("widow")
    env.reset(options=position)
    assert sorted(env.position()["widow"]) == sorted(widow)


def test_a_tile_of_two_sets_may_be_dealt_twice_but_not_three_times() -> None:
    env = texas42_v0.env(rules="eighty_four")
    env.reset(seed=1)
    hands = env.position()["hands"]
    two = next(tile for tile in hands[0] + hands[1] if tile != hands[2][0])
    assert sum(hand.count(two) for hand in hands) == 2
    hands[2][0] = two
    with pytest.raises(OptionsError, match=f"{two} is not in the deck, or was already dealt"):
        env.reset(options={"hands": hands})


def test_scores_come_before_the_hand() -> None:
    assert seated(episode="game", options={"scores": [6, 5]}).position()["scores"] == [6, 5]


def test_the_stream_is_the_deal_of_a_hand_and_of_those_after_it() -> None:
    env = texas42_v0.env(episode="game")
    env.reset(seed=11)
    for _ in range(8):
        env.step(0)
    later = env.position()
    assert later["stream"] == [11, 0, 0, 2]
    env.reset(options={"stream": later["stream"]})
    assert env.position() == later
    for _ in range(4):
        env.step(0)
    assert env.position()["stream"] == [11, 0, 0, 3]


def test_a_prefix_may_end_hands_of_a_game() -> None:
    env = texas42_v0.env(episode="game")
    env.reset(seed=1, options={"shaker": 0, "actions": ["PASS"] * 5})
    assert env.position()["actions"] == ["PASS"]
    assert env.position()["shaker"] == 1


@pytest.mark.parametrize(("claim", "scores"), [("CLAIM 5-5 5-4", [1, 0]), ("CLAIM 5-4 5-5", [0, 1]), ("CLAIM", [1, 0])])
def test_a_claim_in_a_prefix_is_judged_in_the_order_it_states(claim: str, scores: list[int]) -> None:
    """c.17, f.3.13: 5-5 first draws 6-5, 5-4 first loses to it; the bare action claims in the engine's order."""
    env = texas42_v0.env(rules=CLAIMS, episode="game")
    env.reset(options={"shaker": 0, "hands": CLAIM_DEAL, "actions": [*BEFORE_CLAIM.split(), claim]})
    assert env.position()["scores"] == scores
    assert env.position()["actions"] == []


@pytest.mark.parametrize("claim", ["CLAIM 5-5", "CLAIM 5-5 5-4 6-5", "CLAIM 5-5 6-5", "CLAIM 5-5 5-5"])
def test_a_claim_names_every_tile_in_hand_once(claim: str) -> None:
    env = texas42_v0.env(rules=CLAIMS)
    with pytest.raises(MalformedActionError, match=rf"actions\[25\]: '{claim}' must name every tile in hand once"):
        env.reset(options={"shaker": 0, "hands": CLAIM_DEAL, "actions": [*BEFORE_CLAIM.split(), claim]})


def test_a_claim_that_ends_the_episode_is_no_start() -> None:
    env = texas42_v0.env(rules=CLAIMS)
    with pytest.raises(OptionsError, match=r"actions\[25\] 'CLAIM .*' ends the episode"):
        env.reset(options={"shaker": 0, "hands": CLAIM_DEAL, "actions": [*BEFORE_CLAIM.split(), "CLAIM 5-5 5-4"]})


@pytest.mark.parametrize("preset", PRESETS)
def test_every_position_can_be_written_down_and_come_back_to(preset: str) -> None:
    env, other = texas42_v0.env(rules=preset), texas42_v0.env(rules=preset)
    env.reset(seed=2)
    while not env.terminations[env.agent_selection]:
        other.reset(options=env.position())
        assert (other.state() == env.state()).all()
        assert other.legal_actions() == env.legal_actions()
        env.step(env.codec.parse(env.legal_actions()[-1]))


def test_bad_options_leave_the_game_alone() -> None:
    env = seated("PASS")
    before = env.position()
    bad: list[dict[str, Any]] = [{"shacker": 0}, {"actions": ["P99"]}, {"actions": ["P30", "P30"]}, {"hands": []}]
    for options in bad:
        with pytest.raises(ValueError, match=r"shacker|P99|P30|hands"):
            env.reset(seed=4, options=options)
    assert env.position() == before
    env.reset()
    assert env.position()["stream"][:3] == [0, 0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shacker": 0}, r"unknown option 'shacker' \(did you mean 'shaker'\?\); options: shaker, scores"),
        ({"shaker": 4}, "shaker=4 is not allowed; allowed: a whole number from 0 to 3"),
        ({"shaker": True}, "shaker=True is not allowed"),
        ({"shaker": "0"}, "shaker='0' is not allowed"),
        ({"scores": [1]}, r"scores=\[1\] is not allowed; allowed: a list of 2, one for each side"),
        ({"scores": [1, -1]}, r"scores\[1\]=-1 is not allowed; allowed: a whole number from 0"),
        ({"scores": [7, 3]}, r"scores=\[7, 3\] is not allowed: the game to 7 is over by then"),
        ({"scores": "12"}, "scores='12' is not allowed"),
        ({"hands": DEAL[:3]}, "allowed: a list of 4, one for each seat"),
        ({"hands": [*DEAL[:3], "6-6"]}, r"hands\[3\]: 1 tiles \(6-6\); allowed: 7"),
        ({"hands": [*DEAL[:3], DEAL[0]]}, r"hands\[3\]: 6-4 is not in the deck, or was already dealt"),
        ({"hands": [*DEAL[:3], DEAL[3].replace("6-6", "7-6")]}, r"hands\[3\]: 7-6 is not in the deck"),
        ({"hands": [*DEAL[:3], DEAL[3].replace("6-6", "4-6")]}, r"hands\[3\]: '4-6' is not a tile"),
        ({"hands": [*DEAL[:3], 7]}, r"hands\[3\]=7 is not allowed"),
        ({"hands": DEAL, "widow": ["6-6"]}, r"widow: 1 tiles \(6-6\); allowed: 0"),
        ({"widow": []}, "needs hands"),
        ({"actions": "PASS"}, "actions='PASS' is not allowed; allowed: a list of actions"),
        ({"actions": [0]}, r"actions=\[0\] is not allowed"),
        ({"actions": ["PASS"] * 4}, r"actions\[3\] 'PASS' ends the episode; give only the actions before it"),
        ({"stream": [1, 2]}, r"stream=\[1, 2\] is not allowed; allowed: \[seed, row, episode, hand\]"),
        ({"stream": [1, 2, 3, -4]}, r"stream\[3\]=-4 is not allowed"),
        ([("shaker", 0)], "options must be a mapping"),
    ],
)
def test_bad_options_are_named(options: Any, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        texas42_v0.env().reset(options=options)


def test_bad_prefixes_name_the_place() -> None:
    env = texas42_v0.env()
    with pytest.raises(MalformedActionError, match=r"actions\[1\]: 'P99' names no action"):
        env.reset(options={"actions": ["P30", "P99"]})
    with pytest.raises(IllegalActionError, match=r"actions\[1\]: P30 is not legal; legal: PASS, P31"):
        env.reset(options={"actions": ["P30", "P30"]})


def test_scores_of_a_game_that_plays_on_are_taken() -> None:
    """f.4.5: with win_by_two a game goes on at 7-6; in signed points scores may be negative."""
    env = texas42_v0.env(rules=Rules.preset("n42pa").replace(win_by_two=True), episode="game")
    env.reset(options={"scores": [7, 6]})
    with pytest.raises(OptionsError, match="is over by then"):
        env.reset(options={"scores": [8, 6]})
    moon = texas42_v0.env(rules="moon", episode="game")
    moon.reset(options={"scores": [-5, 0, 20]})
    assert moon.position()["scores"] == [-5, 0, 20]


def test_a_claim_of_every_trick_takes_what_the_others_hold() -> None:
    """c.17: seven sure trumps make 30, though they hold less than 30 points themselves."""
    hands = [
        "6-6 6-5 6-4 6-3 6-2 6-1 6-0",
        "5-5 5-4 5-3 5-2 5-1 5-0 4-4",
        "4-3 4-2 4-1 4-0 3-3 3-2 3-1",
        "3-0 2-2 2-1 2-0 1-1 1-0 0-0",
    ]
    env = texas42_v0.env(rules=CLAIMS, episode="game")
    for claim in ("CLAIM", f"CLAIM {hands[0]}"):
        actions = ["PASS", "PASS", "PASS", "P30", "PIP6", claim]
        env.reset(options={"shaker": 0, "hands": hands, "actions": actions})
        assert env.position()["scores"] == [1, 0]
