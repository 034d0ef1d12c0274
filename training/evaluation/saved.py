"""Matches that are kept while they are played, so that a killed one goes on exactly where it was."""

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from texas42.agents.pretrained.files import player_names, player_path
from texas42.envs.errors import OptionsError
from texas42.training.evaluation.sums import Sums

SAVE_EVERY = 5.0
"""Seconds between two saves."""


def digest_of_files(team: str) -> dict[str, str]:
    """SHA-256 of every file that a team's specs name, by path: a match belongs to files, not to their names.

    A player that comes with the package, alone or inside `search`, counts with its file, by its name.
    """
    found = {}
    for member in team.split("+"):
        kind, _, rest = member.strip().partition(":")
        parts = rest.split(",")
        for path in (parts[0], parts[0].rpartition(":")[0], *(part.partition("=")[2] for part in parts)):
            if path and os.path.isfile(path):
                found[path] = _digest(Path(path))
        if kind in ("pretrained", "search"):
            found |= {f"pretrained:{name}": _digest(player_path(name)) for name in player_names()}
    return found


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it is at all times the old one or the whole new one.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.tmp{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


class SavedMatch:
    """A file with the sums of a match so far.

    Args:
        path: the file.
        key: plain values that say which match it is; a file of another match is refused.
    """

    def __init__(self, path: Path, key: Mapping[str, Any]) -> None:
        self.path, self.key = path, json.loads(json.dumps(key))
        self._last = time.monotonic()

    def load(self, sums: Sums) -> None:
        """Take over what the file holds, if there is one.

        Raises:
            OptionsError: it is damaged, or of another match.
        """
        if not self.path.exists():
            return
        hint = f"remove {self.path} to start anew"
        try:
            content = json.loads(self.path.read_text("utf-8"))
            found = dict(content["match"])
            sums.load(content["sums"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OptionsError(f"{self.path} is damaged ({error}); {hint}") from error
        for name, value in self.key.items():
            if found.get(name) != value:
                raise OptionsError(
                    f"{self.path} is of another match: its {name} is {found.get(name)!r}, not {value!r}; {hint}"
                )

    def save(self, sums: Sums, *, now: bool = False) -> None:
        """Write the sums, at most once in `SAVE_EVERY` seconds unless `now`."""
        if now or time.monotonic() - self._last >= SAVE_EVERY:
            write_atomically(self.path, json.dumps({"match": self.key, "sums": sums.to_plain()}) + "\n")
            self._last = time.monotonic()

    def remove(self) -> None:
        """The match is over."""
        self.path.unlink(missing_ok=True)
