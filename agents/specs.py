"""Agents from short spec strings: ``random``, ``pimc:worlds=100``, ``checkpoint:runs/x/best.pt``.

A spec is ``name`` or ``name:key=value,key=value``; an agent made from a file takes its path first, as in
``checkpoint:PATH`` or ``checkpoint:PATH,key=value`` (a path with a comma in it cannot be written), and one that comes
in several takes a name there, as in ``pretrained:open``. `REGISTRY` lists the agents; modules are imported when one is
made, so that torch is needed for trained policies only.
"""

import difflib
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from texas42.agents.base import Agent
from texas42.envs.rules.rules import Rules


class SpecError(ValueError):
    """A spec that names no agent; the message names the spec, the fault and what is allowed."""


@dataclass(frozen=True)
class Option:
    """One option of an agent: how its text is read, and what may be written, in words.

    `read` raises `ValueError` for a text it does not take.
    """

    read: Callable[[str], object]
    allowed: str


def whole(low: int, high: int = 10**9) -> Option:
    """A whole number from `low` to `high`."""

    def read(text: str) -> int:
        value = int(text)
        if not low <= value <= high or text != str(value):
            raise ValueError(text)
        return value

    return Option(read, f"a whole number from {low} to {high}")


def number(low: float, high: float) -> Option:
    """A number from `low` to `high`."""

    def read(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return Option(read, f"a number from {low} to {high}")


def word(*choices: str) -> Option:
    """One of some words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(text)
        return text

    return Option(read, f"one of {', '.join(choices)}")


def text() -> Option:
    """Any text; the agent checks it."""
    return Option(str, "any text")


@dataclass(frozen=True)
class AgentKind:
    """A name that specs may use.

    Attributes:
        module, factory: where ``factory(rules, **options)`` is, or ``factory(path, rules, **options)``.
        meaning: one line for help texts.
        options: what may stand after the colon.
        takes_path: whether the spec's first part is a file.
        takes_name: whether the spec's first part may be a name; the factory gets it in place of a path, None without.
        extra: the install extra that brings what the module imports, None if nothing beyond the core.
    """

    module: str
    factory: str
    meaning: str
    options: Mapping[str, Option] = field(default_factory=dict)
    takes_path: bool = False
    takes_name: bool = False
    extra: str | None = None


REGISTRY: dict[str, AgentKind] = {
    "random": AgentKind("texas42.agents.random_agent", "make_random", "uniformly random legal actions"),
    "passer": AgentKind(
        "texas42.agents.heuristic.agent", "make_passer", "plays as heuristic, passes unless it must bid"
    ),
    "heuristic": AgentKind(
        "texas42.agents.heuristic.agent", "make_heuristic", "bids and plays by written rules"
    ),
    "pimc": AgentKind(
        "texas42.agents.search.pimc",
        "make_pimc",
        "solves and plays out every choice in many deals that fit what it sees",
        {
            "worlds": whole(1, 100_000),
            "objective": word("make", "points", "marks"),
            "inference": text(),
            "threads": whole(1, 1024),
        },
    ),
    "ismcts": AgentKind(
        "texas42.agents.search.ismcts",
        "make_ismcts",
        "grows a tree of plays over many deals that fit what it sees",
        {
            "iterations": whole(1, 10_000_000),
            "finish": word("heuristic", "random"),
            "inference": text(),
            "threads": whole(1, 1024),
        },
    ),
    "search": AgentKind(
        "texas42.agents.search.guided",
        "make_search",
        "pimc with a trained policy's opinion",
        {
            "checkpoint": text(),
            "worlds": whole(1, 100_000),
            "weight": number(0.0, 1000.0),
            "calls": word("pimc", "race", "policy"),
            "inference": text(),
            "threads": whole(1, 1024),
        },
        extra="train",
    ),
    "cheat": AgentKind("texas42.agents.search.cheat", "make_cheat", "sees all hands, in matches: the ceiling"),
    "checkpoint": AgentKind(
        "texas42.agents.policy",
        "load_policy_agent",
        "a trained policy",
        {"temperature": number(0.0, 100.0), "device": text()},
        takes_path=True,
        extra="train",
    ),
    "pretrained": AgentKind(
        "texas42.agents.pretrained.agent",
        "load_pretrained",
        "a trained policy that comes with the package",
        {"temperature": number(0.0, 100.0), "device": text()},
        takes_name=True,
        extra="train",
    ),
    "sb3": AgentKind(
        "texas42.agents.sb3_agent",
        "load_sb3_agent",
        "a model saved by Stable-Baselines3",
        {"temperature": number(0.0, 100.0)},
        takes_path=True,
        extra="train",
    ),
    "onnx": AgentKind(
        "texas42.agents.onnx_agent",
        "load_onnx_agent",
        "a network in an ONNX file",
        {"temperature": number(0.0, 100.0)},
        takes_path=True,
        extra="onnx",
    ),
    "python": AgentKind(
        "texas42.agents.callable_agent",
        "load_callable_agent",
        "a function of your own, as FILE.py:NAME; the file is run",
        takes_path=True,
    ),
}
"""Every name with its agent; add a row, or call `register`."""


def register(name: str, kind: AgentKind) -> None:
    """Make `name` usable in specs.

    Raises:
        SpecError: the name is taken, empty, or holds a character that specs use.
    """
    if not name or set(name) & set(":,=+") or name in REGISTRY:
        raise SpecError(f"agent name {name!r} is empty, taken, or holds one of ': , = +'")
    REGISTRY[name] = kind


def make_agent(spec: str, rules: Rules) -> Agent:
    """The agent a spec names, for some rules.

    Raises:
        SpecError: unknown name or option, a bad value, a missing path, an extra that is not installed, or what the
            agent itself refuses, such as a damaged file.
    """
    if not isinstance(spec, str):
        raise SpecError(f"agent spec {spec!r} must be text such as 'heuristic' or 'pimc:worlds=10'")
    name, _, rest = spec.partition(":")
    if name not in REGISTRY:
        known = f"{_nearest(name, REGISTRY)}; {_listing(REGISTRY)}"
        raise SpecError(f"agent spec {spec!r}: unknown agent {name!r}{known}")
    kind = REGISTRY[name]
    parts = rest.split(",") if rest else []
    first = _first(spec, name, kind, parts)
    options = _options(spec, name, kind, parts)
    factory = _factory(spec, kind)
    try:
        agent: Agent = factory(*first, rules, **options)
    except SpecError:
        raise
    except ValueError as error:
        raise SpecError(f"agent spec {spec!r}: {error}") from error
    return agent


def _first(spec: str, name: str, kind: AgentKind, parts: list[str]) -> list[str | None]:
    """Take the path or name that a factory wants before the rules off `parts`; nothing if it wants none."""
    if kind.takes_path:
        if not parts or not parts[0]:
            raise SpecError(f"agent spec {spec!r}: write the file, as in {name}:PATH")
        return [parts.pop(0)]
    if kind.takes_name:
        return [parts.pop(0) if parts and "=" not in parts[0] else None]
    return []


def _options(spec: str, name: str, kind: AgentKind, parts: list[str]) -> dict[str, object]:
    options: dict[str, object] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals:
            raise SpecError(f"agent spec {spec!r}: {part!r} must be KEY=VALUE")
        if key not in kind.options:
            known = _listing(kind.options) if kind.options else f"{name} takes none"
            raise SpecError(
                f"agent spec {spec!r}: unknown option {key!r}{_nearest(key, kind.options)}; {known}"
            )
        if key in options:
            raise SpecError(f"agent spec {spec!r}: option {key!r} is given twice")
        options[key] = _value(spec, key, value, kind.options[key])
    return options


def _value(spec: str, key: str, value: str, option: Option) -> object:
    try:
        return option.read(value)
    except ValueError as error:
        raise SpecError(
            f"agent spec {spec!r}: {key}={value!r} is not allowed; allowed: {option.allowed}"
        ) from error


def _factory(spec: str, kind: AgentKind) -> Callable[..., Agent]:
    try:
        module = importlib.import_module(kind.module)
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if kind.extra is None or missing.startswith("texas42"):
            raise
        raise SpecError(f"agent spec {spec!r} needs {missing}; in the clone: pip install '.[{kind.extra}]'") from error
    factory: Callable[..., Agent] = getattr(module, kind.factory)
    return factory


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _listing(known: Iterable[str]) -> str:
    return f"known: {', '.join(known)}"
