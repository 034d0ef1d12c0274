"""Whole hands or games played by the learner and others, and the learner's decisions kept as arrays.

Hand (or game) number r of a run is row r of its seed: what is dealt and drawn depends on (seed, r) and the policies
alone, so a run can go on from any update without a saved game. Forced moves are played here and are no
training data.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from texas42.agents.arena import decision_keys, decisions_for
from texas42.agents.base import Agent
from texas42.envs.batch import BatchedGame
from texas42.envs.decisions import copy_rows
from texas42.envs.engine.state import PLAY, Batch, new_batch
from texas42.envs.rules.ladder import PASS, SPECIAL, build_ladder
from texas42.envs.rules.rules import Rules
from texas42.training import kernels
from texas42.training.advice import Adviser
from texas42.training.config import AdviceConfig, DealsConfig
from texas42.training.deals import ConditionedDeals

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Float32 = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint64]

NO_ADVICE, PLAIN_DEALS = AdviceConfig(), DealsConfig()
PHASES = ("auction", "declaration", "play")
"""Groups of decisions that are looked at apart; the widow and discards belong to the declaration."""
LEARNER = 0
"""Index of the learner in a seating; strangers count from 1."""


@dataclass
class Pending:
    """Decisions that wait for the learner, one row each.

    Attributes:
        game: the tables.
        rows: int64 (n,), which of them.
        observations, hidden, masks: int8: what the mover knows, what a critic sees besides, legal actions.
        keys: uint64 (n,), the source of randomness.
    """

    game: BatchedGame
    rows: Int64
    observations: Int8
    hidden: Int8
    masks: Int8
    keys: Keys


@dataclass
class Choice:
    """Answers to `Pending`: actions to play, actions to learn from, and the log-probability of the latter."""

    played: Int64
    learnt: Int64
    log_probabilities: Float32


class Chooser(Protocol):
    """Who plays the learner's seats."""

    def choose(self, pending: Pending) -> Choice:
        """One legal action a row."""
        ...


@dataclass
class Experience:
    """Decisions of the learner in time order, t of them, from n tables with a hand or a game each, h hands in all.

    Attributes:
        observations, hidden, masks: int8 (t, ...).
        actions: int64 (t,), the actions to learn from.
        log_probabilities: float32 (t,), theirs when they were chosen.
        advice: float32 (t, actions), what every action comes to (`advice.Adviser`), NaN in hands not asked
            about; (t, 0) where there is no advice.
        players: int64 (t,): table times seats plus seat.
        hands: int64 (t,): whose hand in `finals` it is.
        phases: int64 (t,), index into `PHASES`.
        rewards: float32 (n * seats,): what each player of `players` was paid: for a hand in the score's own unit, for
            a whole game what it won (`drivers.pay_winners`).
        finals: records of the finished hands, shape (h,), by table and time.
        tables: int64 (h,): where they were played.
        gains: float32 (h, seats): what they paid, in the score's own unit.
        seating: int64 (n, seats): who sat where, `LEARNER` or a stranger.
        conditioned: bool (n,): tables whose (first) deal was a conditioned one.
    """

    observations: Int8
    hidden: Int8
    masks: Int8
    actions: Int64
    log_probabilities: Float32
    advice: Float32
    players: Int64
    hands: Int64
    phases: Int64
    rewards: Float32
    finals: Batch
    tables: Int64
    gains: Float32
    seating: Int64
    conditioned: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.actions)

    def advised(self) -> "Experience":
        """The decisions alone that there is advice on."""
        rows = np.flatnonzero(~np.isnan(self.advice).all(axis=1))
        return replace(self, **{name: getattr(self, name)[rows] for name in BY_DECISION})


BY_DECISION = tuple(
    ["observations", "hidden", "masks", "actions", "log_probabilities", "advice", "players", "hands", "phases"]
)
"""Fields of `Experience` with a row a decision."""


