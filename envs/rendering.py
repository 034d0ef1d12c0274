"""The table as text, the way a person would want to see it: calls, contract, tricks, scores, one hand.

All functions read records of `texas42.envs.engine.state.STATE` and change nothing; `names` are the seats'
names, by default ``player_0``, ``player_1``, ...
"""

from collections.abc import Sequence
from typing import Any

from texas42.envs.engine.state import DISCARD, OVER, PHASE_NAMES
from texas42.envs.rules.codec import Codec
from texas42.envs.rules.declarations import (
    COUNT_TRUMP,
    DOUBLE_TRUMP,
    LOPER,
    NELLO,
    NO_TRUMP,
    PIP_TRUMP,
    Declaration,
    is_trump,
)
from texas42.envs.rules.ladder import SPECIAL
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES

_PIPS = ("blanks", "ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines")
_DOUBLES = {
    "high": "high",
    "low": "low",
    "own": "a suit of their own",
    "inv": "a suit of their own, 0-0 highest",
}
_UNITS = {"marks": "marks", "points": "points", "signed_points": "points"}


def table_text(
    s: Any,
    rules: Rules,
    codec: Codec,
    *,
    seat: int | None = None,
    show_all: bool = False,
    names: Sequence[str] = (),
) -> str:
    """The position as text.

    Args:
        s: one record.
        seat: whose hand is shown; by default that of the seat to move.
        show_all: show every hand and the widow.
    """
    names = names or [f"player_{i}" for i in range(rules.seats)]
    viewer = int(s["cur"]) if seat is None else seat
    lines = [_header(s, rules, names), *_seats(s, rules, codec, viewer, show_all, names)]
    lines += _widow(s, rules, viewer, show_all)
    if s["decl"] >= 0:
        lines += [contract_text(s, rules, codec, names), *_tricks(s, rules, names)]
    if s["phase"] == OVER:
        lines.append(result_text(s, s, rules, codec, names))
    else:
        lines.append(f"To move: {names[int(s['cur'])]} ({PHASE_NAMES[int(s['phase'])]}).")
    return "\n".join(lines)


def side_name(rules: Rules, side: int, names: Sequence[str]) -> str:
    """The names of a side's seats."""
    return "+".join(names[side :: rules.sides])


def scores_text(values: Any, rules: Rules, names: Sequence[str], *, signed: bool = False) -> str:
    """A number for each side."""
    form = "{} {:+d}" if signed else "{} {:d}"
    return ", ".join(form.format(side_name(rules, i, names), int(values[i])) for i in range(rules.sides))


def _header(s: Any, rules: Rules, names: Sequence[str]) -> str:
    scores = scores_text(s["scores"], rules, names)
    game = f"{rules.base}, {_UNITS[rules.scoring]} to {rules.target}"
    text = f"Hand {int(s['hand_no']) + 1}, {game}. Score: {scores}."
    if s["hand_over"] and s["phase"] != OVER:
        text += f" The last hand: {scores_text(s['delta'], rules, names, signed=True)}."
    return text


def _seats(s: Any, rules: Rules, codec: Codec, viewer: int, show_all: bool, names: Sequence[str]) -> list[str]:
    calls: list[list[str]] = [[] for _ in range(rules.seats)]
    for i in range(int(s["n_calls"])):
        calls[int(s["callers"][i])].append(codec.ladder[int(s["calls"][i])].name)
    rows = []
    for seat in range(rules.seats):
        mark = ">" if seat == s["cur"] else " "
        shown = show_all or seat == viewer or (rules.two_seats_each and seat % 2 == viewer % 2 and viewer >= 0)
        tiles = hand_text(s, rules, codec, seat) if shown else _face_down(int(s["hands"][seat]).bit_count())
        role = "shaker" if seat == s["shaker"] else ""
        role += " sits out" if int(s["sits_out"]) >> seat & 1 else ""
        rows.append((f"{mark} {names[seat]}", role.strip(), " ".join(calls[seat]), tiles))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, [*widths, 0], strict=True)).rstrip() for row in rows]


def _face_down(n: int) -> str:
    return f"({n} tile{'' if n == 1 else 's'})"


def hand_text(s: Any, rules: Rules, codec: Codec, seat: int) -> str:
    """A seat's tiles, trumps first, each part from high to low."""
    mask = int(s["hands"][seat])
    tiles = sorted((i % rules.n_types for i in rules.deck if mask >> i & 1), reverse=True)
    if s["decl"] < 0:
        return " ".join(TILE_NAMES[tile] for tile in tiles)
    declaration = codec.declarations[int(s["decl"])]
    parts = [[TILE_NAMES[t] for t in tiles if is_trump(rules, declaration, t) is trump] for trump in (True, False)]
    return " | ".join(" ".join(part) for part in parts if part)


def _widow(s: Any, rules: Rules, viewer: int, show_all: bool) -> list[str]:
    lines = []
    met = s["high"] > 0 and s["namer"] >= 0 and viewer == s["bidder"]
    if rules.setup.widow and (show_all or met):
        lines.append(f"Widow: {_tiles(rules, int(s['widow']))}. Discarded: {_tiles(rules, int(s['discards']))}.")
    if s["shown"]:
        lines.append(f"Discarded trumps, turned up: {_tiles(rules, int(s['shown']))}.")
    return lines


