"""What a network is given beside the observation: how tiles rank under the declaration, worked out by table look-up.

All of it follows from the observation and the rules, so nothing new is told; it spares the network from learning by
heart which tile beats which under every declaration. `tile_features` describe a tile of the hand by what it does and
not by its name, so that what is learnt of one trump serves for all.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from texas42.agents.shape import Shape
from texas42.envs.rules.declarations import N_SUITS, NELLO
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import TILE_ENDS, tile_count

MANY = 4
"""Tiles that beat another are counted up to this number."""
MARKS = 4
"""Numbers that tell what is printed on a tile."""
CERTAIN = 0.98
"""Chances that are multiplied stay below this."""
STEPS = (0, 5, 10)
"""Points that a side may still lack after this trick."""
RANKS = 8
"""Trumps are told apart by rank, the last of these and all below it together."""
LOSERS = 4
"""Tiles that are no trumps are told apart by how many tiles of their suit beat them, this many and more together."""


class Ranks(nn.Module):
    """Tables over declarations: trumps, which tile beats which if it is led, strength of a tile in a led suit; and for
    each tile led, which tiles beat it and which follow; who sits out, by who declared. Row 0 of each stands for "not
    declared yet" and is zero. Which of the other seats are opponents and partners.

    And for the declarations that the rules allow (`named`): trumps, trumps by rank, which tile beats which within a
    suit. All follow from the rules being played, so they are no part of a checkpoint.
    """

    trump: Tensor
    beaten: Tensor
    power: Tensor
    led: Tensor
    marks: Tensor
    count: Tensor
    sits_out: Tensor
    opponents: Tensor
    partners: Tensor
    named: Tensor
    named_trump: Tensor
    named_ranks: Tensor
    named_beaten: Tensor

    def __init__(self, shape: Shape, rules: Rules) -> None:
        super().__init__()
        t = compile_tables(rules)[0]
        tiles, rows = shape.tiles, shape.piece("declaration")[1] + 1
        power = np.zeros((rows, N_SUITS + 1, tiles), np.float32)
        power[1:, 1:] = t.power[: rows - 1, :, :tiles]
        beaten = np.zeros((rows, tiles, tiles), np.float32)
        trump = np.zeros((rows, tiles), np.float32)
        led = np.zeros((rows, tiles, 2, tiles), np.float32)  # tiles that beat, and that follow
        bits = np.arange(tiles, dtype=np.uint64)
        for d in range(rows - 1):
            strength = t.power[d][t.lead_suit[d, :tiles], :tiles].astype(int)  # row i: tile i is led
            beaten[d + 1] = strength + int(t.ties_last) > strength.diagonal()[:, None]
            trump[d + 1] = [(int(t.trumps[d]) >> i) & 1 for i in range(tiles)]
            led[d + 1, :, 0] = beaten[d + 1]
            led[d + 1, :, 1] = (t.follow[d][t.lead_suit[d, :tiles]][:, None] >> bits) & np.uint64(1)
        self.shape, self.ties_last, marks = shape, int(t.ties_last), _marks(rules)
        allowed = int(np.bitwise_or.reduce(np.concatenate([t.decls, t.last_decls])))
        named = np.array([d for d in range(rows - 1) if allowed >> d & 1], np.int64)
        trumps, beats = trump[named + 1], beaten[named + 1]  # row i: tile i is led
        within = beats * (1 - trumps)[:, :, None] * (1 - trumps)[:, None]
        rank = beats.sum(axis=2).clip(max=RANKS - 1)
        ranks = np.stack([trumps * (rank == k) for k in range(RANKS)], axis=1)
        for name, table in (
            ("trump", trump),
            ("beaten", beaten.transpose(2, 0, 1).reshape(tiles, -1).copy()),
            ("power", power.reshape(-1, tiles)),
            ("led", led.reshape(-1, 2 * tiles)),
            ("marks", marks),
            ("count", marks[:, 0].copy()),
            ("sits_out", _sits_out(shape, t.decl_kind[: rows - 1])),
            ("opponents", np.flatnonzero(np.arange(1, shape.others + 1) % shape.sides != 0)),
            ("partners", np.flatnonzero(np.arange(1, shape.others + 1) % shape.sides == 0)),
            ("named", named),
            ("named_trump", trumps.T.copy()),
            ("named_ranks", ranks.reshape(-1, tiles).T.copy()),
            ("named_beaten", within.transpose(2, 1, 0).reshape(tiles, -1)),
        ):
            self.register_buffer(name, torch.from_numpy(table), persistent=False)


def _marks(rules: Rules) -> npt.NDArray[np.float32]:
    """What is printed on a tile, (tiles, `MARKS`): count, both ends, whether it is a double."""
    most = TILE_ENDS[rules.n_types - 1][0]
    counts = [tile_count(tile, rules.game.count_sums) / 10 for tile in range(rules.n_types)]
    ends = TILE_ENDS[: rules.n_types]
    return np.array([[c, a / most, b / most, a == b] for c, (a, b) in zip(counts, ends, strict=True)], np.float32)


def _sits_out(shape: Shape, kinds: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Whether a seat sits out, by declaration (row 0: none yet) and bidder, (1 + declarations, bidder, seats)."""
    seats = np.arange(shape.others + 1)
    apart = seats[:, None] - seats
    partner = (apart % shape.sides == 0) & (apart != 0)
    return np.asarray(np.r_[False, kinds == NELLO][:, None, None] & partner, np.float32)


