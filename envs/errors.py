"""Exceptions of the environment shells."""

from texas42.envs.rules.errors import MalformedActionError, RulesError


class IllegalActionError(ValueError):
    """A well-formed action that the rules do not allow now; the state is unchanged."""


class GameOverError(RuntimeError):
    """An action for a game that is over, or an environment used before ``reset``."""


class OptionsError(ValueError):
    """An option of an environment or of ``reset`` that is unknown or has a bad value."""


__all__ = ["GameOverError", "IllegalActionError", "MalformedActionError", "OptionsError", "RulesError"]
