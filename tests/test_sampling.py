"""Worlds: every deal that fits a view, each alike, and none other."""

import itertools
from collections import Counter
from math import factorial
from typing import Any

import numpy as np
import pytest

from texas42.agents.sampling import SamplingError, sample_worlds
from texas42.agents.search.constraints import KNOWLEDGE, gather
from texas42.agents.search.counting import count_deals, draw_deals
from texas42.agents.search.exact_counts import ExactCounts
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import tile_id


def bits(mask: int) -> list[int]:
    """The members of a bit set."""
    return [i for i in range(64) if int(mask) >> i & 1]


def random_game(rules: Any, seed: int, n: int = 30) -> BatchedGame:
    """Games of one hand that are played at random by `stops`."""
    game = BatchedGame(rules, n, auto_reset=False)
    game.reset(seed)
    return game


def stops(game: BatchedGame, rng: np.random.Generator, share: float) -> Any:
    """Random states on the way of random play, as (row, seat that looks)."""
    while not game.done.all():
        for row in np.flatnonzero(~game.done & (rng.random(game.n) < share)):
            yield int(row), int(rng.integers(game.rules.seats))
        legal = [game.legal_names(i) if not game.done[i] else [] for i in range(game.n)]
        picks = [names[rng.integers(len(names))] if names else None for names in legal]
        game.step(np.array([game.codec.parse(name) if name else 0 for name in picks]))


def every_deal(state: Any, t: Any, me: int) -> list[tuple[int, ...]]:
    """All deals of the unseen tiles that fit, found by trying every one; current hands by seat."""
    others = [s for s in range(4) if s != me]
    unseen = bits(sum(int(state.hands[s]) for s in others))
    sizes = [int(state.hands[s]).bit_count() for s in others]
    found = []
    for first in itertools.combinations(unseen, sizes[0]):
        rest = [i for i in unseen if i not in first]
        for second in itertools.combinations(rest, sizes[1]):
            third = [i for i in rest if i not in second]
            hands = [0] * 4
            hands[me] = int(state.hands[me])
            for seat, tiles in zip(others, (first, second, third), strict=True):
                hands[seat] = sum(1 << i for i in tiles)
            if all(allowed(state, t, hands, seat) for seat in others):
                found.append(tuple(hands))
    return found


def allowed(state: Any, t: Any, hands: list[int], seat: int) -> bool:
    """Whether a hand fits the seat's plays and bids."""
    if hands[seat] & int(state.cannot[seat]):
        return False
    played = [int(state.plays[i]) for i in range(state.n_plays) if state.players[i] == seat]
    dealt = hands[seat] | sum(1 << i for i in played)
    for i in range(state.n_calls):
        if state.callers[i] == seat and (dealt & int(t.doubles)).bit_count() < t.call_doubles[state.calls[i]]:
            return False
    return True


@pytest.mark.parametrize("preset", ["n42pa", "open", "casual"])
def test_worlds_are_uniform_over_all_deals_that_fit(preset: str) -> None:
    rules = Rules.preset(preset).replace(early_end="play_all")
    game = random_game(rules, 5, n=60)
    rng = np.random.default_rng(1)
    checked, n = 0, 4000
    for row, seat in stops(game, rng, 0.5):
        state = game.states[row]
        hidden = sum(int(h).bit_count() for s, h in enumerate(state.hands[:4]) if s != seat)
        if not 3 <= hidden <= 8 or checked >= 25:
            continue
        deals = every_deal(state, game.tables, seat)
        if not 2 <= len(deals) <= 400:
            continue
        view = game.views(np.full(game.n, seat))[row : row + 1]
        worlds = sample_worlds(rules, view, seat, n, key=checked)
        seen = Counter(tuple(int(h) for h in hands) for hands in worlds.hands)
        assert set(seen) <= set(deals)
        assert worlds.deals == len(deals)
        expected = n / len(deals)
        chi2 = sum((seen[d] - expected) ** 2 / expected for d in deals)
        freedom = len(deals) - 1
        assert chi2 < freedom + 5 * (2 * freedom) ** 0.5 + 10, (chi2, freedom)
        checked += 1
    assert checked >= 12


