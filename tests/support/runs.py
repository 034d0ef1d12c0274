"""Listeners of training runs: one that is silent, and one that ends the run as a kill would."""

from texas42.training.metrics import Metrics


class Silent:
    """Hears everything and says nothing."""

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def step(self, done: int, metrics: Metrics) -> None:
        pass


class Killed(Exception):
    """Stands for a kill at this point: nothing is saved any more."""


class KillAt(Silent):
    """Ends the process, as far as the run can tell, before or after a step is saved."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def step(self, done: int, metrics: Metrics) -> None:
        self.left -= 1
        if self.left == 0:
            raise Killed
