"""The same jobs on a Ray cluster (extra `ray`). Results do not depend on where a job is played."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from texas42.envs.errors import OptionsError
from texas42.training.evaluation.jobs import Job, Outcome, Player
from texas42.training.evaluation.workers import LocalPool

PATIENCE = 3600.0
"""Seconds without any finished job after which those on the cluster are given up and played here."""

_player: tuple[Mapping[str, Any], Player] | None = None


def play_here(setting: Mapping[str, Any], job: Job) -> Outcome:
    """A job in this process, which keeps its players for the next one of the same setting."""
    global _player
    if _player is None or _player[0] != setting:
        _player = setting, Player(setting)
    return _player[1].play(job)


class RayPool:
    """Jobs as Ray tasks: on the cluster that RAY_ADDRESS names, else on a local one of `n` workers.

    Checks of teams, and jobs whose Ray worker died or hung, are done in a process here, which tells who is to blame.

    Raises:
        OptionsError: Ray is not installed.
    """

    def __init__(self, n: int, setting: Mapping[str, Any]) -> None:
        try:
            import ray
        except ModuleNotFoundError as error:
            raise OptionsError("a Ray cluster needs ray; in the clone: pip install '.[ray]'") from error
        self.ray: Any = ray
        self.started = not ray.is_initialized()
        if self.started:
            local = {"num_cpus": n, "include_dashboard": False}
            options: dict[str, Any] = {} if os.environ.get("RAY_ADDRESS") else local
            ray.init(log_to_driver=False, logging_level="ERROR", **options)
        self.in_flight = 2 * max(n, int(ray.cluster_resources().get("CPU", n)))
        self.task: Any = ray.remote(num_cpus=1, max_retries=0)(play_here)
        self.setting = ray.put(dict(setting))
        self.local = LocalPool(1, setting)

    def run(self, jobs: Iterable[Job | str]) -> Iterator[tuple[Job | str, Outcome]]:
        """Outcomes in the order in which they come."""
        waiting, flying = iter(jobs), dict[Any, Job]()
        while True:
            while len(flying) < self.in_flight and (job := next(waiting, None)) is not None:
                if isinstance(job, str):
                    yield from self.local.run([job])
                else:
                    flying[self.task.remote(self.setting, job)] = job
            if not flying:
                return
            ready, _ = self.ray.wait(list(flying), num_returns=1, timeout=PATIENCE)
            for future in ready or list(flying):
                yield from self._outcome(future, flying.pop(future), bool(ready))

    def _outcome(self, future: Any, job: Job, ready: bool) -> Iterator[tuple[Job | str, Outcome]]:
        if ready:
            try:
                yield job, self.ray.get(future)
                return
            except (self.ray.exceptions.WorkerCrashedError, self.ray.exceptions.RaySystemError):
                pass
        else:
            self.ray.cancel(future, force=True)
        yield from self.local.run([job])

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        self.local.close()
        if self.started:
            self.ray.shutdown()