class Tables:
    """A block of tables at which hands or games are played side by side to the end.

    Args:
        rules: the rules.
        n: number of tables.
        advice: at which tables advice on the learner's choices is worked out, and how.
        episode: ``"hand"`` or ``"game"``.
        deals: at which share of the tables the deal is conditioned, and on what.
    """

    def __init__(
        self,
        rules: Rules,
        n: int,
        advice: AdviceConfig = NO_ADVICE,
        episode: str = "hand",
        deals: DealsConfig = PLAIN_DEALS,
    ) -> None:
        self.adviser = Adviser(rules, advice.share, advice.late, advice.calls) if advice.is_asked else None
        self.deals = ConditionedDeals(rules, deals) if deals.share else None
        self.game = BatchedGame(rules, n, episode=episode, auto_reset=False)
        self.n = n

    def play(self, seed: int, first_row: int, seating: Int64, learner: Chooser, others: Sequence[Agent]) -> Experience:
        """Play hands, or games, ``first_row`` to ``first_row + n`` of `seed`.

        Args:
            seed: of deals and choices.
            first_row: number of the first one.
            seating: int64 (n, seats), `LEARNER` or 1 + index into `others`.
            learner: plays the learner's seats.
            others: the strangers.
        """
        game = self.game
        game.first_row = first_row
        game.reset(seed)
        conditioned = self.deals.deal(game.states) if self.deals is not None else np.zeros(self.n, np.bool_)
        steps = np.zeros(self.n, np.int64)
        log: list[_Turn] = []
        hands = _Hands(game)
        while True:
            hands.skip_forced()
            movers = game.movers
            live = np.flatnonzero(movers >= 0)
            if not len(live):
                break
            keys = decision_keys(game, seed, steps)
            who = seating[live, movers[live]]
            turns = [(rows, index) for index in np.unique(who) for rows in [live[who == index]]]
            chosen = [self._choose(int(index), rows, keys[rows], learner, others, log) for rows, index in turns]
            for (rows, _), actions in zip(turns, chosen, strict=True):
                hands.apply(rows, actions)
            steps[live] += 1
        return self._experience(log, hands, seating, conditioned)

    def _choose(
        self,
        index: int,
        rows: Int64,
        keys: Keys,
        learner: Chooser,
        others: Sequence[Agent],
        log: list["_Turn"],
    ) -> Int64:
        if index != LEARNER:
            return others[index - 1].act(decisions_for(self.game, rows, keys))
        pending = self._pending(rows, keys)
        choice = learner.choose(pending)
        states = self.game.states
        players = rows * self.game.rules.seats + states["cur"][rows]
        number = states["hand_no"][rows].astype(np.int64)
        advice, phases = self._advice(rows), _phase_groups(states["phase"][rows])
        log.append(_Turn(pending, choice, advice, players, number, phases))
        return choice.played

    def _pending(self, rows: Int64, keys: Keys) -> Pending:
        game = self.game
        observations = np.empty((len(rows), game.layout.width), np.int8)
        hidden = np.empty((len(rows), game.layout.hidden_width), np.int8)
        masks = np.empty((len(rows), game.codec.n_actions), np.int8)
        kernels.observe_rows(game.states, game.tables, rows, observations, hidden, masks)
        return Pending(game, rows, observations, hidden, masks, keys)

    def _advice(self, rows: Int64) -> Float32:
        if self.adviser is not None:
            return self.adviser.advise(self.game.states, rows)
        return np.empty((len(rows), 0), np.float32)

    def _experience(
        self, log: list["_Turn"], hands: "_Hands", seating: Int64, conditioned: npt.NDArray[np.bool_]
    ) -> Experience:
        game = self.game
        finals, tables = hands.finished()
        gains = np.zeros((len(finals), game.rules.seats), np.float32)
        kernels.final_rewards(finals, game.tables, gains)
        rewards = gains
        if game.episode == "game":
            rewards = np.zeros((self.n, game.rules.seats), np.float32)
            kernels.game_rewards(game.states, game.tables, rewards)
        players = _joined([turn.players for turn in log], (), np.int64)
        first = np.searchsorted(tables, np.arange(self.n))
        return Experience(
            observations=_joined([turn.pending.observations for turn in log], (game.layout.width,), np.int8),
            hidden=_joined([turn.pending.hidden for turn in log], (game.layout.hidden_width,), np.int8),
            masks=_joined([turn.pending.masks for turn in log], (game.codec.n_actions,), np.int8),
            actions=_joined([turn.choice.learnt for turn in log], (), np.int64),
            log_probabilities=_joined([turn.choice.log_probabilities for turn in log], (), np.float32),
            advice=_joined([turn.advice for turn in log], (game.codec.n_actions if self.adviser else 0,), np.float32),
            players=players,
            hands=first[players // game.rules.seats] + _joined([turn.number for turn in log], (), np.int64),
            phases=_joined([turn.phases for turn in log], (), np.int64),
            rewards=rewards.reshape(-1),
            finals=finals,
            tables=tables,
            gains=gains,
            seating=seating,
            conditioned=conditioned,
        )


class _Hands:
    """Applies actions, and keeps the record of every hand of a whole game before the next deal overwrites it."""

    def __init__(self, game: BatchedGame) -> None:
        self.game = game
        self.ended, self.over = new_batch(game.n if game.episode == "game" else 0), np.zeros(game.n, np.int8)
        self.kept: list[tuple[Batch, Int64]] = []

    def skip_forced(self) -> None:
        """Play on until every mover has a choice or the episode is over."""
        while True:
            kernels.skip_forced(self.game.states, self.game.tables, self.ended, self.over)
            if not self._keep():
                return

    def apply(self, rows: Int64, actions: Int64) -> None:
        """One legal action for the mover of each of `rows`."""
        kernels.apply_rows(self.game.states, self.game.tables, rows, actions, self.ended, self.over)
        self._keep()

    def _keep(self) -> bool:
        rows = np.flatnonzero(self.over)
        if not len(rows):
            return False
        self.kept.append((copy_rows(self.ended, rows), rows))
        self.over[rows] = 0
        return True

    def finished(self) -> tuple[Batch, Int64]:
        """Records of the finished hands by table and time, and their tables."""
        if self.game.episode == "hand":
            return self.game.states.copy(), np.arange(self.game.n)
        tables = np.concatenate([rows for _, rows in self.kept])
        order = np.argsort(tables, kind="stable")
        return copy_rows(np.concatenate([records for records, _ in self.kept]), order), tables[order]


@dataclass
class _Turn:
    """The learner's decisions of one round over the tables; `number`: of the hand within its episode."""

    pending: Pending
    choice: Choice
    advice: Float32
    players: Int64
    number: Int64
    phases: Int64


def _joined(parts: list[npt.NDArray[Any]], shape: tuple[int, ...], dtype: type) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty((0, *shape), dtype)


def _phase_groups(phases: npt.NDArray[np.int32]) -> Int64:
    return np.where(phases == 0, 0, np.where(phases == PLAY, 2, 1)).astype(np.int64)


class Rollout:
    """`hands` tables in blocks, one for each worker thread, played side by side.

    The games are split by `workers`, never by what the machine has, so that results do not depend on it. `advice`,
    `episode`, `deals`: see `Tables`.
    """

    def __init__(
        self,
        rules: Rules,
        hands: int,
        workers: int,
        pool: Executor,
        advice: AdviceConfig = NO_ADVICE,
        episode: str = "hand",
        deals: DealsConfig = PLAIN_DEALS,
    ) -> None:
        cuts = [hands * k // workers for k in range(workers + 1)]
        self.rules, self.hands, self.pool = rules, hands, pool
        blocks = [(first, end - first) for first, end in pairwise(cuts) if end > first]
        self.blocks = [(first, Tables(rules, n, advice, episode, deals)) for first, n in blocks]

    def play(
        self,
        seed: int,
        first_row: int,
        seating: Int64,
        learner: Callable[[], Chooser],
        others: Sequence[Agent],
    ) -> Experience:
        """Hands, or games, ``first_row`` to ``first_row + hands`` of `seed`; see `Tables.play`."""

        def one(block: tuple[int, Tables]) -> Experience:
            first, tables = block
            rows = seating[first : first + tables.n]
            return tables.play(seed, first_row + first, rows, learner(), others)

        return _merged(list(self.pool.map(one, self.blocks)), self.rules.seats)


def _merged(parts: list[Experience], seats: int) -> Experience:
    """One experience of several; within a player the order of time is kept."""
    first = hands = 0
    for part in parts:
        part.players = part.players + first * seats
        part.tables, part.hands = part.tables + first, part.hands + hands
        first, hands = first + len(part.seating), hands + len(part.finals)
    if len(parts) == 1:
        return parts[0]
    joined = {f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Experience)}
    return Experience(**joined)


def seat_strangers(
    hands: int, seats: int, sides: int, share: float, mixed: float, strangers: int, rng: np.random.Generator
) -> Int64:
    """Who sits where: int64 (hands, seats), `LEARNER` or 1 .. `strangers`.

    At ``share`` of the tables one side is a stranger's; at ``mixed`` of these, a single seat. These tables are spread
    evenly, so that threads and processes, which play neighbouring ones, have as much to do.
    """
    seating = np.full((hands, seats), LEARNER, np.int64)
    league = round(hands * share) if strangers else 0
    who = rng.integers(1, strangers + 1, league) if league else np.empty(0, np.int64)
    seat = rng.integers(0, seats, league)
    alone = rng.random(league) < mixed
    places = np.arange(seats)[None, :]
    theirs = np.where(alone[:, None], places == seat[:, None], places % sides == (seat % sides)[:, None])
    seating[np.arange(league) * hands // max(league, 1)] = np.where(theirs, who[:, None], LEARNER)
    return seating


def largest_stake(rules: Rules) -> float:
    """The most one hand can move the score, by which rewards are divided: 5 marks in n42pa."""
    ladder = build_ladder(rules)
    offered = [row for row in ladder if row.offered and row.kind != PASS]
    raises = (rules.seats - 1) * (2 if rules.mark_raise == "plus_up_to_two" else 1)
    specials = [row.base for row in offered if row.kind == SPECIAL]
    reachable = max([rules.max_opening_marks, *specials]) + raises
    if rules.calls == "until_one_left":
        reachable = max(row.marks for row in offered)
    most = min(reachable, rules.max_marks_cap or reachable)
    if rules.scoring == "marks":
        return float(max(1, min(most, max((row.marks for row in offered), default=1))))
    values = [row.value for row in offered if row.marks <= most]
    return float(max([*values, rules.total]) + rules.total)
