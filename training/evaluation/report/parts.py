"""Parts of a report: each is measured once, kept as JSON, and taken from there while its inputs are the same."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from texas42 import __version__
from texas42.training.evaluation.saved import write_atomically

FORMAT = 1
"""Changes when what a part holds, or how it is measured, does."""

Advance = Callable[[int], None]


class Watcher(Protocol):
    """Who is told how measuring goes on."""

    def plan(self, total: int) -> None:
        """How many parts there are in all."""

    def kept(self, title: str) -> None:
        """A part was found finished."""

    def working(self, title: str, steps: int, unit: str, counts: bool = True) -> Any:
        """A context manager around the measuring of some parts; it yields a function that takes the steps just done."""


class Silent:
    """A watcher that does nothing."""

    def plan(self, total: int) -> None:
        """Nothing."""

    def kept(self, title: str) -> None:
        """Nothing."""

    @contextmanager
    def working(self, title: str, steps: int, unit: str, counts: bool = True) -> Iterator[Advance]:
        """Nothing."""
        yield lambda n: None


def code_digest() -> str:
    """SHA-256 of the sources that results depend on: engine, rules, agents, evaluation; not those of the page."""
    import texas42.agents
    import texas42.envs
    import texas42.training.evaluation

    agents, envs, evaluation = (
        Path(package.__path__[0]) for package in (texas42.agents, texas42.envs, texas42.training.evaluation)
    )
    paths = [*agents.rglob("*.py"), *envs.glob("engine/*.py"), *envs.glob("rules/*.py"), *evaluation.glob("*.py")]
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


class Parts:
    """A folder of finished parts.

    Args:
        folder: where they are kept; it is made.
        watcher: told what goes on.

    Raises:
        OSError: the folder cannot be made.
    """

    def __init__(self, folder: Path, watcher: Watcher | None = None) -> None:
        self.folder, self.watcher = folder, watcher or Silent()
        self.made_by = {"format": FORMAT, "version": __version__, "code": code_digest()}
        folder.mkdir(parents=True, exist_ok=True)

    def get(
        self,
        title: str,
        kind: str,
        inputs: Mapping[str, Any],
        steps: tuple[int, str],
        work: Callable[[Advance, Path], dict[str, Any]],
    ) -> dict[str, Any]:
        """The result of a part, from its file or from `work`.

        Args:
            title: what the watcher is told.
            kind: first word of the file name.
            inputs: plain values on which the result depends.
            steps: how many there are, and what they are called.
            work: measures; it gets a function that takes the steps just done, and a file of its own for what is
                unfinished, which is deleted in the end.

        Returns:
            Plain values, the same whether measured or read.
        """
        path, key = self._place(kind, inputs)
        found = _read(path, key)
        if found is not None:
            self.watcher.kept(title)
            return found
        unfinished = path.with_suffix(".unfinished")
        with self.watcher.working(title, *steps) as advance:
            result = self.keep(kind, inputs, work(advance, unfinished))
        unfinished.unlink(missing_ok=True)
        return result

    def find(self, kind: str, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """The result of a part if it is finished."""
        return _read(*self._place(kind, inputs))

    def keep(self, kind: str, inputs: Mapping[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        """Write the result of a part; returns it as `find` will.

        Raises:
            OSError: it cannot be written.
        """
        path, key = self._place(kind, inputs)
        text = json.dumps({"key": key, "result": result})
        write_atomically(path, text + "\n")
        kept: dict[str, Any] = json.loads(text)["result"]
        return kept

    def _place(self, kind: str, inputs: Mapping[str, Any]) -> tuple[Path, dict[str, Any]]:
        key = {"kind": kind, **self.made_by, **inputs}
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
        return self.folder / f"{kind}-{digest}.json", key


def _read(path: Path, key: Mapping[str, Any]) -> dict[str, Any] | None:
    """The result in a part's file; None if there is none, it is damaged, or of other inputs."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or content.get("key") != json.loads(json.dumps(key)):
        return None
    result = content.get("result")
    return result if isinstance(result, dict) else None
