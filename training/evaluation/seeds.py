"""Scores of policies trained alike from several seeds: how sure they are over deals, and over seeds.

An interval over deals holds the policies fixed and says what other deals would give. One over seeds holds the deals
fixed and says what policies from other seeds would give: Student's t with seeds as the random unit. A pair of
policies has two seeds, so that means over pairs take the pseudo-values of the jackknife over seeds (R. G. Miller
1974). Neither covers both kinds of luck.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.training.evaluation.crossplay import Estimate
from texas42.training.evaluation.result import MatchResult

Float64 = npt.NDArray[np.float64]
# fmt: off
STUDENT: tuple[float, ...] = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093,
)
# fmt: on
"""97.5 % quantiles of Student's t for 1, 2, ... degrees of freedom."""
MOST_SEEDS = len(STUDENT) + 1


@dataclass(frozen=True)
class SeedScore:
    """A score of policies from n seeds, or a difference of two such scores on the same deals from the same seeds.

    Attributes:
        deals: float64 (deals,): of every deal, the mean over policies or pairs of them.
        seeds: float64 (n,): of every policy, or the mean of the pairs it is in; n is 2 to `MOST_SEEDS`.
        units: float64 (n,): what each seed has in the score: pseudo-values, whose mean it is; NaN with too few seeds.
    """

    deals: Float64
    seeds: Float64
    units: Float64

    @staticmethod
    def of_policies(matches: Sequence[MatchResult]) -> "SeedScore":
        """The mean over policies, from a match of each."""
        scores = np.array([match.scores for match in matches])
        means = scores.mean(axis=1)
        return SeedScore(scores.mean(axis=0), means, means)

    @staticmethod
    def of_pairs(matches: Mapping[tuple[int, int], MatchResult], n: int) -> "SeedScore":
        """The mean over all pairs of `n` policies, from a match of each pair (i, j), i < j."""
        scores = np.array([match.scores for match in matches.values()])
        seeds = np.array([np.mean([match.mean for pair, match in matches.items() if i in pair]) for i in range(n)])
        stretch = 2 * (n - 1) / (n - 2) if n > 2 else math.nan  # without a seed, the mean over the pairs that are left
        return SeedScore(scores.mean(axis=0), seeds, seeds.mean() + stretch * (seeds - seeds.mean()))

    def __sub__(self, other: "SeedScore") -> "SeedScore":
        return SeedScore(self.deals - other.deals, self.seeds - other.seeds, self.units - other.units)

    @property
    def spread(self) -> float:
        """Standard deviation between seeds."""
        return float(self.seeds.std(ddof=1))

    def over_deals(self, seed: int) -> Estimate:
        """The mean with its 95 % interval by bootstrap over deals; `seed`: of the bootstrap."""
        return Estimate.of(self.deals, seed)

    def over_seeds(self) -> tuple[float, float] | None:
        """The 95 % interval over seeds; None with two seeds in a mean over pairs."""
        n = len(self.units)
        if np.isnan(self.units).any():
            return None
        mean, half = self.units.mean(), STUDENT[n - 2] * self.units.std(ddof=1) / math.sqrt(n)
        return float(mean - half), float(mean + half)

    def to_json(self, seed: int) -> dict[str, Any]:
        """Plain values; `seed`: of the bootstrap."""
        estimate, over_seeds = self.over_deals(seed), self.over_seeds()
        return {
            "mean": estimate.mean,
            "ci95_deals": list(estimate.ci95),
            "ci95_seeds": None if over_seeds is None else list(over_seeds),
            "spread": self.spread,
            "by_seed": self.seeds.tolist(),
        }
