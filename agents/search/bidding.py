"""Bidding and declaring from hands played out: how often each bid is made, and what it is worth."""

from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.search.rollouts import PARTNER_NAMES, Rollouts
from texas42.envs.engine.state import new_batch
from texas42.envs.rules import ladder
from texas42.envs.rules.declarations import DOUBLE_TRUMP, NO_TRUMP, PIP_TRUMP
from texas42.envs.rules.tables import MARKS, Tables

MAX_CANDIDATES = 5
GOOD = 8
TRUST = 0.2
"""What a standing bid is taken to be worth to its side, in stakes: it is made with probability (1 + TRUST) / 2."""
OVERBID = 0.35
"""How likely a later opponent is taken to overbid the lowest bid; it falls to a tenth of that at the highest."""


def bits(mask: Any) -> list[int]:
    """The members of a bit set."""
    return [i for i in range(64) if int(mask) >> i & 1]


def strength(t: Tables, decl: int, hand: int) -> int:
    """How well a trump or no-trump declaration suits a hand: length, its double, other doubles."""
    kind, doubles = int(t.decl_kind[decl]), hand & int(t.doubles)
    trumps = hand & int(t.trumps[decl])
    if kind == PIP_TRUMP:
        others = (doubles & ~trumps).bit_count()
        return 4 * trumps.bit_count() + 3 * (trumps & doubles).bit_count() + 2 * others
    return 4 * doubles.bit_count() + (2 if kind == DOUBLE_TRUMP and doubles >> 27 & 1 else 0)


def candidates(t: Tables, hand: Any, decls: list[int]) -> list[int]:
    """Trump and no-trump declarations worth a look for a hand: the few that suit it best."""
    worth = {d: strength(t, d, int(hand)) for d in decls if int(t.decl_kind[d]) <= NO_TRUMP}
    ranked = sorted(worth, key=lambda d: -worth[d])
    return ([d for d in ranked if worth[d] >= GOOD] or ranked[:1])[:MAX_CANDIDATES]


