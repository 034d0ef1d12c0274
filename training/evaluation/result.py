"""The result of a match, and how it is written as JSON."""

import platform
import sys
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from texas42 import __version__
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.tally import Tally


@dataclass(frozen=True)
class MatchResult:
    """What two teams did on the same deals.

    Attributes:
        a, b: the teams.
        rules, episode, contract, seed: what was played.
        sittings: how often each deal was played.
        scores: per deal A's score minus B's, averaged over its sittings, shape (deals,), in `unit`.
        mean, ci95: their mean with its 95 % interval (bootstrap over deals).
        tally: bids, contracts, points.
        games_won: games won by A and by B in whole games, else None.
        unfinished: whole games cut off after too many throw-ins in a row.
        episodes: hands, or games, played: deals times sittings.
        cpu_s_per_decision: CPU seconds of A's and B's agents for each decision; None if a team decided nothing.
        decisions: decisions of A and of B, forced ones included.
        cpu_s: CPU seconds of the whole match, engine and agents, without the first compilation.
    """

    a: str
    b: str
    rules: Rules
    episode: str
    contract: str | None
    seed: int
    sittings: int
    scores: npt.NDArray[np.float64]
    mean: float
    ci95: tuple[float, float]
    tally: Tally
    games_won: tuple[int, int] | None
    unfinished: int
    episodes: int
    cpu_s_per_decision: tuple[float | None, float | None]
    decisions: tuple[int, int]
    cpu_s: float

    @property
    def unit(self) -> str:
        """Unit of the scores: ``marks`` or ``points``."""
        return "marks" if self.rules.scoring == "marks" else "points"

    @property
    def deals(self) -> int:
        """Number of deals (or games)."""
        return len(self.scores)

    @property
    def hands_per_cpu_s(self) -> float:
        """Hands played per CPU second, thrown-in ones included."""
        return (self.tally.hands + self.tally.thrown_in) / max(self.cpu_s, 1e-9)

    def to_json(self) -> dict[str, Any]:
        """A dictionary of plain values.

        ``marks_per_deal`` is in ``unit``: points in games that are scored in points.
        """
        played: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "rules": rules_name(self.rules),
            "episode": self.episode,
            "contract": self.contract,
            "deals": self.deals,
            "sittings": self.sittings,
            "seed": self.seed,
            "unit": self.unit,
            "marks_per_deal": self.mean,
            "ci95": list(self.ci95),
        }
        if self.games_won is not None:
            played["games"] = self.episodes
            played["games_won"] = {"a": self.games_won[0], "b": self.games_won[1]}
            played["games_unfinished"] = self.unfinished
        return {
            **played,
            **self.tally.report(),
            "cpu_s_per_decision": dict(zip("ab", self.cpu_s_per_decision, strict=True)),
            "decisions": dict(zip("ab", self.decisions, strict=True)),
            "cpu_s": self.cpu_s,
            "hands_per_cpu_s": self.hands_per_cpu_s,
            "versions": versions(),
        }


def rules_name(rules: Rules) -> str | dict[str, object]:
    """A preset's name, or ``{"preset": NAME, ...overrides}`` where something was changed."""
    spec = rules.to_dict()
    return str(spec["preset"]) if len(spec) == 1 else spec


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return {
        "texas42": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "platform": f"{sys.platform}-{platform.machine()}",
    }
