"""Rules that RULES.md does not allow are refused, naming the parameter, the value and what is allowed."""

from pathlib import Path
from typing import Any

import pytest

from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.parameters import PARAMETERS
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules, resolve_rules

REFUSED = [
    # values
    ("n42pa", {"scoring": "tricks"}, r"scoring='tricks' is not allowed; allowed: one of marks, points"),
    ("n42pa", {"target": 0}, r"target=0 is not allowed; allowed: a whole number from 1"),
    ("n42pa", {"target": "7"}, r"target='7'"),
    ("n42pa", {"target": True}, r"target=True"),
    ("n42pa", {"win_by_two": 1}, r"win_by_two=1 is not allowed; allowed: true or false"),
    ("n42pa", {"max_marks_cap": 0}, r"max_marks_cap=0 is not allowed; allowed: null or a whole number"),
    ("n42pa", {"trump_choices": []}, r"trump_choices=\[\] is not allowed; allowed: a non-empty list out of PIP"),
    ("n42pa", {"trump_choices": ["PIP", "PIP"]}, r"trump_choices"),
    ("n42pa", {"trump_choices": "PIP"}, r"trump_choices='PIP'"),
    ("n42pa", {"nt_doubles": ["high", "middle"]}, r"nt_doubles=.*out of high, low, own, inv"),
    ("n42pa", {"nt_min_bid": "2 marks"}, r"nt_min_bid='2 marks' is not allowed; allowed: one of min_bid, 1 mark"),
    ("n42pa", {"lead_low_end": "always"}, r"lead_low_end='always' is not allowed; .*never, first_trick, any or a"),
    ("n42pa", {"lead_low_end": ["5-5"]}, r"two different ends"),
    ("n42pa", {"lead_low_end": ["3-7"]}, r"lead_low_end"),
    ("n42pa", {"lead_low_end": []}, r"lead_low_end"),
    ("n42pa", {"forced_sweep_bonus": 1}, r"forced_sweep_bonus=1 is not allowed; allowed: one of 0, 2"),
    ("n42pa", {"splash_doubles": 2}, r"splash_doubles=2 is not allowed; allowed: one of 3"),
    ("n42pa", {"plunge_marks": 5}, r"plunge_marks=5 is not allowed; allowed: one of 2, 3, 4"),
    ("n42pa", {"special_partner_options": "NELLO"}, r"special_partner_options='NELLO'"),
    # f.2.6, reserved
    ("open", {"nello_exchange": "on"}, r"nello_exchange='on' is not allowed; allowed: one of off"),
    ("n42pa", {"renege": "lose_hand"}, r"renege='lose_hand' is not allowed; allowed: one of prevented"),
    ("n42pa", {"undeclared_trump": "high_end_of_first_lead"}, r"undeclared_trump=.*allowed: one of explicit"),
    # f.2.14: true where a parameter knows no `on`
    ("n42pa", {"nello": True}, r"nello=True is not allowed; allowed: one of off, any, forced_last_only"),
    ("n42pa", {"laydown": True}, r"laydown=True"),
    # f.1: numbers of players without a set-up
    ("n42pa", {"players": 3}, r"players=3 is not allowed with preset 'n42pa': allowed: 4"),
    ("moon", {"players": 5}, r"players=5 .* allowed: 3, 4"),
    ("eighty_four", {"players": 5}, r"players=5 .* allowed: 8, 6, 7"),
    ("players_2", {"players": 8}, r"players=8 .* allowed: 2, 3, 4, 5, 6, 7"),
    ("players_5", {"two_seats_each": True}, r"two_seats_each=True .* it needs players=2"),
    # f.2.2: options of other games
    ("n42pa", {"kitty": "unused"}, r"kitty='unused'"),
    ("eighty_four", {"kitty": "unused"}, r"only the six-handed game has a kitty"),
    ("n42pa", {"widow_points": 2}, r"widow_points=2 is not allowed with preset 'n42pa': it has no meaning here"),
    ("n42pa", {"set_award_solo": "bidder_loses"}, r"set_award_solo='bidder_loses'"),
    ("eighty_four", {"set_award_solo": "bidder_loses"}, r"games without teams"),
    ("n42pa", {"identical_tiles": "last_played"}, r"only games with two sets have identical tiles"),
    # scoring
    ("n42pa", {"scoring": "signed_points", "early_end": "play_all"}, r"scoring='signed_points' .* marks, points"),
    ("moon", {"scoring": "marks"}, r"scoring='marks' .* allowed: signed_points"),
    ("geezer", {"scoring": "points", "early_end": "play_all"}, r"scoring='points' .* allowed: marks"),
    ("n42pa", {"scoring": "points"}, r"early_end='decided' .* needs early_end='play_all'"),
    ("seed_points", {"early_end": "decided"}, r"early_end='decided'"),
    ("seed_points", {"win_by_two": True}, r"win_by_two=True"),
    ("seed_points", {"laydown": "claim"}, r"laydown='claim'"),
    ("seed_points", {"laydown_penalty": "game"}, r"laydown_penalty='game'"),
    ("seed_points", {"forced_sweep_bonus": 2}, r"forced_sweep_bonus=2"),
    ("n42pa", {"points_mode_multiples": "doubling"}, r"points_mode_multiples='doubling'"),
    ("n42pa", {"defenders_keep_points_when_made": False}, r"defenders_keep_points_when_made=False"),
    ("n42pa", {"set_award_sweep": "bid_only"}, r"set_award_sweep='bid_only'"),
    # auction
    ("n42pa", {"calls": "until_one_left"}, r"calls='until_one_left' .* needs a max_marks_cap"),
    ("big_game", {"max_marks_cap": None}, r"calls='until_one_left' .* needs a max_marks_cap"),
    ("n42pa", {"min_bid": 42}, r"min_bid=42 .* point bids go from 1 to 41"),
    ("players_6", {"min_bid": 39}, r"min_bid=39 .* from 1 to 38"),
    ("moon", {"min_bid": 8}, r"min_bid=8 .* from 1 to 7"),
    # declarations
    ("moon", {"trump_choices": ["PIP", "DBL"]}, r"trump_choices=.* doubles are never trump"),
    ("n42pa", {"trump_choices": ["NT"], "nt_min_bid": "1 mark"}, r"a point bid would have no declaration"),
    ("open", {"nello_chooser": "fixed"}, r"nello_doubles=.* needs exactly one"),
    # f.3.11, f.3.12: contracts of other games
    ("moon", {"nello": "any"}, r"nello='any' .* this game has no such contract; allowed: off"),
    ("big_game", {"nello": "any"}, r"nello='any'"),
    ("seventy_two", {"nello": "any"}, r"nello='any'"),
    ("eighty_four", {"sevens": "any"}, r"sevens='any'"),
    ("geezer", {"loper": "on"}, r"loper='on'"),
    ("three_handed", {"splash": "on"}, r"splash='on' .* it needs a partner in the four-player game"),
    ("players_2", {"plunge": "on"}, r"plunge='on'"),
    ("geezer", {"splash": "on"}, r"splash='on'"),
    *((game, {name: word}, f"{name}='{word}' is not allowed with preset '{game}'") for game, name, word in (
        ("eighty_four", "splash", "on"), ("eighty_four_6", "plunge", "on"), ("eighty_four_7", "loper", "on"),
        ("seventy_two", "splash", "on"), ("seventy_two", "plunge", "on"), ("seventy_two", "sevens", "any"),
        ("seventy_two", "loper", "on"), ("moon", "sevens", "any"), ("moon", "splash", "on"), ("moon", "loper", "on"),
        ("big_game", "sevens", "any"), ("big_game", "splash", "on"), ("big_game", "plunge", "on"),
        ("one_forty", "nello", "any"), ("one_forty", "splash", "on"), ("three_handed", "plunge", "on"),
        ("geezer", "sevens", "any"), ("geezer", "plunge", "on"),
    )),
    ("geezer", {"all_pass": "throw_in_next"}, r"all_pass='throw_in_next' .* it has no meaning here"),
    ("geezer", {"forced_bid": "exactly_min"}, r"forced_bid"),
    ("geezer", {"special_jump": False}, r"special_jump"),
    ("geezer", {"special_partner_options": "trumps+NT+SEVENS"}, r"special_partner_options"),
    # parameters that a game does not know
    ("moon", {"trick_value": 2}, r"trick_value=2 .* it has no meaning here; allowed: 1"),
    ("moon", {"dbl_order": "reversed"}, r"dbl_order"),
    ("moon", {"bid_step": 2}, r"bid_step"),
    ("moon", {"nello_doubles": ["inv"]}, r"nello_doubles"),
    ("one_forty", {"sevens_need_seven": True}, r"sevens_need_seven"),
    ("players_5", {"splash_marks": 2}, r"splash_marks"),
    ("big_game", {"special_leader": "bidder"}, r"special_leader"),
]


