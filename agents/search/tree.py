"""Information-set tree search of one observer: one tree of what everybody can see, a new world in every iteration.

Every node stands for a row of plays since the root; which children it has at hand depends on the world, so a child
is compared by how often it was at hand, not by how often its parent was passed (single-observer ISMCTS).
"""

from typing import Any

import numpy as np

from texas42.agents.search.kernels import kernel
from texas42.agents.search.playouts import deal_world, play_out
from texas42.envs.engine.bits import ONE, ZERO, combine, lowest, scale, stream
from texas42.envs.engine.step import apply, legal_words, random_legal

NODE = np.dtype(
    [
        ("action", np.int64),
        ("first", np.int64),  # first child, 0 for none
        ("next", np.int64),  # next sibling, 0 for none
        ("visits", np.int64),
        ("at_hand", np.int64),  # times it could have been chosen
        ("total", np.float64),  # of rewards of the bidder's side
        ("bidders", np.int64),  # 1 if a seat of the bidder's side chooses it
    ]
)
MOST_DEEP = 32
MOST_MOVES = 24


@kernel
def list_moves(s: Any, t: Any, moves: Any) -> Any:
    """The plays open to the seat to move into `moves`, claims left out; returns how many."""
    base, first, next_base, second = legal_words(s, t)
    n = 0
    while first != ZERO:
        moves[n] = base + lowest(first)
        first &= first - ONE
        n += 1
    while second != ZERO:
        moves[n] = next_base + lowest(second)
        second &= second - ONE
        n += 1
    return n


@kernel
def child_of(nodes: Any, parent: Any, action: Any) -> Any:
    """The child of a node by an action, 0 if there is none yet."""
    child = nodes[parent].first
    while child != 0 and nodes[child].action != action:
        child = nodes[child].next
    return child


@kernel
def add_child(nodes: Any, n: Any, parent: Any, action: Any, bidders: Any) -> None:
    """Node number `n`."""
    node = nodes[n]
    node.action, node.bidders = action, bidders
    node.first = node.visits = node.at_hand = 0
    node.total = 0.0
    node.next = nodes[parent].first
    nodes[parent].first = n


@kernel
def choose(nodes: Any, parent: Any, moves: Any, n: Any, explore: Any, word: Any) -> Any:
    """A move to try: one without a node, at random, else the child with the highest upper bound."""
    fresh = 0
    for i in range(n):
        child = child_of(nodes, parent, moves[i])
        if child == 0:
            moves[i], moves[fresh] = moves[fresh], moves[i]
            fresh += 1
        else:
            nodes[child].at_hand += 1
    if fresh > 0:
        return moves[scale(word, fresh)]
    best, choice = -1.0, moves[0]
    for i in range(n):
        bound = upper_bound(nodes[child_of(nodes, parent, moves[i])], explore)
        if bound > best:
            best, choice = bound, moves[i]
    return choice


@kernel
def upper_bound(node: Any, explore: Any) -> Any:
    """The mean reward of the side that chooses a node, and more the less it was tried."""
    mean = node.total / node.visits
    if node.bidders == 0:
        mean = 1.0 - mean
    return mean + explore * np.sqrt(np.log(node.at_hand + 1.0) / node.visits)


@kernel
def descend(nodes: Any, used: Any, s: Any, t: Any, explore: Any, word: Any, path: Any, moves: Any) -> Any:
    """Walk down to a new node or the end of the hand; the nodes passed into `path`. Returns (nodes in use, depth)."""
    at = 0
    depth = 0
    path[0] = 0
    while s.hand_over == 0:
        n = list_moves(s, t, moves)
        action = choose(nodes, at, moves, n, explore, stream(word, depth))
        bidders = 1 if t.side[s.cur] == t.side[s.bidder] else 0
        child = child_of(nodes, at, action)
        new = child == 0
        if new:
            child = used
            add_child(nodes, child, at, action, bidders)
            nodes[child].at_hand = 1
            used += 1
        apply(s, t, action)
        depth += 1
        path[depth] = child
        at = child
        if new:
            break
    return used, depth


@kernel
def finish_at_random(s: Any, t: Any, word: Any) -> None:
    """Everybody plays at random to the end of the hand."""
    draws = MOST_DEEP
    while s.hand_over == 0:
        apply(s, t, random_legal(s, t, stream(word, draws)))
        draws += 1


@kernel
def search_tree(
    view: Any,
    scratch: Any,
    t: Any,
    p: Any,
    k: Any,
    out: Any,
    hands: Any,
    iterations: Any,
    explore: Any,
    points_worth: Any,
    uniform: Any,
    key: Any,
    nodes: Any,
) -> None:
    """Grow the tree in `nodes` (records of `NODE`, iterations + 1 at least) from a view in the play of a hand.

    `hands`: worlds, uint64 (n, 4), taken in turn. Rewards: 1 if the contract was made, and the share of the points
    at `points_worth`. `uniform`: hands are finished at random, else by the heuristic.
    """
    path = np.zeros(MOST_DEEP, np.int64)
    moves = np.zeros(MOST_MOVES, np.int64)
    nodes[0].first = nodes[0].visits = 0
    used = 1
    for i in range(iterations):
        scratch[0] = view
        s = scratch[0]
        deal_world(s, hands[i % len(hands)])
        s.hand_over = 0
        word = combine(key, i)
        used, depth = descend(nodes, used, s, t, explore, word, path, moves)
        if s.hand_over == 0:
            if uniform:
                finish_at_random(s, t, word)
            else:
                play_out(s, t, p, k, out)
        reward = (1.0 - points_worth) * (1.0 if s.made == 1 else 0.0)
        reward += points_worth * s.taken[t.side[s.bidder]] / t.total
        for d in range(1, depth + 1):
            nodes[path[d]].visits += 1
            nodes[path[d]].total += reward


@kernel
def visits_of(nodes: Any, actions: Any, visits: Any) -> None:
    """How often each action was chosen at the root, int64 (n,)."""
    for i in range(len(actions)):
        child = child_of(nodes, 0, actions[i])
        visits[i] = nodes[child].visits if child != 0 else 0
