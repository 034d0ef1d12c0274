"""Playing hands out: what an action comes to where the heuristic plays all seats, each seeing its own tiles only.

Calls and declarations are judged so, and not by the solver: with all hands open far too many bids look good
(docs/SOLVER.md). Plays are judged by both.
"""

from typing import Any

from texas42.agents.heuristic.auction import bid_value, pass_value
from texas42.agents.heuristic.decide import decide
from texas42.agents.heuristic.declare import best_trumps
from texas42.agents.heuristic.notes import unseen_by_mover
from texas42.agents.search.kernels import kernel
from texas42.envs.engine.bits import ZERO, bit
from texas42.envs.engine.step import apply

GAIN, MADE, POINTS = range(3)
"""What a hand played out tells: score change of the mover's side less the others', whether the contract was made,
points of the bidder's side."""


@kernel
def ask(s: Any, t: Any, p: Any, k: Any, out: Any) -> Any:
    """The heuristic's action for the seat to move, which sees its own tiles only; the state is left as it was."""
    me = s.cur
    h0, h1, h2, h3 = s.hands[0], s.hands[1], s.hands[2], s.hands[3]
    for seat in range(4):
        if seat != me:
            s.hands[seat] = ZERO
    action = decide(s, t, p, k, False, out)
    s.hands[0], s.hands[1], s.hands[2], s.hands[3] = h0, h1, h2, h3
    return action


@kernel
def call_values(view: Any, t: Any, p: Any, out: Any, rows: Any, values: Any) -> None:
    """What the heuristic takes each call to be worth, as it does in choosing one, float64 (n,)."""
    hand = view.hands[view.cur]
    unseen = unseen_by_mover(view, t, p)
    _, value = best_trumps(t, p, hand, unseen, t.decls[t.min_call], out)
    for i in range(len(rows)):
        if rows[i] == 0:
            values[i] = pass_value(view, t, p, value)
        else:
            values[i] = bid_value(view, t, p, rows[i], hand, unseen, value, out)


@kernel
def deal_world(s: Any, hands: Any) -> None:
    """Give the seats of a copied view the hands of one world, and let the hand end without another deal."""
    s.whole_game = 0
    for seat in range(4):
        s.hands[seat] = s.dealt[seat] = hands[seat]
    for i in range(s.n_plays):
        s.dealt[s.players[i]] |= bit(s.plays[i])


@kernel
def play_out(s: Any, t: Any, p: Any, k: Any, out: Any) -> None:
    """The heuristic plays all seats to the end of the hand."""
    s.hand_over = 0
    while s.hand_over == 0:
        apply(s, t, ask(s, t, p, k, out))


@kernel
def try_actions(
    view: Any, scratch: Any, t: Any, p: Any, k: Any, out: Any, hands: Any, actions: Any, results: Any
) -> None:
    """Apply each action in each world and play out.

    `hands`: uint64 (worlds, 4); `actions`: int64 (n,); `results`: float64 (n, worlds, 3) of GAIN, MADE, POINTS.
    `scratch`: one state. `k`, `out`: the heuristic's scratch. The view is left as it was.
    """
    me = view.cur
    mine = t.side[me]
    for i in range(len(hands)):
        for a in range(len(actions)):
            scratch[0] = view
            s = scratch[0]
            deal_world(s, hands[i])
            apply(s, t, actions[a])
            if s.hand_over == 0:
                play_out(s, t, p, k, out)
            results[a, i, GAIN] = gain_of(s, t, mine, view.whole_game)
            results[a, i, MADE] = 1.0 if s.made == 1 else 0.0
            results[a, i, POINTS] = s.taken[t.side[s.bidder]] if s.bidder >= 0 else 0


@kernel
def gain_of(s: Any, t: Any, mine: Any, whole_game: Any) -> Any:
    """Score change of a side less the other's in the hand that just ended.

    In a whole game what lies beyond the target counts for nothing: a side that wins wins no more by a higher stake.
    """
    gain = 0.0
    for side in range(t.n_sides):
        delta = s.delta[side]
        if whole_game == 1 and delta > 0:
            delta = min(delta, max(t.target - (s.scores[side] - delta), 1))
        gain += delta if side == mine else -delta
    return gain
