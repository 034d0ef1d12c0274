"""The bootstrap interval against mathematics and against the plain way of resampling."""

import numpy as np
import numpy.typing as npt
import pytest

from texas42.agents.base import Decisions
from texas42.agents.random_agent import RandomAgent
from texas42.training.evaluation import bootstrap_interval, play_match

RNG = np.random.default_rng


def marks(n: int, seed: int, shift: float = 0.0) -> npt.NDArray[np.float64]:
    """Scores like those of a match: halves of marks, skewed."""
    return RNG(seed).choice([-1.5, -1.0, 0.0, 0.5, 2.0], size=n, p=[0.1, 0.25, 0.3, 0.25, 0.1]) + shift


def test_equal_scores_have_no_width() -> None:
    assert bootstrap_interval([1.5] * 9, seed=0) == (1.5, 1.5)


def test_interval_of_negated_scores_is_the_negated_interval() -> None:
    for seed in range(20):
        scores = marks(31, seed)
        low, high = bootstrap_interval(scores, seed)
        assert bootstrap_interval(-scores, seed) == (-high, -low)


def test_order_of_deals_does_not_matter() -> None:
    scores = marks(200, 1)
    assert bootstrap_interval(scores, 3) == bootstrap_interval(scores[::-1], 3)


def test_same_seed_same_interval_other_seed_nearly_the_same() -> None:
    scores = marks(500, 2)
    first = bootstrap_interval(scores, 1)
    assert bootstrap_interval(scores, 1) == first
    assert bootstrap_interval(scores, 2) == pytest.approx(first, abs=0.02)


def test_agrees_with_resampling_deal_by_deal() -> None:
    scores = marks(150, 4)
    means = scores[RNG(0).integers(0, 150, (20_000, 150))].mean(axis=1)
    expected = np.quantile(means, [0.025, 0.975])
    assert bootstrap_interval(scores, 0, resamples=20_000) == pytest.approx(expected, abs=0.01)


def test_width_shrinks_with_the_root_of_the_deals() -> None:
    low, high = bootstrap_interval(marks(10_000, 5), 0)
    scores = marks(10_000, 5)
    assert high - low == pytest.approx(2 * 1.96 * scores.std() / 100, rel=0.05)


def test_covers_the_true_mean_as_often_as_it_says() -> None:
    truth = float(np.dot([-1.5, -1.0, 0.0, 0.5, 2.0], [0.1, 0.25, 0.3, 0.25, 0.1]))
    covered = 0
    for repeat in range(400):
        low, high = bootstrap_interval(marks(150, 1000 + repeat), repeat, resamples=1000)
        covered += low <= truth <= high
    assert 0.92 <= covered / 400 <= 0.98  # 0.95 within three standard deviations


@pytest.mark.parametrize("scores", [[], [np.nan], [1.0, np.inf], [[1.0]]])
def test_scores_without_a_mean_are_refused(scores: list[float]) -> None:
    with pytest.raises(ValueError, match="non-empty list of finite numbers"):
        bootstrap_interval(scores, 0)


def test_confidence_must_be_a_share() -> None:
    with pytest.raises(ValueError, match=r"confidence=95 is not allowed; allowed: between 0 and 1"):
        bootstrap_interval([1.0], 0, confidence=95)


class Salted(RandomAgent):
    """A copy of the random player with luck of its own."""

    def __init__(self, salt: int) -> None:
        self.salt = np.uint64(salt)

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        decisions.keys = decisions.keys ^ self.salt
        return super().act(decisions)


@pytest.mark.slow
def test_two_copies_of_a_player_are_found_equal_nineteen_times_in_twenty() -> None:
    covered = 0
    for repeat in range(200):
        result = play_match(Salted(1), Salted(2), "seed_marks", deals=150, seed=repeat)
        covered += result.ci95[0] <= 0 <= result.ci95[1]
    assert 0.90 <= covered / 200 <= 0.98
