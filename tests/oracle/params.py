"""Every parameter of RULES.md table (b) and f.2 with its value in each preset of f.1."""

from collections.abc import Mapping
from typing import cast

from oracle.errors import OracleError

# RULES.md f.1: `seed_marks` is every "seed" value of table (b) with all special contracts off.
SEED_MARKS: dict[str, object] = {
    # b.1 frame of the game
    "scoring": "marks",
    "target": 7,
    "win_by_two": False,
    "players": 4,
    "first_shaker": "random",
    "shaker_rotation": "clockwise",
    "opening_bidder": "left_of_shaker",
    "tie_rule": "bidder_first_then_higher",
    # b.2 auction
    "calls": "one_each",
    "min_bid": 30,
    "bid_step": 1,
    "all_pass": "forced_last",
    "forced_bid": "at_least_min",
    "forced_sweep_bonus": 0,
    "max_opening_marks": 2,
    "mark_raise": "plus_one",
    "points_mode_multiples": "linear",
    "max_marks_cap": None,
    # b.3 declaration and play
    "trump_choices": ["PIP", "DBL", "NT"],
    "nt_doubles": ["high"],
    "nt_min_bid": "min_bid",
    "dbl_order": "normal",
    "undeclared_trump": "explicit",
    "opening_lead_must_be_trump": False,
    "lead_low_end": "never",
    "first_leader": "bidder",
    "early_end": "decided",
    "won_tricks_visibility": "all",
    "renege": "prevented",
    "laydown": "off",
    "laydown_penalty": "hand",
    "identical_tiles": "first_played",
    # b.4 special contracts
    "nello": "off",
    "nello_min_marks": 1,
    "nello_doubles": ["high", "own", "low"],
    "nello_chooser": "bidder",
    "nello_leader": "bidder",
    "nello_exchange": "off",
    "splash": "off",
    "splash_marks": 3,
    "splash_doubles": 3,
    "plunge": "off",
    "plunge_marks": 4,
    "plunge_doubles": 4,
    "special_jump": True,
    "special_declared_at": "bid",
    "special_leader": "namer",
    "special_partner_options": "trumps+NT",
    "sevens": "off",
    "sevens_min_marks": 1,
    "sevens_tie": "first_played",
    "sevens_need_seven": False,
    "loper": "off",
    # b.5 points scoring
    "defenders_keep_points_when_made": True,
    "set_award": "bid_plus_taken",
    "set_award_sweep": "bid_plus_taken",
    "made_award_sweep": "bid",
    # f.2.2 variant options
    "widow_points": 2,
    "kitty": "take_discard",
    "trick_value": 1,
    "set_award_solo": "each",
    "two_seats_each": False,
}

# RULES.md f.1: what each preset changes, and the game (family) it belongs to. The standard family is
# double-six with 2 to 7 players (c.1, c.2, c.15, c.16).
PRESETS: dict[str, tuple[str, dict[str, object]]] = {
    "seed_marks": ("standard", {}),
    "n42pa": ("standard", {"all_pass": "throw_in_next", "won_tricks_visibility": "mark_bids_one_stack"}),
    "seed_points": ("standard", {"scoring": "points", "target": 250, "early_end": "play_all"}),
    "spruce": ("standard", {"max_marks_cap": 2, "won_tricks_visibility": "two_marks_one_stack"}),
    "casual": ("standard", {
        "all_pass": "throw_in_next", "nello": "any", "nello_doubles": ["own"], "splash": "on", "plunge": "on",
    }),
    "open": ("standard", {
        "nello": "any", "nello_doubles": ["high", "own", "low"], "splash": "on", "plunge": "on",
        "sevens": "any", "loper": "on",
    }),
    "moon": ("moon", {
        "players": 3, "scoring": "signed_points", "target": 21, "min_bid": 4, "all_pass": "throw_in_next",
        "trump_choices": ["PIP", "NT"], "early_end": "play_all",
    }),
    "geezer": ("geezer", {"min_bid": 39, "nello": "any", "nello_doubles": ["high", "own", "low"]}),
    "big_game": ("big_game", {
        "scoring": "points", "target": 400, "calls": "until_one_left", "min_bid": 42, "max_marks_cap": 7,
        "lead_low_end": ["7-3", "8-2"], "early_end": "play_all",
    }),
    "one_forty": ("one_forty", {
        "players": 6, "scoring": "signed_points", "target": 500, "min_bid": 100, "bid_step": 5,
        "early_end": "play_all", "trick_value": 5,
    }),
    "seventy_two": ("seventy_two", {"min_bid": 40}),
    "eighty_four": ("eighty_four", {"players": 8, "min_bid": 60, "bid_step": 2, "trick_value": 2}),
    "eighty_four_6": ("eighty_four", {"players": 6, "min_bid": 60, "bid_step": 2, "trick_value": 2}),
    "eighty_four_7": ("eighty_four", {"players": 7, "min_bid": 60, "bid_step": 2, "trick_value": 2}),
    "three_handed": ("standard", {"players": 3}),
    "players_2": ("standard", {"players": 2}),
    "players_5": ("standard", {"players": 5}),
    "players_6": ("standard", {"players": 6}),
    "players_7": ("standard", {"players": 7}),
}

Rules = Mapping[str, object]


def resolve_rules(spec: Mapping[str, object]) -> dict[str, object]:
    """Every parameter with its value for `{"preset": NAME, ...overrides}`."""
    _, changes = _preset(spec)
    rules: dict[str, object] = {**SEED_MARKS, **changes}
    for name, value in spec.items():
        if name == "preset":
            continue
        if name not in SEED_MARKS:
            raise OracleError(f"unknown parameter {name!r}")
        rules[name] = value
    return rules


def family_of(spec: Mapping[str, object]) -> str:
    """The game of section (c) a spec belongs to."""
    return _preset(spec)[0]


def _preset(spec: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    name = spec.get("preset")
    if not isinstance(name, str) or name not in PRESETS:
        raise OracleError(f"unknown preset {name!r}; known: {', '.join(PRESETS)}")
    return PRESETS[name]


def number(rules: Rules, name: str) -> int:
    """A parameter that is an integer."""
    return cast(int, rules[name])


def words(rules: Rules, name: str) -> list[str]:
    """A parameter that is a list of words or tiles."""
    return list(cast(list[str], rules[name]))
