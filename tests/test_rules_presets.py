"""The presets of RULES.md f.1, parameter by parameter, as the independent oracle read them."""

import pytest

import oracle
from texas42.envs.rules.parameters import PARAMETERS
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

SEEDED = {  # f.1: what a preset changes against `seed_marks`
    "n42pa": {"all_pass": "throw_in_next", "won_tricks_visibility": "mark_bids_one_stack"},
    "seed_points": {"scoring": "points", "target": 250, "early_end": "play_all"},
    "spruce": {"max_marks_cap": 2, "won_tricks_visibility": "two_marks_one_stack"},
    "seed_marks": {},
}


def plain(value: object) -> object:
    return sorted(value) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_the_values_of_f_1(preset: str) -> None:
    """Two readings of RULES.md, ours and the oracle's; `widow_points` is 72's alone."""
    wanted = oracle.resolve_rules({"preset": preset})
    rules = Rules.preset(preset)
    for name, value in wanted.items():
        if name == "widow_points" and preset != "seventy_two":
            continue
        assert plain(getattr(rules, name)) == plain(value), name
    assert set(wanted) == set(PARAMETERS)
    assert set(PRESETS) == set(oracle.PRESETS)


@pytest.mark.parametrize("preset", SEEDED)
def test_presets_of_42_differ_from_the_seed_only_where_f_1_says(preset: str) -> None:
    seed = Rules.preset("seed_marks").parameters()
    mine = Rules.preset(preset).parameters()
    assert {name: value for name, value in mine.items() if value != seed[name]} == SEEDED[preset]


@pytest.mark.parametrize("preset", PRESETS)
def test_set_up_of_a_game(preset: str) -> None:
    """Tiles, hands, widow and sides as in section (c), by the oracle's reading."""
    rules, spec = Rules.preset(preset), {"preset": preset}
    assert (rules.setup.hand, rules.setup.widow) == oracle.hand_sizes(spec)
    assert len(rules.deck) == len(oracle.tile_set(spec))
    assert rules.seats * rules.setup.hand + rules.setup.widow == len(rules.deck)


@pytest.mark.parametrize(("preset", "sides"), [
    ("n42pa", 2), ("moon", 3), ("one_forty", 3), ("eighty_four", 2), ("eighty_four_6", 2), ("eighty_four_7", 7),
    ("three_handed", 3), ("players_2", 2), ("players_5", 5), ("players_6", 6), ("players_7", 7), ("big_game", 2),
])  # fmt: skip
def test_sides_are_teams_or_seats(preset: str, sides: int) -> None:
    """f.2.7: side of seat s is s mod the number of sides."""
    rules = Rules.preset(preset)
    assert rules.sides == sides
    assert [rules.side_of(s) for s in range(rules.seats)] == [s % sides for s in range(rules.seats)]


def test_three_teams_of_two_sit_abcabc() -> None:
    """c.14."""
    assert [Rules.preset("one_forty").side_of(s) for s in range(6)] == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7])
def test_two_to_seven_players(players: int) -> None:
    """b.1 `players`, c.16: by override too; four of them are the team game."""
    rules = Rules.preset("players_2").replace(players=players)
    assert rules.setup.hand == {2: 14, 3: 9, 4: 7, 5: 5, 6: 4, 7: 4}[players]
    assert rules.sides == (2 if players == 4 else players)


def test_two_seats_each_is_the_four_hand_game() -> None:
    """f.2.2 `two_seats_each`: seats 0, 2 and 1, 3 held by one person each."""
    rules = Rules.preset("players_2").replace(two_seats_each=True)
    four = Rules.preset("seed_marks")
    assert (rules.seats, rules.sides, rules.total, rules.deck) == (4, 2, 42, four.deck)
