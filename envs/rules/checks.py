"""Which combinations of parameters make sense (RULES.md sections (b), (c) and f)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.presets import PRESETS, SEED_MARKS

if TYPE_CHECKING:
    from texas42.envs.rules.rules import Rules

_MARKS_ONLY = ("win_by_two", "forced_sweep_bonus", "laydown", "laydown_penalty", "set_award_solo")
_POINTS_ONLY = ("points_mode_multiples", "defenders_keep_points_when_made", "set_award_sweep")
_MOON_LOCKED = (
    "trick_value",
    "dbl_order",
    "calls",
    "bid_step",
    "max_opening_marks",
    "mark_raise",
    "max_marks_cap",
    "nt_min_bid",
)
_GEEZER_LOCKED = (
    "calls",
    "all_pass",
    "forced_bid",
    "forced_sweep_bonus",
    "special_jump",
    "special_declared_at",
    "special_partner_options",
)
_NELLO = ("nello_min_marks", "nello_doubles", "nello_chooser")
_SEVENS = ("sevens_min_marks", "sevens_need_seven")
_PARTNER_NAMES = (
    "splash_marks",
    "plunge_marks",
    "special_jump",
    "special_declared_at",
    "special_partner_options",
    "special_leader",
)
_OPTIONS = ("widow_points", "kitty", "set_award_solo", "two_seats_each")


def check_combination(rules: Rules) -> None:
    """Raise `RulesError` where a parameter makes no sense beside the others."""
    _check_seats(rules)
    _check_locked(rules)
    _check_scoring(rules)
    _check_bids(rules)
    _check_declarations(rules)
    _check_specials(rules)
    _check_ladder(rules)


def _preset_value(rules: Rules, name: str) -> object:
    return {**SEED_MARKS, **PRESETS[rules.base][1]}[name]


def _refuse(rules: Rules, name: str, why: str) -> None:
    raise RulesError(f"{name}={getattr(rules, name)!r} is not allowed with preset {rules.base!r}: {why}")


def _check_seats(rules: Rules) -> None:
    """f.1: only a number of players whose set-up section (c) defines; f.2.2: two seats each is for two."""
    if rules.players not in rules.game.setups:
        allowed = ", ".join(str(n) for n in rules.game.setups)
        _refuse(rules, "players", f"allowed: {allowed}")
    if rules.two_seats_each and rules.players != 2:
        _refuse(rules, "two_seats_each", "it needs players=2")
    if rules.kitty != "take_discard" and rules.setup.widow != 2:
        _refuse(rules, "kitty", "only the six-handed game has a kitty")


def _check_locked(rules: Rules) -> None:
    """Parameters that a game does not know keep their preset's value (f.3.11, f.2.2)."""
    locked: tuple[str, ...] = {"moon": _MOON_LOCKED, "geezer": _GEEZER_LOCKED}.get(rules.game.ladder, ())
    locked += tuple(o for o in _OPTIONS if o not in rules.game.options)
    locked += () if "nello" in rules.game.specials else _NELLO
    locked += () if "sevens" in rules.game.specials else _SEVENS
    if not rules.special_bids:  # c.12's water bids have a leader too
        locked += tuple(p for p in _PARTNER_NAMES if p != "special_leader" or rules.game.ladder != "geezer")
    if rules.scoring != "marks":
        locked += _MARKS_ONLY
    if rules.scoring != "points":
        locked += _POINTS_ONLY
    for name in locked:
        if getattr(rules, name) != _preset_value(rules, name):
            _refuse(rules, name, f"it has no meaning here; allowed: {_preset_value(rules, name)!r}")
    if rules.set_award_solo != "each" and rules.setup.teams:
        _refuse(rules, "set_award_solo", "it is for games without teams")
    if rules.identical_tiles != "first_played" and rules.game.copies == 1:
        _refuse(rules, "identical_tiles", "only games with two sets have identical tiles")


def _check_scoring(rules: Rules) -> None:
    if rules.scoring not in rules.game.scorings:
        _refuse(rules, "scoring", f"allowed: {', '.join(rules.game.scorings)}")
    if rules.scoring != "marks" and rules.early_end != "play_all":
        _refuse(rules, "early_end", f"scoring={rules.scoring!r} counts every trick and needs early_end='play_all'")


def _check_bids(rules: Rules) -> None:
    top = highest_points(rules)
    if rules.min_bid > top:
        _refuse(rules, "min_bid", f"point bids go from 1 to {top}")
    if rules.calls == "until_one_left" and rules.max_marks_cap is None:
        _refuse(rules, "calls", "it needs a max_marks_cap (f.2.4)")


def highest_points(rules: Rules) -> int:
    """The highest point bid: below the hand total (c.16), the seven tricks in Moon (c.11)."""
    if rules.game.ladder == "moon":
        return rules.total
    return min(rules.total - 1, rules.game.max_points or rules.total)


def _check_declarations(rules: Rules) -> None:
    if rules.game.ladder == "moon" and "DBL" in rules.trump_choices:
        _refuse(rules, "trump_choices", "doubles are never trump here; allowed: PIP, NT")
    if rules.trump_choices == ("NT",) and rules.nt_min_bid != "min_bid":
        _refuse(rules, "trump_choices", "a point bid would have no declaration; set nt_min_bid='min_bid'")
    if rules.nello_chooser == "fixed" and len(rules.nello_doubles) != 1:
        _refuse(rules, "nello_doubles", "nello_chooser='fixed' needs exactly one (f.2.5)")


def _check_specials(rules: Rules) -> None:
    """f.3.12: where nello, sevens, loper, splash and plunge exist."""
    for name in ("nello", "sevens", "loper"):
        if getattr(rules, name) != "off" and name not in rules.game.specials:
            _refuse(rules, name, "this game has no such contract; allowed: off")
    for name in ("splash", "plunge"):
        if getattr(rules, name) == "on" and not rules.special_bids:
            _refuse(rules, name, "it needs a partner in the four-player game; allowed: off")


def _check_ladder(rules: Rules) -> None:
    """The calls must fit the action ids of an auction."""
    from texas42.envs.rules.ladder import build_ladder  # here, because the ladder is made of `Rules`

    build_ladder(rules)
