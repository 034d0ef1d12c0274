"""Move ordering: which of the moves left to try next. All choices are by masks, nothing is sorted."""

from typing import Any

from texas42.agents.solver.bounds import hand_at
from texas42.agents.solver.kernels import highest, kernel
from texas42.agents.solver.workspace import LEADS, REPLIES
from texas42.envs.engine.bits import ONE, ZERO, bit, lowest

SURE, PARTNERS = 100, 50


@kernel
def replies(w: Any, hand: Any, suit: Any) -> Any:
    """What a hand may play to a suit."""
    following = hand & w.follow[suit]
    return following if following != ZERO else hand


@kernel
def unbeaten(w: Any, suit: Any, tiles: Any, enemies: Any) -> Any:
    """The highest number among `tiles` that no tile of `enemies` beats, -1 if there is none."""
    while tiles != ZERO:
        tile = highest(tiles)
        if w.beats[suit, tile] & enemies == ZERO:
            return tile
        tiles &= ~bit(tile)
    return -1


@kernel
def lead_score(w: Any, alive: Any, leader: Any, tile: Any) -> Any:
    """How good a lead looks: nobody of the others' side can beat it, or the partner can beat them all; then count
    is welcome, else it is not."""
    suit = w.lead_suit[tile]
    beats = w.beats[suit, tile]
    left = replies(w, hand_at(w, alive, leader + 1), suit)
    right = replies(w, hand_at(w, alive, leader + 3), suit)
    if (left | right) & beats == ZERO:
        return SURE + w.count[tile]
    partner = replies(w, hand_at(w, alive, leader + 2), suit)
    if unbeaten(w, suit, partner & beats, left | right) >= 0:
        return PARTNERS + w.count[tile]
    return -w.count[tile]


@kernel
def choose_lead(w: Any, alive: Any, leader: Any, moves: Any, hint: Any) -> Any:
    """The next lead: the table's, else the best looking, the lowest number among equals."""
    if moves & hint != ZERO:
        return lowest(hint)
    if w.features & LEADS == 0:
        return lowest(moves)
    best, best_score = 0, -SURE
    while moves != ZERO:
        tile = lowest(moves)
        moves &= moves - ONE
        score = lead_score(w, alive, leader, tile)
        if score > best_score:
            best, best_score = tile, score
    return best


@kernel
def dump(moves: Any, beats: Any) -> Any:
    """Count for the partner's trick: the highest number, without taking the trick if that can be helped."""
    losing = moves & ~beats
    return highest(losing) if losing != ZERO else highest(moves)


@kernel
def save(moves: Any, beats: Any) -> Any:
    """As little as possible for the others' trick: the lowest number that does not win it, if there is one."""
    losing = moves & ~beats
    return lowest(losing) if losing != ZERO else lowest(moves)


@kernel
def choose_second(w: Any, suit: Any, moves: Any, beats: Any, third: Any, fourth: Any) -> Any:
    """After the lead: win where the leader's partner cannot, else help one's partner to do so, else give little."""
    if w.features & REPLIES == 0:
        return lowest(moves)
    tile = unbeaten(w, suit, moves & beats, third)
    if tile >= 0:
        return tile
    if unbeaten(w, suit, fourth & beats, third) >= 0:
        return dump(moves, beats)
    return save(moves, beats)


@kernel
def choose_third(w: Any, suit: Any, moves: Any, beats: Any, partner_wins: Any, fourth: Any) -> Any:
    """Count where the leader's tile stands, else win where the last player cannot, else give little."""
    if w.features & REPLIES == 0:
        return lowest(moves)
    if partner_wins and beats & fourth == ZERO:
        return dump(moves, beats)
    tile = unbeaten(w, suit, moves & beats, fourth)
    return tile if tile >= 0 else save(moves, beats)


@kernel
def choose_last(w: Any, moves: Any, beats: Any, partner_wins: Any) -> Any:
    """Count for the partner, else win with count, else give little."""
    if w.features & REPLIES == 0:
        return lowest(moves)
    if partner_wins:
        return dump(moves, beats)
    winning = moves & beats
    return highest(winning) if winning != ZERO else lowest(moves)


@kernel
def to_come(w: Any, level: Any, suit: Any) -> Any:
    """What the seats after this one may play to a suit: those of its side, and the others."""
    friends = enemies = ZERO
    seat = w.seat[level]
    later = w.after[seat]
    while later != w.leader[level]:
        tiles = replies(w, w.alive[level] & w.own[later], suit)
        if w.side[later] == w.side[seat]:
            friends |= tiles
        else:
            enemies |= tiles
        later = w.after[later]
    return friends, enemies


@kernel
def choose_any_lead(w: Any, level: Any, moves: Any) -> Any:
    """As `choose_lead`, for any number of seats."""
    if moves & w.hint[level] != ZERO:
        return lowest(w.hint[level])
    if w.features & LEADS == 0:
        return lowest(moves)
    best, best_score = 0, -SURE
    while moves != ZERO:
        tile = lowest(moves)
        moves &= moves - ONE
        suit = w.lead_suit[tile]
        beats = w.beats[suit, tile]
        friends, enemies = to_come(w, level, suit)
        score = -w.count[tile]
        if enemies & beats == ZERO:
            score = SURE + w.count[tile]
        elif unbeaten(w, suit, friends & beats, enemies) >= 0:
            score = PARTNERS + w.count[tile]
        if score > best_score:
            best, best_score = tile, score
    return best


@kernel
def choose_reply(w: Any, level: Any, moves: Any) -> Any:
    """Between leader and last: win where those to come on the other side cannot, else help a partner to come who
    can, else give little; count for a partner whose tile stands."""
    if w.features & REPLIES == 0:
        return lowest(moves)
    suit, seat, beats = w.suit[level], w.seat[level], w.beaten_by[level]
    friends, enemies = to_come(w, level, suit)
    if w.side[w.winner[level]] == w.side[seat] and beats & enemies == ZERO:
        return dump(moves, beats)
    tile = unbeaten(w, suit, moves & beats, enemies)
    if tile >= 0:
        return tile
    if friends & beats != ZERO and unbeaten(w, suit, friends & beats, enemies) >= 0:
        return dump(moves, beats)
    return save(moves, beats)
