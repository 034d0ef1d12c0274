"""Records as arrays for offline learning."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.engine.state import new_batch
from texas42.envs.records.errors import RecordError
from texas42.envs.records.files import lines, parse_line
from texas42.envs.records.kernels import observe_hand
from texas42.envs.records.model import HandRecord
from texas42.envs.records.replay import Replay, Replayer, replay_record
from texas42.envs.rules.codec import Codec
from texas42.envs.rules.layout import Layout, build_layout


@dataclass(slots=True)
class HandArrays:
    """The decisions of the hands of a file, in order; N decisions.

    Attributes:
        observation: int8 (N, width): what the seat to move saw, 0/1, laid out as `layout` says.
        mask: int8 (N, n_actions): the legal actions, 0/1.
        action: int64 (N,): the id of the action taken.
        seat: int64 (N,): the seat that took it.
        returns: float32 (N,): what the hand paid that seat in the end: its side's score change minus the mean
            of the other sides' changes, in the game's own unit (marks or points).
        hand: int64 (N,): number of the hand in the file, from 0.
        codec, layout: names of the actions and pieces of the observation.
    """

    observation: npt.NDArray[np.int8]
    mask: npt.NDArray[np.int8]
    action: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float32]
    hand: npt.NDArray[np.int64]
    codec: Codec
    layout: Layout


def to_arrays(path: str | Path) -> HandArrays:
    """All decisions of a file's records; every record must have the first one's action ids and observation.

    Raises:
        RecordError: a line is no record, an action is illegal, the games differ, or there is no record.
        RecordFileError: the file cannot be read, or not to its end.
    """
    parts: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in _PARTS}
    first: tuple[Codec, Layout] | None = None
    for number, (line, record, replayer, replay) in enumerate(_replayed(path)):
        layout = build_layout(replayer.rules, replayer.codec)
        if first is None:
            first = replayer.codec, layout
        elif (first[0].names, first[1]) != (replayer.codec.names, layout):
            raise RecordError("not the first record's game: actions or observations differ", line=line)
        for name, array in _hand_arrays(record, replayer, replay, layout.width, number).items():
            parts[name].append(array)
    if first is None:
        raise RecordError(f"{path}: no records")
    joined = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    return HandArrays(**joined, codec=first[0], layout=first[1])


_PARTS = ("observation", "mask", "action", "seat", "returns", "hand")


def _replayed(path: str | Path) -> Iterator[tuple[int, HandRecord, Replayer, Replay]]:
    for line in lines(path):
        record = parse_line(line)
        try:
            yield line.number, record, *replay_record(record)
        except RecordError as error:
            raise error.at(line.number) from None


def _hand_arrays(
    record: HandRecord, replayer: Replayer, replay: Replay, width: int, number: int
) -> dict[str, npt.NDArray[Any]]:
    n, sides = len(replay.ids), replayer.rules.sides
    observations = np.empty((n, width), np.int8)
    masks = np.empty((n, replayer.codec.n_actions), np.int8)
    deal = replayer.deal(record)
    dealt = (deal.hands, deal.widow, deal.shaker, deal.scores)
    observe_hand(new_batch(1), replayer.tables, *dealt, replay.ids, observations, masks)
    seats = np.array(replay.movers, np.int64)
    delta = replay.states["delta"][0, :sides].astype(np.float64)
    paid = delta - (delta.sum() - delta) / (sides - 1)
    return {
        "observation": observations,
        "mask": masks,
        "action": replay.ids,
        "seat": seats,
        "returns": paid[seats % sides].astype(np.float32),
        "hand": np.full(n, number, np.int64),
    }
