"""A batch of tables with one learner at each: what the Gymnasium shells, single and vector, stand on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.decisions import Agent, Decisions, copy_rows
from texas42.envs.engine.state import Batch, new_batch
from texas42.envs.errors import GameOverError, IllegalActionError, MalformedActionError, OptionsError
from texas42.envs.gym import kernels
from texas42.envs.gym.kernels import FIRST_AGENT, LEARNER, NOBODY, UNIFORM
from texas42.envs.gym.task import ILLEGAL, REWARDS, Task
from texas42.envs.options import legal_names
from texas42.envs.rules.codec import Codec, build_codec
from texas42.envs.rules.layout import Layout, build_layout
from texas42.envs.rules.tables import compile_tables

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Player = Agent | None
"""An agent, or None: a uniformly random player, moved by a compiled loop."""

Seen = tuple[Int8, Int8]
"""Observations (n, width) and masks (n, n_actions)."""

_RECORD = new_batch(1).dtype  # plain arrays of records pass to kernels faster than recarrays
_SEAT, _PLAN = (np.zeros(1, dtype).view(np.recarray).dtype for dtype in (kernels.SEAT, kernels.PLAN))
_PATIENCE = 10_000  # episodes in a row without a decision of the learner


@dataclass
class Advance:
    """What a vector step brought.

    Attributes:
        rewards: float64 (n,).
        terminated, truncated: bool (n,), tables whose episode ended in this step.
        ended: int64 (k,), the same tables as a list.
        final: with ``same_step`` their last observations and masks, k rows.
    """

    rewards: npt.NDArray[np.float64]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    ended: Int64
    final: Seen | None


class LearnerTables:
    """`n` tables; at each the learner's decisions are steps, all others are made inside.

    An episode in which the learner has nothing to decide (a hand thrown in before his turn, a task of trick play
    in which he sits out) is passed over, unpaid: the row's next one is begun.

    Args:
        task: what the learner is set.
        n: number of tables.
        partner, opponents: who else plays; without teams all others are opponents.
        guide: decides for every seat in the phases that the task leaves out.

    Attributes:
        states: plain array of `STATE` records, shape (n,).
        seats: array of `kernels.SEAT` records, shape (n,).
    """

    def __init__(self, task: Task, n: int, partner: Player, opponents: Player, guide: Player) -> None:
        self.task, self.n = task, n
        self.codec: Codec = build_codec(task.rules)
        self.layout: Layout = build_layout(task.rules, self.codec)
        self.tables: Batch = compile_tables(task.rules).view(np.ndarray)
        self.states: Batch = np.zeros(n, _RECORD)
        self.seats: npt.NDArray[Any] = np.zeros(n, _SEAT)
        self.seats["waits"] = NOBODY
        self._everyone = np.arange(n)
        self._agents: list[Agent] = []
        self._plan = self._make_plan(self._controllers(partner, opponents, guide))

    def _make_plan(self, who: Int64) -> npt.NDArray[Any]:
        """What the kernels know of the task, one record."""
        task = self.task
        plan = np.zeros(1, _PLAN)
        plan["who"], plan["penalty"], plan["n_agents"] = who, task.penalty, task.n_agents
        plan["payment"], plan["illegal"] = REWARDS.index(task.reward), ILLEGAL.index(task.illegal)
        plan["seat"] = -1 if task.seat == "random" else int(task.seat)
        plan["table_recall"] = task.recall == "table"
        return plan

    @property
    def waits(self) -> Int64:
        """Who each table waits for: `LEARNER`, or `NOBODY` where the episode is over; a view, int64 (n,)."""
        return self.seats["waits"]

    def _controllers(self, partner: Player, opponents: Player, guide: Player) -> Int64:
        """Who decides, by (bidding, play) and relation to the learner, int64 (2, 3)."""
        seats = [LEARNER, self._number(partner), self._number(opponents)]
        guided = [self._number(guide)] * 3 if self.task.phases != "all" else seats
        bidding = guided if self.task.phases == "play" else seats
        playing = guided if self.task.phases == "bid" else seats
        return np.array([bidding, playing], np.int64)

    def _number(self, player: Player) -> int:
        if player is None:
            return UNIFORM
        for number, agent in enumerate(self._agents, FIRST_AGENT):
            if agent is player:
                return number
        self._agents.append(player)
        return FIRST_AGENT + len(self._agents) - 1

    def start(self, seeds: npt.NDArray[np.uint64], numbers: npt.NDArray[np.uint64]) -> None:
        """Begin episode 0 of row ``numbers[i]`` of ``seeds[i]`` at every table, uint64 (n,) both."""
        whole_game = int(self.task.episode == "game")
        kernels.start_rows(self.states, self.tables, seeds, numbers, whole_game)
        self.seat(self._everyone)

    def begin_next(self, rows: Int64) -> None:
        """Begin the next episode at the tables `rows`, int64 (k,)."""
        kernels.next_rows(self.states, self.tables, rows)
        self.seat(rows)

    def seat(self, rows: Int64, *, pass_over: bool = True) -> None:
        """Seat the learner where an episode has just begun, and play on until he is to move.

        Raises:
            GameOverError: he never is.
        """
        for _ in range(_PATIENCE):
            self._seat_once(rows)
            rows = rows[self.waits[rows] == NOBODY]
            if not len(rows) or not pass_over:
                return
            kernels.next_rows(self.states, self.tables, rows)
        raise GameOverError(f"the learner had nothing to decide in {_PATIENCE} episodes in a row")

    def _seat_once(self, rows: Int64) -> None:
        for agent in self._agents:
            agent.reset(rows.astype(np.uint64))
        kernels.seat_rows(self.states, self.tables, self.seats, self._plan, rows)
        self._others_move()

    def check(self, actions: npt.ArrayLike) -> Int64:
        """Actions as int64 (n,); those of tables that are over are not looked at.

        Raises:
            MalformedActionError: wrong shape, type or range.
            IllegalActionError: not legal, with ``illegal="raise"``.
        """
        array = np.asarray(actions)
        if array.shape != (self.n,) or not np.issubdtype(array.dtype, np.integer):
            raise MalformedActionError(
                f"actions must be {self.n} whole numbers, not shape {array.shape} of {array.dtype}"
            )
        array = np.ascontiguousarray(array, np.int64)
        lenient = self.task.illegal != "raise"
        row = int(kernels.first_refused(self.states, self.tables, self.seats, array, lenient))
        if row >= 0:
            self.refuse(row, int(array[row]))
        return array

    def refuse(self, row: int, action: int) -> None:
        """Raise `MalformedActionError` for a number that is no id, else `IllegalActionError`."""
        if not 0 <= action < self.codec.n_actions:
            allowed = f"a whole number from 0 to {self.codec.n_actions - 1}"
            raise MalformedActionError(f"table {row}: action {action} is not {allowed}")
        legal = ", ".join(legal_names(self.states[row : row + 1], self.tables, self.codec))
        raise IllegalActionError(
            f"table {row}: {self.codec.name(action)} is not legal; legal: {legal} "
            "(to be forgiving: illegal='penalise' or 'replace')"
        )

    def step(self, actions: Int64) -> None:
        """Apply checked actions and play on until every table waits for the learner or is over."""
        kernels.step_rows(self.states, self.tables, self.seats, self._plan, actions)
        self._others_move()

    def pay(self) -> npt.NDArray[np.float64]:
        """What is owed to the learners, float64 (n,); they are owed nothing more then."""
        paid = self.seats["owed"].copy()
        self.seats["owed"] = 0.0
        return paid

    def _others_move(self) -> None:
        """Let agent objects act until every table waits for the learner or is over."""
        while self._agents:
            pending = np.flatnonzero(self.waits >= FIRST_AGENT)
            if not len(pending):
                return
            asked = self.waits[pending]
            for number, agent in enumerate(self._agents, FIRST_AGENT):
                rows = pending[asked == number] if len(self._agents) > 1 else pending
                if len(rows):
                    self._ask(agent, rows)

    def decisions(self, rows: Int64) -> Decisions:
        """What the movers at the tables `rows` are asked; none of these may be over."""
        views = copy_rows(self.states, rows)
        keys = np.empty(len(rows), np.uint64)
        kernels.view_rows(views, self.tables, keys)
        seats = views["cur"].astype(np.int64)
        return Decisions(self.task.rules, views, seats, rows.astype(np.uint64), keys)

    def _ask(self, agent: Agent, rows: Int64) -> None:
        answers = agent.act(self.decisions(rows))
        bad = kernels.act_rows(self.states, self.tables, self.seats, self._plan, rows, answers)
        if bad >= 0:
            raise IllegalActionError(f"table {rows[bad]}: {agent.name} answered {answers[bad]}, which is not legal")

    def observe(self, observations: Int8, masks: Int8, rows: Int64 | None = None) -> None:
        """Write the learner's observations (k, width) and masks (k, n_actions) at `rows`, by default at all."""
        rows = self._everyone if rows is None else rows
        kernels.observe_rows(self.states, self.tables, self.seats, self._plan, rows, observations, masks)

    def advance(self, actions: Int64, same_step: bool, seen: Seen) -> "Advance":
        """A vector step with checked actions: those tables that are over begin anew instead.

        Args:
            actions: int64 (n,).
            same_step: begin the next episode at once where one ends.
            seen: where the observations (n, width) and masks (n, n_actions) go.
        """
        n = self.n
        results = (np.empty(n), np.empty(n, np.bool_), np.empty(n, np.bool_), np.empty(n, np.int64))
        final = self.new_seen() if same_step else seen
        if self._agents:
            n_ended = self._advance_with_agents(actions, same_step, results, seen, final)
        else:
            n_ended = kernels.step_and_observe(
                self.states,
                self.tables,
                self.seats,
                self._plan,
                actions,
                same_step,
                results,
                seen,
                final,
            )
            idle = np.flatnonzero(self.waits == NOBODY) if same_step else self._idle(results)
            if len(idle):  # episodes that began without a decision of the learner
                self.begin_next(idle)
                for into, where in zip(seen, self._seen_at(idle), strict=True):
                    into[idle] = where
        rewards, terminated, truncated, ended = results
        finals = (final[0][:n_ended].copy(), final[1][:n_ended].copy()) if same_step else None
        return Advance(rewards, terminated, truncated, ended[:n_ended], finals)

    def _idle(self, results: Any) -> Int64:
        """Tables that are over, but not because their episode ended in this step."""
        return np.flatnonzero((self.waits == NOBODY) & ~(results[1] | results[2]))

    def _advance_with_agents(
        self, actions: Int64, same_step: bool, results: Any, seen: Seen, final: Seen
    ) -> int:
        over = np.flatnonzero(self.waits == NOBODY)
        kernels.step_rows(self.states, self.tables, self.seats, self._plan, actions)
        if len(over):  # they begin beside the others' steps: agents are then asked for all at once
            kernels.next_rows(self.states, self.tables, over)
            self._seat_once(over)
        else:
            self._others_move()
        ended = np.flatnonzero(self.waits == NOBODY)
        idle = np.intersect1d(ended, over, assume_unique=True)
        ended = np.setdiff1d(ended, over, assume_unique=True)
        results[0][:] = self.seats["owed"]
        results[0][over] = 0.0  # what a new episode brings before its first decision is paid with that
        self.seats["owed"] -= results[0]
        for result, code in ((results[1], 1), (results[2], 2)):
            result[:] = False
            result[ended] = self.states["done"][ended] == code
        results[3][: len(ended)] = ended
        if same_step and len(ended):
            self.observe(*final, ended)
        begins = np.union1d(idle, ended) if same_step else idle
        if len(begins):
            self.begin_next(begins)
        self.observe(*seen)
        return len(ended)

    def new_seen(self) -> Seen:
        """Room for the observations and masks of all tables."""
        return np.empty((self.n, self.layout.width), np.int8), np.empty((self.n, self.codec.n_actions), np.int8)

    def _seen_at(self, rows: Int64) -> Seen:
        seen = np.empty((len(rows), self.layout.width), np.int8), np.empty((len(rows), self.codec.n_actions), np.int8)
        self.observe(*seen, rows)
        return seen

    def masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool (n, n_actions), a fresh array."""
        out = np.empty((self.n, self.codec.n_actions), np.int8)
        kernels.mask_rows(self.states, self.tables, out)
        return out.view(np.bool_)


def seeds_and_rows(
    seed: int | Sequence[int | None] | None, n: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]] | None:
    """Seeds and row numbers of `n` tables; None to go on with the next episodes.

    One seed: table i is row i of it, as in `BatchedGame`. A list of seeds: table i is row 0 of its own.

    Raises:
        OptionsError: not whole numbers from 0 to 2**64 - 1, or the wrong number of them.
    """
    if seed is None:
        return None
    several = isinstance(seed, Sequence | np.ndarray)
    seeds: Any = list(seed) if several else [seed] * n  # type: ignore[arg-type]
    if len(seeds) != n or not all(_is_seed(value) for value in seeds):
        raise OptionsError(f"seed={seed!r} is not allowed; allowed: whole numbers from 0 to 2**64 - 1, one or {n}")
    numbers = np.zeros(n, np.uint64) if several else np.arange(n, dtype=np.uint64)
    return np.array(seeds, np.uint64), numbers


def _is_seed(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= int(value) < 2**64
