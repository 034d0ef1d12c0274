"""`Rules`: one frozen value that holds every house-rule parameter of one game (RULES.md table (b))."""

import dataclasses
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from texas42.envs.rules.checks import check_combination
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.games import GAMES, Game, Setup
from texas42.envs.rules.parameters import PARAMETERS, Value, written
from texas42.envs.rules.presets import PRESETS, SEED_MARKS
from texas42.envs.rules.reading import read_yaml, shown
from texas42.envs.rules.tiles import n_types, tile_count


@dataclass(frozen=True)
class Rules:
    """The rules of one game, checked on creation.

    Make one with `Rules.preset`, `Rules.from_dict` or `Rules.from_yaml`; change one with `replace`. Fields after
    `base` are the parameters of RULES.md table (b) under their own names.

    Raises:
        RulesError: a value or a combination is not allowed; the message names parameter, value and what is.
    """

    base: str
    scoring: str
    target: int
    win_by_two: bool
    players: int
    first_shaker: str
    shaker_rotation: str
    opening_bidder: str
    tie_rule: str
    calls: str
    min_bid: int
    bid_step: int
    all_pass: str
    forced_bid: str
    forced_sweep_bonus: int
    max_opening_marks: int
    mark_raise: str
    points_mode_multiples: str
    max_marks_cap: int | None
    trump_choices: tuple[str, ...]
    nt_doubles: tuple[str, ...]
    nt_min_bid: str
    dbl_order: str
    undeclared_trump: str
    opening_lead_must_be_trump: bool
    lead_low_end: str | tuple[str, ...]
    first_leader: str
    early_end: str
    won_tricks_visibility: str
    renege: str
    laydown: str
    laydown_penalty: str
    identical_tiles: str
    nello: str
    nello_min_marks: int
    nello_doubles: tuple[str, ...]
    nello_chooser: str
    nello_leader: str
    nello_exchange: str
    splash: str
    splash_marks: int
    splash_doubles: int
    plunge: str
    plunge_marks: int
    plunge_doubles: int
    special_jump: bool
    special_declared_at: str
    special_leader: str
    special_partner_options: str
    sevens: str
    sevens_min_marks: int
    sevens_tie: str
    sevens_need_seven: bool
    loper: str
    defenders_keep_points_when_made: bool
    set_award: str
    set_award_sweep: str
    made_award_sweep: str
    widow_points: int
    kitty: str
    trick_value: int
    set_award_solo: str
    two_seats_each: bool

    def __post_init__(self) -> None:
        for name, parameter in PARAMETERS.items():
            object.__setattr__(self, name, parameter.coerce(getattr(self, name)))
        check_combination(self)

    @staticmethod
    def preset(name: str) -> "Rules":
        """The rules of a preset of RULES.md f.1, such as ``n42pa``.

        Raises:
            RulesError: no preset of that name.
        """
        if not isinstance(name, str) or name not in PRESETS:
            near = _nearest(name, PRESETS) if isinstance(name, str) else ""
            raise RulesError(f"unknown preset {shown(name)}{near}; presets: {', '.join(PRESETS)}")
        values: dict[str, object] = {**SEED_MARKS, **PRESETS[name][1]}
        return Rules(base=name, **values)  # type: ignore[arg-type]

    @staticmethod
    def from_dict(spec: Mapping[str, object]) -> "Rules":
        """Rules from ``{"preset": NAME, ...overrides}`` as in a record (f.2).

        Raises:
            RulesError: unknown preset, parameter, value or combination.
        """
        if not isinstance(spec, Mapping) or "preset" not in spec:
            example = '{"preset": "n42pa", "nello": "any"}'
            raise RulesError(f'rules must be a mapping with a "preset" and overrides like {example}, not {shown(spec)}')
        overrides = {str(k): v for k, v in spec.items() if k != "preset"}
        return Rules.preset(spec["preset"]).replace(**overrides)  # type: ignore[arg-type]  # it checks

    @staticmethod
    def from_yaml(path: str | Path) -> "Rules":
        """Rules from a YAML file with a ``preset`` and overrides.

        Raises:
            RulesError: the file cannot be read, is no mapping, or holds what `from_dict` refuses.
        """
        try:
            spec = read_yaml(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RulesError(f"cannot read rules from {path}: {error}") from error
        try:
            return Rules.from_dict(spec)  # type: ignore[arg-type]  # it checks
        except RulesError as error:
            raise RulesError(f"{path}: {error}") from error

    def replace(self, /, **overrides: object) -> "Rules":
        """A copy with some parameters changed.

        Raises:
            RulesError: unknown parameter, value or combination.
        """
        for name in overrides:
            if name not in PARAMETERS:
                near = _nearest(name, PARAMETERS) or "; `texas42 presets n42pa` explains every parameter"
                raise RulesError(f"unknown rule parameter {shown(name)}{near}")
        values: dict[str, object] = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return Rules(**{**values, **overrides})  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, object]:
        """``{"preset": NAME, ...}`` with the parameters that differ from the preset, ready for JSON."""
        preset = {**SEED_MARKS, **PRESETS[self.base][1]}
        changed = {n: getattr(self, n) for n in PARAMETERS if getattr(self, n) != preset[n]}
        return {"preset": self.base} | {n: list(v) if isinstance(v, tuple) else v for n, v in changed.items()}

    def __str__(self) -> str:
        """As ``--rules`` and ``--rule`` would ask for it: ``seed_marks with min_bid=31, nello=any``."""
        changed = ", ".join(f"{name}={written(v)}" for name, v in self.to_dict().items() if name != "preset")
        return f"{self.base} with {changed}" if changed else self.base

    def parameters(self) -> dict[str, Value]:
        """Every parameter with its value."""
        return {name: getattr(self, name) for name in PARAMETERS}

    @cached_property
    def game(self) -> Game:
        """The game these are house rules of."""
        return GAMES[PRESETS[self.base][0]]

    @cached_property
    def setup(self) -> Setup:
        """Deal and sides for this number of seats."""
        return self.game.setups[self.seats]

    @property
    def seats(self) -> int:
        """Seats at the table: `players`, or four where two players hold two seats each."""
        return 4 if self.two_seats_each else self.players

    @property
    def sides(self) -> int:
        """Number of sides: teams, or seats where everybody plays alone."""
        return self.setup.teams or self.seats

    @property
    def special_bids(self) -> bool:
        """Whether the game has splash and plunge at all: four players in two teams (f.3.12)."""
        return "splash" in self.game.specials and self.seats == 4

    def side_of(self, seat: int) -> int:
        """The side of a seat (f.2.7)."""
        return seat % self.sides

    @cached_property
    def n_types(self) -> int:
        """Tile types of the game's set, removed ones included."""
        return n_types(self.game.max_pip)

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """Tile instances dealt, ascending."""
        removed = self.setup.removed_ids()
        types = [t for t in range(self.n_types) if t not in removed]
        return tuple(copy * self.n_types + t for copy in range(self.game.copies) for t in types)

    @cached_property
    def total(self) -> int:
        """T: the points of one hand (a.9, f.4.2)."""
        count = sum(tile_count(t % self.n_types, self.game.count_sums) for t in self.deck)
        return count + self.setup.hand * self.trick_value + self.widow_points


def _nearest(name: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def resolve_rules(rules: "Rules | str | Mapping[str, object]") -> Rules:
    """A `Rules` from a `Rules`, a preset name, the path of a YAML file, or a mapping.

    Raises:
        RulesError: it names no rules.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, Mapping):
        return Rules.from_dict(rules)
    if isinstance(rules, str) and rules.endswith((".yaml", ".yml")):
        return Rules.from_yaml(rules)
    return Rules.preset(rules)
