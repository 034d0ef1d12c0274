"""The declaration, the widow and the discards."""

from typing import Any

from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.notes import first_instance, unseen_by_mover
from texas42.agents.heuristic.special import special_chance
from texas42.agents.heuristic.strength import chance_to_make, strength
from texas42.envs.engine.bits import ZERO, bit, drop_lowest, lowest
from texas42.envs.engine.play import types_of
from texas42.envs.rules.declarations import LOPER, NELLO, SEVENS


@kernel
def best_trumps(t: Any, p: Any, hand: Any, unseen: Any, decls: Any, out: Any) -> Any:
    """The declaration of `decls` with the highest strength, nello and closeness apart, and that strength.

    (-1, -1000) where there is none.
    """
    best = -1000.0
    choice = -1
    while decls != ZERO:
        decl = lowest(decls)
        decls = drop_lowest(decls)
        kind = t.decl_kind[decl]
        if kind in (NELLO, SEVENS, LOPER):
            continue
        value = strength(t, p, hand, unseen, decl, out)
        if value > best + 1e-9:
            best, choice = value, decl
    return choice, best


@kernel
def choose_declaration(s: Any, t: Any, p: Any, decls: Any, out: Any) -> Any:
    """The action id of the declaration."""
    hand = s.hands[s.cur]
    unseen = unseen_by_mover(s, t, p)
    choice, value = best_trumps(t, p, hand, unseen, decls, out)
    best = chance_to_make(p, s.call, value) if choice >= 0 else -1.0
    rest = decls
    while rest != ZERO:
        decl = lowest(rest)
        rest = drop_lowest(rest)
        if t.decl_kind[decl] in (NELLO, SEVENS, LOPER):
            chance = special_chance(t, p, hand, unseen, decl)
            if chance > best:
                best, choice = chance, decl
    return t.base_decl + (choice if choice >= 0 else lowest(decls))


@kernel
def choose_discard(s: Any, t: Any, p: Any, tiles: Any, out: Any) -> Any:
    """The action id of the discard that leaves the strongest hand."""
    hand = s.hands[s.bidder]
    unseen = unseen_by_mover(s, t, p)
    every = t.decls[s.call]
    best = -1e18
    action = -1
    while tiles != ZERO:
        tile = lowest(tiles)
        tiles = drop_lowest(tiles)
        rest = hand & ~first_instance(hand, t, tile)
        if s.decl >= 0:
            value = strength(t, p, rest, unseen, s.decl, out)
        else:
            _, value = best_trumps(t, p, rest, unseen, every, out)
        if value > best + 1e-9:
            best, action = value, t.base_discard + tile
    return action


@kernel
def takes_widow(s: Any, t: Any, p: Any, out: Any) -> Any:
    """Whether the hand is stronger with the widow's tile in place of its worst."""
    hand = s.hands[s.bidder]
    unseen = unseen_by_mover(s, t, p)
    every = t.decls[s.call]
    _, before = best_trumps(t, p, hand, unseen, every, out)
    tiles = types_of(hand & ~t.count_tiles, t)
    while tiles != ZERO:
        tile = lowest(tiles)
        tiles = drop_lowest(tiles)
        _, after = best_trumps(t, p, (hand & ~bit(tile)) | s.widow, unseen, every, out)
        if after > before:
            return True
    return False
