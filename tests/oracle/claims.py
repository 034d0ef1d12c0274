"""Claims: when `proved` offers one, and whether a claim holds in the true deal (RULES.md c.17, f.3.13)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from oracle.contract import Contract
from oracle.games import Game, pips
from oracle.params import Rules
from oracle.scoring import Tally, decided, is_made
from oracle.tricks import (
    TRUMP,
    closeness,
    closeness_play,
    closest,
    followers,
    lead_suit,
    rank,
    suits,
    trick_winner,
)


def claim_order(hand: list[str], declaration: str, dbl_order: str) -> list[str]:
    """f.3.13: trumps first, then power in the suit each tile leads, then tile id, descending."""

    def key(tile: str) -> tuple[bool, int, tuple[int, int]]:
        if closeness_play(declaration):
            return False, -closeness(tile), pips(tile)
        suit = lead_suit(tile, declaration)
        return TRUMP in suits(tile, declaration), rank(tile, suit, declaration, dbl_order), pips(tile)

    return sorted(hand, key=key, reverse=True)


def proved(
    rules: Rules, game: Game, contract: Contract, tally: Tally, hand: list[str], unseen: list[str]
) -> bool:
    """f.3.13: each tile led beats every unseen tile (voids ignored) until the contract is secured."""
    order = claim_order(hand, contract.declaration, str(rules["dbl_order"]))
    return _runs(rules, game, contract, tally, order, unseen)


def _runs(
    rules: Rules, game: Game, contract: Contract, tally: Tally, order: list[str], unseen: list[str]
) -> bool:
    """Whether the tiles, led in order, beat every other tile until the contract is secured."""
    side = game.side(contract.bidder)
    points, lost, left = tally.points[side], tally.played - tally.tricks[side], len(order)
    for tile in order:
        if _secured(contract, points, lost, left):
            return True
        if not all(_wins_lead(rules, contract, tile, other) for other in unseen):
            return False
        points += game.trick_points([tile])
        left -= 1
    return _secured(contract, points, lost, left)


def _secured(contract: Contract, points: int, lost: int, left: int) -> bool:
    if contract.kind == "POINTS":
        return points >= contract.bid.points
    if contract.kind == "LOPER":
        return lost + left <= 1
    return contract.kind in ("SWEEP", "SEVENS") and lost + left == 0


def _wins_lead(rules: Rules, contract: Contract, tile: str, other: str) -> bool:
    return winner_index(rules, contract, [tile, other], announced_low=False) == 0


def winner_index(rules: Rules, contract: Contract, tiles: list[str], announced_low: bool) -> int:
    """The index of the winning play under the hand's declaration and the rules' options."""
    return trick_winner(
        tiles, contract.declaration, announced_low, str(rules["dbl_order"]), str(rules["identical_tiles"])
    )


def legal_tiles(
    rules: Rules, contract: Contract, hand: list[str], led: list[str], announced_low: bool, first_trick: bool
) -> list[str]:
    """The tiles a player may play, `led` being the tiles of the trick so far (a.6, a.8, b.3)."""
    declaration = contract.declaration
    if closeness_play(declaration):
        return closest(hand)
    if led:
        return followers(hand, lead_suit(led[0], declaration, announced_low), declaration)
    trumps = [tile for tile in hand if TRUMP in suits(tile, declaration)]
    if rules["opening_lead_must_be_trump"] and first_trick and trumps:
        return trumps
    return list(hand)


@dataclass(frozen=True)
class Position:
    """A position between plays; hands of seats that sit out are left out."""

    hands: Mapping[int, tuple[str, ...]]
    trick: tuple[tuple[int, str], ...]
    to_play: int
    points: tuple[int, ...]
    tricks: tuple[int, ...]


@dataclass
class ClaimSearch:
    """c.17: a claim is valid iff the contract is made in every legal continuation of the others."""

    rules: Rules
    game: Game
    contract: Contract
    claimant: int
    order: list[str]
    known: dict[object, bool] = field(default_factory=dict)

    def holds(self, pos: Position) -> bool:
        """Whether the contract is made from here whatever the others play."""
        key = (tuple(sorted(pos.hands.items())), pos.trick, pos.to_play, pos.points, pos.tricks)
        if key not in self.known:
            self.known[key] = self._holds(pos)
        return self.known[key]

    def _holds(self, pos: Position) -> bool:
        tally = Tally(list(pos.points), list(pos.tricks))
        if not pos.trick:
            if not pos.hands[pos.to_play]:
                return is_made(self.game, self.contract, tally)
            verdict = decided(self.rules, self.game, self.contract, tally)
            if verdict is not None:
                return verdict
            if self._runs_out(pos, tally):
                return True
        hand = list(pos.hands[pos.to_play])
        led = [tile for _, tile in pos.trick]
        legal = legal_tiles(self.rules, self.contract, hand, led, False, tally.played == 0)
        if pos.to_play == self.claimant:  # f.3.13: the first tile of the stated order that is legal
            legal = [next(tile for tile in self.order if tile in legal)]
        return all(self.holds(self._after(pos, tile)) for tile in dict.fromkeys(legal))

    def _runs_out(self, pos: Position, tally: Tally) -> bool:
        """A short cut: the claimant leads and nobody holds a tile that beats his, until it is secured."""
        if pos.to_play != self.claimant or closeness_play(self.contract.declaration):
            return False
        if self.rules["opening_lead_must_be_trump"] and tally.played == 0:
            return False  # the first tile of his order may not be legal
        held = list(pos.hands[self.claimant])
        order = sorted(held, key=self.order.index)
        others = [tile for seat, tiles in pos.hands.items() if seat != self.claimant for tile in tiles]
        return _runs(self.rules, self.game, self.contract, tally, order, others)

    def _after(self, pos: Position, tile: str) -> Position:
        hands = dict(pos.hands)
        left = list(hands[pos.to_play])
        left.remove(tile)
        hands[pos.to_play] = tuple(left)
        trick = (*pos.trick, (pos.to_play, tile))
        if len(trick) < len(hands):
            to_play = next_seat(self.game, self.contract, pos.to_play)
            return Position(hands, trick, to_play, pos.points, pos.tricks)
        tiles = [played for _, played in trick]
        winner = trick[winner_index(self.rules, self.contract, tiles, announced_low=False)][0]
        side = self.game.side(winner)
        points, tricks = list(pos.points), list(pos.tricks)
        points[side] += self.game.trick_points(tiles)
        tricks[side] += 1
        return Position(hands, (), winner, tuple(points), tuple(tricks))


def next_seat(game: Game, contract: Contract, seat: int) -> int:
    """a.12: clockwise, skipping whoever sits out."""
    seat = (seat + 1) % game.seats
    while seat in contract.sits_out:
        seat = (seat + 1) % game.seats
    return seat
