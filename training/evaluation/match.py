"""Duplicate matches: two teams play the same deals from every side, and the difference is measured by deal."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42 import __version__
from texas42.agents.arena import copy_rows, decision_keys
from texas42.agents.base import Agent, Decisions, sees_all
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.state import AUCTION, Batch
from texas42.envs.errors import IllegalActionError, MalformedActionError, OptionsError
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.training.evaluation import forfeit
from texas42.training.evaluation.contract import ForcedContract
from texas42.training.evaluation.forfeit import LIMIT
from texas42.training.evaluation.forfeit import AgentError as AgentError
from texas42.training.evaluation.result import MatchResult, make_result, rules_name
from texas42.training.evaluation.saved import SavedMatch, digest_of_files
from texas42.training.evaluation.sequential import StopRule
from texas42.training.evaluation.sums import Sums
from texas42.training.evaluation.tally import Tally
from texas42.training.evaluation.teams import Sitting, Team, TeamLike, make_team, sittings

BATCH = 4096
AGENT_SALT = 0xA6E27
_WARM_UP_ROW = 2**62
_FIRST_CHUNK = 32
_QUICK = 0.5
"""Deals of the first chunk that is reported, and seconds under which the next one may be larger."""
FAULTS = ("raise", "forfeit")

Int64 = npt.NDArray[np.int64]
Progress = Callable[[int], None]
"""Called with the number of deals just finished."""
Watch = Callable[[int, int], None]
"""Called with the team (0 or 1) and the number of decisions before a player is asked, with (-1, 0) after it."""


@dataclass(frozen=True)
class Setting:
    """How a match is played, whoever plays it.

    Attributes:
        rules, seed, episode, contract, batch, threads: see `play_match`.
        faults: ``"raise"``, or ``"forfeit"``: a player that fails loses the hand.
        limit: with ``faults="forfeit"``, seconds a decision that a player may take, on average over a batch; 120
            seconds are allowed for any batch.

    Raises:
        OptionsError: a bad value.
    """

    rules: Rules
    seed: int = 0
    episode: str = "hand"
    contract: str | None = None
    batch: int = BATCH
    threads: int = 1
    faults: str = "raise"
    limit: float = LIMIT

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise OptionsError(f"batch={self.batch} must be at least 1")
        if not 0 <= self.seed < 2**64:
            raise OptionsError(f"seed={self.seed} is not allowed; allowed: 0 to 2**64 - 1")
        if self.contract is not None and self.episode != "hand":
            raise OptionsError(f"contract={self.contract!r} goes with episode='hand' only, not with {self.episode!r}")
        if self.faults not in FAULTS:
            raise OptionsError(f"faults={self.faults!r} is not allowed; allowed: {', '.join(FAULTS)}")
        if not self.limit > 0:
            raise OptionsError(f"limit={self.limit} is not allowed; allowed: seconds, more than 0")

    def key(self, a: str, b: str) -> dict[str, Any]:
        """Plain values on which the figures of a match of these teams depend."""
        return {
            "a": a,
            "b": b,
            "files": digest_of_files(a) | digest_of_files(b),
            "rules": rules_name(self.rules),
            "seed": self.seed,
            "episode": self.episode,
            "contract": self.contract,
            "faults": self.faults,
            "version": __version__,
        }


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
    until: float | None = None,
    faults: str = "raise",
    limit: float = LIMIT,
    saved: Path | None = None,
) -> MatchResult:
    """Play `deals` deals once for every sitting of the two teams.

    The deal and its shaker are drawn from (seed, number of the deal); an agent's randomness from (seed, deal, hand,
    seat, decision), whoever sits there. So the result depends on neither batch size nor threads, exchanging the teams
    negates it exactly (two sides), and a team against itself scores exactly zero.

    Args:
        a, b: teams: a spec, ``SPEC+SPEC`` for a mixed partnership, an agent or function, or a sequence of agents.
        rules: the rules.
        deals: number of deals; with ``episode="game"`` of games, each from its own deals.
        seed: of deals, agents and bootstrap.
        episode: ``"hand"`` or ``"game"``.
        contract: play a given contract instead of an auction (`ForcedContract`); hands only.
        batch: sittings played side by side at most: how many rows an agent may get at once.
        threads: of the engine; agents choose theirs.
        progress: told how many deals have just been finished; slow agents then get smaller batches.
        until: stop before `deals` when the interval is no wider than mean ± this (`StopRule`).
        faults: ``"raise"``: a player that fails ends the match with an error. ``"forfeit"``: it loses the hand.
        limit: with ``faults="forfeit"``, seconds a decision that a player may take, on average over a batch; 120
            seconds are allowed for any batch.
        saved: a file that keeps the match while it is played; a match killed goes on from it exactly.

    Returns:
        The result; `MatchResult.to_json` is what the command line writes.

    Raises:
        OptionsError: a bad number, a team or a contract that does not fit the rules, a file of another match.
        AgentError: an agent answered an illegal action.
    """
    if deals < 1:
        raise OptionsError(f"deals={deals} and batch={batch} must be at least 1")
    rules = resolve_rules(rules)
    setting = Setting(rules, seed, episode, contract, batch, threads, faults, limit)
    rule = None if until is None else StopRule(until)
    match = Match(make_team(a, rules), make_team(b, rules), setting)
    sums = match.empty()
    keeper = None if saved is None else SavedMatch(saved, setting.key(match.a.name, match.b.name))
    if keeper is not None:
        keeper.load(sums)
        if sums.deals > deals:
            raise OptionsError(f"{saved} has {sums.deals} deals already; deals={deals} must be at least as many")
        if progress is not None and sums.deals:
            progress(sums.deals)
    match.warm_up()
    try:
        stopped = _play_on(match, sums, deals, rule, progress, keeper)
    finally:
        if keeper is not None:
            keeper.save(sums, now=True)
    return make_result(match.a.name, match.b.name, setting, sums, rule if stopped else None, until)


def _play_on(
    match: "Match",
    sums: Sums,
    deals: int,
    rule: StopRule | None,
    progress: Progress | None,
    keeper: SavedMatch | None,
) -> bool:
    """Play until `deals` deals are done or the rule is satisfied; returns whether it was."""
    largest = max(1, match.setting.batch // len(match.sittings))
    chunk = largest if progress is None and keeper is None else min(largest, _FIRST_CHUNK)
    while True:
        if rule is not None and rule.is_look(sums.deals) and rule.satisfied(sums.scores(match.rules)):
            return True
        if sums.deals >= deals:
            return False
        most = deals if rule is None else min(deals, rule.next_look(sums.deals))
        n, begun = min(chunk, most - sums.deals), time.perf_counter()
        sums.add(match.play(sums.deals, n))
        if keeper is not None:
            keeper.save(sums)
        if progress is not None:
            progress(n)
        if time.perf_counter() - begun < _QUICK:
            chunk = min(largest, 4 * chunk)


class Match:
    """Two teams that sit down to play; `play` may be called for any deals in any order.

    Args:
        a, b: the teams.
        setting: how it is played.
        watch: told who is being asked, for those who watch from another process.
    """

    def __init__(self, a: Team, b: Team, setting: Setting, watch: Watch | None = None) -> None:
        self.a, self.b, self.setting, self.watch = a, b, setting, watch
        self.rules = setting.rules
        self.agents: tuple[Agent, ...] = (*a.members, *b.members)
        self.sittings: list[Sitting] = sittings(a, b, setting.rules)
        self.forced = ForcedContract(setting.contract, setting.rules) if setting.contract is not None else None
        self.agent_seed = (setting.seed ^ AGENT_SALT) % 2**64
        BatchedGame(setting.rules, 1, episode=setting.episode)  # refuses a bad episode
        self.sums = self.empty()

    def empty(self) -> Sums:
        """The sums of no deals."""
        return empty_sums(self.setting, len(self.sittings))

    def warm_up(self) -> None:
        """Play one deal that does not count, so that compiling and loading are in nobody's figures."""
        self.play(_WARM_UP_ROW, 1)

    def play(self, first: int, n: int) -> Sums:
        """The sums of deals ``first .. first + n``."""
        started = time.process_time()
        self.sums = self.empty()
        game = self._deal(first, n)
        seating = np.repeat([sitting.seating for sitting in self.sittings], n, axis=0)
        sides = np.repeat([sitting.side for sitting in self.sittings], n)
        whole = self._play_out(game, seating, sides)
        if self.setting.episode == "hand":
            self.sums.tally.add(game.states[whole], sides[whole])
        else:
            self.sums.wins = self._wins(game.states, sides).reshape(-1, n).T
        self.sums.margins = self._margins(game.states, sides).reshape(-1, n).T
        self.sums.cpu_s = time.process_time() - started
        return self.sums

    def _margins(self, states: Batch, sides: Int64) -> Int64:
        """A's score times the number of other sides, minus their scores: whole numbers up to one last division."""
        scores = states["scores"][:, : self.rules.sides].astype(np.int64)  # zero at the deal
        mine = scores[np.arange(len(states)), sides]
        return np.asarray(mine * (self.rules.sides - 1) - (scores.sum(axis=1) - mine))

    def _wins(self, states: Batch, sides: Int64) -> Int64:
        """1 where A won the game, -1 where another side did, 0 where it was cut off."""
        winners = states["winners"].astype(np.int64)
        won = (winners >> sides) & 1 == 1
        lost = winners & ~(1 << sides) != 0
        return np.asarray(won.astype(np.int64) - lost)

    def _deal(self, first: int, n: int) -> BatchedGame:
        """The same `n` deals once for every sitting: row ``k * n + i`` is deal ``first + i`` in sitting k."""
        count, setting = len(self.sittings), self.setting
        game = BatchedGame(
            self.rules, n * count, episode=setting.episode, auto_reset=False, threads=setting.threads, first_row=first
        )
        game.reset(setting.seed)
        for k in range(1, count):
            game.states[k * n : (k + 1) * n] = game.states[:n]
        if self.forced is not None:
            self.forced.apply(game, self.agent_seed)
        return game

    def _play_out(self, game: BatchedGame, seating: Int64, sides: Int64) -> npt.NDArray[np.bool_]:
        """Play every row to the end of its episode; returns the rows without a forfeit, bool (rows,)."""
        movers = game.states.view(np.ndarray)["cur"]  # a view: it follows the games
        steps = np.zeros(game.n, np.int64)
        ids = np.arange(game.n, dtype=np.uint64)  # two sittings of a deal are two games to an agent with memory
        whole = np.ones(game.n, np.bool_)
        for agent in self.agents:
            self._reset(agent, ids)
        while True:
            live = np.flatnonzero(movers >= 0)
            if len(live) == 0:
                return whole
            actions = self._choose(game, live, ids, seating, decision_keys(game, self.agent_seed, steps))
            failed = live[actions[live] == forfeit.FORFEIT]
            if len(failed):
                live = live[actions[live] != forfeit.FORFEIT]
                whole[failed] = False
            if self.setting.episode == "game":
                self._count_ending_hands(game, live, actions, sides)
            if len(failed):
                self._forfeit(game, failed, live, actions, seating)
            else:
                self._step(game, actions, seating)
            steps += 1

    def _reset(self, agent: Agent, ids: npt.NDArray[np.uint64]) -> None:
        try:
            agent.reset(ids)
        except Exception as error:
            if self.setting.faults == "raise":
                raise
            self.sums.note(f"{agent.name}: reset: {type(error).__name__}: {error}", 0)

    def _choose(
        self,
        game: BatchedGame,
        live: Int64,
        ids: npt.NDArray[np.uint64],
        seating: Int64,
        keys: npt.NDArray[np.uint64],
    ) -> Int64:
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

    def _ask(self, agent: Agent, team: int, decisions: Decisions) -> Int64:
        """An agent's actions, on its team's clock."""
        started = time.process_time()
        if self.watch is not None:
            self.watch(team, len(decisions))
        if self.setting.faults == "forfeit":
            answer = forfeit.answer_or_forfeit(agent, decisions, self.setting.limit, self.sums)
        else:
            answer = forfeit.answer_of(agent, decisions)
        if self.watch is not None:
            self.watch(-1, 0)
        self.sums.seconds[team] += time.process_time() - started
        self.sums.decisions[team] += len(decisions)
        return answer

    def _forfeit(self, game: BatchedGame, failed: Int64, live: Int64, actions: Int64, seating: Int64) -> None:
        """End the hands whose movers failed, and play on in the other rows."""
        who = seating[failed, game.states["cur"][failed]]
        self.sums.forfeits += np.bincount(who >= len(self.a.members), minlength=2).astype(np.int64)
        if len(live):
            forfeit.step_rows(game, live, actions[live])
        forfeit.forfeit_rows(game, failed)

    def _step(self, game: BatchedGame, actions: Int64, seating: Int64) -> None:
        try:
            game.step(actions)
        except (IllegalActionError, MalformedActionError) as error:
            row = int(drivers.first_illegal(game.states, game.tables, actions))
            agent = self.agents[seating[row, game.states["cur"][row]]]
            raise AgentError(f"agent {agent.name!r} answered action {actions[row]}: {error}") from error

    def _count_ending_hands(self, game: BatchedGame, live: Int64, actions: Int64, sides: Int64) -> None:
        """In a whole game the next deal overwrites a hand in the step that ends it: finish a copy, and count that."""
        states = game.states
        may_end = (states["pos"][live] + 1 >= states["in_trick"][live]) | (states["phase"][live] == AUCTION)
        rows = live[may_end | (actions[live] == game.codec.claim)]
        copies = copy_rows(states, rows)
        copies["whole_game"] = 0
        drivers.step_batch(copies, game.tables, actions[rows])
        ended = copies["hand_over"] == 1
        self.sums.tally.add(copies[ended], sides[rows[ended]])


def empty_sums(setting: Setting, n_sittings: int) -> Sums:
    """The sums of no deals played `n_sittings` times each."""
    codec = build_codec(setting.rules)
    return Sums(Tally(setting.rules, codec, bidding=setting.contract is None), n_sittings)
