"""How often a hand makes its bids: by the solver over worlds, and by hands played out by an agent in all seats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.arena import play_out
from texas42.agents.base import Agent
from texas42.agents.solver import solve_batch
from texas42.agents.solver.solver import open_declarations
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.deal import open_hand
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.declarations import NO_TRUMP
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables

Points = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Odds:
    """Points of the bidder's side for one declaration, one number a deal.

    Attributes:
        declaration: its name.
        solved: with all hands open, int64 (worlds,).
        played: as an agent played the hands, int64 (deals,), empty where none were played.
    """

    declaration: str
    solved: Points
    played: Points


def share(points: Points, need: int) -> tuple[float, float, float]:
    """Share of deals that reach `need`, with the ends of the 95 % interval (Wilson)."""
    n, k = len(points), int((points >= need).sum())
    z, p = 1.959964, k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return p, max(0.0, middle - half), min(1.0, middle + half)


def deals_around(hand: int, deck: Sequence[int], n: int, seed: int) -> npt.NDArray[np.uint64]:
    """`n` deals in which seat 0 holds `hand`, uint64 (n, 4), the rest uniform."""
    rng = np.random.default_rng(seed)
    rest = np.array([i for i in deck if not hand >> i & 1])
    deals = np.empty((n, 4), np.uint64)
    for i in range(n):
        parts = rng.permutation(rest).reshape(3, -1)
        deals[i] = [hand, *(sum(1 << int(tile) for tile in part) for part in parts)]
    return deals


def trump_declarations(rules: Rules) -> list[int]:
    """The trump and no-trump declarations the rules allow."""
    t = compile_tables(rules)[0]
    return [d for d in open_declarations(rules) if int(t.decl_kind[d]) <= NO_TRUMP]


def hand_odds(
    rules: Rules,
    hand: int,
    worlds: int,
    deals: int,
    seed: int,
    agent: Agent | None,
    top: int = 3,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[Odds]:
    """The odds of a hand that bids, declares and leads, the best declarations first.

    Args:
        rules: four-player double-six rules.
        hand: bit set of seven tiles.
        worlds: deals the solver looks at, for every declaration.
        deals: deals that are played out, for the `top` declarations with the most points by the solver.
        seed: of the deals and of the agent.
        agent: plays all four seats; None plays nothing out.
        threads: for the solver.
        progress: told of every hand played out.
    """
    decls = trump_declarations(rules)
    around = deals_around(hand, rules.deck, worlds, seed)
    rows = [(d, solve_batch(rules, around, d, threads=threads)) for d in decls]
    rows.sort(key=lambda row: -float(row[1].mean()))
    names = build_codec(rules).declarations
    to_play = deals_around(hand, rules.deck, deals, seed + 1)
    result = []
    for rank, (d, solved) in enumerate(rows):
        played = np.zeros(0, np.int64)
        if agent is not None and rank < top and deals:
            played = played_out(rules, to_play, names[d].name, agent, seed)
            if progress is not None:
                progress(deals)
        result.append(Odds(names[d].name, solved, played))
    return result


def played_out(rules: Rules, deals: npt.NDArray[np.uint64], declaration: str, agent: Agent, seed: int) -> Points:
    """Points of seats 0 and 2 where seat 0 bids the least, declares and leads, and `agent` plays all seats."""
    game = BatchedGame(rules.replace(early_end="play_all"), len(deals), auto_reset=False)
    game.reset(seed)
    for i, hands in enumerate(deals):
        state: Any = game.states[i]
        state.shaker = 3
        state.hands[:4] = hands
        open_hand(state, game.tables)
    calls = [game.codec.names[int(game.tables.min_call)], "PASS", "PASS", "PASS"]
    if rules.opening_bidder != "left_of_shaker":
        raise ValueError("played-out odds need opening_bidder=left_of_shaker")
    for name in [*calls, declaration]:
        game.step(np.full(game.n, game.codec.parse(name)))
    play_out(game, [agent], np.zeros((game.n, 4), np.int64), seed)
    return game.states["taken"][:, 0].astype(np.int64)
