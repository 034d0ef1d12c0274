"""The solver's interface: one position, all declarations of a deal, or many deals on threads."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.solver import batch
from texas42.agents.solver.load import load_hands, load_state
from texas42.agents.solver.position import (
    Hand,
    SolverError,
    action_name,
    declaration_id,
    hand_masks,
    seat_number,
    state_record,
)
from texas42.agents.solver.root import N_MOVES
from texas42.agents.solver.workspace import N_LOCAL, Work, new_work
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.declarations import COUNT_TRUMP, DOUBLE_TRUMP, NELLO, NO_TRUMP, PIP_TRUMP
from texas42.envs.rules.rules import Rules, resolve_rules
from texas42.envs.rules.tables import Tables, compile_tables

RulesLike = Rules | str | Mapping[str, object]
MAX_NODES = 50_000_000
EXACT, MADE = "points", "made"
_local = threading.local()


@dataclass(frozen=True)
class Solution:
    """What perfect play of all sides, all hands open, comes to.

    Attributes:
        goal: ``points`` or ``made``.
        value: the points of the bidder's side at the end of the hand, or 1 if the contract is made, else 0.
        seat: who is to move.
        moves: the same for each legal move of that seat, by its name in the record notation.
        line: one line of best play to the end, as (seat, move); empty in Sevens and Loper.
        nodes: positions between tricks that were looked at.
    """

    goal: str
    value: int
    seat: int
    moves: dict[str, int]
    line: tuple[tuple[int, str], ...]
    nodes: int


def work_of_thread() -> Work:
    """This thread's working memory."""
    if not hasattr(_local, "work"):
        _local.work = new_work()
    return _local.work


def solve(
    rules: RulesLike,
    position: Any,
    declaration: str | int | None = None,
    leader: int = 0,
    *,
    bidder: int | None = None,
    goal: str | None = None,
    need: int | None = None,
    max_nodes: int = MAX_NODES,
) -> Solution:
    """Solve one position with all hands open.

    Args:
        rules: a `Rules`, a preset name, a YAML path or a mapping.
        position: a state of the engine in the phase PLAY, in the middle of a trick too; or the hands of all seats,
            equally long, each a list of tile names, a string of names, or a bit set.
        declaration: with hands: what was declared, such as ``PIP5``, ``NT-high``, ``NELLO-own``.
        leader: with hands: who leads.
        bidder: with hands: whose side's contract it is; by default the leader.
        goal: ``points`` (exact points of the bidder's side) or ``made``. By default that of the contract: points
            for a points bid, else made.
        need: with ``made`` and hands: points to be reached; by default all of them, a sweep.
        max_nodes: give up beyond.

    Raises:
        SolverError: a bad position, a question the contract does not have, or too large a position.
        RulesError: bad rules.
    """
    resolved = resolve_rules(rules)
    t = compile_tables(resolved)[0]
    w = work_of_thread()
    w.nodes, w.limit = 0, max_nodes
    if declaration is None:
        state = state_record(position)
        return _solve_state(w, t, resolved, state, goal)
    decl = declaration_id(resolved, declaration)
    masks = hand_masks(resolved, position)
    leader = seat_number(resolved, "leader", leader)
    bidder = leader if bidder is None else seat_number(resolved, "bidder", bidder)
    kind = int(t.decl_kind[decl])
    goal = _checked_goal(kind, goal or (EXACT if need is None and _has_points(kind) else MADE), need)
    if not _is_trick_play(kind):
        return Solution(goal, int(batch.solve_closeness(w, t, masks, decl, leader, bidder)), leader, {}, (), 0)
    if kind == NELLO and leader % resolved.sides == bidder % resolved.sides and leader != bidder:
        raise SolverError(f"leader={leader} sits out in the nello of bidder={bidder}")
    load_hands(w, t, masks, decl, leader, bidder, int(masks[0]).bit_count() == resolved.setup.hand)
    return _solution(w, t, resolved, goal, _need(w, kind, goal, need))


def _solve_state(w: Work, t: Tables, rules: Rules, state: Any, goal: str | None) -> Solution:
    kind = int(t.decl_kind[state.decl])
    by_points = int(state.marks) == 0 and _has_points(kind)
    goal = _checked_goal(kind, goal or (EXACT if by_points else MADE), None)
    if not _is_trick_play(kind):
        return Solution(goal, int(batch.solve_closeness_state(w, t, state)), int(state.cur), {}, (), 0)
    load_state(w, t, state)
    if goal == EXACT:
        return _solution(w, t, rules, goal, -1)
    lost_one = int(state.won[state.bidder % rules.sides]) < int(state.n_tricks)
    if kind == NELLO:
        lost_one = int(state.won[state.bidder % rules.sides]) > 0
    need = int(t.call_need[state.call]) if int(state.marks) == 0 else int(w.banked + w.left[0])
    return _solution(w, t, rules, goal, need if int(state.marks) == 0 or not lost_one else 10_000)


def _is_trick_play(kind: int) -> bool:
    return kind in (PIP_TRUMP, DOUBLE_TRUMP, NO_TRUMP, COUNT_TRUMP, NELLO)


def _has_points(kind: int) -> bool:
    return kind in (PIP_TRUMP, DOUBLE_TRUMP, NO_TRUMP, COUNT_TRUMP)


def _checked_goal(kind: int, goal: str, need: int | None) -> str:
    if goal not in (EXACT, MADE):
        raise SolverError(f"goal={goal!r} is not allowed; allowed: 'points', 'made'")
    if goal == EXACT and not _has_points(kind):
        raise SolverError("nello, Sevens and Loper have no exact points, only goal='made'")
    if need is not None and (goal == EXACT or not _has_points(kind)):
        raise SolverError(f"need={need} goes with goal='made' and a trump or no-trump declaration only")
    return goal


