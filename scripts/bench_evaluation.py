"""What evaluation costs and whether its intervals keep their word; ``python scripts/bench_evaluation.py --help``.

Prints JSON rows:
speed     hands per CPU second of matches of compiled players
network   the same for two copies of an untrained policy of the default size (needs the extra `train`)
coverage  how often the 95 % interval of a match between two copies of a player, with luck of their own, covers zero
          (it should: 90 to 98 times in 100)
until     the same for matches that stop early
pairing   how many times as many hands a match without common deals would need for the same interval
luck      share of the variance of a deal's score that comes from the players' own random choices
variate   share of it that matches of cheap players on the same deals explain
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions
from texas42.agents.specs import make_agent
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match

Row = dict[str, object]


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


def speed(a: str, b: str, rules: str, deals: int, repeats: int) -> Row:
    """Hands per CPU second, best and median."""
    results = [play_match(a, b, rules, deals, seed) for seed in range(repeats)]
    rates = [result.hands_per_cpu_s for result in results]
    decisions = sum(results[-1].decisions) / results[-1].episodes
    row: Row = {"bench": "speed", "a": a, "b": b, "rules": rules, "deals": deals, "decisions_per_hand": decisions}
    return row | {"hands_per_cpu_s": max(rates), "hands_per_cpu_s_median": statistics.median(rates)}


def speeds(args: argparse.Namespace) -> Iterator[Row]:
    """Compiled players."""
    for a, b in (("heuristic", "random"), ("heuristic", "passer"), ("random", "random")):
        yield speed(a, b, args.rules, args.deals or 5000, args.repeats)


def network(args: argparse.Namespace) -> Iterator[Row]:
    """Two copies of a policy on one thread; a checkpoint's, if one is given."""
    if args.checkpoint:
        yield speed(args.checkpoint, args.checkpoint, args.rules, args.deals or 1000, args.repeats)
        return
    from texas42.agents.checkpoint import fingerprint, save_checkpoint
    from texas42.agents.network import Actor, initialise, to_arrays
    from texas42.agents.shape import Shape
    from texas42.training.config import NetworkConfig

    rules, sizes = Rules.preset(args.rules), NetworkConfig()
    shape = Shape.of(rules, sizes.width, sizes.layers, sizes.tile_width)
    actor = Actor(shape, rules)
    initialise(actor, 1)
    arrays = {f"actor.{name}": array for name, array in to_arrays(actor).items()}
    meta = {"fingerprint": fingerprint(rules), "rules": rules.to_dict(), "shape": shape.to_dict()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "untrained.safetensors"
        save_checkpoint(path, arrays, meta)
        spec = f"checkpoint:{path}"
        row = speed(spec, spec, args.rules, args.deals or 1000, args.repeats)
    yield row | {"a": "untrained", "b": "untrained", "width": sizes.width, "layers": sizes.layers}


def coverage(args: argparse.Namespace) -> Iterator[Row]:
    """Share of matches between two copies whose interval covers zero."""
    yield _coverage(args, 150, None)


def until(args: argparse.Namespace) -> Iterator[Row]:
    """The same for matches that stop when they are sure to within ± 0.1."""
    yield _coverage(args, 20_000, 0.1)


def _coverage(args: argparse.Namespace, deals: int, width: float | None) -> Row:
    agent, covered, played = make_agent("random", Rules.preset(args.rules)), 0, 0
    for seed in range(args.matches):
        result = play_match(Salted(agent, 1), Salted(agent, 2), args.rules, deals, seed, until=width)
        covered += result.ci95[0] <= 0 <= result.ci95[1]
        played += result.deals
    row: Row = {"bench": "coverage", "agent": "random", "rules": args.rules, "matches": args.matches, "until": width}
    return row | {"deals": played / args.matches, "covered": covered / args.matches}


def pairing(args: argparse.Namespace) -> Iterator[Row]:
    """The gain of common deals, in hands."""
    for a, b, deals in (
        ("heuristic", "random", 5000),
        ("heuristic", "passer", 5000),
        ("pimc:worlds=10", "heuristic", args.deals or 400),
    ):
        result = play_match(a, b, args.rules, deals, 1)
        row: Row = {"bench": "pairing", "a": a, "b": b, "rules": args.rules, "deals": deals, "mean": result.mean}
        yield row | {"ci95": list(result.ci95), "gain": result.pairing_gain}


def luck(args: argparse.Namespace) -> Iterator[Row]:
    """Play the same deals over and over with other luck: variance within deals over the variance of all."""
    pairs = [("random", "heuristic"), ("random", "random"), ("pimc:worlds=10", "heuristic")]
    if args.checkpoint:
        pairs += [(f"{args.checkpoint},temperature=1", "heuristic")]
    rules = Rules.preset(args.rules)
    for a, b in pairs:
        agents = [make_agent(spec, rules) for spec in (a, b)]
        deals, repeats = args.deals or 200, 6
        scores = [
            play_match(Salted(agents[0], 2 * k), Salted(agents[1], 2 * k + 1), rules, deals, 1).scores
            for k in range(repeats)
        ]
        within = float(np.var(scores, axis=0, ddof=1).mean())
        total = within + max(0.0, float(np.var(np.mean(scores, axis=0), ddof=1)) - within / repeats)
        row: Row = {"bench": "luck", "a": a, "b": b, "rules": args.rules, "deals": deals, "repeats": repeats}
        yield row | {"variance": total, "within_deals": within / total}


def variate(args: argparse.Namespace) -> Iterator[Row]:
    """How much of the variance of a deal's score matches of cheap players on the same deals explain (adjusted R²).

    The mean of such a match can be had as exactly as one likes, so it could serve as a control variate.
    """
    cheap = (("heuristic", "random"), ("passer", "random"), ("heuristic", "passer"))
    pairs = [("pimc:worlds=10", "heuristic", args.deals or 400)]
    if args.checkpoint:
        pairs.append((args.checkpoint, "heuristic", args.deals or 2000))
    for a, b, deals in pairs:
        target = play_match(a, b, args.rules, deals, 1).scores
        others = [play_match(*pair, args.rules, deals, 1) for pair in cheap]
        columns = [np.ones(deals), *(o.scores for o in others), *(np.abs(o.by_sitting).sum(axis=1) for o in others)]
        design = np.stack(columns, axis=1)
        fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
        unexplained = float(((target - fitted) ** 2).sum() / (deals - design.shape[1]))
        row: Row = {"bench": "variate", "a": a, "b": b, "rules": args.rules, "deals": deals}
        yield row | {"explained": 1 - unexplained / float(target.var(ddof=1))}


BENCHES: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "speed": speeds,
    "network": network,
    "coverage": coverage,
    "until": until,
    "pairing": pairing,
    "luck": luck,
    "variate": variate,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", metavar="BENCH", help="which rows; default all but network")
    parser.add_argument("--rules", default="n42pa", metavar="PRESET")
    parser.add_argument("--deals", type=int, default=0, help="deals of a match, where it is not part of the question")
    parser.add_argument("--repeats", type=int, default=5, help="matches whose speed is taken")
    parser.add_argument("--matches", type=int, default=200, help="matches for the coverage")
    parser.add_argument("--checkpoint", default="", metavar="SPEC", help="a trained policy for network and luck")
    args = parser.parse_args()
    for name in args.benches or [name for name in BENCHES if name != "network"]:
        if name not in BENCHES:
            parser.error(f"unknown bench {name!r}; known: {', '.join(BENCHES)}")
        for row in BENCHES[name](args):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
