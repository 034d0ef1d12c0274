"""What a network is given beside the observation: how tiles rank under the declaration, worked out by table look-up.

All of it follows from the observation and the rules, so nothing new is told; it spares the network from learning by
heart which tile beats which under every declaration. `tile_features` describe a tile of the hand by what it does and
not by its name, so that what is learnt of one trump serves for all.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from texas42.agents.shape import Shape
from texas42.envs.rules.declarations import N_SUITS, NELLO
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import TILE_ENDS, tile_count

MANY = 4
"""Tiles that beat another are counted up to this number."""
MARKS = 4
"""Numbers that tell what is printed on a tile."""


class Ranks(nn.Module):
    """Tables over declarations: trumps, which tile beats which if it is led, strength of a tile in a led suit; and for
    each tile led, which tiles beat it and which follow; who sits out, by who declared.

    Row 0 of each stands for "not declared yet" and is zero. They follow from the rules being played, so they are no
    part of a checkpoint.
    """

    trump: Tensor
    beaten: Tensor
    power: Tensor
    led: Tensor
    marks: Tensor
    count: Tensor
    sits_out: Tensor

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
        for name, table in (
            ("trump", trump),
            ("beaten", beaten.transpose(2, 0, 1).reshape(tiles, -1).copy()),
            ("power", power.reshape(-1, tiles)),
            ("led", led.reshape(-1, 2 * tiles)),
            ("marks", marks),
            ("count", marks[:, 0].copy()),
            ("sits_out", _sits_out(shape, t.decl_kind[: rows - 1])),
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


class Position:
    """A batch of observations read with the tables.

    Attributes:
        hand, live: (n, tiles) my tiles; tiles that some other seat may hold.
        trump: (n, tiles) the trumps.
        wins_now: (n, tiles) tiles that would win the current trick as it stands; all zero before a lead.
        keeps: (n, tiles) those of them that no opponent still to play can hold a better tile against.
        stands: (n, 1) whether no opponent still to play can beat what is winning.
    """

    def __init__(self, ranks: Ranks, observations: Tensor) -> None:
        shape = ranks.shape
        self.ranks, self.shape = ranks, shape
        self.declared = _index(_piece(shape, observations, "declaration"))
        self.hand = _held(shape, _piece(shape, observations, "hand"))
        may_hold = _piece(shape, observations, "may_hold").view(-1, shape.others, shape.tiles)
        self.may_hold = may_hold
        self.live = may_hold.amax(dim=1)
        self.trump = ranks.trump[self.declared]
        suit = _index(_piece(shape, observations, "lead_suit"))
        power = ranks.power[self.declared * (N_SUITS + 1) + suit]
        table = _piece(shape, observations, "table").view(-1, shape.others + 1, shape.tiles)
        winning = _piece(shape, observations, "winning")
        best = (power[:, None] * table * winning[:, :, None]).sum(dim=(1, 2))[:, None]
        led = (suit > 0).to(power.dtype)[:, None]
        self.wins_now = (power + ranks.ties_last > best).to(power.dtype) * led
        opponent = torch.arange(1, shape.others + 1, device=power.device) % shape.sides != 0
        out = (_piece(shape, observations, "bidder")[:, :, None] * ranks.sits_out[self.declared]).sum(dim=1)
        waiting = (1 - table[:, 1:].amax(dim=2)) * (1 - out[:, 1:]) * opponent
        threat = (power * (may_hold * waiting[:, :, None]).amax(dim=1)).amax(dim=1, keepdim=True)
        threat = threat + ranks.ties_last * (threat > 0)
        self.keeps = self.wins_now * (power >= threat)
        self.stands = led * (best >= threat)

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

    What is printed on it; whether it is a trump, wins the trick as it stands, keeps it; if it is led: how many
    tiles each other seat may hold that beat it, that follow, whether none can follow; the same of my own tiles;
    the count among those that follow.
    """
    shape, ranks = at.shape, at.ranks
    rows = at.declared.unsqueeze(1) * shape.tiles + tiles
    led = ranks.led[rows].view(len(tiles), -1, shape.tiles)
    holders = torch.cat([at.may_hold, at.hand[:, None], (at.live * ranks.count)[:, None]], dim=1)
    numbers = torch.bmm(led, holders.transpose(1, 2)).view(len(tiles), -1, 2, shape.others + 2)
    beat, follow = numbers[:, :, 0], numbers[:, :, 1]
    own = torch.stack([plane.gather(1, tiles) for plane in (at.trump, at.wins_now, at.keeps)], dim=2)
    cannot = (follow[:, :, : shape.others] == 0).to(beat.dtype)
    parts = [ranks.marks[tiles], own, beat[:, :, : shape.others + 1] / MANY, follow[:, :, : shape.others + 1] / MANY]
    return torch.cat([*parts, cannot, follow[:, :, shape.others + 1 :]], dim=2)


def tile_inputs(shape: Shape) -> int:
    """Number of the features of a tile."""
    return MARKS + 3 + 2 * (shape.others + 1) + shape.others + 1


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
