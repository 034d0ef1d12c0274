"""Exceptions of the environment shells."""

import operator

from texas42.envs.rules.errors import MalformedActionError, RulesError
from texas42.envs.rules.reading import shown


class IllegalActionError(ValueError):
    """A well-formed action that the rules do not allow now; the state is unchanged."""


class GameOverError(RuntimeError):
    """An action for a game that is over, or an environment used before ``reset``."""


class OptionsError(ValueError):
    """An option of an environment or of ``reset`` that is unknown or has a bad value."""


def whole_option(name: str, value: object, low: int, high: int) -> int:
    """The value of an option that is a whole number; numpy's integers are welcome, booleans and floats are not.

    Raises:
        OptionsError: not a whole number from `low` to `high`.
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or not low <= number <= high:
        raise OptionsError(f"{name}={shown(value)} is not allowed; allowed: a whole number from {low} to {high}")
    return number


__all__ = [
    "GameOverError",
    "IllegalActionError",
    "MalformedActionError",
    "OptionsError",
    "RulesError",
    "whole_option",
]
