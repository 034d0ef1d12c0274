"""Suits, following, ranks and trick winners (RULES.md a.4 to a.8).

Declarations are written in the record notation: `PIP3`, `DBL`, `NT-low`, `NELLO-own`, `NELLO-high-L3`,
`SEVENS`, `LOPER`, `COUNT`. A suit is a number, `"TRUMP"` or `"D"` (doubles as their own suit).
"""

from oracle.games import is_double, pips

Suit = int | str
TRUMP = "TRUMP"
DOUBLES = "D"

# c.12.2: the order of count trumps in Geezer, highest first.
COUNT_TRUMPS = ["5-5", "7-3", "6-4", "5-0", "4-1", "3-2"]


def trump_pip(decl: str) -> int | None:
    """The trump number of `PIP<t>`, else None."""
    return int(decl[3:]) if decl.startswith("PIP") else None


def doubles_treatment(decl: str) -> str:
    """a.3: q of a no-trump or nello declaration; doubles are high under every other."""
    parts = decl.split("-")
    return parts[1] if parts[0] in ("NT", "NELLO") else "high"


def low_pip(decl: str) -> int | None:
    """The L of Geezer's low nello, else None."""
    parts = decl.split("-")
    return int(parts[2][1:]) if len(parts) == 3 else None


def closeness_play(decl: str) -> bool:
    """a.3: Sevens and Loper have no suits."""
    return decl in ("SEVENS", "LOPER")


def suits(tile: str, decl: str) -> set[Suit]:
    """a.4: the suits a tile belongs to."""
    high, low = pips(tile)
    if trump_pip(decl) in (high, low):
        return {TRUMP}  # a.4.1: it no longer belongs to its other number
    if decl == "DBL" and high == low:
        return {TRUMP}  # a.4.2
    if decl == "COUNT" and tile in COUNT_TRUMPS:
        return {TRUMP}  # a.4.3
    if high == low and doubles_treatment(decl) in ("own", "inv"):
        return {DOUBLES}  # a.4.4
    return {high, low}  # a.4.5


def lead_suit(tile: str, decl: str, announced_low: bool = False) -> Suit:
    """a.5: trump, the doubles, otherwise the higher number unless the lower one is announced."""
    belongs = suits(tile, decl)
    if TRUMP in belongs:
        return TRUMP
    if DOUBLES in belongs:
        return DOUBLES
    return pips(tile)[1] if announced_low else pips(tile)[0]


def followers(hand: list[str], suit: Suit, decl: str) -> list[str]:
    """a.6: the tiles that can follow, or the whole hand where none can."""
    can = [tile for tile in hand if suit in suits(tile, decl)]
    return can if can else list(hand)


def rank(tile: str, suit: Suit, decl: str, dbl_order: str = "normal") -> int:
    """a.7: rank of a tile inside a suit it belongs to; larger wins."""
    high, low = pips(tile)
    if suit == TRUMP:
        return _trump_rank(tile, decl, dbl_order)
    if suit == DOUBLES:
        return high if doubles_treatment(decl) == "own" else -high
    if high == low:
        return -2 if doubles_treatment(decl) == "low" else 99
    other = low if high == suit else high
    if other == low_pip(decl):
        return -1  # c.12.5: s-L ranks below all of s, a low double still below it
    return other


def _trump_rank(tile: str, decl: str, dbl_order: str) -> int:
    high, low = pips(tile)
    if decl == "DBL":  # a.7; b.3 dbl_order
        return -high if dbl_order == "reversed" else high
    if decl == "COUNT":
        return -COUNT_TRUMPS.index(tile)
    if high == low:
        return 99
    return low if high == trump_pip(decl) else high


def closeness(tile: str) -> int:
    """a.8: the distance to seven pips."""
    return abs(sum(pips(tile)) - 7)


def closest(hand: list[str]) -> list[str]:
    """a.8: a player must play a tile of minimum distance in his hand."""
    nearest = min(closeness(tile) for tile in hand)
    return [tile for tile in hand if closeness(tile) == nearest]


def trick_winner(
    plays: list[str],
    decl: str,
    announced_low: bool = False,
    dbl_order: str = "normal",
    identical_tiles: str = "first_played",
) -> int:
    """The index of the winning play; index 0 is the leader."""
    if closeness_play(decl):  # a.8: among equal distances the first played wins
        return min(range(len(plays)), key=lambda i: (closeness(plays[i]), i))
    trumped = any(TRUMP in suits(tile, decl) for tile in plays)
    suit = TRUMP if trumped else lead_suit(plays[0], decl, announced_low)
    best: int | None = None
    for i, tile in enumerate(plays):
        if suit not in suits(tile, decl):
            continue  # a sluff cannot win
        if best is None or _beats(tile, plays[best], suit, decl, dbl_order, identical_tiles):
            best = i
    assert best is not None
    return best


def _beats(tile: str, best: str, suit: Suit, decl: str, dbl_order: str, identical_tiles: str) -> bool:
    """Whether a later tile beats the best so far; b.3 `identical_tiles` decides between two copies."""
    if tile == best:
        return identical_tiles == "last_played"
    return rank(tile, suit, decl, dbl_order) > rank(best, suit, decl, dbl_order)


def announceable(tile: str, decl: str) -> bool:
    """a.5, c.13.5: only a number-suit lead with two different numbers has a lower end to announce."""
    return not is_double(tile) and TRUMP not in suits(tile, decl)