@pytest.mark.parametrize(("preset", "changes", "message"), REFUSED)
def test_refused(preset: str, changes: dict[str, object], message: str) -> None:
    """b.1 `scoring`, `players`, f.1, f.2.2, f.2.6, f.3.11, f.3.12, c.9.6, c.10.7, c.11.7, c.13.8, c.14.6, c.15.6."""
    with pytest.raises(RulesError, match=message):
        Rules.preset(preset).replace(**changes)
    with pytest.raises(RulesError, match=message):
        Rules.from_dict({"preset": preset, **changes})


def test_too_long_a_ladder_is_refused() -> None:
    """An auction has at most 64 different calls."""
    with pytest.raises(RulesError, match=r"min_bid=1 with bid_step=1 makes \d+ calls; at most 64"):
        Rules.preset("big_game").replace(min_bid=1)


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(RulesError, match=r"unknown preset 'n42p' \(did you mean 'n42pa'\?\); presets: n42pa, "):
        Rules.preset("n42p")
    with pytest.raises(RulesError, match=r"unknown rule parameter 'nelo' \(did you mean 'nello'\?\)"):
        Rules.preset("n42pa").replace(nelo="any")
    with pytest.raises(RulesError, match=r"unknown rule parameter 'zzz'; `texas42 presets n42pa` explains"):
        Rules.preset("n42pa").replace(zzz=1)
    with pytest.raises(RulesError, match="unknown rule parameter 'base'"):
        Rules.preset("n42pa").replace(base="open")


