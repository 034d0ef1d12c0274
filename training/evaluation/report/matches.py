"""The matches of a report: played here one after the other, or by several processes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.match import Setting, play_match
from texas42.training.evaluation.pairings import play_pairings
from texas42.training.evaluation.report.parts import Advance, Parts
from texas42.training.evaluation.result import MatchResult


@dataclass(frozen=True)
class Pairing:
    """One match.

    Attributes:
        title: what the watcher is told.
        kind: first word of the file its result is kept in.
        a, b: the teams' specs.
        deals: how many.
        inputs: plain values on which the result depends.
    """

    title: str
    kind: str
    a: str
    b: str
    deals: int
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class Matches:
    """How matches are played and where they are kept; a player that fails forfeits the hand.

    Attributes:
        rules, seed: of all matches.
        parts: finished ones.
        workers: processes; the results do not depend on it.
    """

    rules: Rules
    seed: int
    parts: Parts
    workers: int = 1

    def play(self, pairings: Sequence[Pairing]) -> list[dict[str, Any]]:
        """Play what is not finished.

        Returns:
            For each ``mean``, ``ci95``, ``scores`` by deal (A's minus B's), ``cpu_s_per_decision``, ``forfeits`` and
            why (``notes``), of A and of B.

        Raises:
            OptionsError: a team that does not fit the rules, or a bad number.
        """
        if self.workers > 1:
            missing = [p for p in pairings if self.parts.find(p.kind, p.inputs) is None]
            for deals in sorted({p.deals for p in missing}):
                self._play_ahead([p for p in missing if p.deals == deals], deals)
        return [self._one(pairing) for pairing in pairings]

    def _play_ahead(self, pairings: Sequence[Pairing], deals: int) -> None:
        """Many matches by several processes; what is unfinished is kept in a journal."""
        setting, journal = Setting(self.rules, self.seed), self.parts.folder / "matches.unfinished"
        title = f"{len(pairings)} matches by {self.workers} processes"
        with self.parts.watcher.working(title, deals * len(pairings), "deals", counts=False) as advance:
            teams = [(p.a, p.b) for p in pairings]
            found = play_pairings(teams, setting, deals, workers=self.workers, journal=journal, progress=advance)
        for pairing, result in zip(pairings, found, strict=True):
            self.parts.keep(pairing.kind, pairing.inputs, _plain(result))
        journal.unlink(missing_ok=True)

    def _one(self, pairing: Pairing) -> dict[str, Any]:
        def work(advance: Advance, unfinished: Path) -> dict[str, Any]:
            result = play_match(
                pairing.a,
                pairing.b,
                self.rules,
                pairing.deals,
                self.seed,
                progress=advance,
                saved=unfinished,
                faults="forfeit",
            )
            return _plain(result)

        return self.parts.get(pairing.title, pairing.kind, pairing.inputs, (pairing.deals, "deals"), work)


def _plain(result: MatchResult) -> dict[str, Any]:
    return {
        "mean": result.mean,
        "ci95": list(result.ci95),
        "scores": result.scores.tolist(),
        "cpu_s_per_decision": list(result.cpu_s_per_decision),
        "forfeits": list(result.forfeits),
        "notes": result.notes,
    }
