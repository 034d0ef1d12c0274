"""Making records and starting from them: what follows from a deal and its actions, and positions."""

from collections.abc import Mapping, Sequence
from typing import Any

from texas42.envs.batch import BatchedGame
from texas42.envs.errors import OptionsError
from texas42.envs.records.errors import RecordError
from texas42.envs.records.kernels import FINISHED
from texas42.envs.records.model import HandRecord
from texas42.envs.records.replay import Replay, Replayer, replay_record


def complete(
    rules: Mapping[str, Any],
    shaker: int,
    scores: Sequence[int],
    hands: Sequence[Sequence[str]],
    widow: Sequence[str],
    actions: Sequence[str],
    *,
    legal: bool = True,
) -> HandRecord:
    """The record of a hand from its deal and its actions; everything else follows from the rules.

    A bare ``CLAIM`` gets the order in which the engine claims (f.3.13).

    Raises:
        RecordError: the deal or an action is not what the rules allow, or the hand is not over.
    """
    record = HandRecord(
        rules=dict(rules),
        shaker=shaker,
        scores=list(scores),
        hands=[list(tiles) for tiles in hands],
        widow=list(widow),
        actions=list(actions),
        actors=[],
        legal=None,
        tricks=[],
        contract=None,
        made=None,
        points=[],
        score_delta=[],
    )
    return fill(record, *replay_record(record), legal=legal)


def fill(record: HandRecord, replayer: Replayer, replay: Replay, *, legal: bool) -> HandRecord:
    """Write into a record what its finished replay says; returns the record."""
    assert replay.status == FINISHED
    record.actions = replayer.action_names(replay)
    record.actors = replay.movers
    record.legal = [list(replayer.legal_names(words)) for words in replay.words] if legal else None
    for key, value in replayer.results(replay).items():
        setattr(record, key, value)
    return record


def position(record: HandRecord, n_actions: int, *, episode: str = "hand", seed: int = 0) -> BatchedGame:
    """A one-row game that stands where a record stood after its first `n_actions` actions.

    Args:
        record: the hand.
        n_actions: from 0, before the first call, to the number of its actions.
        episode: with ``"game"`` play goes on with the hands that `seed` deals; with ``"hand"`` it ends.
        seed: of the later deals.

    Returns:
        A `BatchedGame` without auto-reset; its ``states[0]`` is the position.

    Raises:
        RecordError: the record's deal or one of these actions is not what the rules allow.
        OptionsError: `n_actions` is out of range.
    """
    n = len(record.actions)
    if not 0 <= n_actions <= n:
        raise OptionsError(f"n_actions={n_actions} is not allowed; allowed: 0 to {n}")
    replayer, replay = replay_record(record, n_actions)
    game = BatchedGame(replayer.rules, 1, episode=episode, auto_reset=False)
    game.reset(seed)
    kept = {name: game.states[name][0] for name in ("seed", "row", "episode", "hand_no", "whole_game")}
    if episode == "game" and replay.status == FINISHED:
        raise OptionsError(f"n_actions={n_actions}: the hand is over there; allowed: 0 to {n - 1}")
    game.states[0] = replay.states[0]
    for name, value in kept.items():
        game.states[name][0] = value
    return game


def reset_options(record: HandRecord, n_actions: int | None = None) -> dict[str, Any]:
    """What ``reset(options=...)`` takes to stand after a record's first actions (default: all).

    Raises:
        RecordError: the record has fewer actions.
    """
    n = len(record.actions) if n_actions is None else n_actions
    if not 0 <= n <= len(record.actions):
        raise RecordError(f"a record of {len(record.actions)} actions has no position {n}")
    return {
        "shaker": record.shaker,
        "scores": list(record.scores),
        "hands": [list(tiles) for tiles in record.hands],
        "widow": list(record.widow),
        "actions": list(record.actions[:n]),
    }
