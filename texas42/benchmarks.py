"""Speed of engine and agents: what ``texas42 bench engine``, ``observe`` and ``heuristic`` measure.

Figures are per CPU second of the process, over all its threads. Every row gives the best of several repeats and
their median; repeats continue the same games, so that no repeat is easier than another.
"""

import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import texas42.envs.engine as engine_package
import texas42.envs.rules as rules_package
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.bits import add, stream
from texas42.envs.engine.jit import KernelCompiler
from texas42.envs.engine.state import OVER
from texas42.envs.engine.step import apply, is_legal, random_legal
from texas42.envs.rules.rules import Rules

Row = dict[str, Any]
BATCH = 4096
STEPS = 500
REPEATS = 7
SEED = 1
CYCLES = 40
"""Replays in one repeat of `measure_same_hands`: one takes milliseconds."""

_HERE = Path(__file__).resolve().parent
_floors = [Path(str(package.__file__)).resolve().parent for package in (engine_package, rules_package)]
kernel = KernelCompiler("texas42-bench", _HERE, *_floors)


@kernel
def record_hands(states: Any, t: Any, key: Any, actions: Any) -> Any:
    """Play every row's hand at random and note the actions (rows, steps), -1 after the end; returns decisions."""
    total = 0
    for i in range(len(states)):
        s = states[i]
        n = 0
        while s.phase != OVER:
            actions[i, n] = random_legal(s, t, stream(add(key, s.row), n))
            apply(s, t, actions[i, n])
            n += 1
        total += n
    return total


@kernel
def replay_hands(states: Any, t: Any, actions: Any) -> Any:
    """Apply noted actions to fresh hands, asking each time whether they are legal; returns illegal ones."""
    illegal = 0
    for i in range(len(states)):
        s = states[i]
        n = 0
        while s.phase != OVER and actions[i, n] >= 0:
            if not is_legal(s, t, actions[i, n]):
                illegal += 1
            apply(s, t, actions[i, n])
            n += 1
    return illegal


Work = Callable[[], float]
"""Does some work and returns how much of it was done for each CPU second."""


def repeated(works: Sequence[Work], repeats: int) -> list[list[float]]:
    """Figures of every work, taken in turn so that a busy moment hits all alike; the first round is thrown away."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(repeats + 1):
        for work, rates in zip(works, found, strict=True):
            rates.append(work())
    return [rates[1:] for rates in found]


def figures(rates: Sequence[float], unit: str = "decisions_per_cpu_s") -> Row:
    """Best and median of repeats as the figures of a row."""
    return {unit: max(rates), f"{unit}_median": statistics.median(rates)}


def slower_by(base: Sequence[float], other: Sequence[float]) -> float:
    """How many times as long the other takes: the median over pairs of repeats."""
    return statistics.median(b / o for b, o in zip(base, other, strict=True))


def measure_engine(rules: Rules, threads: int = 1, batch: int = BATCH, repeats: int = REPEATS) -> Row:
    """Uniformly random legal play without observations; new hands are dealt as old ones end."""
    with _random_play(rules, threads, batch) as work:
        rates = repeated([work], repeats)
    return {**_frame("engine", rules, threads, batch), **figures(rates[0])}


def measure_engine_against(
    base: Rules, other: Rules, threads: int = 1, batch: int = BATCH, repeats: int = REPEATS
) -> Row:
    """Random play under `other`, and how many times as long as under `base` it takes (``slower_by``)."""
    with _random_play(base, threads, batch) as first, _random_play(other, threads, batch) as second:
        rates = repeated([first, second], repeats)
    against = {"base": _name(base), "slower_by": slower_by(*rates)}
    return {**_frame("engine", other, threads, batch), **figures(rates[1]), **against}


@contextmanager
def _random_play(rules: Rules, threads: int, batch: int) -> Iterator[Work]:
    with _chunked(rules, threads, batch) as (game, chunks, pool):
        keys = itertools.count()

        def work() -> float:
            key = np.uint64(next(keys))
            start = time.process_time()
            list(pool.map(lambda rows: drivers.rollout_random(rows, game.tables, STEPS, key), chunks))
            return batch * STEPS / (time.process_time() - start)

        yield work


def measure_observe(rules: Rules, threads: int = 1, batch: int = BATCH, repeats: int = REPEATS) -> Row:
    """As `measure_engine`, writing the mover's observation and mask before every decision."""
    steps = STEPS // 4
    with _chunked(rules, threads, batch) as (game, chunks, pool):
        width, n_actions = game.layout.width, game.codec.n_actions
        buffers = [(np.empty(width, np.int8), np.empty(n_actions, np.int8)) for _ in chunks]
        keys = itertools.count()

        def observed(rows: Any, key: np.uint64, buffer: tuple[Any, Any]) -> None:
            drivers.rollout_observed(rows, game.tables, steps, key, *buffer)

        def work() -> float:
            key = np.uint64(next(keys))
            start = time.process_time()
            list(pool.map(observed, chunks, [key] * threads, buffers))
            return batch * steps / (time.process_time() - start)

        rates = repeated([work], repeats)
    sizes = {"observation_width": width, "n_actions": n_actions}
    return {**_frame("observe", rules, threads, batch), **sizes, **figures(rates[0])}


