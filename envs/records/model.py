"""`HandRecord`: one hand in the terms of docs/RECORD_FORMAT.md, and its passage to and from JSON values."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any

from texas42.envs.records.errors import RecordError

FORMAT = "texas42-record/1"
MAX_NUMBER = 1_000_000
"""Bound on every number in a record: far above any score, far below what the engine's fields hold."""


@dataclass(slots=True)
class HandRecord:
    """One finished hand; the fields are the keys of docs/RECORD_FORMAT.md.

    `rules` is ``{"preset": NAME, ...overrides}``, `legal` is None where the record has none, `other` holds
    keys that the format does not know.
    """

    rules: dict[str, Any]
    shaker: int
    scores: list[int]
    hands: list[list[str]]
    widow: list[str]
    actions: list[str]
    actors: list[int]
    legal: list[list[str]] | None
    tricks: list[dict[str, int]]
    contract: dict[str, Any] | None
    made: bool | None
    points: list[int]
    score_delta: list[int]
    other: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def from_json(data: object) -> "HandRecord":
        """A record from a parsed line; types are checked, the rules of the game are not.

        Raises:
            RecordError: a key is missing or its value has the wrong type.
        """
        if not isinstance(data, dict):
            raise RecordError(f"a record is a JSON object, not {_type_name(data)}")
        if data.get("format") != FORMAT:
            raise RecordError(f'"format": expected "{FORMAT}", found {shown(data.get("format"))}')
        values = {key: _checked(data, key) for key in _CHECKS}
        other = {key: value for key, value in data.items() if key not in _CHECKS and key != "format"}
        return HandRecord(**values, other=other)

    def to_json(self) -> dict[str, Any]:
        """The record as JSON values, keys in the order of the format."""
        out: dict[str, Any] = {"format": FORMAT}
        for item in fields(self):
            if item.name != "other" and not (item.name == "legal" and self.legal is None):
                out[item.name] = getattr(self, item.name)
        return out | self.other


def shown(value: object, limit: int = 120) -> str:
    """A value from a stranger's file as printable ASCII, cut to `limit` characters."""
    text = ascii(value)
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


def printable(text: str, limit: int = 600) -> str:
    """Text that quotes a stranger's file: control characters and all but ASCII escaped, cut to `limit`."""
    text = text[: limit + 1].encode("unicode_escape").decode()
    return text if len(text) <= limit else f"{text[:limit]}..."


def _type_name(value: object) -> str:
    names: dict[type, str] = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")


def _checked(data: dict[str, Any], key: str) -> Any:
    check, wanted = _CHECKS[key]
    if key not in data:
        if key == "legal":
            return None
        raise RecordError(f'the key "{key}" is missing')
    value = data[key]
    if not check(value):
        raise RecordError(f'"{key}": expected {wanted}, found {shown(value)}')
    return value


def _is_number(value: object) -> bool:
    return type(value) is int and -MAX_NUMBER <= value <= MAX_NUMBER


def _is_numbers(value: object) -> bool:
    return type(value) is list and all(map(_is_number, value))


def _is_texts(value: object) -> bool:
    return type(value) is list and set(map(type, value)) <= {str}


def _is_text_lists(value: object) -> bool:
    if type(value) is not list or not set(map(type, value)) <= {list}:
        return False
    return set(map(type, chain.from_iterable(value))) <= {str}


def _is_tricks(value: object) -> bool:
    return type(value) is list and all(
        type(trick) is dict and all(_is_number(trick.get(key)) for key in ("leader", "winner", "points"))
        for trick in value
    )


def _is_contract(value: object) -> bool:
    if value is None:
        return True
    if type(value) is not dict:
        return False
    texts = [value.get("bid"), value.get("declaration")]
    return _is_texts(texts) and _is_numbers([value.get("bidder"), value.get("declarer")])


def _is_made(value: object) -> bool:
    return value is None or type(value) is bool


_NUMBERS = f"a list of whole numbers up to {MAX_NUMBER}"
_CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "rules": (lambda value: type(value) is dict, 'an object with a "preset"'),
    "shaker": (_is_number, "a seat"),
    "scores": (_is_numbers, _NUMBERS),
    "hands": (_is_text_lists, "a list of lists of tiles"),
    "widow": (_is_texts, "a list of tiles"),
    "actions": (_is_texts, "a list of actions"),
    "actors": (_is_numbers, "a list of seats"),
    "legal": (_is_text_lists, "a list of lists of actions"),
    "tricks": (_is_tricks, 'a list of objects with "leader", "winner" and "points"'),
    "contract": (_is_contract, 'null or an object with "bidder", "bid", "declaration" and "declarer"'),
    "made": (_is_made, "true, false or null"),
    "points": (_is_numbers, _NUMBERS),
    "score_delta": (_is_numbers, _NUMBERS),
}
