"""Action ids and names: every id has a name that leads back to it, in the order that ARCHITECTURE fixes."""

from random import Random

import pytest

from support.house import random_house
from texas42.envs.rules.codec import Codec, build_codec
from texas42.envs.rules.errors import MalformedActionError
from texas42.envs.rules.layout import PIECES, build_layout
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

FOUR_PLAYER_42 = ["n42pa", "seed_marks", "seed_points", "spruce", "casual", "open"]
HOUSES = [
    {"preset": "open", "nello_doubles": ["inv"], "nt_doubles": ["low", "own"]},
    {"preset": "n42pa", "max_opening_marks": 4, "max_marks_cap": 5},
    {"preset": "n42pa", "laydown": "claim", "lead_low_end": "any"},
    {"preset": "seed_points", "points_mode_multiples": "doubling"},
    {"preset": "n42pa", "min_bid": 31, "bid_step": 2},
    {"preset": "n42pa", "calls": "until_one_left", "max_marks_cap": 7},
    {"preset": "players_2", "players": 4},
]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_id_has_a_name_that_leads_back(preset: str) -> None:
    random = Random(preset)
    for rules in [Rules.preset(preset), *(random_house(preset, random) for _ in range(20))]:
        codec = build_codec(rules)
        assert [codec.parse(codec.name(i)) for i in range(codec.n_actions)] == list(range(codec.n_actions))
        assert len(set(codec.names)) == codec.n_actions


@pytest.mark.parametrize("preset", PRESETS)
def test_names_that_are_none_are_refused(preset: str) -> None:
    codec = build_codec(Rules.preset(preset))
    for text in ("", "pass", "P1000", "4-6", "6-4 ", "DISCARD", "PIP10", "CLAIM6-6", "NT", "M0", "M99", "9-9/9"):
        with pytest.raises(MalformedActionError, match="names no action of these rules"):
            codec.parse(text)
    for action in (-1, codec.n_actions):
        with pytest.raises(MalformedActionError, match=rf"action {action} is out of range; ids go from 0 to"):
            codec.name(action)


def test_order_of_the_ids() -> None:
    """PASS, bids ascending, special calls, declarations, TAKE and LEAVE, discards, tiles, low leads, claim."""
    codec = build_codec(Rules.preset("open"))
    order = ["PASS", "P30", "P41", "M1", "M2", "SPLASH", "PLUNGE", "PIP0", "PIP6", "DBL", "NT-high", "NT-low"]
    order += ["NT-own", "NT-inv", "NELLO-high", "NELLO-inv", "SEVENS", "LOPER", "0-0", "1-0", "1-1", "2-0", "6-6"]
    order += ["1-0/0", "6-5/5", "CLAIM"]
    ids = [codec.parse(name) for name in order]
    assert ids == sorted(ids)
    big = build_codec(Rules.preset("big_game"))
    order = ["PASS", "P42", "M1", "M7", "PIP0", "DBL", "TAKE", "LEAVE", "DISCARD 0-0", "DISCARD 8-8", "0-0", "8-8"]
    ids = [big.parse(name) for name in order]
    assert ids == sorted(ids)


def test_a_stated_claim_has_the_id_of_claim() -> None:
    codec = build_codec(Rules.preset("n42pa"))
    assert codec.parse("CLAIM 6-6 6-5") == codec.parse("CLAIM") == codec.claim
    assert build_codec(Rules.preset("moon")).claim == -1


def same_ids(one: Codec, other: Codec) -> bool:
    return one.names == other.names and one.bases == other.bases


@pytest.mark.parametrize("rules", [*FOUR_PLAYER_42, *HOUSES], ids=str)
def test_rules_of_four_player_42_share_ids_and_observation(rules: object) -> None:
    """A checkpoint moves between house rules; what one lacks is masked."""
    mine = Rules.preset(rules) if isinstance(rules, str) else Rules.from_dict(rules)  # type: ignore[arg-type]
    reference = Rules.preset("n42pa")
    assert same_ids(build_codec(mine), build_codec(reference))
    if mine.calls == "one_each":
        one, other = (build_layout(r, build_codec(r)) for r in (mine, reference))
        assert one == other


@pytest.mark.parametrize("preset", PRESETS)
def test_the_observations_pieces_follow_each_other(preset: str) -> None:
    """Sizes and offsets come from one list; every piece has its slice."""
    rules = Rules.preset(preset)
    layout = build_layout(rules, build_codec(rules))
    at = 0
    for name, piece in layout.pieces.items():
        assert (piece.start, layout.slice(name)) == (at, slice(at, at + piece.size))
        at += piece.size
    assert (at, list(layout.pieces)) == (layout.width, list(PIECES))
