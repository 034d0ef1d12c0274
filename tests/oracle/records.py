"""Replaying a record and comparing every key (RECORD_FORMAT.md)."""

from collections.abc import Mapping
from typing import cast

from oracle.errors import OracleError
from oracle.hand import FORMAT, Hand

NEEDED = ("rules", "shaker", "scores", "hands", "widow", "actions")
RESULTS = ("actors", "tricks", "contract", "made", "points", "score_delta")


def replay(record: Mapping[str, object]) -> list[str]:
    """Mismatch messages; empty when the record is exactly what the rules say."""
    missing = [key for key in ("format", *NEEDED, *RESULTS) if key not in record]
    if missing:
        return [f"missing keys: {', '.join(missing)}"]
    problems = [] if record["format"] == FORMAT else [f"format is {record['format']!r}"]
    try:
        hand = start(record)
    except OracleError as error:
        return [*problems, str(error)]
    for index, action in enumerate(cast(list[str], record["actions"])):
        problems += _before_action(record, hand, index, action)
        try:
            hand.apply(action)
        except OracleError as error:
            return [*problems, f"action {index} {action}: {error}"]
    if not hand.done:
        return [*problems, f"the hand is not over after {len(hand.actions)} actions"]
    return problems + _compare_results(record, hand.record())


def start(record: Mapping[str, object]) -> Hand:
    """The hand of a record before its first action."""
    return Hand(
        cast(Mapping[str, object], record["rules"]),
        cast(int, record["shaker"]),
        cast(list[list[str]], record["hands"]),
        cast(list[str], record["widow"]),
        cast(list[int], record["scores"]),
    )


def _before_action(record: Mapping[str, object], hand: Hand, index: int, action: str) -> list[str]:
    """Compare the actor and the legal actions at one decision."""
    found = []
    actors = cast(list[int], record["actors"])
    actor = actors[index] if index < len(actors) else None
    if actor != hand.actor:
        found.append(f"action {index} {action}: actor {actor}, should be {hand.actor}")
    if "legal" in record:
        lists = cast(list[list[str]], record["legal"])
        stated = lists[index] if index < len(lists) else None
        if stated != hand.legal():
            found.append(f"action {index} {action}: legal {stated}, should be {hand.legal()}")
    return found


def _compare_results(record: Mapping[str, object], right: Mapping[str, object]) -> list[str]:
    keys = [*RESULTS, "legal"] if "legal" in record else list(RESULTS)
    return [f"{key}: {record[key]}, should be {right[key]}" for key in keys if record[key] != right[key]]
