"""Engine against oracle: random hands under random house rules, compared at every decision and at the end.

`make oracle` plays TEXAS42_ORACLE_HANDS hands of every preset, on all processors; `make test` a few.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tqdm import tqdm

from support.house import CHANGES, changed
from support.lockstep import compare_hand, compare_many
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

HANDS = int(os.environ.get("TEXAS42_ORACLE_HANDS", "40"))
CHUNK = 200
IN_VOLUME = HANDS > CHUNK


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor | None]:
    """Processes for a run in volume; a few hands are played here."""
    if not IN_VOLUME:
        yield None
        return
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        yield processes


@pytest.mark.parametrize("preset", PRESETS)
def test_engine_agrees_with_the_oracle(
    preset: str, pool: ProcessPoolExecutor | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if pool is None:
        assert compare_many(preset, -1, HANDS)[0] == HANDS
        return
    sizes = [min(CHUNK, HANDS - done) for done in range(0, HANDS, CHUNK)]
    jobs = [pool.submit(compare_many, preset, chunk, size) for chunk, size in enumerate(sizes)]
    try:
        with capsys.disabled(), tqdm(total=HANDS, desc=preset, unit="hand") as bar:
            for job in jobs:
                bar.update(job.result()[0])
    finally:
        for job in jobs:
            job.cancel()


@st.composite
def houses(draw: st.DrawFn) -> Rules:
    """A preset with some changes that make sense beside the others."""
    rules = Rules.preset(draw(st.sampled_from(list(PRESETS))))
    for choices in draw(st.lists(st.sampled_from(CHANGES), max_size=12)):
        rules = changed(rules, draw(st.sampled_from(choices)))
    return rules


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rules=houses(), seed=st.integers(0, 2**32 - 1))
def test_engine_agrees_with_the_oracle_under_any_house_rules(rules: Rules, seed: int) -> None:
    compare_hand(BatchedGame(rules, 1, auto_reset=False), Random(seed))


@pytest.mark.parametrize("laydown", ["claim", "proved"])
@pytest.mark.parametrize("preset", ["open", "geezer", "three_handed", "seventy_two", "players_6"])
def test_claims_agree_with_the_oracle(preset: str, laydown: str) -> None:
    """c.17, f.3.13: late in hands that are played out, so that many are made."""
    random = Random(f"{preset}/{laydown}")
    low_bids = {"min_bid": 5, "bid_step": 3, "max_opening_marks": 1}
    rules = Rules.preset(preset).replace(laydown=laydown, early_end="play_all", **low_bids)
    game = BatchedGame(rules, 1, auto_reset=False)
    claims = 0
    for _ in range(max(60, HANDS // 4)):
        compare_hand(game, random)
        claims += int(game.states[0].claimed)
    assert claims > 2
