"""Two plain solvers to test the real one against: minimax on the oracle's rules, and full-window alpha-beta."""

from functools import cache
from typing import Any

import numba
import numpy as np

from oracle.tricks import announceable, closest, followers, lead_suit, trick_winner
from texas42.envs.engine.bits import ONE, ZERO, bit, lowest

Hands = tuple[tuple[str, ...], ...]


class PlainSolver:
    """Minimax without any cut, with memory between tricks only, on tile names and the oracle's rule functions.

    Args:
        decl: the declaration in record notation.
        seats: the seats that play, clockwise.
        side: those of the bidder's side.
        counts: points of a tile; a trick is worth `trick_value` besides.
        lows: tiles whose low end may be announced; such a lead is written ``7-3/3``.
        ties: which of two equal tiles wins.
    """

    def __init__(
        self,
        decl: str,
        seats: tuple[int, ...],
        side: tuple[int, ...],
        counts: dict[str, int],
        trick_value: int = 1,
        lows: tuple[str, ...] = (),
        ties: str = "first_played",
    ) -> None:
        self.decl, self.seats, self.side, self.counts = decl, seats, side, counts
        self.trick_value, self.lows, self.ties = trick_value, lows, ties
        self._memory: dict[tuple[Hands, int], int] = {}

    def value(self, hands: Hands, leader: int) -> int:
        """Points of the bidder's side; in nello the tricks of the declarer, whom everybody else helps."""
        if not any(hands[seat] for seat in self.seats):
            return 0
        key = (hands, leader)
        if key not in self._memory:
            self._memory[key] = self.play(hands, leader, ())
        return self._memory[key]

    def moves(self, hands: Hands, leader: int, table: tuple[str, ...]) -> dict[str, int]:
        """What each legal play of the seat to move is worth."""
        seat = self.seat(leader, len(table))
        return {
            move: self.play(without(hands, seat, move[:3]), leader, (*table, move))
            for move in self.legal(hands[seat], table)
        }

    def legal(self, hand: tuple[str, ...], table: tuple[str, ...]) -> list[str]:
        """Legal plays, announced low leads among them."""
        if self.decl in ("SEVENS", "LOPER"):
            return closest(list(hand))
        if table:
            return _replies(hand, table[0], self.decl)
        lows = [f"{t}/{t[2]}" for t in hand if t in self.lows and announceable(t, self.decl)]
        return list(dict.fromkeys([*hand, *lows]))

    def seat(self, leader: int, pos: int) -> int:
        """Who plays in a place of a trick."""
        return self.seats[(self.seats.index(leader) + pos) % len(self.seats)]

    def play(self, hands: Hands, leader: int, table: tuple[str, ...]) -> int:
        """The value in the middle of a trick."""
        if len(table) == len(self.seats):
            winner = self.seat(leader, _winner(table, self.decl, self.ties))
            return self.gain(winner, table) + self.value(hands, winner)
        values = self.moves(hands, leader, table).values()
        mine = self.seat(leader, len(table)) in self.side
        return max(values) if mine != self.decl.startswith("NELLO") else min(values)

    def gain(self, winner: int, table: tuple[str, ...]) -> int:
        """What a complete trick brings the bidder's side."""
        if winner not in self.side:
            return 0
        count = sum(self.counts[move[:3]] for move in table)
        return 1 if self.decl.startswith("NELLO") else self.trick_value + count


@cache
def _replies(hand: tuple[str, ...], lead: str, decl: str) -> list[str]:
    return list(dict.fromkeys(followers(list(hand), lead_suit(lead[:3], decl, "/" in lead), decl)))


@cache
def _winner(table: tuple[str, ...], decl: str, ties: str) -> int:
    return trick_winner([move[:3] for move in table], decl, "/" in table[0], identical_tiles=ties)


def without(hands: Hands, seat: int, tile: str) -> Hands:
    """The hands after a seat has played one such tile."""
    hand = list(hands[seat])
    hand.remove(tile)
    return (*hands[:seat], tuple(hand), *hands[seat + 1 :])


@numba.njit(nogil=True)
def alpha_beta(t: Any, d: Any, hands: Any, cur: Any, pos: Any, suit: Any, best: Any, ahead: Any, points: Any,
               alpha: Any, beta: Any) -> Any:
    """Points of seats 0 and 2 from here on by full-window alpha-beta, on the engine's tables, nothing else."""
    if pos == 4:
        gain = points + t.trick_value if ahead & 1 == 0 else 0
        if hands[0] | hands[1] | hands[2] | hands[3] == ZERO:
            return gain
        return gain + alpha_beta(t, d, hands, ahead, 0, 0, 0, 0, 0, alpha - gain, beta - gain)
    hand = hands[cur]
    legal = hand
    if pos > 0 and hand & t.follow[d, suit] != ZERO:
        legal = hand & t.follow[d, suit]
    mine = cur & 1 == 0
    value = -1000 if mine else 1000
    while legal != ZERO and alpha < beta:
        tile = lowest(legal)
        legal &= legal - ONE
        led = suit if pos > 0 else np.int64(t.lead_suit[d, tile])
        power = np.int64(t.power[d, led, tile])
        wins = pos == 0 or power > best
        hands[cur] = hand & ~bit(tile)
        child = alpha_beta(
            t, d, hands, (cur + 1) & 3, pos + 1, led, power if wins else best, cur if wins else ahead,
            points + np.int64(t.count[tile]), alpha, beta,
        )
        hands[cur] = hand
        if mine:
            value = max(value, child)
            alpha = max(alpha, value)
        else:
            value = min(value, child)
            beta = min(beta, value)
    return value