class Bidder:
    """Judges calls and declarations of one moment by hands played out.

    Args:
        t: the rules' tables.
        rollouts: plays the hands.
        s: the view of the seat to move.
        me: that seat.
        hands: worlds, uint64 (worlds, 4).
        key: of the randomness of who plays.
    """

    def __init__(self, t: Tables, rollouts: Rollouts, s: Any, me: int, hands: Any, key: int) -> None:
        self.t, self.rollouts, self.s, self.me, self.hands, self.key = t, rollouts, s, me, hands, key
        side = me % int(t.n_sides)
        self.lack = int(t.target) - int(s.scores[side])
        self.their_lack = int(t.target) - int(s.scores[1 - side])

    def choose_call(self, legal: list[int]) -> int:
        """The call worth most; passing, unless some bid is worth more."""
        bids = [row for row in legal if row != 0]
        if not bids:
            return 0
        worths = self.worth_of_calls(bids)
        values = {row: self.in_auction(row, worths[row]) for row in bids}
        best = max(bids, key=lambda row: values[row])
        return best if 0 not in legal or values[best] > self.worth_of_pass() else 0

    def worth_of_calls(self, bids: list[int]) -> dict[int, float]:
        """What winning the auction with each call is worth: the best over declarations of the mean over worlds.

        All point bids are judged by the same hands, played at the lowest of them, and all mark bids likewise.
        """
        worths: dict[int, float] = {}
        for kind in (ladder.POINTS, ladder.MARKS):
            rows = [row for row in bids if int(self.t.call_kind[row]) == kind]
            if rows:
                decls = self._worth_a_look(bits(self._decls(rows[0])))
                points, made = self.rollouts.contracts(
                    self.s, self.hands, [rows[0]] * len(decls), decls, self.key
                )
                for row in rows:
                    worths[row] = max(self.worth(row, d, p, m) for d, p, m in zip(decls, points, made, strict=True))
        for row in bids:
            if int(self.t.call_kind[row]) == ladder.SPECIAL:
                points, made = self.rollouts.contracts(self.s, self.hands, [row], [PARTNER_NAMES], self.key)
                worths[row] = self.worth(row, PARTNER_NAMES, points[0], made[0])
        return worths

    def _decls(self, row: int) -> int:
        s = self.s
        last = int(s.high) == 0 and int(s.passed).bit_count() == int(self.t.n_seats) - 1
        return int(self.t.last_decls[row] if last else self.t.decls[row])

    def _worth_a_look(self, decls: list[int]) -> list[int]:
        """The candidates among trumps, and every nello, Sevens and Loper."""
        plain = candidates(self.t, self.s.hands[self.me], decls)
        return [*plain, *(d for d in decls if int(self.t.decl_kind[d]) > NO_TRUMP)]

    def worth(self, row: int, decl: int, points: npt.NDArray[Any], made: npt.NDArray[Any]) -> float:
        """The mean gain of the bidder's side over the others, in marks or in hand totals."""
        t, kind = self.t, int(self.t.call_kind[row])
        marks = int(t.call_marks[row])
        if kind == ladder.SPECIAL:
            marks = max(int(t.call_base[row]), int(self.s.marks) + 1)
        by_points = kind == ladder.POINTS and (decl == PARTNER_NAMES or int(t.decl_kind[decl]) <= NO_TRUMP)
        success = points >= int(t.call_need[row]) if by_points else made > 0
        if int(t.scoring) == MARKS:
            return self._marks(marks, float(success.mean()))
        bid = marks * int(t.total) if kind == ladder.SPECIAL else int(t.call_value[row])
        won = 2 * points - int(t.total) if kind == ladder.POINTS else np.full(len(points), bid)
        return float(np.where(success, won, -bid - (int(t.total) - points)).mean()) / int(t.total)

    def _marks(self, marks: int, p: float) -> float:
        """Marks beyond what a side lacks count for nothing in a whole game."""
        win = lose = float(marks)
        if int(self.s.whole_game) == 1:
            win, lose = min(win, max(self.lack, 1)), min(lose, max(self.their_lack, 1))
        return win * p - lose * (1 - p)

    def in_auction(self, row: int, worth: float) -> float:
        """A bid may be overbid: then the others' contract counts instead."""
        height = min(1.0, 2 * row / max(1, int(self.t.n_calls) - 1))
        stays = 1.0
        for k in range(1, int(self.t.n_seats) - int(self.s.n_calls)):
            if k % int(self.t.n_sides):
                stays *= 1 - OVERBID * (1 - 0.9 * height)
        return stays * worth - (1 - stays) * TRUST

    def worth_of_pass(self) -> float:
        """Nothing while no bid stands; else what the standing bid is taken to be worth."""
        s = self.s
        if int(s.high) == 0:
            return 0.0
        same = (int(s.bidder) - self.me) % int(self.t.n_sides) == 0
        return (TRUST if same else -TRUST) * max(1, int(s.marks))

    def choose_declaration(self, decls: list[int]) -> tuple[int, float]:
        """The declaration with the best mean over worlds, points breaking ties, and what it is worth."""
        looked = self._worth_a_look(decls)
        points, made = self.rollouts.contracts(self.s, self.hands, [0] * len(looked), looked, self.key)
        row = int(self.s.high) if int(self.s.marks) > 0 else int(self.s.call)
        best = max(
            range(len(looked)), key=lambda i: (self.worth(row, looked[i], points[i], made[i]), points[i].mean())
        )
        return looked[best], self.worth(row, looked[best], points[best], made[best])

    def worth_of_special(self, row: int) -> float:
        """What a splash or plunge called after the auction is worth (f.3.7), the partner naming trump."""
        late = new_batch(1)
        late[0] = self.s
        late["special"], late["namer"], late["cur"] = row, (self.me + 2) % 4, (self.me + 2) % 4
        points, made = self.rollouts.contracts(late[0], self.hands, [0], [PARTNER_NAMES], self.key)
        return self.worth(int(self.s.high), PARTNER_NAMES, points[0], made[0])
