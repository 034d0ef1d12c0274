"""A record laid out in text as people see a hand at the table."""

from dataclasses import replace

from texas42.envs.records.build import fill
from texas42.envs.records.model import HandRecord
from texas42.envs.records.replay import Replayer, replay_record

_PIPS = ("blanks", "ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines")
_DEEDS = {"TAKE": "takes the widow", "LEAVE": "leaves the widow", "SPLASH": "splashes", "PLUNGE": "plunges"}
_WIDE = 110
_DOUBLES = {
    "high": "doubles high",
    "low": "doubles low",
    "own": "doubles a suit of their own",
    "inv": "doubles a suit of their own, 0-0 highest",
}


def format_hand(record: HandRecord) -> str:
    """The hand as plain text: players with their tiles, auction, declaration, tricks, result.

    All is shown as the deal and the actions give it, whatever the record's other keys say.

    Raises:
        RecordError: the record's actions are illegal.
    """
    replayer, replay = replay_record(record)
    record = fill(replace(record), replayer, replay, legal=False)
    calls = int(replay.states["n_calls"][0])
    play = len(record.actions) - int(replay.states["n_plays"][0]) - int(replay.states["claimed"][0])
    blocks = [
        _heading(record, replayer),
        _seats(record, replayer),
        _auction(record, replayer.rules.seats, calls),
        _after_auction(record, calls, play),
        _tricks(record, replayer, play, int(replay.states["in_trick"][0])),
        _result(record, replayer),
    ]
    return "\n\n".join(block for block in blocks if block)


def side_name(replayer: Replayer, side: int) -> str:
    """A side by its seats: ``seats 0+2``, or ``seat 1`` where everybody plays alone."""
    seats = [str(s) for s in range(replayer.rules.seats) if replayer.rules.side_of(s) == side]
    return f"seat{'s' if len(seats) > 1 else ''} {'+'.join(seats)}"


def _by_side(replayer: Replayer, values: list[int], form: str = "d") -> str:
    return ", ".join(f"{side_name(replayer, side)}: {value:{form}}" for side, value in enumerate(values))


def _heading(record: HandRecord, replayer: Replayer) -> str:
    rules = replayer.rules
    changed = ", ".join(f"{k}={_plain(v)}" for k, v in record.rules.items() if k != "preset")
    unit = "marks" if rules.scoring == "marks" else "points"
    return (
        f"{record.rules['preset']}{f' ({changed})' if changed else ''}, {rules.scoring.replace('_', ' ')} "
        f"to {rules.target}\nScore before the hand, in {unit}: {_by_side(replayer, record.scores)}"
    )


def _plain(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)


def _seats(record: HandRecord, replayer: Replayer) -> str:
    """Four players around the table, otherwise a list; the shaker is marked."""
    names = [f"Seat {s}{' (shaker)' if s == record.shaker else ''}" for s in range(replayer.rules.seats)]
    hands = ["  ".join(_sorted(replayer, tiles)) for tiles in record.hands]
    if len(hands) == 4 and 3 * max(map(len, hands)) + 8 <= _WIDE:
        text = _around(names, hands)
    else:
        width = max(map(len, names))
        text = "\n".join(f"{name:<{width}}  {hand}" for name, hand in zip(names, hands, strict=True))
    return text + (f"\nWidow  {'  '.join(record.widow)}" if record.widow else "")


def _sorted(replayer: Replayer, tiles: list[str]) -> list[str]:
    return sorted(tiles, key=replayer.tiles.__getitem__, reverse=True)


def _around(names: list[str], hands: list[str]) -> str:
    """Seat 0 at the bottom, then clockwise: 1 left, 2 top, 3 right."""
    width = max(map(len, hands)) + 4
    middle = f"{names[1]:<{width}}{'':{width}}{names[3]}\n{hands[1]:<{width}}{'':{width}}{hands[3]}"
    pad = " " * width
    lines = [pad + names[2], pad + hands[2], *middle.split("\n"), pad + names[0], pad + hands[0]]
    return "\n".join(line.rstrip() for line in lines)


