"""One page about some policies: ladder, cross-play, bidding, regret, calibration, learning curves, hands."""

from texas42.training.evaluation.report.contestants import Contestant, ContestantError, resolve_contestants
from texas42.training.evaluation.report.measure import Report, Sizes, measure
from texas42.training.evaluation.report.parts import Parts, Watcher

__all__ = [
    "Contestant",
    "ContestantError",
    "Parts",
    "Report",
    "Sizes",
    "Watcher",
    "measure",
    "resolve_contestants",
]
