"""Pieces of matches that any process can play: a job in, plain values out."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.training.evaluation.forfeit import penalty
from texas42.training.evaluation.match import Match, Setting, empty_sums
from texas42.training.evaluation.sums import Sums
from texas42.training.evaluation.teams import count_sittings, make_team

CHUNK = 128
LARGE = 1024
SMALL_UNTIL = 16 * CHUNK
"""Deals of a job, of one after the first `SMALL_UNTIL` deals (large batches suit networks), and where those begin.

Fixed, so that what was kept of a shorter run serves a longer one."""
_KEPT = 4
"""Matches whose players stay loaded in a process."""


@dataclass(frozen=True)
class Job:
    """Deals ``first .. first + n`` of a match of two teams, given as specs."""

    a: str
    b: str
    first: int
    n: int


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Attributes:
        sums: plain values for `Sums.load`; None where the process was lost or the teams cannot be made.
        error: why the teams cannot be made.
        lost: why the process was lost.
        culprit: the team that was being asked when it was lost, 0 or 1; -1 for neither.
    """

    sums: dict[str, Any] | None = None
    error: str | None = None
    lost: str | None = None
    culprit: int = -1


def jobs_of(a: str, b: str, deals: int) -> list[Job]:
    """The jobs of a match, in the order of its deals."""
    small, large = range(0, min(deals, SMALL_UNTIL), CHUNK), range(SMALL_UNTIL, deals, LARGE)
    starts = [*small, *large, deals]
    return [Job(a, b, first, end - first) for first, end in pairwise(starts)]


def plain_setting(setting: Setting) -> dict[str, Any]:
    """A setting as plain values, for another process."""
    return {**asdict(replace(setting, rules=_NO_RULES)), "rules": setting.rules.to_dict(), "folder": os.getcwd()}


_NO_RULES: Any = None


class Player:
    """Plays jobs under one setting in this process; players stay loaded from one job to the next.

    Args:
        setting: what `plain_setting` gave.
        watch: told which team is being made or asked, with the number of decisions (0 while it is made).
    """

    def __init__(self, setting: Mapping[str, Any], watch: Any = None) -> None:
        values = {name: value for name, value in setting.items() if name != "folder"}
        self.setting = Setting(**{**values, "rules": resolve_rules(setting["rules"])})
        self.folder, self.watch = str(setting["folder"]), watch
        self.matches: dict[tuple[str, str], Match] = {}

    def play(self, job: Job) -> Outcome:
        """Play a job. Errors of players are forfeits if the setting says so."""
        os.chdir(self.folder)  # specs name files from where the run was started
        try:
            match = self._match(job.a, job.b)
        except OptionsError as error:
            return Outcome(error=str(error))
        return Outcome(match.play(job.first, job.n).to_plain())

    def check(self, team: str) -> Outcome:
        """Whether a team can be made."""
        os.chdir(self.folder)
        if self.watch is not None:
            self.watch(0, 0)
        try:
            make_team(team, self.setting.rules)
        except OptionsError as error:
            return Outcome(error=str(error))
        return Outcome()

    def _match(self, a: str, b: str) -> Match:
        if (a, b) not in self.matches:
            while len(self.matches) >= _KEPT:
                del self.matches[next(iter(self.matches))]
            teams = []
            for number, team in enumerate((a, b)):
                if self.watch is not None:
                    self.watch(number, 0)
                teams.append(make_team(team, self.setting.rules))
            match = Match(teams[0], teams[1], self.setting, self.watch)
            match.warm_up()
            self.matches[a, b] = match
        return self.matches[a, b]


def forfeited(setting: Setting, job: Job, team: int, reason: str) -> Sums:
    """The sums of a job whose every hand (or game) team 0 or 1 forfeits; as if a hand had ended before its first bid.

    A forfeited game is lost by the target to nothing.
    """
    rules = setting.rules
    sums = empty_sums(setting, count_sittings(job.a, job.b, rules))
    shape = (job.n, sums.sittings)
    games = setting.episode == "game"
    margin = _margin(rules, team) if not games else rules.target * (rules.sides - 1) * (1 if team else -1)
    sums.margins = np.full(shape, margin, np.int64)
    if games:
        sums.wins = np.full(shape, 1 if team else -1, np.int64)
    sums.forfeits[team] = sums.margins.size
    sums.note(f"{(job.a, job.b)[team]}: {reason}", sums.margins.size)
    return sums


def _margin(rules: Rules, team: int) -> int:
    """A's score times the number of other sides minus theirs, when A, or one side of B, forfeits a hand."""
    cost, others = penalty(rules), rules.sides - 1
    if team == 0:
        return -(cost.lost + cost.given) * others
    return cost.given * others - (cost.given * (others - 1) - cost.lost)
