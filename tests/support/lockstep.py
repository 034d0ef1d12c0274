"""Engine and oracle in step: the same random hand on both, compared at every decision and at the end."""

from collections.abc import Callable
from random import Random

import oracle
from support.house import random_house
from support.table import act, claim_array, lay_out, legal_names, sides
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import step
from texas42.envs.rules.rules import Rules

LATE = 4
"""Tiles a claimant may hold at most where his claim is not proved: the oracle searches every line; see `may_claim`."""

HANDS_PER_HOUSE = 5

Check = Callable[[BatchedGame], None]


class Mismatch(AssertionError):
    """Engine and oracle differ; the message holds all that is needed to repeat it."""


def compare_hand(game: BatchedGame, random: Random, check: Check | None = None) -> int:
    """Play one random hand of a one-row game on both; returns the number of decisions.

    Raises:
        Mismatch: at the first difference.
    """
    rules = game.rules
    spec = rules.to_dict()
    tiles = oracle.tile_set(spec)
    random.shuffle(tiles)
    size = rules.setup.hand
    hands = [tiles[seat * size : (seat + 1) * size] for seat in range(rules.seats)]
    widow = tiles[rules.seats * size :]
    shaker = random.randrange(rules.seats)
    scores = _random_scores(rules, random)
    slow = oracle.Hand(spec, shaker, hands, widow, scores)
    game.reset(seed=0)
    lay_out(game, 0, hands, widow, shaker, scores)
    decisions = 0
    while not slow.done:
        _compare_decision(game, slow)
        if check is not None:
            check(game)
        _take(game, slow, random)
        decisions += 1
    _compare_end(game, slow, scores)
    return decisions


def compare_many(preset: str, chunk: int, hands: int) -> tuple[int, int]:
    """Random hands of a preset, most of them under random house rules; a pure function of its arguments.

    Returns:
        Hands and decisions played.
    """
    random = Random(f"{preset}/{chunk}")
    decisions = 0
    for number in range(hands):
        if number % HANDS_PER_HOUSE == 0:
            rules = Rules.preset(preset) if random.random() < 0.15 else random_house(preset, random)
            game = BatchedGame(rules, 1, auto_reset=False)
        decisions += compare_hand(game, random)
    return hands, decisions


def _random_scores(rules: Rules, random: Random) -> list[int]:
    low = -rules.target if rules.scoring == "signed_points" else 0
    return [random.randint(low, rules.target - 1) for _ in range(rules.sides)]


def _fail(slow: oracle.Hand, what: str, engine: object, right: object) -> None:
    raise Mismatch(
        f"{what}: engine {engine}, oracle {right}\nrules {slow.spec}\n"
        f"shaker {slow.shaker} scores {slow.scores}\nhands {slow.dealt}\nwidow {slow.widow}\n"
        f"actions {slow.actions}"
    )


def _expect(slow: oracle.Hand, what: str, engine: object, right: object) -> None:
    if engine != right:
        _fail(slow, what, engine, right)


def _compare_decision(game: BatchedGame, slow: oracle.Hand) -> None:
    state = game.states[0]
    _expect(slow, "seat to move", int(state.cur), slow.actor)
    _expect(slow, "legal actions", sorted(legal_names(game, 0)), slow.legal())
    _expect(slow, "points", sides(game, state.taken), slow.tally.points)
    _expect(slow, "tricks won", sides(game, state.won), slow.tally.tricks)


def _take(game: BatchedGame, slow: oracle.Hand, random: Random) -> None:
    """One random action on both; passes are likelier and early claims left out."""
    legal = slow.legal()
    if "PASS" in legal and random.random() < 0.5:
        action = "PASS"
    elif "CLAIM" in legal and may_claim(slow) and random.random() < 0.5:
        _claim(game, slow, random)
        return
    else:
        action = random.choice([name for name in legal if name != "CLAIM"])
    act(game, action)
    slow.apply(action)


def may_claim(slow: oracle.Hand) -> bool:
    """Whether the oracle can judge a claim in good time, and the engine within the plays f.3.13 allows.

    Late, or one that is sound by the rules; at tables of six and more a tile later.
    """
    assert slow.actor is not None
    held = len(slow.hands[slow.actor])
    late = LATE if len(slow.hands) < 6 else LATE - 1
    return held <= (2 * LATE if slow.rules["laydown"] == "proved" else late)


def _claim(game: BatchedGame, slow: oracle.Hand, random: Random) -> None:
    """A claim in the engine's order or in a random one."""
    assert slow.actor is not None
    held = list(slow.hands[slow.actor])
    if random.random() < 0.5 or len(held) > LATE:
        act(game, "CLAIM")
        slow.apply("CLAIM")
    else:
        random.shuffle(held)
        step.apply_claim(game.states[0], game.tables, claim_array(held))
        slow.apply(" ".join(["CLAIM", *held]))


def _compare_end(game: BatchedGame, slow: oracle.Hand, scores: list[int]) -> None:
    state = game.states[0]
    thrown_in = slow.made is None
    tricks = [
        {
            "leader": int(state.leaders[i]),
            "winner": int(state.trick_winners[i]),
            "points": int(state.trick_values[i]),
        }
        for i in range(state.n_tricks)
    ]
    _expect(slow, "end of the hand", bool(state.done), True)
    _expect(slow, "tricks", tricks, slow.tricks)
    _expect(slow, "made", int(state.made), {None: -1, False: 0, True: 1}[slow.made])
    _expect(slow, "points", sides(game, state.taken), slow.tally.points)
    _expect(slow, "score change", sides(game, state.delta), slow.score_delta)
    if thrown_in:
        return
    assert slow.contract is not None
    side = game.rules.side_of(slow.contract.bidder)
    winners = oracle.game_winners(slow.spec, scores, slow.score_delta, side, slow.made)
    found = [i for i in range(game.rules.sides) if state.winners >> i & 1]
    _expect(slow, "winners of the game", found or None, winners)
    _expect(slow, "declaration", game.codec.declarations[state.decl].name, slow.declaration)
    _expect(slow, "namer", int(state.namer), slow.contract.declarer)
