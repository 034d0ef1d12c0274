"""Write the golden playthroughs, tests/golden/NAME.jsonl: a few hands of every preset, and of house options.

    python scripts/make_golden.py

The hands are played by a seeded explorer that seeks rare actions; of many, those are kept that show something not
seen in the ones before. The same sources give the same bytes. Read the difference as a person before committing it.
"""

import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Decisions
from texas42.agents.recording import record_hands
from texas42.envs.engine import drivers
from texas42.envs.records import HandRecord, to_line
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden"
HANDS_PLAYED = 160
HANDS_KEPT = 8
HANDS_KEPT_OF_HOUSE = 3
SEED = 42
COMMON = ("PASS", "P", "M", "PIP", "DBL", "NT", "tile", "DISCARD")
"""Kinds of action that most hands have; the others are worth more."""

_ALL_DOUBLES = ["high", "low", "own", "inv"]
HOUSE: tuple[dict[str, object], ...] = (
    {"preset": "n42pa", "laydown": "claim"},
    {"preset": "n42pa", "laydown": "proved", "lead_low_end": "any", "nt_doubles": _ALL_DOUBLES},
    {"preset": "seed_marks", "laydown": "claim", "laydown_penalty": "game", "win_by_two": True},
    {"preset": "seed_marks", "opening_bidder": "holder_of_1_0", "opening_lead_must_be_trump": True},
    {"preset": "seed_marks", "forced_bid": "exactly_min", "forced_sweep_bonus": 2, "nt_min_bid": "1 mark"},
    {"preset": "seed_marks", "all_pass": "throw_in_same", "dbl_order": "reversed", "trump_choices": ["DBL", "NT"]},
    {"preset": "open", "special_declared_at": "after", "max_opening_marks": 4, "mark_raise": "plus_up_to_two"},
    {
        "preset": "open",
        "special_leader": "bidder",
        "special_partner_options": "trumps+NT+SEVENS+NELLO",
        "special_jump": False,
        "max_opening_marks": 3,
        "nello_doubles": _ALL_DOUBLES,
    },
    {"preset": "open", "nello": "forced_last_only", "sevens": "forced_last_only", "early_end": "play_all"},
    {"preset": "open", "sevens_need_seven": True, "lead_low_end": "first_trick", "laydown": "claim"},
    {"preset": "casual", "nello_chooser": "fixed", "splash_marks": 2, "plunge_marks": 3, "laydown": "claim"},
    {
        "preset": "seed_points",
        "points_mode_multiples": "doubling",
        "set_award_sweep": "bid_only",
        "defenders_keep_points_when_made": False,
        "nello": "any",
        "loper": "on",
        "plunge": "on",
    },
    {"preset": "moon", "players": 4},
    {"preset": "moon", "all_pass": "forced_last", "nt_doubles": ["low", "inv"]},
    {"preset": "geezer", "nello_doubles": ["inv"], "laydown": "proved"},
    {"preset": "big_game", "lead_low_end": "any", "all_pass": "throw_in_next", "scoring": "marks"},
    {"preset": "eighty_four", "nello": "any", "identical_tiles": "last_played"},
    {"preset": "eighty_four_6", "kitty": "unused", "trick_value": 1, "min_bid": 50, "nello": "any"},
    {"preset": "eighty_four_7", "nello": "any", "set_award_solo": "bidder_loses"},
    {"preset": "seventy_two", "widow_points": 0, "all_pass": "throw_in_next"},
    {"preset": "three_handed", "nello": "any", "sevens": "any", "loper": "on", "set_award_solo": "bidder_loses"},
    {"preset": "three_handed", "scoring": "points", "target": 250, "early_end": "play_all"},
    {"preset": "players_2", "two_seats_each": True, "splash": "on"},
    {"preset": "players_5", "scoring": "points", "early_end": "play_all", "target": 250, "nello": "any"},
)
"""House options that no preset has, each its own set of rules; all go to house.jsonl."""


