"""Put a trained player into the package: ``python scripts/ship_player.py CHECKPOINT NAME``.

Of a run's best.safetensors or last.safetensors only the actor, its numbers rounded to half precision, and what says
where it comes from are kept, the configuration without names of folders. The file is
agents/pretrained/NAME.safetensors and plays as ``pretrained:NAME``; its size and SHA-256 belong in docs/MODELS.md.
"""

import argparse
import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from texas42.agents.checkpoint import (
    Checkpoint,
    CheckpointError,
    check_fingerprint,
    load_checkpoint,
    save_checkpoint,
)
from texas42.agents.policy import load_actor
from texas42.agents.pretrained.files import ENDING, FOLDER, LARGEST
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

KEPT = {"fingerprint": dict, "rules": dict, "shape": dict, "config": dict, "progress": dict}
"""Plain data that a shipped file has, with its types."""


class ShipError(ValueError):
    """A player that cannot be shipped; the message says why."""


def ship(checkpoint: Path, name: str, folder: Path = FOLDER) -> Path:
    """Write the player of a training checkpoint as NAME.safetensors; returns the file.

    Raises:
        CheckpointError: the checkpoint is missing, damaged, or not made for the preset it names.
        ShipError: a bad name, a run by other rules than the preset of that name, or a file above `LARGEST` bytes.
    """
    if not re.fullmatch(r"[a-z0-9_]+", name):
        raise ShipError(f"player name {name!r} must be made of small letters, digits and _")
    loaded = load_checkpoint(checkpoint, groups=("actor",))
    _check(loaded, name)
    arrays = {f"actor.{key}": array.astype(np.float16) for key, array in loaded.group("actor").items()}
    meta = {field: loaded.field(field, kind) for field, kind in KEPT.items()}
    meta["config"] = without_folders(meta["config"])
    path = folder / f"{name}{ENDING}"
    candidate = folder / f".{name}.candidate"
    try:
        save_checkpoint(candidate, arrays, meta)
        size = candidate.stat().st_size
        if size > LARGEST:
            raise ShipError(
                f"{name} would have {size:,} bytes, more than {LARGEST:,}: train with a smaller network.width"
            )
        candidate.replace(path)
    finally:
        candidate.unlink(missing_ok=True)
    return path


def _check(loaded: Checkpoint, name: str) -> None:
    """Refuse a network that does not play, or that another game's preset is to be named after."""
    try:
        rules = Rules.from_dict(loaded.field("rules", dict))
    except RulesError as error:
        raise CheckpointError(f"{loaded.path}: damaged, {error}") from error
    if name in PRESETS and name != rules.base:
        raise ShipError(f"{loaded.path} was trained by {rules}: it cannot be the player of the preset {name!r}")
    check_fingerprint(loaded, rules)
    load_actor(loaded, rules)


def without_folders(value: object) -> object:
    """Plain data whose texts name files without their folders: ``checkpoint:b`` for ``checkpoint:a/b``."""
    if isinstance(value, dict):
        return {key: without_folders(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_folders(inner) for inner in value]
    return re.sub(r"[^:=,+]*/", "", value) if isinstance(value, str) else value


def main(arguments: Sequence[str] | None = None) -> int:
    """Ship, and print size and SHA-256; 2 if that cannot be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "checkpoint", type=Path, metavar="CHECKPOINT", help="best.safetensors or last.safetensors of a run"
    )
    parser.add_argument("name", metavar="NAME", help="name of the player: the preset it was trained by, or a new one")
    args = parser.parse_args(arguments)
    try:
        path = ship(args.checkpoint, args.name)
    except (CheckpointError, ShipError) as error:
        print(f"ship_player: {error}", file=sys.stderr)
        return 2
    content = path.read_bytes()
    print(f"{path.name}  {len(content):,} bytes  sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
