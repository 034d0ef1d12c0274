"""Reading the public events of a hand back from one observation: what perfect recall promises."""

from typing import Any

import numpy as np
import numpy.typing as npt

import oracle
from support.walk import History
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.codec import Codec
from texas42.envs.rules.ladder import MARKS, SPECIAL
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES

Vector = npt.NDArray[np.int8]


class Reader:
    """An observation of seat `me`, read with nothing but the rules, the codec and the layout."""

    def __init__(self, game: BatchedGame, me: int, observation: Vector) -> None:
        self.rules: Rules = game.rules
        self.codec: Codec = game.codec
        self.pieces = {
            name: observation[piece.start : piece.start + piece.size].reshape(piece.shape)
            for name, piece in game.layout.pieces.items()
        }
        self.me = me

    def seat(self, piece: str) -> int:
        """The seat a one-hot piece shows, -1 for none."""
        lit = np.flatnonzero(self.pieces[piece])
        assert len(lit) <= 1
        return (self.me + int(lit[0])) % self.rules.seats if len(lit) else -1

    def tiles(self, piece: str) -> list[str]:
        """Names of the tiles in a piece, ascending."""
        return sorted(TILE_NAMES[i] for row in self.pieces[piece] for i in np.flatnonzero(row))

    def by_seat(self, piece: str, seat: int) -> Any:
        """The row of a piece that belongs to a seat."""
        return self.pieces[piece][(seat - self.me) % self.rules.seats]

    # ------------------------------------------------------------------ the auction

    def calls(self) -> History:
        """Every call in order."""
        if self.rules.calls == "until_one_left":
            return self._rounds()
        found: History = []
        for i in range(self.rules.seats):
            seat = (self.seat("opener") + i) % self.rules.seats
            lit = np.flatnonzero(self.by_seat("calls", seat))
            assert len(lit) <= 1
            if len(lit) == 0:
                break
            found.append((seat, self.codec.ladder[lit[0]].name))
        return found

    def _rounds(self) -> History:
        """Turn by turn: the next bid is the lowest above the standing one, and belongs to one seat."""
        bids = sorted(self._bids())
        found: History = []
        out: set[int] = set()
        seat = self.seat("opener")
        while len(out) < self.rules.seats:
            if bids and bids[0][1] == seat:
                found.append((seat, bids.pop(0)[2]))
            elif self.by_seat("calls", seat)[0] == 1:
                found.append((seat, "PASS"))
                out.add(seat)
            else:
                break
            seat = (seat + 1) % self.rules.seats
            while seat in out and len(out) < self.rules.seats:
                seat = (seat + 1) % self.rules.seats
        assert not bids
        return found

    def _bids(self) -> list[tuple[float, int, str]]:
        """Level, seat and name of every bid; special bids from their own piece."""
        ladder = self.codec.ladder
        level = {row.marks: row.level for row in ladder if row.kind == MARKS}
        found = []
        for seat in range(self.rules.seats):
            for i in np.flatnonzero(self.by_seat("calls", seat)):
                if i > 0 and ladder[i].kind != SPECIAL:
                    found.append((ladder[i].level, seat, ladder[i].name))
        specials = [row.name for row in ladder if row.kind == SPECIAL]
        if specials:
            lines = self.pieces["special"][1:].reshape(self.rules.seats, -1, len(specials))
            for place, marks, which in np.argwhere(lines):
                seat = (self.me + int(place)) % self.rules.seats
                found.append((level[int(marks) + 1], seat, specials[which]))
        return found

    def special(self) -> str:
        """The special bid in force, empty for none."""
        specials = [row.name for row in self.codec.ladder if row.kind == SPECIAL]
        lit = np.flatnonzero(self.pieces["special"].reshape(-1, max(len(specials), 1))[:1])
        return specials[lit[0]] if len(lit) else ""

    # ------------------------------------------------------------------ widow, declaration, play

    def declaration(self) -> str:
        """The declaration, empty while there is none."""
        lit = np.flatnonzero(self.pieces["declaration"])
        return self.codec.declarations[lit[0]].name if len(lit) else ""

    def events(self) -> History:
        """Every public action of the hand in order, seats absolute; discards are not public."""
        found = self.calls()
        bidder, namer, declaration = self.seat("bidder"), self.seat("namer"), self.declaration()
        for i, name in enumerate(("TAKE", "LEAVE")):
            if self.pieces["widow_choice"].size and self.pieces["widow_choice"][i]:
                found.append((bidder, name))
        called = {name for _, name in found}
        if self.special() and self.special() not in called and "ASK" not in called:
            found.append((bidder, self.special()))
        if declaration:
            found.append((namer, declaration))
            found += self.plays(declaration, bidder, namer)
        return found

    def plays(self, declaration: str, bidder: int, namer: int) -> History:
        """Every tile played, in order, from who played it and in which trick."""
        named_by_partner = namer != bidder and not declaration.startswith("NELLO")
        leader = namer if named_by_partner and self.rules.special_leader == "namer" else bidder
        found: History = []
        for trick in range(self.rules.setup.hand):
            order = [(leader + i) % self.rules.seats for i in range(self.rules.seats)]
            plays = [(seat, tile) for seat in order for tile in self.played(seat, trick)]
            if not plays:
                break
            low = bool(self.pieces["low_leads"][trick])
            lead = plays[0][1]
            found += [(plays[0][0], f"{lead}/{lead[-1]}" if low else lead), *plays[1:]]
            if len(plays) < self._in_trick(declaration, bidder):
                break
            tiles = [tile for _, tile in plays]
            ties, order_of = self.rules.identical_tiles, self.rules.dbl_order
            leader = plays[oracle.trick_winner(tiles, declaration, low, order_of, ties)][0]
        return found

    def played(self, seat: int, trick: int) -> list[str]:
        """Tiles of a seat in a trick: one, or none."""
        place = (seat - self.me) % self.rules.seats
        both = self.pieces["played_by"][..., place] & self.pieces["played_in"][..., trick]
        return [TILE_NAMES[tile] for copy in both for tile in np.flatnonzero(copy)]

    def _in_trick(self, declaration: str, bidder: int) -> int:
        if not declaration.startswith("NELLO"):
            return self.rules.seats
        side = self.rules.side_of(bidder)
        mates = [s for s in range(self.rules.seats) if self.rules.side_of(s) == side]
        return self.rules.seats - len(mates) + 1


def public(history: History) -> History:
    """The history without discards."""
    return [(seat, name) for seat, name in history if not name.startswith("DISCARD")]