def _piece(shape: Shape, observations: Tensor, name: str) -> Tensor:
    start, size = shape.piece(name)
    return observations[:, start : start + size]


def _held(shape: Shape, rows: Tensor) -> Tensor:
    """0/1 by tile (n, tiles) of hands with a row for each copy."""
    return rows.view(len(rows), shape.copies, shape.tiles).amax(dim=1)


def _index(one_hot: Tensor) -> Tensor:
    """1 + the index of the 1 in each row, 0 where there is none."""
    numbers = torch.arange(1, one_hot.shape[1] + 1, dtype=one_hot.dtype, device=one_hot.device)
    return (one_hot @ numbers).long()


def _chances(may_hold: Tensor, sizes: Tensor) -> Tensor:
    """Chances (n, others, tiles) that a seat with `sizes` (n, others) tiles holds a tile: spread over the seats that
    may, and balanced once."""
    chances = _spread(may_hold * sizes[:, :, None])
    balance = sizes / chances.sum(dim=2).clamp_min(1e-6)
    return _spread(chances * balance[:, :, None])


def _spread(weights: Tensor) -> Tensor:
    """Weights (n, others, tiles) that sum to 1 for every tile that has any."""
    return weights / weights.sum(dim=1, keepdim=True).clamp_min(1e-6)


