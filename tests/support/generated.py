"""What `texas42 generate` writes, under random house rules and by mixed players, put before `texas42 verify`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from support.house import random_house
from texas42.agents.base import Agent
from texas42.agents.recording import record_hands
from texas42.agents.specs import make_agent
from texas42.envs.records import verify, write
from texas42.envs.rules.rules import Rules

SPECS = ("random", "heuristic")


@dataclass
class Outcome:
    """Hands that passed and failed, and what was wrong: the rules and the line's error, or a crash."""

    houses: int = 0
    passed: int = 0
    failed: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        """Count another outcome in."""
        self.houses += other.houses
        self.passed += other.passed
        self.failed += other.failed
        self.problems += other.problems


def houses(preset: str, number: int, seed: int) -> Iterator[Rules]:
    """The preset itself, then random houses of it."""
    random = Random(f"generated {preset}/{seed}")
    yield Rules.preset(preset)
    for _ in range(number - 1):
        yield random_house(preset, random)


def table_of(rules: Rules, random: Random) -> list[Agent]:
    """One player for each seat: random and heuristic mixed, or one of them everywhere; equal ones are one object."""
    made = {spec: make_agent(spec, rules) for spec in SPECS}
    return [made[random.choice(SPECS)] for _ in range(rules.seats)]


def verify_generated(preset: str, number: int, hands: int, seed: int, folder: Path) -> Outcome:
    """`hands` hands with their legal actions in each of `number` houses of a preset, written and verified.

    Whole games and single hands, plain files and gzipped ones take turns; `folder` takes the files.
    """
    total, random = Outcome(), Random(f"players {preset}/{seed}")
    for i, rules in enumerate(houses(preset, number, seed)):
        path = folder / f"{preset}.jsonl{'.gz' if i % 2 else ''}"
        episode = "hand" if i % 4 == 3 else "game"
        records = record_hands(rules, table_of(rules, random), hands, seed + i, legal=True, episode=episode)
        written = write(path, records)
        report = verify(path)
        bad = [f"{rules.to_dict()}: {error}" for error in report.errors]
        if written != hands or report.passed + report.failed != hands:
            bad.append(f"{rules.to_dict()}: {hands} hands wanted, {written} written")
        total.add(Outcome(1, report.passed, max(report.failed, len(bad)), bad))
    return total
