"""Checkpoints: one safetensors file of tensors with JSON in its header. Loading one never runs code.

A checkpoint carries a fingerprint of what its network was trained to read and write: the action codec, the
observation's layout and the engine's version. A file that does not fit is refused, naming the part that
differs. This module does not import torch, so that a file can be looked at without it.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.layout import build_layout
from texas42.envs.rules.rules import Rules

FORMAT = 1
"""Version of the file format itself."""
ENGINE_VERSION = 0
"""Changes when the engine behaves differently, not when its source does: the v0 of `texas42_v0`."""
_HEADER = "texas42"

Arrays = dict[str, npt.NDArray[Any]]


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, foreign, or made for other actions, observations or engine."""


@dataclass(frozen=True)
class Checkpoint:
    """Arrays by name, and the plain data saved with them."""

    path: Path
    arrays: Arrays
    meta: dict[str, Any]

    def group(self, prefix: str) -> Arrays:
        """The arrays whose names start with ``prefix.``, without it.

        Raises:
            CheckpointError: there are none.
        """
        found = {k[len(prefix) + 1 :]: v for k, v in self.arrays.items() if k.startswith(prefix + ".")}
        if not found:
            raise CheckpointError(f"{self.path}: holds no {prefix!r} tensors")
        return found

    def field(self, name: str, kind: type) -> Any:
        """A field of the plain data.

        Raises:
            CheckpointError: missing or of another type.
        """
        value = self.meta.get(name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise CheckpointError(f"{self.path}: damaged, its {name!r} is {value!r}, not {kind.__name__}")
        return value


def fingerprint(rules: Rules) -> dict[str, str]:
    """What a network for these rules depends on, by part: ``codec``, ``observation``, ``engine``."""
    codec = build_codec(rules)
    layout = build_layout(rules, codec)
    pieces = [(piece.name, piece.start, piece.shape) for piece in layout.pieces.values()]
    return {
        "codec": _digest(codec.names),
        "observation": _digest([pieces, layout.width, layout.hidden_width]),
        "engine": str(ENGINE_VERSION),
    }


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def check_fingerprint(checkpoint: Checkpoint, rules: Rules) -> None:
    """Refuse a checkpoint made for something else.

    Raises:
        CheckpointError: names the parts that differ.
    """
    found = checkpoint.field("fingerprint", dict)
    wanted = fingerprint(rules)
    told = {"codec": "the actions", "observation": "what a seat sees"}
    parts = [
        f"{name} ({told.get(name, f'{found.get(name)} is not {value}')})"
        for name, value in wanted.items()
        if found.get(name) != value
    ]
    if parts:
        made_for = checkpoint.meta.get("rules")
        differs = f"differs in {', '.join(parts)}"
        raise CheckpointError(
            f"{checkpoint.path}: made for {made_for}, does not fit {rules.to_dict()}; {differs}"
        )


def save_checkpoint(path: Path, arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any]) -> None:
    """Write a checkpoint so that `path` is at all times the old file or the whole new one.

    Raises:
        CheckpointError: the file cannot be written.
    """
    from safetensors.numpy import save

    contiguous = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    digests = {name: _array_digest(array) for name, array in contiguous.items()}
    header = {_HEADER: json.dumps({"format": FORMAT, **meta, "digests": digests}, sort_keys=True)}
    temporary = path.with_name(f".{path.name}.tmp{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            file.write(save(contiguous, metadata=header))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CheckpointError(f"cannot write checkpoint {path}: {error.strerror or error}") from error


def load_checkpoint(path: str | Path, groups: tuple[str, ...] | None = None) -> Checkpoint:
    """Read a checkpoint, or only the tensors of some groups (the part of a name before its first dot).

    Tensors in half precision, as shipped players have them, come as float32.

    Raises:
        CheckpointError: missing, unreadable, damaged, or not a texas42 checkpoint.
    """
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    if not path.is_file():
        inside = sorted(file.name for file in path.glob("*.safetensors")) if path.is_dir() else []
        raise CheckpointError(f"no checkpoint at {path}" + (f", a folder with {', '.join(inside)}" if inside else ""))
    try:
        with safe_open(path, framework="numpy") as file:
            meta = _read_meta(path, file.metadata())
            names = [n for n in file.keys() if groups is None or n.split(".")[0] in groups]  # noqa: SIM118
            arrays = {name: file.get_tensor(name) for name in names}
    except (OSError, SafetensorError, TypeError, AttributeError) as error:
        raise CheckpointError(f"{path}: damaged or not a checkpoint ({error})") from error
    digests = meta.get("digests")
    for name, array in arrays.items():
        if isinstance(digests, dict) and digests.get(name) != _array_digest(array):
            raise CheckpointError(f"{path}: damaged, tensor {name!r} is not what was saved")
    return Checkpoint(path, {name: _widened(array) for name, array in arrays.items()}, meta)


def _widened(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _array_digest(array: npt.NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def _read_meta(path: Path, header: Mapping[str, str] | None) -> dict[str, Any]:
    text = (header or {}).get(_HEADER)
    if text is None:
        raise CheckpointError(f"{path}: not a texas42 checkpoint, its header has no {_HEADER!r} entry")
    try:
        meta = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: damaged header ({error})") from error
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        found = meta.get("format") if isinstance(meta, dict) else meta
        raise CheckpointError(f"{path}: checkpoint format {found!r}; this version reads format {FORMAT}")
    return meta