class Position:
    """A batch of observations read with the tables.

    Attributes:
        hand, live: (n, tiles) my tiles; tiles that some other seat may hold.
        may_hold: (n, others, tiles) the tiles that each other seat may hold.
        held_by: (n, others, tiles) roughly the chance that it does.
        waiting: (n, others) seats still to play to the trick.
        trump: (n, tiles) the trumps.
        power: (n, tiles) strength in the led suit; zero before a lead, and for tiles that cannot win.
        best: (n, 1) the strength of what is winning.
        ours: (n, 1) whether it is my side's.
        wins_now: (n, tiles) tiles that would win the current trick as it stands; all zero before a lead.
        keeps: (n, tiles) those of them that no opponent still to play can hold a better tile against.
        stands: (n, 1) whether no opponent still to play can beat what is winning.
        led: (n, 1) whether a tile has been led.
        on_table: (n, 1) points of the trick so far.
        lacks: (n, 2) points that my side, and the other, still lack to make or set the contract.
    """

    def __init__(self, ranks: Ranks, observations: Tensor) -> None:
        shape = ranks.shape
        self.ranks, self.shape = ranks, shape
        self.declared = _index(_piece(shape, observations, "declaration"))
        rows = _piece(shape, observations, "hand")
        self.hand = _held(shape, rows)
        self.may_hold = _piece(shape, observations, "may_hold").view(-1, shape.others, shape.tiles)
        self.live = self.may_hold.amax(dim=1)
        self.trump = ranks.trump[self.declared]
        suit = _index(_piece(shape, observations, "lead_suit"))
        self.power = ranks.power[self.declared * (N_SUITS + 1) + suit]
        table = _piece(shape, observations, "table").view(-1, shape.others + 1, shape.tiles)
        winning = _piece(shape, observations, "winning")
        self.best = (self.power[:, None] * table * winning[:, :, None]).sum(dim=(1, 2))[:, None]
        self.ours = winning[:, :: shape.sides].sum(dim=1, keepdim=True)
        self.led = (suit > 0).to(self.power.dtype)[:, None]
        self.wins_now = (self.power + ranks.ties_last > self.best).to(self.power.dtype) * self.led
        bidder = _piece(shape, observations, "bidder")
        out = (bidder[:, :, None] * ranks.sits_out[self.declared]).sum(dim=1)[:, 1:]
        has_played = table[:, 1:].amax(dim=2)
        self.waiting = (1 - has_played) * (1 - out)
        against = (self.may_hold * self.waiting[:, :, None])[:, ranks.opponents].amax(dim=1)
        threat = (self.power * against).amax(dim=1, keepdim=True)
        threat = threat + ranks.ties_last * (threat > 0)
        self.keeps = self.wins_now * (self.power >= threat)
        self.stands = self.led * (self.best >= threat)
        self.held_by = _chances(self.may_hold, rows.sum(dim=1, keepdim=True) - has_played) * (1 - out)[:, :, None]
        self.on_table = 10 * (table.sum(dim=1) @ ranks.count)[:, None] + 1
        needs = torch.stack([_piece(shape, observations, name).sum(dim=1) for name in ("to_make", "to_set")], dim=1)
        called = bidder[:, :: shape.sides].sum(dim=1, keepdim=True)
        self.lacks = called * needs + (1 - called) * needs.flip(1)

    def beaters(self, against: Tensor) -> Tensor:
        """How many tiles of `against` (n, tiles) beat each tile if it is led: (n, tiles), in 1/MANY."""
        tiles = self.shape.tiles
        counts = (against @ self.ranks.beaten).view(len(against), -1, tiles)  # under every declaration: one product
        rows = torch.arange(len(against), device=against.device)
        return counts[rows, self.declared].clamp_max(MANY) / MANY


def actor_features(at: Position) -> Tensor:
    """What a seat may work out, (n, actor_width(shape))."""
    declared = (at.declared > 0).to(at.hand.dtype)[:, None]
    beaters = at.beaters(at.live)
    sure = at.hand * (beaters == 0) * declared
    void = 1 - (at.may_hold * at.trump[:, None]).amax(dim=2)
    planes = [at.trump, at.hand * at.trump, at.live * at.trump, at.hand * beaters, sure]
    planes += [at.hand * at.wins_now, at.live * at.wins_now, at.hand * at.keeps, at.stands, void * declared]
    return torch.cat(planes, dim=1)


def actor_width(shape: Shape) -> int:
    """Number of the actor's features."""
    return 8 * shape.tiles + 1 + shape.others


def slots(at: Position) -> tuple[Tensor, Tensor]:
    """The tiles of the hand in descending order, padded: their types and whether there is one, (n, slots)."""
    tiles = at.shape.tiles
    order = at.hand * torch.arange(1, tiles + 1, dtype=at.hand.dtype, device=at.hand.device)
    found, index = order.topk(at.shape.slots, dim=1)
    return index, (found > 0).to(at.hand.dtype)


