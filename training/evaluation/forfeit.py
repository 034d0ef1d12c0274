"""Players that fail: who is asked how, and what a forfeited hand costs.

A player fails a decision if it answers an illegal action or none, raises an exception, or takes longer than allowed.
With ``faults="forfeit"`` its side then loses that hand, and the match goes on.
"""

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from texas42.agents.arena import copy_rows
from texas42.agents.base import Agent, Decisions
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.state import Batch
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import Tables

FORFEIT = -2
"""Stands where an action should be in a row whose mover failed."""
LIMIT = 1.0
"""Seconds a decision, on average over a batch, that a player may take."""
IN_ANY_CASE = 120.0
"""Seconds that a batch may take however small it is: something may have to be loaded or compiled."""

Int64 = npt.NDArray[np.int64]


class AgentError(RuntimeError):
    """An agent answered something that is no legal action; the message names agent, row and action."""


class Noter(Protocol):
    """Where notes on forfeited hands go."""

    def note(self, text: str, times: int = 1) -> None:
        """A hand, or several, were forfeited for the reason in `text`."""
        ...


def seconds_allowed(limit: float, decisions: int) -> float:
    """Seconds that a player may take for a batch."""
    return max(IN_ANY_CASE, limit * decisions)


def answer_of(agent: Agent, decisions: Decisions) -> Int64:
    """An agent's answer, int64 (n,); it may still be illegal.

    Raises:
        AgentError: no whole number for every row.
    """
    answer = np.asarray(agent.act(decisions))
    if answer.shape != (len(decisions),) or not np.issubdtype(answer.dtype, np.integer):
        found = f"{answer.dtype} of shape {answer.shape}"
        raise AgentError(f"agent {agent.name!r} must answer {len(decisions)} whole numbers, not {found}")
    return np.asarray(answer, np.int64)


def answer_or_forfeit(agent: Agent, decisions: Decisions, limit: float, noter: Noter) -> Int64:
    """An agent's answer with `FORFEIT` in the rows that it failed, int64 (n,).

    A batch that makes the agent raise is asked again row by row, so that only the rows at fault are lost. A batch
    that takes longer than `seconds_allowed` is lost as a whole.
    """
    from texas42.training.evaluation import kernels

    n, started = len(decisions), time.perf_counter()
    try:
        answer = answer_of(agent, decisions).copy()
    except (Exception, SystemExit) as error:
        if n == 1:
            noter.note(_reason(agent, error))
            return np.array([FORFEIT])
        parts = [answer_or_forfeit(agent, _row(decisions, i), limit, noter) for i in range(n)]
        return np.concatenate(parts)
    if time.perf_counter() - started > seconds_allowed(limit, n):
        noter.note(f"{agent.name}: took longer than {limit:g} s a decision", n)
        return np.full(n, FORFEIT)
    illegal = np.empty(n, np.bool_)
    kernels.illegal_rows(decisions.views, decisions.tables, answer, illegal)
    for action in answer[illegal].tolist():
        noter.note(f"{agent.name}: answered {_named(decisions, action)}, which was not legal")
    answer[illegal] = FORFEIT
    return answer


def _reason(agent: Agent, error: BaseException) -> str:
    text = str(error).splitlines()[0][:100] if str(error) else ""
    if isinstance(error, AgentError):
        return text
    return f"{agent.name}: {type(error).__name__}" + (f": {text}" if text else "")


def _named(decisions: Decisions, action: int) -> str:
    names = decisions.codec.names
    return names[action] if 0 <= action < len(names) else str(action)


def _row(decisions: Decisions, i: int) -> Decisions:
    row = np.array([i])
    seats, ids, keys = decisions.seats[row], decisions.game_ids[row], decisions.keys[row]
    return Decisions(decisions.rules, copy_rows(decisions.views, row), seats, ids, keys)


@dataclass(frozen=True)
class Penalty:
    """What a forfeited hand costs: `lost` by the side at fault, `given` to every other side, in the game's unit."""

    lost: int
    given: int


def penalty(rules: Rules, marks: int = 0, value: int = 0) -> Penalty:
    """What a forfeit costs: as much as the contract that stands could, whoever bid it.

    Marks: every other side scores the marks that stand, one at least. Points: every other side scores the bid that
    stands and all the points of the hand. Signed points: the side loses the bid that stands, the lowest at least.

    Args:
        rules: the rules.
        marks, value: marks, and points, of the standing call; 0 while nothing stands.
    """
    if rules.scoring == "marks":
        return Penalty(0, max(1, marks))
    if rules.scoring == "points":
        return Penalty(0, value + rules.total)
    return Penalty(max(rules.min_bid, value), 0)


def forfeit_rows(game: BatchedGame, rows: Int64) -> None:
    """The movers of `rows` forfeit their hands; a whole game goes on with the next deal."""
    from texas42.training.evaluation import kernels

    states, t = game.states, game.tables
    offenders = states["cur"][rows].astype(np.int64) % game.rules.sides
    costs = [_standing(game.rules, t, states, row) for row in rows.tolist()]
    lost, given = (np.array([getattr(cost, name) for cost in costs], np.int64) for name in ("lost", "given"))
    kernels.forfeit_hands(states, t, rows, offenders, lost, given)


def _standing(rules: Rules, t: Tables, states: Batch, row: int) -> Penalty:
    high, call = int(states["high"][row]), int(states["call"][row])
    marks = max(int(states["marks"][row]), int(t.call_marks[high]), int(t.call_marks[call]) if call > 0 else 0)
    return penalty(rules, marks, int(t.call_value[high]) if high > 0 else 0)


def step_rows(game: BatchedGame, rows: Int64, actions: Int64) -> None:
    """Apply legal actions to some rows only."""
    states = copy_rows(game.states, rows)
    drivers.step_batch(states, game.tables, actions)
    game.states[rows] = states
