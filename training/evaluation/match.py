"""Duplicate matches: two teams play the same deals from every side, and the difference is measured by deal."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from texas42.agents.arena import copy_rows, decision_keys
from texas42.agents.base import Agent, Decisions, sees_all
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.state import AUCTION, Batch
from texas42.envs.errors import IllegalActionError, MalformedActionError, OptionsError
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.training.evaluation.bootstrap import bootstrap_interval
from texas42.training.evaluation.contract import ForcedContract
from texas42.training.evaluation.result import MatchResult
from texas42.training.evaluation.tally import Tally
from texas42.training.evaluation.teams import Sitting, Team, TeamLike, make_team, sittings

BATCH = 4096
AGENT_SALT = 0xA6E27
_WARM_UP_ROW = 2**62
_FIRST_CHUNK = 32
_QUICK = 0.5
"""Deals of the first chunk that is reported, and seconds under which the next one may be larger."""

Progress = Callable[[int], None]
"""Called with the number of deals just finished."""


class AgentError(RuntimeError):
    """An agent answered something that is no legal action; the message names agent, row and action."""


@dataclass
class _Clock:
    """CPU seconds and decisions by team."""

    seconds: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(2))
    decisions: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))


def play_match(
    a: TeamLike,
    b: TeamLike,
    rules: Rules | str = "n42pa",
    deals: int = 1000,
    seed: int = 0,
    *,
    episode: str = "hand",
    contract: str | None = None,
    batch: int = BATCH,
    threads: int = 1,
    progress: Progress | None = None,
) -> MatchResult:
    """Play `deals` deals once for every sitting of the two teams.

    The deal and its shaker are drawn from (seed, number of the deal); an agent's randomness from (seed, deal, hand,
    seat, decision), whoever sits there. So the result depends on neither batch size nor threads, exchanging the teams
    negates it exactly (two sides), and a team against itself scores exactly zero.

    Args:
        a, b: teams: a spec, ``SPEC+SPEC`` for a mixed partnership, an agent, or a sequence of agents.
        rules: the rules.
        deals: number of deals; with ``episode="game"`` of games, each from its own deals.
        seed: of deals, agents and bootstrap.
        episode: ``"hand"`` or ``"game"``.
        contract: play a given contract instead of an auction (`ForcedContract`); hands only.
        batch: sittings played side by side at most: how many rows an agent may get at once.
        threads: of the engine; agents choose theirs.
        progress: told how many deals have just been finished; slow agents then get smaller batches.

    Returns:
        The result; `MatchResult.to_json` is what the command line writes.

    Raises:
        OptionsError: a bad number, a team or a contract that does not fit the rules.
        AgentError: an agent answered an illegal action.
    """
    rules = resolve_rules(rules)
    _check_numbers(deals, seed, batch, episode, contract)
    match = _Match(make_team(a, rules), make_team(b, rules), rules, seed, episode, contract, threads)
    match.warm_up()
    scores = np.empty(deals)
    largest = max(1, batch // len(match.sittings))
    chunk = largest if progress is None else min(largest, _FIRST_CHUNK)
    first, started = 0, time.process_time()
    while first < deals:
        n, begun = min(chunk, deals - first), time.perf_counter()
        scores[first : first + n] = match.play(first, n)
        first += n
        if progress is not None:
            progress(n)
            if time.perf_counter() - begun < _QUICK:
                chunk = min(largest, 4 * chunk)
    return match.result(scores, time.process_time() - started)


def _check_numbers(deals: int, seed: int, batch: int, episode: str, contract: str | None) -> None:
    if deals < 1 or batch < 1:
        raise OptionsError(f"deals={deals} and batch={batch} must be at least 1")
    if not 0 <= seed < 2**64:
        raise OptionsError(f"seed={seed} is not allowed; allowed: 0 to 2**64 - 1")
    if contract is not None and episode != "hand":
        raise OptionsError(f"contract={contract!r} goes with episode='hand' only, not with {episode!r}")


class _Match:
    """What stays the same from one chunk of deals to the next, and the sums over them."""

    def __init__(
        self, a: Team, b: Team, rules: Rules, seed: int, episode: str, contract: str | None, threads: int
    ) -> None:
        self.a, self.b, self.rules, self.seed, self.threads = a, b, rules, seed, threads
        self.agents: tuple[Agent, ...] = (*a.members, *b.members)
        self.sittings: list[Sitting] = sittings(a, b, rules)
        self.episode, self.contract = episode, contract
        self.forced = ForcedContract(contract, rules) if contract is not None else None
        self.agent_seed = (seed ^ AGENT_SALT) % 2**64
        self._start_counting()

    def _start_counting(self) -> None:
        game = BatchedGame(self.rules, 1)
        self.tally, self.clock = Tally(self.rules, game.codec, bidding=self.forced is None), _Clock()
        self.games = np.zeros(2, np.int64)
        self.unfinished = 0

    def warm_up(self) -> None:
        """Play one deal that does not count, so that compiling and loading are in nobody's figures."""
        self.play(_WARM_UP_ROW, 1)
        self._start_counting()

    def play(self, first: int, n: int) -> npt.NDArray[np.float64]:
        """Scores of deals ``first .. first + n``: A's minus B's, averaged over the sittings, shape (n,)."""
        game = self._deal(first, n)
        seating = np.repeat([sitting.seating for sitting in self.sittings], n, axis=0)
        sides = np.repeat([sitting.side for sitting in self.sittings], n)
        self._play_out(game, seating, sides)
        if self.episode == "hand":
            self.tally.add(game.states, sides)
        else:
            self._count_games(game.states, sides)
        return self._scores(game.states, sides, n)

    def _scores(self, states: Batch, sides: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.float64]:
        """A's score minus the mean of the other sides', in whole numbers up to one last division, shape (n,)."""
        scores = states["scores"][:, : self.rules.sides].astype(np.int64)  # zero at the deal
        mine = scores[np.arange(len(states)), sides]
        others = self.rules.sides - 1
        margins = mine * others - (scores.sum(axis=1) - mine)
        return np.asarray(margins.reshape(-1, n).sum(axis=0) / (others * len(self.sittings)))

    def _deal(self, first: int, n: int) -> BatchedGame:
        """The same `n` deals once for every sitting: row ``k * n + i`` is deal ``first + i`` in sitting k."""
        count = len(self.sittings)
        game = BatchedGame(
            self.rules, n * count, episode=self.episode, auto_reset=False, threads=self.threads, first_row=first
        )
        game.reset(self.seed)
        for k in range(1, count):
            game.states[k * n : (k + 1) * n] = game.states[:n]
        if self.forced is not None:
            self.forced.apply(game, self.agent_seed)
        return game

    def _play_out(self, game: BatchedGame, seating: npt.NDArray[np.int64], sides: npt.NDArray[np.int64]) -> None:
        """Play every row to the end of its episode."""
        movers = game.states.view(np.ndarray)["cur"]  # a view: it follows the games
        steps = np.zeros(game.n, np.int64)
        ids = np.arange(game.n, dtype=np.uint64)  # two sittings of a deal are two games to an agent with memory
        for agent in self.agents:
            agent.reset(ids)
        while True:
            live = np.flatnonzero(movers >= 0)
            if len(live) == 0:
                return
            actions = self._choose(game, live, ids, seating, decision_keys(game, self.agent_seed, steps))
            if self.episode == "game":
                self._count_ending_hands(game, live, actions, sides)
            self._step(game, actions, seating)
            steps += 1

    def _choose(
        self,
        game: BatchedGame,
        live: npt.NDArray[np.int64],
        ids: npt.NDArray[np.uint64],
        seating: npt.NDArray[np.int64],
        keys: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """One action for every live row, -1 elsewhere; an agent is asked once, for all its rows."""
        actions = np.full(game.n, -1, np.int64)
        movers = game.states["cur"][live].astype(np.int64)
        who = seating[live, movers]
        for index, agent in enumerate(self.agents):
            mine = who == index
            rows = live[mine]
            if len(rows) == 0:
                continue
            views = copy_rows(game.states, rows)
            seats = movers[mine]
            if not sees_all(agent):
                drivers.blank_batch(views, game.tables, seats)
            decisions = Decisions(self.rules, views, seats, ids[rows], keys[rows])
            actions[rows] = self._ask(agent, int(index >= len(self.a.members)), decisions)
        return actions

    def _ask(self, agent: Agent, team: int, decisions: Decisions) -> npt.NDArray[np.int64]:
        """An agent's actions, on its team's clock."""
        started = time.process_time()
        answer = np.asarray(agent.act(decisions))
        self.clock.seconds[team] += time.process_time() - started
        self.clock.decisions[team] += len(decisions)
        if answer.shape != (len(decisions),) or not np.issubdtype(answer.dtype, np.integer):
            found = f"{answer.dtype} of shape {answer.shape}"
            raise AgentError(f"agent {agent.name!r} must answer {len(decisions)} whole numbers, not {found}")
        return answer

    def _step(self, game: BatchedGame, actions: npt.NDArray[np.int64], seating: npt.NDArray[np.int64]) -> None:
        try:
            game.step(actions)
        except (IllegalActionError, MalformedActionError) as error:
            row = int(drivers.first_illegal(game.states, game.tables, actions))
            agent = self.agents[seating[row, game.states["cur"][row]]]
            raise AgentError(f"agent {agent.name!r} answered action {actions[row]}: {error}") from error

    def _count_ending_hands(
        self,
        game: BatchedGame,
        live: npt.NDArray[np.int64],
        actions: npt.NDArray[np.int64],
        sides: npt.NDArray[np.int64],
    ) -> None:
        """In a whole game the next deal overwrites a hand in the step that ends it: finish a copy, and count that."""
        states = game.states
        may_end = (states["pos"][live] + 1 >= states["in_trick"][live]) | (states["phase"][live] == AUCTION)
        rows = live[may_end | (actions[live] == game.codec.claim)]
        copies = copy_rows(states, rows)
        copies["whole_game"] = 0
        drivers.step_batch(copies, game.tables, actions[rows])
        ended = copies["hand_over"] == 1
        self.tally.add(copies[ended], sides[rows[ended]])

    def _count_games(self, states: Batch, sides: npt.NDArray[np.int64]) -> None:
        winners = states["winners"].astype(np.int64)
        won = (winners >> sides) & 1 == 1
        self.games += (won.sum(), (winners & ~(1 << sides) != 0).sum())
        self.unfinished += int((winners == 0).sum())

    def result(self, scores: npt.NDArray[np.float64], cpu_s: float) -> MatchResult:
        """All figures of the match."""
        rows = len(scores) * len(self.sittings)
        per_decision = [
            float(s / d) if d else None for s, d in zip(self.clock.seconds, self.clock.decisions, strict=True)
        ]
        return MatchResult(
            a=self.a.name,
            b=self.b.name,
            rules=self.rules,
            episode=self.episode,
            contract=self.contract,
            seed=self.seed,
            sittings=len(self.sittings),
            scores=scores,
            mean=float(scores.sum() / len(scores)),
            ci95=bootstrap_interval(scores, self.seed),
            tally=self.tally,
            games_won=(int(self.games[0]), int(self.games[1])) if self.episode == "game" else None,
            unfinished=self.unfinished,
            episodes=rows,
            cpu_s_per_decision=(per_decision[0], per_decision[1]),
            decisions=(int(self.clock.decisions[0]), int(self.clock.decisions[1])),
            cpu_s=cpu_s,
        )
