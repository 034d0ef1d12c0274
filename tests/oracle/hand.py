"""One hand, from the first call to the score (RULES.md a.1, f.3, f.4)."""

from collections import Counter
from collections.abc import Callable, Mapping

from oracle import auction, claims, scoring
from oracle import contract as contracts
from oracle import widow as widows
from oracle.errors import IllegalAction, OracleError
from oracle.games import Game, game_of
from oracle.params import number, resolve_rules, words
from oracle.scoring import Tally
from oracle.tricks import TRUMP, announceable, closeness_play, suits

FORMAT = "texas42-record/1"


class Hand:
    """A hand in progress. `actor` is None and `done` true when it is over."""

    def __init__(
        self, rules_spec: Mapping[str, object], shaker: int, hands: list[list[str]], widow: list[str],
        scores: list[int],
    ) -> None:
        self.spec = dict(rules_spec)
        self.rules = resolve_rules(rules_spec)
        self.game: Game = game_of(rules_spec)
        _check_deal(self.game, shaker, hands, widow, scores)
        self.shaker = shaker
        self.dealt = [list(tiles) for tiles in hands]
        self.hands = [list(tiles) for tiles in hands]
        self.widow = list(widow)
        self.scores = list(scores)
        self.phase = "auction"
        self.calls: list[auction.Call] = []
        self.opener = auction.opening_bidder(self.rules, self.game, shaker, hands)
        self.actor: int | None = self.opener
        self.bid: auction.Bid | None = None
        self.special_named = False  # f.3.7: the winner has named SPLASH or PLUNGE after the auction
        self.discarded: list[str] = []
        self.declaration: str | None = None
        self.contract: contracts.Contract | None = None
        self.trick: list[tuple[int, str]] = []
        self.announced_low = False
        self.played: list[str] = []
        self.tricks: list[dict[str, int]] = []
        self.tally = Tally([0] * self.game.sides, [0] * self.game.sides)
        self.made: bool | None = None
        self.score_delta = [0] * self.game.sides
        self.actions: list[str] = []
        self.actors: list[int] = []
        self.legal_lists: list[list[str]] = []

    @property
    def done(self) -> bool:
        """True when the hand is over, thrown in or played."""
        return self.phase == "over"

    # ------------------------------------------------------------------ what is legal

    def legal(self) -> list[str]:
        """Every legal action in record notation, ascending by code point, each once."""
        found: dict[str, Callable[[], list[str]]] = {
            "auction": self._legal_calls, "widow": lambda: ["TAKE", "LEAVE"],
            "discard": self._legal_discards, "declare": self._legal_declarations,
            "play": self._legal_plays, "over": lambda: [],
        }
        return sorted(set(found[self.phase]()))

    def _legal_calls(self) -> list[str]:
        seat = self._acting()
        return auction.legal_calls(self.rules, self.game, self.calls, seat, self.hands[seat])

    def _legal_discards(self) -> list[str]:
        hand = self.hands[self._acting()]
        if self.game.family == "moon":  # f.3.4: one out of eight
            tiles = hand
        elif widows.may_choose(self.game):
            tiles = widows.exchange_discards(self.game, hand, self.widow[0])
        else:
            tiles = widows.two_discards(self.game, hand, self.discarded, self.declaration)
        return [f"DISCARD {tile}" for tile in tiles]

    def _legal_declarations(self) -> list[str]:
        bid = self._winning_bid()
        if not self.special_named:
            forced = auction.forced(self.rules, self.game, self.calls)
            hand, dealt = self.hands[bid.seat], self.dealt[bid.seat]
            return contracts.bidder_declarations(self.rules, self.game, bid, forced, hand, dealt)
        leader = contracts.special_leader(self.rules, self.game, bid)
        return contracts.partner_declarations(self.rules, self.game, bid, self.dealt[leader])

    def _legal_plays(self) -> list[str]:
        contract, hand = self._contract(), self.hands[self._acting()]
        led = [tile for _, tile in self.trick]
        first = not self.tricks
        tiles = claims.legal_tiles(self.rules, contract, hand, led, self.announced_low, first)
        if led:
            return tiles
        found = tiles + [f"{tile}/{tile[-1]}" for tile in tiles if self._may_announce(tile)]
        return [*found, "CLAIM"] if self._may_claim() else found

    def _may_announce(self, tile: str) -> bool:
        """a.5, b.3 `lead_low_end`: never, the listed tiles, on the first trick, or any lead."""
        where, declaration = self.rules["lead_low_end"], self._contract().declaration
        if closeness_play(declaration) or not announceable(tile, declaration):
            return False
        if isinstance(where, list):
            return tile in words(self.rules, "lead_low_end")
        return where == "any" or (where == "first_trick" and not self.tricks)

    def _may_claim(self) -> bool:
        """c.17, f.3.13: the bidding side's player on lead, in marks scoring only."""
        contract, seat, mode = self._contract(), self._acting(), self.rules["laydown"]
        if mode == "off" or self.rules["scoring"] != "marks":
            return False
        if self.game.side(seat) != self.game.side(contract.bidder):
            return False
        if mode == "claim":
            return True
        hand, unseen = self.hands[seat], self._unseen(seat)
        return claims.proved(self.rules, self.game, contract, self.tally, hand, unseen)

    def _unseen(self, seat: int) -> list[str]:
        """Tiles a seat has not seen; c.10: a trump discarded in 72 lies face up."""
        seen = self.hands[seat] + self.played
        for tile in self.discarded:
            face_up = self.game.family == "seventy_two" and TRUMP in suits(tile, self._contract().declaration)
            if seat == self._contract().bidder or face_up:
                seen = [*seen, tile]
        return list((Counter(self.game.tiles) - Counter(seen)).elements())

    # ------------------------------------------------------------------ taking an action

    def apply(self, action: str) -> None:
        """Take an action; raise IllegalAction and change nothing when it is not legal."""
        legal = self.legal()
        action = self._checked(action, legal)
        self.actions.append(action)
        self.actors.append(self._acting())
        self.legal_lists.append(legal)
        {
            "auction": self._call, "widow": self._take_or_leave, "discard": self._discard,
            "declare": self._declare, "play": self._play,
        }[self.phase](action)

    def _checked(self, action: str, legal: list[str]) -> str:
        """The action as it is recorded: a bare CLAIM gets the standard order (f.3.13)."""
        name, _, stated = action.partition(" ")
        if name != "CLAIM":
            if action not in legal:
                raise IllegalAction(f"{action} is not legal in phase {self.phase}; legal: {' '.join(legal)}")
            return action
        if "CLAIM" not in legal:
            raise IllegalAction(f"no claim is offered here; legal: {' '.join(legal)}")
        hand = self.hands[self._acting()]
        if not stated:
            order = claims.claim_order(hand, self._contract().declaration, str(self.rules["dbl_order"]))
            return " ".join(["CLAIM", *order])
        if Counter(stated.split(" ")) != Counter(hand):
            raise IllegalAction(f"{action} must state the tiles {' '.join(hand)} in some order")
        return action

    def _call(self, call: str) -> None:
        self.calls.append((self._acting(), call))
        self.actor = auction.next_caller(self.rules, self.game, self.opener, self.calls)
        if self.actor is not None:
            return
        self.bid = auction.high_bid(self.rules, self.game, self.calls)
        if self.bid is None:
            self._finish()  # thrown in
            return
        self.actor = self.bid.seat
        if widows.has_widow_phase(self.rules, self.game):
            self._open_widow()
        else:
            self._begin_declaring()

    def _open_widow(self) -> None:
        """f.3.1, f.3.3: what happens to the widow before anyone is asked."""
        hand = self.hands[self._acting()]
        if not widows.may_choose(self.game):
            hand += self.widow
            if self.game.family == "seventy_two":
                self._begin_declaring()  # c.10: he declares before he discards
            else:
                self.phase = "discard"
        elif not widows.exchange_discards(self.game, hand + self.widow, self.widow[0]):
            self._begin_declaring()  # f.3.3: no legal discard, the widow is left
        elif self.game.count(self.widow[0]) > 0:
            hand += self.widow
            self.phase = "discard"  # c.13: count must be taken
        else:
            self.phase = "widow"

    def _take_or_leave(self, action: str) -> None:
        if action == "TAKE":
            self.hands[self._acting()] += self.widow
            self.phase = "discard"
        else:
            self._begin_declaring()

    def _discard(self, action: str) -> None:
        tile = action.split(" ")[1]
        self.hands[self._acting()].remove(tile)
        self.discarded.append(tile)
        if self.game.family == "seventy_two":  # c.10, f.4.2: discarded count goes to the opponents
            self.tally.points[1 - self.game.side(self._winning_bid().seat)] += self.game.count(tile)
        if len(self.discarded) < self.game.widow_size:
            return
        if self.game.family == "seventy_two":
            self._credit_widow()
            self._begin_play()
        else:
            self._begin_declaring()

    def _credit_widow(self) -> None:
        """c.10, f.4.2: the widow points to the bidders."""
        side = self.game.side(self._winning_bid().seat)
        self.tally.points[side] += number(self.rules, "widow_points")

    def _begin_declaring(self) -> None:
        self.phase = "declare"
        bid = self._winning_bid()
        self.actor = bid.seat
        if contracts.partner_names(self.rules, self.game, bid):
            self._ask_partner()

    def _ask_partner(self) -> None:
        self.special_named = True
        self.actor = contracts.partner_of(self.game, self._winning_bid().seat)

    def _declare(self, declaration: str) -> None:
        if declaration in ("SPLASH", "PLUNGE"):  # f.3.7
            self._ask_partner()
            return
        self.declaration = declaration
        bid = self._winning_bid()
        forced = (
            self.game.family != "geezer" and self.rules["all_pass"] == "forced_last"
            and auction.forced(self.rules, self.game, self.calls)
        )
        self.contract = contracts.make_contract(
            self.rules, self.game, bid, declaration, self._acting(), forced
        )
        if self.game.family == "seventy_two":
            self.phase = "discard"
        else:
            self._begin_play()

    def _begin_play(self) -> None:
        self.phase = "play"
        self.actor = self._contract().leader

    # ------------------------------------------------------------------ play

    def _play(self, action: str) -> None:
        if action.startswith("CLAIM"):
            self._claim(action.split(" ")[1:])
            return
        seat = self._acting()
        tile, _, low = action.partition("/")
        self.hands[seat].remove(tile)
        self.played.append(tile)
        if not self.trick:
            self.announced_low = bool(low)
        self.trick.append((seat, tile))
        if len(self.trick) < self.game.seats - len(self._contract().sits_out):
            self.actor = claims.next_seat(self.game, self._contract(), seat)
        else:
            self._complete_trick()

    def _complete_trick(self) -> None:
        tiles = [tile for _, tile in self.trick]
        index = claims.winner_index(self.rules, self._contract(), tiles, self.announced_low)
        winner, points = self.trick[index][0], self.game.trick_points(tiles)
        self.tricks.append({"leader": self.trick[0][0], "winner": winner, "points": points})
        self.tally.points[self.game.side(winner)] += points
        self.tally.tricks[self.game.side(winner)] += 1
        self.trick, self.announced_low = [], False
        self.actor = winner  # a.7: the winner leads the next trick
        self._stop_if_over()

    def _stop_if_over(self) -> None:
        """a.11: after each completed trick."""
        contract = self._contract()
        verdict = None
        if self.rules["early_end"] == "decided":
            verdict = scoring.decided(self.rules, self.game, contract, self.tally)
        if verdict is None and self.tally.played == self.game.hand_size:
            verdict = scoring.is_made(self.game, contract, self.tally)
        if verdict is not None:
            self._finish(verdict)

    def _claim(self, order: list[str]) -> None:
        """c.17: the hand ends at once; valid in the true deal = made, else set."""
        seat, contract = self._acting(), self._contract()
        hands = {
            s: tuple(sorted(tiles)) for s, tiles in enumerate(self.hands) if s not in contract.sits_out
        }
        tally = self.tally
        start = claims.Position(hands, (), seat, tuple(tally.points), tuple(tally.tricks))
        search = claims.ClaimSearch(self.rules, self.game, contract, seat, order)
        self._finish(search.holds(start), claimed=True)

    def _finish(self, made: bool | None = None, claimed: bool = False) -> None:
        self.phase, self.actor, self.made = "over", None, made
        if made is None:
            return
        contract = self._contract()
        self.score_delta = scoring.settle(self.rules, self.game, contract, made, self.tally, claimed)
        if claimed and not made and self.rules["laydown_penalty"] == "game":
            scoring.lift_opponents(self.rules, self.game, contract, self.scores, self.score_delta)

    # ------------------------------------------------------------------ the record

    def record(self) -> dict[str, object]:
        """The finished hand in RECORD_FORMAT.md."""
        if not self.done:
            raise OracleError("a record is a finished hand")
        return {
            "format": FORMAT, "rules": dict(self.spec), "shaker": self.shaker, "scores": list(self.scores),
            "hands": [list(tiles) for tiles in self.dealt], "widow": list(self.widow),
            "actions": list(self.actions), "actors": list(self.actors),
            "legal": [list(legal) for legal in self.legal_lists],
            "tricks": [dict(trick) for trick in self.tricks], "contract": self._contract_record(),
            "made": self.made, "points": list(self.tally.points), "score_delta": list(self.score_delta),
        }

    def _contract_record(self) -> dict[str, object] | None:
        if self.contract is None:
            return None
        made_of = self.contract
        return {
            "bidder": made_of.bidder, "bid": made_of.bid.call,
            "declaration": made_of.declaration, "declarer": made_of.declarer,
        }

    def _acting(self) -> int:
        if self.actor is None:
            raise IllegalAction("the hand is over")
        return self.actor

    def _winning_bid(self) -> auction.Bid:
        assert self.bid is not None
        return self.bid

    def _contract(self) -> contracts.Contract:
        assert self.contract is not None
        return self.contract


def _check_deal(
    game: Game, shaker: int, hands: list[list[str]], widow: list[str], scores: list[int]
) -> None:
    sizes = [len(tiles) for tiles in hands]
    if sizes != [game.hand_size] * game.seats or len(widow) != game.widow_size:
        raise OracleError(f"hands of {sizes} and a widow of {len(widow)} do not fit {game.family}")
    if Counter(tile for tiles in [*hands, widow] for tile in tiles) != Counter(game.tiles):
        raise OracleError("hands and widow are not the tile set of the game")
    if not 0 <= shaker < game.seats or len(scores) != game.sides:
        raise OracleError(f"shaker {shaker} or scores {scores} do not fit {game.seats} seats")