def _auction(record: HandRecord, seats: int, calls: int) -> str:
    """The calls, a column for each seat from the first caller on."""
    opener = record.actors[0]
    rows = [[f"Seat {(opener + i) % seats}" for i in range(seats)]]
    last = seats
    for actor, call in zip(record.actors[:calls], record.actions[:calls], strict=True):
        column = (actor - opener) % seats
        if column <= last:
            rows.append([""] * seats)
        rows[-1][column] = "pass" if call == "PASS" else call
        last = column
    return "Auction\n" + _columns(rows)


def _columns(rows: list[list[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(f"  {line.rstrip()}" for line in lines)


def _after_auction(record: HandRecord, calls: int, play: int) -> str:
    """What happened between the auction and the first lead: widow, discards, declaration."""
    if record.contract is None:
        return "All passed: the hand is thrown in."
    lines = [f"Seat {record.contract['bidder']} wins the auction with {record.contract['bid']}."]
    for actor, action in zip(record.actors[calls:play], record.actions[calls:play], strict=True):
        if action.startswith("DISCARD "):
            text = f"discards {action.removeprefix('DISCARD ')}"
        else:
            text = _DEEDS.get(action) or f"declares {action} ({_meaning(action)})"
        lines.append(f"Seat {actor} {text}.")
    return "\n".join(lines)


def _meaning(declaration: str) -> str:
    """A declaration in words."""
    kind, _, treatment = declaration.partition("-")
    if kind.startswith("PIP"):
        return f"{_PIPS[int(kind[3:])]} are trumps"
    if kind in ("NT", "NELLO"):
        doubles, _, low = treatment.partition("-L")
        text = f"{'no trump' if kind == 'NT' else 'to take no trick'}, {_DOUBLES[doubles]}"
        return f"{text}, {_PIPS[int(low)]} low" if low else text
    return {
        "DBL": "doubles are trumps",
        "COUNT": "count tiles are trumps",
        "SEVENS": "closest to seven wins, every trick to be taken",
        "LOPER": "closest to seven wins, one trick may be lost",
    }[kind]


def _tricks(record: HandRecord, replayer: Replayer, play: int, size: int) -> str:
    """A row for each trick of `size` tiles and a column for each seat; the sides' points run along."""
    if record.contract is None:
        return ""
    seats, side_of = range(replayer.rules.seats), replayer.rules.side_of
    sides = [side_name(replayer, side) for side in range(replayer.rules.sides)]
    rows = [["Trick", *(f"Seat {seat}" for seat in seats), "Points", *sides]]
    taken = _before_tricks(record, replayer)
    for n, trick in enumerate(record.tricks):
        first = play + n * size
        plays = slice(first, first + size)
        tiles = dict(zip(record.actors[plays], record.actions[plays], strict=True))
        taken[side_of(trick["winner"])] += trick["points"]
        cells = [_cell(tiles.get(seat), seat, trick) for seat in seats]
        rows.append([str(n + 1), *cells, str(trick["points"]), *map(str, taken)])
    text = "Tricks (> leads, * wins)\n" + _columns(rows) if record.tricks else ""
    if record.actions[-1].startswith("CLAIM"):
        claim = f"Seat {record.actors[-1]} claims: {'  '.join(record.actions[-1].split(' ')[1:])}"
        text = f"{text}\n{claim}" if text else claim
    return text


def _before_tricks(record: HandRecord, replayer: Replayer) -> list[int]:
    """Points of each side before the first trick: in 72 the widow's credit and the discarded count."""
    taken = list(record.points)
    for trick in record.tricks:
        taken[replayer.rules.side_of(trick["winner"])] -= trick["points"]
    return taken


def _cell(tile: str | None, seat: int, trick: dict[str, int]) -> str:
    if tile is None:
        return ""
    lead, win = (">" if seat == trick["leader"] else " "), ("*" if seat == trick["winner"] else "")
    return f"{lead}{tile}{win}"


def _result(record: HandRecord, replayer: Replayer) -> str:
    if record.contract is None:
        return ""
    verdict, contract = ("Made" if record.made else "Set"), record.contract
    after = [score + change for score, change in zip(record.scores, record.score_delta, strict=True)]
    return (
        f"{verdict}: {contract['bid']}, {contract['declaration']} by seat {contract['declarer']}\n"
        f"Points taken, of {replayer.rules.total}: {_by_side(replayer, record.points)}\n"
        f"Score change: {_by_side(replayer, record.score_delta, '+d')}\n"
        f"Score after the hand: {_by_side(replayer, after)}"
    )
