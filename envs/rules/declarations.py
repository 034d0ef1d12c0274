"""Declarations: suits, following and ranks (RULES.md a.3 to a.8)."""

from dataclasses import dataclass

from texas42.envs.rules.ladder import COUNT51, MARKS, POINTS, SPECIAL, Call
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_ENDS, TILE_NAMES, tile_count

TRUMP = 10
DOUBLES = 11
CLOSE = 0
N_SUITS = 12
TRUMP_POWER = 64

PIP_TRUMP, DOUBLE_TRUMP, NO_TRUMP, NELLO, SEVENS, LOPER, COUNT_TRUMP = range(7)
TREATMENTS = ("high", "low", "own", "inv")


@dataclass(frozen=True)
class Declaration:
    """One declaration; `pip` is the trump suit or Geezer's low pip, `treatment` how doubles rank without trump."""

    name: str
    kind: int
    pip: int = -1
    treatment: str = "high"

    @property
    def closeness(self) -> bool:
        """Whether play is by closeness to seven pips (a.8)."""
        return self.kind in (SEVENS, LOPER)


def build_declarations(rules: Rules) -> list[Declaration]:
    """Every declaration of the game, in the order of their action ids (RECORD_FORMAT.md)."""
    game = rules.game
    rows = [Declaration(f"PIP{t}", PIP_TRUMP, t) for t in game.trump_pips]
    if game.ladder != "moon":
        rows.append(Declaration("DBL", DOUBLE_TRUMP))
    rows += [Declaration(f"NT-{q}", NO_TRUMP, treatment=q) for q in TREATMENTS]
    if "nello" in game.specials:
        rows += [Declaration(f"NELLO-{q}", NELLO, treatment=q) for q in TREATMENTS]
    if game.has_low_nello:
        lows = range(game.max_pip + 1)
        rows += [Declaration(f"NELLO-{q}-L{p}", NELLO, p, q) for q in TREATMENTS for p in lows]
    if "sevens" in game.specials:
        rows += [Declaration("SEVENS", SEVENS), Declaration("LOPER", LOPER)]
    if game.has_count_trump:
        rows.append(Declaration("COUNT", COUNT_TRUMP))
    return rows


def suits(rules: Rules, declaration: Declaration, tile: int) -> tuple[int, ...]:
    """The suits a tile belongs to, for following (a.4): the higher number first."""
    high, low = TILE_ENDS[tile]
    if declaration.closeness:
        return (CLOSE,)
    if is_trump(rules, declaration, tile):
        return (TRUMP,)
    if high != low:
        return (high, low)
    own_suit = declaration.kind in (NO_TRUMP, NELLO) and declaration.treatment in ("own", "inv")
    return (DOUBLES,) if own_suit else (high,)


def is_trump(rules: Rules, declaration: Declaration, tile: int) -> bool:
    """Whether a tile is a trump (a.4, rules 1 to 3)."""
    high, low = TILE_ENDS[tile]
    if declaration.kind == PIP_TRUMP:
        return declaration.pip in (high, low)
    if declaration.kind == DOUBLE_TRUMP:
        return high == low
    return declaration.kind == COUNT_TRUMP and tile_count(tile, rules.game.count_sums) > 0


def power(rules: Rules, declaration: Declaration, suit: int, tile: int) -> int:
    """Strength of a tile where `suit` was led: 0 cannot win, trumps stand above everything (a.7, a.8)."""
    if declaration.closeness:
        return 20 - abs(sum(TILE_ENDS[tile]) - 7)
    mine = suits(rules, declaration, tile)
    if TRUMP in mine:
        return TRUMP_POWER + _trump_rank(rules, declaration, tile)
    return _suit_rank(declaration, suit, tile) if suit in mine else 0


def _trump_rank(rules: Rules, declaration: Declaration, tile: int) -> int:
    high, low = TILE_ENDS[tile]
    if declaration.kind == DOUBLE_TRUMP:
        return 1 + (9 - high if rules.dbl_order == "reversed" else high)
    if declaration.kind == COUNT_TRUMP:  # c.12: tens over fives; then the double, then the higher high end
        return (high + low) * 2 + (10 if high == low else high)
    return 30 if high == low else 12 + (low if high == declaration.pip else high)


def _suit_rank(declaration: Declaration, suit: int, tile: int) -> int:
    high, low = TILE_ENDS[tile]
    if suit == DOUBLES:
        return 12 + (-high if declaration.treatment == "inv" else high)
    if high == low:
        return 1 if declaration.treatment == "low" else 30
    other = low if high == suit else high
    lowest = declaration.kind == NELLO and other == declaration.pip  # c.12: the low pip ranks below the rest
    return 2 if lowest else 12 + other


def announced_low(rules: Rules, declaration: Declaration, tile: int) -> int:
    """The lower end where a leader may announce it as the suit, else -1 (b.3 `lead_low_end`, c.13)."""
    high, low = TILE_ENDS[tile]
    plain = suits(rules, declaration, tile) == (high, low)
    if not plain or rules.lead_low_end == "never":
        return -1
    listed = isinstance(rules.lead_low_end, str) or TILE_NAMES[tile] in rules.lead_low_end
    return low if listed else -1


def allowed(rules: Rules, call: Call, declaration: Declaration, last: bool) -> bool:
    """Whether a declaration may follow the winning call; `last`: all others had passed before the last caller."""
    if not call.offered or call.kind == 0:
        return False
    if (call.kind == COUNT51) != (declaration.kind == COUNT_TRUMP):
        return False
    if declaration.kind in (PIP_TRUMP, DOUBLE_TRUMP, NO_TRUMP, COUNT_TRUMP):
        return _trump_allowed(rules, call, declaration)
    if declaration.kind == LOPER:  # c.7
        return rules.loper == "on" and call.kind == POINTS
    if call.kind == SPECIAL:
        return _partner_option(rules, declaration)
    word, least = (
        (rules.nello, rules.nello_min_marks) if declaration.kind == NELLO else (rules.sevens, rules.sevens_min_marks)
    )
    fits = call.kind == MARKS and call.marks >= least and (word == "any" or (word == "forced_last_only" and last))
    return fits and (declaration.kind != NELLO or declaration.treatment in rules.nello_doubles)


def _trump_allowed(rules: Rules, call: Call, declaration: Declaration) -> bool:
    if declaration.kind == COUNT_TRUMP:
        return True
    if declaration.kind != NO_TRUMP:
        return ("PIP" if declaration.kind == PIP_TRUMP else "DBL") in rules.trump_choices
    high_enough = rules.nt_min_bid == "min_bid" or call.kind in (MARKS, SPECIAL)
    return high_enough and "NT" in rules.trump_choices and declaration.treatment in rules.nt_doubles


def _partner_option(rules: Rules, declaration: Declaration) -> bool:
    """f.3.8: after splash and plunge the option alone suffices."""
    options = rules.special_partner_options.split("+")
    if declaration.kind == SEVENS:
        return "SEVENS" in options
    return "NELLO" in options and declaration.treatment in rules.nello_doubles

