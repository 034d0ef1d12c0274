"""Record files: JSON lines, plain or gzipped, read one line at a time and written whole or not at all."""

import gzip
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from math import isinf
from pathlib import Path
from typing import IO, Any, NamedTuple

from texas42.envs.records.errors import RecordError, RecordFileError
from texas42.envs.records.model import HandRecord
from texas42.envs.records.replay import replay_record

MAX_LINE = 1 << 20
"""Longest line read, in bytes; a record of the longest hand with its legal actions takes under 20,000."""

_MAGIC = b"\x1f\x8b"


class Line(NamedTuple):
    """One line of a file, counted from 1; `too_long` lines come without their data."""

    number: int
    data: bytes
    too_long: bool


def lines(path: str | Path) -> Iterator[Line]:
    """The lines of a file, blank ones left out; at most `MAX_LINE` bytes are held at a time.

    Raises:
        RecordFileError: the file cannot be opened, or not be read to its end.
    """
    number = 0
    try:
        with _open(path) as stream:
            while data := stream.readline(MAX_LINE + 1):
                number += 1
                too_long = len(data) > MAX_LINE
                if too_long:
                    _skip_line(stream, data)
                if too_long or data.strip():
                    yield Line(number, b"" if too_long else data, too_long)
    except (OSError, EOFError, zlib.error) as error:
        where = f" after line {number}" if number else ""
        raise RecordFileError(f"{path}: cannot be read{where}: {error}") from error


def _open(path: str | Path) -> IO[bytes]:
    stream = open(path, "rb")  # noqa: SIM115
    try:
        zipped = str(path).endswith(".gz") or stream.peek(2)[:2] == _MAGIC
        return gzip.open(stream) if zipped else stream  # type: ignore[return-value]
    except BaseException:
        stream.close()
        raise


def _skip_line(stream: IO[bytes], data: bytes) -> None:
    while data and not data.endswith(b"\n"):
        data = stream.readline(MAX_LINE)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = dict(pairs)
    if len(result) < len(pairs):
        seen = set[str]()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key[:40]!a} stands twice in one object")
            seen.add(key)
    return result


def _finite(text: str) -> float:
    """A fraction; one that is written too large would become an infinity, which is no JSON."""
    value = float(text)
    if isinf(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_float=_finite, parse_constant=_no_constant)


def parse_line(line: Line) -> HandRecord:
    """The record of a line, its types checked.

    Raises:
        RecordError: with the line's number.
    """
    if line.too_long:
        raise RecordError(f"longer than {MAX_LINE} bytes", line=line.number)
    try:
        return HandRecord.from_json(_DECODER.decode(line.data.decode("utf-8")))
    except RecordError as error:
        raise error.at(line.number) from None
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8: {error.reason} at byte {error.start}", line=line.number) from None
    except RecursionError:
        raise RecordError("nested too deeply", line=line.number) from None
    except ValueError as error:
        raise RecordError(f"not a JSON object: {error}", line=line.number) from None


def read(
    path: str | Path, *, replay: bool = True, on_error: Callable[[RecordError], None] | None = None
) -> Iterator[HandRecord]:
    """The records of a file, one at a time.

    Args:
        path: JSON lines; gzipped ones are recognised.
        replay: refuse records whose actions are illegal (`verify` compares everything else as well).
        on_error: called with a bad line's error in place of raising it; reading goes on with the next line.

    Raises:
        RecordError: a line is no record, or an action is illegal.
        RecordFileError: the file cannot be read, or not to its end.
    """
    for line in lines(path):
        try:
            record = parse_line(line)
            if replay:
                _replay_or_refuse(record, line.number)
        except RecordError as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield record


def _replay_or_refuse(record: HandRecord, line: int) -> None:
    try:
        replay_record(record)
    except RecordError as error:
        raise error.at(line) from None


def to_line(record: HandRecord) -> str:
    """The record as one line of JSON without its line end."""
    return json.dumps(record.to_json(), separators=(",", ":"))


def write(path: str | Path, records: Iterable[HandRecord]) -> int:
    """Write records to a file, gzipped where the name ends in ``.gz``; returns how many.

    The file appears when it is complete; if `records` raises, what was there before stays. The same records
    give the same bytes.

    Raises:
        RecordFileError: the file cannot be written.
    """
    n = 0
    with _replacing(Path(path)) as stream:
        for record in records:
            stream.write(to_line(record).encode() + b"\n")
            n += 1
    return n


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A stream into a temporary file that takes the place of `path` at the end."""
    if path.exists() and not path.is_file():
        raise RecordFileError(f"{path}: cannot be written: it is not a regular file")
    name = ""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                    yield stream  # type: ignore[misc]
            else:
                yield raw
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        if name:
            with suppress(OSError):
                os.unlink(name)
        if isinstance(error, OSError):
            raise RecordFileError(f"{path}: cannot be written: {error.strerror or error}") from error
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
