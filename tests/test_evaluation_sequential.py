"""Stopping early: when looks come, what is reported, and that the interval keeps its word."""

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from support.players import Salted
from texas42.agents.specs import make_agent
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match
from texas42.training.evaluation.sequential import FIRST_LOOK, StopRule

SCORES = [-1.5, -1.0, 0.0, 0.5, 2.0]
CHANCES = [0.1, 0.25, 0.3, 0.25, 0.1]
TRUTH = float(np.dot(SCORES, CHANCES))


def stopped(rule: StopRule, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The scores up to the look at which the rule is satisfied."""
    look = rule.next_look(0)
    while not rule.satisfied(scores[:look]):
        look = rule.next_look(look)
        assert look <= len(scores)
    return scores[:look]


def test_looks_come_at_fixed_numbers_of_deals_a_tenth_apart() -> None:
    looks = [FIRST_LOOK]
    while looks[-1] < 10_000:
        looks.append(StopRule.next_look(looks[-1]))
    assert all(1.09 < b / a < 1.11 for a, b in pairwise(looks))
    assert [n for n in range(looks[5] + 1) if StopRule.is_look(n)] == looks[:6]
    assert StopRule.next_look(looks[2] + 1) == looks[3]


@pytest.mark.parametrize("width", [0.15, 0.08, 0.05])
def test_interval_of_a_stopped_match_covers_as_often_as_it_says(width: float) -> None:
    rule, covered, repeats = StopRule(width), 0, 400
    needed = np.var(SCORES) and 1.96**2 * (np.dot(np.square(SCORES), CHANCES) - TRUTH**2) / width**2
    for repeat in range(repeats):
        scores = np.random.default_rng(repeat).choice(SCORES, size=max(2000, int(2 * needed)), p=CHANCES)
        low, high = rule.interval(stopped(rule, scores))
        assert high - low == pytest.approx(2 * width)
        covered += low <= TRUTH <= high
    assert covered / repeats >= 0.92  # more than 98 in 100 where the first look is enough
    if needed > 2 * FIRST_LOOK:
        assert covered / repeats <= 0.98


def test_equal_scores_stop_only_when_a_rare_event_would_not_matter() -> None:
    assert StopRule(0.02).satisfied(np.zeros(250))
    assert not StopRule(0.005).satisfied(np.zeros(250))
    assert StopRule(0.005).satisfied(np.zeros(400))


@pytest.mark.parametrize("width", [0.0, -1.0, math.nan, math.inf])
def test_width_must_be_a_number_above_zero(width: float) -> None:
    with pytest.raises(OptionsError, match=r"until=.* is not allowed; allowed: a number above 0"):
        play_match("random", "random", deals=1, until=width)


def test_match_stops_at_the_first_look_that_is_sure_enough() -> None:
    rules = Rules.preset("n42pa")
    random = make_agent("random", rules)
    long = play_match(Salted(random, 1), random, rules, deals=3000, seed=1)
    result = play_match(Salted(random, 1), random, rules, deals=3000, seed=1, until=0.1)
    rule = StopRule(0.1)
    assert result.stopped_early
    assert result.deals < 3000
    assert (result.scores == stopped(rule, long.scores)).all()
    assert result.ci95 == pytest.approx((result.mean - 0.1, result.mean + 0.1))
    assert (result.to_json()["until"], result.to_json()["stopped_early"]) == (0.1, True)


def test_match_that_is_not_sure_enough_plays_all_deals_and_says_so() -> None:
    result = play_match("heuristic", "random", deals=300, seed=1, until=0.001)
    plain = play_match("heuristic", "random", deals=300, seed=1)
    assert not result.stopped_early
    assert result.ci95 == plain.ci95
    assert (result.scores == plain.scores).all()


def test_stopping_does_not_depend_on_batches_and_is_negated_by_exchange() -> None:
    first, second, back = (
        play_match(*teams, "n42pa", deals=5000, seed=3, until=0.1, batch=batch)
        for teams, batch in (
            (("heuristic", "random"), 4096),
            (("heuristic", "random"), 100),
            (("random", "heuristic"), 64),
        )
    )
    assert first.stopped_early
    assert (first.scores == second.scores).all()
    assert (first.scores == -back.scores).all()
    assert first.ci95 == (-back.ci95[1], -back.ci95[0])


@pytest.mark.slow
def test_two_copies_of_a_player_are_found_equal_when_a_match_stops_early() -> None:
    random = make_agent("random", Rules.preset("seed_marks"))
    covered = 0
    for seed in range(200):
        result = play_match(Salted(random, 1), Salted(random, 2), "seed_marks", 5000, seed, until=0.1)
        assert result.stopped_early
        covered += result.ci95[0] <= 0 <= result.ci95[1]
    assert 0.90 <= covered / 200 <= 0.98
