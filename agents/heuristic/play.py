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
def chance_of_trick(s: Any, t: Any, p: Any, k: Any, suit: Any, best: Any, ours: Any) -> Any:
    """The chance that my side takes the trick where `best` is the highest power so far and it is `ours` or not."""
    opponents = friends = 1.0  # nobody of them beats `best`
    for seat in range(t.n_seats):
        if k.later[seat] == 1:
            missing = 1.0 - chance_to_beat(t, k, seat, suit, best)
            if k.friend[seat] == 1:
                friends *= missing
            else:
                opponents *= missing
    if ours:
        return opponents + (1.0 - opponents) * (1.0 - friends) * p.weights[k.role, w.W_RESCUE]
    return (1.0 - friends) * opponents


@kernel
def follow_score(s: Any, t: Any, p: Any, k: Any, tile: Any) -> Any:
    """The score of a tile played to a trick that somebody else led."""
    power = t.power[k.decl, s.suit, tile]
    mine = power + t.ties_last > s.best
    best = power if mine else s.best
    win = chance_of_trick(s, t, p, k, s.suit, best, mine or k.friend[s.best_seat] == 1)
    score = trick_value(s, t, p, k, tile, win) - kept(s, t, p, k, tile)
    if mine:
        score += p.weights[k.role, w.W_LEAD] * win
    return score


@kernel
def lead_score(s: Any, t: Any, p: Any, k: Any, tile: Any, suit: Any) -> Any:
    """The score of leading a tile as a tile of `suit`."""
    power = t.power[k.decl, suit, tile]
    win = chance_of_trick(s, t, p, k, suit, power, True)
    score = trick_value(s, t, p, k, tile, win) - kept(s, t, p, k, tile)
    if suit == TRUMP:
        return score + drawing(t, p, k)
    exposed = popcount(t.follow[k.decl, suit] & k.unseen & t.count_tiles)
    return score - p.weights[k.role, w.W_EXPOSED] * exposed * (1.0 - win)


@kernel
def drawing(t: Any, p: Any, k: Any) -> Any:
    """What a trump lead brings by drawing trumps."""
    score = 0.0
    for seat in range(t.n_seats):
        if k.later[seat] == 1:
            chance = chance_of_any(k, seat, t.trumps[k.decl])
            if k.friend[seat] == 1:
                score -= p.weights[k.role, w.W_DRAW_PARTNER] * chance
            else:
                score += p.weights[k.role, w.W_DRAW] * chance
    return score


@kernel
def trick_value(s: Any, t: Any, p: Any, k: Any, tile: Any, win: Any) -> Any:
    """What the trick is expected to bring where my side wins it with chance `win`."""
    if every_trick(s, t):
        return p.weights[k.role, w.W_SWEEP] * (2.0 * win - 1.0)
    points = s.trick_points + t.count[tile] + t.trick_value
    later = 0
    for seat in range(t.n_seats):
        later += k.later[seat]
    worth = p.scale * points + p.weights[k.role, w.W_LATER_COUNT] * later * k.mean_count
    gain = loss = worth
    if s.marks == 0:
        makes, sets = decides(s, t, points)
        extra = p.weights[k.role, w.W_DECIDE]
        gain += extra * (makes if k.attack == 1 else sets)
        loss += extra * (sets if k.attack == 1 else makes)
    return win * gain - (1.0 - win) * loss


@kernel
def every_trick(s: Any, t: Any) -> Any:
    """Whether the bidder's side must take every trick, and has so far."""
    return s.marks > 0 and s.n_tricks == s.won[s.bidder % t.n_sides]


@kernel
def decides(s: Any, t: Any, points: Any) -> Any:
    """Whether a trick of `points` makes an undecided point bid for the one side, and sets it for the other."""
    need = t.call_need[s.call]
    side = s.bidder % t.n_sides
    others = 0
    for i in range(t.n_sides):
        if i != side:
            others += s.taken[i]
    if s.taken[side] >= need or others > t.total - need:
        return 0, 0
    makes = 1 if s.taken[side] + points >= need else 0
    sets = 1 if others + points > t.total - need else 0
    return makes, sets


@kernel
def kept(s: Any, t: Any, p: Any, k: Any, tile: Any) -> Any:
    """What a tile is worth while it stays in hand."""
    weights = p.weights[k.role]
    over = popcount(p.over[k.decl, tile] & k.theirs)
    value = 0.0
    if not every_trick(s, t):
        value = weights[w.W_COUNT] * p.scale * t.count[tile]
    if has(t.trumps[k.decl], tile):
        value += weights[w.W_TRUMP]
        if over == 0:
            value += weights[w.W_TOP_TRUMP]
        elif over == 1:
            value += weights[w.W_SECOND_TRUMP]
        return value
    if over == 0:
        value += weights[w.W_HIGH]
    elif over == 1:
        value += weights[w.W_SECOND]
    hand = s.hands[k.me]
    rest = hand & ~first_instance(hand, t, tile)
    suit = t.lead_suit[k.decl, tile]
    if rest & t.follow[k.decl, suit] == ZERO and rest & t.trumps[k.decl] != ZERO:
        value -= weights[w.W_VOID]
    return value
