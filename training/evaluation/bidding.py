"""Bidding: who calls what over what, how often it is made, and what it wins."""

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.rules.ladder import PASS, SPECIAL, Call
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.bootstrap import bootstrap_interval
from texas42.training.evaluation.handlog import HandLog
from texas42.training.evaluation.intervals import wilson_interval

NOTHING = "nothing"
"""What stands before the first bid."""

Float64 = npt.NDArray[np.float64]
_SPECIAL_DECLARATIONS = ("NELLO", "SEVENS", "LOPER", "COUNT")


def bidding_report(log: HandLog, seed: int = 0) -> dict[str, Any]:
    """The bidding of a log as plain values.

    Args:
        log: hands with an auction.
        seed: of the bootstrap.

    Returns:
        ``hands``, ``thrown_in``, ``forced`` (contracts of a last caller whom the rules made bid, None where
        they never do), ``unit``;
        ``calls``: list of ``{"seat", "standing", "calls": {name: count}}`` by seat (0 the shaker, k the k-th to his
        left) and standing bid (`NOTHING` before the first);
        ``levels``: by winning call, ascending, `_level`; ``choice`` and ``forced_level``: the same of all contracts
        of choice and of all forced ones; ``declarations``: by name, the most frequent first, `_level`;
        ``specials``: special contracts by name, `_level` with how often they were ``called``.
    """
    finals, rules = log.finals, log.rules
    played = finals["made"] >= 0
    forces = rules.all_pass == "forced_last"
    forced = played & (finals["last"] == 1) & forces
    ladder, declarations = log.codec.ladder, log.codec.declarations
    levels = {c.name: played & (finals["call"] == i) for i, c in enumerate(ladder) if c.kind != PASS}
    declared = {d.name: played & (finals["decl"] == i) for i, d in enumerate(declarations)}
    by_name = {name: _level(log, rows, seed) for name, rows in declared.items() if rows.any()}
    return {
        "hands": len(finals),
        "thrown_in": int((~played).sum()),
        "forced": int(forced.sum()) if forces else None,
        "unit": "marks" if rules.scoring == "marks" else "points",
        "calls": _calls(log),
        "levels": {name: _level(log, rows, seed) for name, rows in levels.items() if rows.any()},
        "choice": _level(log, played & ~forced, seed),
        "forced_level": _level(log, forced, seed),
        "declarations": dict(sorted(by_name.items(), key=lambda item: -item[1]["played"])),
        "specials": _specials(log, declared, seed),
    }


def _level(log: HandLog, rows: npt.NDArray[np.bool_], seed: int) -> dict[str, Any]:
    """``played``, ``made``, ``make_rate`` with Wilson's ``make_ci95``, and ``won``: mean gain of the bidder's side
    over the others in the game's unit, with ``won_ci95`` by bootstrap over hands. Rates are None if none was played.
    """
    n, made = int(rows.sum()), int((log.finals["made"][rows] == 1).sum())
    gains = bidder_gains(log)[rows]
    return {
        "played": n,
        "made": made,
        "make_rate": made / n if n else None,
        "make_ci95": wilson_interval(made, n),
        "won": float(gains.mean()) if n else None,
        "won_ci95": list(bootstrap_interval(gains, seed, resamples=1000)) if n > 1 else None,
    }


def bidder_gains(log: HandLog) -> Float64:
    """What each hand brought the bidder's side, minus the mean of the other sides, float64 (hands,); 0 thrown in."""
    sides, finals = log.rules.sides, log.finals
    delta = finals["delta"][:, :sides].astype(np.float64)
    mine = delta[np.arange(len(finals)), np.maximum(finals["bidder"], 0) % sides]
    gains = mine - (delta.sum(axis=1) - mine) / (sides - 1)
    return np.asarray(np.where(finals["made"] >= 0, gains, 0.0))


def _calls(log: HandLog) -> list[dict[str, Any]]:
    """Every call of every seat, by place and standing bid, as `bidding_report` says."""
    ladder, counts = log.codec.ladder, Counter[tuple[int, int, int]]()
    if not log.own_bids:
        return []
    finals, seats = log.finals, log.rules.seats
    shakers = finals["shaker"].tolist()
    calls, callers, lengths = finals["calls"].tolist(), finals["callers"].tolist(), finals["n_calls"].tolist()
    for shaker, row, who, length in zip(shakers, calls, callers, lengths, strict=True):
        standing = 0
        for call, caller in zip(row[:length], who[:length], strict=True):
            counts[(caller - shaker) % seats, standing, call] += 1
            standing = call if ladder[call].kind != PASS else standing
    out: dict[tuple[int, int], dict[str, int]] = {}
    for (seat, standing, call), count in sorted(counts.items()):
        out.setdefault((seat, standing), {})[ladder[call].name] = count
    return [
        {"seat": seat, "standing": ladder[standing].name if standing else NOTHING, "calls": found}
        for (seat, standing), found in out.items()
    ]


def _specials(log: HandLog, declared: dict[str, npt.NDArray[np.bool_]], seed: int) -> dict[str, Any]:
    """Special contracts: bids on doubles (splash, plunge, ...), and nello, Sevens, Loper and count trumps.

    A bid on doubles is *called* in the auction or, where the rules have it so, after it (f.3.7), and *played* if it
    won; a declaration is played whenever it is called.
    """
    out = {}
    for row, call in enumerate(log.codec.ladder):
        if call.kind == SPECIAL and call.offered:
            out[call.name] = {"called": _called(log, row), **_level(log, _won_special(log, row), seed)}
    for kind in _SPECIAL_DECLARATIONS:
        rows = [mask for name, mask in declared.items() if name.split("-")[0] == kind]
        if rows and _offers(log.rules, kind):
            level = _level(log, np.logical_or.reduce(rows), seed)
            out[kind] = {"called": level["played"], **level}
    return out


def _called(log: HandLog, row: int) -> int:
    return int((log.actions == row).sum())


def _won_special(log: HandLog, row: int) -> npt.NDArray[np.bool_]:
    return np.asarray((log.finals["made"] >= 0) & (log.finals["special"] == row))


def _offers(rules: Rules, kind: str) -> bool:
    return kind == "COUNT" or getattr(rules, kind.lower(), "off") != "off"


def levels_of(ladder: tuple[Call, ...], names: list[str]) -> list[str]:
    """Some calls in ascending order, special bids last."""
    order = {call.name: i for i, call in enumerate(ladder)}
    return sorted(names, key=lambda name: order.get(name, len(order)))
