"""Regret: what each play of a hand gave away, by role and trick.

Two yardsticks. *Hindsight*: the exact solver with the true hands; nobody at the table could know as much.
*Known*: `pimc` with many worlds that fit what the mover saw; this much could be known. Forced plays are counted and
left out of the means. Rules: four-player double-six 42, as `pimc`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.sampling import sample_worlds
from texas42.envs.errors import OptionsError
from texas42.envs.rules.declarations import COUNT_TRUMP, NELLO
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.handlog import HandLog
from texas42.training.evaluation.intervals import clustered_means
from texas42.training.evaluation.judge import ILLEGAL, Judge, is_decided

ROLES = ("bidder", "partner", "defender")
WORLDS = 200
SAMPLE = 300

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Regrets:
    """Regret of every play of a log; NaN where a measure does not apply or was not taken.

    Attributes:
        rows: int64 (n,), index of the decision in the log.
        hand: int64 (n,), its hand.
        role: int64 (n,), index into `ROLES`.
        trick: int64 (n,), from 1.
        forced: bool (n,), one legal play: no regret is measured.
        made: float64 (n,), 1 if the play turned a contract that the mover's side had (made or set, all hands open)
            into one it had not, else 0; NaN where the contract was decided already.
        points: float64 (n,), points of the mover's side given away, all hands open; NaN in mark bids and nello.
        known: float64 (n,), probability of the mover's aim given away against the choice of `pimc`; only in a sample.
    """

    rows: Int64
    hand: Int64
    role: Int64
    trick: Int64
    forced: npt.NDArray[np.bool_]
    made: Float64
    points: Float64
    known: Float64


def measure_regret(
    log: HandLog,
    *,
    sample: int = SAMPLE,
    worlds: int = WORLDS,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Regrets:
    """Regret of all plays of a log against the solver, and of a sample of them against `pimc`.

    Args:
        log: played hands.
        sample: plays with a choice that are held against `pimc`, drawn from all of them without replacement.
        worlds: of that `pimc`.
        seed: of the sample and the worlds.
        progress: told how many plays have just been judged, in all unforced plays plus those of the sample.

    Raises:
        OptionsError: rules that `pimc` does not play, or a bad number.
    """
    _check(log.rules, sample, worlds)
    regrets = _blank(log)
    judge = Judge(log.rules)
    open_rows = np.flatnonzero(~regrets.forced)
    for i in open_rows:
        _hindsight(judge, log, regrets, int(i))
        if progress is not None:
            progress(1)
    rng = np.random.default_rng(seed)
    undecided = open_rows[np.isfinite(regrets.made[open_rows])]
    chosen = np.sort(rng.choice(undecided, min(sample, len(undecided)), replace=False))
    for i in chosen:
        regrets.known[i] = _known_loss(judge, log, int(regrets.rows[i]), worlds, seed)
        if progress is not None:
            progress(1)
    return regrets


def _check(rules: Rules, sample: int, worlds: int) -> None:
    if rules.seats != 4 or rules.game.max_pip != 6 or rules.game.copies != 1 or rules.game.ladder != "standard":
        raise OptionsError(f"regret is measured in four-player double-six 42, not in {rules.base!r}")
    if sample < 0 or worlds < 1:
        raise OptionsError(f"sample={sample} must be at least 0 and worlds={worlds} at least 1")


def _blank(log: HandLog) -> Regrets:
    """All plays with tricks to be won in them (not Sevens and Loper, where nothing is to be chosen)."""
    kinds = np.asarray(log.tables.decl_kind)[np.maximum(log.states["decl"][log.plays], 0)]
    claims = log.actions[log.plays] == log.codec.claim
    rows = log.plays[((kinds <= NELLO) | (kinds == COUNT_TRUMP)) & ~claims]
    states = log.states[rows]
    mine = states["cur"] % log.rules.sides == states["bidder"] % log.rules.sides
    role = np.where(states["cur"] == states["bidder"], 0, np.where(mine, 1, 2)).astype(np.int64)
    legal = log.masks[rows].sum(axis=1, dtype=np.int64)
    if log.codec.claim >= 0:
        legal -= log.masks[rows, log.codec.claim]  # to claim is no other play of a tile
    made, points, known = (np.full(len(rows), np.nan) for _ in range(3))
    trick = states["n_tricks"].astype(np.int64) + 1
    return Regrets(rows, log.hand[rows], role, trick, legal == 1, made, points, known)


def _hindsight(judge: Judge, log: HandLog, regrets: Regrets, i: int) -> None:
    """The true hands, solved."""
    row = int(regrets.rows[i])
    s, move = log.states[row], judge.move(int(log.actions[row]))
    if not is_decided(s, judge.t):
        values = judge.reaches(s, s["hands"][None, :4])[0]
        regrets.made[i] = values.max() - values[move]
    if int(s["marks"]) == 0 and int(judge.t.decl_kind[s["decl"]]) != NELLO:
        points = judge.points(s)
        regrets.points[i] = points.max(where=points != ILLEGAL, initial=-(10**6)) - points[move]


def _known_loss(judge: Judge, log: HandLog, row: int, worlds: int, seed: int) -> float:
    """How much likelier the choice of `pimc` reaches the mover's aim than the play that was made.

    Choosing and judging by the same worlds would flatter the choice: it is made in one half of twice as many and
    judged in the other, both ways round.
    """
    s, move = log.states[row], judge.move(int(log.actions[row]))
    key = int(np.random.SeedSequence([seed, row]).generate_state(1, np.uint64)[0] >> np.uint64(1))
    drawn = sample_worlds(log.rules, s, int(s["cur"]), 2 * worlds, key)
    values = judge.reaches(s, drawn.hands)
    halves = values[:worlds].mean(axis=0), values[worlds:].mean(axis=0)
    return float((crossed_loss(*halves, move) + crossed_loss(halves[1], halves[0], move)) / 2)


def crossed_loss(chooser: Float64, judge: Float64, move: int) -> float:
    """What `move` loses by `judge` against the best moves by `chooser`; 0 if it is one of them.

    Args:
        chooser, judge: value of every move (moves,), negative where illegal.
        move: index of the move that was made.
    """
    best = np.flatnonzero(chooser == chooser.max())
    return 0.0 if move in best else float(judge[best].mean() - judge[move])


def regret_report(regrets: Regrets, seed: int = 0) -> dict[str, Any]:
    """Means with intervals by bootstrap over hands, as plain values.

    Returns:
        ``groups``: one entry for all plays, each role, each trick, and each role in each trick, with the keys
        ``role`` and ``trick`` (None: all), ``plays``, ``forced``, and ``made``, ``points``, ``known`` as
        `clustered_means` gives them; ``per_hand``: how much was given away in a hand by all four seats together.
    """
    keys: list[tuple[str | None, int | None]] = [(None, None), *((role, None) for role in ROLES)]
    tricks = [int(k) for k in np.unique(regrets.trick)]
    keys += [(None, k) for k in tricks] + [(role, k) for role in ROLES for k in tricks]
    member = np.stack([_member(regrets, role, trick) for role, trick in keys], axis=1)
    free = member & ~regrets.forced[:, None]
    means = {
        name: clustered_means(getattr(regrets, name), regrets.hand, free, seed) for name in ("made", "points", "known")
    }
    groups = []
    for g, (role, trick) in enumerate(keys):
        counts = {"plays": int(member[:, g].sum()), "forced": int((member[:, g] & regrets.forced).sum())}
        groups.append({"role": role, "trick": trick, **counts, **{name: m[g] for name, m in means.items()}})
    return {"groups": groups, "per_hand": {name: _per_hand(regrets, name, seed) for name in ("made", "points")}}


def _member(regrets: Regrets, role: str | None, trick: int | None) -> npt.NDArray[np.bool_]:
    member = np.ones(len(regrets.rows), np.bool_)
    if role is not None:
        member &= regrets.role == ROLES.index(role)
    return member if trick is None else member & (regrets.trick == trick)


def _per_hand(regrets: Regrets, name: str, seed: int) -> dict[str, Any]:
    """Sums over a hand; hands in which the measure never applies do not count."""
    values = getattr(regrets, name)
    found = np.isfinite(values)
    hands, index = np.unique(regrets.hand[found], return_inverse=True)
    sums = np.bincount(index, values[found], minlength=len(hands))
    return clustered_means(sums, hands, np.ones((len(hands), 1), np.bool_), seed)[0]


def worst_hands(log: HandLog, regrets: Regrets, count: int = 3) -> list[dict[str, Any]]:
    """The hands with the largest regret: by what could be known, then by contracts turned, then by points.

    Returns:
        For each ``hand`` (number in the log), ``record`` (JSON values) and ``plays``: the plays that gave something
        away, each with ``trick``, ``seat``, ``role``, ``tile``, ``made``, ``points`` and ``known``.
    """
    hands = np.unique(regrets.hand)
    if not len(hands):
        return []
    index = np.searchsorted(hands, regrets.hand)
    known, made, points = (_largest(values, index, len(hands)) for values in _losses(regrets))
    order = np.lexsort((hands, -points, -made, -np.round(known, 3)))[:count]
    return [_worst(log, regrets, int(hands[k])) for k in order]


def _losses(regrets: Regrets) -> tuple[Float64, Float64, Float64]:
    return np.nan_to_num(regrets.known), np.nan_to_num(regrets.made), np.nan_to_num(regrets.points)


def _largest(values: Float64, index: Int64, n: int) -> Float64:
    out = np.zeros(n)
    np.maximum.at(out, index, values)
    return out


def _worst(log: HandLog, regrets: Regrets, hand: int) -> dict[str, Any]:
    plays = []
    known, made, points = _losses(regrets)
    for i in np.flatnonzero((regrets.hand == hand) & ((made > 0) | (points > 0) | (known > 0))):
        row = int(regrets.rows[i])
        plays.append({
            "trick": int(regrets.trick[i]),
            "seat": int(log.states[row]["cur"]),
            "role": ROLES[int(regrets.role[i])],
            "tile": log.codec.name(int(log.actions[row])),
            "made": _plain(regrets.made[i]),
            "points": _plain(regrets.points[i]),
            "known": _plain(regrets.known[i]),
        })
    return {"hand": hand, "record": log.record(hand).to_json(), "plays": plays}


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
