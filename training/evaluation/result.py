"""The result of a match, and how it is written as JSON."""

import platform
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import numpy.typing as npt

from texas42 import __version__
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.bootstrap import bootstrap_interval
from texas42.training.evaluation.sequential import StopRule
from texas42.training.evaluation.sums import Sums
from texas42.training.evaluation.tally import Tally

if TYPE_CHECKING:
    from texas42.training.evaluation.match import Setting

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MatchResult:
    """What two teams did on the same deals.

    Attributes:
        a, b: the teams.
        rules, episode, contract, seed: what was played.
        sittings: how often each deal was played.
        scores: per deal A's score minus B's, averaged over its sittings, shape (deals,), in `unit`.
        by_sitting: the same before averaging, shape (deals, sittings).
        mean, ci95: their mean with its 95 % interval (bootstrap over deals; mean ± `until` if the match stopped early).
        tally: bids, contracts, points.
        games_won: games won by A and by B in whole games, else None.
        win_rate, win_rate_ci95: share of the whole games that A won, unfinished ones as half; else None.
        unfinished: whole games cut off after too many throw-ins in a row.
        episodes: hands, or games, played: deals times sittings.
        cpu_s_per_decision: CPU seconds of A's and B's agents for each decision; None if a team decided nothing.
        decisions: decisions of A and of B, forced ones included.
        forfeits: hands that A and B forfeited.
        notes: why, with how often.
        until: the half width asked for, None if none was.
        stopped_early: whether it was reached, and the match ended for that.
        cpu_s: CPU seconds of the whole match, engine and agents, without the first compilation.
    """

    a: str
    b: str
    rules: Rules
    episode: str
    contract: str | None
    seed: int
    sittings: int
    scores: Float64
    by_sitting: Float64
    mean: float
    ci95: tuple[float, float]
    tally: Tally
    games_won: tuple[int, int] | None
    win_rate: float | None
    win_rate_ci95: tuple[float, float] | None
    unfinished: int
    episodes: int
    cpu_s_per_decision: tuple[float | None, float | None]
    decisions: tuple[int, int]
    forfeits: tuple[int, int]
    notes: dict[str, int]
    until: float | None
    stopped_early: bool
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

    @property
    def pairing_gain(self) -> float | None:
        """How many times as many hands a match without common deals would need for the same interval.

        The variance of the score of one sitting, over the number of sittings times that of a deal's score; None where
        the scores do not vary.
        """
        per_deal = float(self.scores.var())
        return float(self.by_sitting.var()) / (self.sittings * per_deal) if per_deal > 0 else None

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
            "until": self.until,
            "stopped_early": self.stopped_early,
            "pairing_gain": self.pairing_gain,
        }
        return {
            **played,
            **self._games(),
            **self.tally.report(),
            "forfeits": dict(zip("ab", self.forfeits, strict=True)),
            "notes": self.notes,
            "cpu_s_per_decision": dict(zip("ab", self.cpu_s_per_decision, strict=True)),
            "decisions": dict(zip("ab", self.decisions, strict=True)),
            "cpu_s": self.cpu_s,
            "hands_per_cpu_s": self.hands_per_cpu_s,
            "versions": versions(),
        }

    def _games(self) -> dict[str, Any]:
        """What is told of whole games only."""
        if self.games_won is None or self.win_rate_ci95 is None:
            return {}
        return {
            "games": self.episodes,
            "games_won": {"a": self.games_won[0], "b": self.games_won[1]},
            "games_unfinished": self.unfinished,
            "win_rate": self.win_rate,
            "win_rate_ci95": list(self.win_rate_ci95),
        }


def make_result(
    a: str, b: str, setting: "Setting", sums: Sums, stopped_by: StopRule | None = None, until: float | None = None
) -> MatchResult:
    """The result of the teams named `a` and `b` from the sums of a match, which `stopped_by` may have ended."""
    scores = sums.scores(setting.rules)
    per_decision = [float(s / d) if d else None for s, d in zip(sums.seconds, sums.decisions, strict=True)]
    games = setting.episode == "game"
    shares = (sums.wins.mean(axis=1) + 1) / 2 if games else None
    return MatchResult(
        a=a,
        b=b,
        rules=setting.rules,
        episode=setting.episode,
        contract=setting.contract,
        seed=setting.seed,
        sittings=sums.sittings,
        scores=scores,
        by_sitting=sums.margins / (setting.rules.sides - 1),
        mean=float(scores.sum() / len(scores)),
        ci95=stopped_by.interval(scores) if stopped_by else bootstrap_interval(scores, setting.seed),
        tally=sums.tally,
        games_won=(int((sums.wins == 1).sum()), int((sums.wins == -1).sum())) if games else None,
        win_rate=None if shares is None else float(shares.mean()),
        win_rate_ci95=None if shares is None else bootstrap_interval(shares, setting.seed),
        unfinished=int((sums.wins == 0).sum()),
        episodes=sums.margins.size,
        cpu_s_per_decision=(per_decision[0], per_decision[1]),
        decisions=(int(sums.decisions[0]), int(sums.decisions[1])),
        forfeits=(int(sums.forfeits[0]), int(sums.forfeits[1])),
        notes=dict(sums.notes),
        until=until,
        stopped_early=stopped_by is not None,
        cpu_s=sums.cpu_s,
    )


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
