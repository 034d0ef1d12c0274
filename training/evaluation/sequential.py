"""Stopping a match as soon as it is sure enough, without spoiling its interval.

Whether to stop is asked at fixed numbers of deals and answered from the spread of the scores alone, never from their
mean: the rule of Chow and Robbins (Annals of Mathematical Statistics 36, 1965) with looks. The interval of a match
that stops is *the one that was asked for*, mean ± width, so that having stopped at a lucky small spread does not make
it too narrow. For normal scores mean and spread are independent, and the coverage is the average of 2Φ(w√N/s) - 1
over the stopping time N, s being the standard deviation; for others it tends to the nominal one as the width falls
(Anscombe 1952).
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from texas42.envs.errors import OptionsError

FIRST_LOOK = 250
"""Deals before the first look: the spread of fewer scores says too little."""
GROWTH = 1.1
"""Each look comes when a tenth more deals have been played."""


@dataclass(frozen=True)
class StopRule:
    """Stop when the interval is no wider than mean ± `width`.

    Attributes:
        width: half of the interval's length, in the unit of the scores, above 0.
        confidence: of the interval.
    """

    width: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not (self.width > 0 and math.isfinite(self.width)):
            raise OptionsError(f"until={self.width} is not allowed; allowed: a number above 0")

    @staticmethod
    def next_look(deals: int) -> int:
        """The first look after `deals` deals."""
        look = FIRST_LOOK
        while look <= deals:
            look = math.ceil(look * GROWTH)
        return look

    @staticmethod
    def is_look(deals: int) -> bool:
        """Whether a look is due after exactly `deals` deals."""
        return deals >= FIRST_LOOK and StopRule.next_look(deals - 1) == deals

    def satisfied(self, scores: npt.NDArray[np.float64]) -> bool:
        """Whether the spread of the scores of these deals allows to stop; asked at looks only."""
        n = len(scores)
        z = NormalDist().inv_cdf((1 + self.confidence) / 2)
        spread = float(scores.var(ddof=1)) + 1 / n  # the term keeps a run of equal scores from stopping too early
        return z * math.sqrt(spread / n) <= self.width

    def interval(self, scores: npt.NDArray[np.float64]) -> tuple[float, float]:
        """The interval of a match that has stopped: mean ± width."""
        mean = float(scores.sum() / len(scores))
        return mean - self.width, mean + self.width
