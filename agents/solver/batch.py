"""Loops over many positions, and the tables of a deal: what Python calls."""

from typing import Any

from texas42.agents.solver.closeness import closeness_made, lost_tricks
from texas42.agents.solver.kernels import kernel
from texas42.agents.solver.load import load_hands, load_state
from texas42.agents.solver.root import (
    decide,
    lead_on,
    move_values,
    principal_line,
    root_value,
    value_between,
)
from texas42.envs.rules.declarations import LOPER, NELLO, SEVENS


@kernel
def solve_deals(w: Any, t: Any, hands: Any, decls: Any, leaders: Any, bidders: Any, needs: Any, out: Any) -> None:
    """Row by row: the points of the bidder's side, or where ``needs[i]`` is not -1 whether they reach it; in nello,
    whatever the need, whether it is made."""
    for i in range(len(hands)):
        load_hands(w, t, hands[i], decls[i], leaders[i], bidders[i], True)
        out[i] = decide(w, w.left[0] if t.decl_kind[decls[i]] == NELLO else needs[i])


@kernel
def solve_states(w: Any, t: Any, states: Any, needs: Any, out: Any) -> None:
    """As `solve_deals` for states of the engine in the phase PLAY."""
    for i in range(len(states)):
        load_state(w, t, states[i])
        out[i] = decide(w, needs[i])


@kernel
def solve_root(w: Any, need: Any, values: Any, line: Any) -> Any:
    """Value, values of the moves and best play of what is loaded; returns (value, length of the line)."""
    best = decide(w, need)
    move_values(w, need, best, values)
    return best, principal_line(w, need, best, line)


@kernel
def solve_moves(w: Any, need: Any, values: Any) -> Any:
    """Value and values of the moves of what is loaded."""
    best = decide(w, need)
    move_values(w, need, best, values)
    return best


@kernel
def solve_closeness(w: Any, t: Any, hands: Any, decl: Any, leader: Any, bidder: Any) -> Any:
    """Whether Sevens or Loper is made from hands with nothing on the table."""
    for seat in range(t.n_seats):
        w.hands[seat] = hands[seat]
    lost = lost_tricks(t, decl, w.hands, leader, bidder % t.n_sides, 0, leader, 0)
    return closeness_made(t, decl, lost)


@kernel
def solve_closeness_state(w: Any, t: Any, s: Any) -> Any:
    """The same for a state of the engine in the phase PLAY."""
    for seat in range(t.n_seats):
        w.hands[seat] = s.hands[seat]
    side = s.bidder % t.n_sides
    lost = lost_tricks(t, s.decl, w.hands, s.leader, side, s.best, s.best_seat, s.pos)
    return closeness_made(t, s.decl, lost + s.n_tricks - s.won[side])


@kernel
def solve_table(w: Any, t: Any, hands: Any, decls: Any, out: Any) -> None:
    """Into `out` (int64, (declarations, seats)): what a seat's side takes when it declares and leads.

    In nello, Sevens and Loper: 1 if made, else 0. In two teams one set of tables serves all leaders.
    """
    for i in range(len(decls)):
        kind = t.decl_kind[decls[i]]
        guess = -1
        for leader in range(t.n_seats):
            if SEVENS <= kind <= LOPER:
                out[i, leader] = solve_closeness(w, t, hands, decls[i], leader, leader)
            elif kind == NELLO:
                load_hands(w, t, hands, decls[i], leader, leader, True)
                out[i, leader] = decide(w, w.left[0])
            elif guess < 0 or t.n_sides != 2 or t.opening_trump == 1:
                load_hands(w, t, hands, decls[i], leader, leader, True)
                guess = out[i, leader] = root_value(w)
            else:
                lead_on(w, leader)
                guess = value_between(w, 0, w.left[0], guess)
                out[i, leader] = guess if w.side[leader] == 0 else w.left[0] - guess
