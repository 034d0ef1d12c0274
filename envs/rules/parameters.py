"""Every house-rule parameter: what it means and which values it takes (RULES.md tables (b) and f.2).

`PARAMETERS` is the single list: `Rules` has one field for each row, ``texas42 presets`` prints it, and reading a
value from JSON, YAML or a command line goes through `Parameter.coerce`.
"""

from dataclasses import dataclass

from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.reading import shown
from texas42.envs.rules.tiles import TILE_ENDS, TILE_NAMES

Value = str | int | bool | None | tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    """One parameter. `kind` is ``word``, ``int``, ``bool``, ``subset``, ``optional_int`` or ``lead_low``."""

    name: str
    kind: str
    allowed: tuple[str | int, ...]
    meaning: str

    def describe_allowed(self) -> str:
        """The legal values as a person reads them."""
        if self.kind == "bool":
            return "true or false"
        if self.kind == "int":
            return f"a whole number from {self.allowed[0]} to {self.allowed[1]}"
        if self.kind == "optional_int":
            return f"null or a whole number from {self.allowed[0]} to {self.allowed[1]}"
        words = ", ".join(str(a) for a in self.allowed)
        if self.kind == "subset":
            return f"a non-empty list out of {words}"
        if self.kind == "lead_low":
            return f"{words} or a list of tiles with two different ends, such as [7-3, 8-2]"
        return f"one of {words}"

    def coerce(self, value: object) -> Value:
        """The value in its canonical form.

        Raises:
            RulesError: the value is not one this parameter takes.
        """
        result = self._try(value)
        if result is _BAD:
            raise RulesError(f"{self.name}={shown(value)} is not allowed; allowed: {self.describe_allowed()}")
        return result  # type: ignore[return-value]

    def _try(self, value: object) -> object:
        if self.kind == "bool":
            return value if isinstance(value, bool) else _BAD
        if self.kind in ("int", "optional_int"):
            return self._try_int(value)
        if self.kind == "subset":
            return self._try_subset(value)
        if self.kind == "lead_low" and isinstance(value, list | tuple):
            return _tile_list(value)
        return self._try_word(value)

    def _try_int(self, value: object) -> object:
        if value is None and self.kind == "optional_int":
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            return _BAD
        low, high = int(self.allowed[0]), int(self.allowed[1])
        return value if low <= value <= high else _BAD

    def _try_subset(self, value: object) -> object:
        if not isinstance(value, list | tuple) or not value:
            return _BAD
        if any(v not in self.allowed for v in value) or len(set(value)) != len(value):
            return _BAD
        return tuple(a for a in self.allowed if a in value)

    def _try_word(self, value: object) -> object:
        if isinstance(value, bool):  # f.3.14: YAML reads on/off as booleans
            value = "off" if not value else ("on" if "on" in self.allowed else value)
        if isinstance(value, bool) or not isinstance(value, str | int):
            return _BAD
        return next((a for a in self.allowed if a == value), _BAD)


_BAD = object()


def written(value: object) -> str:
    """A value as it is written after ``--rule name=``."""
    if isinstance(value, tuple | list):
        return "[" + ", ".join(str(v) for v in value) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


def _tile_list(value: list[object] | tuple[object, ...]) -> object:
    if not value or any(v not in TILE_NAMES for v in value):
        return _BAD
    if any(len(set(TILE_ENDS[TILE_NAMES.index(str(v))])) == 1 for v in value):
        return _BAD
    return tuple(sorted({str(v) for v in value}, key=TILE_NAMES.index))


def _word(name: str, allowed: str, meaning: str) -> Parameter:
    return Parameter(name, "word", tuple(allowed.split("|")), meaning)


def _int(name: str, low: int, high: int, meaning: str) -> Parameter:
    return Parameter(name, "int", (low, high), meaning)


def _bool(name: str, meaning: str) -> Parameter:
    return Parameter(name, "bool", (), meaning)


_DOUBLES = ("high", "low", "own", "inv")

