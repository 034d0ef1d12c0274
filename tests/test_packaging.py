"""The package list, the markers, the versions and what an import pulls in."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import texas42

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS: dict[str, Any] = PROJECT["tool"]["setuptools"]
PACKAGE_DIR: dict[str, str] = SETUPTOOLS["package-dir"]


def folders_with(pattern: str) -> set[str]:
    """Returns the dotted names of the mapped folders, at any depth, that hold a file matching `pattern`."""
    names: set[str] = set()
    for package, folder in PACKAGE_DIR.items():
        for path in (ROOT / folder).rglob(pattern):
            if "__pycache__" not in path.parts:
                names.add(".".join([package, *path.parent.relative_to(ROOT / folder).parts]))
    return names


def package_folder(package: str) -> Path:
    """Returns the source folder of a dotted package name, by its longest mapped prefix."""
    prefix = max((name for name in PACKAGE_DIR if f"{package}.".startswith(f"{name}.")), key=len)
    return ROOT.joinpath(PACKAGE_DIR[prefix], *package.removeprefix(prefix).strip(".").split("."))


def test_package_list_equals_tree() -> None:
    assert sorted(SETUPTOOLS["packages"]) == sorted(folders_with("__init__.py"))


def test_every_folder_with_python_files_is_a_package() -> None:
    assert folders_with("*.py") == folders_with("__init__.py")


def test_every_yaml_file_is_package_data() -> None:
    covered: set[Path] = set()
    for package, patterns in SETUPTOOLS["package-data"].items():
        for pattern in patterns if package != "*" else []:
            covered.update(package_folder(package).glob(pattern))
    present = {path for folder in PACKAGE_DIR.values() for path in (ROOT / folder).rglob("*.yaml")}
    assert present <= covered


@pytest.mark.parametrize("package", sorted(PACKAGE_DIR))
def test_package_is_marked_as_typed(package: str) -> None:
    assert (ROOT / PACKAGE_DIR[package] / "py.typed").is_file()


@pytest.mark.parametrize("module", ["texas42", "texas42.envs"])
def test_import_pulls_in_neither_torch_nor_pygame(module: str) -> None:
    code = f"import sys, {module}; print(sorted({{'torch', 'pygame'}} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == texas42.__version__
    assert f"\n## {texas42.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_make_names_the_environments_it_knows() -> None:
    with pytest.raises(ValueError, match=r"'texas42_v99'.*texas42_v0"):
        texas42.make("texas42_v99")
