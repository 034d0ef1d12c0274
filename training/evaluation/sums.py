"""What a match adds up over its deals: as arrays while it is played, as plain values in files and between processes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.tally import Tally

Int64 = npt.NDArray[np.int64]
MOST_NOTES = 20
"""Different notes that are kept; of the others only their number."""


@dataclass
class Sums:
    """Figures of consecutive deals of a match. Axis "team": 0 is A, 1 is B.

    Attributes:
        tally: bids, contracts, points of the hands that were played to their end.
        sittings: how often each deal is played.
        margins: per deal and sitting A's score times the number of other sides, minus the others' scores:
            int64 (deals, sittings).
        wins: of whole games, 1 if A won, -1 if another side did, 0 if neither: int64 (deals, sittings); else (0, ...).
        seconds, decisions: CPU seconds and decisions by team, float64 and int64 (2,).
        forfeits: hands forfeited by team, int64 (2,).
        notes: why, with how often.
        cpu_s: CPU seconds of the process, engine and agents together.
    """

    tally: Tally
    sittings: int
    margins: Int64 = field(init=False)
    wins: Int64 = field(init=False)
    seconds: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(2))
    decisions: Int64 = field(default_factory=lambda: np.zeros(2, np.int64))
    forfeits: Int64 = field(default_factory=lambda: np.zeros(2, np.int64))
    notes: dict[str, int] = field(default_factory=dict)
    cpu_s: float = 0.0

    def __post_init__(self) -> None:
        self.margins = np.empty((0, self.sittings), np.int64)
        self.wins = np.empty((0, self.sittings), np.int64)

    @property
    def deals(self) -> int:
        """Deals played so far."""
        return len(self.margins)

    def scores(self, rules: Rules) -> npt.NDArray[np.float64]:
        """Per deal A's score minus the mean of the other sides', averaged over the sittings, float64 (deals,)."""
        return np.asarray(self.margins.sum(axis=1) / ((rules.sides - 1) * self.sittings))

    def note(self, text: str, times: int = 1) -> None:
        """Keep a note on a forfeited hand."""
        if text not in self.notes and len(self.notes) >= MOST_NOTES:
            text = "other reasons"
        self.notes[text] = self.notes.get(text, 0) + times

    def add(self, other: "Sums") -> None:
        """Add the deals that follow these."""
        self.tally.merge(other.tally)
        self.margins = np.concatenate([self.margins, other.margins])
        self.wins = np.concatenate([self.wins, other.wins])
        self.seconds = self.seconds + other.seconds
        self.decisions = self.decisions + other.decisions
        self.forfeits = self.forfeits + other.forfeits
        for text, times in other.notes.items():
            self.note(text, times)
        self.cpu_s += other.cpu_s

    def to_plain(self) -> dict[str, Any]:
        """Plain values for JSON; `load` reads them back without loss."""
        return {
            "tally": self.tally.to_plain(),
            "margins": self.margins.tolist(),
            "wins": self.wins.tolist(),
            "seconds": self.seconds.tolist(),
            "decisions": self.decisions.tolist(),
            "forfeits": self.forfeits.tolist(),
            "notes": self.notes,
            "cpu_s": self.cpu_s,
        }

    def load(self, plain: Mapping[str, Any]) -> "Sums":
        """Take over what `to_plain` wrote of a match of the same kind; returns itself.

        Raises:
            ValueError: values that are missing or do not fit.
        """
        try:
            self.tally.load(plain["tally"])
            self.margins = np.array(plain["margins"], np.int64).reshape(-1, self.sittings)
            self.wins = np.array(plain["wins"], np.int64).reshape(-1, self.sittings)
            self.seconds = np.array(plain["seconds"], np.float64).reshape(2)
            self.decisions = np.array(plain["decisions"], np.int64).reshape(2)
            self.forfeits = np.array(plain["forfeits"], np.int64).reshape(2)
            self.notes = {str(text): int(times) for text, times in plain["notes"].items()}
            self.cpu_s = float(plain["cpu_s"])
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"sums of a match are damaged: {error!r}") from error
        return self
