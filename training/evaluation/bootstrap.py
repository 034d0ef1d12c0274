"""Intervals by bootstrap over deals."""

import numpy as np
import numpy.typing as npt

RESAMPLES = 5_000
_CHUNK = 4_000_000


def bootstrap_interval(
    scores: npt.ArrayLike, seed: int, confidence: float = 0.95, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean of one score per deal.

    Drawing n deals with replacement is a multinomial draw over the distinct scores, which is far fewer numbers than
    deals. The interval of ``-scores`` is exactly the negated interval: both orientations are resampled and averaged.

    Args:
        scores: one number per deal, shape (n,), n ≥ 1.
        seed: of the resampling; the same scores and seed give the same interval.
        confidence: coverage asked for, between 0 and 1.
        resamples: bootstrap samples for each orientation.

    Returns:
        Lower and upper end, in the unit of the scores.

    Raises:
        ValueError: no scores, scores that are not finite, or a confidence outside (0, 1).
    """
    values = np.asarray(scores, np.float64)
    if values.ndim != 1 or len(values) == 0 or not np.isfinite(values).all():
        raise ValueError(f"scores must be a non-empty list of finite numbers, not shape {values.shape}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence} is not allowed; allowed: between 0 and 1")
    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    low, high = np.quantile(_resampled_means(values, seed, resamples), tails)
    mirrored_low, mirrored_high = np.quantile(_resampled_means(-values, seed, resamples), tails)
    return float((low - mirrored_high) / 2), float((high - mirrored_low) / 2)


def _resampled_means(values: npt.NDArray[np.float64], seed: int, resamples: int) -> npt.NDArray[np.float64]:
    """Means of `resamples` samples drawn with replacement, shape (resamples,)."""
    rng = np.random.default_rng(seed)
    distinct, counts = np.unique(values, return_counts=True)
    n = len(values)
    means = np.empty(resamples)
    rows = max(1, _CHUNK // len(distinct))  # bounds the memory of one multinomial draw
    for start in range(0, resamples, rows):
        drawn = rng.multinomial(n, counts / n, size=min(rows, resamples - start))
        means[start : start + rows] = drawn @ distinct / n
    return means
