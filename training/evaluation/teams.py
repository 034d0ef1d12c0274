"""Teams of a match: one agent in every seat of a side, or a mixed partnership ``A+B``; and who sits where."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent
from texas42.agents.callable_agent import CallableError, as_agent
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules

TeamLike = str | Agent | Callable[..., Any] | list[Any] | tuple[Any, ...]
"""A spec, two or more specs joined by ``+``, an agent object, a function of observations and masks, or several of
these last two as a mixed team."""


@dataclass(frozen=True)
class Team:
    """The members take the seats of their side in turn, clockwise."""

    name: str
    members: tuple[Agent, ...]

    @property
    def mixed(self) -> bool:
        """Whether it matters which member sits where."""
        return len(self.members) > 1


def make_team(team: TeamLike, rules: Rules) -> Team:
    """A `Team` from a spec string, an agent, a function or a sequence of these.

    Raises:
        OptionsError: a spec that names no agent, an empty member, more members than a side has seats, or what is no
            player.
    """
    if isinstance(team, str):
        made = Team(team, tuple(_members(team, rules)))
    else:
        try:
            agents = tuple(as_agent(one) for one in (team if isinstance(team, list | tuple) else (team,)))
        except CallableError as error:
            raise OptionsError(str(error)) from error
        made = Team("+".join(agent.name for agent in agents), agents)
    seats = rules.seats // rules.sides
    if not 1 <= len(made.members) <= seats:
        raise OptionsError(f"team {made.name!r} has {len(made.members)} members; allowed: 1 to {seats}, a side's seats")
    return made


def _members(text: str, rules: Rules) -> list[Agent]:
    from texas42.agents.specs import make_agent

    parts = [part.strip() for part in text.split("+")]
    if not all(parts):
        raise OptionsError(f"team {text!r}: a member is empty; write SPEC or SPEC+SPEC, as in heuristic+random")
    made: dict[str, Agent] = {}
    for part in parts:
        if part not in made:
            try:
                made[part] = make_agent(part, rules)
            except ValueError as error:  # bad specs, missing files, checkpoints of another game
                raise OptionsError(str(error)) from error
    return [made[part] for part in parts]


def count_sittings(a: str, b: str, rules: Rules) -> int:
    """The number of `sittings` of two teams given as specs, which need not be made for it."""
    return rules.sides * (rules.seats // rules.sides if "+" in a + b else 1)


@dataclass(frozen=True)
class Sitting:
    """One way to seat both teams at a table.

    Attributes:
        side: the side that team A takes; team B takes every other one.
        seating: per seat an index into the members of A followed by those of B, shape (seats,).
    """

    side: int
    seating: npt.NDArray[np.int64]


def sittings(a: Team, b: Team, rules: Rules) -> list[Sitting]:
    """All sittings of one deal: A on each side in turn; with a mixed team also every rotation of the members.

    Members are rotated in both teams at once. With two sides the sittings of (b, a) are those of (a, b) with the
    teams exchanged, so that exchanging them negates a match exactly.
    """
    turns = range(rules.seats // rules.sides if a.mixed or b.mixed else 1)
    return [Sitting(side, _seating(a, b, rules, side, turn)) for side in range(rules.sides) for turn in turns]


def _seating(a: Team, b: Team, rules: Rules, side: int, turn: int) -> npt.NDArray[np.int64]:
    seating = np.empty(rules.seats, np.int64)
    for seat in range(rules.seats):
        place = seat // rules.sides + turn
        if rules.side_of(seat) == side:
            seating[seat] = place % len(a.members)
        else:
            seating[seat] = len(a.members) + place % len(b.members)
    return seating
