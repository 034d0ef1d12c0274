"""Making, early end, settlement and the end of the game (RULES.md a.10, a.11, b.5, c, f.4)."""

from collections.abc import Mapping
from dataclasses import dataclass

from oracle.contract import Contract
from oracle.games import Game, game_of
from oracle.params import Rules, number, resolve_rules


@dataclass
class Tally:
    """What has been taken so far, per side."""

    points: list[int]
    tricks: list[int]

    @property
    def played(self) -> int:
        """Completed tricks."""
        return sum(self.tricks)


def is_made(game: Game, contract: Contract, tally: Tally) -> bool:
    """a.10: whether the contract is made when all tricks have been played."""
    side = game.side(contract.bidder)
    lost = tally.played - tally.tricks[side]
    if contract.kind == "POINTS":
        return tally.points[side] >= contract.bid.points
    if contract.kind == "TRICKS":
        return tally.tricks[side] >= contract.bid.points
    if contract.kind == "NELLO":
        return tally.tricks[side] == 0
    return lost <= (1 if contract.kind == "LOPER" else 0)


def decided(rules: Rules, game: Game, contract: Contract, tally: Tally) -> bool | None:
    """a.11: made or set already after a completed trick, or None."""
    side = game.side(contract.bidder)
    lost = tally.played - tally.tricks[side]
    if contract.kind == "POINTS":
        others = sum(tally.points) - tally.points[side]
        if others > game.total - contract.bid.points:
            return False
        waits = contract.forced and number(rules, "forced_sweep_bonus") > 0 and lost == 0  # f.3.9
        return True if tally.points[side] >= contract.bid.points and not waits else None
    if contract.kind == "NELLO":
        return False if tally.tricks[side] > 0 else None
    if contract.kind in ("SWEEP", "SEVENS", "LOPER"):
        return False if lost > (1 if contract.kind == "LOPER" else 0) else None
    return None  # f.4.3: TRICKS never ends early


def settle(
    rules: Rules, game: Game, contract: Contract, made: bool, tally: Tally, claimed: bool
) -> list[int]:
    """The score change of every side."""
    if rules["scoring"] == "marks":
        return _settle_marks(rules, game, contract, made, stake(rules, game, contract, tally, claimed))
    side = game.side(contract.bidder)
    value = bid_value(rules, game, contract)
    if rules["scoring"] == "signed_points":
        return _settle_signed(contract, made, tally, side, value)
    return _settle_points(rules, contract, made, tally, side, value)


def stake(rules: Rules, game: Game, contract: Contract, tally: Tally, claimed: bool) -> int:
    """c.1: 1 mark for a points bid, m for M(m); TWO39 is 2 (c.12); the forced sweep bonus (f.3.9)."""
    if contract.bid.call == "TWO39":
        return 2
    side = game.side(contract.bidder)
    swept = not claimed and tally.tricks[side] == game.hand_size
    bonus = number(rules, "forced_sweep_bonus")
    if contract.kind == "POINTS" and contract.forced and swept and bonus > 0:
        return bonus
    return max(1, contract.bid.marks)


def _settle_marks(rules: Rules, game: Game, contract: Contract, made: bool, marks: int) -> list[int]:
    """c.1: to the bidders when made, else to the opponents; c.15.3 where there are no teams."""
    side = game.side(contract.bidder)
    if made:
        return [marks if s == side else 0 for s in range(game.sides)]
    if game.individual and rules["set_award_solo"] == "bidder_loses":
        return [-marks if s == side else 0 for s in range(game.sides)]
    return [0 if s == side else marks for s in range(game.sides)]


def bid_value(rules: Rules, game: Game, contract: Contract) -> int:
    """c.2: the points a bid is worth; M(m) is m times T, or T doubled m-1 times; f.4.6."""
    marks = contract.bid.marks
    if marks == 0:
        return contract.bid.points
    doubling = rules["points_mode_multiples"] == "doubling"
    return int(game.total * 2 ** (marks - 1) if doubling else game.total * marks)


def _by_points_taken(contract: Contract) -> bool:
    """Contracts whose sides add what they took when made (f.4.3: Loper as the points bid)."""
    return contract.kind in ("POINTS", "TRICKS", "LOPER")


def _settle_points(
    rules: Rules, contract: Contract, made: bool, tally: Tally, side: int, value: int
) -> list[int]:
    """c.2, c.13, c.15.5: the points game."""
    sides = range(len(tally.points))
    if made and _by_points_taken(contract):
        keep = bool(rules["defenders_keep_points_when_made"])
        return [tally.points[s] if s == side or keep else 0 for s in sides]
    if made:
        return [value if s == side else 0 for s in sides]
    bid_only = contract.kind == "NELLO" or (  # c.2.4: no points are taken in a nello
        not _by_points_taken(contract) and rules["set_award_sweep"] == "bid_only"
    )
    return [0 if s == side else value + (0 if bid_only else tally.points[s]) for s in sides]


def _settle_signed(contract: Contract, made: bool, tally: Tally, side: int, value: int) -> list[int]:
    """c.11, c.14: the others always add their own; the bidder gains or loses."""
    delta = list(tally.points)
    if not made:
        delta[side] = -value
    elif not _by_points_taken(contract):
        delta[side] = value
    return delta


def lift_opponents(rules: Rules, game: Game, contract: Contract, scores: list[int], delta: list[int]) -> None:
    """f.3.13: `laydown_penalty=game` lifts the opponents to the target after a bad claim."""
    for side in range(game.sides):
        if side != game.side(contract.bidder):
            delta[side] = max(delta[side], number(rules, "target") - scores[side])


def game_winners(
    rules_spec: Mapping[str, object],
    scores_before: list[int],
    score_delta: list[int],
    bidder_side: int | None,
    made: bool | None,
) -> list[int] | None:
    """The sides that have won the game after a hand, or None when it goes on."""
    rules, game = resolve_rules(rules_spec), game_of(rules_spec)
    totals = [before + delta for before, delta in zip(scores_before, score_delta, strict=True)]
    target = number(rules, "target")
    reached = [side for side in range(game.sides) if totals[side] >= target]
    if not reached:
        return None
    if rules["scoring"] == "marks" and rules["win_by_two"]:
        return _two_ahead(totals)
    if len(reached) == 1:
        return reached
    if rules["scoring"] == "marks" and game.individual:
        return reached  # f.4.4: joint win
    return _tied_winner(str(rules["tie_rule"]), totals, reached, bidder_side, made)


def _two_ahead(totals: list[int]) -> list[int] | None:
    """f.4.5: the highest leads every other by at least two."""
    best = max(range(len(totals)), key=lambda side: totals[side])
    others = [total for side, total in enumerate(totals) if side != best]
    return [best] if all(totals[best] - other >= 2 for other in others) else None


def _tied_winner(
    tie_rule: str, totals: list[int], reached: list[int], bidder_side: int | None, made: bool | None
) -> list[int] | None:
    """b.1 tie_rule, c.2.3, f.4.4: several sides reached the target in one hand."""
    if tie_rule != "higher" and made and bidder_side in reached:
        return [bidder_side] if bidder_side is not None else None
    if tie_rule == "bidder_only":
        return None
    top = max(totals[side] for side in reached)
    best = [side for side in reached if totals[side] == top]
    return best if len(best) == 1 else None
