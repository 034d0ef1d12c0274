"""What declarations and bids are worth to a hand, over worlds: kernels for the auction and the declaration."""

from typing import Any

from texas42.agents.search.kernels import kernel
from texas42.agents.solver.batch import solve_closeness
from texas42.agents.solver.load import load_hands
from texas42.agents.solver.root import decide
from texas42.envs.engine.bits import has, popcount
from texas42.envs.rules.declarations import DOUBLE_TRUMP, LOPER, NELLO, PIP_TRUMP, SEVENS

UNKNOWN = -1


@kernel
def points_table(w: Any, t: Any, hands: Any, decls: Any, leader: Any, bidder: Any, out: Any) -> None:
    """Into `out` (int64, (declarations, worlds)): exact points of the bidder's side."""
    for d in range(len(decls)):
        for i in range(len(hands)):
            load_hands(w, t, hands[i], decls[d], leader, bidder, True)
            out[d, i] = decide(w, -1)


@kernel
def made_table(w: Any, t: Any, hands: Any, decls: Any, leader: Any, bidder: Any, need: Any, out: Any) -> None:
    """Into `out` (int64, (declarations, worlds)): 1 if the contract is made, else 0.

    `need` counts for trump and no-trump declarations. After a third of the worlds a declaration that was never made
    is given up: the rest counts as not made.
    """
    for d in range(len(decls)):
        kind = t.decl_kind[decls[d]]
        made = 0
        for i in range(len(hands)):
            if made == 0 and 3 * i >= len(hands):
                out[d, i:] = 0
                break
            if kind in (SEVENS, LOPER):
                out[d, i] = solve_closeness(w, t, hands[i], decls[d], leader, bidder)
            else:
                load_hands(w, t, hands[i], decls[d], leader, bidder, True)
                out[d, i] = decide(w, w.left[0] if kind == NELLO else need)
            made += out[d, i]


@kernel
def strength(t: Any, decl: Any, hand: Any) -> Any:
    """How well a declaration suits a hand: trumps twice, the highest of them, other doubles."""
    kind = t.decl_kind[decl]
    trumps = hand & t.trumps[decl]
    doubles = popcount(hand & t.doubles & ~t.trumps[decl])
    if kind == PIP_TRUMP:
        return 4 * popcount(trumps) + 3 * popcount(trumps & t.doubles) + 2 * doubles
    if kind == DOUBLE_TRUMP:
        return 4 * popcount(trumps) + (2 if has(trumps, 27) else 0)
    return 4 * doubles


@kernel
def partner_choices(t: Any, hands: Any, partner: Any, decls: Any, out: Any) -> None:
    """Into `out` (n,): the declaration a partner who has to name trump picks by his own hand in each world."""
    for i in range(len(hands)):
        best = UNKNOWN
        for d in range(len(decls)):
            value = strength(t, decls[d], hands[i, partner])
            if value > best:
                best, out[i] = value, decls[d]


@kernel
def made_by_choice(w: Any, t: Any, hands: Any, decls: Any, leader: Any, bidder: Any, out: Any) -> None:
    """Into `out` (n,): whether every trick is taken in world i with the declaration ``decls[i]``."""
    for i in range(len(hands)):
        load_hands(w, t, hands[i], decls[i], leader, bidder, True)
        out[i] = decide(w, w.left[0])
