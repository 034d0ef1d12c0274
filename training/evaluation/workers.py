"""Processes that play jobs. One that a player brings down, or in which it hangs, is replaced and the player named."""

import contextlib
import math
import multiprocessing
import time
from collections.abc import Iterable, Iterator, Mapping
from multiprocessing.connection import Connection, wait
from typing import Any

from texas42.training.evaluation.forfeit import seconds_allowed
from texas42.training.evaluation.jobs import Job, Outcome, Player

GRACE = 30.0
"""Seconds over its time after which a player counts as hung."""
COMPILING = 300.0
"""Seconds more for what a player does in the deal that does not count."""
MAKING = 900.0
"""Seconds that making a team may take."""
_POLL = 0.5


def serve(connection: Connection, board: Any, setting: Mapping[str, Any]) -> None:
    """What a worker process does: play every job that comes until the connection closes.

    `board` tells the parent which team is busy (-1 for none) and when its time is up.
    """
    job: Job | str = ""

    def watch(team: int, decisions: int) -> None:
        playing = isinstance(job, Job) and (job.a, job.b) in player.matches
        more = GRACE if playing else COMPILING
        seconds = seconds_allowed(player.setting.limit, decisions) + more if decisions else MAKING
        board[0], board[1] = team, math.inf if team < 0 else time.time() + seconds

    player = Player(setting, watch)
    while True:
        try:
            job = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        outcome = player.check(job) if isinstance(job, str) else player.play(job)
        board[0], board[1] = -1, math.inf
        connection.send(outcome)


class Worker:
    """One process, and the job it is at."""

    def __init__(self, setting: Mapping[str, Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self.board = context.Array("d", [-1, math.inf], lock=False)
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, self.board, setting), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | str | None = None

    def give(self, job: Job | str) -> None:
        """Start a job."""
        self.job = job
        with contextlib.suppress(OSError):  # a process that died idle is found when its answer is read
            self.connection.send(job)

    def outcome(self) -> Outcome:
        """What came of the job; the process is lost if the connection broke."""
        try:
            outcome: Outcome = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            return self._lost(f"its process ended with code {self.process.exitcode}")
        return outcome

    def hung(self) -> Outcome | None:
        """The outcome of a job whose player does not come back, else None; the process is then killed."""
        if time.time() <= self.board[1]:
            return None
        outcome = self._lost("did not answer, and its process was stopped")
        self.process.kill()
        self.process.join()
        return outcome

    def _lost(self, reason: str) -> Outcome:
        return Outcome(lost=reason, culprit=int(self.board[0]))

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.kill()
        self.process.join()


class LocalPool:
    """Some processes on this machine.

    Args:
        n: how many.
        setting: what `plain_setting` gave.
    """

    def __init__(self, n: int, setting: Mapping[str, Any]) -> None:
        self.n, self.setting = n, setting
        self.workers: list[Worker] = []

    def run(self, jobs: Iterable[Job | str]) -> Iterator[tuple[Job | str, Outcome]]:
        """Outcomes in the order in which they come; `jobs` is asked for the next when a process is free."""
        waiting = iter(jobs)
        while True:
            busy = [worker for worker in self.workers if worker.job is not None]
            while len(busy) < self.n and (job := next(waiting, None)) is not None:
                busy.append(self._free())
                busy[-1].give(job)
            if not busy:
                return
            yield from self._finished(busy)

    def _free(self) -> Worker:
        for worker in self.workers:
            if worker.job is None:
                return worker
        self.workers.append(Worker(self.setting))
        return self.workers[-1]

    def _finished(self, busy: list[Worker]) -> list[tuple[Job | str, Outcome]]:
        ready = wait([worker.connection for worker in busy], timeout=_POLL)
        found = []
        for worker in busy:
            outcome = worker.outcome() if worker.connection in ready else worker.hung()
            if outcome is None or worker.job is None:
                continue
            found.append((worker.job, outcome))
            worker.job = None
            if outcome.lost is not None:
                worker.close()
                self.workers.remove(worker)
        return found

    def close(self) -> None:
        """End all processes."""
        for worker in self.workers:
            worker.close()
        self.workers = []
