"""How well do policies play with partners they never met, and what in their training makes the difference?

    python scripts/cross_play.py [SETTING ...] [--config NAME|PATH] [--set A.B=VALUE ...] [--seeds N] [--jobs N]
                                 [--deals N] [--stranger-deals N] [--runs DIR] [--out FILE]

Every setting is trained from several seeds, with strangers at 40 % of the tables of self-play (`COMMON`):

- `full`: with the belief head's loss; at half of these tables the stranger is the policy's partner.
- `no_belief`: without that loss in self-play. The warm start has it all the same.
- `own_partners`: strangers are opponents only, at as many tables; the partner is always the policy itself.
- `neither`: both left out. It is trained when it is named.

The policies at the end of their runs then play greedily, on the same deals in every setting, against a team of
`heuristic`: each with itself (self-play), each with every other of its setting (cross-play; gap: self-play minus
cross-play), and each with `heuristic` and `pimc` as partners. `heuristic` is no stranger to the league or the warm
start, `pimc` is.

95 % intervals over deals hold these very policies fixed: they say what other deals would give. Those over seeds hold
the deals fixed: they say what policies from other seeds would give, with seeds as the random unit (Student's t; of
pairs of policies the jackknife). Neither covers both kinds of luck. Differences are taken deal by deal and seed by
seed. The spread is the standard deviation between seeds.

Killed and started again it goes on: finished runs and matches are kept. Ctrl-C saves the runs that are going. Two
Markdown tables on standard output, a row as soon as it is known; all figures as JSON in --out.
"""

import argparse
import contextlib
import logging
import multiprocessing
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from texas42.agents.checkpoint import CheckpointError, load_checkpoint
from texas42.agents.specs import SpecError, make_agent
from texas42.commands.common import CommandError, check_writable, progress_bar, whole_number, write_json
from texas42.commands.tournament import describe_notes
from texas42.commands.train import LineReporter
from texas42.envs.errors import OptionsError
from texas42.training.config import ConfigError, TrainConfig, load_config
from texas42.training.evaluation.crossplay import CrossPlayResult, play_crossplay
from texas42.training.evaluation.match import Setting
from texas42.training.evaluation.pairings import play_pairings
from texas42.training.evaluation.result import MatchResult
from texas42.training.evaluation.seeds import MOST_SEEDS, SeedScore
from texas42.training.trainer import LAST, Interrupted, RunError, is_begun, train

COMMON = ("workers=1", "opponents.share=0.4", "opponents.mixed=0.5")
"""Set in every setting, before --set. One thread: how many runs are trained side by side changes nothing."""
_NO_BELIEF, _OWN_PARTNERS = ("ppo.belief=0",), ("opponents.mixed=0",)
SETTINGS = {
    "full": (),
    "no_belief": _NO_BELIEF,
    "own_partners": _OWN_PARTNERS,
    "neither": (*_NO_BELIEF, *_OWN_PARTNERS),
}
"""What each sets on top of that."""
DEFAULT = ("full", "no_belief", "own_partners")
STRANGERS = ("heuristic", "pimc:worlds=10")
OPPONENT = "heuristic"
JOURNAL = "matches.jsonl"
HEADER = "mean (95 % interval over deals; spread of the seeds)"


class TrainingError(Exception):
    """A run that failed; its process has said why."""


@dataclass(frozen=True)
class Training:
    """A setting trained from one seed, in a folder of its own."""

    setting: str
    seed: int
    config: TrainConfig
    out: Path

    @property
    def policy(self) -> str:
        """The spec of what comes out. All have learnt equally long; the best checkpoint is chosen by self-play."""
        return f"checkpoint:{self.out / LAST}"

    def progress(self) -> dict[str, Any]:
        """What has been done, as it was saved; empty before that."""
        if not is_begun(self.out, self.config):
            return {}
        return dict(load_checkpoint(self.out / LAST, groups=()).field("progress", dict))

    def finished(self) -> bool:
        """Whether nothing is left to do."""
        done, config = self.progress(), self.config
        return bool(done) and done["batches"] + done["updates"] >= config.imitation.batches + config.ppo.updates


