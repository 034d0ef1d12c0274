"""Measured cost of the solver on random deals, per CPU second of one core (docs/SOLVER.md)."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.solver import batch
from texas42.agents.solver.load import load_hands
from texas42.agents.solver.root import N_MOVES, decide
from texas42.agents.solver.workspace import ALL_FEATURES, Work, new_work
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables

Floats = npt.NDArray[np.float64]
N_DECLARATIONS = 9  # PIP0 .. PIP6, DBL, NT-high: what n42pa allows


def random_deals(n: int, tiles: int, seed: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """`n` random deals of `tiles` of the 28 tiles, uint64 (n, 4), and a random declaration for each, (n,)."""
    rng = np.random.default_rng(seed)
    masks = np.zeros((n, 4), np.uint64)
    for i in range(n):
        order = rng.permutation(28)[:tiles].reshape(4, -1)
        masks[i] = [sum(1 << int(tile) for tile in hand) for hand in order]
    return masks, rng.integers(0, N_DECLARATIONS, n)


class Bench:
    """One worker's measurements on one set of deals, seat 0 on lead and bidding."""

    def __init__(self, deals: int, seed: int, tiles: int = 28, features: int = ALL_FEATURES) -> None:
        self.hands, self.decls = random_deals(deals, tiles, seed)
        self.t = compile_tables(Rules.preset("n42pa"))[0]
        self.w: Work = new_work(features)

    def exact(self, i: int) -> int:
        """Exact points."""
        load_hands(self.w, self.t, self.hands[i], self.decls[i], 0, 0, True)
        return int(decide(self.w, -1))

    def at_least_30(self, i: int) -> int:
        """Whether the bidders reach 30."""
        load_hands(self.w, self.t, self.hands[i], self.decls[i], 0, 0, True)
        return int(decide(self.w, 30))

    def moves(self, i: int) -> int:
        """Exact values of all legal leads."""
        load_hands(self.w, self.t, self.hands[i], self.decls[i], 0, 0, True)
        return int(batch.solve_moves(self.w, -1, np.empty(N_MOVES, np.int64)))

    def table(self, i: int) -> int:
        """Exact points of nine declarations by four leaders."""
        out = np.empty((N_DECLARATIONS, 4), np.int64)
        batch.solve_table(self.w, self.t, self.hands[i], np.arange(N_DECLARATIONS), out)
        return int(out.sum())

    def times(self, question: Callable[[int], int]) -> tuple[Floats, float, int]:
        """CPU seconds of each deal (n,), mean nodes, and the sum of the answers; the first deal is solved twice."""
        question(0)
        self.w.nodes = 0
        seconds = np.empty(len(self.hands))
        answers = 0
        for i in range(len(self.hands)):
            start = time.process_time_ns()
            answers += question(i)
            seconds[i] = (time.process_time_ns() - start) * 1e-9
        return seconds, float(self.w.nodes) / len(seconds), answers


def row(name: str, seconds: Floats, nodes: float, answers: int) -> dict[str, Any]:
    """One line of figures: milliseconds of CPU a deal, nodes (positions between tricks) a deal."""
    ms = seconds * 1e3
    return {
        "bench": "solver",
        "question": name,
        "rules": "n42pa",
        "threads": 1,
        "deals": len(ms),
        "solves_per_cpu_s": round(float(len(ms) / seconds.sum()), 1),
        "mean_ms": round(float(ms.mean()), 4),
        "median_ms": round(float(np.median(ms)), 4),
        "p99_ms": round(float(np.quantile(ms, 0.99)), 3),
        "max_ms": round(float(ms.max()), 3),
        "nodes": round(nodes, 1),
        "checksum": answers,
    }


def measure_solver(deals: int = 1000, seed: int = 0) -> list[dict[str, Any]]:
    """The solver's figures on random deals with a random declaration.

    Args:
        deals: deals for the exact value, the zero-window question and 24 tiles; a tenth of it for the tables.
        seed: of the deals.

    Returns:
        One row for each question, with the CPU time of a deal in milliseconds and nodes a deal.
    """
    whole, few, late = Bench(deals, seed), Bench(max(1, deals // 10), seed), Bench(deals, seed, tiles=24)
    return [
        row("exact points, 28 tiles", *whole.times(whole.exact)),
        row("30 or more, 28 tiles", *whole.times(whole.at_least_30)),
        row("all leads exact, 28 tiles", *few.times(few.moves)),
        row("9 declarations x 4 leaders", *few.times(few.table)),
        row("exact points, 24 tiles", *late.times(late.exact)),
    ]