def test_a_splash_promises_doubles() -> None:
    rules = Rules.preset("open")
    game = BatchedGame(rules, 200, auto_reset=False)
    game.reset(3)
    codec, looked = game.codec, 0
    for row in range(game.n):
        if "SPLASH" not in game.legal_names(row):
            continue
        one = BatchedGame(rules, 1, auto_reset=False)
        one.reset(3)
        one.states[:] = game.states[row : row + 1]
        caller = int(one.states[0].cur)
        one.step([codec.parse("SPLASH")])
        me = int(one.states[0].cur)
        worlds = sample_worlds(rules, one.views([me]), me, 500, key=row)
        doubles = [(int(h[caller]) & int(one.tables.doubles)).bit_count() for h in worlds.hands]
        assert min(doubles) >= 3
        looked += 1
    assert looked > 3


def test_a_sat_out_partner_holds_seven_unknown_tiles_and_tells_nothing() -> None:
    game = BatchedGame("open", 1, auto_reset=False)
    game.reset(1)
    state = game.states[0]
    while int(state.phase) != 3:
        names = game.legal_names(0)
        game.step([game.codec.parse("M1" if "M1" in names else "PASS")])
    game.step([game.codec.parse("NELLO-own")])
    for _ in range(4):
        game.step([game.codec.parse(game.legal_names(0)[0])]) if not game.done[0] else None
    if not game.done[0]:
        partner = (int(state.bidder) + 2) % 4
        me = int(state.cur)
        worlds = sample_worlds("open", game.views([me]), me, 200, key=1)
        assert {int(h[partner]).bit_count() for h in worlds.hands} == {7}
        assert int(state.cannot[partner]) == 0


def test_a_player_void_in_blanks_may_still_hold_a_trump_with_a_blank() -> None:
    """Fours are trumps, blanks are led, 4-3 is played: no blanks, but perhaps 4-0."""
    rules = Rules.preset("n42pa")
    game = BatchedGame(rules, 1, auto_reset=False)
    game.reset(0)
    state = game.states[0]
    hands = [["0-0", "1-1"], ["4-3", "6-6"], ["2-2", "1-0"], ["4-0", "3-0"]]
    masks = [sum(1 << tile_id(int(t[0]), int(t[2])) for t in hand) for hand in hands]
    state.phase, state.cur, state.leader, state.bidder, state.namer = 4, 0, 0, 0, 0
    state.decl, state.call, state.high, state.n_tricks = 4, 1, 1, 5
    state.in_trick, state.n_plays = 4, 20
    state.hands[:4] = np.array(masks, np.uint64)
    state.played = np.uint64(int(game.tables.deck_mask) & ~sum(masks))
    game.step([game.codec.parse("0-0")])
    game.step([game.codec.parse("4-3")])
    worlds = sample_worlds(rules, game.views([0]), 0, 400, key=0)
    held = {tile for h in worlds.hands for tile in bits(h[1])}
    assert held == {tile_id(4, 0), tile_id(6, 6), tile_id(2, 2)}


@pytest.mark.parametrize("preset", ["moon", "big_game", "one_forty", "seventy_two", "eighty_four_6", "three_handed"])
def test_worlds_of_other_games_keep_sizes_voids_and_what_is_known(preset: str) -> None:
    game = random_game(preset, 2, n=12)
    rng = np.random.default_rng(2)
    looked = 0
    for row, seat in stops(game, rng, 0.05):
        state = game.states[row]
        if int(state.phase) != 4 or looked > 25:
            continue
        view = game.views(np.full(game.n, seat))[row : row + 1]
        worlds = sample_worlds(preset, view, seat, 4, key=looked)
        for hands, out in zip(worlds.hands, worlds.out, strict=True):
            assert int(hands[seat]) == int(state.hands[seat])
            assert [int(h).bit_count() for h in hands] == [int(h).bit_count() for h in state.hands[: len(hands)]]
            assert not any(int(h) & int(c) for h, c in zip(hands, state.cannot, strict=False))
            everything = [*(int(h) for h in hands), int(out), int(state.played)]
            everything.append(int(view[0].discards | view[0].shown) & ~int(out))
            if int(view[0].widow) and int(state.n_discards) == 0:
                everything.append(int(view[0].widow))
            assert sum(everything) == int(game.tables.deck_mask)
        looked += 1
    assert looked > 5


def knowledge_for(holders: list[tuple[int, int, int]], unseen: int, doubles: int = 0, sevens: int = 0) -> Any:
    """A record of `KNOWLEDGE` with holders (seat, room, may) made by hand; needs are those of the first holder."""
    from texas42.agents.search.constraints import classify

    k = np.zeros(1, KNOWLEDGE).view(np.recarray)[0]
    k.unseen, k.n_holders = unseen, len(holders)
    for h, (seat, room, may) in enumerate(holders):
        k.seat[h], k.room[h], k.may[h] = seat, room, may
    k.doubles[0], k.sevens[-1 + len(holders)] = doubles, sevens
    classify(k, compile_tables(Rules.preset("open"))[0])
    return k


