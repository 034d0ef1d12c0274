"""README.md and docs/EVALUATION.md say what is so: their code runs, their commands parse, their paths exist."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from texas42.cli import build_parser
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.presets import PRESETS
from texas42.training.evaluation import play_match

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
EVALUATION = ROOT / "docs" / "EVALUATION.md"
DOCUMENTS = [README, EVALUATION, ROOT / "docs" / "TRAINING.md"]


def blocks(path: Path, language: str) -> list[str]:
    """Fenced blocks of a language; the empty string for those that name none."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def commands(path: Path) -> list[str]:
    """Lines of unnamed blocks and words in backticks that call the command line, without those with a COMMAND."""
    text = path.read_text(encoding="utf-8")
    lines = [line.removeprefix("$ ") for block in blocks(path, "") for line in block.splitlines()]
    return [
        c for c in (*lines, *re.findall(r"`(texas42 [^`]+)`", text)) if c.startswith("texas42 ") and "COMMAND" not in c
    ]


def tree() -> list[str]:
    """Paths of README's file tree: a folder ends with a slash, what follows it indented lies in it."""
    (block,) = (b for b in blocks(README, "") if "envs/rules/" in b)
    paths, folder = [], ""
    for line in block.splitlines():
        name = line.split()[0]
        if not line.startswith(" "):
            folder = name if name.endswith("/") else ""
            paths.append(name)
        else:
            paths.append(folder + name)
    return paths


@pytest.mark.parametrize(
    ("path", "number"), [(path, i) for path in DOCUMENTS for i in range(len(blocks(path, "python")))]
)
def test_python_blocks_run(path: Path, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(path, "python")[number], f"{path.name} block {number}", "exec"), {"__name__": "readme"})


@pytest.mark.parametrize("command", sorted({c for path in DOCUMENTS for c in commands(path)}))
def test_commands_parse(command: str) -> None:
    words = shlex.split(command)[1:]
    if "--help" in words:
        with pytest.raises(SystemExit, match="0"):
            build_parser().parse_args(words)
    else:
        build_parser().parse_args(words)


@pytest.mark.parametrize("target", ["make train", "make test"])
def test_the_two_commands_stand_on_lines_of_their_own(target: str) -> None:
    assert any(target in block.splitlines() for block in blocks(README, ""))
    assert re.search(
        rf"^{target.removeprefix('make ')}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )


def test_file_tree_names_files_that_exist() -> None:
    missing = [path for path in tree() if not (ROOT / path).exists()]
    assert not missing


def test_file_tree_names_every_package() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {f"{_folder(name, setuptools['package-dir'])}/" for name in setuptools["packages"]}
    assert folders <= set(tree())


def _folder(package: str, mapping: dict[str, str]) -> str:
    for name, folder in sorted(mapping.items(), reverse=True):
        if package == name or package.startswith(name + "."):
            return folder + package.removeprefix(name).replace(".", "/")
    raise AssertionError(package)


def test_links_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert target.startswith("http") or (path.parent / target).exists(), target


def test_stated_numbers_are_so() -> None:
    text = README.read_text(encoding="utf-8")
    game = BatchedGame("n42pa", 1)
    assert f"{game.layout.width} numbers" in text
    assert f"{game.codec.n_actions} actions" in text
    assert f"{len(PRESETS)} presets" in text


def test_every_result_has_the_command_that_made_it() -> None:
    text = README.read_text(encoding="utf-8")
    results = text[text.index("## Results") : text.index("\n## ", text.index("## Results") + 1)]
    rows = [line for line in results.splitlines() if line.startswith("|") and not re.match(r"\| (what|A) |\|-", line)]
    assert rows
    for row in rows:
        assert re.search(r"`(texas42|python|make) [^`]+`", row), row


def test_match_file_keys_are_documented() -> None:
    section = EVALUATION.read_text().partition("## What is reported")[2].partition("\n## ")[0]
    documented = set(re.findall(r"`([a-z0-9_]+)`", " ".join(re.findall(r"^\| (`.*?) \|", section, re.M))))
    hand, game = (play_match("random", "random", deals=2, episode=e).to_json() for e in ("hand", "game"))
    assert documented == {*hand, *game, "command"}