@contextmanager
def _chunked(rules: Rules, threads: int, batch: int) -> Iterator[tuple[BatchedGame, list[Any], ThreadPoolExecutor]]:
    """A started game, its rows in one slice for each thread, and the threads."""
    game = BatchedGame(rules, batch)
    game.reset(SEED)
    chunks = [game.states[batch * k // threads : batch * (k + 1) // threads] for k in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        yield game, chunks, pool


def measure_same_hands(base: Rules, other: Rules, batch: int = BATCH, repeats: int = REPEATS) -> Row:
    """CPU time of the same hands under two rule sets: random hands of `base` replayed under both.

    Both must be house rules of one game, and every hand of `base` legal under `other`; hands that `base` throws in
    are left out. ``slower_by`` is the time under `other` over the time under `base`.
    """
    game = BatchedGame(base, batch)
    game.reset(SEED)
    fresh = game.states.copy()
    actions = np.full((batch, 2 * int(game.tables.n_calls) + len(base.deck)), -1, np.int64)
    record_hands(game.states, game.tables, np.uint64(SEED), actions)
    kept = game.states["made"] >= 0
    hands, actions = fresh[kept], np.ascontiguousarray(actions[kept])
    works = [_replay(hands, tables, actions) for tables in (game.tables, BatchedGame(other, 1).tables)]
    rates = repeated(works, repeats)
    frame = {**_frame("engine", other, 1, batch), "play": f"hands of {base.base}"}
    return {**frame, **figures(rates[1]), "base": _name(base), "slower_by": slower_by(*rates)}


def _replay(hands: Any, tables: Any, actions: Any) -> Work:
    """Replays `hands`, the copying of the deals not counted."""
    decisions = int((actions >= 0).sum())
    scratch = hands.copy()
    words, target = (records.view(np.ndarray).view(np.uint64) for records in (hands, scratch))

    def work() -> float:
        spent = 0.0
        for _ in range(CYCLES):
            target[:] = words
            start = time.process_time()
            illegal = replay_hands(scratch, tables, actions)
            spent += time.process_time() - start
            if illegal:
                raise ValueError("the recorded hands are not legal under both rule sets")
        return CYCLES * decisions / spent

    return work


def measure_agent(spec: str, rules: Rules, deals: int = 2000, repeats: int = REPEATS) -> Row:
    """Decisions of an agent per CPU second, playing itself in batches; engine and views are not counted."""
    from texas42.training.evaluation import play_match

    rates, decisions = [], 0
    for repeat in range(repeats):
        result = play_match(spec, spec, rules, deals, seed=repeat)
        decisions = sum(result.decisions)
        seconds = sum(n * (s or 0.0) for n, s in zip(result.decisions, result.cpu_s_per_decision, strict=True))
        rates.append(decisions / seconds)
    row = {**_frame(spec, rules, 1, min(BATCH, 2 * deals)), "play": "against itself"}
    return {**row, "decisions": decisions, **figures(rates)}


def _frame(bench: str, rules: Rules, threads: int, batch: int) -> Row:
    return {"bench": bench, "rules": _name(rules), "threads": threads, "batch": batch, "play": "random"}


def _name(rules: Rules) -> object:
    """A preset's name, or a dictionary with what was changed."""
    spec = rules.to_dict()
    return spec["preset"] if len(spec) == 1 else spec


_START = """
import json, time
start, cpu = time.perf_counter(), time.process_time()
import texas42.envs
imported = time.perf_counter()
from texas42.envs.aec import env
game = env()
game.reset(seed=0)
mask = game.observe(game.agent_selection)["action_mask"]
game.step(int(mask.argmax()))
print(json.dumps({"import_s": imported - start, "wall_s": time.perf_counter() - start, "cpu_s": time.process_time()}))
"""


def measure_start(cold: bool) -> Row:
    """A fresh process that imports `texas42.envs`, makes the AEC environment, resets it and takes one step.

    With `cold` its kernel cache is empty and everything is compiled; otherwise the cache is filled first. ``cpu_s``
    counts the whole process, the interpreter's start included; ``wall_s`` counts from the import on.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        found = _run_start(environment)
        if not cold:
            found = _run_start(environment)
    return {"bench": "start", "cache": "cold" if cold else "warm", "rules": "n42pa", "threads": 1, **found}


def _run_start(environment: dict[str, str]) -> Row:
    result = subprocess.run(
        [sys.executable, "-P", "-c", _START], env=environment, check=True, capture_output=True, text=True
    )
    found: Row = json.loads(result.stdout.splitlines()[-1])
    return found


def machine() -> Row:
    """What the figures were measured on and with."""
    import numba

    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
    }
