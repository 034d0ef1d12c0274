"""Intervals of means whose decisions come in clusters: the hand is what is independent, not the decision in it."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

RESAMPLES = 2_000
_CHUNK = 4_000_000

Float64 = npt.NDArray[np.float64]


def clustered_means(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    groups: npt.ArrayLike,
    seed: int,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> list[dict[str, Any]]:
    """Mean and percentile bootstrap interval of several groups of values, resampled by cluster.

    Args:
        values: float (n,); NaN is left out.
        clusters: whole numbers (n,): which cluster (hand) a value belongs to.
        groups: bool (n, g): which values belong to each group.
        seed: of the resampling; all groups see the same resampled clusters.
        confidence: coverage asked for.
        resamples: bootstrap samples.

    Returns:
        For each group ``{"n": values, "clusters": clusters with one, "mean": ..., "ci95": [low, high]}``; mean is
        None in an empty group, and so is the interval with fewer than two clusters.
    """
    numbers = np.asarray(values, np.float64)
    member = np.asarray(groups, np.bool_) & np.isfinite(numbers)[:, None]
    _, index = np.unique(np.asarray(clusters), return_inverse=True)
    n_clusters = int(index.max(initial=-1)) + 1
    sums, counts = (np.zeros((n_clusters, member.shape[1])) for _ in range(2))
    np.add.at(sums, index, np.where(member, np.nan_to_num(numbers)[:, None], 0.0))
    np.add.at(counts, index, member)
    resampled = _resampled(sums, counts, seed, resamples)
    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    out = []
    for g in range(member.shape[1]):
        total, filled = counts[:, g].sum(), int((counts[:, g] > 0).sum())
        drawn = resampled[:, g][np.isfinite(resampled[:, g])]
        interval = [float(q) for q in np.quantile(drawn, tails)] if filled > 1 else None
        mean = float(sums[:, g].sum() / total) if total else None
        out.append({"n": int(total), "clusters": filled, "mean": mean, "ci95": interval})
    return out


def _resampled(sums: Float64, counts: Float64, seed: int, resamples: int) -> Float64:
    """Ratios of resampled sums and counts, (resamples, groups); NaN where a sample has no value of the group."""
    n, rng = len(sums), np.random.default_rng(seed)
    out = np.full((resamples, sums.shape[1]), np.nan)
    if n == 0:
        return out
    rows = max(1, _CHUNK // n)
    for start in range(0, resamples, rows):
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=min(rows, resamples - start)).astype(np.float64)
        top, bottom = drawn @ sums, drawn @ counts
        np.divide(top, bottom, out=out[start : start + len(drawn)], where=bottom > 0)
    return out


def wilson_interval(successes: int, n: int) -> list[float] | None:
    """Wilson's 95 % interval of a share (E. B. Wilson 1927); None without trials. It never leaves [0, 1]."""
    if n == 0:
        return None
    z, p = 1.959964, successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return [max(0.0, centre - half), min(1.0, centre + half)]
