"""Hands played by one policy in all seats, with every decision kept: what regret, calibration and bidding read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.arena import copy_rows, play_out
from texas42.agents.base import Agent, Decisions
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.state import PLAY, Batch, new_batch
from texas42.envs.errors import IllegalActionError, MalformedActionError, OptionsError
from texas42.envs.records import HandRecord, complete
from texas42.envs.rules.codec import Codec, build_codec
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import Tables, compile_tables
from texas42.envs.rules.tiles import TILE_NAMES
from texas42.training.evaluation.contract import ForcedContract
from texas42.training.evaluation.forfeit import AgentError, answer_of

CHUNK = 256
"""Hands played side by side."""

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class HandLog:
    """Played hands; decisions stand hand by hand, in the order of play.

    Attributes:
        rules: the rules.
        own_bids: False where a contract was given and no auction held.
        states: full records of `STATE` before each decision, shape (n,): views must be blanked before an agent sees
            them.
        actions: int64 (n,), what was chosen.
        hand: int64 (n,), number of the hand, from 0.
        finals: records of the finished hands, shape (hands,).
    """

    rules: Rules
    own_bids: bool
    states: Batch
    actions: Int64
    hand: Int64
    finals: Batch

    @property
    def n_hands(self) -> int:
        """Number of hands."""
        return len(self.finals)

    @cached_property
    def codec(self) -> Codec:
        """Action names and ids."""
        return build_codec(self.rules)

    @cached_property
    def tables(self) -> Tables:
        """The compiled rules."""
        return compile_tables(self.rules)[0]

    @cached_property
    def masks(self) -> npt.NDArray[np.int8]:
        """Legal actions of every decision, int8 (n, n_actions)."""
        out = np.empty((len(self.states), self.codec.n_actions), np.int8)
        drivers.mask_batch(self.states, self.tables, self.states["cur"].astype(np.int64), out)
        return out

    @cached_property
    def plays(self) -> Int64:
        """Indices of the decisions in the phase of play."""
        return np.flatnonzero(self.states["phase"] == PLAY)

    def decisions(self, rows: Int64) -> Decisions:
        """What the movers of some decisions knew, as an agent is asked; keys and game ids are zero."""
        views = copy_rows(self.states, rows)
        seats = views["cur"].astype(np.int64)
        drivers.blank_batch(views, self.tables, seats)
        none = np.zeros(len(rows), np.uint64)
        return Decisions(self.rules, views, seats, none, none)

    def record(self, hand: int) -> HandRecord:
        """One hand as a record."""
        rows = np.flatnonzero(self.hand == hand)
        first = self.states[rows[0]]
        return complete(
            self.rules.to_dict(),
            int(first["shaker"]),
            [int(score) for score in first["scores"][: self.rules.sides]],
            [_tiles(int(mask), self.rules) for mask in first["dealt"][: self.rules.seats]],
            _tiles(int(first["widow"]), self.rules),
            [*self._given(first), *(self.codec.name(int(action)) for action in self.actions[rows])],
        )

    def _given(self, first: Any) -> list[str]:
        """Calls and declaration of a given contract, which nobody chose."""
        if self.own_bids:
            return []
        calls = [self.codec.ladder[int(call)].name for call in first["calls"][: int(first["n_calls"])]]
        return [*calls, self.codec.declarations[int(first["decl"])].name]


def _tiles(mask: int, rules: Rules) -> list[str]:
    types = [i % rules.n_types for i in range(mask.bit_length()) if mask >> i & 1]
    return [TILE_NAMES[tile] for tile in sorted(types, reverse=True)]


def play_hands(
    agent: Agent,
    rules: Rules,
    hands: int,
    seed: int,
    *,
    contract: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> HandLog:
    """Play single hands with one agent in every seat and keep all decisions.

    Deals depend on (seed, number of the hand) alone: two agents get the same ones.

    Args:
        agent: who sits in all seats.
        rules: the rules.
        hands: how many, at least 1.
        seed: of deals and agent.
        contract: a given contract instead of an auction, as in `play_match`.
        progress: told how many hands have just been finished.

    Raises:
        OptionsError: a bad number of hands, a contract that the rules do not have, or one where there is a widow.
        AgentError: the agent raised an exception or answered no legal action.
    """
    if hands < 1:
        raise OptionsError(f"hands={hands} is not allowed; allowed: 1 or more")
    if contract is not None and rules.setup.widow:
        raise OptionsError(f"contract={contract!r} is not allowed: these rules have a widow")
    forced = ForcedContract(contract, rules) if contract is not None else None
    parts = []
    for first in range(0, hands, CHUNK):
        parts.append(_play_chunk(agent, rules, first, min(CHUNK, hands - first), seed, forced))
        if progress is not None:
            progress(parts[-1].n_hands)
    return _joined(parts)


class _Named:
    """An agent whose exceptions carry its name."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name = agent, agent.name

    def act(self, decisions: Decisions) -> Int64:
        """The agent's answer."""
        try:
            return answer_of(self.agent, decisions)
        except AgentError:
            raise
        except Exception as error:
            raise AgentError(f"agent {self.name!r} in all seats: {type(error).__name__}: {error}") from error

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Passed on."""
        self.agent.reset(game_ids)


def _play_chunk(agent: Agent, rules: Rules, first: int, n: int, seed: int, forced: ForcedContract | None) -> HandLog:
    game = BatchedGame(rules, n, auto_reset=False, first_row=first)
    game.reset(seed)
    states: list[Batch] = []
    chosen: list[Int64] = []
    rows: list[Int64] = []
    if forced is not None:
        forced.apply(game, seed)

    def keep(game: BatchedGame, actions: Int64) -> None:
        live = np.flatnonzero(actions >= 0)
        states.append(copy_rows(game.states, live))
        chosen.append(actions[live])
        rows.append(live)

    try:
        play_out(game, [_Named(agent)], np.zeros((n, rules.seats), np.int64), seed, keep)
    except (IllegalActionError, MalformedActionError) as error:
        raise AgentError(f"agent {agent.name!r} in all seats: {error}") from error
    hand = np.concatenate(rows)
    order = np.argsort(hand, kind="stable")
    together = _stacked(states)[order].view(np.recarray)
    finals = game.states.copy()
    return HandLog(rules, forced is None, together, np.concatenate(chosen)[order], first + hand[order], finals)


def _stacked(parts: list[Batch]) -> Batch:
    out = new_batch(sum(map(len, parts)))
    np.concatenate(parts, out=out)
    return out


def _joined(parts: list[HandLog]) -> HandLog:
    if len(parts) == 1:
        return parts[0]
    return HandLog(
        parts[0].rules,
        parts[0].own_bids,
        _stacked([part.states for part in parts]),
        np.concatenate([part.actions for part in parts]),
        np.concatenate([part.hand for part in parts]),
        _stacked([part.finals for part in parts]),
    )
