"""The games of the family as data: tile set, seats, sides and what each game knows (RULES.md section c).

A game fixes what no house rule changes. House rules are parameters of `texas42.envs.rules.rules.Rules`.
"""

from dataclasses import dataclass

from texas42.envs.rules.tiles import parse_tile


@dataclass(frozen=True)
class Setup:
    """Seating and deal for one number of players: tiles a hand, tiles in the widow, teams, tiles left out.

    `teams` counts the teams, seated in turn around the table; 0 means everybody plays alone.
    """

    hand: int
    widow: int = 0
    teams: int = 0
    removed: tuple[str, ...] = ()

    def removed_ids(self) -> frozenset[int]:
        return frozenset(parse_tile(name) for name in self.removed)


@dataclass(frozen=True)
class Game:
    """One game of section c.

    `widow_use`: how the bid winner meets the widow: ``none``, ``swap`` (it comes into the hand, then discards),
    ``choice`` (TAKE or LEAVE where there is one), ``declare_first`` (swap after the declaration, c.10).
    `discard_rule`: which tiles may be discarded: ``any``, ``no_count`` (c.13), ``plain`` (neither count nor
    trump while there are such, c.10 and f.3.5). `max_points`: the highest point bid, where it is not T - 1.
    `specials`: contracts a house may switch on. `options`: parameters that exist in this game only.
    """

    name: str
    section: str
    max_pip: int
    setups: dict[int, Setup]
    copies: int = 1
    count_sums: tuple[int, ...] = (5, 10)
    ladder: str = "standard"
    widow_use: str = "none"
    discard_rule: str = "any"
    trump_pips: tuple[int, ...] = ()
    scorings: tuple[str, ...] = ("marks", "points")
    specials: frozenset[str] = frozenset()
    has_low_nello: bool = False
    has_count_trump: bool = False
    max_points: int | None = None
    options: frozenset[str] = frozenset()


_WITHOUT_BLANKS = tuple(f"{a}-0" for a in range(1, 7))
_HOUSE = frozenset({"nello", "sevens", "loper"})

_SETUPS_42 = {
    2: Setup(hand=14),
    3: Setup(hand=9, removed=("1-0",)),
    4: Setup(hand=7, teams=2),
    5: Setup(hand=5, removed=("1-0", "2-0", "3-0")),
    6: Setup(hand=4, removed=("1-0", "2-0", "3-0", "4-0")),
    7: Setup(hand=4),
}

STANDARD = Game(
    "standard",
    "c.1",
    6,
    {4: _SETUPS_42[4]},
    trump_pips=tuple(range(7)),
    max_points=41,
    specials=_HOUSE | {"splash", "plunge"},
)
THREE_HANDED = Game(
    "three_handed",
    "c.15",
    6,
    {3: _SETUPS_42[3]},
    trump_pips=tuple(range(7)),
    max_points=41,
    specials=_HOUSE,
    options=frozenset({"set_award_solo"}),
)
N_HANDED = Game(
    "n_handed",
    "c.16",
    6,
    _SETUPS_42,
    trump_pips=tuple(range(7)),
    max_points=41,
    specials=_HOUSE | {"splash", "plunge"},
    options=frozenset({"set_award_solo", "two_seats_each"}),
)
EIGHTY_FOUR = Game(
    "eighty_four",
    "c.9",
    6,
    {8: Setup(7, teams=2), 6: Setup(9, widow=2, teams=2), 7: Setup(8)},
    copies=2,
    widow_use="swap",
    discard_rule="plain",
    trump_pips=tuple(range(7)),
    specials=frozenset({"nello"}),
    options=frozenset({"kitty", "set_award_solo"}),
)
SEVENTY_TWO = Game(
    "seventy_two",
    "c.10",
    6,
    {4: Setup(10, widow=2, teams=2, removed=("0-0", *_WITHOUT_BLANKS))},
    copies=2,
    widow_use="declare_first",
    discard_rule="plain",
    trump_pips=tuple(range(1, 7)),
    options=frozenset({"widow_points"}),
)
MOON = Game(
    "moon",
    "c.11",
    6,
    {3: Setup(7, widow=1, removed=_WITHOUT_BLANKS), 4: Setup(7, teams=2)},
    count_sums=(),
    ladder="moon",
    widow_use="swap",
    trump_pips=tuple(range(7)),
    scorings=("signed_points",),
)
GEEZER = Game(
    "geezer",
    "c.12",
    7,
    {4: Setup(9, teams=2)},
    ladder="geezer",
    trump_pips=tuple(range(8)),
    scorings=("marks",),
    specials=frozenset({"nello"}),
    has_low_nello=True,
    has_count_trump=True,
)
BIG_GAME = Game(
    "big_game",
    "c.13",
    8,
    {4: Setup(11, widow=1, teams=2)},
    widow_use="choice",
    discard_rule="no_count",
    trump_pips=tuple(range(9)),
)
ONE_FORTY = Game(
    "one_forty",
    "c.14",
    9,
    {6: Setup(9, widow=1, teams=3)},
    count_sums=(5, 10, 15),
    widow_use="choice",
    discard_rule="no_count",
    trump_pips=tuple(range(10)),
    scorings=("signed_points",),
)

GAMES = {
    g.name: g
    for g in (
        STANDARD,
        THREE_HANDED,
        N_HANDED,
        EIGHTY_FOUR,
        SEVENTY_TWO,
        MOON,
        GEEZER,
        BIG_GAME,
        ONE_FORTY,
    )
}
