"""OpenSkill ratings of a tournament's teams (extra `evaluation`): a summary, not evidence. The matrix is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.errors import OptionsError

MOST = 500
"""Deals of a match that are rated, evenly spread over it: more only make the uncertainty look smaller than it is."""


@dataclass(frozen=True)
class Rating:
    """Plackett-Luce rating: mean, standard deviation, and the cautious value ``mu - 3 sigma``."""

    mu: float
    sigma: float
    ordinal: float


def rating_model() -> Any:
    """OpenSkill's Plackett-Luce model.

    Raises:
        OptionsError: OpenSkill is not installed.
    """
    try:
        from openskill.models import PlackettLuce
    except ModuleNotFoundError as error:
        raise OptionsError("ratings need openskill; in the clone: pip install '.[evaluation]'") from error
    return PlackettLuce()


def rate(teams: int, scores: Mapping[tuple[int, int], npt.NDArray[np.float64]], seed: int) -> list[Rating]:
    """Ratings from deals won, drawn and lost, taken in an order drawn from the seed.

    Args:
        teams: how many.
        scores: by pair (i, j), team i's score minus team j's by deal.
        seed: of the order.

    Raises:
        OptionsError: OpenSkill is not installed.
    """
    model = rating_model()
    ratings = [model.rating() for _ in range(teams)]
    for i, j, score in _results(scores, seed):
        places = [0, 0] if score == 0 else [int(score < 0), int(score > 0)]
        (first,), (second,) = model.rate([[ratings[i]], [ratings[j]]], ranks=[float(place) for place in places])
        ratings[i], ratings[j] = first, second
    return [Rating(float(r.mu), float(r.sigma), float(r.ordinal())) for r in ratings]


def _results(
    scores: Mapping[tuple[int, int], npt.NDArray[np.float64]], seed: int
) -> list[tuple[int, int, float]]:
    results = []
    for (i, j), by_deal in scores.items():
        chosen = np.unique(np.linspace(0, len(by_deal) - 1, min(MOST, len(by_deal))).astype(int))
        results += [(i, j, float(score)) for score in by_deal[chosen]]
    return [results[k] for k in np.random.default_rng(seed).permutation(len(results))]
