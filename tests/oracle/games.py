"""The set-up of each game: tiles, seats, sides, hand and widow sizes, hand total (RULES.md a.2, a.9, c)."""

from collections.abc import Mapping
from dataclasses import dataclass

from oracle.errors import OracleError
from oracle.params import family_of, number, resolve_rules


@dataclass(frozen=True)
class Game:
    """The fixed frame of a game."""

    family: str  # standard, moon, geezer, big_game, one_forty, seventy_two, eighty_four
    seats: int
    sides: int  # number of teams, or of seats where there are no teams
    pips: tuple[int, ...]  # the suits
    tiles: tuple[str, ...]  # the whole set; in two-set games every tile stands twice
    hand_size: int
    widow_size: int
    count_sums: frozenset[int]
    trick_value: int
    total: int  # T

    @property
    def individual(self) -> bool:
        """True where there are no teams."""
        return self.sides == self.seats

    def side(self, seat: int) -> int:
        """f.2.7: side of seat s = s mod the number of teams."""
        return seat % self.sides

    def count(self, tile: str) -> int:
        """a.9: the pip sum, if it is one of the variant's count sums."""
        pip_sum = sum(pips(tile))
        return pip_sum if pip_sum in self.count_sums else 0

    def trick_points(self, tiles: list[str]) -> int:
        """a.9: trick value plus the counts in the trick."""
        return self.trick_value + sum(self.count(tile) for tile in tiles)


def pips(tile: str) -> tuple[int, int]:
    """`"6-4"` -> (6, 4), the higher number first."""
    high, low = tile.split("-")
    return int(high), int(low)


def is_double(tile: str) -> bool:
    """True for `5-5`."""
    high, low = pips(tile)
    return high == low


def double_n_set(n: int, lowest: int = 0) -> list[str]:
    """a.2: all unordered pairs of the numbers lowest..n."""
    return [f"{high}-{low}" for high in range(lowest, n + 1) for low in range(lowest, high + 1)]


def game_of(spec: Mapping[str, object]) -> Game:
    """The frame for a rules spec."""
    rules = resolve_rules(spec)
    family = family_of(spec)
    players = number(rules, "players")
    if family == "standard" and players == 2 and rules["two_seats_each"]:
        players = 4  # f.2.2: exactly the four-hand game
    top = {"geezer": 7, "big_game": 8, "one_forty": 9}.get(family, 6)
    lowest = 1 if family == "seventy_two" else 0
    tiles, hand_size, sides = _set_up(family, players)
    sums = {"moon": frozenset[int](), "one_forty": frozenset({5, 10, 15})}.get(family, frozenset({5, 10}))
    trick_value = number(rules, "trick_value")
    # f.4.2: T is the named total, also when count is dead; c.10.1: 72 adds the widow credit.
    count = sum(sum(pips(tile)) for tile in tiles if sum(pips(tile)) in sums)
    total = count + hand_size * trick_value
    if family == "seventy_two":
        total += number(rules, "widow_points")
    return Game(
        family, players, sides, tuple(range(lowest, top + 1)), tuple(tiles), hand_size,
        len(tiles) - players * hand_size, sums, trick_value, total,
    )


def _set_up(family: str, players: int) -> tuple[list[str], int, int]:
    """(tiles, hand size, number of sides) from section (c)."""
    key = (family, players)
    if family == "standard" and players in STANDARD:
        removed, hand_size, sides = STANDARD[players]
        return [tile for tile in double_n_set(6) if tile not in removed], hand_size, sides
    if key == ("moon", 3):  # c.11: no blanks except 0-0
        return [tile for tile in double_n_set(6) if pips(tile)[1] > 0 or tile == "0-0"], 7, 3
    if key == ("moon", 4):  # f.2.7
        return double_n_set(6), 7, 2
    if key == ("geezer", 4):  # c.12
        return double_n_set(7), 9, 2
    if key == ("big_game", 4):  # c.13
        return double_n_set(8), 11, 2
    if key == ("one_forty", 6):  # c.14
        return double_n_set(9), 9, 3
    if key == ("seventy_two", 4):  # c.10
        return double_n_set(6, lowest=1) * 2, 10, 2
    if family == "eighty_four" and players in EIGHTY_FOUR:
        hand_size, sides = EIGHTY_FOUR[players]
        return double_n_set(6) * 2, hand_size, sides
    raise OracleError(f"section (c) defines no {family} for {players} players")


# c.16 (and c.1, c.15): players -> (tiles removed, hand size, sides)
STANDARD: dict[int, tuple[tuple[str, ...], int, int]] = {
    2: ((), 14, 2),
    3: (("1-0",), 9, 3),
    4: ((), 7, 2),
    5: (("1-0", "2-0", "3-0"), 5, 5),
    6: (("1-0", "2-0", "3-0", "4-0"), 4, 6),
    7: ((), 4, 7),
}

# c.9: players -> (hand size, sides)
EIGHTY_FOUR = {8: (7, 2), 6: (9, 2), 7: (8, 7)}


def tile_set(spec: Mapping[str, object]) -> list[str]:
    """The full multiset of tiles of a game."""
    return list(game_of(spec).tiles)


def hand_sizes(spec: Mapping[str, object]) -> tuple[int, int]:
    """(tiles per seat, widow size)."""
    game = game_of(spec)
    return game.hand_size, game.widow_size
