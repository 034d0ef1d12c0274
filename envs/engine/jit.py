"""All numba flags in one place, and where compiled code is kept.

Numba's cache does not notice an edit in another file of the call tree, so the cache folder is named by a digest
of the sources that kernels are made of. The folder lies beside the sources, or in the user's cache folder where
they are read-only; `NUMBA_CACHE_DIR` moves it. Where neither can be written, every process compiles for itself.
"""

import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])
_CONFIG: Any = numba.config
JIT = not _CONFIG.DISABLE_JIT
_HERE = Path(__file__).resolve().parent
_LOG = logging.getLogger("texas42")


def source_digest(*folders: Path) -> str:
    """Digest of every Python file directly in `folders`."""
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in folders:
        for path in sorted(folder.glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def cache_folder(name: str, beside: Path) -> Path | None:
    """The cache folder called `name`: under NUMBA_CACHE_DIR, else beside the sources, else the user's; None: none."""
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "texas42"
    except RuntimeError:  # a user without a home
        home = None
    folders = [Path(wanted)] if wanted else [beside / "__pycache__", *([home] if home else [])]
    return next((folder / name for folder in folders if _writable(folder / name)), None)


class _Announcer(event.Listener):
    """Says what is being compiled, once for each part of the package, so that the first use does not look hung."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def on_start(self, event: Any) -> None:
        module = str(event.data["dispatcher"].py_func.__module__)
        part = module.rpartition(".")[0].removeprefix("texas42.")
        if not module.startswith("texas42.") or part in self.said:
            return
        self.said.add(part)
        _LOG.warning("texas42: compiling %s on first use, up to a minute", part)

    def on_end(self, event: Any) -> None:
        """Nothing to say."""


class KernelCompiler:
    """A decorator that compiles kernels into one cache folder.

    Args:
        name: prefix of the cache folder.
        folders: folders whose sources the kernels depend on; the first holds the kernels.
    """

    def __init__(self, name: str, *folders: Path) -> None:
        self.folder = cache_folder(f"{name}-{source_digest(*folders)}", folders[0])

    def __call__(self, function: F) -> F:
        return self.compile(function)

    def compile(self, function: F, signatures: Any = None) -> F:
        """Compile on first use, or at once for explicit numba signatures."""
        keep, before = self.folder is not None, _CONFIG.CACHE_DIR
        _CONFIG.CACHE_DIR = str(self.folder or before)
        try:
            compiled: Any = numba.njit(signatures, cache=keep, nogil=True, error_model="numpy")(function)
        finally:
            _CONFIG.CACHE_DIR = before
        return cast(F, compiled)


kernel = KernelCompiler("texas42-engine", _HERE, _HERE.parent / "rules")

if JIT:
    event.register("numba:compile", _Announcer())  # type: ignore[no-untyped-call]
    if kernel.folder is None:
        _LOG.warning("texas42: no folder to keep compiled code in; set NUMBA_CACHE_DIR to one that can be written")
