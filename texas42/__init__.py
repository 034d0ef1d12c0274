"""Environment, exact solver and training ground for the domino game Texas 42 and its relatives."""

from importlib import import_module
from typing import Any

from texas42.registration import register_tasks

__version__ = "0.1.0"

__all__ = ["__version__", "make"]

_ENVS = {"texas42_v0": ("texas42.envs.aec", "env")}


def make(name: str, **kwargs: Any) -> Any:
    """Returns a new environment, for example `make("texas42_v0", rules="n42pa", episode="hand")`.

    Raises `ValueError` for a name that is not an environment's. The environment's module is imported here, so
    that importing `texas42` stays cheap.
    """
    if name not in _ENVS:
        raise ValueError(f"unknown environment {name!r}; there are: {', '.join(sorted(_ENVS))}")
    module, function = _ENVS[name]
    return getattr(import_module(module), function)(**kwargs)


register_tasks()
