"""Checks an installed wheel: all packages and data are in it, torch is not needed, a hand can be played.

Called by wheel_test.sh with the Python of a fresh environment: `python -I wheel_check.py ROOT WHEEL`.
"""

import importlib
import importlib.util
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np


def expected_files(root: Path, setuptools: dict[str, Any]) -> set[str]:
    """Returns the files that the listed packages have in the source tree, by their place in the wheel."""
    files: set[str] = set()
    for package in setuptools["packages"]:
        folder = package_folder(root, package, setuptools["package-dir"])
        patterns = ["*.py", *setuptools["package-data"]["*"], *setuptools["package-data"].get(package, [])]
        for path in (path for pattern in patterns for path in folder.glob(pattern) if path.is_file()):
            files.add(f"{package.replace('.', '/')}/{path.relative_to(folder).as_posix()}")
    return files


def package_folder(root: Path, package: str, package_dir: dict[str, str]) -> Path:
    """Returns the source folder of a dotted package name, by its longest mapped prefix."""
    prefix = max((name for name in package_dir if f"{package}.".startswith(f"{name}.")), key=len)
    return root.joinpath(package_dir[prefix], *package.removeprefix(prefix).strip(".").split("."))


def check_contents(root: Path, wheel: Path) -> None:
    """Exits with a message if the wheel lacks a file of the tree or holds one that is not of it."""
    setuptools = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name for name in names if ".dist-info/" not in name}
    expected = expected_files(root, setuptools)
    if packed != expected:
        missing, surplus = sorted(expected - packed), sorted(packed - expected)
        sys.exit(f"missing from the wheel: {missing}; not in the source tree: {surplus}")
    for package in setuptools["packages"]:
        if importlib.util.find_spec(package) is None:
            sys.exit(f"{package} cannot be found after installation")
    print(f"{len(packed)} files in {len(setuptools['packages'])} packages, as in the source tree")


def check_imports(root: Path) -> None:
    """Exits with a message if importing the environments takes the source tree, torch or pygame."""
    for name in ("texas42", "texas42.envs"):
        origin = Path(str(importlib.import_module(name).__file__)).resolve()
        if origin.is_relative_to(root):
            sys.exit(f"{name} was imported from the source tree: {origin}")
    if importlib.util.find_spec("torch") is not None:
        sys.exit("torch is installed: this environment cannot show that it is not needed")
    if "pygame" in sys.modules:
        sys.exit("importing texas42.envs imports pygame")


def play_random_hand() -> int:
    """Plays one hand of legal moves through the PettingZoo interface and returns the number of decisions."""
    import texas42

    env = texas42.make("texas42_v0", rules="n42pa")
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    decisions = 0
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        decisions += 1
    return decisions


def main() -> None:
    """Runs the checks on the tree and the wheel named on the command line."""
    root, wheel = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    check_contents(root, wheel)
    check_imports(root)
    print(f"a random hand of {play_random_hand()} decisions, without torch")


if __name__ == "__main__":
    main()
