"""Picking worlds in proportion to their likelihood."""

import numpy as np
import numpy.typing as npt

UNIFORM = 0.05
"""Share of the weight that every world gets alike."""


def pick(
    likelihood: npt.NDArray[np.float64], n: int, key: int, temper: float = 1.0, uniform: float = UNIFORM
) -> npt.NDArray[np.int64]:
    """Indices of `n` worlds in ascending order, drawn at even spaces of the summed weights, int64 (n,).

    Args:
        likelihood: not negative, (worlds,); all zero counts as all alike.
        n: how many; a likely world may be picked several times.
        key: decides where the first is picked.
        temper: power to which the likelihood is raised.
        uniform: share of the weight that every world gets alike.
    """
    weights = likelihood**temper
    total = weights.sum()
    share = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    share = (1 - uniform) * share + uniform / len(weights)
    start = np.random.default_rng(key).random()
    picked = np.searchsorted(np.cumsum(share), (np.arange(n) + start) / n)
    return np.minimum(picked, len(weights) - 1).astype(np.int64)
