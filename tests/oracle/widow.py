"""Widow and discards (RULES.md c.9.4, c.10, c.11, c.13, c.14, f.3.1 to f.3.5)."""

from oracle.games import Game
from oracle.params import Rules
from oracle.tricks import TRUMP, suits


def has_widow_phase(rules: Rules, game: Game) -> bool:
    """Whether the bid winner gets to see the widow at all."""
    unused = game.family == "eighty_four" and rules["kitty"] == "unused"  # c.9.4
    return game.widow_size > 0 and not unused


def may_choose(game: Game) -> bool:
    """f.3.3: TAKE and LEAVE exist in the Big Game and 140 only."""
    return game.family in ("big_game", "one_forty")


def exchange_discards(game: Game, hand: list[str], widow: str) -> list[str]:
    """c.13, c.14.1, f.3.3: the discards after the widow tile came into the hand (which holds it)."""
    others = list(hand)
    others.remove(widow)
    plain = [tile for tile in others if game.count(tile) == 0]
    if plain or game.count(widow) == 0:
        return plain
    smallest = min(game.count(tile) for tile in hand)
    return [tile for tile in hand if game.count(tile) == smallest]


def two_discards(game: Game, hand: list[str], discarded: list[str], declaration: str | None) -> list[str]:
    """c.10, f.3.5: E is what may be discarded freely (72: no trump, no count; 84: no count).

    Two or more in E: both from E. One: it must be among the two. None: any two.
    """
    free = [tile for tile in hand + discarded if _is_free(game, tile, declaration)]
    if len(free) >= 2:
        return [tile for tile in hand if tile in free]
    if len(free) == 1 and discarded and discarded[0] != free[0]:
        return free
    return list(hand)


def _is_free(game: Game, tile: str, declaration: str | None) -> bool:
    trump = declaration is not None and TRUMP in suits(tile, declaration)
    return game.count(tile) == 0 and not trump
