"""What a network is given beside the observation: how tiles rank under the declaration, worked out by table look-up.

All of it follows from the observation and the rules, so nothing new is told; it spares the network from learning by
heart which tile beats which under every declaration.
"""

import numpy as np
import torch
from torch import Tensor, nn

from texas42.agents.shape import Shape
from texas42.envs.rules.declarations import N_SUITS
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables

MANY = 4
"""Tiles that beat another are counted up to this number."""


class Ranks(nn.Module):
    """Tables over declarations: trumps, which tile beats which if it is led, strength of a tile in a led suit.

    Row 0 of each stands for "not declared yet" and is zero. They follow from the rules being played, so they are no
    part of a checkpoint.
    """

    trump: Tensor
    beaten: Tensor
    power: Tensor

    def __init__(self, shape: Shape, rules: Rules) -> None:
        super().__init__()
        t = compile_tables(rules)[0]
        tiles, rows = shape.tiles, shape.piece("declaration")[1] + 1
        power = np.zeros((rows, N_SUITS + 1, tiles), np.float32)
        power[1:, 1:] = t.power[: rows - 1, :, :tiles]
        beaten = np.zeros((rows, tiles, tiles), np.float32)
        trump = np.zeros((rows, tiles), np.float32)
        for d in range(rows - 1):
            strength = t.power[d][t.lead_suit[d, :tiles], :tiles].astype(int)  # row i: tile i is led
            beaten[d + 1] = strength > strength.diagonal()[:, None]
            trump[d + 1] = [(int(t.trumps[d]) >> i) & 1 for i in range(tiles)]
        self.shape = shape
        for name, table in (
            ("trump", trump),
            ("beaten", beaten.transpose(2, 0, 1).reshape(tiles, -1).copy()),
            ("power", power.reshape(-1, tiles)),
        ):
            self.register_buffer(name, torch.from_numpy(table), persistent=False)


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
        best = (table * winning[:, :, None]).sum(dim=1)
        led = (suit > 0).to(power.dtype)[:, None]
        self.wins_now = (power > (power * best).sum(dim=1, keepdim=True)).to(power.dtype) * led

    def beaters(self, against: Tensor) -> Tensor:
        """How many tiles of `against` (n, tiles) beat each tile if it is led: (n, tiles), in 1/MANY."""
        tiles = self.shape.tiles
        counts = (against @ self.ranks.beaten).view(len(against), -1, tiles)  # under every declaration: one product
        rows = torch.arange(len(against), device=against.device)
        return counts[rows, self.declared].clamp_max(MANY) / MANY


def actor_features(ranks: Ranks, observations: Tensor) -> Tensor:
    """What a seat may work out, (n, actor_width(shape)), from float observations."""
    at = Position(ranks, observations)
    declared = (at.declared > 0).to(observations.dtype)[:, None]
    beaters = at.beaters(at.live)
    sure = at.hand * (beaters == 0) * declared
    void = 1 - (at.may_hold * at.trump[:, None]).amax(dim=2)
    planes = [at.trump, at.hand * at.trump, at.live * at.trump, at.hand * beaters, sure]
    planes += [at.hand * at.wins_now, at.live * at.wins_now, void * declared]
    return torch.cat(planes, dim=1)


def actor_width(shape: Shape) -> int:
    """Number of the actor's features."""
    return 7 * shape.tiles + shape.others


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
