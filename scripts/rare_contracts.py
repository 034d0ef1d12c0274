"""How often contracts on doubles, nello and sevens are to be had, who takes them, and whether they pay.

    python scripts/rare_contracts.py [SPEC ...] [--rules PRESET] [--on KIND ...] [--deals N] [--worlds N] [--seed S]
        [--json FILE]

The heuristic calls and declares in all seats, on N plain deals and on N conditioned ones of every kind the rules know
(`training/deals.py`), or of those named. A chance is a decision at which the contract may be called or declared. Every
SPEC is asked what it would do there (default: heuristic), and the choices are played out by the heuristic in all seats
(`training/advice.py`), in the true deal and in worlds that fit what the seat sees. One half of the worlds chooses the
best way to the contract and the best other choice, the other half says what the first gains over the second, so that
no choice is judged by the worlds that favoured it. In the true deal, hindsight chooses among the others.
Marks, with 95 % intervals by bootstrap over deals. A Markdown table on stdout.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from texas42.agents.arena import copy_rows, decision_keys, decisions_for
from texas42.agents.base import Agent
from texas42.agents.heuristic.agent import HeuristicAgent
from texas42.agents.sampling import sample_worlds
from texas42.agents.search.searcher import can_search
from texas42.agents.specs import SpecError, make_agent
from texas42.commands.common import whole_number
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.state import AUCTION, DECLARE, Batch, new_batch
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.declarations import NELLO, SEVENS
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.ladder import SPECIAL
from texas42.envs.rules.rules import Rules
from texas42.training.advice import Adviser
from texas42.training.config import DealsConfig
from texas42.training.deals import ConditionedDeals
from texas42.training.evaluation.intervals import clustered_means

PLAIN = "plain"
BLOCK = 32
"""Decisions whose worlds are played out side by side."""
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]


@dataclass
class Chances:
    """Decisions, n of them, at which some rare contract was to be had, and what players would do.

    Attributes:
        states: the whole truth, shape (n,).
        masks: legal actions, int8 (n, actions).
        answers: actions of every player, int64 (players, n).
    """

    states: Batch
    masks: npt.NDArray[np.int8]
    answers: Int64


def main() -> int:
    """Returns 0, or 2 for bad arguments."""
    args = parse_arguments()
    try:
        rules = Rules.preset(args.rules)
        players = [make_agent(spec, rules) for spec in args.spec]
        contracts = rare_contracts(rules)
        known = (PLAIN, *DealsConfig(1.0).used_kinds(rules))
        if unknown := set(args.on) - set(known):
            raise ValueError(f"--on {' '.join(sorted(unknown))}: allowed are {', '.join(known)}")
    except (RulesError, SpecError, ValueError) as error:
        print(f"rare_contracts: {error}", file=sys.stderr)
        return 2
    rows = []
    for kind in args.on or known:
        chances = find_chances(rules, players, contracts, kind, args.deals, args.seed)
        rows += [{"deals": kind} | row for row in measure(rules, chances, contracts, args.worlds, args.seed)]
    print(f"rules {args.rules}, {args.deals} deals each, {args.worlds} worlds, seed {args.seed}\n")
    print(table(rows, args.spec, args.deals))
    if args.json:
        args.json.write_text(json.dumps({"players": args.spec, "rows": rows}, indent=2) + "\n", "utf-8")
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", nargs="*", default=["heuristic"], help="players that are asked (default heuristic)")
    parser.add_argument("--rules", default="open", help="preset (default open)")
    parser.add_argument("--on", nargs="+", default=[], metavar="KIND", help="plain, doubles, low, sevens (default all)")
    parser.add_argument("--deals", type=int, default=3_000, help="deals of each kind (default 3000)")
    parser.add_argument("--worlds", type=int, default=40, help="worlds a decision (default 40)")
    parser.add_argument("--seed", type=whole_number(0, 2**62), default=1, help="of deals and worlds (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON, too")
    args = parser.parse_args()
    args.on = list(dict.fromkeys(args.on))
    if args.json and not args.json.parent.is_dir():
        parser.error(f"--json {args.json}: there is no folder {args.json.parent}")
    if args.deals < 2 or args.worlds < 2:
        parser.error(f"--deals {args.deals} and --worlds {args.worlds} must be at least 2")
    return args


def rare_contracts(rules: Rules) -> dict[str, Int64]:
    """The actions that call or declare each of them.

    Raises:
        ValueError: the rules have none, or no deals of theirs can be played out.
    """
    codec = build_codec(rules)
    found = {row.name: [i] for i, row in enumerate(codec.ladder) if row.kind == SPECIAL and row.offered}
    for name, kind in (("NELLO", NELLO), ("SEVENS", SEVENS)):
        if getattr(rules, name.lower()) != "off":
            found[name] = [codec.bases[1] + i for i, d in enumerate(codec.declarations) if d.kind == kind]
    if not found or not can_search(rules):
        raise ValueError(
            f"rules {rules.base!r}: needs a four-player double-six game with splash, plunge, nello or sevens"
        )
    return {name: np.array(actions, np.int64) for name, actions in found.items()}


def find_chances(
    rules: Rules, players: Sequence[Agent], contracts: dict[str, Int64], kind: str, deals: int, seed: int
) -> Chances:
    """Hold the auctions of some deals up to the first lead."""
    game = BatchedGame(rules, deals, auto_reset=False)
    game.reset(seed)
    if kind != PLAIN:
        ConditionedDeals(rules, DealsConfig(1.0, (kind,))).deal(game.states)
    rare = np.concatenate(list(contracts.values()))
    leader, steps = HeuristicAgent(), np.zeros(deals, np.int64)
    states, masks, answers = [], [], []
    while len(rows := np.flatnonzero(np.isin(game.states["phase"], (AUCTION, DECLARE)))):
        keys = decision_keys(game, seed, steps)
        legal = decisions_for(game, rows, keys[rows]).masks
        chance = rows[legal[:, rare].any(axis=1)]
        states.append(copy_rows(game.states, chance))
        masks.append(legal[np.isin(rows, chance)])
        answers.append([agent.act(decisions_for(game, chance, keys[chance])) for agent in players])
        copies = copy_rows(game.states, rows)
        drivers.step_batch(copies, game.tables, leader.act(decisions_for(game, rows, keys[rows])))
        game.states[rows] = copies
        steps[rows] += 1
    return Chances(np.concatenate(states), np.concatenate(masks), np.concatenate(answers, axis=1))


def measure(
    rules: Rules, chances: Chances, contracts: dict[str, Int64], worlds: int, seed: int
) -> list[dict[str, Any]]:
    """One row for each contract that was to be had."""
    adviser, n = Adviser(rules, 1.0), len(chances.states)
    parts = [slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]
    judged = {name: np.full((n, 4), np.nan) for name in contracts}
    for part in tqdm(parts, disable=None, leave=False):
        states = chances.states[part]
        truth = adviser.advise(states, np.arange(len(states))).astype(np.float64)
        drawn = in_worlds(rules, adviser, states, worlds, seed)
        halves = drawn[:, ::2].mean(axis=1), drawn[:, 1::2].mean(axis=1)
        for name, actions in contracts.items():
            judged[name][part] = judge(truth, halves, actions)
    return [
        row_of(name, chances, actions, judged[name], seed)
        for name, actions in contracts.items()
        if chances.masks[:, actions].any()
    ]


def in_worlds(rules: Rules, adviser: Adviser, states: Batch, worlds: int, seed: int) -> Float64:
    """What every action comes to in deals that the mover cannot tell apart, (n, worlds, actions)."""
    copies = new_batch(len(states) * worlds)
    for i, state in enumerate(states):
        key = np.random.default_rng([seed, int(state["row"]), int(state["cur"]), int(state["n_calls"])])
        drawn = sample_worlds(rules, state, int(state["cur"]), worlds, key)
        part = slice(i * worlds, (i + 1) * worlds)
        copies[part] = drawn.states()
        copies["dealt"][part, : rules.seats] = drawn.hands
    values = adviser.advise(copies, np.arange(len(copies))).astype(np.float64)
    return values.reshape(len(states), worlds, -1)


def judge(truth: Float64, halves: tuple[Float64, Float64], actions: Int64) -> Float64:
    """By decision: whether the first half of the worlds prefers the contract, and what it gains by the second half;
    whether it is the best choice of the true deal, and its gain there; NaN where it is not to be had, (n, 4)."""
    out = np.full((len(truth), 4), np.nan)
    mine = np.isin(np.arange(truth.shape[1]), actions)
    for i in np.flatnonzero(~np.isnan(truth[:, actions]).all(axis=1)):
        first, second = halves[0][i], halves[1][i]
        best, other = (int(np.nanargmax(np.where(which, first, np.nan))) for which in (mine, ~mine))
        hindsight = np.nanmax(truth[i][mine]) - np.nanmax(truth[i][~mine])
        out[i] = first[best] > first[other], second[best] - second[other], hindsight > 0, hindsight
    return out


def row_of(name: str, chances: Chances, actions: Int64, judged: Float64, seed: int) -> dict[str, Any]:
    """The figures of one contract."""
    there = chances.masks[:, actions].any(axis=1)
    deal, answers = chances.states["row"][there], chances.answers[:, there]
    preferred, gain, hindsight, gain_true = judged[there].T
    every = np.ones_like(preferred, bool)
    means = [
        clustered_means(values, deal, group[:, None], seed)[0]
        for values, group in ((gain, every), (gain, preferred == 1), (gain_true, every), (gain_true, hindsight == 1))
    ]
    names = ("gain", "gain_where_preferred", "hindsight_gain", "hindsight_gain_where_best")
    return {
        "contract": name,
        "chances": int(there.sum()),
        "deals_with_one": len(np.unique(deal)),
        "taken": [float(np.isin(answer, actions).mean()) for answer in answers],
        "preferred": float(preferred.mean()),
        "hindsight_best": float(hindsight.mean()),
        **dict(zip(names, means, strict=True)),
    }


def written(mean: dict[str, Any]) -> str:
    if mean["mean"] is None or mean["ci95"] is None:
        return ""
    low, high = mean["ci95"]
    return f"{mean['mean']:+.2f} [{low:+.2f}, {high:+.2f}]"


def table(rows: list[dict[str, Any]], players: Sequence[str], deals: int) -> str:
    heads = [f"{player} takes it" for player in players]
    columns = [
        "deals",
        "contract",
        "chances",
        "deals with one",
        *heads,
        "worlds prefer it",
        "gain",
        "gain where preferred",
    ]
    columns += ["best in hindsight", "gain in hindsight"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in rows:
        cells = [row["deals"], row["contract"], f"{row['chances']:,}", f"{row['deals_with_one'] / deals:.1%}"]
        cells += [f"{share:.1%}" for share in row["taken"]]
        cells += [f"{row['preferred']:.1%}", written(row["gain"]), written(row["gain_where_preferred"])]
        cells += [f"{row['hindsight_best']:.1%}", written(row["hindsight_gain"])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
