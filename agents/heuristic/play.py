"""Trick play with trumps or without: every legal tile gets a score, the highest is played.

The score of a tile is what its trick is expected to bring, less what the tile is worth in hand:

``win * gain(trick) - (1 - win) * loss(trick) - kept(tile) [+ what a lead does]``

where `win` is the chance that the player's side takes the trick.
"""

from typing import Any

from texas42.agents.heuristic import weights as w
from texas42.agents.heuristic.jit import kernel
from texas42.agents.heuristic.notes import chance_of_any, chance_to_beat, first_instance
from texas42.envs.engine.bits import ZERO, drop_lowest, has, lowest, popcount
from texas42.envs.rules.declarations import TRUMP


@kernel
def choose_tile(s: Any, t: Any, p: Any, k: Any, tiles: Any, lows: Any) -> Any:
    """The action id of the best play; `tiles`: legal types, `lows`: legal announced low leads."""
    best = -1e18
    action = -1
    rest = tiles
    while rest != ZERO:
        tile = lowest(rest)
        rest = drop_lowest(rest)
        if s.pos == 0:
            score = lead_score(s, t, p, k, tile, t.lead_suit[k.decl, tile])
        else:
            score = follow_score(s, t, p, k, tile)
        if score > best + 1e-9:
            best, action = score, t.base_tile + tile
    while lows != ZERO:
        i = lowest(lows)
        lows = drop_lowest(lows)
        tile = t.low_tile[i]
        score = lead_score(s, t, p, k, tile, t.low_suit[k.decl, tile])
        if score > best + 1e-9:
            best, action = score, t.base_low + i
    return action


@kernel
def follow_score(s: Any, t: Any, p: Any, k: Any, tile: Any) -> Any:
    """The score of a tile played to a trick that somebody else led."""
    power = t.power[k.decl, s.suit, tile]
    mine = power + t.ties_last > s.best
    best = power if mine else s.best
    opponents = friends = 1.0  # nobody of them beats `best`
    for seat in range(t.n_seats):
        if k.later[seat] == 1:
            missing = 1.0 - chance_to_beat(t, k, seat, s.suit, best)
            if k.friend[seat] == 1:
                friends *= missing
            else:
                opponents *= missing
    if mine or k.friend[s.best_seat] == 1:
        win = opponents + (1.0 - opponents) * (1.0 - friends) * p.weights[w.W_RESCUE]
    else:
        win = (1.0 - friends) * opponents
    return trick_value(s, t, p, k, tile, win) - kept(s, t, p, k, tile)


@kernel
def lead_score(s: Any, t: Any, p: Any, k: Any, tile: Any, suit: Any) -> Any:
    """The score of leading a tile as a tile of `suit`."""
    power = t.power[k.decl, suit, tile]
    opponents = friends = 1.0
    for seat in range(t.n_seats):
        if k.later[seat] == 1:
            missing = 1.0 - chance_to_beat(t, k, seat, suit, power)
            if k.friend[seat] == 1:
                friends *= missing
            else:
                opponents *= missing
    win = opponents + (1.0 - opponents) * (1.0 - friends) * p.weights[w.W_RESCUE]
    score = trick_value(s, t, p, k, tile, win) - kept(s, t, p, k, tile)
    if suit == TRUMP:
        score += drawing(t, p, k)
    return score


@kernel
def drawing(t: Any, p: Any, k: Any) -> Any:
    """What a trump lead brings by drawing trumps."""
    if k.attack == 0:
        return -p.weights[w.W_TRUMP_DEFEND]
    score = 0.0
    for seat in range(t.n_seats):
        if k.later[seat] == 1:
            chance = chance_of_any(k, seat, t.trumps[k.decl])
            if k.friend[seat] == 1:
                score -= p.weights[w.W_DRAW_PARTNER] * chance
            else:
                score += p.weights[w.W_DRAW] * chance
    return score


@kernel
def trick_value(s: Any, t: Any, p: Any, k: Any, tile: Any, win: Any) -> Any:
    """What the trick is expected to bring where my side wins it with chance `win`."""
    side = s.bidder % t.n_sides
    points = float(s.trick_points + t.count[tile] + t.trick_value)
    if s.marks > 0 and s.n_tricks == s.won[side]:
        return p.weights[w.W_SWEEP] * (2.0 * win - 1.0)
    later = 0
    for seat in range(t.n_seats):
        later += k.later[seat]
    worth = p.scale * points + p.weights[w.W_LATER_COUNT] * later
    gain = loss = worth
    if s.marks == 0:
        need = t.call_need[s.call]
        others = 0
        for i in range(t.n_sides):
            if i != side:
                others += s.taken[i]
        if s.taken[side] < need and others <= t.total - need:
            makes = s.taken[side] + points >= need
            sets = others + points > t.total - need
            if (makes and k.attack == 1) or (sets and k.attack == 0):
                gain += p.weights[w.W_DECIDE]
            if (sets and k.attack == 1) or (makes and k.attack == 0):
                loss += p.weights[w.W_DECIDE]
    return win * gain - (1.0 - win) * loss


@kernel
def kept(s: Any, t: Any, p: Any, k: Any, tile: Any) -> Any:
    """What a tile is worth while it stays in hand."""
    hand = s.hands[k.me]
    over = popcount(p.over[k.decl, tile] & k.unseen)
    sweep = s.marks > 0 and s.n_tricks == s.won[s.bidder % t.n_sides]
    value = 0.0
    if not sweep:
        share = p.weights[w.W_COUNT_ATTACK] if k.attack == 1 else p.weights[w.W_COUNT_DEFEND]
        value = share * p.scale * t.count[tile]
    if has(t.trumps[k.decl], tile):
        value += p.weights[w.W_TRUMP_KEPT]
        if over == 0:
            value += p.weights[w.W_TOP_TRUMP_KEPT]
        return value
    if over == 0:
        value += p.weights[w.W_HIGH_KEPT]
    elif over == 1:
        value += p.weights[w.W_SECOND_KEPT]
    suit = t.lead_suit[k.decl, tile]
    rest = hand & ~first_instance(hand, t, tile)
    if rest & t.follow[k.decl, suit] == ZERO and rest & t.trumps[k.decl] != ZERO:
        value -= p.weights[w.W_VOID]
    return value