def tile_features(at: Position, tiles: Tensor) -> Tensor:
    """What each tile of the hand does, (n, slots, tile_inputs(shape)), for types (n, slots).

    What is printed on it; whether it is a trump, wins the trick as it stands, keeps it; what comes of it if it is led,
    if it is played to the trick on the table, and what the trick would then be worth to both sides.
    """
    own = torch.stack([plane.gather(1, tiles) for plane in (at.trump, at.wins_now, at.keeps)], dim=2)
    return torch.cat([at.ranks.marks[tiles], own, _if_led(at, tiles), _if_played(at, tiles)], dim=2)


def _if_led(at: Position, tiles: Tensor) -> Tensor:
    """What comes of each tile if it is led, (n, slots, k).

    How many tiles each other seat, and I myself, may hold that beat it and that follow; whether a seat cannot follow;
    the count among those that follow. By the chances of seats: how many of their tiles beat it and follow, the count
    that follows; the chance that they cannot beat it, cannot follow, follow without beating it; the chance that no
    opponent beats it, that nobody does, that no opponent follows.
    """
    shape, ranks, others = at.shape, at.ranks, at.shape.others
    rows = at.declared.unsqueeze(1) * shape.tiles + tiles
    led = ranks.led[rows].view(len(tiles), -1, shape.tiles)
    planes = [at.may_hold, at.hand[:, None], (at.live * ranks.count)[:, None]]
    planes += [at.held_by, at.held_by * ranks.count, torch.log(1 - at.held_by.clamp_max(CERTAIN))]
    numbers = torch.bmm(led, torch.cat(planes, dim=1).transpose(1, 2)).view(len(tiles), tiles.shape[1], 2, -1)
    sizes = [others + 1, 1, others, others, others]
    beat, _, likely, _, no_beat = torch.split(numbers[:, :, 0], sizes, dim=2)
    follow, count, following, counts, no_follow = torch.split(numbers[:, :, 1], sizes, dim=2)
    cannot = (follow[:, :, :others] == 0).to(beat.dtype)
    sides = [no_beat[:, :, ranks.opponents], no_beat, no_follow[:, :, ranks.opponents]]
    unbeaten, void = torch.exp(no_beat), torch.exp(no_follow)
    parts = [beat / MANY, follow / MANY, cannot, count, likely, following, counts, unbeaten, void]
    parts += [unbeaten * (1 - void), *(torch.exp(side.sum(dim=2, keepdim=True)) for side in sides)]
    return torch.cat(parts, dim=2)


def _if_played(at: Position, tiles: Tensor) -> Tensor:
    """What the trick on the table comes to with each tile, (n, slots, k).

    Whether my side, and the other, would lack no more than each of `STEPS` with its points, and what they would lack.
    Once a tile is led: how many tiles of each seat still to play beat what wins then, and the chance of one; whether
    my side is ahead then; the chance that it has the trick in the end, that it so makes or sets the contract, and in
    points; the last two for the other side.
    """
    ties = at.ranks.ties_last
    points = at.on_table + 10 * at.ranks.count[tiles]
    lacks = at.lacks[:, :, None] - points[:, None]
    far = [(lacks <= step).to(points.dtype) for step in STEPS]
    own = at.power.gather(1, tiles)
    best = torch.maximum(own, at.best)
    over = (at.power[:, None] + ties > best[:, :, None]).to(points.dtype)
    waiting = (at.held_by * at.waiting[:, :, None]).transpose(1, 2)
    likely = torch.bmm(over, waiting)
    chance = 1 - torch.exp(torch.bmm(over, torch.log(1 - waiting.clamp_max(CERTAIN))))
    holds, helped = ((1 - chance[:, :, seats]).prod(dim=2) for seats in (at.ranks.opponents, at.ranks.partners))
    ahead = torch.where(own + ties > at.best, torch.ones_like(own), at.ours) * at.led
    ours = ahead * holds + (at.led - ahead) * (1 - helped)
    theirs = at.led - ours
    ends = [ours, ours * far[0][:, 0], ours * points / 10, theirs * far[0][:, 1], theirs * points / 10]
    seats = torch.cat([likely, chance], dim=2) * at.led[:, :, None]
    short = torch.cat([*far, (lacks / 10).clamp(-1, 2)], dim=1).transpose(1, 2)
    return torch.cat([short, seats, torch.stack([ahead, *ends], dim=2)], dim=2)


