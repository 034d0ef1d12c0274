"""The end of a hand: a table one trick before the end, and that trick played."""

from collections.abc import Sequence

from support.table import Spec, Table
from texas42.envs.rules.rules import resolve_rules
from texas42.envs.rules.tiles import TILE_ENDS, TILE_NAMES, tile_count

TRUMP = "3-3"


def plain_tiles(table: Table) -> list[str]:
    """Tiles of the set that neither count nor hold a three, both copies of each."""
    rules = table.rules
    return [
        TILE_NAMES[i % rules.n_types]
        for i in rules.deck
        if 3 not in TILE_ENDS[i % rules.n_types] and not tile_count(i % rules.n_types, rules.game.count_sums)
    ]


def last_trick(table: Table, winner: int) -> Table:
    """Play a trick without count that seat `winner` leads and wins with the double of trumps."""
    others = iter(plain_tiles(table))
    seats = [s for s in range(table.rules.seats) if not table.state.sits_out >> s & 1]
    hands = ["" for _ in range(table.rules.seats)]
    for seat in seats:
        hands[seat] = TRUMP if seat == winner else next(others)
    order = seats[seats.index(winner) :] + seats[: seats.index(winner)]
    return table.hold(*hands).lead_from(winner).play(" ".join(hands[seat] for seat in order))


def settled(
    rules: Spec,
    bid: str,
    points: Sequence[int],
    tricks: Sequence[int],
    *,
    bidder: int = 0,
    scores: Sequence[int] = (),
    episode: str = "hand",
) -> Table:
    """A hand in threes that has come to its end with these points and tricks of each side.

    All tricks but the last are taken as played; the last, without count, goes to a side that has one.
    """
    resolved = resolve_rules(rules)
    table = Table(resolved, scores=scores, episode=episode).contract(bid, f"PIP{TRUMP[0]}", bidder)
    return finish(table, points, tricks)


def finish(table: Table, points: Sequence[int], tricks: Sequence[int], side: int = -1) -> Table:
    """Play the last trick, or the one that the given totals include; it goes to `side`."""
    if side < 0:
        side = max(i for i, n in enumerate(tricks) if n > 0)
    before_points, before_tricks = list(points), list(tricks)
    before_points[side] -= table.rules.trick_value
    before_tricks[side] -= 1
    table.so_far(before_points, before_tricks)
    return last_trick(table, side)
