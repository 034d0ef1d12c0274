"""Files from strangers: every kind of damage ends in a clear error for its line, and never in a crash."""

import copy
import gzip
import json
import os
import random
import resource
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.damage import DAMAGES, damaged, places
from texas42.cli import main
from texas42.envs.records import (
    MAX_LINE,
    HandRecord,
    RecordError,
    RecordFileError,
    format_hand,
    position,
    read,
    to_arrays,
    to_line,
    verify,
    verify_lines,
    verify_record,
)

SAMPLES = Path(__file__).resolve().parent / "data" / "sample_records.jsonl"
DATA = SAMPLES.read_bytes()
LINES = DATA.splitlines()
RECORDS: list[dict[str, Any]] = [json.loads(line) for line in LINES]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["PASS", "M1", "6-6", "CLAIM", "CLAIM 6-6", "NT-high", "TAKE", "DISCARD 0-0", "n42pa", "moon"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
FILES = int(os.environ.get("TEXAS42_DAMAGED_FILES", "200"))
"""Damaged files that are tried; set it higher for a run in volume."""
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def said(path: Path, data: bytes) -> list[tuple[int, str | None]]:
    """Line number and error of every line."""
    path.write_bytes(data)
    return [(line, None if error is None else error.problem) for line, error in verify_lines(path)]


def problem_of(data: object) -> str | None:
    """What is wrong with a record, always printable."""
    try:
        verify_record(HandRecord.from_json(data))
    except (RecordError, RecordFileError) as error:
        return printable(str(error))
    return None


def printable(text: str) -> str:
    assert text.isascii()
    assert text.isprintable()
    return text


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{", "not a JSON object: Expecting property name"),
        (b"null", "a record is a JSON object, not null"),
        (b"[1]", "a record is a JSON object, not a list"),
        (b"NaN", "NaN is not JSON"),
        (b'{"format": Infinity}', "Infinity is not JSON"),
        (b'{"a": 1, "a": 2}', "the key 'a' stands twice"),
        (b'{"a": -1e400}', "the number -1e400 is too large"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "nested too deeply"),
        (b"1" * 10_000, "not a JSON object"),
        (b"x" * (MAX_LINE + 1), f"longer than {MAX_LINE} bytes"),
        (b"{}", '"format": expected "texas42-record/1", found None'),
        (LINES[0][: len(LINES[0]) // 2], "not a JSON object"),
        (LINES[0].replace(b'"P51"', b'"\\ud800\\u001b[2J"', 1), r"'\ud800\x1b[2J' is no action"),
    ],
)
def test_a_bad_line_is_explained_and_the_next_one_is_read(tmp_path: Path, line: bytes, problem: str) -> None:
    results = said(tmp_path / "a.jsonl", b"\n".join([LINES[0], line, b"", LINES[1]]) + b"\n")
    assert [number for number, _ in results] == [1, 2, 4]
    assert (results[0][1], results[2][1]) == (None, None)
    assert results[1][1] is not None
    assert problem in printable(results[1][1])
    assert len(results[1][1]) < 2000


def test_a_key_that_stands_twice_among_very_many_is_found_at_once(tmp_path: Path) -> None:
    keys = b",".join(b'"k%d":1' % i for i in range(60_000))
    start = time.process_time()
    (line,) = said(tmp_path / "a.jsonl", b'{"z":{' + keys + b',"k59999":2}}')
    assert "the key 'k59999' stands twice" in str(line[1])
    assert time.process_time() - start < 10


def test_an_empty_file_and_one_without_a_last_line_end(tmp_path: Path) -> None:
    assert said(tmp_path / "a.jsonl", b"") == []
    assert said(tmp_path / "a.jsonl", LINES[0] + b"\r\n" + LINES[1]) == [(1, None), (2, None)]


@pytest.mark.parametrize("cut", [1, 5, 12, 1000, -9, -1])
def test_a_truncated_gzip_file_cannot_be_read_to_its_end(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(DATA)[:cut])
    with pytest.raises(RecordFileError, match="cannot be read"):
        verify(path)


def test_a_file_called_gz_that_is_not_zipped(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(DATA)
    with pytest.raises(RecordFileError, match="cannot be read: Not a gzipped file"):
        verify(tmp_path / "a.jsonl.gz")


@pytest.mark.parametrize("seed", range(30))
def test_a_gzip_file_with_wrong_bytes_does_no_harm(tmp_path: Path, seed: int) -> None:
    rng, data = random.Random(seed), bytearray(gzip.compress(DATA))
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    (tmp_path / "a.jsonl.gz").write_bytes(data)
    with suppress(RecordFileError):
        verify(tmp_path / "a.jsonl.gz")


@pytest.mark.parametrize("path", ["", "missing.jsonl"])
def test_missing_files_and_folders_cannot_be_read(tmp_path: Path, path: str) -> None:
    with pytest.raises(RecordFileError, match="cannot be read"):
        verify(tmp_path / path)


def test_a_huge_zipped_line_takes_little_memory(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.jsonl.gz", "wb", compresslevel=1) as stream:
        for _ in range(200):
            stream.write(b" " * (1 << 20))
        stream.write(b"\n" + LINES[0] + b"\n")
    verify(SAMPLES)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = verify(tmp_path / "a.jsonl.gz")
    assert (report.passed, report.failed) == (1, 1)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


def test_thousands_of_bad_lines_are_counted_and_few_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"{}\n" * 5000)
    report = verify(tmp_path / "a.jsonl")
    assert (report.passed, report.failed, len(report.errors)) == (0, 5000, 1000)


def test_read_names_line_and_action_or_goes_on(tmp_path: Path) -> None:
    bad = copy.deepcopy(RECORDS[14])
    bad["actions"][7] = "6-6"
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(r) for r in (RECORDS[0], bad, RECORDS[1])))
    records = read(tmp_path / "a.jsonl")
    next(records)
    with pytest.raises(RecordError, match=r"line 2: action 7: illegal: expected .*, found '6-6'") as caught:
        next(records)
    assert (caught.value.line, caught.value.action) == (2, 7)
    errors: list[RecordError] = []
    assert len(list(read(tmp_path / "a.jsonl", on_error=errors.append))) == 2
    assert [error.line for error in errors] == [2]


@FEW
@given(st.data())
def test_random_bytes_in_a_file_do_no_harm(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(b"\n".join(data.draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=4))))
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    (tmp_path / "a.jsonl").write_bytes(content)
    report = verify(tmp_path / "a.jsonl")
    for error in report.errors:
        assert error.line is not None
        printable(str(error))


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_wrong_values_anywhere_do_no_harm(data: st.DataObject) -> None:
    record = copy.deepcopy(data.draw(st.sampled_from(RECORDS)))
    for _ in range(data.draw(st.integers(1, 3))):
        spots = places(record)
        container, key = spots[data.draw(st.integers(0, len(spots) - 1))]
        other, at = spots[data.draw(st.integers(0, len(spots) - 1))]
        container[key] = copy.deepcopy(data.draw(JSON | st.just(other[at])))
    if problem_of(record) is None:
        made = HandRecord.from_json(record)
        assert json.loads(json.dumps(made.to_json())) == record
        format_hand(made)
        position(made, len(made.actions) // 2)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from([*RECORDS[0], "other"]), JSON))
def test_any_json_object_is_accepted_or_refused(data: dict[str, Any]) -> None:
    assert problem_of({"format": "texas42-record/1"} | data) is not None


@FEW
@given(parameter=st.sampled_from(["min_bid", "bid_step", "players", "target", "max_marks_cap", "nello_doubles", "lead_low_end", "calls"]), value=JSON | st.integers(0, 9))  # fmt: skip # noqa: E501
def test_any_rules_are_accepted_or_refused(parameter: str, value: object) -> None:
    record = copy.deepcopy(RECORDS[14])
    record["rules"][parameter] = value
    problem_of(record)


def test_arrays_name_the_bad_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINES[14] + b"\n{}\n")
    with pytest.raises(RecordError, match="line 2"):
        to_arrays(tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").write_bytes(b"\n")
    with pytest.raises(RecordError, match="no records"):
        to_arrays(tmp_path / "a.jsonl")


@pytest.mark.parametrize("kind", DAMAGES, ids=lambda kind: kind.__name__)
def test_no_damage_does_harm(kind: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Verify, read, show and arrays of files with each kind of damage, from seeds."""
    path = tmp_path / "a.jsonl"
    for seed in range(DAMAGES.index(kind), FILES, len(DAMAGES)):
        path.write_bytes(damaged(LINES, seed))
        with suppress(RecordFileError):
            assert all(error is None or len(printable(str(error))) < 2000 for _, error in verify_lines(path))
        with suppress(RecordFileError):
            for record in read(path, replay=False, on_error=lambda error: None):
                json.loads(to_line(record), parse_constant=pytest.fail)
        with suppress(RecordError, RecordFileError):
            to_arrays(path)
        assert main(["show", str(path)]) in (0, 2)
        output = capsys.readouterr()
        assert output.out.isascii()
        assert "Traceback" not in output.err
