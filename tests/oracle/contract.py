"""Declarations a winner may choose from, and the contract they make (RULES.md a.10, b.4, c, f.3)."""

from dataclasses import dataclass, field

from oracle.auction import Bid, doubles_in, special_calls
from oracle.games import Game, pips
from oracle.params import Rules, number, words


@dataclass
class Contract:
    """What is being played."""

    kind: str  # POINTS, SWEEP, NELLO, SEVENS, LOPER, TRICKS (a.10)
    bid: Bid
    declaration: str
    declarer: int  # the seat that named the declaration
    leader: int
    forced: bool  # a points bid forced by `all_pass` (f.3.9)
    sits_out: set[int] = field(default_factory=set)

    @property
    def bidder(self) -> int:
        """The seat whose bid won."""
        return self.bid.seat


def partner_of(game: Game, seat: int) -> int:
    """The partner in a four-player team game."""
    return (seat + game.sides) % game.seats


def partner_names(rules: Rules, game: Game, bid: Bid) -> bool:
    """c.4, c.5, c.12: after SPLASH, PLUNGE, DIP, DIVE and ASK the partner declares."""
    return bid.call in special_calls(rules, game) or bid.call == "ASK"


def trump_declarations(rules: Rules, game: Game, bid: Bid) -> list[str]:
    """c.1: PIP, DBL and NT as far as the rules know them; b.3 `nt_min_bid`."""
    choices = words(rules, "trump_choices")
    found = [f"PIP{pip}" for pip in game.pips] if "PIP" in choices else []
    if "DBL" in choices:
        found.append("DBL")
    at_least_a_mark = bid.marks > 0 or bid.call in ("MOON", "SHOOT_OVER")
    if "NT" in choices and (rules["nt_min_bid"] == "min_bid" or at_least_a_mark):
        found += [f"NT-{q}" for q in words(rules, "nt_doubles")]
    return found


def nello_declarations(rules: Rules, game: Game) -> list[str]:
    """c.3: one per doubles treatment; c.12.5: in Geezer times no low pip or one of 0..7."""
    found = [f"NELLO-{q}" for q in words(rules, "nello_doubles")]
    if game.family == "geezer":
        found += [f"{nello}-L{pip}" for nello in found for pip in game.pips]
    return found


def bidder_declarations(
    rules: Rules, game: Game, bid: Bid, forced_bid: bool, hand: list[str], dealt: list[str]
) -> list[str]:
    """What a bid winner who declares himself may name."""
    if bid.call == "C51":
        return ["COUNT"]  # c.12
    found = trump_declarations(rules, game, bid)
    if bid.marks == 0:
        loper = game.family == "standard" and rules["loper"] == "on" and bid.call.startswith("P")
        return [*found, "LOPER"] if loper else found  # c.7
    if _allowed(rules, "nello", ("standard", "eighty_four", "geezer"), game, bid, forced_bid):
        found += nello_declarations(rules, game)
    if _allowed(rules, "sevens", ("standard",), game, bid, forced_bid) and _has_seven(rules, dealt):
        found.append("SEVENS")
    if game.family == "standard" and rules["special_declared_at"] == "after":
        found += _specials_after(rules, game, bid, hand)
    return found


def _allowed(
    rules: Rules, name: str, families: tuple[str, ...], game: Game, bid: Bid, forced_bid: bool
) -> bool:
    """c.3, c.6, f.3.12: nello or sevens on a mark bid; f.2.5 for `forced_last_only`."""
    where = rules[name] == "any" or (rules[name] == "forced_last_only" and forced_bid)
    return game.family in families and where and bid.marks >= number(rules, f"{name}_min_marks")


def _has_seven(rules: Rules, dealt: list[str]) -> bool:
    """f.3.10: `sevens_need_seven` looks at the tiles dealt to the player who will lead."""
    return not rules["sevens_need_seven"] or any(sum(pips(tile)) == 7 for tile in dealt)


def _specials_after(rules: Rules, game: Game, bid: Bid, hand: list[str]) -> list[str]:
    """f.3.7: with `special_declared_at=after` beside the declarations of a plain mark bid."""
    return [
        call for call, (doubles, base) in special_calls(rules, game).items()
        if bid.marks >= base and doubles_in(hand) >= doubles
    ]


def partner_declarations(rules: Rules, game: Game, bid: Bid, leader_dealt: list[str]) -> list[str]:
    """c.4: the partner names trumps; f.3.8: the option alone suffices for SEVENS and NELLO."""
    found = trump_declarations(rules, game, bid)
    options = str(rules["special_partner_options"])
    if game.family != "standard":
        return found  # f.3.11
    if "NELLO" in options:
        found += nello_declarations(rules, game)
    if "SEVENS" in options and _has_seven(rules, leader_dealt):
        found.append("SEVENS")
    return found


def make_contract(
    rules: Rules, game: Game, bid: Bid, declaration: str, declarer: int, forced: bool
) -> Contract:
    """a.10: the contract that a bid and a declaration make."""
    contract = Contract(_kind(game, bid, declaration), bid, declaration, declarer, bid.seat, forced)
    if contract.kind == "NELLO":  # c.3, c.9: all teammates sit out; f.3.8: the bidder plays and leads
        contract.sits_out = {
            seat for seat in range(game.seats) if seat != bid.seat and game.side(seat) == game.side(bid.seat)
        }
    elif declarer != bid.seat:
        contract.leader = special_leader(rules, game, bid)
    return contract


def special_leader(rules: Rules, game: Game, bid: Bid) -> int:
    """b.4: the namer leads, or the bidder."""
    return partner_of(game, bid.seat) if rules["special_leader"] == "namer" else bid.seat


def _kind(game: Game, bid: Bid, declaration: str) -> str:
    if declaration.startswith("NELLO"):
        return "NELLO"
    if declaration in ("SEVENS", "LOPER"):
        return declaration
    if bid.marks > 0 or bid.call in ("MOON", "SHOOT_OVER"):
        return "SWEEP"
    return "TRICKS" if game.family == "moon" else "POINTS"
