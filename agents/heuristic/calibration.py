"""What the heuristic knows of a game from hands it played out itself; the numbers are in `fitted`."""

from dataclasses import dataclass

import numpy as np

Line = tuple[float, float]
"""Intercept and slope."""

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
PassValues = tuple[tuple[Three, Three], tuple[Three, Three], tuple[Three, Three]]
BidValues = tuple[tuple[Four, Four], tuple[Four, Four], tuple[Four, Four]]
"""Factors by who stands (nobody, my side, another), then by whether others call after me (no, yes)."""


@dataclass(frozen=True)
class Calibration:
    """The numbers of one game.

    Attributes:
        model: a factor for each feature of a hand (`strength.features`): expected points, of 42.
        points: by bid, the line whose logistic is the chance to make it, over expected points.
        sweep: the same for taking every trick.
        thrown, forced: where an auction that all pass is thrown in, and where the last caller must bid: the value
            of a pass (factors of one, expected points, the standing bid's level), and that of a point bid (factors
            of one, what it brings if it ends the auction, its level, the product of both); in marks, or in hand
            totals where points are scored. A level is points of 42 above the least bid.
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