class Explorer:
    """Plays at random from the decision's key, and likes what is rare: special calls, declarations, claims."""

    name = "explorer"

    def __init__(self, rules: Rules) -> None:
        self.kinds = [kind_of(name) for name in build_codec(rules).names]

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,)."""
        masks = np.empty((len(decisions), len(self.kinds)), np.int8)
        drivers.mask_batch(decisions.views, decisions.tables, decisions.seats, masks)
        chosen = []
        for mask, key in zip(masks, decisions.keys.tolist(), strict=True):
            kinds: dict[str, list[int]] = {}
            for action in np.flatnonzero(mask).tolist():
                kinds.setdefault(self.kinds[action], []).append(action)
            chosen.append(_choose(kinds, random.Random(key)))
        return np.array(chosen, np.int64)

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""


def kind_of(action: str) -> str:
    """What sort of action a name is: ``P``, ``M``, ``PIP``, ``NELLO``, ``SPLASH``, ``tile``, ``low`` ..."""
    if action[0].isdigit():
        return "low" if "/" in action else "tile"
    head = action.split(" ")[0].split("-")[0]
    stem = head.rstrip("0123456789")
    return stem if stem in ("P", "M", "PIP") else head


def _choose(kinds: dict[str, list[int]], rng: random.Random) -> int:
    """Mostly PASS, a low bid or a tile; otherwise every kind alike."""
    if "PASS" in kinds and rng.random() < 0.5:
        return kinds["PASS"][0]
    if "CLAIM" in kinds and rng.random() < 0.9:
        del kinds["CLAIM"]
    kind = rng.choice(sorted(kinds))
    if kind == "P" and rng.random() < 0.7:
        return kinds["P"][0]
    return rng.choice(kinds[kind])


def play(rules: Rules, n_hands: int) -> Iterator[HandRecord]:
    """Hands of some rules, the explorer in every seat."""
    return record_hands(rules, [Explorer(rules)] * rules.seats, n_hands, SEED)


def features(record: HandRecord) -> dict[str, float]:
    """What a hand shows, with what each is worth: kinds of action, the ending, the contract."""
    worth = {kind: 1.0 if kind in COMMON else 3.0 for kind in map(kind_of, record.actions)}
    if record.contract is None:
        return worth | {"thrown in": 1.0}
    if "CLAIM" in worth:
        worth[f"claim {record.made}"] = 1.0
    if len(record.tricks) >= 4:
        worth["long"] = 1.0
    if any(record.scores):
        worth["scores"] = 0.5
    worth[f"{kind_of(record.contract['bid'])} {record.made}"] = 0.5
    return worth | {f"declares {record.contract['declaration']}": 0.25}


def select(records: Iterable[HandRecord], n: int) -> list[HandRecord]:
    """`n` hands that together show the most, in the order they were played."""
    hands = list(records)
    shows = [features(record) for record in hands]
    chosen: list[int] = []
    seen: set[str] = set()
    for _ in range(n):
        worth = [sum(value for feature, value in show.items() if feature not in seen) for show in shows]
        best = max((i for i in range(len(hands)) if i not in chosen), key=lambda i: (worth[i], -i))
        chosen.append(best)
        seen |= set(shows[best])
    return [hands[i] for i in sorted(chosen)]


def golden_lines(name: str) -> list[str]:
    """The lines of one golden file: a preset's, or `house`."""
    specs, kept = ([{"preset": name}], HANDS_KEPT) if name != "house" else (HOUSE, HANDS_KEPT_OF_HOUSE)
    hands = [record for spec in specs for record in select(play(Rules.from_dict(spec), HANDS_PLAYED), kept)]
    return [to_line(record) for record in hands]


def main() -> int:
    """Write all files."""
    GOLDEN.mkdir(exist_ok=True)
    for name in (*PRESETS, "house"):
        (GOLDEN / f"{name}.jsonl").write_text("\n".join(golden_lines(name)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
