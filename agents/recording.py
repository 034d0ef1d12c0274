"""Hands played by agents, as records (docs/RECORD_FORMAT.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np
import numpy.typing as npt

from texas42.agents.arena import choose_actions, decision_keys
from texas42.agents.base import Agent
from texas42.envs.batch import BatchedGame
from texas42.envs.errors import OptionsError
from texas42.envs.records.build import fill
from texas42.envs.records.model import HandRecord
from texas42.envs.records.replay import Deal, Replayer
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES

MAX_ROWS = 256
"""Games played side by side."""

_HANDS_PER_GAME = 12


def record_hands(
    rules: Rules,
    agents: Sequence[Agent],
    n_hands: int,
    seed: int,
    *,
    legal: bool = True,
    episode: str = "game",
) -> Iterator[HandRecord]:
    """Play hands and yield their records in a fixed order: game by game, hand by hand.

    Args:
        rules: the rules.
        agents: one for each seat; an object may sit in several.
        n_hands: how many records.
        seed: of the deals and of the agents; the first hands are the same whatever `n_hands`.
        legal: write the legal actions of every decision.
        episode: ``"game"`` plays whole games, so that scores vary, the last one cut off; ``"hand"`` plays
            single hands at score zero.

    Raises:
        OptionsError: not one agent for each seat, or a bad number or episode.
    """
    if len(agents) != rules.seats:
        raise OptionsError(f"{len(agents)} agents are not allowed; allowed: {rules.seats}, one for each seat")
    if n_hands < 0:
        raise OptionsError(f"n_hands={n_hands} is not allowed; allowed: 0 or more")
    replayer, first_row, left = Replayer(rules), 0, n_hands
    while left > 0:
        n = min(MAX_ROWS, max(1, left // _HANDS_PER_GAME) if episode == "game" else left)
        game = BatchedGame(rules, n, episode=episode, auto_reset=False, first_row=first_row)
        game.reset(seed)
        records = islice(_play(game, agents, seed, left, replayer, legal), left)
        for record in records:
            left -= 1
            yield record
        first_row += n


@dataclass(slots=True)
class _OpenHand:
    """A hand in progress: its deal and the actions so far."""

    deal: Deal
    ids: list[int] = field(default_factory=list)


def _open_hand(game: BatchedGame, row: int) -> _OpenHand:
    s, rules = game.states[row : row + 1], game.rules
    hands = s["dealt"][0, : rules.seats].copy()
    scores = s["scores"][0, : rules.sides].astype(np.int64)
    return _OpenHand(Deal(hands, np.uint64(s["widow"][0]), int(s["shaker"][0]), scores))


def _play(
    game: BatchedGame, agents: Sequence[Agent], seed: int, wanted: int, replayer: Replayer, legal: bool
) -> Iterator[HandRecord]:
    """Play all rows until the first `wanted` hands, in the order of rows, are over; yield those that are."""
    players, seating = _seating(game, agents)
    steps = np.zeros(game.n, np.int64)
    hands = [_open_hand(game, row) for row in range(game.n)]
    finished: list[list[_OpenHand]] = [[] for _ in hands]
    for agent in players:
        agent.reset(game.states["row"].copy())
    while not game.done.all() and _in_order(game, finished) < wanted:
        live = np.flatnonzero(~game.done)
        actions = choose_actions(game, players, seating, decision_keys(game, seed, steps))
        for row in live.tolist():
            hands[row].ids.append(int(actions[row]))
        game.step(actions)
        steps += 1
        for row in live[game.states["hand_over"][live] == 1].tolist():
            finished[row].append(hands[row])
            hands[row] = _open_hand(game, row)
    for hand in chain.from_iterable(finished):
        yield _record(hand, replayer, legal)


def _seating(game: BatchedGame, agents: Sequence[Agent]) -> tuple[list[Agent], npt.NDArray[np.int64]]:
    """The different agents, and per row and seat the index of the one that sits there."""
    players: list[Agent] = []
    seats = []
    for agent in agents:
        known = [i for i, player in enumerate(players) if player is agent]
        if not known:
            players.append(agent)
        seats.append(known[0] if known else len(players) - 1)
    return players, np.tile(np.array(seats, np.int64), (game.n, 1))


def _in_order(game: BatchedGame, finished: list[list[_OpenHand]]) -> int:
    """How many hands are finished without one missing before them."""
    over = game.done
    complete = len(over) if over.all() else int(np.argmin(over)) + 1
    return sum(len(hands) for hands in finished[:complete])


def _record(hand: _OpenHand, replayer: Replayer, legal: bool) -> HandRecord:
    replay = replayer.replay(hand.deal, np.array(hand.ids, np.int64))
    record = HandRecord(
        rules=replayer.rules.to_dict(),
        shaker=hand.deal.shaker,
        scores=hand.deal.scores.tolist(),
        hands=[_tiles(mask, replayer.rules) for mask in hand.deal.hands.tolist()],
        widow=_tiles(int(hand.deal.widow), replayer.rules),
        actions=[],
        actors=[],
        legal=None,
        tricks=[],
        contract=None,
        made=None,
        points=[],
        score_delta=[],
    )
    return fill(record, replayer, replay, legal=legal)


def _tiles(mask: int, rules: Rules) -> list[str]:
    """Names of the tiles of an instance mask, the highest first."""
    types = [i % rules.n_types for i in range(mask.bit_length()) if mask >> i & 1]
    return [TILE_NAMES[tile] for tile in sorted(types, reverse=True)]


def specs_by_seat(specs: Sequence[str], rules: Rules) -> list[str]:
    """The agent spec of every seat.

    One spec is for all seats, one a side for its seats, one a seat for just that. In the first two cases a spec
    may be a mixed team, ``A+B``, whose members take the seats of a side in turn.

    Raises:
        OptionsError: the number of specs or members does not fit the table.
    """
    if len(specs) == rules.seats:
        return list(specs)
    if len(specs) not in (1, rules.sides):
        allowed = sorted({1, rules.sides, rules.seats})
        raise OptionsError(f"{len(specs)} agents are not allowed; allowed: {', '.join(map(str, allowed))}")
    result = []
    for seat in range(rules.seats):
        spec = specs[rules.side_of(seat) % len(specs)]
        members = [part.strip() for part in spec.split("+")]
        if not all(members) or len(members) > rules.seats // rules.sides:
            raise OptionsError(f"team {spec!r}: a side has {rules.seats // rules.sides} seats; write SPEC or SPEC+SPEC")
        result.append(members[seat // rules.sides % len(members)])
    return result
