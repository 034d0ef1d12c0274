"""What every integration check asserts: no illegal action reaches the environment, every seat is paid.

The environments count, class-wide, what libraries do with them; `report` asserts and prints one JSON line, which
`run.py` reads.
"""

import json
from collections import Counter
from importlib.metadata import version
from typing import Any

from texas42.envs.adapters.aec import AdaptedAEC
from texas42.envs.adapters.parallel import TurnParallel
from texas42.envs.errors import IllegalActionError, MalformedActionError

COUNTS: Counter[str] = Counter()
"""decisions, illegal, hands; ``paid player_0`` and so on count non-zero rewards that the library got after a hand."""
OWED: Counter[str] = Counter()
"""By agent the sum of all rewards that the environments paid."""
SEEN: Counter[str] = Counter()
"""By agent the sum of all rewards that the library got."""


class Audited(AdaptedAEC):
    """An AEC environment that counts."""

    def step(self, action: int | None) -> None:
        """See `Texas42AEC.step`."""
        over = self._mover < 0
        try:
            super().step(action)
        except (IllegalActionError, MalformedActionError):
            COUNTS["illegal"] += 1
            raise
        if over:
            return
        COUNTS["decisions"] += 1
        if self._mover < 0:
            COUNTS["hands"] += 1
            OWED.update(self.rewards)


class AuditedParallel(TurnParallel):
    """The parallel environment over an `Audited` one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        options = {key: value for key, value in kwargs.items() if key != "idle"}
        self.aec = Audited(*args, **options)

    def step(self, actions: Any) -> Any:
        """See `TurnParallel.step`."""
        try:
            return super().step(actions)
        except (IllegalActionError, MalformedActionError):
            COUNTS["illegal"] += 1
            raise


def paid(rewards: dict[str, float]) -> None:
    """Note who got something, as the library saw it."""
    SEEN.update(rewards)
    for agent, reward in rewards.items():
        COUNTS[f"paid {agent}"] += bool(reward)


def start_over() -> None:
    """Forget what was counted so far."""
    for counter in (COUNTS, OWED, SEEN):
        counter.clear()


def report(package: str, notes: str, hands: int = 1, others: tuple[str, ...] = ()) -> None:
    """Assert what was counted and print it.

    Args:
        package: the distribution whose version is reported.
        notes: what the check did, in a few words.
        hands: how many hands must have been finished.
        others: more distributions whose versions are of interest.
    """
    assert COUNTS["illegal"] == 0, f"{COUNTS['illegal']} illegal actions reached the environment"
    assert COUNTS["hands"] >= hands, f"{COUNTS['hands']} hands were finished, wanted {hands}"
    seats = {f"player_{i}" for i in range(4)}
    unpaid = [seat for seat in sorted(seats) if not COUNTS[f"paid {seat}"]]
    assert not unpaid, f"no reward arrived for {', '.join(unpaid)}"
    lost = [agent for agent, owed in OWED.items() if abs(owed - SEEN[agent]) > 1e-3]
    assert not lost, f"rewards were lost or made up: paid {dict(OWED)}, the library got {dict(SEEN)}"
    versions = {name: version(name) for name in (package, "gymnasium", "pettingzoo", "numpy", *others)}
    print(json.dumps({"package": package, "versions": versions, "counts": COUNTS, "notes": notes}))