@dataclass(frozen=True)
class Measured:
    """What was found out about a setting."""

    trainings: Sequence[Training]
    crossplay: CrossPlayResult
    strangers: Mapping[str, Sequence[MatchResult]]

    @property
    def matches(self) -> list[MatchResult]:
        """All matches."""
        return [*self.crossplay.ways[0].matches.values(), *(m for met in self.strangers.values() for m in met)]

    def scores(self) -> dict[str, SeedScore]:
        """By name."""
        n, matches = len(self.trainings), self.crossplay.ways[0].matches
        alone = SeedScore.of_policies([matches[i, i] for i in range(n)])
        crossed = SeedScore.of_pairs({(i, j): match for (i, j), match in matches.items() if i != j}, n)
        met = {f"with {stranger}": SeedScore.of_policies(played) for stranger, played in self.strangers.items()}
        return {"self-play": alone, "cross-play": crossed, "gap": alone - crossed, **met}

    def to_json(self, seed: int) -> dict[str, Any]:
        """Plain values."""

        def plain(match: MatchResult) -> dict[str, Any]:
            return {"a": match.a, "b": match.b, "mean": match.mean, "ci95": list(match.ci95), "deals": match.deals}

        return {
            "overrides": list(SETTINGS[self.trainings[0].setting]),
            "runs": [{"seed": t.seed, "folder": str(t.out), **t.progress()} for t in self.trainings],
            "scores": {name: score.to_json(seed) for name, score in self.scores().items()},
            "crossplay": self.crossplay.to_json(),
            "strangers": {stranger: [plain(match) for match in met] for stranger, met in self.strangers.items()},
        }


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0, 2 for bad arguments or a run that failed, 130 if interrupted."""
    given = sys.argv[1:] if argv is None else list(argv)
    args = parse_arguments(given)
    try:
        compare(args, plan(args), shlex.join(["python", "scripts/cross_play.py", *given]))
    except (CheckpointError, CommandError, ConfigError, OptionsError, OSError, RunError, TrainingError) as error:
        say(f"cross_play: {error}")
        return 2
    except KeyboardInterrupt:
        say("cross_play: stopped; the same command goes on")
        return 130
    return 0


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "settings", nargs="*", metavar="SETTING", help=f"of {', '.join(SETTINGS)}; default {' '.join(DEFAULT)}"
    )
    parser.add_argument("--config", default="quick", metavar="NAME|PATH", help="what is trained (default quick)")
    parser.add_argument(
        "--set", action="append", default=[], dest="overrides", metavar="A.B=VALUE", help="change one value of it"
    )
    parser.add_argument(
        "--seeds", type=whole_number(2, MOST_SEEDS), default=4, metavar="N", help="seeds 1 to N (default 4)"
    )
    parser.add_argument(
        "--jobs", type=whole_number(1, 256), default=1, metavar="N", help="processes that train or play (default 1)"
    )
    deals = whole_number(1, 10**7)
    parser.add_argument("--deals", type=deals, default=2000, metavar="N", help="of each match (default 2000)")
    parser.add_argument(
        "--stranger-deals", type=deals, default=1000, metavar="N", help="of each with a stranger (default 1000)"
    )
    parser.add_argument("--seed", type=whole_number(0, 2**63), default=42, help="of the matches (default 42)")
    runs = Path("runs/cross_play")
    parser.add_argument("--runs", type=Path, default=runs, metavar="DIR", help=f"folder of the runs (default {runs})")
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON (default cross_play.json in the runs' folder)")
    args = parser.parse_args(argv)
    args.settings = args.settings or list(DEFAULT)
    odd = [name for name in args.settings if name not in SETTINGS or args.settings.count(name) > 1]
    if odd:
        parser.error(f"settings {', '.join(odd)}: unknown or given twice; there are {', '.join(SETTINGS)}")
    if any(text.partition("=")[0].strip() == "seed" for text in args.overrides):
        parser.error("--set seed is not allowed: --seeds says how many there are")
    if set(str(args.runs)) & set(",+"):
        parser.error(f"--runs {args.runs} must be without ',' and '+', which specs of agents use")
    args.out = args.out or args.runs / "cross_play.json"
    return args


def plan(args: argparse.Namespace) -> dict[str, list[Training]]:
    """The trainings of every setting, after all that can be checked before the first.

    Raises:
        CommandError, ConfigError, RunError, CheckpointError, OSError: something is amiss.
    """
    full = load_config(args.config, [*COMMON, *args.overrides])
    check_full(full)
    args.runs.mkdir(parents=True, exist_ok=True)
    check_writable(args.out)
    trainings = {}
    for name in args.settings:
        seeds = [[*COMMON, *args.overrides, *SETTINGS[name], f"seed={seed}"] for seed in range(1, args.seeds + 1)]
        configs = [load_config(args.config, overrides) for overrides in seeds]
        trainings[name] = [Training(name, c.seed, c, args.runs / f"{name}-{c.seed}") for c in configs]
        for training in trainings[name]:
            is_begun(training.out, training.config)
    return trainings


def check_full(config: TrainConfig) -> None:
    """Refuse games without partners, and a configuration that has not what other settings leave out."""
    rules, league = config.resolved_rules, config.opponents
    if rules.seats // rules.sides != 2:
        raise CommandError(f"cross-play needs two seats a side; {config.rules!r} has {rules.seats // rules.sides}")
    try:
        for stranger in STRANGERS:
            make_agent(stranger, rules)
    except SpecError as error:
        raise CommandError(str(error)) from error
    if not (league.share and league.mixed and (league.agents or league.keep)):
        raise CommandError(
            f"opponents.share={league.share:g}, mixed={league.mixed:g}, agents={list(league.agents)},"
            f" keep={league.keep}: `full` must have strangers as partners"
        )
    if not config.ppo.belief:
        raise CommandError("ppo.belief=0: `full` must have the belief head's loss")


def compare(args: argparse.Namespace, trainings: Mapping[str, list[Training]], command: str) -> None:
    """Train, measure, print and write one setting after the other, then the differences."""
    setting = Setting(next(iter(trainings.values()))[0].config.resolved_rules, args.seed)
    found: dict[str, Measured] = {}
    for name, runs in trainings.items():
        train_all(runs, args.jobs)
        found[name] = measure(name, runs, setting, args)
        if len(found) == 1:
            print(header(found[name]))
        print(row(f"`{name}`", found[name].scores(), args.seed), flush=True)
        write_json(args.out, {**figures(found, args), "command": command})
    if len(found) > 1 and "full" in found:
        print(f"\n{differences_table(differences(found), args.seed)}")
    for line in describe_notes([match for measured in found.values() for match in measured.matches]):
        say(line)


def train_all(trainings: Sequence[Training], jobs: int) -> None:
    """Train what is not finished, `jobs` runs at a time.

    Raises:
        TrainingError: one failed; the others are saved.
        KeyboardInterrupt: Ctrl-C; all are saved. A second one ends them as they are.
    """
    waiting = [training for training in trainings if not training.finished()]
    running: list[Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(Running(waiting.pop(0)))
            wait([run.process.sentinel for run in running])
            for run in [run for run in running if not run.process.is_alive()]:
                running.remove(run)
                run.check()
    except BaseException:
        for run in running:
            run.stop()
        for run in running:
            run.process.join()
        raise


class Running:
    """A training in a process of its own."""

    def __init__(self, training: Training) -> None:
        self.training, self.began = training, time.monotonic()
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=train_one, args=(training, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def check(self) -> None:
        """Say that the run has ended.

        Raises:
            TrainingError: it failed.
        """
        name, code = self.training.out.name, self.process.exitcode
        self.connection.close()
        if code:
            raise TrainingError(f"{name}: its process ended with code {code}; the same command goes on")
        say(f"{name}: done after {(time.monotonic() - self.began) / 60:.1f} minutes")

    def stop(self) -> None:
        """Ask it to save and end."""
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            self.connection.send("stop")


def train_one(training: Training, script: Connection) -> None:
    """What such a process does; it exits with 130 if stopped, with 2 if the run cannot be."""
    os.setsid()  # Ctrl-C reaches the script alone, which passes it on once
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=obey, args=(script,), daemon=True).start()
    logging.basicConfig(level=logging.INFO, format=f"{training.out.name}: %(message)s", stream=sys.stderr)
    try:
        train(training.config, training.out, LineReporter(), resume=is_begun(training.out, training.config))
    except (Interrupted, KeyboardInterrupt):
        sys.exit(130)
    except (ConfigError, RunError, CheckpointError, OSError) as error:
        logging.error("%s", error)
        sys.exit(2)


def obey(script: Connection) -> None:
    """Stop as by Ctrl-C when told so; end at once if the script is gone, lest two train in one folder."""
    try:
        script.recv()
    except (EOFError, OSError):
        os._exit(1)
    os.kill(os.getpid(), signal.SIGINT)


def measure(name: str, trainings: Sequence[Training], setting: Setting, args: argparse.Namespace) -> Measured:
    """Play all matches of a setting that are not in the journal."""
    policies, n = [training.policy for training in trainings], len(trainings)
    deals = n * (n + 1) // 2 * args.deals + n * len(STRANGERS) * args.stranger_deals
    say(f"{name}: {deals:,} deals to play")
    with progress_bar(deals, "deals") as advance:
        options: dict[str, Any] = {"workers": args.jobs, "journal": args.runs / JOURNAL, "progress": advance}
        crossplay = play_crossplay(policies, (), OPPONENT, setting, args.deals, temperatures=[0.0], **options)
        teams = [(f"{policy}+{s}", OPPONENT) for s in STRANGERS for policy in crossplay.ways[0].partners]
        played = play_pairings(teams, setting, args.stranger_deals, **options)
    return Measured(trainings, crossplay, {s: played[i * n : (i + 1) * n] for i, s in enumerate(STRANGERS)})


def differences(found: Mapping[str, Measured]) -> dict[str, dict[str, SeedScore]]:
    """`full` minus every other setting."""
    if "full" not in found:
        return {}
    full = found["full"].scores()
    return {
        other: {name: full[name] - score for name, score in measured.scores().items()}
        for other, measured in found.items()
        if other != "full"
    }


def figures(found: Mapping[str, Measured], args: argparse.Namespace) -> dict[str, Any]:
    """All that is known, as plain values."""
    minus = differences(found)
    return {
        "config": args.config,
        "overrides": [*COMMON, *args.overrides],
        "settings": {name: measured.to_json(args.seed) for name, measured in found.items()},
        "full_minus": {o: {name: s.to_json(args.seed) for name, s in scores.items()} for o, scores in minus.items()},
    }


def header(measured: Measured) -> str:
    names = ["setting", *measured.scores()]
    return f"{HEADER}, {measured.matches[0].unit} a deal\n\n| {' | '.join(names)} |\n{'|---' * len(names)}|"


def row(name: str, scores: Mapping[str, SeedScore], seed: int) -> str:
    cells = []
    for figure in (score.to_json(seed) for score in scores.values()):
        cells.append(f"{figure['mean']:+.3f} ({interval(figure['ci95_deals'])}; {figure['spread']:.3f})")
    return f"| {name} | {' | '.join(cells)} |"


def differences_table(minus: Mapping[str, Mapping[str, SeedScore]], seed: int) -> str:
    lines = ["| `full` minus | score | difference | over deals | over seeds | spread |", "|---" * 6 + "|"]
    for other, scores in minus.items():
        for name, score in scores.items():
            figure = score.to_json(seed)
            ends = [interval(figure[key]) for key in ("ci95_deals", "ci95_seeds")]
            cells = [f"`{other}`", name, f"{figure['mean']:+.3f}", *ends, f"{figure['spread']:.3f}"]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def interval(ends: Sequence[float] | None) -> str:
    return "" if ends is None else f"{ends[0]:+.3f} to {ends[1]:+.3f}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore Ctrl-C
    sys.exit(main())
