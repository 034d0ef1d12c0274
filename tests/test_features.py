"""What a network is told beside the observation, in positions a person can check."""

from typing import Any

import numpy as np
import pytest
import torch

from texas42.agents.features import (
    CERTAIN,
    LOSERS,
    MANY,
    RANKS,
    STEPS,
    Position,
    Ranks,
    actor_features,
    actor_width,
    call_features,
    call_inputs,
    critic_features,
    critic_width,
    slots,
    tile_features,
    tile_inputs,
)
from texas42.agents.shape import Shape
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import PLAY
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.layout import Layout, build_layout
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_ENDS, TILE_NAMES, tile_count

N42PA = Rules.preset("n42pa")
SHAPE = Shape.of(N42PA, 8, 1)
HANDS = ["6-6 6-5 6-4 5-5 4-1 3-0 1-1", "6-3 6-2 5-0 4-4 4-3 2-2 0-0"]
HANDS += ["6-1 5-4 5-3 5-2 3-3 2-1 1-0", "6-0 5-1 4-2 4-0 3-2 3-1 2-0"]
PLANES = ("trump", "my trumps", "live trumps", "beaters", "sure", "my winners now", "live winners now")


def at(actions: str) -> BatchedGame:
    """Player 0 opens with the hands above; then `actions`."""
    game = BatchedGame(N42PA, 1, auto_reset=False)
    game.reset(0)
    s = game.states[0]
    s.shaker, s.opener, s.cur = 3, 0, 0
    for seat, hand in enumerate(HANDS):
        s.hands[seat] = s.dealt[seat] = np.uint64(sum(1 << TILE_NAMES.index(name) for name in hand.split()))
    for text in actions.split():
        game.step(np.array([game.codec.parse(text)]))
    return game


def told(game: BatchedGame) -> dict[str, set[str]]:
    """The names of the tiles marked in each plane of the mover's features."""
    observations = torch.from_numpy(game.observe()[0]).float()
    row = actor_features(Position(Ranks(SHAPE, N42PA), observations))[0]
    assert len(row) == actor_width(SHAPE)
    planes = row[: 7 * 28].view(7, 28)
    return {
        name: {TILE_NAMES[i] for i in torch.nonzero(plane)[:, 0]} for name, plane in zip(PLANES, planes, strict=True)
    }


def tiles(text: str) -> set[str]:
    return set(text.split())


def test_nothing_is_told_before_the_declaration() -> None:
    game = at("")
    assert not any(told(game).values())
    observations, hidden = (
        torch.from_numpy(game.observe()[0]).float(),
        torch.from_numpy(game.hidden()).float(),
    )
    assert not critic_features(Ranks(SHAPE, N42PA), observations, hidden).any()


def test_the_bidder_with_sixes_sees_his_trumps_and_sure_tiles() -> None:
    planes = told(at("P41 PASS PASS PASS PIP6"))
    assert planes["trump"] == tiles("6-6 6-5 6-4 6-3 6-2 6-1 6-0")
    assert planes["my trumps"] == tiles("6-6 6-5 6-4")
    assert planes["live trumps"] == tiles("6-3 6-2 6-1 6-0")
    # 6-5 and 6-4 stand above every trump that is out; led doubles can be trumped
    assert planes["sure"] == tiles("6-6 6-5 6-4")


def test_after_a_lead_the_tiles_that_would_win_are_told() -> None:
    planes = told(at("P41 PASS PASS PASS PIP6 4-1"))
    assert planes["my winners now"] == tiles("6-3 6-2 4-4 4-3")
    assert "4-2" in planes["live winners now"]
    assert "4-0" not in planes["live winners now"]
    assert "5-5" not in planes["live winners now"]


def test_without_trump_a_double_is_sure_until_treated_otherwise() -> None:
    planes = told(at("P41 PASS PASS PASS NT-high"))
    assert planes["sure"] == tiles("6-6 6-5 6-4 5-5 1-1")
    assert planes["trump"] == set()


