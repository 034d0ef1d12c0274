"""Auctions on the engine: what may be called after some calls, and how many auctions there are."""

from collections.abc import Callable

import numpy as np

from support.table import Spec, Table
from texas42.envs.engine import drivers
from texas42.envs.rules.rules import resolve_rules


def points(low: int, high: int, step: int = 1) -> set[str]:
    """Names of point bids."""
    return {f"P{n}" for n in range(low, high + 1, step)}


def calls_after(rules: Spec, calls: str = "", caller: str = "", shaker: int = 0) -> set[str]:
    """Legal calls after some calls; the next caller holds the tiles `caller`."""
    resolved = resolve_rules(rules)
    seat = (shaker + 1 + len(calls.split())) % resolved.seats
    held = {seat: caller} if caller else {}
    return Table(resolved, held, shaker=shaker).play(calls).legal


def count_auctions(rules: Spec, ends: Callable[[str], bool] = lambda call: False) -> int:
    """Complete auctions, walked on the engine; `ends` cuts an auction off after a call."""
    table = Table(rules)

    def walk() -> int:
        if table.phase != "auction":
            return 1
        before = table.game.states.copy()
        total = 0
        for call in table.legal:
            drivers.step_batch(table.game.states, table.game.tables, np.array([table.game.codec.parse(call)]))
            total += 1 if ends(call) else walk()
            table.game.states[:] = before
        return total

    return walk()
