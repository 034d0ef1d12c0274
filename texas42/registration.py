"""Gymnasium's names for the tasks: ``import texas42`` and ``gymnasium.make("texas42/Texas42-v0")``.

Here agents' specs become agents; the environments take objects. Nothing heavy is imported before an environment is
made.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

if TYPE_CHECKING:
    from texas42.envs.decisions import Agent
    from texas42.envs.gym import Texas42Env, Texas42VectorEnv
    from texas42.envs.rules.rules import Rules

NAMESPACE = "texas42"
VARIANTS: dict[str, str] = {
    "Open": "open",
    "SeedMarks": "seed_marks",
    "SeedPoints": "seed_points",
    "Spruce": "spruce",
    "Casual": "casual",
    "Moon": "moon",
    "Geezer": "geezer",
    "BigGame": "big_game",
    "OneForty": "one_forty",
    "SeventyTwo": "seventy_two",
    "EightyFour": "eighty_four",
    "EightyFour6": "eighty_four_6",
    "EightyFour7": "eighty_four_7",
    "ThreeHanded": "three_handed",
    "Players2": "players_2",
    "Players5": "players_5",
    "Players6": "players_6",
    "Players7": "players_7",
}
"""Part of the name and preset of every variant beside n42pa."""

TASKS: dict[str, dict[str, Any]] = {
    "Texas42-v0": {"rules": "n42pa"},
    "Texas42-Game-v0": {"rules": "n42pa", "episode": "game"},
    "Texas42-Play-v0": {"rules": "n42pa", "phases": "play"},
    "Texas42-Bid-v0": {"rules": "n42pa", "phases": "bid"},
    **{f"Texas42-{name}-v0": {"rules": preset} for name, preset in VARIANTS.items()},
}
"""Every task's name with what sets it apart: whole hands of n42pa unless it says otherwise."""


def register_tasks() -> None:
    """Make all tasks known to Gymnasium; a second call does nothing."""
    for name, kwargs in TASKS.items():
        if f"{NAMESPACE}/{name}" not in registry:
            register(
                id=f"{NAMESPACE}/{name}",
                entry_point="texas42.registration:make_env",
                vector_entry_point="texas42.registration:make_vector_env",
                kwargs=kwargs,
            )


def make_env(
    rules: "Rules | str | Mapping[str, object]" = "n42pa",
    partner: "Agent | str | None" = "heuristic",
    opponents: "Agent | str | None" = "heuristic",
    guide: "Agent | str | None" = "heuristic",
    **kwargs: Any,
) -> "Texas42Env":
    """The environment of one learner; agents may be specs.

    Args:
        rules: a `Rules`, a preset name, a YAML path or a mapping.
        partner, opponents: who plays the other seats.
        guide: who decides what the task leaves out (``phases``).
        kwargs: see `texas42.envs.gym.Texas42Env`.

    Raises:
        SpecError, RulesError, OptionsError: a bad spec, bad rules, a bad argument.
    """
    from texas42.envs.gym import Texas42Env

    resolved = seat_players(rules, partner, opponents, guide)
    return Texas42Env(resolved.pop("rules"), **resolved, **kwargs)


def make_vector_env(
    num_envs: int = 1,
    rules: "Rules | str | Mapping[str, object]" = "n42pa",
    partner: "Agent | str | None" = "heuristic",
    opponents: "Agent | str | None" = "heuristic",
    guide: "Agent | str | None" = "heuristic",
    **kwargs: Any,
) -> "Texas42VectorEnv":
    """Many of them on one batch; arguments as for `make_env`, and those of `texas42.envs.gym.Texas42VectorEnv`."""
    from texas42.envs.gym import Texas42VectorEnv

    resolved = seat_players(rules, partner, opponents, guide)
    return Texas42VectorEnv(num_envs, resolved.pop("rules"), **resolved, **kwargs)


def seat_players(
    rules: "Rules | str | Mapping[str, object]",
    partner: "Agent | str | None" = "heuristic",
    opponents: "Agent | str | None" = "heuristic",
    guide: "Agent | str | None" = "heuristic",
) -> dict[str, Any]:
    """Rules and agents as objects, by argument name; ``random`` becomes None, which the engine plays itself.

    The same spec names one agent, so that it is asked once for all its seats.
    """
    from texas42.agents.specs import make_agent
    from texas42.envs.rules.rules import resolve_rules

    found = resolve_rules(rules)
    made: dict[str, Agent | None] = {"random": None}

    def agent(player: "Agent | str | None") -> "Agent | None":
        if not isinstance(player, str):
            return player
        if player not in made:
            made[player] = make_agent(player, found)
        return made[player]

    return {"rules": found, "partner": agent(partner), "opponents": agent(opponents), "guide": agent(guide)}
