"""Tournaments: every team against every other on the same deals, and a table of who is how strong."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.errors import OptionsError
from texas42.training.evaluation.bootstrap import bootstrap_interval
from texas42.training.evaluation.match import Progress, Setting
from texas42.training.evaluation.pairings import play_pairings
from texas42.training.evaluation.rating import Rating, rate, rating_model
from texas42.training.evaluation.result import MatchResult, rules_name, versions


@dataclass(frozen=True)
class Standing:
    """A team's place.

    Attributes:
        team: its spec.
        mean, ci95: its score per deal, averaged over the other teams, with the 95 % interval by bootstrap over deals.
        rating: OpenSkill's view, a summary only.
        forfeits: hands it forfeited.
    """

    team: str
    mean: float
    ci95: tuple[float, float]
    rating: Rating
    forfeits: int


@dataclass(frozen=True)
class TournamentResult:
    """What every team scored against every other.

    Attributes:
        teams: specs, in the order given.
        setting: how they played.
        deals: of each match.
        matches: by pair of indices (i, j), i < j; i is team A.
        standings: best first.
    """

    teams: tuple[str, ...]
    setting: Setting
    deals: int
    matches: dict[tuple[int, int], MatchResult]
    standings: tuple[Standing, ...]

    def scores(self, i: int, j: int) -> npt.NDArray[np.float64]:
        """Team i's score minus team j's by deal, float64 (deals,)."""
        return self.matches[i, j].scores if i < j else -self.matches[j, i].scores

    def interval(self, i: int, j: int) -> tuple[float, float, float]:
        """Mean and 95 % interval of team i's score minus team j's per deal."""
        match = self.matches[min(i, j), max(i, j)]
        (low, high), mean = match.ci95, match.mean
        return (mean, low, high) if i < j else (-mean, -high, -low)

    def to_json(self) -> dict[str, Any]:
        """Plain values: ``matrix[i][j]`` is ``[mean, low, high]`` of team i's score minus team j's, null for i = j."""
        n = len(self.teams)
        cells = [[None if i == j else list(self.interval(i, j)) for j in range(n)] for i in range(n)]
        first = next(iter(self.matches.values()))
        return {
            "teams": list(self.teams),
            "rules": rules_name(self.setting.rules),
            "episode": self.setting.episode,
            "contract": self.setting.contract,
            "seed": self.setting.seed,
            "deals": self.deals,
            "unit": first.unit,
            "matrix": cells,
            "ranking": [
                {
                    "team": place.team,
                    "marks_per_deal": place.mean,
                    "ci95": list(place.ci95),
                    "openskill": {"mu": place.rating.mu, "sigma": place.rating.sigma, "ordinal": place.rating.ordinal},
                    "forfeits": place.forfeits,
                }
                for place in self.standings
            ],
            "matches": [match.to_json() for match in self.matches.values()],
            "versions": versions(),
        }


def play_tournament(
    teams: Sequence[str],
    setting: Setting,
    deals: int = 1000,
    *,
    workers: int = 1,
    ray: bool = False,
    journal: Path | None = None,
    progress: Progress | None = None,
) -> TournamentResult:
    """Play every team against every other.

    Args:
        teams: specs, two at least, all different; ``SPEC+SPEC`` for a mixed partnership.
        setting: how they play; players that fail forfeit hands whatever it says.
        deals: of each match; the same ones in every match.
        workers, ray, journal, progress: see `play_pairings`.

    Raises:
        OptionsError: too few teams, one twice, or OpenSkill missing, or what `play_pairings` refuses.
    """
    teams = tuple(teams)
    twice = sorted({team for team in teams if teams.count(team) > 1})
    if len(teams) < 2 or twice:
        raise OptionsError(f"a tournament needs two teams or more, each once; given: {', '.join(teams)}")
    rating_model()  # refused before anything is played
    pairs = list(combinations(range(len(teams)), 2))
    results = play_pairings(
        [(teams[i], teams[j]) for i, j in pairs],
        setting,
        deals,
        workers=workers,
        ray=ray,
        journal=journal,
        progress=progress,
    )
    matches = dict(zip(pairs, results, strict=True))
    return TournamentResult(teams, setting, deals, matches, _standings(teams, matches, setting.seed))


def _standings(
    teams: tuple[str, ...], matches: dict[tuple[int, int], MatchResult], seed: int
) -> tuple[Standing, ...]:
    ratings = rate(len(teams), {pair: match.scores for pair, match in matches.items()}, seed)
    places = []
    for i, team in enumerate(teams):
        mine = [match.scores if i == a else -match.scores for (a, b), match in matches.items() if i in (a, b)]
        scores = np.mean(mine, axis=0)  # all matches have the same deals: one score a deal, over all opponents
        forfeits = sum(match.forfeits[i == b] for (a, b), match in matches.items() if i in (a, b))
        places.append(Standing(team, float(scores.mean()), bootstrap_interval(scores, seed), ratings[i], forfeits))
    return tuple(sorted(places, key=lambda place: -place.mean))
