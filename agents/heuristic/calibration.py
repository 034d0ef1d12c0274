"""What hands take in play: fitted by scripts/calibrate_heuristic.py from hands the heuristic played out itself."""

from dataclasses import dataclass

import numpy as np

from texas42.envs.rules.rules import Rules

Line = tuple[float, float]
"""Intercept and slope."""


@dataclass(frozen=True)
class Calibration:
    """The numbers of one game.

    Attributes:
        model: a factor for each feature of a hand (`strength.features`): expected points, of 42.
        points: by bid, the line whose logistic is the chance to make it, over expected points.
        sweep: the same for taking every trick.
        passing: by who stands (nobody, my side, another): the line of a pass's value over expected points,
            in marks, or in hand totals where points are scored.
    """

    model: tuple[float, ...]
    points: tuple[tuple[int, float, float], ...]
    sweep: Line
    passing: tuple[Line, Line, Line]

    def line(self, need: int) -> Line:
        """The line of a bid, between those of the bids next to it."""
        needs, alphas, betas = zip(*self.points, strict=True)
        return float(np.interp(need, needs, alphas)), float(np.interp(need, needs, betas))


def calibration_of(rules: Rules) -> Calibration:
    """The calibration of a game."""
    return STANDARD


STANDARD = Calibration(
    model=(1.8, 5.2, 2.0, 1.0, 3.6, 1.7, 2.0, -0.2, -0.15),
    points=((30, -5.4, 0.19), (31, -5.7, 0.19), (32, -6.0, 0.19), (36, -6.4, 0.19), (41, -6.9, 0.19)),
    sweep=(-7.8, 0.21),
    passing=((0.0, 0.0), (0.3, 0.0), (-0.3, 0.0)),
)
