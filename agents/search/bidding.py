"""Bidding and declaring from worlds: the probability that each bid is made, and what it is worth."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.search.contracts import (
    made_by_choice,
    made_table,
    partner_choices,
    points_table,
    strength,
)
from texas42.agents.search.worlds import Memory
from texas42.envs.engine.auction import partner_of, trump_leader
from texas42.envs.rules import ladder
from texas42.envs.rules.declarations import COUNT_TRUMP, LOPER, NELLO, NO_TRUMP, SEVENS
from texas42.envs.rules.tables import MARKS, Tables

Ints = npt.NDArray[np.int64]
MAX_CANDIDATES = 5
DISCOUNT = 3.0
"""The probability of making a bid is taken to be the share of worlds in which it is made with all hands open, to
this power: over 120 deals played by ``pimc:worlds=10`` in all seats, shares of 0.67, 0.78, 0.91 and 0.99 came to
0.28, 0.49, 0.71 and 1.00 (docs/SOLVER.md)."""
TRUST = 0.2
"""What a standing bid is taken to be worth to its side, in stakes: it is made with probability (1 + TRUST) / 2."""
OVERBID = 0.35
"""How likely a later opponent is taken to overbid the lowest bid; it falls to a tenth of that at the highest."""


@dataclass
class Outlook:
    """Results over worlds, one row a declaration.

    `points` (declarations, worlds) are exact points of the bidder's side; `made` are 0/1 results of declarations
    that have no points (nello, Sevens, Loper).
    """

    decls: Ints
    points: Ints
    others: Ints
    made: Ints


def bits(mask: Any) -> list[int]:
    """The members of a bit set."""
    return [i for i in range(64) if int(mask) >> i & 1]


def candidates(t: Tables, hand: Any, decls: list[int]) -> list[int]:
    """Trump and no-trump declarations worth a look for a hand: the few that suit it best."""
    plain = [d for d in decls if int(t.decl_kind[d]) <= NO_TRUMP or int(t.decl_kind[d]) == COUNT_TRUMP]
    ranked = sorted(plain, key=lambda d: -int(strength(t, d, hand)))
    good = [d for d in ranked if int(strength(t, d, hand)) >= 8]
    return (good or ranked[:1])[:MAX_CANDIDATES]


def look(m: Memory, t: Tables, hand: Any, decls: list[int], leader: int, bidder: int) -> Outlook:
    """Solve every candidate declaration in every world of `m.hands`."""
    plain = np.array(candidates(t, hand, decls), np.int64)
    points = np.zeros((len(plain), len(m.hands)), np.int64)
    points_table(m.work, t, m.hands, plain, leader, bidder, points)
    others = np.array([d for d in decls if int(t.decl_kind[d]) in (NELLO, SEVENS, LOPER)], np.int64)
    made = np.zeros((len(others), len(m.hands)), np.int64)
    made_table(m.work, t, m.hands, others, leader, bidder, 0, made)
    return Outlook(plain, points, others, made)


class Payoff:
    """What a bid brings the bidder's side, less what it brings the others, in the unit of the score."""

    def __init__(self, t: Tables, s: Any, me: int) -> None:
        self.t, self.s, self.side = t, s, me % int(t.n_sides)
        self.mine = int(t.target) - int(s.scores[self.side])
        self.theirs = int(t.target) - max(
            int(s.scores[i]) for i in range(int(t.n_sides)) if i != self.side
        )

    def of_marks(self, marks: int, made: npt.NDArray[Any]) -> float:
        """Mean over worlds; marks beyond the target count for nothing in a whole game."""
        win, lose = marks, marks
        if int(self.s.whole_game) == 1:
            win, lose = min(marks, max(self.mine, 1)), min(marks, max(self.theirs, 1))
        p = float(float(made.mean()) ** DISCOUNT)
        return win * p - lose * (1 - p)

    def of_points(self, value: int, need: int, points: npt.NDArray[Any]) -> float:
        """Points scoring (c.2), `need` 0 for a sweep: the mean, in hand totals."""
        total = int(self.t.total)
        made = points >= (need or total)
        won = np.full(len(points), value) if need == 0 else 2 * points - total
        p = float(float(made.mean()) ** DISCOUNT)
        gain = float(won[made].mean()) if made.any() else float(value)
        loss = float((value + total - points)[~made].mean()) if not made.all() else float(value)
        return (p * gain - (1 - p) * loss) / total


def worth_of_call(t: Tables, s: Any, me: int, row: int, outlook: Outlook, splash: npt.NDArray[Any]) -> float:
    """What winning the auction with a call is worth: the best over declarations of the mean over worlds."""
    payoff = Payoff(t, s, me)
    kind = int(t.call_kind[row])
    allowed = set(bits(int(t.decls[row]) | int(t.last_decls[row])))
    if kind == ladder.SPECIAL:
        marks = max(int(t.call_base[row]), int(s.marks) + 1)
        return _marks_or_points(t, payoff, row, marks, splash.astype(np.int64) * int(t.total))
    marks = int(t.call_marks[row])
    best = -1e9
    for d, points in zip(outlook.decls, outlook.points, strict=True):
        if int(d) in allowed:
            best = max(best, _marks_or_points(t, payoff, row, marks, points))
    for d, made in zip(outlook.others, outlook.made, strict=True):
        if int(d) in allowed:
            if int(t.scoring) == MARKS:
                best = max(best, payoff.of_marks(marks, made))
            else:
                best = max(best, _even(made) * int(t.call_value[row]) / int(t.total))
    return best


