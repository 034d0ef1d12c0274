"""`BatchedGame`: many games of one `Rules` at once, stepped by compiled kernels."""

import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.engine import drivers
from texas42.envs.engine.state import Batch, new_batch
from texas42.envs.errors import GameOverError, IllegalActionError, MalformedActionError, OptionsError, whole_option
from texas42.envs.rules.codec import Codec, build_codec
from texas42.envs.rules.layout import Layout, build_layout
from texas42.envs.rules.reading import shown
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.envs.rules.tables import compile_tables

Int8 = npt.NDArray[np.int8]


class BatchedGame:
    """`n` independent games of the same rules.

    Row i of seed s is the same game whatever `n` and the number of threads: its episode k is (s, first_row + i, k).

    Args:
        rules: a `Rules`, a preset name, a YAML path or a mapping.
        n: number of rows.
        episode: ``"hand"`` or ``"game"``.
        auto_reset: start a row's next episode in the step that ends one.
        recall: ``"full"``, or ``"table"`` to hide won tricks as the rules' `won_tricks_visibility` says.
        threads: rows are split over this many threads.
        first_row: number of row 0.

    Attributes:
        states: array of `STATE` records, shape (n,); the games themselves.
        tables: the compiled rules, one record.
        codec, layout: action names, observation pieces.
    """

    def __init__(
        self,
        rules: Rules | str | Mapping[str, object],
        n: int,
        *,
        episode: str = "hand",
        auto_reset: bool = True,
        recall: str = "full",
        threads: int = 1,
        first_row: int = 0,
    ) -> None:
        if episode not in ("hand", "game"):
            raise OptionsError(f"episode={episode!r} is not allowed; allowed: 'hand', 'game'")
        if recall not in ("full", "table"):
            raise OptionsError(f"recall={recall!r} is not allowed; allowed: 'full', 'table'")
        n, threads = whole_option("n", n, 1, 2**31 - 1), whole_option("threads", threads, 1, 4096)
        first_row = whole_option("first_row", first_row, 0, 2**64 - 1 - n)
        self.rules: Rules = resolve_rules(rules)
        self.n, self.episode, self.auto_reset, self.recall = n, episode, auto_reset, recall
        self.first_row = first_row
        self.codec: Codec = build_codec(self.rules)
        self.layout: Layout = build_layout(self.rules, self.codec)
        self._table_array = compile_tables(self.rules)
        self.tables: Any = self._table_array[0]
        self.states: Batch = new_batch(n)
        self._seed: int | None = None
        self._episode = 0
        self._pool = _pool_of(threads)
        self._chunks = [slice(n * k // threads, n * (k + 1) // threads) for k in range(threads)]

    def reset(self, seed: int | None = None) -> None:
        """Start episode 0 of `seed` in every row, or, without a seed, every row's next episode.

        Raises:
            OptionsError: a bad seed; nothing has changed.
        """
        if seed is not None or self._seed is None:
            self._seed = secrets.randbits(63) if seed is None else whole_option("seed", seed, 0, 2**64 - 1)
            self._run(self._start, np.uint64(self._seed))
        else:
            self._run(self._next)

    def _start(self, rows: slice, seed: np.uint64) -> None:
        first = np.uint64(self.first_row + rows.start)
        drivers.start_batch(self.states[rows], self.tables, seed, first, np.uint64(0), int(self.episode == "game"))

    def _next(self, rows: slice) -> None:
        drivers.next_batch(self.states[rows], self.tables)

    def _run(self, work: Any, *args: Any) -> None:
        if self._pool is None:
            work(self._chunks[0], *args)
        else:
            list(self._pool.map(lambda rows: work(rows, *args), self._chunks))

    @property
    def movers(self) -> npt.NDArray[np.int32]:
        """Seat to move in every row, -1 where the episode is over; a fresh array, shape (n,)."""
        return np.array(self.states["cur"])

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Rows whose episode is over (never true after a step with `auto_reset`)."""
        return np.asarray(self.states["done"] != 0)

    def step(self, actions: npt.ArrayLike) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Apply one action for the mover of every row.

        Args:
            actions: integer ids, shape (n,); ignored in rows that are over.

        Returns:
            rewards: float32 (n, seats): in the step that ends a hand each seat gets its side's score change minus
                the mean of the other sides' changes; zero otherwise.
            ended: bool (n,): rows whose episode ended in this step (with `auto_reset` they have started anew).

        Raises:
            MalformedActionError: wrong shape, type or range.
            IllegalActionError: an action is not legal; nothing was applied.
            GameOverError: before `reset`, or every row is over.
        """
        self._must_be_on("step")
        array = self._checked(actions)
        rewards = np.zeros((self.n, self.rules.seats), np.float32)
        ended = np.zeros(self.n, np.bool_)
        self._run(self._step, array, rewards, ended)
        return rewards, ended

    def _step(self, rows: slice, actions: Any, rewards: Any, ended: Any) -> None:
        drivers.step_and_pay(
            self.states[rows], self.tables, actions[rows], rewards[rows], ended[rows], self.auto_reset
        )

    def _checked(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        array = _as_array(actions)
        if array.shape != (self.n,) or not np.issubdtype(array.dtype, np.integer):
            raise MalformedActionError(
                f"actions must be {self.n} whole numbers, not shape {array.shape} of {array.dtype}"
            )
        array = np.ascontiguousarray(array, np.int64)
        row = int(drivers.first_illegal(self.states, self.tables, array))
        if row >= 0:
            name = self.codec.name(int(array[row]))  # raises when out of range
            raise IllegalActionError(f"row {row}: {name} is not legal; legal: {', '.join(self.legal_names(row))}")
        if self.done.all():
            raise GameOverError("every game is over; call reset")
        return array

    def legal_names(self, row: int) -> list[str]:
        """The legal actions of a row in record notation, in id order.

        Raises:
            OptionsError: no such row.
            GameOverError: before `reset`.
        """
        self._must_be_on("legal_names")
        row = whole_option("row", row, 0, self.n - 1)
        mask = np.zeros((1, self.codec.n_actions), np.int8)
        states = self.states[row : row + 1]
        drivers.mask_batch(states, self.tables, np.array(states["cur"], np.int64), mask)
        return [self.codec.names[i] for i in np.flatnonzero(mask[0])]

    def observe(self, seats: npt.ArrayLike | None = None) -> tuple[Int8, Int8]:
        """Observations and masks, fresh arrays.

        Args:
            seats: the observer in each row, shape (n,); by default the mover (seat 0 where the row is over).

        Returns:
            observations (n, width) and action masks (n, n_actions), int8 0/1.

        Raises:
            OptionsError: not a seat for every row.
            GameOverError: before `reset`.
        """
        self._must_be_on("observe")
        observers = self._seats(seats)
        observations = np.empty((self.n, self.layout.width), np.int8)
        masks = np.empty((self.n, self.codec.n_actions), np.int8)
        self._run(self._observe, observers, observations, masks)
        return observations, masks

    def _observe(self, rows: slice, seats: Any, observations: Any, masks: Any) -> None:
        table = self.recall == "table"
        drivers.observe_batch(self.states[rows], self.tables, seats[rows], table, observations[rows], masks[rows])

    def _seats(self, seats: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        if seats is None:
            return np.asarray(np.maximum(self.states["cur"], 0), np.int64)
        array, top = _as_array(seats), self.rules.seats - 1
        whole = array.shape in ((), (self.n,)) and np.issubdtype(array.dtype, np.integer)
        if not whole or not ((array >= 0) & (array <= top)).all():
            raise OptionsError(f"seats={shown(seats)} is not allowed; allowed: 0 to {top}, one for all or for each row")
        return np.ascontiguousarray(np.broadcast_to(array, (self.n,)), np.int64)

    def _must_be_on(self, what: str) -> None:
        if self._seed is None:
            raise GameOverError(f"{what} before reset")

    def hidden(self, seats: npt.ArrayLike | None = None) -> Int8:
        """For a central critic only: other hands, widow and discards, int8 (n, hidden_width)."""
        self._must_be_on("hidden")
        out = np.empty((self.n, self.layout.hidden_width), np.int8)
        drivers.hidden_batch(self.states, self.tables, self._seats(seats), out)
        return out

    def views(self, seats: npt.ArrayLike | None = None) -> Batch:
        """Copies of the states in which everything the seat cannot know is blanked, shape (n,)."""
        self._must_be_on("views")
        copies = self.states.copy()
        drivers.blank_batch(copies, self.tables, self._seats(seats))
        return copies

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_pool"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._pool = _pool_of(len(self._chunks))


def _pool_of(threads: int) -> ThreadPoolExecutor | None:
    return ThreadPoolExecutor(threads) if threads > 1 else None


def _as_array(values: npt.ArrayLike) -> npt.NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:  # lists of different lengths
        return np.asarray(None)
