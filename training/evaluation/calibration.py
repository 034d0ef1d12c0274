"""Calibration: what a policy's belief head says about hidden tiles, and how well forecasts come true."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions
from texas42.envs.engine import drivers
from texas42.envs.engine.state import AUCTION, PLAY
from texas42.envs.rules.layout import build_layout
from texas42.training.evaluation.handlog import HandLog
from texas42.training.evaluation.intervals import clustered_means, wilson_interval
from texas42.training.evaluation.marginals import exact_marginals

BINS = 10
BLOCK = 256
_TINY = 1e-12

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Beliefs = Callable[[Decisions], npt.NDArray[Any]]
"""From n decisions to unmasked logits (n, other seats, tile types): which other seat holds a tile."""


@dataclass(frozen=True)
class BeliefLog:
    """A belief head's answers at decisions of a log, beside the exact uniform and the truth.

    Attributes:
        rows: int64 (n,), index of the decision in the log.
        head, uniform: float64 (n, others, tiles): probability that an other seat holds a tile, summing to 1 over the
            seats of a tile that one of them holds.
        truth: int64 (n, others, tiles): copies of the tile that each other seat holds.
    """

    rows: Int64
    head: Float64
    uniform: Float64
    truth: Int64


def belief_head(agent: Agent) -> Beliefs | None:
    """The belief head of a neural policy, None for every other player.

    An agent of one's own takes part if it has a method ``beliefs(decisions)`` that answers as `Beliefs` says.
    """
    own: Beliefs | None = getattr(agent, "beliefs", None)
    if own is not None:
        return own
    actor = getattr(agent, "actor", None)
    if actor is None or not hasattr(actor, "belief"):
        return None

    def ask(decisions: Decisions) -> npt.NDArray[Any]:
        import torch  # a checkpoint was given, or there would be no actor

        observations = torch.from_numpy(decisions.observations).to(getattr(agent, "device", "cpu"))
        with torch.inference_mode():
            logits: npt.NDArray[Any] = actor.belief(actor.read(observations).features).cpu().numpy()
        return logits

    return ask


def log_beliefs(log: HandLog, beliefs: Beliefs, *, limit: int | None = None, seed: int = 0) -> BeliefLog:
    """Ask a belief head at the decisions of a log.

    Args:
        log: played hands.
        beliefs: the head.
        limit: how many decisions at most, drawn without replacement.
        seed: of that draw.
    """
    rows = np.arange(len(log.states))
    if limit is not None and limit < len(rows):
        rows = np.sort(np.random.default_rng(seed).choice(rows, limit, replace=False))
    shape = (len(rows), log.rules.seats - 1, log.rules.n_types)
    head, uniform, truth = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int64)
    for start in range(0, len(rows), BLOCK):
        part = slice(start, min(start + BLOCK, len(rows)))
        decisions = log.decisions(rows[part])
        may = _may_hold(log, decisions)
        truth[part] = _holders(log, rows[part])
        head[part] = _softmax(np.asarray(beliefs(decisions), np.float64), may)
        for k, row in enumerate(rows[part]):
            state = log.states[row]
            uniform[start + k] = exact_marginals(log.rules, state, int(state["cur"]))
    total = uniform.sum(axis=1, keepdims=True)
    return BeliefLog(rows, head, np.divide(uniform, total, out=np.zeros(shape), where=total > 0), truth)


def _may_hold(log: HandLog, decisions: Decisions) -> npt.NDArray[np.bool_]:
    piece = build_layout(log.rules, log.codec).pieces["may_hold"]
    flat = decisions.observations[:, piece.start : piece.start + piece.size]
    return np.asarray(flat.reshape(len(decisions), log.rules.seats - 1, log.rules.n_types) != 0)


def _holders(log: HandLog, rows: Int64) -> Int64:
    """Copies of each tile with each other seat, (n, others, tiles)."""
    states, rules = log.states[rows], log.rules
    layout = build_layout(rules, log.codec)
    hidden = np.empty((len(rows), layout.hidden_width), np.int8)
    drivers.hidden_batch(states, log.tables, states["cur"].astype(np.int64), hidden)
    copies = rules.game.copies
    hands = hidden[:, : (rules.seats - 1) * copies * rules.n_types].astype(np.int64)
    return np.asarray(hands.reshape(len(rows), rules.seats - 1, copies, rules.n_types).sum(axis=2))


def _softmax(logits: Float64, allowed: npt.NDArray[np.bool_]) -> Float64:
    """Over axis 1, zero where not allowed; zero everywhere if nothing is."""
    masked = np.where(allowed, logits, -np.inf)
    top = masked.max(axis=1, keepdims=True)
    weights = np.where(allowed, np.exp(masked - np.where(np.isfinite(top), top, 0.0)), 0.0)
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))


def surprise(probabilities: Float64, truth: Int64) -> Float64:
    """Mean surprise in bits per hidden tile of each decision, (n,); NaN where nothing is hidden."""
    bits = -(truth * np.log2(np.maximum(probabilities, _TINY))).sum(axis=(1, 2))
    tiles = truth.sum(axis=(1, 2))
    return np.asarray(np.divide(bits, tiles, out=np.full(len(bits), np.nan), where=tiles > 0))


def belief_report(log: HandLog, found: BeliefLog, seed: int = 0) -> dict[str, Any]:
    """Bits by phase and trick, Brier score and reliability, as plain values.

    Returns:
        ``groups``: for all decisions, the auction, the declaration and each trick the mean bits per hidden tile of
        ``head`` and ``uniform`` and of their difference ``gain`` (uniform minus head: positive where the head knows
        more), with intervals over hands; ``head`` and ``uniform``: each with `reliability` of single seats and tiles
        and the ``brier`` score per tile, summed over seats.
    """
    states, hand = log.states[found.rows], log.hand[found.rows]
    head, uniform = surprise(found.head, found.truth), surprise(found.uniform, found.truth)
    tricks = np.where(states["phase"] == PLAY, states["n_tricks"] + 1, np.where(states["phase"] == AUCTION, -1, 0))
    whens = [None, *(int(k) for k in np.unique(tricks))]
    member = np.stack([np.ones(len(tricks), np.bool_) if k is None else tricks == k for k in whens], axis=1)
    measures = {"head": head, "uniform": uniform, "gain": uniform - head}
    means = {name: clustered_means(values, hand, member, seed) for name, values in measures.items()}
    groups = [{"when": _when(k), **{name: m[g] for name, m in means.items()}} for g, k in enumerate(whens)]
    return {"groups": groups, "head": _by_tile(found.head, found), "uniform": _by_tile(found.uniform, found)}


def _when(k: int | None) -> str | int:
    return "all" if k is None else {-1: "auction", 0: "declaration"}.get(k, k)


def _by_tile(probabilities: Float64, found: BeliefLog) -> dict[str, Any]:
    """Reliability over pairs of seat and tile that are open: neither excluded nor sure by counting."""
    open_pairs = (found.uniform > 0) & (found.uniform < 1)
    tiles = open_pairs.any(axis=1) & (found.truth.sum(axis=1) == 1)
    squares = ((probabilities - found.truth) ** 2).sum(axis=1)
    brier = float(squares[tiles].mean()) if tiles.any() else None
    pairs = open_pairs & tiles[:, None]
    return {**reliability(probabilities[pairs], found.truth[pairs]), "brier": brier}


def reliability(forecasts: npt.ArrayLike, outcomes: npt.ArrayLike, bins: int = BINS) -> dict[str, Any]:
    """How often what was forecast came true.

    Args:
        forecasts: probabilities (n,).
        outcomes: 1 or 0, or truth values (n,).
        bins: of equal width.

    Returns:
        ``n``, ``ece`` (expected calibration error: the mean of |frequency - forecast| over bins, weighted by their
        size; Naeini 2015), ``brier`` (mean squared error) and ``bins``: for each that is not empty ``n``, mean
        ``forecast``, ``frequency`` and its Wilson interval ``ci95``, which takes outcomes as independent. Errors are
        None without forecasts.

    Raises:
        ValueError: shapes differ, or a forecast outside [0, 1].
    """
    p, y = np.asarray(forecasts, np.float64), np.asarray(outcomes, np.float64)
    if p.ndim != 1 or p.shape != y.shape:
        raise ValueError(f"forecasts {p.shape} and outcomes {y.shape} must be lists of the same length")
    if len(p) and not (p.min() >= 0 and p.max() <= 1):
        raise ValueError("a forecast lies outside 0 to 1")
    index = np.minimum((p * bins).astype(np.int64), bins - 1)
    rows: list[dict[str, Any]] = []
    for k in np.unique(index):
        mine, n = index == k, int((index == k).sum())
        hits = float(y[mine].sum())
        wilson = wilson_interval(round(hits), n)
        rows.append({"n": n, "forecast": float(p[mine].mean()), "frequency": hits / n, "ci95": wilson})
    if not rows:
        return {"n": 0, "ece": None, "brier": None, "bins": []}
    ece = sum(row["n"] * abs(row["frequency"] - row["forecast"]) for row in rows) / len(p)
    return {"n": len(p), "ece": float(ece), "brier": float(((p - y) ** 2).mean()), "bins": rows}


def make_report(log: HandLog, forecasts: npt.ArrayLike) -> dict[str, Any]:
    """Reliability of P(make), all contracts together and by winning call.

    Args:
        log: played hands.
        forecasts: for each hand (hands,) the probability, as the bidder saw it, that the contract would be made; NaN
            where there is no contract or no forecast.

    Returns:
        ``all``, and ``bids``: by name of the winning call, each as `reliability`.
    """
    p = np.asarray(forecasts, np.float64)
    known = np.isfinite(p) & (log.finals["made"] >= 0)
    made, calls = log.finals["made"] == 1, log.finals["call"]
    names = [call.name for call in log.codec.ladder]
    bids = {}
    for call in np.unique(calls[known]):
        rows = known & (calls == call)
        bids[names[int(call)]] = reliability(p[rows], made[rows])
    return {"all": reliability(p[known], made[known]), "bids": bids}
