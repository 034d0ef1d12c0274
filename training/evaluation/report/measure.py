"""Measures everything a report shows, part by part."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from texas42.agents.specs import make_agent
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.bidding import bidding_report
from texas42.training.evaluation.bootstrap import bootstrap_interval
from texas42.training.evaluation.calibration import belief_head, belief_report, log_beliefs, make_report
from texas42.training.evaluation.forecasts import make_forecasts
from texas42.training.evaluation.handlog import HandLog, play_hands
from texas42.training.evaluation.regret import measure_regret, regret_report, worst_hands
from texas42.training.evaluation.report.contestants import Contestant, resolve_contestants
from texas42.training.evaluation.report.curves import read_curves
from texas42.training.evaluation.report.matches import Matches, Pairing
from texas42.training.evaluation.report.parts import Advance, Parts
from texas42.training.evaluation.result import rules_name, versions

NO_BELIEFS = "no belief head"


@dataclass(frozen=True)
class Sizes:
    """How much is played.

    Attributes:
        deals: of every match of the ladder.
        cross_deals: of every match of the cross-play.
        hands: that each policy plays in all seats, for bidding, regret and calibration.
        sample: plays of those that are held against `pimc`.
        worlds: of that `pimc`.
        beliefs: decisions of those at which the belief head is asked.
    """

    deals: int = 200
    cross_deals: int = 100
    hands: int = 200
    sample: int = 150
    worlds: int = 200
    beliefs: int = 3000

    @staticmethod
    def quick() -> "Sizes":
        """A look within a minute or two; the intervals are wide."""
        return Sizes(deals=20, cross_deals=10, hands=30, sample=20, worlds=50, beliefs=500)


@dataclass(frozen=True)
class Report:
    """Everything that was measured.

    Attributes:
        contestants: who.
        opponent: label of the fixed opponent of the cross-play.
        rules, seed, sizes: of what was played.
        ladder: by contestant ``mean`` and ``ci95`` against all others.
        matches: by pair of contestants, as `Matches.play` says.
        crossplay: as `_Job.crossplay` says; None without partnerships or with a size of 0.
        hands: by contestant ``bidding``, ``regret``, ``beliefs``, ``make`` and ``worst``; a part that cannot be had
            is ``{"unavailable": reason}``.
        curves: by contestant what `read_curves` found, None for those without a run.
        versions: what the numbers depend on.
    """

    contestants: list[Contestant]
    opponent: str
    rules: Rules
    seed: int
    sizes: Sizes
    ladder: list[dict[str, Any]]
    matches: dict[tuple[int, int], dict[str, Any]]
    crossplay: dict[str, Any] | None
    hands: list[dict[str, Any]]
    curves: list[dict[str, Any] | None]
    versions: dict[str, str]

    @property
    def unit(self) -> str:
        """Unit of scores."""
        return "marks" if self.rules.scoring == "marks" else "points"

    @property
    def subject(self) -> int:
        """Whose hands are shown: the first that was trained, else the last."""
        trained = [k for k, c in enumerate(self.contestants) if c.key()["files"]]
        return trained[0] if trained else len(self.contestants) - 1

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "contestants": [{"given": c.given, "label": c.label, **c.key()} for c in self.contestants],
            "opponent": self.opponent,
            "rules": rules_name(self.rules),
            "seed": self.seed,
            "sizes": asdict(self.sizes),
            "unit": self.unit,
            "ladder": self.ladder,
            "matches": [{"a": i, "b": j, **match} for (i, j), match in self.matches.items()],
            "crossplay": self.crossplay,
            "hands": self.hands,
            "curves": self.curves,
            "versions": self.versions,
        }


def measure(
    contestants: Sequence[Contestant],
    rules: Rules,
    parts: Parts,
    *,
    seed: int = 0,
    sizes: Sizes | None = None,
    opponent: str = "heuristic",
    workers: int = 1,
) -> Report:
    """Measure, or take from `parts`, everything a report shows.

    Args:
        contestants: who, at least one; a lone one meets only itself in the ladder.
        rules: the rules all play by.
        parts: finished parts.
        seed: of deals, agents, samples and bootstraps.
        sizes: how much is played.
        opponent: the fixed opponent of the cross-play, as `resolve_contestants` takes it.
        workers: processes that play the matches; the results do not depend on it.

    Raises:
        ContestantError: a bad opponent.
        OptionsError: an agent that does not fit the rules, or a bad size.
        AgentError: an agent answered an illegal action in a hand that it played with itself.
    """
    (against,) = resolve_contestants([opponent])
    job = _Job(list(contestants), rules, parts, seed, sizes or Sizes(), against)
    n = len(job.contestants)
    pairs = list(combinations(range(n), 2))
    partners = list(combinations_with_replacement(range(n), 2)) if job.has_partners else []
    for one in {against.spec, *(c.spec for c in job.contestants)}:
        _agent(one, rules)  # a bad one is found before anything is played
    parts.watcher.plan(len(pairs) + len(partners) + n)
    table = Matches(rules, seed, parts, workers)
    found = table.play([*(job.match(i, j) for i, j in pairs), *(job.partners(i, j) for i, j in partners)])
    matches = dict(zip(pairs, found[: len(pairs)], strict=True))
    crossplay = job.crossplay(partners, found[len(pairs) :]) if partners else None
    hands = [job.hands(i) for i in range(n)]
    return Report(
        contestants=job.contestants,
        opponent=against.label,
        rules=rules,
        seed=seed,
        sizes=job.sizes,
        ladder=_ladder(n, matches, seed),
        matches=matches,
        crossplay=crossplay,
        hands=hands,
        curves=[None if c.run is None else read_curves(c.run) for c in job.contestants],
        versions=versions(),
    )


@dataclass(frozen=True)
class _Job:
    """What all parts share."""

    contestants: list[Contestant]
    rules: Rules
    parts: Parts
    seed: int
    sizes: Sizes
    opponent: Contestant

    @property
    def has_partners(self) -> bool:
        return self.rules.seats > self.rules.sides and self.sizes.cross_deals > 0

    def _inputs(self, **more: Any) -> dict[str, Any]:
        return {"rules": self.rules.to_dict(), "seed": self.seed, **more}

    def match(self, i: int, j: int) -> Pairing:
        """Two contestants against each other."""
        a, b, deals = self.contestants[i], self.contestants[j], self.sizes.deals
        inputs = self._inputs(a=a.key(), b=b.key(), deals=deals)
        return Pairing(f"{a.label} against {b.label}", "match", a.spec, b.spec, deals, inputs)

    def partners(self, i: int, j: int) -> Pairing:
        """Two contestants as partners against the fixed opponent."""
        a, b, deals = self.contestants[i], self.contestants[j], self.sizes.cross_deals
        team = a.spec if i == j else f"{a.spec}+{b.spec}"
        inputs = self._inputs(a=a.key(), b=b.key(), opponent=self.opponent.key(), deals=deals)
        title = f"{a.label} with {b.label} against {self.opponent.label}"
        return Pairing(title, "partners", team, self.opponent.spec, deals, inputs)

    def crossplay(self, pairs: list[tuple[int, int]], results: list[dict[str, Any]]) -> dict[str, Any]:
        """All partnerships: ``mean``, ``low`` and ``high`` by partner and partner, and by contestant its score with
        itself, its mean score with the others, and the gap between them with its interval over deals."""
        n = len(self.contestants)
        scores = np.empty((n, n, self.sizes.cross_deals))
        tables = {name: [[0.0] * n for _ in range(n)] for name in ("mean", "low", "high")}
        for (i, j), found in zip(pairs, results, strict=True):
            scores[i, j] = scores[j, i] = found["scores"]
            for name, value in zip(tables, (found["mean"], *found["ci95"]), strict=True):
                tables[name][i][j] = tables[name][j][i] = value
        rows = [self._gap(scores, i) for i in range(n)] if n > 1 else []
        return {**tables, "gaps": rows}

    def _gap(self, scores: Any, i: int) -> dict[str, Any]:
        own = scores[i, i]
        others = np.delete(scores[i], i, axis=0).mean(axis=0)
        figures = {"self": own, "cross": others, "gap": own - others}
        return {
            name: {"mean": float(v.mean()), "ci95": list(bootstrap_interval(v, self.seed))}
            for name, v in figures.items()
        }

    def hands(self, i: int) -> dict[str, Any]:
        """A contestant in all seats: bidding, regret, calibration."""
        one = self.contestants[i]
        sizes = {name: value for name, value in asdict(self.sizes).items() if not name.endswith("deals")}
        inputs = self._inputs(a=one.key(), **sizes)
        steps = (2 * self.sizes.hands + self.sizes.sample, "steps")
        return self.parts.get(f"hands of {one.label}", "hands", inputs, steps, partial(self._hands, one))

    def _hands(self, one: Contestant, advance: Advance, unfinished: Path) -> dict[str, Any]:
        agent = _agent(one.spec, self.rules)
        log = play_hands(agent, self.rules, self.sizes.hands, self.seed, progress=advance)
        head = belief_head(agent)
        found: dict[str, Any] = {"bidding": bidding_report(log, self.seed), **self._regret(log, advance)}
        if head is None:
            found["beliefs"] = {"unavailable": NO_BELIEFS}
        else:
            beliefs = log_beliefs(log, head, limit=self.sizes.beliefs, seed=self.seed)
            found["beliefs"] = belief_report(log, beliefs, self.seed)
        found["make"] = _or_reason(lambda: make_report(log, make_forecasts(log, self.seed)))
        return found

    def _regret(self, log: HandLog, advance: Advance) -> dict[str, Any]:
        try:
            regrets = measure_regret(
                log, sample=self.sizes.sample, worlds=self.sizes.worlds, seed=self.seed, progress=_thinned(log, advance)
            )
        except OptionsError as error:
            return {"regret": {"unavailable": str(error)}, "worst": []}
        return {"regret": regret_report(regrets, self.seed), "worst": worst_hands(log, regrets)}


def _or_reason(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return work()
    except OptionsError as error:
        return {"unavailable": str(error)}


def _agent(spec: str, rules: Rules) -> Any:
    try:
        return make_agent(spec, rules)
    except ValueError as error:
        raise OptionsError(str(error)) from error


def _thinned(log: HandLog, advance: Advance) -> Advance:
    """About one step for each hand solved, then one for each play of the sample."""
    open_plays = int((log.masks[log.plays].sum(axis=1, dtype=np.int64) > 1).sum())
    done = 0

    def told(n: int) -> None:
        nonlocal done
        before, done = done, done + n
        if done > open_plays:
            advance(n)
        else:
            advance(done * log.n_hands // max(open_plays, 1) - before * log.n_hands // max(open_plays, 1))

    return told


def _ladder(n: int, matches: dict[tuple[int, int], dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Each contestant's mean score against the others, by deal; deals are common to all matches."""
    out: list[dict[str, Any]] = []
    for k in range(n):
        mine = [np.array(m["scores"]) * (1 if i == k else -1) for (i, j), m in matches.items() if k in (i, j)]
        if not mine:
            out.append({"mean": None, "ci95": None})
            continue
        by_deal = np.mean(mine, axis=0)
        out.append({"mean": float(by_deal.mean()), "ci95": list(bootstrap_interval(by_deal, seed))})
    return out