def test_beaters_are_counted_up_to_a_limit() -> None:
    game = at("P41 PASS PASS PASS PIP6")
    row = actor_features(Position(Ranks(SHAPE, N42PA), torch.from_numpy(game.observe()[0]).float()))[0]
    beaters = row[3 * 28 : 4 * 28]
    assert beaters[TILE_NAMES.index("5-5")] == 1  # the four trumps that are out
    assert beaters[TILE_NAMES.index("6-6")] == 0
    assert (beaters * MANY == (beaters * MANY).round()).all()


def test_the_critic_knows_which_side_is_sure() -> None:
    game = at("P41 PASS PASS PASS PIP6 6-6 6-3 6-1 6-0")
    observations, hidden = (
        torch.from_numpy(game.observe()[0]).float(),
        torch.from_numpy(game.hidden()).float(),
    )
    row = critic_features(Ranks(SHAPE, N42PA), observations, hidden)[0]
    assert len(row) == critic_width(SHAPE)
    mine, theirs = ({TILE_NAMES[i] for i in torch.nonzero(row[k * 28 : (k + 1) * 28])[:, 0]} for k in (3, 4))
    # 6-2 is the last trump of the other side: nothing of ours but the higher trumps is sure, and nothing of theirs
    assert mine == tiles("6-5 6-4")
    assert theirs == set()


@pytest.mark.parametrize("preset", ["open", "moon", "big_game", "eighty_four", "players_2", "one_forty", "geezer"])
def test_features_agree_with_the_engine_in_every_game(preset: str) -> None:
    rules = Rules.preset(preset)
    shape, game = Shape.of(rules, 8, 1), BatchedGame(rules, 40)
    ranks, rng = Ranks(shape, rules), np.random.default_rng(1)
    game.reset(3)
    for _ in range(60):
        observations, masks = game.observe()
        features = actor_features(Position(ranks, torch.from_numpy(observations).float())).numpy()
        winners = features[:, 5 * shape.tiles : 6 * shape.tiles]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        check_winners(game, winners, actions, shape)
        game.step(actions)


def check_winners(
    game: BatchedGame, winners: "np.ndarray[Any, Any]", actions: "np.ndarray[Any, Any]", shape: Shape
) -> None:
    """A follower's tile is said to win exactly if its power is above the best on the table."""
    base = game.codec.bases[3]
    for row, s in enumerate(game.states):
        tile = int(actions[row]) - base
        if s.phase == 4 and s.pos > 0 and 0 <= tile < shape.tiles:
            assert bool(winners[row, tile]) == (int(game.tables.power[s.decl, s.suit, tile]) > s.best)


@pytest.mark.parametrize(
    "rules",
    [
        *[Rules.preset(name) for name in ("open", "moon", "eighty_four", "one_forty")],
        Rules.preset("eighty_four").replace(identical_tiles="last_played"),
    ],
    ids=["open", "moon", "eighty_four", "one_forty", "last played"],
)
def test_what_keeps_a_trick_and_what_a_tile_does_agree_with_slow_counting(rules: Rules) -> None:
    shape, game = Shape.of(rules, 8, 1), BatchedGame(rules, 12)
    ranks, rng, layout = Ranks(shape, rules), np.random.default_rng(2), build_layout(rules, build_codec(rules))
    game.reset(4)
    met: set[tuple[bool, bool]] = set()
    for _ in range(50):
        observations, masks = game.observe()
        place = Position(ranks, torch.from_numpy(observations).float())
        types, there = slots(place)
        found = tile_features(place, types).numpy()
        assert found.shape == (12, shape.slots, tile_inputs(shape))
        for row, s in enumerate(game.states):
            seen = Seen(observations[row], layout, shape, who_sits_out(game, s))
            met |= {(int(s.sits_out) > 0, int(s.pos) > 0)}
            held = [tile for tile, is_there in zip(types[row].tolist(), there[row].tolist(), strict=True) if is_there]
            assert held == sorted(seen.hand, reverse=True)
            check_keeps(game, s, seen, place, row)
            for slot, tile in enumerate(held):
                check_tile(game, s, seen, tile, found[row, slot])
                check_chances(game, s, seen, tile, found[row, slot])
                check_trick(game, s, seen, tile, found[row, slot])
        game.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
    assert rules.base != "open" or (True, True) in met


