"""Speed and soundness of the players that search.

``python scripts/search_strength.py speed [SPEC ...]``: CPU milliseconds a decision on hands that the heuristic plays,
forced decisions left out, plays and calls or declarations apart.

``python scripts/search_strength.py sound [SPEC=HANDS ...] [--house N]``: the player in all seats of every preset of
four-player double-six 42, and of N random house rules with a hundredth of the hands each; an illegal action or an
error ends it.
"""

import argparse
import importlib
import sys
import time
from collections import defaultdict
from pathlib import Path
from random import Random

import numpy as np

from texas42.agents.arena import decision_keys, decisions_for, play_out
from texas42.agents.base import Agent, sees_all
from texas42.agents.specs import make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import PLAY
from texas42.envs.rules.rules import Rules

PRESETS = ("n42pa", "seed_marks", "seed_points", "spruce", "casual", "open")
SPEED = ("heuristic", "pimc:worlds=10", "pimc:worlds=40", "ismcts:iterations=1000", "cheat")
SOUND = ("heuristic=10000", "cheat=2000", "pimc:worlds=2=500", "ismcts:iterations=50=500")


def times_of(agent: Agent, rules: Rules, hands: int, seed: int) -> dict[str, list[float]]:
    """CPU milliseconds of each decision with a choice, by ``play`` and ``call``, one decision at a time."""
    habit = make_agent("heuristic", rules)
    game = BatchedGame(rules, hands, auto_reset=False)
    game.reset(seed)
    times: dict[str, list[float]] = defaultdict(list)
    steps = 0
    while not game.done.all():
        live = np.flatnonzero(~game.done)
        keys = decision_keys(game, seed, np.full(hands, steps))
        actions = np.full(hands, -1)
        views = decisions_for(game, live, keys[live])
        actions[live] = habit.act(views)
        for row in live[views.masks.sum(axis=1) > 1]:
            one = decisions_for(game, np.array([row]), keys[row : row + 1], sees_all(agent))
            started = time.process_time_ns()
            agent.act(one)
            kind = "play" if game.states[row]["phase"] == PLAY else "call"
            times[kind].append((time.process_time_ns() - started) / 1e6)
        game.step(actions)
        steps += 1
    return times


def speed(specs: list[str], hands: int, seed: int) -> None:
    """Print a table of CPU milliseconds."""
    rules = Rules.preset("n42pa")
    print(f"{'CPU ms a decision':34} {'':5} {'mean':>7} {'median':>7} {'p99':>7} {'max':>7} {'n':>6}")
    for spec in specs or SPEED:
        agent = make_agent(spec, rules)
        times_of(agent, rules, 2, seed + 1)  # loads compiled code
        for kind, ms in times_of(agent, rules, hands, seed).items():
            figures = (np.mean(ms), np.median(ms), np.percentile(ms, 99), np.max(ms))
            print(f"{spec:34} {kind:5} " + " ".join(f"{x:7.2f}" for x in figures) + f" {len(ms):6}", flush=True)


def house_rules(n: int, seed: int) -> list[tuple[str, Rules]]:
    """Random house rules of four-player double-six 42."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    random_house = importlib.import_module("support.house").random_house
    found: list[tuple[str, Rules]] = []
    rng = Random(seed)
    while len(found) < n:
        rules = random_house(rng.choice(PRESETS), rng)
        if rules.seats == 4 and not rules.two_seats_each:
            found.append((f"house {len(found)}", rules))
    return found


def sound(specs: list[str], house: int, seed: int) -> None:
    """Play hands; print how many, and the CPU time of one."""
    tables = [(name, Rules.preset(name), 1.0) for name in PRESETS]
    tables += [(name, rules, 0.01) for name, rules in house_rules(house, seed)]
    for entry in specs or SOUND:
        spec, _, count = entry.rpartition("=")
        for name, rules, share in tables:
            agent = make_agent(spec, rules)
            hands = max(1, int(int(count) * share))
            game = BatchedGame(rules, hands, auto_reset=False)
            game.reset(seed)
            started = time.process_time()
            play_out(game, [agent], np.zeros((hands, 4), np.int64), seed)
            ms = (time.process_time() - started) / hands * 1e3
            print(f"{spec:28} {name:12} {hands:6} hands  {ms:8.2f} CPU ms a hand", flush=True)


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "sound"))
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--hands", type=int, default=100, help="hands of speed")
    parser.add_argument("--house", type=int, default=20, help="random house rules of sound")
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    if args.what == "speed":
        speed(args.specs, args.hands, args.seed)
    else:
        sound(args.specs, args.house, args.seed)


if __name__ == "__main__":
    main()