def _need(w: Work, kind: int, goal: str, need: int | None) -> int:
    """What the kernels take: -1 for exact points, else the points to reach."""
    if goal == EXACT:
        return -1
    total = int(w.left[0])
    if need is None:
        return total
    if not need >= 0:
        raise SolverError(f"need={need} is not allowed; allowed: 0 or more")
    return need


def _solution(w: Work, t: Tables, rules: Rules, goal: str, need: int) -> Solution:
    values = np.empty(N_MOVES, np.int64)
    line = np.empty((N_LOCAL, 2), np.int64)
    seat = int(w.seat[0])
    value, length = batch.solve_root(w, need, values, line)
    if w.nodes > w.limit:
        raise SolverError(f"the position is too large: more than {int(w.limit)} nodes; raise max_nodes or play on")
    codec = build_codec(rules)

    def name(move: int) -> str:
        return action_name(codec, int(w.tile[move % N_LOCAL]) % rules.n_types, move >= N_LOCAL)

    moves = {name(int(m)): int(values[m]) for m in np.flatnonzero(values >= 0)}
    played = tuple((int(line[i, 0]), name(int(line[i, 1]))) for i in range(int(length)))
    return Solution(goal, int(value), seat, moves, played, int(w.nodes))


def solve_all(rules: RulesLike, hands: Sequence[Hand]) -> dict[str, npt.NDArray[np.int64]]:
    """Every declaration the rules allow, led by every seat with its own side as bidders.

    Returns:
        By declaration an int64 array (seats,): the points of the leader's side, or in nello, Sevens and Loper 1 if
        the leader makes it, else 0.

    Raises:
        SolverError, RulesError: as `solve`.
    """
    resolved = resolve_rules(rules)
    t = compile_tables(resolved)[0]
    masks = hand_masks(resolved, hands)
    decls = np.array(open_declarations(resolved), np.int64)
    out = np.empty((len(decls), resolved.seats), np.int64)
    w = work_of_thread()
    w.nodes, w.limit = 0, MAX_NODES
    batch.solve_table(w, t, masks, decls, out)
    if w.nodes > w.limit:
        raise SolverError(f"the deal is too large to solve: more than {MAX_NODES} nodes")
    names = build_codec(resolved).declarations
    return {names[d].name: out[i] for i, d in enumerate(decls)}


def open_declarations(rules: Rules) -> list[int]:
    """Declarations that can come up under some call of these rules."""
    t = compile_tables(rules)[0]
    mask = 0
    for row in range(int(t.n_calls)):
        mask |= int(t.decls[row]) | int(t.last_decls[row])
    return [d for d in range(int(t.n_decls)) if mask >> d & 1]


def solve_batch(
    rules: RulesLike,
    hands: npt.ArrayLike,
    declarations: npt.ArrayLike,
    leaders: npt.ArrayLike = 0,
    *,
    bidders: npt.ArrayLike | None = None,
    needs: npt.ArrayLike = -1,
    threads: int = 1,
) -> npt.NDArray[np.int64]:
    """Many deals at once.

    Args:
        rules: as `solve`.
        hands: bit sets, uint64 (n, seats), as in the engine's `hands`.
        declarations: numbers of trump or no-trump declarations or nellos, (n,) or one for all.
        leaders: (n,) or one for all.
        bidders: (n,) or one for all; by default the leaders.
        needs: -1 for the exact points of the bidder's side; otherwise the points that are to be reached. In nello
            it must be 0 or more and its size does not matter.
        threads: rows are split over this many threads.

    Returns:
        int64 (n,): points, or 1 where the need is reached or the nello made, else 0.

    Raises:
        SolverError: shapes do not fit, or a declaration without trick play.
    """
    resolved = resolve_rules(rules)
    t = compile_tables(resolved)[0]
    masks = np.ascontiguousarray(hands, np.uint64)
    if masks.ndim != 2 or masks.shape[1] != resolved.seats:
        raise SolverError(f"hands must have shape (n, {resolved.seats}), not {masks.shape}")
    n = len(masks)
    columns = [np.ascontiguousarray(np.broadcast_to(np.asarray(c, np.int64), (n,))) for c in (
        declarations, leaders, leaders if bidders is None else bidders, needs
    )]
    _check_columns(resolved, t, columns)
    out = np.empty(n, np.int64)

    def work(rows: slice) -> None:
        w = work_of_thread()
        w.limit = 1 << 62
        decls, leads, bids, least = (c[rows] for c in columns)
        batch.solve_deals(w, t, masks[rows], decls, leads, bids, least, out[rows])

    chunks = [slice(n * k // threads, n * (k + 1) // threads) for k in range(threads)]
    if threads == 1:
        work(chunks[0])
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, chunks))
    return out


def _check_columns(rules: Rules, t: Tables, columns: list[npt.NDArray[np.int64]]) -> None:
    decls, leaders, bidders, needs = columns
    if len(decls) and not (decls.min() >= 0 and decls.max() < int(t.n_decls)):
        raise SolverError(f"declarations must be 0 to {int(t.n_decls) - 1}")
    for name, seats in (("leaders", leaders), ("bidders", bidders)):
        if len(seats) and not (seats.min() >= 0 and seats.max() < rules.seats):
            raise SolverError(f"{name} must be 0 to {rules.seats - 1}")
    kinds = np.asarray(t.decl_kind)[decls]
    if not all(_is_trick_play(int(k)) for k in np.unique(kinds)):
        raise SolverError("Sevens and Loper need no search: use solve or solve_all")
    if np.any((kinds == NELLO) & (needs < 0)):
        raise SolverError("nello has no exact points: give needs=0")
