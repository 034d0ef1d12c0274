"""Cross-play: do policies that never met play well together? The project's measure of partner awareness.

Every two of the partners form a team, which plays the same opponent on the same deals. Policies that learnt secret
habits with themselves do worse with each other (cross-play) than each with itself (self-play): the difference is the
gap. Baselines sit in as further partners and are no part of the three scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.specs import REGISTRY
from texas42.envs.errors import OptionsError
from texas42.training.evaluation.bootstrap import bootstrap_interval
from texas42.training.evaluation.match import Progress, Setting
from texas42.training.evaluation.pairings import play_pairings
from texas42.training.evaluation.result import MatchResult, rules_name, versions

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval by bootstrap over deals, in the unit of the scores."""

    mean: float
    ci95: tuple[float, float]

    @staticmethod
    def of(scores: Float64, seed: int) -> "Estimate":
        """From one score a deal."""
        return Estimate(float(scores.mean()), bootstrap_interval(scores, seed))


@dataclass(frozen=True)
class CrossPlay:
    """One way to play: the matrix of partners.

    Attributes:
        name: ``"greedy"``, ``"sampled"``, or ``"as given"``.
        partners: specs as they played, policies first, then baselines.
        policies: how many are policies.
        matches: the team of partners i and j against the opponent, by (i, j), i <= j.
        self_play: mean over policies paired with themselves.
        cross_play: mean over pairs of different policies.
        gap: self-play minus cross-play, deal by deal.
    """

    name: str
    partners: tuple[str, ...]
    policies: int
    matches: dict[tuple[int, int], MatchResult]
    self_play: Estimate
    cross_play: Estimate | None
    gap: Estimate | None

    def to_json(self) -> dict[str, Any]:
        """Plain values; ``matrix[i][j]`` is ``[mean, low, high]`` for partners i and j."""
        n = len(self.partners)

        def cell(i: int, j: int) -> list[float]:
            match = self.matches[min(i, j), max(i, j)]
            return [match.mean, *match.ci95]

        def estimate(value: Estimate | None) -> dict[str, Any] | None:
            return None if value is None else {"mean": value.mean, "ci95": list(value.ci95)}

        return {
            "play": self.name,
            "partners": list(self.partners),
            "policies": self.policies,
            "matrix": [[cell(i, j) for j in range(n)] for i in range(n)],
            "self_play": estimate(self.self_play),
            "cross_play": estimate(self.cross_play),
            "gap": estimate(self.gap),
        }


@dataclass(frozen=True)
class CrossPlayResult:
    """Cross-play in every way asked for.

    Attributes:
        opponent: the spec all teams played against.
        setting: how they played.
        deals: of each match.
        ways: one for every temperature.
    """

    opponent: str
    setting: Setting
    deals: int
    ways: tuple[CrossPlay, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        first = next(iter(self.ways[0].matches.values()))
        return {
            "opponent": self.opponent,
            "rules": rules_name(self.setting.rules),
            "episode": self.setting.episode,
            "contract": self.setting.contract,
            "seed": self.setting.seed,
            "deals": self.deals,
            "unit": first.unit,
            "ways": [way.to_json() for way in self.ways],
            "versions": versions(),
        }


def has_temperature(spec: str) -> bool:
    """Whether a spec takes the option `temperature`."""
    kind = REGISTRY.get(spec.partition(":")[0])
    return kind is not None and "temperature" in kind.options


def at_temperature(spec: str, temperature: float) -> str:
    """The spec with this temperature; specs that take none are as they were."""
    if not has_temperature(spec):
        return spec
    name, _, rest = spec.partition(":")
    parts = [part for part in rest.split(",") if not part.startswith("temperature=")] if rest else []
    return f"{name}:{','.join([*parts, f'temperature={temperature:g}'])}"


def play_crossplay(
    policies: Sequence[str],
    baselines: Sequence[str],
    opponent: str,
    setting: Setting,
    deals: int = 1000,
    *,
    temperatures: Sequence[float] = (0.0, 1.0),
    workers: int = 1,
    ray: bool = False,
    journal: Path | None = None,
    progress: Progress | None = None,
) -> CrossPlayResult:
    """Play every pair of partners against the opponent.

    Args:
        policies: specs of policies made alike, such as checkpoints of one configuration and several seeds.
        baselines: specs of other partners.
        opponent: a spec, or ``SPEC+SPEC``; the same against all.
        setting: how they play; its rules must have partners, two a side.
        deals: of each match.
        temperatures: at which policies and baselines that have one play: 0 is greedy, 1 draws as in training. Where
            nobody has one, a single way is played.
        workers, ray, journal, progress: see `play_pairings`.

    Raises:
        OptionsError: no policy, a mixed team as partner, rules without pairs of partners, or what `play_pairings`
            refuses.
    """
    partners = (*policies, *baselines)
    rules = setting.rules
    if rules.seats // rules.sides != 2:
        raise OptionsError(f"cross-play needs two seats a side, not {rules.seats} seats on {rules.sides} sides")
    if not policies or not temperatures:
        raise OptionsError("cross-play needs a policy and a temperature")
    for spec in partners:
        if "+" in spec or partners.count(spec) > 1:
            raise OptionsError(f"partner {spec!r}: give single specs, each once; cross-play pairs them")
    names = _ways(partners, temperatures)
    teams = {name: _teams(specs) for name, specs in names.items()}
    pairings = [(team, opponent) for by_pair in teams.values() for team in by_pair.values()]
    results = play_pairings(
        pairings, setting, deals, workers=workers, ray=ray, journal=journal, progress=progress
    )
    found = dict(zip(pairings, results, strict=True))
    ways = []
    for name, by_pair in teams.items():
        matches = {pair: found[team, opponent] for pair, team in by_pair.items()}
        ways.append(_way(name, names[name], len(policies), matches, setting.seed))
    return CrossPlayResult(opponent, setting, deals, tuple(ways))


def count_matches(policies: Sequence[str], baselines: Sequence[str], temperatures: Sequence[float]) -> int:
    """How many matches `play_crossplay` plays."""
    n = len(policies) + len(baselines)
    return n * (n + 1) // 2 * len(_ways((*policies, *baselines), temperatures))


def _ways(partners: tuple[str, ...], temperatures: Sequence[float]) -> dict[str, tuple[str, ...]]:
    if not any(has_temperature(spec) for spec in partners):
        return {"as given": partners}
    words = {0.0: "greedy", 1.0: "sampled"}
    return {
        words.get(t, f"temperature {t:g}"): tuple(at_temperature(spec, t) for spec in partners)
        for t in temperatures
    }


def _teams(partners: tuple[str, ...]) -> dict[tuple[int, int], str]:
    pairs = combinations_with_replacement(range(len(partners)), 2)
    return {(i, j): partners[i] if i == j else f"{partners[i]}+{partners[j]}" for i, j in pairs}


def _way(
    name: str, partners: tuple[str, ...], policies: int, matches: dict[tuple[int, int], MatchResult], seed: int
) -> CrossPlay:
    alone = np.mean([matches[i, i].scores for i in range(policies)], axis=0)
    pairs = list(combinations(range(policies), 2))
    crossed = np.mean([matches[pair].scores for pair in pairs], axis=0) if pairs else None
    return CrossPlay(
        name=name,
        partners=partners,
        policies=policies,
        matches=matches,
        self_play=Estimate.of(alone, seed),
        cross_play=None if crossed is None else Estimate.of(crossed, seed),
        gap=None if crossed is None else Estimate.of(alone - crossed, seed),
    )
