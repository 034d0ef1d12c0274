"""Playing a record through the engine: from names to ids, and from the engine's state back to a record."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from json import dumps, loads
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.engine.state import MAX_TRICKS, Batch, new_batch
from texas42.envs.records.errors import RecordError
from texas42.envs.records.kernels import (
    AFTER_END,
    BAD_ORDER,
    FINISHED,
    MAX_ACTIONS,
    UNFINISHED,
    replay_hand,
)
from texas42.envs.records.model import HandRecord, printable, shown
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import TILE_NAMES

MAX_KNOWN = 1 << 12
"""Lists of legal actions kept for one `Rules` before the memory is cleared."""

Words = tuple[int, ...]


@dataclass(slots=True)
class Deal:
    """The deal of a record in the engine's terms: masks of instances `hands` (uint64, seats) and `widow`, the
    shaker, and the scores (int64, sides)."""

    hands: npt.NDArray[np.uint64]
    widow: np.uint64
    shaker: int
    scores: npt.NDArray[np.int64]


@dataclass(slots=True)
class Replay:
    """A replayed hand.

    Attributes:
        states: the state after the last action applied, shape (1,).
        status: how it ended, FINISHED to BAD_ORDER of `texas42.envs.records.kernels`.
        applied: how many actions were applied.
        ids: the action ids.
        order: tiles of a claim in the order claimed, empty without a claim.
        words: the legal actions before each action, as `legal_words` gives them.
        movers: the seat to move before each action.
    """

    states: Batch
    status: int
    applied: int
    ids: npt.NDArray[np.int64]
    order: list[int]
    words: list[list[int]]
    movers: list[int]


class Replayer:
    """Everything that replaying under one `Rules` needs, built once."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.codec = build_codec(rules)
        self.tables = compile_tables(rules)
        self.tiles = {name: tile for tile, name in enumerate(TILE_NAMES[: rules.n_types])}
        self.ids = {name: i for i, name in enumerate(self.codec.names)}
        self.deck = sum(1 << i for i in rules.deck)
        self._known: dict[Words, list[str]] = {}

    def deal(self, record: HandRecord) -> Deal:
        """The deal of a record.

        Raises:
            RecordError: shaker, scores, hands or widow do not fit the rules.
        """
        rules, setup = self.rules, self.rules.setup
        if not 0 <= record.shaker < rules.seats:
            raise RecordError(f'"shaker": expected a seat from 0 to {rules.seats - 1}, found {record.shaker}')
        if len(record.scores) != rules.sides:
            raise RecordError(f'"scores": expected {rules.sides}, one a side, found {shown(record.scores)}')
        if len(record.hands) != rules.seats:
            raise RecordError(f'"hands": expected {rules.seats} hands, found {len(record.hands)}')
        seen = 0
        masks = []
        for seat, tiles in enumerate(record.hands):
            masks.append(self._mask(tiles, seen, f"hand of seat {seat}", setup.hand))
            seen |= masks[-1]
        widow = self._mask(record.widow, seen, "widow", setup.widow)
        scores = np.array(record.scores, np.int64)
        return Deal(np.array(masks, np.uint64), np.uint64(widow), record.shaker, scores)

    def _mask(self, tiles: list[str], seen: int, where: str, size: int) -> int:
        """Instance mask of some tiles; of two equal ones the first seen is copy 0."""
        if len(tiles) != size:
            raise RecordError(f"{where}: expected {size} tiles, found {len(tiles)}")
        mask = 0
        for name in tiles:
            tile = self.tiles.get(name)
            if tile is None:
                raise RecordError(f"{where}: {shown(name)} is not a tile of this game")
            bit = 1 << tile
            while (seen | mask) & bit:
                bit <<= self.rules.n_types
            if not bit & self.deck:
                raise RecordError(f"{where}: the tile {name} is not in the deck, or is dealt too often")
            mask |= bit
        return mask

    def action_ids(self, actions: Sequence[str]) -> tuple[npt.NDArray[np.int64], list[int]]:
        """Ids of the actions, and the tiles of a claim in the order stated.

        Raises:
            RecordError: an action is no action of these rules, or there are more than a hand can have.
        """
        if len(actions) > MAX_ACTIONS:
            raise RecordError(f'"actions": {len(actions)} are more than a hand can have')
        try:
            return np.array([self.ids[name] for name in actions], np.int64), []
        except KeyError:
            return self._ids_with_claim(actions)

    def _ids_with_claim(self, actions: Sequence[str]) -> tuple[npt.NDArray[np.int64], list[int]]:
        order: list[int] = []
        ids = []
        for index, text in enumerate(actions):
            name, _, stated = text.partition(" ")
            if name == "CLAIM" and stated and name in self.ids and not order:
                order = self._claim_order(stated, index)
                ids.append(self.ids[name])
                continue
            if text not in self.ids:
                raise RecordError(f"action {index}: {shown(text)} is no action of these rules", action=index)
            ids.append(self.ids[text])
        return np.array(ids, np.int64), order

    def _claim_order(self, stated: str, index: int) -> list[int]:
        order = [self.tiles.get(name, -1) for name in stated.split(" ")]
        if -1 in order or len(order) > MAX_TRICKS:
            raise RecordError(
                f"action {index}: a claim states the claimant's tiles, found {shown(stated)}", action=index
            )
        return order

    def replay(self, deal: Deal, ids: npt.NDArray[np.int64], order: Sequence[int] = ()) -> Replay:
        """Apply actions to a deal until one is illegal, the hand is over, or there are no more."""
        states = new_batch(1)
        words = np.empty((len(ids), 4), np.uint64)
        movers = np.empty(len(ids), np.int64)
        claimed = np.zeros(MAX_TRICKS, np.uint8)
        claimed[: len(order)] = order
        dealt, n = (deal.hands, deal.widow, deal.shaker, deal.scores), len(order)
        applied, status = replay_hand(states, self.tables, *dealt, ids, claimed, n, words, movers)
        tiles = list(order)
        if not tiles and applied and ids[applied - 1] == self.codec.claim:
            left = self.rules.setup.hand - int(states["n_tricks"][0])
            tiles = claimed[:left].tolist()
        return Replay(states, status, applied, ids, tiles, words.tolist(), movers.tolist())

    def legal_names(self, words: Sequence[int]) -> list[str]:
        """Legal actions in record notation, ascending by code point, from one row of `Replay.words`."""
        key = tuple(words)
        names = self._known.get(key)
        if names is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            base, first, next_base, second = key
            ids = [*_members(base, first), *_members(next_base, second)]
            names = sorted(self.codec.names[i] for i in ids)
            self._known[key] = names
        return names

    def action_names(self, replay: Replay) -> list[str]:
        """The applied actions in record notation, a claim with its order."""
        names = [self.codec.names[i] for i in replay.ids[: replay.applied].tolist()]
        if names and names[-1] == "CLAIM":
            names[-1] = " ".join(["CLAIM", *(TILE_NAMES[tile] for tile in replay.order)])
        return names

    def results(self, replay: Replay) -> dict[str, Any]:
        """The keys that follow from a finished hand: tricks, contract, made, points, score_delta."""
        s = replay.states[0]
        n, sides = int(s["n_tricks"]), self.rules.sides
        leaders, winners = s["leaders"][:n].tolist(), s["trick_winners"][:n].tolist()
        values = s["trick_values"][:n].tolist()
        thrown_in = int(s["made"]) < 0
        return {
            "tricks": [
                {"leader": leader, "winner": winner, "points": points}
                for leader, winner, points in zip(leaders, winners, values, strict=True)
            ],
            "contract": None if thrown_in else self._contract(s),
            "made": None if thrown_in else bool(s["made"]),
            "points": s["taken"][:sides].tolist(),
            "score_delta": s["delta"][:sides].tolist(),
        }

    def _contract(self, s: Any) -> dict[str, Any]:
        return {
            "bidder": int(s["bidder"]),
            "bid": self.codec.ladder[int(s["call"])].name,
            "declaration": self.codec.declarations[int(s["decl"])].name,
            "declarer": int(s["namer"]),
        }

    def stop_reason(self, replay: Replay, action: str) -> RecordError | None:
        """Why a replay did not end with the hand over, None if it did; `action` is the one it stopped at."""
        i = replay.applied
        if replay.status == FINISHED:
            return None
        if replay.status == UNFINISHED:
            return RecordError(f"the hand is not over after its {i} actions", action=i)
        if replay.status == AFTER_END:
            return RecordError(f"action {i}: the hand is over: expected none, found {shown(action)}", action=i)
        seat = replay.movers[i]
        if replay.status == BAD_ORDER:
            expected = f"a claim that states the hand of seat {seat}"
        else:
            expected = f"a legal action of seat {seat} ({', '.join(self.legal_names(replay.words[i]))})"
        return RecordError(f"action {i}: illegal: expected {expected}, found {shown(action)}", action=i)


