"""All numba flags in one place, and where compiled code is kept.

Numba's cache does not notice an edit in another file of the call tree, so the cache folder is named by a digest
of the sources that kernels are made of. The folder lies beside the sources, or in the user's cache folder where
they are read-only; `NUMBA_CACHE_DIR` moves it.
"""

import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])
_CONFIG: Any = numba.config
JIT = not _CONFIG.DISABLE_JIT
_HERE = Path(__file__).resolve().parent
_LOG = logging.getLogger("texas42")
_announced = False


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


def cache_folder(name: str, beside: Path) -> Path:
    """The cache folder called `name`: under NUMBA_CACHE_DIR, else beside the sources, else the user's."""
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    if wanted:
        return Path(wanted) / name
    local = beside / "__pycache__" / name
    if _writable(local):
        return local
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "texas42" / name


class KernelCompiler:
    """A decorator that compiles kernels into one cache folder.

    Args:
        name: prefix of the cache folder.
        folders: folders whose sources the kernels depend on; the first holds the kernels.
    """

    def __init__(self, name: str, *folders: Path) -> None:
        self.folder = cache_folder(f"{name}-{source_digest(*folders)}", folders[0])
        self.cold = not any(self.folder.rglob("*.nbi"))

    def __call__(self, function: F) -> F:
        before = _CONFIG.CACHE_DIR
        _CONFIG.CACHE_DIR = str(self.folder)
        try:
            compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
        finally:
            _CONFIG.CACHE_DIR = before
        return cast(F, compiled)

    def announce(self) -> None:
        """Say once that the first use compiles, so that it does not look hung."""
        global _announced
        if self.cold and JIT and not _announced:
            _announced = True
            _LOG.warning("texas42: first use, compiling the engine (up to a minute; kept in %s)", self.folder)


kernel = KernelCompiler("texas42-engine", _HERE, _HERE.parent / "rules")
