"""The observation as a list of named pieces: sizes, offsets and the documentation all come from this list."""

from dataclasses import dataclass

from texas42.envs.rules.codec import Codec
from texas42.envs.rules.declarations import N_SUITS
from texas42.envs.rules.ladder import SPECIAL
from texas42.envs.rules.rules import Rules

SCORE_STEPS = 16

PIECES: dict[str, str] = {
    "phase": "one-hot: auction, widow, discard, declare, play; all zero when the hand is over",
    "to_move": "one-hot by seat: who is to move",
    "shaker": "one-hot by seat",
    "opener": "one-hot by seat: who called first",
    "hand": "my tiles; with two sets a second row for the second copy",
    "second_hand": "my other hand where one person holds two seats",
    "widow": "the widow's tiles, once I have seen them",
    "discards": "my discards",
    "shown": "discards turned face up",
    "calls": "by seat, one-hot over the ladder (several where a seat called several times)",
    "bidder": "one-hot by seat: who holds the standing or winning bid",
    "special": "one-hot: special bid whose trump the partner names; in auctions of several rounds "
    "then by seat and marks: special bids made",
    "widow_choice": "TAKE, LEAVE",
    "namer": "one-hot by seat: who names or named the declaration",
    "declaration": "one-hot",
    "table": "by seat: the tile on the table in the current trick, one-hot",
    "lead_suit": "one-hot: numbers, trumps (10), doubles (11)",
    "winning": "one-hot by seat: who is winning the current trick",
    "played_by": "by copy, in order of play, and tile: one-hot by seat",
    "played_in": "by copy, in order of play, and tile: one-hot over tricks",
    "low_leads": "by trick: led with the low end announced",
    "may_hold": "by other seat: tiles it may hold, from what I have seen",
    "to_make": "thermometer, a step a point: what the bidder's side still needs",
    "to_set": "thermometer, a step a point: what the others still need to set it",
    "scores": "by side, mine first: thermometer of the score, from 0 to the target",
    "negative_scores": "by side, mine first: thermometer below zero, down to minus the target",
}
"""Name and meaning of every piece, in order. Seats are relative to the observer: 0 me, then clockwise."""


@dataclass(frozen=True)
class Piece:
    """One piece: elements ``start`` to ``start + size`` of the observation, shape `shape` in C order."""

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """Number of elements."""
        n = 1
        for length in self.shape:
            n *= length
        return n


@dataclass(frozen=True)
class Layout:
    """All pieces of one `Rules`.

    `width` is the observation's length; `hidden_width` that of the part that only a central critic and oracles
    see (other hands by relative seat, widow, discards).
    """

    pieces: dict[str, Piece]
    width: int
    hidden_width: int

    def slice(self, name: str) -> slice:
        """The slice of a piece in the observation."""
        piece = self.pieces[name]
        return slice(piece.start, piece.start + piece.size)


def build_layout(rules: Rules, codec: Codec) -> Layout:
    """The layout for some rules; rules of the four-player double-six game share one."""
    pieces: dict[str, Piece] = {}
    start = 0
    for name, shape in _shapes(rules, codec).items():
        pieces[name] = Piece(name, start, shape, PIECES[name])
        start += pieces[name].size
    tiles = rules.game.copies * rules.n_types
    hidden = (rules.seats - 1) * tiles + (2 * tiles if rules.setup.widow else 0)
    return Layout(pieces, start, hidden)


def _shapes(rules: Rules, codec: Codec) -> dict[str, tuple[int, ...]]:
    n, types, copies = rules.seats, rules.n_types, rules.game.copies
    tricks = rules.setup.hand
    widow = copies if rules.setup.widow else 0
    specials = sum(row.kind == SPECIAL for row in codec.ladder)
    in_rounds = rules.calls == "until_one_left" and specials > 0
    top = max(row.marks for row in codec.ladder)
    may_lose = rules.scoring == "signed_points" or (
        not rules.setup.teams and "set_award_solo" in rules.game.options
    )
    return {
        "phase": (5,),
        "to_move": (n,),
        "shaker": (n,),
        "opener": (n,),
        "hand": (copies, types),
        "second_hand": (1 if rules.two_seats_each else 0, types),
        "widow": (widow, types),
        "discards": (widow, types),
        "shown": (widow if rules.game.widow_use == "declare_first" else 0, types),
        "calls": (n, len(codec.ladder)),
        "bidder": (n,),
        "special": (1 + n * top, specials) if in_rounds else (specials,),
        "widow_choice": (2 if codec.has_choice else 0,),
        "namer": (n,),
        "declaration": (len(codec.declarations),),
        "table": (n, types),
        "lead_suit": (N_SUITS,),
        "winning": (n,),
        "played_by": (copies, types, n),
        "played_in": (copies, types, tricks),
        "low_leads": (tricks,),
        "may_hold": (n - 1, types),
        "to_make": (rules.total,),
        "to_set": (rules.total,),
        "scores": (rules.sides, SCORE_STEPS),
        "negative_scores": (rules.sides if may_lose else 0, SCORE_STEPS),
    }
