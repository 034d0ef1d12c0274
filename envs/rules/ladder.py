"""The bid ladder: every call as a row, and which calls may follow which (RULES.md a.13 and the auctions of c)."""

from dataclasses import dataclass, replace

from texas42.envs.rules.checks import highest_points
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.rules import Rules

PASS, POINTS, MARKS, SPECIAL, COUNT51, FORCED = range(6)
"""Kinds of call: pass, points bid, marks bid, a bid on doubles whose trump the partner names, Geezer's count
trump bid, and a bid that only a forced last caller has. Moon's MOON and SHOOT_OVER are marks bids."""


@dataclass(frozen=True)
class Call:
    """One row of the ladder.

    `level` orders calls (higher beats lower). `need`: points the bidder's side must take, 0 for every trick.
    `marks`: marks at stake. `value`: the bid in points or signed scoring. `base` and `doubles`: least value and
    doubles of a special bid. `offered`: whether these rules have the call at all.
    """

    name: str
    kind: int
    level: float = 0.0
    need: int = 0
    marks: int = 0
    value: int = 0
    base: int = 0
    doubles: int = 0
    partner_names: bool = False
    ends_auction: bool = False
    offered: bool = True


def build_ladder(rules: Rules) -> list[Call]:
    """The calls of the auction in the order of their action ids, PASS first (RECORD_FORMAT.md).

    Rules of one game share their rows, so that action ids do not move with house rules.

    Raises:
        RulesError: the ladder has more than 64 calls.
    """
    rows = [Call("PASS", PASS), *_plain_rows(rules), *_special_rows(rules)]
    if len(rows) > 64:
        raise RulesError(f"min_bid={rules.min_bid} with bid_step={rules.bid_step} makes {len(rows)} calls; at most 64")
    return rows


def _plain_rows(rules: Rules) -> list[Call]:
    if rules.game.ladder == "moon":
        return _moon_rows(rules)
    offered = range(rules.min_bid, highest_points(rules) + 1, rules.bid_step)
    standard = standard_points(rules)
    rows = [
        Call(f"P{n}", POINTS, n, need=n, marks=1, value=n, offered=n in offered)
        for n in sorted({*offered, *standard})
    ]
    geezer = rules.game.ladder == "geezer"
    for m in range(1, max_marks(rules) + 1):
        level = 45.5 if geezer and m == 1 else 1000.0 + m  # c.12: M1 stands between P45 and P46
        cap = rules.max_marks_cap
        allowed = cap is None or m <= cap
        rows.append(Call(f"M{m}", MARKS, level, marks=m, value=marks_value(rules, m), offered=allowed))
    if geezer:
        rows.append(Call("C51", COUNT51, 51, need=51, marks=1, value=51))
    return sorted(rows, key=lambda row: row.level)


def standard_points(rules: Rules) -> range:
    """Point bids that every rule set of the game shares ids for."""
    low, step = {
        "big_game": (42, 1),
        "one_forty": (100, 5),
        "eighty_four": (60, 2),
        "seventy_two": (40, 1),
        "geezer": (39, 1),
    }.get(rules.game.name, (30, 1))
    return range(low, highest_points(rules) + 1, step)


def max_marks(rules: Rules) -> int:
    """The highest mark bid with an id: what these rules reach, at least what the game usually does."""
    usual = {"big_game": 7, "geezer": 7}.get(rules.game.name, 10 if rules.special_bids else rules.seats + 1)
    if rules.calls == "until_one_left":
        return max(usual, rules.max_marks_cap or 0)
    opening = max(rules.max_opening_marks, 4 if rules.special_bids or rules.game.ladder == "geezer" else 0)
    raises = (rules.seats - 1) * (2 if rules.mark_raise == "plus_up_to_two" else 1)
    return max(usual, opening + raises)


def marks_value(rules: Rules, marks: int) -> int:
    """A marks bid in points: m hand totals, or doubling from the second on (c.2, f.4.6)."""
    if rules.points_mode_multiples == "doubling":
        return rules.total * int(2 ** (marks - 1))
    return rules.total * marks


def _moon_rows(rules: Rules) -> list[Call]:
    """c.11: 4 to 7 tricks, MOON for 21, SHOOT_OVER for 42, which ends the auction."""
    low = min(rules.min_bid, 4)
    rows = [
        Call(f"P{n}", POINTS, n, need=n, marks=1, value=n, offered=n >= rules.min_bid)
        for n in range(low, rules.total + 1)
    ]
    rows.append(Call("MOON", MARKS, 1001, marks=1, value=21))
    rows.append(Call("SHOOT_OVER", MARKS, 1002, marks=2, value=42, ends_auction=True))
    return rows


def _special_rows(rules: Rules) -> list[Call]:
    if rules.game.ladder == "geezer":
        return _geezer_rows()
    if not rules.special_bids:
        return []
    splash = Call("SPLASH", SPECIAL, base=rules.splash_marks, doubles=rules.splash_doubles, partner_names=True)
    plunge = Call("PLUNGE", SPECIAL, base=rules.plunge_marks, doubles=rules.plunge_doubles, partner_names=True)
    return [
        replace(splash, offered=rules.splash == "on"),
        replace(plunge, offered=rules.plunge == "on"),
    ]


def _geezer_rows() -> list[Call]:
    """c.12: the water bids, and the two calls of a fourth bidder after three passes."""
    water = [
        Call(name, SPECIAL, base=base, doubles=doubles, partner_names=True)
        for name, base, doubles in (("DIP", 2, 3), ("DIVE", 3, 4), ("PLUNGE", 4, 5))
    ]
    ask = Call("ASK", FORCED, 2000, need=39, marks=1, value=39, partner_names=True)
    return [*water, ask, Call("TWO39", FORCED, 2000, need=39, marks=2, value=39)]


def next_calls(rules: Rules, rows: list[Call], standing: Call) -> list[int]:
    """Row numbers of the plain calls legal over `standing` (the PASS row: nothing stands yet), PASS first."""
    plain = [
        i
        for i, row in enumerate(rows)
        if row.kind in (POINTS, MARKS, COUNT51) and row.offered and _beats(rules, row, standing)
    ]
    return [0, *plain]


def _beats(rules: Rules, row: Call, standing: Call) -> bool:
    if row.level <= standing.level and standing.kind != PASS:
        return False
    if rules.game.ladder == "moon":  # c.11: SHOOT_OVER only over MOON
        return not row.ends_auction or standing.name == "MOON"
    if row.kind != MARKS:  # c.12: points may still be bid over M1 in Geezer
        return standing.kind != MARKS or standing.marks == 1
    if standing.kind == MARKS:  # a.13: over M(k) one more (or two, f.2.4)
        return row.marks <= standing.marks + (2 if rules.mark_raise == "plus_up_to_two" else 1)
    return row.marks <= rules.max_opening_marks
