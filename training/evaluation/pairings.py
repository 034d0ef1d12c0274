"""Many matches at once: split into jobs, played by several processes, kept in a journal, put together again."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from texas42.envs.errors import OptionsError
from texas42.training.evaluation.jobs import Job, Outcome, forfeited, jobs_of, plain_setting
from texas42.training.evaluation.match import Progress, Setting, empty_sums
from texas42.training.evaluation.ray_pool import RayPool
from texas42.training.evaluation.result import MatchResult, make_result
from texas42.training.evaluation.sums import Sums
from texas42.training.evaluation.teams import count_sittings
from texas42.training.evaluation.workers import LocalPool

STRIKES = 2
"""Processes a team may bring down before it is not asked again."""

Pairing = tuple[str, str]


class Journal:
    """Finished jobs, one a line, in a file; a line cut off by a kill is passed over.

    Args:
        path: the file; None keeps nothing.
        setting: how the matches are played; jobs of others in the same file are left alone.

    Raises:
        OptionsError: the file cannot be read or written.
    """

    def __init__(self, path: Path | None, setting: Setting) -> None:
        self.path, self.setting = path, setting
        self._keys: dict[Pairing, str] = {}
        self._found: dict[tuple[str, int, int], dict[str, Any]] = {}
        if path is None:
            return
        try:
            lines = path.read_text("utf-8").split("\n") if path.exists() else []
            with path.open("a", encoding="utf-8") as file:
                if lines and lines[-1]:
                    file.write("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise OptionsError(f"cannot use {path}: {error}") from error
        for line in lines:
            self._take(line)

    def _take(self, line: str) -> None:
        try:
            entry = json.loads(line)
            self._found[str(entry["key"]), int(entry["first"]), int(entry["n"])] = dict(entry["sums"])
        except (ValueError, KeyError, TypeError):
            return

    def _key(self, job: Job) -> str:
        pairing = (job.a, job.b)
        if pairing not in self._keys:
            self._keys[pairing] = json.dumps(self.setting.key(*pairing), sort_keys=True)
        return self._keys[pairing]

    def find(self, job: Job) -> dict[str, Any] | None:
        """Plain sums of a job that was played before."""
        return self._found.get((self._key(job), job.first, job.n)) if self.path is not None else None

    def add(self, job: Job, sums: dict[str, Any]) -> None:
        """Keep a finished job."""
        if self.path is None:
            return
        entry = {"key": self._key(job), "first": job.first, "n": job.n, "sums": sums}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def play_pairings(
    pairings: Sequence[Pairing],
    setting: Setting,
    deals: int,
    *,
    workers: int = 1,
    ray: bool = False,
    journal: Path | None = None,
    progress: Progress | None = None,
) -> list[MatchResult]:
    """Play a match of `deals` deals for every pairing of two teams (specs).

    Players that fail forfeit hands, whatever `setting.faults` says; one that brings down or blocks its process
    forfeits the deals it was at, and after `STRIKES` of these all that are left. Results depend neither on the number
    of processes nor on where they run.

    Args:
        pairings: the teams.
        setting: how they play.
        deals: of each match.
        workers: processes.
        ray: play on a Ray cluster instead (`RayPool`).
        journal: a file that keeps finished jobs; the same call goes on from it.
        progress: told how many deals have just been finished.

    Raises:
        OptionsError: a bad number, a team that cannot be made, Ray asked for and not there.
    """
    if deals < 1 or workers < 1:
        raise OptionsError(f"deals={deals} and workers={workers} must be at least 1")
    setting = replace(setting, faults="forfeit")
    pool = (RayPool if ray else LocalPool)(workers, plain_setting(setting))
    try:
        return _Play(pairings, setting, deals, pool, Journal(journal, setting), progress).results()
    finally:
        pool.close()


class _Play:
    """One call of `play_pairings`."""

    def __init__(
        self,
        pairings: Sequence[Pairing],
        setting: Setting,
        deals: int,
        pool: LocalPool | RayPool,
        journal: Journal,
        progress: Progress | None,
    ) -> None:
        self.pairings, self.setting, self.deals, self.pool = pairings, setting, deals, pool
        self.journal, self.progress = journal, progress
        self.done: dict[Job, Sums] = {}
        self.strikes: dict[str, int] = {}
        self.again: list[Job] = []

    def results(self) -> list[MatchResult]:
        for kept, plain in self._kept():
            self._finish(kept, self._load(kept, plain))
        self._check_teams()
        for job, outcome in self.pool.run(self._jobs()):
            assert isinstance(job, Job)
            self._take(job, outcome)
        while self.again:
            again = self.again.pop()
            for _, outcome in self.pool.run([again]):
                if outcome.lost is not None and outcome.culprit < 0:
                    raise RuntimeError(f"{again.a} against {again.b}: {outcome.lost} twice, outside of any player")
                self._take(again, outcome)
        return [self._result(a, b) for a, b in self.pairings]

    def _all_jobs(self) -> list[Job]:
        return [job for a, b in dict.fromkeys(self.pairings) for job in jobs_of(a, b, self.deals)]

    def _kept(self) -> Iterator[tuple[Job, dict[str, Any]]]:
        for job in self._all_jobs():
            plain = self.journal.find(job)
            if plain is not None:
                yield job, plain

    def _jobs(self) -> Iterator[Job]:
        """The jobs still to be played; those of teams that are out are forfeited as their turn comes."""
        for job in self._all_jobs():
            out = [self.strikes.get(team, 0) >= STRIKES for team in (job.a, job.b)]
            if job in self.done:
                continue
            if any(out):
                self._finish(job, forfeited(self.setting, job, out.index(True), "not asked again"))
            else:
                yield job

    def _check_teams(self) -> None:
        """Make every team that has to play once, so that a bad spec is found before anything is played.

        Raises:
            OptionsError: one cannot be made.
        """
        teams = dict.fromkeys(team for job in self._all_jobs() if job not in self.done for team in (job.a, job.b))
        for team, outcome in self.pool.run(list(teams)):
            if outcome.error is not None:
                raise OptionsError(outcome.error)
            if outcome.lost is not None:
                self.strikes[str(team)] = STRIKES

    def _take(self, job: Job, outcome: Outcome) -> None:
        if outcome.error is not None:
            raise OptionsError(outcome.error)
        if outcome.sums is not None:
            self._finish(job, self._load(job, outcome.sums))
            self.journal.add(job, outcome.sums)
        elif outcome.culprit < 0:
            self.again.append(job)
        else:
            team = (job.a, job.b)[outcome.culprit]
            self.strikes[team] = self.strikes.get(team, 0) + 1
            self._finish(job, forfeited(self.setting, job, outcome.culprit, str(outcome.lost)))

    def _load(self, job: Job, plain: dict[str, Any]) -> Sums:
        return empty_sums(self.setting, count_sittings(job.a, job.b, self.setting.rules)).load(plain)

    def _finish(self, job: Job, sums: Sums) -> None:
        self.done[job] = sums
        if self.progress is not None:
            self.progress(job.n)

    def _result(self, a: str, b: str) -> MatchResult:
        total = empty_sums(self.setting, count_sittings(a, b, self.setting.rules))
        for job in jobs_of(a, b, self.deals):
            total.add(self.done[job])
        return make_result(a, b, self.setting, total)
