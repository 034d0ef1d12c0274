"""Random house rules: overrides of a preset that `Rules` accepts."""

from collections.abc import Sequence
from random import Random

from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.rules import Rules

Choices = Sequence[dict[str, object]]
DOUBLES = ("high", "low", "own", "inv")


def _each(name: str, *values: object) -> Choices:
    return [{name: value} for value in values]


def _subsets(name: str, members: Sequence[str]) -> Choices:
    return [
        {name: [m for i, m in enumerate(members) if bits >> i & 1]} for bits in range(1, 1 << len(members))
    ]


CHANGES: list[Choices] = [
    [{"scoring": "points", "early_end": "play_all", "target": 100}, {"scoring": "marks", "target": 7}],
    _each("target", 1, 2, 3, 7, 15, 40),
    _each("win_by_two", True),
    [{"players": n} for n in range(2, 9)],
    [{"players": 2, "two_seats_each": True}],
    _each("opening_bidder", "holder_of_1_0"),
    _each("tie_rule", "higher", "bidder_only"),
    [{"calls": "until_one_left", "max_marks_cap": cap} for cap in (1, 2, 3, 5, 8)],
    _each("calls", "one_each"),
    _each("min_bid", 1, 5, 6, 20, 31, 35, 38, 41, 60, 70, 110),
    _each("bid_step", 2, 3, 5),
    _each("all_pass", "throw_in_next", "throw_in_same", "forced_last"),
    [{"all_pass": "forced_last", "forced_bid": "exactly_min"}],
    [{"all_pass": "forced_last", "forced_sweep_bonus": 2}],
    _each("max_opening_marks", 1, 3, 4),
    _each("mark_raise", "plus_up_to_two"),
    _each("points_mode_multiples", "doubling"),
    _each("max_marks_cap", None, 1, 2, 3, 4, 6),
    _subsets("trump_choices", ("PIP", "DBL", "NT")),
    _subsets("nt_doubles", DOUBLES),
    _each("nt_min_bid", "1 mark"),
    _each("dbl_order", "reversed"),
    _each("opening_lead_must_be_trump", True),
    _each("lead_low_end", "never", "any", "first_trick", ["6-4", "4-3"], ["7-3", "8-2", "5-1"]),
    _each("early_end", "play_all", "decided"),
    [{"laydown": "claim"}, {"laydown": "claim", "laydown_penalty": "game"}, {"laydown": "proved"}],
    _each("identical_tiles", "last_played"),
    _each("nello", "any", "forced_last_only", "off"),
    _each("nello_min_marks", 2),
    _subsets("nello_doubles", DOUBLES),
    [{"nello_chooser": "fixed", "nello_doubles": [q]} for q in DOUBLES],
    [{"splash": "on", "splash_marks": m} for m in (2, 3)],
    [{"plunge": "on", "plunge_marks": m} for m in (2, 3, 4)],
    _each("special_jump", False),
    [{"special_declared_at": "after", "splash": "on", "plunge": "on", "plunge_marks": m} for m in (2, 4)],
    _each("special_leader", "bidder"),
    _each(
        "special_partner_options", "trumps+NT+SEVENS", "trumps+NT+NELLO", "trumps+NT+SEVENS+NELLO"
    ),
    _each("sevens", "any", "forced_last_only"),
    _each("sevens_min_marks", 2),
    _each("sevens_need_seven", True),
    _each("loper", "on"),
    _each("defenders_keep_points_when_made", False),
    _each("set_award_sweep", "bid_only"),
    _each("widow_points", 0),
    [{"kitty": "unused"}, {"kitty": "unused", "trick_value": 1, "min_bid": 50, "bid_step": 1}],
    _each("trick_value", 0, 1, 2, 3, 5),
    _each("set_award_solo", "bidder_loses"),
    _each("won_tricks_visibility", "all", "by_marks", "two_stacks", "one_stack", "none"),
]


def random_house(preset: str, random: Random) -> Rules:
    """A preset with a handful of random changes, leaving out those that make no sense beside the others."""
    rules = Rules.preset(preset)
    for choices in random.sample(CHANGES, random.randint(0, len(CHANGES) // 2)):
        rules = changed(rules, random.choice(choices))
    return rules


def changed(rules: Rules, change: dict[str, object]) -> Rules:
    """The rules with a change, or as they were where it is refused."""
    try:
        return rules.replace(**change)
    except RulesError:
        return rules
