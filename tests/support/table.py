"""One hand on the engine, spoken to in record notation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from texas42.envs.batch import BatchedGame
from texas42.envs.engine import deal, drivers, step
from texas42.envs.engine.state import MAX_TRICKS, PHASE_NAMES
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.envs.rules.tiles import TILE_NAMES, parse_tile

Spec = Rules | str | Mapping[str, object]


class Table:
    """A one-row game whose deal is laid out by hand.

    Args:
        rules: anything `resolve_rules` takes.
        held: per seat the tiles it holds, as text; what is not named gets the rest of the set in order.
        widow: tiles left over, as text; filled up likewise.
        shaker: seat of the shaker.
        scores: score of each side before the hand.
        episode: ``"hand"`` or ``"game"``.
        recall: ``"full"`` or ``"table"``.
    """

    def __init__(
        self,
        rules: Spec,
        held: Mapping[int, str] | Sequence[str] = (),
        widow: str = "",
        shaker: int = 0,
        scores: Sequence[int] = (),
        episode: str = "hand",
        recall: str = "full",
    ) -> None:
        self.rules = resolve_rules(rules)
        self.game = BatchedGame(self.rules, 1, episode=episode, auto_reset=False, recall=recall)
        self.game.reset(seed=0)
        hands, left = full_deal(self.rules, held, widow)
        lay_out(self.game, 0, hands, left, shaker, scores)

    @property
    def state(self) -> Any:
        """The record."""
        return self.game.states[0]

    @property
    def legal(self) -> set[str]:
        """Legal actions of the seat to move."""
        return set(legal_names(self.game, 0))

    def play(self, text: str) -> "Table":
        """Apply actions, each of which must be legal; a discard is written ``DISCARD:3-2``."""
        for word in text.split():
            name = word.replace(":", " ")
            assert name in self.legal, f"{name} is not legal; legal: {sorted(self.legal)}"
            act(self.game, name)
        return self

    def claim(self, order: str) -> "Table":
        """Claim with a stated order."""
        assert "CLAIM" in self.legal
        step.apply_claim(self.state, self.game.tables, claim_array(order.split()))
        return self

    def contract(self, bid: str, declaration: str, bidder: int = 0) -> "Table":
        """Let `bidder` open with `bid`, all others pass, and the declaration follow; widows are left or discarded.

        The deal must be as `Table` made it; the shaker moves to the bidder's right.
        """
        rules, state = self.rules, self.state
        state.shaker = (bidder - 1) % rules.seats
        deal.open_hand(state, self.game.tables)
        self.play(bid)
        while self.phase == "auction":
            self.play("PASS")
        while self.phase != "play":
            wanted = {"declare": declaration, "widow": "LEAVE", "discard": min(self.legal)}[self.phase]
            self.play(wanted.replace(" ", ":"))
        return self

    def hold(self, *hands: str) -> "Table":
        """Give the seats, from seat 0 on, these tiles and nothing else; the rest counts as played."""
        free: dict[str, list[int]] = {}
        for instance in self.rules.deck:
            free.setdefault(TILE_NAMES[instance % self.rules.n_types], []).append(instance)
        for seat in range(self.rules.seats):
            tiles = hands[seat].split() if seat < len(hands) else []
            self.state.hands[seat] = sum(1 << free[tile].pop(0) for tile in tiles)
        self.state.played = sum(1 << instance for rest in free.values() for instance in rest)
        return self

    def so_far(self, points: Sequence[int], tricks: Sequence[int]) -> "Table":
        """Points and tricks the sides are to have taken already."""
        for side in range(self.rules.sides):
            self.state.taken[side], self.state.won[side] = points[side], tricks[side]
        self.state.n_tricks = sum(tricks)
        return self

    def lead_from(self, seat: int) -> "Table":
        """Put a seat on lead."""
        self.state.cur = self.state.leader = seat
        return self

    def hand(self, seat: int) -> list[str]:
        """Tiles a seat holds."""
        return tile_names(self.game, self.state.hands[seat])

    @property
    def mover(self) -> int:
        return int(self.state.cur)

    @property
    def phase(self) -> str:
        return PHASE_NAMES[self.state.phase]

    @property
    def made(self) -> bool | None:
        return {1: True, 0: False, -1: None}[int(self.state.made)]

    @property
    def delta(self) -> list[int]:
        """Score change of each side in the hand that ended."""
        return sides(self.game, self.state.delta)

    @property
    def scores(self) -> list[int]:
        return sides(self.game, self.state.scores)

    @property
    def points(self) -> list[int]:
        """Points each side has taken."""
        return sides(self.game, self.state.taken)

    @property
    def winners(self) -> list[int]:
        """Sides that have won the game."""
        return [i for i in range(self.rules.sides) if self.state.winners >> i & 1]

    @property
    def trick_winners(self) -> list[int]:
        return [int(self.state.trick_winners[i]) for i in range(self.state.n_tricks)]

    @property
    def trick_points(self) -> list[int]:
        return [int(self.state.trick_values[i]) for i in range(self.state.n_tricks)]


def sides(game: BatchedGame, values: Any) -> list[int]:
    """The entries of a per-side array that the rules use."""
    return [int(v) for v in values[: game.rules.sides]]


def full_deal(
    rules: Rules, held: Mapping[int, str] | Sequence[str], widow: str = ""
) -> tuple[list[list[str]], list[str]]:
    """Hands and widow in which some tiles are given; the rest of the set goes round in order."""
    given = dict(held) if isinstance(held, Mapping) else dict(enumerate(held))
    hands = [given.get(seat, "").split() for seat in range(rules.seats)]
    left = widow.split()
    deck = Counter(TILE_NAMES[i % rules.n_types] for i in rules.deck)
    used = Counter(tile for tiles in [*hands, left] for tile in tiles)
    assert not used - deck, f"tiles that are not in the set: {used - deck}"
    rest = list((deck - used).elements())
    for tiles, size in [*((h, rules.setup.hand) for h in hands), (left, rules.setup.widow)]:
        want = size - len(tiles)
        tiles += rest[:want]
        rest = rest[want:]
    return hands, left


def lay_out(
    game: BatchedGame,
    row: int,
    hands: Sequence[Sequence[str]],
    widow: Sequence[str],
    shaker: int,
    scores: Sequence[int] = (),
) -> None:
    """Put a deal on the table of a row and open its auction."""
    state = game.states[row]
    rules = game.rules
    free: dict[str, list[int]] = {}
    for instance in rules.deck:
        free.setdefault(TILE_NAMES[instance % rules.n_types], []).append(instance)
    for seat, tiles in enumerate(hands):
        state.hands[seat] = sum(1 << free[tile].pop(0) for tile in tiles)
    state.widow = sum(1 << free[tile].pop(0) for tile in widow)
    state.shaker = shaker
    for side, score in enumerate(scores):
        state.scores[side] = score
    deal.open_hand(state, game.tables)


def legal_names(game: BatchedGame, row: int) -> list[str]:
    """Legal actions of a row, in id order."""
    base, first, next_base, second = (int(v) for v in step.legal_words(game.states[row], game.tables))
    names = game.codec.names
    found = [names[base + i] for i in range(first.bit_length()) if first >> i & 1]
    return found + [names[next_base + i] for i in range(second.bit_length()) if second >> i & 1]


def act(game: BatchedGame, name: str) -> None:
    """Apply an action to a one-row game."""
    drivers.step_batch(game.states, game.tables, np.array([game.codec.parse(name)], np.int64))


def claim_array(tiles: Sequence[str]) -> Any:
    """A stated order as the engine takes it."""
    order = np.zeros(MAX_TRICKS, np.uint8)
    order[: len(tiles)] = [parse_tile(tile) for tile in tiles]
    return order


def tile_names(game: BatchedGame, mask: int) -> list[str]:
    """Names of the tiles in an instance mask."""
    bits = int(mask)
    return [TILE_NAMES[i % game.rules.n_types] for i in range(bits.bit_length()) if bits >> i & 1]


def trick_of(rules: Spec, declaration: str, plays: str, bid: str = "M1") -> Table:
    """A table at which one trick has been played: each player held just the tile of `plays`, seat 0 led."""
    table = Table(resolve_rules(rules).replace(early_end="play_all")).contract(bid, declaration)
    tiles = iter(plays.split())
    seats = [s for s in range(table.rules.seats) if not table.state.sits_out >> s & 1]
    hands = [next(tiles) if seat in seats else "" for seat in range(table.rules.seats)]
    table.hold(*(hand.split("/")[0] for hand in hands))
    return table.lead_from(0).play(plays)


def winner_of(rules: Spec, declaration: str, plays: str, bid: str = "M1") -> int:
    """Place in the trick, from 0, of the tile that wins."""
    table = trick_of(rules, declaration, plays, bid)
    players = [int(table.state.players[i]) for i in range(table.state.n_plays)]
    return players.index(table.trick_winners[0])


def legal_after(rules: Spec, declaration: str, lead: str, hand: str, bid: str = "M1") -> set[str]:
    """What the player after the leader may play from `hand`."""
    table = Table(resolve_rules(rules).replace(early_end="play_all")).contract(bid, declaration)
    second = next(s for s in range(1, table.rules.seats) if not table.state.sits_out >> s & 1)
    hands = [lead.split("/")[0]] + [hand if seat == second else "" for seat in range(1, table.rules.seats)]
    return table.hold(*hands).lead_from(0).play(lead).legal