@pytest.mark.parametrize(("doubles", "sevens"), [(0, 0), (2, 0), (0, 1), (2, 1)])
def test_both_counters_agree_with_enumeration(doubles: int, sevens: int) -> None:
    tiles = [(6, 6), (5, 5), (4, 4), (6, 1), (5, 2), (3, 1), (6, 0), (2, 0)]
    ids = [tile_id(*t) for t in tiles]
    unseen = sum(1 << i for i in ids)
    may = [unseen, unseen & ~(1 << ids[3]), unseen & ~(1 << ids[0])]
    holders = [(1, 3, may[0]), (2, 2, may[1]), (3, 3, may[2])]
    k = knowledge_for(holders, unseen, doubles, sevens)
    count = 0
    for order in itertools.permutations(range(8)):
        parts = [order[:3], order[3:5], order[5:]]
        sets = [{ids[i] for i in part} for part in parts]
        fits = all(may[h] >> i & 1 for h in range(3) for i in sets[h])
        fits = fits and sum(i in ids[:3] for i in sets[0]) >= doubles
        count += fits and sum(i in ids[3:5] for i in sets[2]) >= sevens
    count //= factorial(3) * factorial(2) * factorial(3)
    shape = (int(k.n_classes) + 1, int(k.n_states))
    ways = np.empty(shape)
    assert count_deals(k, ways, np.empty(shape, np.bool_)) == count
    hands, out = np.zeros((3000, 4), np.uint64), np.zeros(3000, np.uint64)
    draw_deals(k, ways, np.uint64(5), hands, out)
    slow = np.zeros((3000, 4), np.uint64)
    assert ExactCounts(k).draw(5, slow, out) == count
    for drawn in (hands, slow):
        seen = Counter(tuple(int(h) for h in row) for row in drawn)
        assert len(seen) == count
        chi2 = sum((v - 3000 / count) ** 2 / (3000 / count) for v in seen.values())
        assert chi2 < count + 5 * (2 * count) ** 0.5


def test_equal_keys_give_equal_worlds_and_fewer_worlds_are_the_first_ones() -> None:
    game = random_game("n42pa", 4, 1)
    view = game.views([1])
    first = sample_worlds("n42pa", view, 1, 50, key=9)
    again = sample_worlds("n42pa", game.states[0:1], 1, 20, key=9)
    assert (first.hands[:20] == again.hands).all()
    assert (sample_worlds("n42pa", view, 1, 50, key=10).hands != first.hands).any()
    rng = np.random.default_rng(0)
    assert (sample_worlds("n42pa", view, 1, 9, rng).hands != sample_worlds("n42pa", view, 1, 9, rng).hands).any()


def test_weights_tilt_the_worlds() -> None:
    game = random_game("n42pa", 4, 1)
    tile = next(i for i in range(28) if not int(game.states[0].hands[0]) >> i & 1)

    def likes(worlds: Any) -> Any:
        return (worlds.hands[:, 2] >> np.uint64(tile)) & np.uint64(1)

    plain = likes(sample_worlds("n42pa", game.views([0]), 0, 2000, key=1)).mean()
    tilted = likes(sample_worlds("n42pa", game.views([0]), 0, 2000, key=1, weigh=likes)).mean()
    assert abs(plain - 1 / 3) < 0.04
    assert tilted > 0.88


def test_the_sampled_states_are_states_of_the_same_moment() -> None:
    game = random_game("n42pa", 6, 1)
    worlds = sample_worlds("n42pa", game.views([3]), 3, 5, key=2)
    states = worlds.states()
    assert (states["hands"][:, :4] == worlds.hands).all()
    assert (states["phase"] == 0).all()
    assert (worlds.dealt() == worlds.hands).all()
    assert len(worlds) == 5


def test_a_view_that_fits_no_deal_is_refused() -> None:
    game = random_game("n42pa", 6, 1)
    view = game.views([3])
    view["cannot"][0, :3] = np.uint64((1 << 28) - 1)
    with pytest.raises(SamplingError, match="no deal fits what seat 3 sees"):
        sample_worlds("n42pa", view, 3, 5, key=2)


def test_gathering_leaves_the_state_alone() -> None:
    game = random_game("open", 7, 1)
    before = game.states.tobytes()
    gather(np.zeros(1, KNOWLEDGE).view(np.recarray)[0], game.states[0], game.tables, 1)
    assert game.states.tobytes() == before
