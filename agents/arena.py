"""Batches of games played by agents: the one loop behind evaluation, self-play opponents and record making."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions, sees_all
from texas42.envs.batch import BatchedGame
from texas42.envs.decisions import copy_rows as copy_rows
from texas42.envs.engine import drivers

Observer = Callable[[BatchedGame, npt.NDArray[np.int64]], None]
"""Called before every step with the game and the actions about to be applied (-1 in rows that are over)."""


def decisions_for(
    game: BatchedGame, rows: npt.NDArray[np.int64], keys: npt.NDArray[np.uint64], open_hands: bool = False
) -> Decisions:
    """The decisions of the movers of `rows`, as views, or with `open_hands` unblanked; `keys` are theirs."""
    views = copy_rows(game.states, rows)
    seats = views["cur"].astype(np.int64)
    if not open_hands:
        drivers.blank_batch(views, game.tables, seats)
    return Decisions(game.rules, views, seats, game.states["row"][rows], keys)


def decision_keys(game: BatchedGame, seed: int, steps: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Per row a key from (seed, row, episode, hand, seat, decision number), uint64 (n,)."""
    out = np.empty(game.n, np.uint64)
    drivers.decision_keys(game.states, np.uint64(seed), steps, out)
    return out


def play_out(
    game: BatchedGame,
    agents: Sequence[Agent],
    seating: npt.NDArray[np.int64],
    seed: int,
    observer: Observer | None = None,
) -> npt.NDArray[np.float64]:
    """Play every row of a freshly reset game to the end of its episode.

    Args:
        game: reset, with ``auto_reset=False``.
        agents: the players.
        seating: index into `agents` for every row and seat, shape (n, seats).
        seed: randomness of the agents; the deals come from the game's own seed.
        observer: sees every step.

    Returns:
        Rewards summed over the episode, float64 (n, seats).
    """
    totals = np.zeros((game.n, game.rules.seats))
    steps = np.zeros(game.n, np.int64)
    for agent in agents:
        agent.reset(game.states["row"].copy())
    while not game.done.all():
        actions = choose_actions(game, agents, seating, decision_keys(game, seed, steps))
        if observer is not None:
            observer(game, actions)
        rewards, _ = game.step(actions)
        totals += rewards
        steps += 1
    return totals


def choose_actions(
    game: BatchedGame,
    agents: Sequence[Agent],
    seating: npt.NDArray[np.int64],
    keys: npt.NDArray[np.uint64],
) -> npt.NDArray[np.int64]:
    """One action for every row in progress, -1 elsewhere; each agent is asked once, for all its rows."""
    movers: npt.NDArray[Any] = game.movers
    actions = np.full(game.n, -1, np.int64)
    live = np.flatnonzero(movers >= 0)
    who = seating[live, movers[live]]
    for index in np.unique(who):
        rows = live[who == index]
        agent = agents[index]
        actions[rows] = agent.act(decisions_for(game, rows, keys[rows], sees_all(agent)))
    return actions
