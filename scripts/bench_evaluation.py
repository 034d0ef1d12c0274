"""What evaluation costs and whether its intervals keep their word; ``python scripts/bench_evaluation.py --help``.

Prints JSON rows: hands per CPU second of a match of two compiled players, and how often the 95 % interval of a match
between two copies of a player, with luck of their own, covers zero (it should: 90 to 98 times in 100).
"""

import argparse
import json
import statistics

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions
from texas42.agents.specs import make_agent
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match


class Salted:
    """A copy of a player with luck of its own."""

    def __init__(self, agent: Agent, salt: int) -> None:
        self.agent, self.salt, self.name = agent, np.uint64(salt), f"{agent.name}#{salt}"

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """The player's actions under other keys."""
        decisions.keys = decisions.keys ^ self.salt
        return self.agent.act(decisions)

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Passed on."""
        self.agent.reset(game_ids)


def speed(a: str, b: str, rules: str, deals: int, repeats: int) -> dict[str, object]:
    """Hands per CPU second, best and median."""
    rates = [play_match(a, b, rules, deals, seed).hands_per_cpu_s for seed in range(repeats)]
    frame = {"bench": "evaluation", "a": a, "b": b, "rules": rules, "deals": deals, "threads": 1}
    return {**frame, "hands_per_cpu_s": max(rates), "hands_per_cpu_s_median": statistics.median(rates)}


def coverage(spec: str, rules: str, deals: int, matches: int) -> dict[str, object]:
    """Share of matches between two copies whose interval covers zero."""
    agent = make_agent(spec, Rules.preset(rules))
    covered = 0
    for seed in range(matches):
        low, high = play_match(Salted(agent, 1), Salted(agent, 2), rules, deals, seed).ci95
        covered += low <= 0 <= high
    frame = {"bench": "coverage", "agent": spec, "rules": rules, "deals": deals, "matches": matches}
    return {**frame, "covered": covered / matches}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="n42pa", metavar="PRESET")
    parser.add_argument("--deals", type=int, default=5000, help="deals of a match whose speed is taken")
    parser.add_argument("--repeats", type=int, default=5, help="matches whose speed is taken")
    parser.add_argument("--matches", type=int, default=200, help="matches of 150 deals for the coverage; 0 for none")
    args = parser.parse_args()
    for a, b in (("heuristic", "random"), ("heuristic", "passer"), ("random", "random")):
        print(json.dumps(speed(a, b, args.rules, args.deals, args.repeats)))
    if args.matches:
        print(json.dumps(coverage("random", args.rules, 150, args.matches)))


if __name__ == "__main__":
    main()
