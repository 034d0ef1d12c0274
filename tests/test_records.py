"""Records: reading, writing, verifying, showing, and starting from a position."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from texas42.envs.errors import OptionsError
from texas42.envs.records import (
    HandRecord,
    RecordError,
    RecordFileError,
    complete,
    format_hand,
    position,
    read,
    reset_options,
    to_arrays,
    to_line,
    verify,
    verify_record,
    write,
)

TESTS = Path(__file__).resolve().parent
SAMPLES = TESTS / "data" / "sample_records.jsonl"
LINES = SAMPLES.read_text(encoding="utf-8").splitlines()
N42PA = 14

PLAY = (
    "PASS PASS PASS P35 PIP1 1-1 2-1 3-1 1-0 6-1 5-1 5-5 3-0 6-0 6-5 4-0 6-2 2-2 4-2 5-2 3-2 5-3 5-4 6-6 4-1 "
    "6-4 2-0 0-0 6-3 4-3 5-0 4-4 3-3"
)
ROBERSON: dict[str, Any] = {
    "rules": {"preset": "n42pa"},
    "shaker": 0,
    "scores": [0, 0],
    "hands": [
        ["6-4", "6-0", "4-3", "3-2", "1-1", "6-1", "4-1"],
        ["6-5", "5-3", "5-1", "5-0", "2-2", "2-0", "2-1"],
        ["5-5", "5-4", "4-4", "4-2", "4-0", "3-1", "0-0"],
        ["6-6", "6-3", "6-2", "5-2", "3-3", "3-0", "1-0"],
    ],
    "widow": [],
    "actions": PLAY.split(),
}
"""Worked examples 14 to 20: Nancy bids 35 in ones and makes exactly that."""


def sample(line: int = N42PA) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(LINES[line])
    return data


def fails(data: object) -> str:
    """What `verify_record` says about a bad record."""
    with pytest.raises(RecordError) as caught:
        verify_record(HandRecord.from_json(data))
    return str(caught.value)


def test_records_of_another_program_verify() -> None:
    report = verify(SAMPLES)
    assert (report.passed, report.failed, report.errors) == (46, 0, [])


def test_reading_and_writing_gives_the_same_lines() -> None:
    assert [to_line(record) for record in read(SAMPLES)] == LINES


def test_deal_and_actions_give_the_whole_record() -> None:
    for line in LINES:
        r = json.loads(line)
        again = complete(r["rules"], r["shaker"], r["scores"], r["hands"], r["widow"], r["actions"])
        assert to_line(again) == line


def test_roberson_hand() -> None:
    record = complete(**ROBERSON)
    winners = [(trick["winner"], trick["points"]) for trick in record.tricks]
    assert winners == [(0, 1), (0, 11), (1, 1), (1, 6), (0, 6), (0, 11), (2, 6)]
    assert (record.points, record.made, record.score_delta) == ([35, 7], True, [1, 0])
    assert record.contract == {"bidder": 0, "bid": "P35", "declaration": "PIP1", "declarer": 0}


def test_thrown_in_hand_has_no_contract_and_zeros() -> None:
    hand = ROBERSON | {"actions": ["PASS"] * 4}
    record = complete(**hand)
    assert (record.contract, record.made, record.tricks) == (None, None, [])
    assert (record.points, record.score_delta) == ([0, 0], [0, 0])
    verify_record(record)


@pytest.mark.parametrize(
    ("key", "change", "said"),
    [
        ("actors", lambda v: [*v[:5], (v[5] + 1) % 4, *v[6:]], r"action 5 \('6-6'\): actor: expected 0, found 1"),
        ("legal", lambda v: [*v[:6], ["6-4", "6-5"], *v[7:]], r"action 6 .*legal: expected \['6-4'\], found .*6-5"),
        ("legal", lambda v: v[:-1], '"legal": expected 33 entries, one an action, found 32'),
        ("actions", lambda v: ["P29", *v[1:]], "action 0: 'P29' is no action of these rules"),
        ("actions", lambda v: [*v[:6], "3-1", *v[7:]], r"action 6: illegal: .* of seat 1 \(6-4\), found '3-1'"),
        ("tricks", lambda v: v[:-1], '"tricks": expected 7 completed tricks, found 6'),
        ("tricks", lambda v: [*v[:6], {**v[6], "points": 15}], '"tricks": trick 6: "points": expected 16, found 15'),
        ("contract", lambda v: {**v, "declarer": 2}, '"contract": "declarer": expected 0, found 2'),
        ("contract", lambda v: {**v, "bid": "M2"}, "\"contract\": \"bid\": expected M1, found 'M2'"),
        ("contract", lambda v: None, '"contract": expected {.*}, found None'),
        ("made", lambda v: False, '"made": expected True, found False'),
        ("points", lambda v: [42, 1], r'"points": expected \[42, 0\], found \[42, 1\]'),
        ("score_delta", lambda v: [0, 1], r'"score_delta": expected \[1, 0\], found \[0, 1\]'),
        ("shaker", lambda v: 4, '"shaker": expected a seat from 0 to 3, found 4'),
        ("scores", lambda v: [0], '"scores": expected 2, one a side'),
        ("hands", lambda v: [v[1], *v[1:]], "hand of seat 1: the tile 6-4 is not in the deck, or is dealt too often"),
        ("hands", lambda v: v[:3], '"hands": expected 4 hands, found 3'),
        ("hands", lambda v: [v[0][:6], *v[1:]], "hand of seat 0: expected 7 tiles, found 6"),
        ("widow", lambda v: ["0-0"], "widow: expected 0 tiles, found 1"),
        ("rules", lambda v: {"preset": "n42"}, '"rules": unknown preset .n42.'),
        ("rules", lambda v: {"preset": "n42pa", "min_bdi": 31}, '"rules": unknown rule parameter .*min_bid'),
        ("rules", lambda v: {"preset": "n42pa", "min_bid": "31"}, "min_bid='31' is not allowed"),
        ("format", lambda v: "texas42-record/2", '"format": expected "texas42-record/1", found'),
    ],
)  # fmt: skip
def test_every_key_is_checked(key: str, change: Callable[[Any], Any], said: str) -> None:
    data = sample()
    data[key] = change(data[key])
    with pytest.raises(RecordError, match=said):
        verify_record(HandRecord.from_json(data))


@pytest.mark.parametrize("key", sorted(set(sample()) - {"legal", "format"}))
def test_a_missing_key_is_named(key: str) -> None:
    data = sample()
    del data[key]
    assert fails(data) == f'the key "{key}" is missing'


def test_legal_may_be_left_out() -> None:
    data = sample()
    del data["legal"]
    verify_record(HandRecord.from_json(data))


@pytest.mark.parametrize("key", sorted(set(sample()) - {"format"}))
@pytest.mark.parametrize("value", [1.0, "x", {"a": 1}, [[[]]], [None], 10**30, ["0-0", 1]])
def test_wrong_types_are_refused_by_key(key: str, value: object) -> None:
    assert key in fails(sample() | {key: value})


def test_truth_values_and_fractions_are_no_numbers() -> None:
    data = sample()
    assert '"points"' in fails(data | {"points": [42.0, 0]})
    assert '"score_delta"' in fails(data | {"score_delta": [True, False]})
    assert '"made"' in fails(data | {"made": 1})


def test_unknown_keys_are_accepted_and_kept(tmp_path: Path) -> None:
    data = sample() | {"event": {"place": "Hearne", "year": 2019}}
    data["contract"]["note"] = "forced"
    write(tmp_path / "a.jsonl", [HandRecord.from_json(data)])
    assert verify(tmp_path / "a.jsonl").passed == 1
    assert next(read(tmp_path / "a.jsonl")).other == {"event": {"place": "Hearne", "year": 2019}}


def test_a_hand_that_stops_early_or_goes_on_is_refused() -> None:
    data = sample()
    short = {key: data[key][:-1] if key in ("actions", "actors", "legal") else data[key] for key in data}
    long = {key: [*data[key], data[key][-1]] if key in ("actions", "actors", "legal") else data[key] for key in data}
    assert fails(short) == "the hand is not over after its 32 actions"
    assert "action 33: the hand is over" in fails(long)


def claimed(order: str, after: int = 25) -> HandRecord:
    """Nancy claims, by default with 6-4 and 4-3 after five tricks, when no line loses another one."""
    hand = ROBERSON | {"rules": {"preset": "n42pa", "laydown": "claim"}}
    hand["actions"] = [*ROBERSON["actions"][:after], order]
    return complete(**hand)


def test_a_claim_states_the_hand_in_some_order() -> None:
    record = claimed("CLAIM 4-3 6-4")
    assert record.actions[-1] == "CLAIM 4-3 6-4"
    assert record.legal is not None
    assert record.legal[-1] == ["4-3", "6-4", "CLAIM"]
    assert (record.made, record.score_delta, len(record.tricks)) == (True, [1, 0], 5)
    verify_record(record)


def test_a_claim_too_early_sets_the_contract() -> None:
    record = claimed("CLAIM 1-1 6-1 4-1 6-4 6-0 4-3 3-2", after=5)
    assert (record.made, record.score_delta, record.points) == (False, [0, 1], [0, 0])
    verify_record(record)


def test_a_bare_claim_gets_the_engines_order() -> None:
    assert claimed("CLAIM").actions[-1] == "CLAIM 6-4 4-3"


@pytest.mark.parametrize("order", ["CLAIM 6-4", "CLAIM 6-4 6-4", "CLAIM 6-4 4-3 4-3", "CLAIM 6-4 3-3"])
def test_a_claim_with_other_tiles_is_refused(order: str) -> None:
    with pytest.raises(RecordError, match="expected a claim that states the hand of seat 0"):
        claimed(order)


@pytest.mark.parametrize("order", ["CLAIM ", "CLAIM x", "CLAIM 6-4  4-3", "CLAIM " + "6-4 " * 20])
def test_a_malformed_claim_is_refused(order: str) -> None:
    with pytest.raises(RecordError, match="action 25"):
        claimed(order)


def test_position_stands_at_any_point_of_a_record() -> None:
    for line in LINES:
        record = HandRecord.from_json(json.loads(line))
        assert record.legal is not None
        for n in (0, 1, len(record.actions) // 2, len(record.actions) - 1):
            game = position(record, n)
            assert sorted(game.legal_names(0)) == record.legal[n]
            assert game.movers[0] == record.actors[n]


def test_playing_on_from_a_position_ends_as_the_record() -> None:
    record = HandRecord.from_json(sample())
    game = position(record, 5)
    for action in record.actions[5:]:
        rewards, ended = game.step([game.codec.parse(action)])
    assert ended[0]
    assert rewards[0].tolist() == [1, -1, 1, -1]
    assert position(record, len(record.actions)).done[0]


def test_a_whole_game_goes_on_from_a_position() -> None:
    record = HandRecord.from_json(sample() | {"scores": [3, 5]})
    game = position(record, len(record.actions) - 1, episode="game", seed=5)
    game.step([game.codec.parse(record.actions[-1])])
    assert not game.done[0]
    assert game.states["scores"][0, :2].tolist() == [4, 5]
    assert game.states["shaker"][0] == (record.shaker + 1) % 4


@pytest.mark.parametrize("n", [-1, 34])
def test_a_position_outside_the_record_is_refused(n: int) -> None:
    with pytest.raises(OptionsError, match=f"n_actions={n} is not allowed; allowed: 0 to 33"):
        position(HandRecord.from_json(sample()), n)


def test_reset_options_are_the_deal_and_the_first_actions() -> None:
    record = HandRecord.from_json(sample())
    options = reset_options(record, 5)
    assert options["actions"] == record.actions[:5]
    assert (options["hands"], options["shaker"]) == (record.hands, record.shaker)


def test_arrays_hold_every_decision(tmp_path: Path) -> None:
    records = [HandRecord.from_json(sample(line)) for line in (N42PA, N42PA + 1, 2)]
    write(tmp_path / "a.jsonl", records)
    arrays = to_arrays(tmp_path / "a.jsonl")
    names = [arrays.codec.names[action] for action in arrays.action]
    assert names == [action for record in records for action in record.actions]
    assert arrays.seat.tolist() == [seat for record in records for seat in record.actors]
    assert arrays.observation.shape == (len(names), arrays.layout.width)
    assert arrays.mask.shape == (len(names), arrays.codec.n_actions)
    assert {arrays.observation.dtype, arrays.mask.dtype} == {np.dtype(np.int8)}
    legal = [lines for record in records for lines in record.legal or []]
    for row, right in zip(arrays.mask, legal, strict=True):
        assert sorted(arrays.codec.names[i] for i in np.flatnonzero(row)) == right
    assert arrays.hand.tolist() == [i for i, record in enumerate(records) for _ in record.actions]
    delta = np.array([record.score_delta for record in records])
    assert arrays.returns.tolist() == [delta[h, s % 2] - delta[h, 1 - s % 2] for h, s in zip(arrays.hand, arrays.seat, strict=True)]  # fmt: skip # noqa: E501


def test_arrays_show_the_movers_hand(tmp_path: Path) -> None:
    record = complete(**ROBERSON)
    write(tmp_path / "a.jsonl", [record])
    arrays = to_arrays(tmp_path / "a.jsonl")
    held = arrays.observation[:, arrays.layout.slice("hand")].sum(axis=1)
    assert held.tolist() == [7] * 5 + [7 - i // 4 for i in range(28)]


def test_arrays_of_different_games_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [HandRecord.from_json(sample(line)) for line in (N42PA, 0)])
    with pytest.raises(RecordError, match="line 2: not the first record's game"):
        to_arrays(tmp_path / "a.jsonl")


def test_show_lays_the_hand_out() -> None:
    text = format_hand(complete(**ROBERSON))
    for part in (
        "n42pa, marks to 7",
        "Seat 0 (shaker)",
        "6-5  5-3  5-1  5-0  2-2  2-1  2-0",
        "  Seat 1  Seat 2  Seat 3  Seat 0\n  pass    pass    pass    P35",
        "Seat 0 declares PIP1 (ones are trumps).",
        "  1      >1-1*    2-1     3-1     1-0    1       1          0",
        "  7      >4-3     5-0     4-4*    3-3    6       35         7",
        "Made: P35, PIP1 by seat 0",
        "Points taken, of 42: seats 0+2: 35, seats 1+3: 7",
        "Score after the hand: seats 0+2: 1, seats 1+3: 0",
    ):
        assert part in text


def test_show_tells_every_golden_hand() -> None:
    for path in sorted((TESTS / "golden").glob("*.jsonl")):
        for record in read(path):
            text = format_hand(record)
            assert all(tile in text for tiles in record.hands for tile in tiles)
            assert ("thrown in" in text) == (record.contract is None)
            assert text.isascii()


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("before")

    def broken() -> Any:
        yield HandRecord.from_json(sample())
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(path, broken())
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_the_same_records_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    records = list(read(SAMPLES))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        assert write(tmp_path / folder / name, records) == 46
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert [to_line(record) for record in read(tmp_path / "one" / name)] == LINES


def test_unwritable_places_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "a.jsonl", Path("/dev/null")):
        with pytest.raises(RecordFileError, match="cannot be written"):
            write(path, [])


def test_gzip_is_recognised_whatever_the_name(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(gzip.compress(SAMPLES.read_bytes()))
    assert verify(tmp_path / "a.jsonl").passed == 46