def tile_inputs(shape: Shape) -> int:
    """Number of the features of a tile."""
    led = 2 * (shape.others + 1) + shape.others + 1 + 6 * shape.others + 3
    played = 2 * len(STEPS) + 2 + 2 * shape.others + 6
    return MARKS + 3 + led + played


def call_features(at: Position, rows: Tensor, tiles: Tensor, there: Tensor) -> Tensor:
    """What the hands of some rows would be under each declaration that the rules allow, (rows, named,
    call_inputs(shape)); `tiles` and `there` are the rows' `slots`.

    Which trumps it holds, by rank; how many others, by the number of tiles of their suit that beat them, and how many
    doubles among them; the count in trumps, in other doubles, in the rest, and in what of it no tile and at most two
    beat; how many trumps others may hold; which declaration it is.
    """
    shape, ranks, live = at.shape, at.ranks, at.live[rows]
    named = len(ranks.named)
    mine = (at.hand[rows] @ ranks.named_ranks).view(-1, named, RANKS)
    beaten = (live @ ranks.named_beaten).view(-1, shape.tiles, named)
    beaten = beaten.gather(1, tiles[:, :, None].expand(-1, -1, named))
    trump = ranks.named_trump[tiles] * there[:, :, None]
    other = there[:, :, None] - trump
    marks = ranks.marks[tiles]
    count, double = marks[:, :, :1], marks[:, :, 3:]
    doubles, rest = other * double, other * (1 - double)
    numbers = [*(rest * (beaten == k) for k in range(LOSERS)), rest * (beaten >= LOSERS), doubles]
    counts = [trump, doubles, rest, rest * (beaten == 0), rest * (beaten <= 2)]
    sums = torch.stack([*numbers, *(part * count for part in counts)], dim=3).sum(dim=1)
    out = (live @ ranks.named_trump)[:, :, None] / RANKS
    which = functional.one_hot(ranks.named, shape.piece("declaration")[1]).to(out.dtype).expand(len(rows), -1, -1)
    return torch.cat([mine, sums / 2, out, which], dim=2)


def call_inputs(shape: Shape) -> int:
    """Number of the features of a declaration."""
    return RANKS + LOSERS + 7 + 1 + shape.piece("declaration")[1]


def critic_features(ranks: Ranks, observations: Tensor, hidden: Tensor) -> Tensor:
    """What one who sees all hands may work out, (n, critic_width(shape))."""
    at, shape = Position(ranks, observations), ranks.shape
    size = shape.copies * shape.tiles
    others = [_held(shape, hidden[:, k * size : (k + 1) * size]) for k in range(shape.others)]
    hands = torch.stack([at.hand, *others], dim=1)
    mine = hands[:, :: shape.sides].amax(dim=1)
    theirs = torch.stack([hands[:, k] for k in range(shape.others + 1) if k % shape.sides], dim=1).amax(dim=1)
    declared = (at.declared > 0).to(observations.dtype)[:, None]
    mine_beaten, theirs_beaten = at.beaters(theirs), at.beaters(mine)
    planes = [at.trump, mine * mine_beaten, theirs * theirs_beaten]
    planes += [mine * (mine_beaten == 0) * declared, theirs * (theirs_beaten == 0) * declared]
    planes += [(hands * at.trump[:, None]).flatten(1), (hands * at.wins_now[:, None]).flatten(1)]
    return torch.cat(planes, dim=1)


def critic_width(shape: Shape) -> int:
    """Number of the critic's features."""
    return (5 + 2 * (shape.others + 1)) * shape.tiles
