"""The auction: who calls, what is legal, what a call is worth (RULES.md a.13, b.2, c, f.2, f.3)."""

from collections.abc import Mapping
from dataclasses import dataclass

from oracle.games import Game, game_of, is_double
from oracle.params import Rules, number, resolve_rules

# c.12: Geezer's water bids: name -> (doubles needed, base marks).
WATER = {"DIP": (3, 2), "DIVE": (4, 3), "PLUNGE": (5, 4)}

Call = tuple[int, str]  # (seat, call)


@dataclass(frozen=True)
class Bid:
    """A standing bid. `marks` is 0 for a bid below the marks; `points` is 0 for a mark bid."""

    seat: int
    call: str
    marks: int
    points: int
    level: float


def opening_bidder(rules: Rules, game: Game, shaker: int, hands: list[list[str]]) -> int:
    """b.1, f.3.6: left of the shaker, or the first holder of 1-0 clockwise from there."""
    left = (shaker + 1) % game.seats
    if rules["opening_bidder"] == "holder_of_1_0":
        for step in range(game.seats):
            seat = (left + step) % game.seats
            if "1-0" in hands[seat]:
                return seat
    return left


def high_bid(rules: Rules, game: Game, calls: list[Call]) -> Bid | None:
    """The current high bid after some calls."""
    high: Bid | None = None
    for seat, call in calls:
        if call != "PASS":
            high = valued(rules, game, seat, call, high)
    return high


def valued(rules: Rules, game: Game, seat: int, call: str, high: Bid | None) -> Bid:
    """What a call is worth over the current high bid."""
    marks, points = 0, 0
    if call in special_calls(rules, game):  # c.4, c.5, c.12: M(max(base, marks(H)+1))
        base = special_calls(rules, game)[call][1]
        marks = max(base, (high.marks if high else 0) + 1)
    elif call.startswith("P"):
        points = int(call[1:])
    elif call in NAMED_POINTS:
        points = NAMED_POINTS[call]
    else:
        marks = int(call[1:])
    return Bid(seat, call, marks, points, _level(game, marks, points))


# c.11, c.12: the calls that name a number of points in words.
NAMED_POINTS = {"MOON": 21, "SHOOT_OVER": 42, "C51": 51, "ASK": 39, "TWO39": 39}


def _level(game: Game, marks: int, points: int) -> float:
    """The place in the ladder: marks above all points, but Geezer's M1 between P45 and P46 (c.12)."""
    if game.family == "geezer" and marks == 1:
        return 45.5
    return 1000.0 + marks if marks else float(points)


def special_calls(rules: Rules, game: Game) -> dict[str, tuple[int, int]]:
    """Special bids of the game: name -> (doubles needed, base marks)."""
    if game.family == "geezer":
        return WATER
    if game.family != "standard" or game.seats != 4:
        return {}  # f.3.12: four-player team games of c.1 and c.2 only
    found: dict[str, tuple[int, int]] = {}
    for name in ("splash", "plunge"):
        if rules[name] == "on":
            found[name.upper()] = (number(rules, f"{name}_doubles"), number(rules, f"{name}_marks"))
    return found


def doubles_in(tiles: list[str]) -> int:
    """How many doubles a hand holds."""
    return sum(is_double(tile) for tile in tiles)


def legal_calls(rules: Rules, game: Game, calls: list[Call], seat: int, tiles: list[str]) -> list[str]:
    """Every legal call of a seat."""
    high = high_bid(rules, game, calls)
    bids = _points_calls(rules, game, high) + _mark_calls(rules, high, game) + _named_calls(game, high)
    bids += _special_bids(rules, game, high, seat, tiles, bids)
    if not _all_others_passed(game, calls, high):
        return [*bids, "PASS"]
    if game.family == "geezer":  # c.12: the fourth may not pass, and may ASK or bid TWO39
        return [*bids, "ASK", "TWO39"]
    if rules["all_pass"] != "forced_last":
        return [*bids, "PASS"]
    if rules["forced_bid"] == "exactly_min":
        return [f"P{number(rules, 'min_bid')}"]
    return bids