def _members(base: int, mask: int) -> list[int]:
    ids = []
    while mask:
        low = mask & -mask
        ids.append(base + low.bit_length() - 1)
        mask ^= low
    return ids


@lru_cache(maxsize=64)
def _replayer_of(text: str) -> Replayer:
    return Replayer(Rules.from_dict(loads(text)))


def replayer_for(spec: dict[str, Any]) -> Replayer:
    """The `Replayer` of a record's ``rules``.

    Raises:
        RecordError: they are no rules.
    """
    try:
        if not isinstance(spec.get("preset"), str):
            raise RecordError(f'"rules": expected the name of a preset under "preset", found {shown(spec)}')
        return _replayer_of(dumps(spec, sort_keys=True))
    except RecursionError:
        raise RecordError('"rules": nested too deeply') from None
    except RulesError as error:
        raise RecordError(f'"rules": {printable(str(error))}') from error


def replay_record(record: HandRecord, n_actions: int | None = None) -> tuple[Replayer, Replay]:
    """Replay the first `n_actions` actions of a record, by default all.

    Raises:
        RecordError: rules, deal or actions are not what the rules of the game allow.
    """
    replayer = replayer_for(record.rules)
    actions = record.actions if n_actions is None else record.actions[:n_actions]
    ids, order = replayer.action_ids(actions)
    replay = replayer.replay(replayer.deal(record), ids, order)
    stopped_at = actions[replay.applied] if replay.applied < len(actions) else ""
    error = replayer.stop_reason(replay, stopped_at)
    if error is not None and not (replay.status == UNFINISHED and n_actions is not None):
        raise error
    return replayer, replay