def test_what_is_no_mapping_is_refused() -> None:
    specs: list[Any] = [[], {}, {"target": 7}, 5, None]
    for spec in specs:
        with pytest.raises(RulesError, match=r"rules must be a mapping|unknown preset"):
            resolve_rules(spec)
    with pytest.raises(RulesError, match="unknown preset"):
        Rules.from_dict({"preset": 5})


def test_a_yaml_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text("preset: n42pa\nnello: sometimes\n")
    with pytest.raises(RulesError, match=r"house.yaml: nello='sometimes' is not allowed"):
        resolve_rules(str(path))
    path.write_text("preset: [n42pa\n")
    with pytest.raises(RulesError, match=r"cannot read rules from .*house.yaml"):
        resolve_rules(str(path))
    path.write_text("just words\n")
    with pytest.raises(RulesError, match=r"house.yaml: rules must be a mapping"):
        resolve_rules(str(path))
    path.write_bytes(b"\xff\xfe\x00preset")
    with pytest.raises(RulesError, match="cannot read rules"):
        resolve_rules(str(path))
    with pytest.raises(RulesError, match=r"cannot read rules from .*none.yaml"):
        resolve_rules(str(tmp_path / "none.yaml"))


def test_yaml_words_are_read_as_meant(tmp_path: Path) -> None:
    """f.2.1, f.3.14: on and off are booleans to YAML; null is none; lists are subsets."""
    path = tmp_path / "house.yaml"
    words = "splash: on\nplunge: off\nnello: off\nmax_marks_cap: null\ntrump_choices: [DBL, PIP]\n"
    path.write_text(f"preset: open\n{words}")
    rules = Rules.from_yaml(path)
    assert (rules.splash, rules.plunge, rules.nello, rules.max_marks_cap) == ("on", "off", "off", None)
    assert rules.trump_choices == ("PIP", "DBL")


@pytest.mark.parametrize("preset", PRESETS)
def test_every_parameter_takes_its_presets_value(preset: str) -> None:
    rules = Rules.preset(preset)
    assert rules.replace(**rules.parameters()) == rules
    assert Rules.from_dict(rules.to_dict()) == rules
    assert rules.to_dict() == {"preset": preset}
    assert set(rules.parameters()) == set(PARAMETERS)


def test_rules_are_values() -> None:
    """Equal parameters make equal rules, whatever order lists were written in."""
    one = Rules.preset("open").replace(nello_doubles=["own", "high"])
    assert one == Rules.preset("open").replace(nello_doubles=["high", "own"])
    assert hash(one) == hash(Rules.preset("open").replace(nello_doubles=["high", "own"]))
    assert one != Rules.preset("open")
    assert one.to_dict() == {"preset": "open", "nello_doubles": ["high", "own"]}
    with pytest.raises(AttributeError):
        one.nello = "off"  # type: ignore[misc]