def who_sits_out(game: BatchedGame, s: Any) -> list[int]:
    """Their places after the mover."""
    seats = game.rules.seats
    return [place for place in range(seats) if int(s.sits_out) >> ((int(s.cur) + place) % seats) & 1]


class Seen:
    """A seat's observation as sets of tile types."""

    def __init__(self, row: "np.ndarray[Any, Any]", layout: Layout, shape: Shape, out: list[int]) -> None:
        def piece(name: str) -> "np.ndarray[Any, Any]":
            return row[layout.slice(name)].reshape(-1, shape.tiles)

        self.hand = {int(i) for i in np.flatnonzero(piece("hand").any(axis=0))}
        size = int(piece("hand").sum())
        self.may_hold = [{int(i) for i in np.flatnonzero(line)} for line in piece("may_hold")]
        played = [bool(line.any()) for line in piece("table")]
        places = range(1, shape.others + 1)
        self.yet = [k for k in places if not played[k] and k not in out]
        self.waiting = [k for k in self.yet if k % shape.sides]
        self.opponents = [k for k in places if k % shape.sides]
        self.table = [int(i) for line in piece("table") for i in np.flatnonzero(line)]
        self.holds = self.chances([size - played[k] for k in places], shape.tiles)
        for k in out:
            self.holds[k - 1] = dict.fromkeys(self.holds[k - 1], 0.0)
        needs = [int(row[layout.slice(name)].sum()) for name in ("to_make", "to_set")]
        ours = bool(row[layout.slice("bidder")][:: shape.sides].any())
        self.lacks = needs if ours else needs[::-1]
        self.ahead = bool(row[layout.slice("winning")][:: shape.sides].any())

    def chances(self, sizes: list[int], tiles: int) -> list[dict[int, float]]:
        """By other seat and tile: spread over the seats that may hold it by their sizes, balanced once."""

        def spread(weights: list[dict[int, float]]) -> list[dict[int, float]]:
            sums = [sum(weight.get(tile, 0.0) for weight in weights) for tile in range(tiles)]
            return [{tile: w / max(sums[tile], 1e-6) for tile, w in weight.items()} for weight in weights]

        first = spread([dict.fromkeys(held, float(size)) for held, size in zip(self.may_hold, sizes, strict=True)])
        balance = [size / max(sum(line.values()), 1e-6) for line, size in zip(first, sizes, strict=True)]
        return spread([{t: w * by for t, w in line.items()} for line, by in zip(first, balance, strict=True)])

    def none_of(self, seats: list[int], tiles: set[int]) -> float:
        """The chance that the seats hold none of some tiles, each drawn by itself."""
        return float(np.prod([1 - min(self.holds[k - 1].get(tile, 0.0), CERTAIN) for k in seats for tile in tiles]))

    def number(self, seat: int, tiles: set[int]) -> float:
        return sum(self.holds[seat - 1].get(tile, 0.0) for tile in tiles)


def check_keeps(game: BatchedGame, s: Any, seen: Seen, place: Position, row: int) -> None:
    """Against the powers of single tiles."""
    if s.phase != PLAY or s.pos == 0:
        assert not place.keeps[row].any()
        assert not place.stands[row].any()
        return
    power = game.tables.power[s.decl, s.suit]
    threats = [int(power[tile]) for k in seen.waiting for tile in seen.may_hold[k - 1]]
    ties = int(game.tables.ties_last)
    assert bool(place.stands[row]) == all(threat + ties <= s.best for threat in threats if threat)
    for tile in seen.hand:
        own = int(power[tile])
        safe = all(own >= threat + ties for threat in threats if threat)
        assert bool(place.keeps[row, tile]) == (own + ties > s.best and safe)


