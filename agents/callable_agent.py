"""``python:FILE.py:NAME``: a policy of one's own, a Python function or object, as a player.

Naming one's own file runs it, as Python would. Checkpoints, models and records never run code; only this spec does.
"""

import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from texas42.agents.base import Agent, Decisions
from texas42.envs.rules.rules import Rules

Policy = Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], Any]
"""``policy(observations, masks)``: int8 (n, width) and int8 (n, n_actions) to whole numbers (n,): actions; or to
numbers (n, n_actions): scores, of which the highest legal one is played."""


class CallableError(ValueError):
    """A file or a name in it that gives no player."""


class CallableAgent:
    """A function behind the agent protocol.

    Args:
        policy: the function, see `Policy`.
        name: what the agent is called.
    """

    def __init__(self, policy: Policy, name: str) -> None:
        self.policy, self.name = policy, name

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,).

        Raises:
            ValueError: an answer that is neither n actions nor n rows of scores. What the function raises passes.
        """
        masks = decisions.masks
        answer = np.asarray(self.policy(decisions.observations, masks))
        if answer.shape == masks.shape:
            scores = np.where(masks.astype(bool), answer.astype(np.float64), -np.inf)
            return np.asarray(scores.argmax(axis=1), np.int64)
        if answer.shape != (len(masks),) or not np.issubdtype(answer.dtype, np.integer):
            wanted = f"{len(masks)} whole numbers, or scores of shape {masks.shape}"
            raise ValueError(f"{self.name} must answer {wanted}, not {answer.dtype} of shape {answer.shape}")
        return np.asarray(answer, np.int64)

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""


def as_agent(thing: object, name: str | None = None) -> Agent:
    """An agent from an object that is one, or from a function (see `Policy`).

    Raises:
        CallableError: it is neither.
    """
    if callable(getattr(thing, "act", None)):
        if not callable(getattr(thing, "reset", None)):
            raise CallableError(f"{thing!r} has act(decisions) but no reset(game_ids); an agent needs both")
        return cast(Agent, thing)
    if not callable(thing):
        raise CallableError(f"{thing!r} is neither an agent nor a function of observations and masks")
    return CallableAgent(cast(Policy, thing), name or str(getattr(thing, "__name__", type(thing).__name__)))


def load_callable_agent(path: str, rules: Rules) -> Agent:
    """The agent ``python:FILE.py:NAME``; the file is run.

    NAME is a function (`Policy`), an object with `act` and `reset`, or a class of such objects, which is called with
    the rules if it takes an argument.

    Raises:
        CallableError: no such file or name, the file cannot be run, or what it gives is no player.
    """
    file, _, name = path.rpartition(":")
    if not file or not name.isidentifier():
        raise CallableError(f"write the file and a name in it, as in python:my_policy.py:policy, not {path!r}")
    thing = getattr(_module(Path(file)), name, None)
    if thing is None:
        raise CallableError(f"{file} has no {name!r}")
    if isinstance(thing, type):
        thing = _made(thing, rules, path)
    agent = as_agent(thing, f"python:{path}")
    if not isinstance(getattr(agent, "name", None), str):
        agent.name = f"python:{path}"
    return agent


def _made(kind: type, rules: Rules, path: str) -> object:
    try:
        takes_rules = bool(inspect.signature(kind).parameters)
    except ValueError:  # classes of compiled modules may have no signature
        takes_rules = False
    try:
        return kind(rules) if takes_rules else kind()
    except Exception as error:
        raise CallableError(f"{path}: cannot be made: {type(error).__name__}: {error}") from error


def _module(file: Path) -> Any:
    if not file.is_file():
        raise CallableError(f"no file at {file}")
    name = f"texas42_user_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise CallableError(f"{file} is no Python file; its name must end with .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise CallableError(f"{file} cannot be run: {type(error).__name__}: {error}") from error
    return module
