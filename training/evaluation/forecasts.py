"""P(make) as a bidder could reckon it, and as a trained policy forecasts it itself.

The first is his contract played out by the heuristic in worlds that fit what he sees. It serves all players alike:
where one makes more than is forecast it plays better than the heuristic, and where the curve is flat the forecast is
worth little. The second is the answer of the policy's own forecast head.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Decisions
from texas42.agents.heuristic.agent import HeuristicAgent
from texas42.agents.sampling import sample_worlds
from texas42.envs.engine import drivers
from texas42.envs.engine.state import PLAY, Batch, new_batch
from texas42.envs.errors import OptionsError
from texas42.training.evaluation.handlog import HandLog

WORLDS = 100
BLOCK = 64
"""Hands whose worlds are played out side by side."""

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


def make_forecasts(log: HandLog, seed: int = 0, worlds: int = WORLDS) -> Float64:
    """The probability that each contract is made, forecast at the first lead from what the bidder sees.

    Args:
        log: played hands.
        seed: of the worlds and the heuristic.
        worlds: played out for each hand.

    Returns:
        float64 (hands,), NaN where the hand was thrown in.

    Raises:
        OptionsError: rules with a widow, where a bidder's discards would have to be chosen first.
    """
    if log.rules.setup.widow:
        raise OptionsError("P(make) is not forecast in games with a widow")
    hands, first = np.unique(log.hand[log.plays], return_index=True)
    rows = log.plays[first]
    out = np.full(log.n_hands, np.nan)
    for start in range(0, len(rows), BLOCK):
        some = slice(start, start + BLOCK)
        states = _worlds(log, rows[some], worlds, seed)
        _finish(log, states, seed)
        out[hands[some]] = (states["made"] == 1).reshape(-1, worlds).mean(axis=1)
    return out


def own_forecasts(log: HandLog, forecast: Callable[[Decisions], npt.NDArray[Any]]) -> Float64:
    """What the leader of the first trick, in most games the bidder, forecasts before it.

    Args:
        log: played hands.
        forecast: from n decisions to n probabilities, such as `PolicyAgent.made`.

    Returns:
        float64 (hands,), NaN where the hand was thrown in.
    """
    hands, first = np.unique(log.hand[log.plays], return_index=True)
    out = np.full(log.n_hands, np.nan)
    if len(hands):
        out[hands] = forecast(log.decisions(log.plays[first]))
    return out


def _worlds(log: HandLog, rows: Int64, worlds: int, seed: int) -> Batch:
    """Each position `worlds` times, the hidden tiles dealt anew as the bidder may suppose them to lie."""
    states = new_batch(len(rows) * worlds)
    for k, row in enumerate(rows):
        s = log.states[row]
        key = int(np.random.SeedSequence([seed, int(row)]).generate_state(1, np.uint64)[0] >> np.uint64(1))
        drawn = sample_worlds(log.rules, s, int(s["bidder"]), worlds, key)
        part = slice(k * worlds, (k + 1) * worlds)
        states[part] = drawn.states()
        states["dealt"][part, : log.rules.seats] = drawn.hands
    return states


def _finish(log: HandLog, states: Batch, seed: int) -> None:
    """Play states on to the end of their hands by the heuristic in all seats, in place."""
    agent, keys = HeuristicAgent(), np.arange(len(states), dtype=np.uint64) + np.uint64(seed)
    while True:
        live = np.flatnonzero((states["done"] == 0) & (states["phase"] == PLAY))
        if not len(live):
            return
        views = states[live]
        seats = views["cur"].astype(np.int64)
        drivers.blank_batch(views, log.tables, seats)
        actions = np.full(len(states), -1, np.int64)
        actions[live] = agent.act(Decisions(log.rules, views, seats, live.astype(np.uint64), keys[live]))
        drivers.step_batch(states, log.tables, actions)