def _even(made: npt.NDArray[Any]) -> float:
    """What an even bet on a contract is worth, in stakes."""
    return 2 * float(float(made.mean()) ** DISCOUNT) - 1


def _marks_or_points(t: Tables, payoff: Payoff, row: int, marks: int, points: npt.NDArray[Any]) -> float:
    need = int(t.call_need[row])
    if int(t.scoring) == MARKS:
        return payoff.of_marks(marks, points >= (need or int(t.total)))
    value = int(t.call_value[row]) if int(t.call_kind[row]) != ladder.SPECIAL else marks * int(t.total)
    return payoff.of_points(value, need, points)


def choose_call(m: Memory, t: Tables, s: Any, me: int, legal: list[int]) -> int:
    """A call: passing, unless some bid is worth more.

    Args:
        m: with worlds drawn.
        legal: rows of the ladder that may be called.
    """
    bids = [row for row in legal if row != 0]
    if not bids:
        return 0
    allowed = 0
    for row in bids:
        if int(t.call_kind[row]) != ladder.SPECIAL:
            allowed |= int(t.decls[row]) | (int(t.last_decls[row]) if _is_last(t, s) else 0)
    outlook = look(m, t, s.hands[me], bits(allowed), me, me)
    special = any(int(t.call_kind[row]) == ladder.SPECIAL for row in bids)
    splash = splash_made(m, t, me) if special else np.zeros(1)
    values = {row: _in_auction(t, s, me, row, worth_of_call(t, s, me, row, outlook, splash)) for row in bids}
    best = max(bids, key=lambda row: values[row])
    if 0 not in legal:
        return best
    return best if values[best] > worth_of_pass(t, s, me) else 0


def _is_last(t: Tables, s: Any) -> bool:
    return int(s.high) == 0 and int(s.passed).bit_count() == int(t.n_seats) - 1


def _in_auction(t: Tables, s: Any, me: int, row: int, worth: float) -> float:
    """A bid may be overbid: then the others' contract counts instead, as in `worth_of_pass`."""
    later = [(me + k) % 4 for k in range(1, 4 - int(s.n_calls))]
    height = row / max(1, int(t.n_calls) - 1)
    stays = 1.0
    for seat in later:
        if seat % int(t.n_sides) != me % int(t.n_sides):
            stays *= 1 - OVERBID * (1 - 0.9 * min(1.0, 2 * height))
    return stays * worth - (1 - stays) * TRUST


def worth_of_pass(t: Tables, s: Any, me: int) -> float:
    """What passing is worth: the standing bid is taken to be worth `TRUST` to its side."""
    if int(s.high) == 0:
        return 0.0
    stake = float(max(1, int(s.marks)))
    same = int(s.bidder) % int(t.n_sides) == me % int(t.n_sides)
    return TRUST * stake if same else -TRUST * stake


def splash_made(m: Memory, t: Tables, me: int, leader: int | None = None) -> npt.NDArray[Any]:
    """Whether a splash or plunge of `me` is made in each world, the partner naming trump by his own hand."""
    partner = int(partner_of(me, t))
    first = partner if leader is None and int(t.namer_leads) == 1 else me
    row = next(r for r in range(int(t.n_calls)) if int(t.call_partner[r]) == 1 and int(t.decls[r]) != 0)
    plain = [d for d in bits(t.decls[row]) if int(t.decl_kind[d]) <= NO_TRUMP]
    choice = np.zeros(len(m.hands), np.int64)
    partner_choices(t, m.hands, partner, np.array(plain, np.int64), choice)
    made = np.zeros(len(m.hands), np.int64)
    made_by_choice(m.work, t, m.hands, choice, first, me, made)
    return made


def choose_declaration(m: Memory, t: Tables, s: Any, me: int, legal: list[int]) -> int:
    """The declaration with the best mean over worlds; points break ties."""
    leader = int(trump_leader(s, t))
    outlook = look(m, t, s.hands[me], legal, leader, int(s.bidder))
    payoff = Payoff(t, s, int(s.bidder))
    row = int(s.call)
    best, choice = (-1e9, 0.0), legal[0]
    for d, points in zip(outlook.decls, outlook.points, strict=True):
        marks = int(s.marks) if int(s.marks) > 0 else int(t.call_marks[row])
        value = _declared_value(t, s, payoff, marks, points)
        if (value, float(points.mean())) > best:
            best, choice = (value, float(points.mean())), int(d)
    for d, made in zip(outlook.others, outlook.made, strict=True):
        marks = max(1, int(s.marks))
        value = payoff.of_marks(marks, made)
        if int(t.scoring) != MARKS:
            value = _even(made) * int(t.call_value[int(s.high)]) / int(t.total)
        if (value, 0.0) > best:
            best, choice = (value, 0.0), int(d)
    return choice


def _declared_value(t: Tables, s: Any, payoff: Payoff, marks: int, points: npt.NDArray[Any]) -> float:
    sweep = int(s.marks) > 0
    need = 0 if sweep else int(t.call_need[int(s.call)])
    if int(t.scoring) == MARKS:
        return payoff.of_marks(marks, points >= (need or int(t.total)))
    return payoff.of_points(int(t.call_value[int(s.high)]), need, points)
