"""What the heuristic knows of a game from hands it played out itself; the numbers are in `fitted`."""

from dataclasses import dataclass

import numpy as np

Line = tuple[float, float]
"""Intercept and slope."""

Plane = tuple[float, float, float]
"""Intercept and two slopes."""

PassValues = tuple[tuple[Plane, Plane], tuple[Plane, Plane], tuple[Plane, Plane]]
BidValues = tuple[tuple[Line, Line], tuple[Line, Line], tuple[Line, Line]]
"""By who stands (nobody, my side, another), then by whether others call after me (no, yes)."""


@dataclass(frozen=True)
class Calibration:
    """The numbers of one game.

    Attributes:
        model: a factor for each feature of a hand (`strength.features`): expected points, of 42.
        points: by bid, the line whose logistic is the chance to make it, over expected points.
        sweep: the same for taking every trick.
        thrown, forced: where an auction that all pass is thrown in, and where the last caller must bid: the value
            of a pass (over expected points and `auction.standing_level`), and that of a point bid (over what it
            brings if it ends the auction); in marks, or in hand totals where points are scored.
        nello, sevens, loper, partner: the lines of the chance to make nello and closeness contracts and a special
            bid whose trump the partner names, over `special.raw_worth`.
    """

    model: tuple[float, ...]
    points: tuple[tuple[int, float, float], ...]
    sweep: Line
    thrown: tuple[PassValues, BidValues]
    forced: tuple[PassValues, BidValues]
    nello: Line = (0.0, 1.0)
    sevens: Line = (2.0, 0.5)
    loper: Line = (3.0, 0.5)
    partner: Line = (-4.0, 1.0)

    def line(self, need: int) -> Line:
        """The line of a bid, between those of the bids next to it."""
        needs, alphas, betas = zip(*self.points, strict=True)
        return float(np.interp(need, needs, alphas)), float(np.interp(need, needs, betas))