def _tiles(rules: Rules, mask: int) -> str:
    return " ".join(TILE_NAMES[i % rules.n_types] for i in rules.deck if mask >> i & 1) or "none"


def declaration_text(declaration: Declaration) -> str:
    """A declaration in words."""
    low = f", {_PIPS[declaration.pip]} low" if declaration.kind == NELLO and declaration.pip >= 0 else ""
    words = {
        PIP_TRUMP: f"{_PIPS[declaration.pip]} are trumps",
        DOUBLE_TRUMP: "doubles are trumps",
        COUNT_TRUMP: "count tiles are trumps",
        NO_TRUMP: f"no trumps, doubles {_DOUBLES[declaration.treatment]}",
        NELLO: f"nello, doubles {_DOUBLES[declaration.treatment]}{low}",
    }
    text = words.get(declaration.kind)
    return f"{declaration.name}: {text}" if text else declaration.name


def _call_name(s: Any, codec: Codec) -> str:
    call = codec.ladder[int(s["call"])]
    if s["special"] and s["special"] != s["call"]:
        return f"{call.name} {codec.ladder[int(s['special'])].name}"
    return f"{call.name} ({int(s['marks'])} marks)" if call.kind == SPECIAL else call.name


def contract_text(s: Any, rules: Rules, codec: Codec, names: Sequence[str]) -> str:
    """Who plays what, and what makes it (RULES.md a.10)."""
    declaration = codec.declarations[int(s["decl"])]
    if declaration.kind == NELLO:
        aim = "no trick"
    elif declaration.kind == LOPER:
        aim = "all tricks but one"
    elif s["marks"] > 0:
        aim = "every trick"
    else:
        aim = f"{codec.ladder[int(s['call'])].need} of {rules.total} points"
    named = "" if s["namer"] == s["bidder"] else f", named by {names[int(s['namer'])]}"
    bidder = names[int(s["bidder"])]
    return f"{bidder} bid {_call_name(s, codec)}{named}. {declaration_text(declaration)}. To make: {aim}."


def _tricks(s: Any, rules: Rules, names: Sequence[str]) -> list[str]:
    if s["phase"] == DISCARD:
        return []
    sides = range(rules.sides)
    taken = [f"{side_name(rules, i, names)} {int(s['won'][i])} worth {int(s['taken'][i])}" for i in sides]
    lines = [f"Tricks: {', '.join(taken)}."]
    n_tricks = int(s["n_tricks"])
    if n_tricks:
        first = (n_tricks - 1) * int(s["in_trick"])
        plays = _plays(s, first, first + int(s["in_trick"]), names)
        lines.append(f"Last trick: {plays}. {trick_text(s, n_tricks - 1, names)}")
    if s["pos"] > 0:
        plays = _plays(s, int(s["n_plays"] - s["pos"]), int(s["n_plays"]), names)
        low = ", the low end led" if int(s["low_leads"]) >> n_tricks & 1 else ""
        lines.append(f"On the table: {plays}{low}. Winning: {names[int(s['best_seat'])]}.")
    return lines


def _plays(s: Any, first: int, last: int, names: Sequence[str]) -> str:
    return ", ".join(f"{names[int(s['players'][i])]} {TILE_NAMES[int(s['plays'][i])]}" for i in range(first, last))


def trick_text(s: Any, trick: int, names: Sequence[str]) -> str:
    """Who took a trick."""
    return f"{names[int(s['trick_winners'][trick])]} took it, worth {int(s['trick_values'][trick])}."


def result_text(before: Any, after: Any, rules: Rules, codec: Codec, names: Sequence[str]) -> str:
    """How a hand ended: `before` is the record in the hand, `after` the one in which its score is settled."""
    if not after["hand_over"]:
        return "The episode was ended by an illegal action."
    scores = f"Score: {scores_text(after['scores'], rules, names)}."
    if before["call"] == 0:
        return f"All passed: thrown in. {scores}"
    change = scores_text(after["delta"], rules, names, signed=True)
    made = after["delta"][int(before["bidder"]) % rules.sides] > 0  # a made bid always scores, a set one never
    claim = " by a claim" if after["claimed"] else ""
    bid = f"{_call_name(before, codec)} by {names[int(before['bidder'])]}"
    return f"{bid} is {'made' if made else 'set'}{claim}: {change}. {scores}"


def step_text(before: Any, after: Any, action: int, rules: Rules, codec: Codec, names: Sequence[str]) -> list[str]:
    """What an action did, line by line: the call or tile, a trick taken, a hand that ended."""
    name = codec.names[action]
    seat = names[int(before["cur"])]
    if name.startswith("DISCARD"):
        name = "discards"  # face down
    declared = before["decl"] < 0 and codec.bases[1] <= action < codec.bases[1] + len(codec.declarations)
    lines = [f"{seat}: {declaration_text(codec.declarations[action - codec.bases[1]]) if declared else name}"]
    out = [names[k] for k in range(rules.seats) if int(after["sits_out"]) >> k & 1] if declared else []
    if out:
        lines.append(f"  {', '.join(out)}: not in this hand")
    trick = int(before["n_tricks"])
    if (name in TILE_NAMES or "/" in name) and before["pos"] + 1 == before["in_trick"]:
        lines.append(f"  {trick_text(after, trick, names)}")
    if after["hand_over"]:
        lines.append(f"  {result_text(before, after, rules, codec, names)}")
    return lines
