"""The state of one game: one record of a structured dtype, the same for every variant.

Copying a record clones a game and ``tobytes`` saves it; nothing else holds state. A batch is an array of records.
Seats, sides, tiles, calls and declarations are numbered as in the rules floor; -1 stands for "none yet".
"""

from typing import Any

import numpy as np
import numpy.typing as npt

MAX_SEATS = 8
MAX_CALLS = 72
MAX_TRICKS = 16  # 14 are played at most; two more leave the record without padding, whose bytes no copy keeps
MAX_PLAYS = 56

AUCTION, WIDOW, DISCARD, DECLARE, PLAY, OVER = range(6)
PHASE_NAMES = ("auction", "widow", "discard", "declare", "play", "over")

Batch = npt.NDArray[Any]
"""An array of records of `STATE`, shape (n,)."""

_SCALARS = (
    "phase",
    "cur",  # seat to move, -1 when over
    "shaker",
    "opener",  # first seat to call
    "n_calls",
    "passed",  # bit mask of seats that passed
    "high",  # ladder row of the standing level, 0 while nothing stands
    "call",  # ladder row of the winning call as it was made
    "marks",  # marks of the standing bid, 0 for points
    "last",  # 1 if the winning bid was the last caller's after all others passed
    "bidder",
    "namer",
    "special",  # ladder row of the special bid whose trump the partner names, 0 if none
    "decl",
    "sits_out",  # bit mask of seats that do not play
    "leader",
    "suit",  # suit of the lead of the current trick
    "best",  # power of the tile winning the current trick
    "best_seat",
    "pos",  # tiles on the table
    "in_trick",  # tiles a trick has
    "trick_points",
    "n_plays",
    "n_tricks",
    "low_leads",  # bit mask of tricks led with an announced low end
    "n_discards",
    "widow_choice",  # 1 TAKE, 2 LEAVE as an action, 0 neither
    "made",  # 1 made, 0 set, -1 undecided or thrown in
    "claimed",  # 1 if the hand ended by a claim
    "hand_over",  # 1 if the last action ended a hand
    "throw_ins",  # hands thrown in without a break
    "whole_game",  # 1 if the episode is a whole game
    "winners",  # bit mask of sides that won the game
    "done",  # 1 finished, 2 truncated, 0 in progress
)

STATE = np.dtype(
    [
        ("seed", np.uint64),
        ("row", np.uint64),
        ("episode", np.uint64),
        ("hand_no", np.uint64),
        ("hands", np.uint64, MAX_SEATS),
        ("dealt", np.uint64, MAX_SEATS),
        ("cannot", np.uint64, MAX_SEATS),  # tiles a seat is known not to hold, from its plays
        ("played", np.uint64),
        ("widow", np.uint64),
        ("discards", np.uint64),
        ("shown", np.uint64),  # discards turned face up (c.10)
        *((name, np.int32) for name in _SCALARS),
        ("scores", np.int32, MAX_SEATS),
        ("taken", np.int32, MAX_SEATS),  # points of each side in this hand
        ("won", np.int32, MAX_SEATS),  # tricks of each side
        ("delta", np.int32, MAX_SEATS),  # score change of each side in the last hand that ended
        ("calls", np.uint8, MAX_CALLS),
        ("callers", np.uint8, MAX_CALLS),
        ("plays", np.uint8, MAX_PLAYS),  # tile types in order
        ("players", np.uint8, MAX_PLAYS),
        ("leaders", np.uint8, MAX_TRICKS),
        ("trick_winners", np.uint8, MAX_TRICKS),
        ("trick_values", np.uint8, MAX_TRICKS),
    ],
    align=True,
)


def new_batch(n: int) -> Batch:
    """`n` blank records; a recarray, so that kernels read alike with and without the JIT."""
    return np.zeros(n, STATE).view(np.recarray)
