"""Learning curves of a run, from its TensorBoard events."""

import logging
import math
from pathlib import Path
from typing import Any

from texas42.training.evaluation.report.contestants import EVENTS

CURVES = (
    "evaluation/marks_per_deal",
    "evaluation/low",
    "evaluation/high",
    "hands/made",
    "belief/bits",
    "policy/entropy_play",
    "policy/entropy_auction",
)
"""Metrics of docs/METRICS.md that the report shows."""
MAX_POINTS = 400


def read_curves(run: Path) -> dict[str, Any]:
    """The curves of a run folder.

    Returns:
        By metric ``{"steps": [...], "values": [...]}``, at most `MAX_POINTS` of them evenly spread; x is decisions
        learnt from. ``{"unavailable": reason}`` where TensorBoard is not installed or there are no events.
    """
    try:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    except ImportError:
        return {"unavailable": "TensorBoard is not installed; in the clone: pip install '.[report]'"}
    events = EventAccumulator(str(run / EVENTS), size_guidance={"scalars": 0})
    logger = logging.getLogger("tensorboard")
    level = logger.level
    logger.setLevel(logging.WARNING)  # it tells of every file it has read to the end
    try:
        events.Reload()
    finally:
        logger.setLevel(level)
    tags = events.Tags().get("scalars", [])
    found = {tag: _points(events.Scalars(tag)) for tag in CURVES if tag in tags}
    return found or {"unavailable": f"no curves in {run.name}/{EVENTS}"}


def _points(scalars: Any) -> dict[str, list[float]]:
    finite = [(int(s.step), float(s.value)) for s in scalars if math.isfinite(s.value)]
    if len(finite) > MAX_POINTS:
        finite = [finite[k * (len(finite) - 1) // (MAX_POINTS - 1)] for k in range(MAX_POINTS)]
    return {"steps": [step for step, _ in finite], "values": [value for _, value in finite]}
