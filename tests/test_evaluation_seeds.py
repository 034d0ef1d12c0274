"""Scores of policies from several seeds: means, and the two kinds of intervals."""

from collections.abc import Mapping
from itertools import combinations
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.crossplay import play_crossplay
from texas42.training.evaluation.match import Setting
from texas42.training.evaluation.result import MatchResult
from texas42.training.evaluation.seeds import MOST_SEEDS, STUDENT, SeedScore


def match(*scores: float) -> MatchResult:
    """As much of a match as a score needs."""
    return cast(MatchResult, SimpleNamespace(scores=np.array(scores), mean=float(np.mean(scores))))


def pairs_of(matrix: npt.NDArray[np.float64]) -> Mapping[tuple[int, int], MatchResult]:
    return {(i, j): match(matrix[i, j]) for i, j in combinations(range(len(matrix)), 2)}


def test_a_mean_over_policies_has_students_interval_over_seeds() -> None:
    score = SeedScore.of_policies([match(0, 2), match(1, 3), match(2, 4), match(3, 5)])
    assert score.seeds.tolist() == [1, 2, 3, 4]
    assert score.deals.tolist() == [1.5, 3.5]
    assert score.spread == pytest.approx(1.2910, abs=1e-4)  # the square root of 5/3
    assert score.over_seeds() == pytest.approx((2.5 - 2.054, 2.5 + 2.054), abs=1e-3)  # 3.182 * 1.2910 / sqrt(4)


def test_a_mean_over_pairs_has_the_pseudo_values_of_leaving_out_a_seed() -> None:
    matrix = np.random.default_rng(1).normal(size=(5, 5))
    score = SeedScore.of_pairs(pairs_of(matrix), 5)

    def mean_without(*left_out: int) -> float:
        kept = [i for i in range(5) if i not in left_out]
        return float(np.mean([matrix[pair] for pair in combinations(kept, 2)]))

    expected = [5 * mean_without() - 4 * mean_without(i) for i in range(5)]
    assert score.units == pytest.approx(expected)
    assert score.units.mean() == pytest.approx(score.deals.mean())
    assert score.seeds[2] == pytest.approx(np.mean([matrix[0, 2], matrix[1, 2], matrix[2, 3], matrix[2, 4]]))


def test_of_two_policies_there_is_one_pair_and_no_interval_over_seeds() -> None:
    pair = SeedScore.of_pairs({(0, 1): match(1, 2, 3)}, 2)
    assert pair.seeds.tolist() == [2, 2]
    assert pair.over_seeds() is None
    alone = SeedScore.of_policies([match(1, 2, 3), match(4, 5, 6)])
    assert alone.over_seeds() is not None
    assert (alone - pair).over_seeds() is None
    assert (alone - pair).to_json(0)["ci95_seeds"] is None


@pytest.mark.parametrize("n", [3, 4, 8])
def test_the_interval_over_seeds_covers_what_other_seeds_give(n: int) -> None:
    rng, covered = np.random.default_rng(n), 0
    for _ in range(1000):
        own = rng.normal(size=n)
        matrix = own[:, None] + own[None, :] + rng.normal(size=(n, n)) * 0.3  # what a policy brings into every pair
        ends = SeedScore.of_pairs(pairs_of(matrix), n).over_seeds()
        assert ends is not None
        covered += ends[0] <= 0 <= ends[1]
    assert covered >= 935  # 950 expected; the jackknife errs to the wide side


def test_students_quantiles_leave_a_fortieth_above_them() -> None:
    assert len(STUDENT) == MOST_SEEDS - 1
    for freedom, quantile in enumerate(STUDENT, 1):
        angle = np.linspace(0, np.pi / 2, 200_001)  # t = tan(angle) * sqrt(freedom) makes the density a power of cos
        density = np.cos(angle) ** (freedom - 1)
        below = np.arctan(quantile / np.sqrt(freedom))
        share = np.trapezoid(np.where(angle <= below, density, 0), angle) / np.trapezoid(density, angle)
        assert share == pytest.approx(0.95, abs=1e-4)


def test_a_difference_is_taken_deal_by_deal_and_seed_by_seed() -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(4, 50))
    better = SeedScore.of_policies([match(*row) for row in scores + 0.25])
    worse = SeedScore.of_policies([match(*row) for row in scores])
    figures = (better - worse).to_json(3)
    assert figures["mean"] == pytest.approx(0.25)
    assert figures["ci95_deals"] == pytest.approx([0.25, 0.25])
    assert figures["ci95_seeds"] == pytest.approx([0.25, 0.25])
    assert figures["by_seed"] == pytest.approx([0.25] * 4)


def test_scores_are_those_of_cross_play() -> None:
    setting = Setting(Rules.preset("n42pa"), seed=3)
    (way,) = play_crossplay(["random", "passer", "heuristic"], (), "heuristic", setting, 40).ways
    alone = SeedScore.of_policies([way.matches[i, i] for i in range(3)])
    crossed = SeedScore.of_pairs({pair: m for pair, m in way.matches.items() if pair[0] != pair[1]}, 3)
    expected: tuple[Any, ...] = (way.self_play, way.cross_play, way.gap)
    for score, estimate in zip((alone, crossed, alone - crossed), expected, strict=True):
        ours = score.over_deals(3)
        assert (ours.mean, *ours.ci95) == pytest.approx((estimate.mean, *estimate.ci95))
