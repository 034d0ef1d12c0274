"""Counts of finished hands by team: contracts, calls, declarations, points."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.engine.state import Batch
from texas42.envs.rules.codec import Codec
from texas42.envs.rules.rules import Rules

Counts = npt.NDArray[np.int64]
A, B = 0, 1
_NUMBERS = ("hands", "thrown_in")
_ARRAYS = ("contracts", "made", "declared", "declared_made", "forced", "calls", "points")


@dataclass
class Tally:
    """Sums over finished hands. The first axis of every array is the team: 0 is A, 1 is B.

    Attributes:
        bidding: whether calls are the teams' own; they are not counted under a given contract.
        hands: hands with a contract.
        thrown_in: hands that all passed.
        contracts, made: hands played and made by winning call, shape (2, calls).
        declared, declared_made: the same by declaration, shape (2, declarations).
        forced: contracts of a last caller whom the rules made bid, shape (2,).
        calls: every call of every seat, PASS included, shape (2, calls).
        points: points taken in tricks; team B's are the mean over its sides, shape (2,).
    """

    rules: Rules
    codec: Codec
    bidding: bool = True
    hands: int = 0
    thrown_in: int = 0
    contracts: Counts = field(init=False)
    made: Counts = field(init=False)
    declared: Counts = field(init=False)
    declared_made: Counts = field(init=False)
    forced: Counts = field(init=False)
    calls: Counts = field(init=False)
    points: npt.NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        n_calls, n_decls = len(self.codec.ladder), len(self.codec.declarations)
        self.contracts, self.made, self.calls = (np.zeros((2, n_calls), np.int64) for _ in range(3))
        self.declared, self.declared_made = (np.zeros((2, n_decls), np.int64) for _ in range(2))
        self.forced = np.zeros(2, np.int64)
        self.points = np.zeros(2)

    def add(self, states: Batch, sides: npt.NDArray[np.int64]) -> None:
        """Count finished hands; `sides` is team A's side in each row, shape (n,)."""
        if self.bidding:
            self._add_calls(states, sides)
        with_contract = states["made"] >= 0
        self.thrown_in += int(len(states) - with_contract.sum())
        played, sides = states[with_contract], sides[with_contract]
        self.hands += len(played)
        teams = (played["bidder"] % self.rules.sides != sides).astype(np.int64)
        made = played["made"].astype(np.int64)
        self.contracts += _count(teams, played["call"], self.contracts.shape)
        self.made += _count(teams, played["call"], self.made.shape, made)
        self.declared += _count(teams, played["decl"], self.declared.shape)
        self.declared_made += _count(teams, played["decl"], self.declared_made.shape, made)
        if self.bidding and self.rules.all_pass == "forced_last":
            self.forced += np.bincount(teams, played["last"], minlength=2).astype(np.int64)
        taken = played["taken"][:, : self.rules.sides].astype(np.int64)
        mine = taken[np.arange(len(played)), sides].sum()
        self.points += (mine, (taken.sum() - mine) / (self.rules.sides - 1))

    def _add_calls(self, states: Batch, sides: npt.NDArray[np.int64]) -> None:
        width = int(states["n_calls"].max(initial=0))
        called = np.arange(width) < states["n_calls"][:, None]
        teams = states["callers"][:, :width].astype(np.int64) % self.rules.sides != sides[:, None]
        self.calls += _count(teams[called].astype(np.int64), states["calls"][:, :width][called], self.calls.shape)

    def merge(self, other: "Tally") -> None:
        """Add the counts of other hands under the same rules."""
        for name in (*_NUMBERS, *_ARRAYS):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def to_plain(self) -> dict[str, Any]:
        """Plain values for JSON; `load` reads them back."""
        numbers: dict[str, Any] = {name: getattr(self, name) for name in _NUMBERS}
        return numbers | {name: getattr(self, name).tolist() for name in _ARRAYS}

    def load(self, plain: Mapping[str, Any]) -> None:
        """Take over what `to_plain` wrote under the same rules.

        Raises:
            KeyError, ValueError: a count is missing or has another shape.
        """
        for name in _NUMBERS:
            setattr(self, name, int(plain[name]))
        for name in _ARRAYS:
            array = getattr(self, name)
            setattr(self, name, np.array(plain[name], array.dtype).reshape(array.shape))

    def report(self) -> dict[str, object]:
        """Plain numbers for JSON: rates are None where nothing was played."""
        names = [call.name for call in self.codec.ladder]
        decls = [declaration.name for declaration in self.codec.declarations]
        return {
            "hands": self.hands,
            "thrown_in": self.thrown_in,
            "points_per_hand": _teams(lambda k: _rate(float(self.points[k]), self.hands)),
            "contract_rate": _teams(lambda k: _rate(self.contracts[k].sum(), self.hands)),
            "make_rate": _teams(lambda k: _rate(self.made[k].sum(), self.contracts[k].sum())),
            "set_rate": _teams(lambda k: _rate((self.contracts - self.made)[k].sum(), self.contracts[k].sum())),
            "forced_contracts": _teams(lambda k: int(self.forced[k])),
            "calls": _teams(lambda k: {n: int(c) for n, c in zip(names, self.calls[k], strict=True) if c}),
            "contracts": _teams(lambda k: _played(names, self.contracts[k], self.made[k])),
            "declarations": _teams(lambda k: _played(decls, self.declared[k], self.declared_made[k])),
        }


def _count(
    teams: npt.NDArray[np.int64], what: npt.NDArray[np.int64], shape: tuple[int, ...], weights: Counts | None = None
) -> Counts:
    flat = np.bincount(teams * shape[1] + what, weights, minlength=shape[0] * shape[1])
    return flat.astype(np.int64).reshape(shape)


def _teams(value: object) -> dict[str, object]:
    return {"a": value(A), "b": value(B)}  # type: ignore[operator]


def _rate(part: float, whole: float) -> float | None:
    return float(part) / float(whole) if whole else None


def _played(names: list[str], played: Counts, made: Counts) -> dict[str, dict[str, int]]:
    rows = zip(names, played, made, strict=True)
    return {name: {"played": int(p), "made": int(m)} for name, p, m in rows if p}