def check_tile(game: BatchedGame, s: Any, seen: Seen, tile: int, found: "np.ndarray[Any, Any]") -> None:
    """The numbers of a tile of the hand against counting tile by tile."""
    t, others = game.tables, len(seen.may_hold)
    ends = TILE_ENDS[tile]
    assert found[0] * 10 == pytest.approx(tile_count(tile, game.rules.game.count_sums))
    assert found[3] == (ends[0] == ends[1])
    if s.decl < 0:
        assert not found[4 : 7 + 2 * (others + 1)].any()
        return
    suit = int(t.lead_suit[s.decl, tile])
    power = t.power[s.decl, suit]
    holders = [*seen.may_hold, seen.hand]
    beat = [sum(int(power[i]) + int(t.ties_last) > int(power[tile]) for i in tiles_held) for tiles_held in holders]
    follow = [sum(int(t.follow[s.decl, suit]) >> i & 1 for i in tiles_held) for tiles_held in holders]
    assert found[4] == (int(t.trumps[s.decl]) >> tile & 1)
    assert (found[7 : 8 + others] * MANY).tolist() == beat
    assert (found[8 + others : 9 + 2 * others] * MANY).tolist() == follow
    assert found[9 + 2 * others : 9 + 3 * others].tolist() == [n == 0 for n in follow[:others]]


def near(found: "np.ndarray[Any, Any]", wanted: list[float]) -> None:
    assert found.tolist() == pytest.approx(wanted, abs=2e-4)


def check_chances(game: BatchedGame, s: Any, seen: Seen, tile: int, found: "np.ndarray[Any, Any]") -> None:
    """What comes of a tile if it is led, by chances."""
    t, others = game.tables, len(seen.may_hold)
    start, places = 7 + 3 * others + 3, range(1, others + 1)
    found = found[start : start + 6 * others + 3]
    if s.decl < 0:
        near(found, [0.0] * (3 * others) + [1.0] * (2 * others) + [0.0] * others + [1.0] * 3)
        return
    suit = int(t.lead_suit[s.decl, tile])
    power = t.power[s.decl, suit]
    types = range(game.rules.n_types)
    beat = {i for i in types if int(power[i]) + int(t.ties_last) > int(power[tile])}
    follow = {i for i in types if int(t.follow[s.decl, suit]) >> i & 1}
    count = {i: tile_count(i, game.rules.game.count_sums) / 10 for i in follow}
    unbeaten, void = ([seen.none_of([k], tiles) for k in places] for tiles in (beat, follow))
    near(found[:others], [seen.number(k, beat) for k in places])
    near(found[others : 2 * others], [seen.number(k, follow) for k in places])
    counts = [sum(seen.holds[k - 1].get(i, 0.0) * count[i] for i in follow) for k in places]
    near(found[2 * others : 3 * others], counts)
    near(found[3 * others : 5 * others], [*unbeaten, *void])
    near(found[5 * others : 6 * others], [u * (1 - v) for u, v in zip(unbeaten, void, strict=True)])
    sides = [seen.none_of(seats, beat) for seats in (seen.opponents, list(places))]
    near(found[6 * others :], [*sides, seen.none_of(seen.opponents, follow)])