_ALL = (
    _word("scoring", "marks|points|signed_points", "unit of the score"),
    _int("target", 1, 100_000, "score that ends the game"),
    _bool("win_by_two", "the winner must lead by two marks"),
    _int("players", 2, 8, "number of players"),
    _word("first_shaker", "random|high_draw", "how the first shaker is drawn (the same distribution)"),
    _word("shaker_rotation", "clockwise", "who shakes the next hand"),
    _word("opening_bidder", "left_of_shaker|holder_of_1_0", "who calls first"),
    _word(
        "tie_rule",
        "bidder_first_then_higher|higher|bidder_only",
        "who wins when several sides reach the target in one hand",
    ),
    _word("calls", "one_each|until_one_left", "one call each, or rounds until one bidder is left"),
    _int("min_bid", 1, 139, "lowest point bid"),
    _int("bid_step", 1, 20, "step between point bids"),
    _word(
        "all_pass",
        "throw_in_next|throw_in_same|forced_last",
        "after all pass: throw in (shaker moves or stays), or the last caller must bid",
    ),
    _word("forced_bid", "exactly_min|at_least_min", "what a forced last caller may bid"),
    Parameter("forced_sweep_bonus", "word", (0, 2), "marks for a forced point bid that takes every trick"),
    _int("max_opening_marks", 1, 4, "highest mark bid while no mark bid stands"),
    _word("mark_raise", "plus_one|plus_up_to_two", "how far a mark bid may be raised"),
    _word("points_mode_multiples", "linear|doubling", "value of M2, M3, ... in points: 2T, 3T or 2T, 4T"),
    Parameter("max_marks_cap", "optional_int", (1, 20), "highest mark bid of all, special bids included"),
    Parameter("trump_choices", "subset", ("PIP", "DBL", "NT"), "kinds of trump that may be declared"),
    Parameter("nt_doubles", "subset", _DOUBLES, "doubles treatments without trump"),
    _word("nt_min_bid", "min_bid|1 mark", "lowest bid that may play without trump"),
    _word("dbl_order", "normal|reversed", "order of doubles as trumps: 6-6 or 0-0 highest"),
    _word("undeclared_trump", "explicit", "how trump is named (reserved)"),
    _bool("opening_lead_must_be_trump", "trick 1 must be led with a trump if the leader holds one"),
    Parameter("lead_low_end", "lead_low", ("never", "first_trick", "any"), "when a leader may announce the low end"),
    _word("first_leader", "bidder", "who leads trick 1"),
    _word("early_end", "decided|play_all", "stop when the contract is decided, or play every trick"),
    _word(
        "won_tricks_visibility",
        "all|by_marks|mark_bids_one_stack|two_marks_one_stack|two_stacks|one_stack|none",
        "which tricks won by the bidder's side stay visible",
    ),
    _word("renege", "prevented", "illegal plays cannot be made (reserved)"),
    _word("laydown", "off|proved|claim", "claims: none, only sound ones offered, or always offered"),
    _word("laydown_penalty", "hand|game", "what a wrong claim loses"),
    _word("identical_tiles", "first_played|last_played", "which of two identical tiles is higher"),
    _word("nello", "off|any|forced_last_only", "who may declare nello"),
    Parameter("nello_min_marks", "word", (1, 2), "lowest mark bid for nello"),
    Parameter("nello_doubles", "subset", _DOUBLES, "doubles treatments in nello"),
    _word("nello_chooser", "fixed|bidder", "whether the doubles treatment is fixed or the bidder's choice"),
    _word("nello_leader", "bidder", "who leads a nello"),
    _word("nello_exchange", "off", "swap of one tile with the partner (reserved)"),
    _word("splash", "off|on", "bid with three doubles, partner names trump"),
    Parameter("splash_marks", "word", (2, 3), "base value of a splash"),
    Parameter("splash_doubles", "word", (3,), "doubles a splash needs"),
    _word("plunge", "off|on", "bid with four doubles, partner names trump"),
    Parameter("plunge_marks", "word", (2, 3, 4), "base value of a plunge"),
    Parameter("plunge_doubles", "word", (4,), "doubles a plunge needs"),
    _bool("special_jump", "splash and plunge may jump over the next plain mark bid"),
    _word("special_declared_at", "bid|after", "splash and plunge are called in the auction or after it"),
    _word("special_leader", "namer|bidder", "who leads after splash or plunge"),
    _word(
        "special_partner_options",
        "trumps+NT|trumps+NT+SEVENS|trumps+NT+NELLO|trumps+NT+SEVENS+NELLO",
        "what the partner may declare after splash or plunge",
    ),
    _word("sevens", "off|any|forced_last_only", "who may declare sevens"),
    Parameter("sevens_min_marks", "word", (1, 2), "lowest mark bid for sevens"),
    _word("sevens_tie", "first_played", "who wins equal distances"),
    _bool("sevens_need_seven", "sevens only if the leader was dealt a tile of seven pips"),
    _word("loper", "off|on", "loper may be declared on a point bid"),
    _bool("defenders_keep_points_when_made", "points scoring: defenders score their tricks when the bid is made"),
    _word("set_award", "bid_plus_taken", "points scoring: what a set below the hand total earns"),
    _word("set_award_sweep", "bid_plus_taken|bid_only", "points scoring: what a set sweep earns"),
    _word("made_award_sweep", "bid", "points scoring: what a made sweep earns"),
    Parameter("widow_points", "word", (0, 2), "72: points credited to the bidder's side for the widow"),
    _word("kitty", "take_discard|unused", "six-handed 84: what becomes of the two tiles left over"),
    _int("trick_value", 0, 20, "points for each trick"),
    _word("set_award_solo", "each|bidder_loses", "without teams: a set pays each defender, or costs the bidder"),
    _bool("two_seats_each", "two players hold two opposite seats each of the four-hand game"),
)

PARAMETERS: dict[str, Parameter] = {p.name: p for p in _ALL}