def _all_others_passed(game: Game, calls: list[Call], high: Bid | None) -> bool:
    """True for the last caller when nobody has bid (f.3.6: the forced bidder is whoever calls last)."""
    return high is None and len(calls) == game.seats - 1


def _points_calls(rules: Rules, game: Game, high: Bid | None) -> list[str]:
    """P(min) and up by the step, below T; the standard game stops at P41 (c.15.2, c.16), Moon at 7 tricks."""
    top = {"moon": game.hand_size + 1, "standard": min(42, game.total)}.get(game.family, game.total)
    values = range(number(rules, "min_bid"), top, number(rules, "bid_step"))
    return [f"P{n}" for n in values if high is None or n > high.level]


def _mark_calls(rules: Rules, high: Bid | None, game: Game) -> list[str]:
    """a.13, f.2.4: the opening limit while no mark bid stands, else only the raise counts."""
    if game.family == "moon":
        return []
    if high is None or high.marks == 0:
        values = range(1, number(rules, "max_opening_marks") + 1)
    else:
        most = 2 if rules["mark_raise"] == "plus_up_to_two" else 1
        values = range(high.marks + 1, high.marks + most + 1)
    return [
        f"M{m}" for m in values
        if within_cap(rules, m) and (high is None or _level(game, m, 0) > high.level)
    ]


def within_cap(rules: Rules, marks: int) -> bool:
    """f.2.4: the cap bounds every mark bid."""
    return rules["max_marks_cap"] is None or marks <= number(rules, "max_marks_cap")


def _named_calls(game: Game, high: Bid | None) -> list[str]:
    """c.11: MOON, and SHOOT_OVER over MOON only; c.12: C51 at the level of P51."""
    if game.family == "moon":
        if high is not None and high.call == "MOON":
            return ["SHOOT_OVER"]
        return ["MOON"] if high is None or high.level < 21 else []
    if game.family == "geezer" and (high is None or high.level < 51):
        return ["C51"]
    return []


def _special_bids(
    rules: Rules, game: Game, high: Bid | None, seat: int, tiles: list[str], plain: list[str]
) -> list[str]:
    """c.4, c.5, c.12: special bids need their doubles, and respect the cap and f.3.7."""
    water = game.family == "geezer"
    if not water and rules["special_declared_at"] == "after":
        return []
    found = []
    for call, (doubles, _) in special_calls(rules, game).items():
        marks = valued(rules, game, seat, call, high).marks
        jump_ok = water or bool(rules["special_jump"]) or f"M{marks}" in plain
        if doubles_in(tiles) >= doubles and within_cap(rules, marks) and jump_ok:
            found.append(call)
    return found


def next_caller(rules: Rules, game: Game, opener: int, calls: list[Call]) -> int | None:
    """The seat to call, or None when the auction is over."""
    if calls and calls[-1][1] == "SHOOT_OVER":
        return None  # c.11, f.3.4
    if rules["calls"] == "one_each":
        return (opener + len(calls)) % game.seats if len(calls) < game.seats else None
    # c.13: until all but one have passed; a player who passes is out.
    out = {seat for seat, call in calls if call == "PASS"}
    if len(out) == game.seats or (len(out) == game.seats - 1 and len(calls) >= game.seats):
        return None
    seat = (calls[-1][0] + 1) % game.seats if calls else opener
    while seat in out:
        seat = (seat + 1) % game.seats
    return seat


def forced(rules: Rules, game: Game, calls: list[Call]) -> bool:
    """True where the last caller bid after everybody else had passed, whatever `all_pass` is."""
    return (
        len(calls) == game.seats and calls[-1][1] != "PASS" and all(call == "PASS" for _, call in calls[:-1])
    )


def complete_auctions(spec: Mapping[str, object], tiles: tuple[str, ...] = ()) -> int:
    """The number of complete auctions where every seat holds `tiles` (none: no special bids)."""
    rules, game = resolve_rules(spec), game_of(spec)

    def count(calls: list[Call]) -> int:
        seat = next_caller(rules, game, 0, calls)
        if seat is None:
            return 1
        return sum(
            count([*calls, (seat, call)]) for call in legal_calls(rules, game, calls, seat, list(tiles))
        )

    return count([])
