"""Record files as strangers send them: every kind of damage, from a seed."""

import copy
import gzip
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Lines = list[bytes]
Damage = Callable[[Lines, Random], bytes]

ODD_VALUES: tuple[object, ...] = (
    None, True, False, 0, -1, 1, 4, 255, 2**31, -(2**63), 10**30, 0.5, -0.0, 1e300, "", "PASS", "M1", "6-6", "4-6",
    "CLAIM", "CLAIM 6-6 6-5", "DISCARD 0-0", "\x00\x1b[2J", "\ud800", "x" * 5000, [], {}, [[]], [None], ["PASS"] * 200,
    {"preset": "moon"}, {"leader": 0}, list(range(1000)), [[0] * 9] * 9, "n42pa", "open", "texas42-record/2",
)  # fmt: skip
ODD_TOKENS = (
    b"NaN", b"-Infinity", b"1e400", b"-1e999", b"9" * 5000, b"0x10", b"01", b"1.", b"'PASS'", b"nul", b"{",
    b"}", b"[" * 3000, b'{"a":' * 3000, b'"\\ud800"', b'"\\x"', b"\xff", b"\xc3\x28", b"\x00", b"\r", b"\n", b",",
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a JSON value, as a container with a key."""
    if isinstance(value, dict):
        return [(value, key) for key in value] + [p for inner in value.values() for p in places(inner)]
    if isinstance(value, list):
        return [(value, i) for i in range(len(value))] + [p for inner in value for p in places(inner)]
    return []


def dump(record: object) -> bytes:
    """A line of JSON, NaN and lone surrogates as Python writes them."""
    return json.dumps(record, separators=(",", ":")).encode()


def with_record(lines: Lines, random: Random, change: Callable[[dict[str, Any]], object]) -> bytes:
    """One line's record changed."""
    i = random.randrange(len(lines))
    record = json.loads(lines[i])
    change(record)
    return b"\n".join([*lines[:i], dump(record), *lines[i + 1 :]]) + b"\n"


def swap_values(lines: Lines, random: Random) -> bytes:
    """Values of other types and sizes, or from elsewhere in the record."""

    def change(record: dict[str, Any]) -> None:
        for _ in range(random.randint(1, 4)):
            spots = places(record)
            container, key = random.choice(spots)
            other, at = random.choice(spots)
            container[key] = copy.deepcopy(random.choice([other[at], *ODD_VALUES]))

    return with_record(lines, random, change)


def drop_or_repeat(lines: Lines, random: Random) -> bytes:
    """Keys lost, entries lost or doubled, lists turned round."""

    def change(record: dict[str, Any]) -> None:
        for _ in range(random.randint(1, 3)):
            container, key = random.choice(places(record))
            if isinstance(container, dict):
                del container[key]
            elif random.random() < 0.4:
                container.insert(key, container[key])
            elif random.random() < 0.5:
                container.reverse()
            else:
                container.pop(key)

    return with_record(lines, random, change)


def other_rules(lines: Lines, random: Random) -> bytes:
    """The rules of another record, or a parameter that is odd."""
    rules = json.loads(random.choice(lines))["rules"]
    name = random.choice(["min_bid", "players", "target", "laydown", "nello_doubles", "preset", "zzz", "max_marks_cap"])

    def change(record: dict[str, Any]) -> None:
        record["rules"] = rules
        if random.random() < 0.6:
            record["rules"][name] = random.choice(ODD_VALUES)

    return with_record(lines, random, change)


def odd_bytes(lines: Lines, random: Random) -> bytes:
    """Bytes lost, put in, turned over, or tokens that are no JSON in the place of others."""
    data = bytearray(b"\n".join(lines) + b"\n")
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(data))
        cut = random.choice([0, 1, 1, 3, 50])
        data[at : at + cut] = random.choice([b"", bytes([random.randrange(256)]), *ODD_TOKENS])
    return bytes(data)


def odd_number(lines: Lines, random: Random) -> bytes:
    """A token that is no JSON, or no number of ours, in the place of a number."""
    i = random.randrange(len(lines))
    text = lines[i]
    spots = [at for at in range(len(text) - 1) if text[at : at + 1].isdigit() and text[at - 1 : at] in b"[:,"]
    at = random.choice(spots)
    return b"\n".join([*lines[:i], text[:at] + random.choice(ODD_TOKENS) + text[at + 1 :]])


def twice(lines: Lines, random: Random) -> bytes:
    """A key that stands twice, at the top or inside."""
    i = random.randrange(len(lines))
    key = random.choice(["shaker", "hands", "winner", "preset", "made", "bid"])
    return b"\n".join([*lines[:i], lines[i].replace(f'"{key}":'.encode(), f'"{key}":0,"{key}":'.encode(), 1)])


def truncated(lines: Lines, random: Random) -> bytes:
    """A file that breaks off."""
    data = b"\n".join(lines)
    return data[: random.randrange(len(data))]


def nested(lines: Lines, random: Random) -> bytes:
    """Lists or objects inside each other, around the depth that Python can take, under a key nobody knows."""
    depth = random.choice([random.randint(900, 1000), random.randint(1, 200), 100_000])
    inner = b"[" * depth + b"]" * depth if random.random() < 0.5 else b'{"a":' * depth + b"1" + b"}" * depth
    key = random.choice([b"note", b"rules", b"hands", b"contract", b"tricks"])
    i = random.randrange(len(lines))
    return b"\n".join([*lines[:i], lines[i][:-1] + b',"' + key + b'2":' + inner + b"}", *lines[i + 1 :]])


def long_lines(lines: Lines, random: Random) -> bytes:
    """Lines longer than any record, of text, of keys, of blanks."""
    size = random.choice([1 << 16, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
    filler = random.choice([b"x", b" ", b"[", b'"', b"1,", b"\\"])
    return b"\n".join([lines[0], filler * (size // len(filler)), lines[1]])


def zipped(lines: Lines, random: Random) -> bytes:
    """A gzip file that breaks off, has wrong bytes, goes on as text, or holds far more than it seems."""
    data = bytearray(gzip.compress(b"\n".join(lines), 1))
    kind = random.randrange(4)
    if kind == 0:
        return bytes(data[: random.randrange(2, len(data))])
    if kind == 1:
        data[random.randrange(2, len(data))] ^= 1 << random.randrange(8)
        return bytes(data)
    if kind == 2:
        return bytes(data) + random.choice([lines[0], b"\x00" * 50, bytes(data[:40])])
    return gzip.compress(random.choice([b"\x00", b"{}\n", b"[" * 9]) * (1 << 18), 1) + bytes(data)


DAMAGES: Sequence[Damage] = (
    swap_values, drop_or_repeat, other_rules, odd_bytes, odd_number, twice, truncated, nested, long_lines, zipped,
)  # fmt: skip


def damaged(lines: Sequence[bytes], seed: int) -> bytes:
    """A few of the lines with some damage; a pure function of its arguments."""
    random = Random(seed)
    some = random.sample(list(lines), random.randint(2, 4))
    return DAMAGES[seed % len(DAMAGES)](some, random)
