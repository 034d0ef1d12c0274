"""What a learner is set: rules, episodes, rewards, his seat, the phases he decides, how illegal actions are met."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules, resolve_rules

EPISODES = ("hand", "game")
REWARDS = ("score", "points", "win")
RECALLS = ("full", "table")
ILLEGAL = ("raise", "penalise", "replace")
PHASES = ("all", "play", "bid")
MASKS = ("obs", "info", "method")


@dataclass(frozen=True)
class Task:
    """One seat's task; checked on creation.

    Attributes:
        rules: the rules; anything `resolve_rules` takes.
        episode: ``"hand"``, or ``"game"`` to play on to the target.
        reward: ``"score"``, ``"points"`` or ``"win"``, as in `texas42.envs.aec`.
        recall: ``"full"``, or ``"table"``: observations leave out the won tricks that the rules turn down.
        illegal: what an illegal action does. ``"raise"``: `IllegalActionError`, nothing changed. ``"penalise"``:
            the episode ends as if the other sides had scored one mark (the hand total in points games, `min_bid`
            in signed ones). ``"replace"``: a uniformly random legal action is played instead.
        seat: the learner's seat, or ``"random"``: drawn for each episode.
        phases: ``"all"``; ``"play"``: the learner only plays tiles; ``"bid"``: he decides all but that. The guide
            decides the other phases for every seat.
        mask: where the action mask is. ``"obs"``: observations are a dict of ``observation`` and
            ``action_mask``. ``"info"``: they are flat and the mask is in the info. ``"method"``: flat, and only
            `action_masks` tells. `action_masks` works with all of them.

    Raises:
        RulesError: `rules` name no rules.
        OptionsError: a bad value; the message names it and what is allowed.
    """

    rules: Rules
    episode: str = "hand"
    reward: str = "score"
    recall: str = "full"
    illegal: str = "raise"
    seat: int | str = 0
    phases: str = "all"
    mask: str = "obs"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", resolve_rules(self.rules))
        allowed = (EPISODES, REWARDS, RECALLS, ILLEGAL, PHASES, MASKS)
        for name, values in zip(
            ("episode", "reward", "recall", "illegal", "phases", "mask"), allowed, strict=True
        ):
            value = getattr(self, name)
            if value not in values:
                raise OptionsError(
                    f"{name}={value!r} is not allowed; allowed: {', '.join(map(repr, values))}"
                )
        if self.reward == "win" and self.episode == "hand":
            raise OptionsError("reward='win' is not allowed with episode='hand'; allowed: 'score', 'points'")
        self._check_seat()

    def _check_seat(self) -> None:
        whole = isinstance(self.seat, int | np.integer) and not isinstance(self.seat, bool)
        if self.seat != "random" and not (whole and 0 <= int(self.seat) < self.n_agents):
            allowed = f"0 to {self.n_agents - 1}, or 'random'"
            raise OptionsError(f"seat={self.seat!r} is not allowed; allowed: {allowed}")

    @property
    def n_agents(self) -> int:
        """Players at the table, who may hold two seats each."""
        return self.rules.players if self.rules.two_seats_each else self.rules.seats

    @property
    def penalty(self) -> float:
        """The learner's reward for an illegal action under ``illegal="penalise"``."""
        if self.reward != "score":
            return -1.0
        rules = self.rules
        units = {"marks": 1, "points": rules.total, "signed_points": rules.min_bid}
        return -float(units[rules.scoring])


def make_task(rules: Rules | str | Mapping[str, object], options: Mapping[str, Any]) -> Task:
    """A task from keyword arguments.

    Raises:
        OptionsError: an unknown name, or a bad value.
    """
    known = [field.name for field in fields(Task) if field.name != "rules"]
    for name in options:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise OptionsError(f"unknown argument {name!r}{hint}; arguments: {', '.join(known)}")
    return Task(resolve_rules(rules), **options)
