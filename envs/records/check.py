"""Verifying records: replay through the engine, then compare every key with what the rules give."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from texas42.envs.records.errors import RecordError
from texas42.envs.records.files import Line, lines, parse_line
from texas42.envs.records.kernels import AFTER_END
from texas42.envs.records.model import HandRecord, shown
from texas42.envs.records.replay import Replay, Replayer, replayer_for

MAX_PROBLEMS = 1000
"""Failures that a `Report` keeps; all are counted."""


class LineResult(NamedTuple):
    """The verdict on one line of a file; `error` is None when it passed."""

    line: int
    error: RecordError | None


@dataclass
class Report:
    """Verdict on a file: how many records passed and failed, and the errors of the first that failed."""

    passed: int = 0
    failed: int = 0
    errors: list[RecordError] = field(default_factory=list)

    def add(self, result: LineResult) -> None:
        """Count one line."""
        if result.error is None:
            self.passed += 1
            return
        self.failed += 1
        if len(self.errors) < MAX_PROBLEMS:
            self.errors.append(result.error)


def verify(path: str | Path) -> Report:
    """Verify every record of a file.

    Raises:
        RecordFileError: the file cannot be read, or not to its end.
    """
    report = Report()
    for result in verify_lines(path):
        report.add(result)
    return report


def verify_lines(path: str | Path) -> Iterator[LineResult]:
    """The verdict on each line of a file as it is read.

    Raises:
        RecordFileError: the file cannot be read, or not to its end.
    """
    for line in lines(path):
        yield LineResult(line.number, _line_error(line))


def _line_error(line: Line) -> RecordError | None:
    try:
        verify_record(parse_line(line))
    except RecordError as error:
        return error.at(line.number)
    return None


def verify_record(record: HandRecord) -> None:
    """Compare every key of a record with what the rules give.

    Raises:
        RecordError: the first mismatch: the action's index, if there is one, what is expected and found.
    """
    replayer = replayer_for(record.rules)
    deal = replayer.deal(record)
    ids, order = replayer.action_ids(record.actions)
    _check_lengths(record)
    replay = replayer.replay(deal, ids, order)
    _check_moments(record, replayer, replay)
    stopped_at = record.actions[replay.applied] if replay.applied < len(record.actions) else ""
    error = replayer.stop_reason(replay, stopped_at)
    if error is not None:
        raise error
    for key, right in replayer.results(replay).items():
        _check_result(key, right, getattr(record, key))


def _check_lengths(record: HandRecord) -> None:
    n = len(record.actions)
    for key, entries in (("actors", record.actors), ("legal", record.legal)):
        if entries is not None and len(entries) != n:
            raise RecordError(f'"{key}": expected {n} entries, one an action, found {len(entries)}')


def _check_moments(record: HandRecord, replayer: Replayer, replay: Replay) -> None:
    """Compare actors and legal actions up to where the replay stopped."""
    n = min(replay.applied + (replay.status != AFTER_END), len(record.actions))
    if record.actors[:n] == replay.movers[:n]:
        if record.legal is None:
            return
        names = replayer.legal_names
        if record.legal[:n] == [names(words) for words in replay.words[:n]]:
            return
    for i in range(n):
        _check_moment(record, replayer, replay, i)


def _check_moment(record: HandRecord, replayer: Replayer, replay: Replay, i: int) -> None:
    place = f"action {i} ({shown(record.actions[i])})"
    if record.actors[i] != replay.movers[i]:
        raise RecordError(f"{place}: actor: expected {replay.movers[i]}, found {record.actors[i]}", action=i)
    if record.legal is not None:
        right = replayer.legal_names(replay.words[i])
        if record.legal[i] != right:
            found = shown(record.legal[i], 600)
            raise RecordError(f"{place}: legal: expected {right}, found {found}", action=i)


def _check_result(key: str, right: Any, found: Any) -> None:
    """Compare one key; keys inside tricks and contract that the format does not know are let pass."""
    if key == "tricks":
        _check_tricks(right, found)
    elif found is None or right is None or key in ("made", "points", "score_delta"):
        if found != right:
            raise RecordError(f'"{key}": expected {right}, found {shown(found)}')
    else:
        for part, value in right.items():
            if found[part] != value:
                raise RecordError(f'"{key}": "{part}": expected {value}, found {shown(found[part])}')


def _check_tricks(right: list[dict[str, int]], found: list[dict[str, int]]) -> None:
    if len(found) != len(right):
        raise RecordError(f'"tricks": expected {len(right)} completed tricks, found {len(found)}')
    for n, (trick, stated) in enumerate(zip(right, found, strict=True)):
        for part, value in trick.items():
            if stated[part] != value:
                raise RecordError(f'"tricks": trick {n}: "{part}": expected {value}, found {stated[part]}')
