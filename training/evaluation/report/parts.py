"""Parts of a report: each is measured once, kept as JSON, and taken from there while its inputs are the same."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from texas42 import __version__
from texas42.agents.checkpoint import ENGINE_VERSION
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

    def working(self, title: str, steps: int, unit: str) -> Any:
        """A context manager around the measuring of a part; it yields a function that takes the steps just done."""


class Silent:
    """A watcher that does nothing."""

    def plan(self, total: int) -> None:
        """Nothing."""

    def kept(self, title: str) -> None:
        """Nothing."""

    @contextmanager
    def working(self, title: str, steps: int, unit: str) -> Iterator[Advance]:
        """Nothing."""
        yield lambda n: None


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
        key = {"kind": kind, "format": FORMAT, "version": __version__, "engine": ENGINE_VERSION, **inputs}
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
        path = self.folder / f"{kind}-{digest}.json"
        found = _read(path, key)
        if found is not None:
            self.watcher.kept(title)
            return found
        unfinished = path.with_suffix(".unfinished")
        with self.watcher.working(title, *steps) as advance:
            result = work(advance, unfinished)
            write_atomically(path, json.dumps({"key": key, "result": result}) + "\n")
        unfinished.unlink(missing_ok=True)
        return _read(path, key) or result


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