def check_trick(game: BatchedGame, s: Any, seen: Seen, tile: int, found: "np.ndarray[Any, Any]") -> None:
    """What the trick comes to with a tile, and its end by chances."""
    others, sums = len(seen.may_hold), game.rules.game.count_sums
    found = found[7 + 9 * others + 6 :]
    points = 1 + sum(tile_count(i, sums) for i in [*seen.table, tile])
    lacks = [lack - points for lack in seen.lacks]
    near(found[: 2 * len(STEPS)], [float(lack <= step) for step in STEPS for lack in lacks])
    near(found[2 * len(STEPS) :][:2], [min(max(lack / 10, -1.0), 2.0) for lack in lacks])
    found = found[2 * len(STEPS) + 2 :]
    if s.phase != PLAY or s.pos == 0:
        assert not found.any()
        return
    power, ties = game.tables.power[s.decl, s.suit], int(game.tables.ties_last)
    best = max(int(power[tile]), int(s.best))
    over = {i for i in range(game.rules.n_types) if int(power[i]) + ties > best}
    places = range(1, others + 1)
    near(found[:others], [seen.number(k, over) if k in seen.yet else 0.0 for k in places])
    chance = [1 - seen.none_of([k], over) if k in seen.yet else 0.0 for k in places]
    near(found[others : 2 * others], chance)
    theirs, mine = (
        float(np.prod([1 - chance[k - 1] for k in places if (k in seen.opponents) == side])) for side in (True, False)
    )
    ahead = seen.ahead or int(power[tile]) + ties > int(s.best)
    ours = theirs if ahead else 1 - mine
    ends = [ours, ours * (lacks[0] <= 0), ours * points / 10, (1 - ours) * (lacks[1] <= 0), (1 - ours) * points / 10]
    near(found[2 * others :], [float(ahead), *ends])


@pytest.mark.parametrize("preset", ["n42pa", "open", "moon", "eighty_four", "geezer", "big_game"])
def test_what_a_hand_would_be_under_a_declaration_agrees_with_slow_counting(preset: str) -> None:
    rules = Rules.preset(preset)
    shape, game = Shape.of(rules, 8, 1), BatchedGame(rules, 3)
    ranks, t = Ranks(shape, rules), game.tables
    allowed = int(np.bitwise_or.reduce(np.concatenate([t.decls, t.last_decls])))
    game.reset(5)
    place = Position(ranks, torch.from_numpy(game.observe()[0]).float())
    types, there = slots(place)
    rows = torch.tensor([2, 0])
    found = call_features(place, rows, types[rows], there[rows]).numpy()
    assert ranks.named.tolist() == [d for d in range(len(game.codec.declarations)) if allowed >> d & 1]
    assert found.shape == (2, len(ranks.named), call_inputs(shape))
    for k, row in enumerate(rows.tolist()):
        hand, live = (set(np.flatnonzero(plane[row].numpy()).tolist()) for plane in (place.hand, place.live))
        for j, d in enumerate(ranks.named.tolist()):
            check_declaration(game, d, hand, live, found[k, j])


def check_declaration(game: BatchedGame, d: int, hand: set[int], live: set[int], found: "np.ndarray[Any, Any]") -> None:
    """The numbers of a declaration against counting tile by tile."""
    t = game.tables
    trumps = {i for i in range(game.rules.n_types) if int(t.trumps[d]) >> i & 1}
    doubles = {i for i in hand if TILE_ENDS[i][0] == TILE_ENDS[i][1]} - trumps
    rest = hand - trumps - doubles

    def beats(tile: int) -> set[int]:
        power = t.power[d, int(t.lead_suit[d, tile])]
        return {i for i in range(game.rules.n_types) if int(power[i]) + int(t.ties_last) > int(power[tile])}

    def count(tiles: set[int]) -> float:
        return sum(tile_count(i, game.rules.game.count_sums) / 10 for i in tiles)

    ranks = [min(len(beats(tile)), RANKS - 1) for tile in hand & trumps]
    near(found[:RANKS], [float(ranks.count(rank)) for rank in range(RANKS)])
    losers = {tile: len(beats(tile) & live - trumps) for tile in rest}
    numbers = [float(sum(min(n, LOSERS) == k for n in losers.values())) for k in range(LOSERS + 1)]
    counts = [count(hand & trumps), count(doubles), count(rest)]
    counts += [count({tile for tile in rest if losers[tile] <= most}) for most in (0, 2)]
    near(found[RANKS : RANKS + LOSERS + 7] * 2, [*numbers, float(len(doubles)), *counts])
    assert found[RANKS + LOSERS + 7] * RANKS == len(trumps & live)
    assert np.flatnonzero(found[RANKS + LOSERS + 8 :]).tolist() == [d]
