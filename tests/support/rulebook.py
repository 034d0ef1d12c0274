"""RULES.md as text to be covered: its sentences, parameters and examples, and the tests that show them."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1]
RULES = TESTS.parent / "docs" / "RULES.md"
MAP = TESTS / "data" / "rules_map.txt"
ENGINE_TESTS = ("test_engine_*.py", "test_rules_*.py")
NO_RULE = "-"


class Entry(NamedTuple):
    """A sentence of RULES.md (c) as the map has it: its section, its words, and its tests or why it has none."""

    section: str
    text: str
    tests: list[str]
    reason: str


def section_text(letter: str) -> str:
    """The text of section (c), (d), ... below its heading."""
    found = re.search(rf"^## \({letter}\)[^\n]*\n(.*?)(?=^## \(|\Z)", RULES.read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None
    return found[1]


def words_by_section(letter: str) -> dict[str, str]:
    """The words of each subsection on one line, rules and table lines left out; what stands first is `(c)`."""
    section, found = f"({letter})", dict[str, list[str]]()
    for line in section_text(letter).splitlines():
        if line.startswith("### "):
            section = line.split()[1]
        elif not line.startswith(("---", "|--")):
            found.setdefault(section, []).extend(line.split())
    return {section: " ".join(words) for section, words in found.items() if words}


def read_map() -> list[Entry]:
    """The map: a sentence a line, and indented below it its tests, or a dash and why it needs none."""
    entries, section, text = list[Entry](), "", ""
    for line in MAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("    "):
            tests, reason = ([], line.strip()) if line.strip().startswith(NO_RULE) else (line.split(), "")
            entries.append(Entry(section, text, tests, reason))
        elif line.strip():
            text = line
    return entries


def engine_sources() -> str:
    """The text of all tests that play by the engine's rules."""
    paths = [path for pattern in ENGINE_TESTS for path in sorted(TESTS.glob(pattern))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def engine_tests() -> dict[str, str]:
    """Name and docstring of every test function among them."""
    nodes = ast.walk(ast.parse(engine_sources()))
    tests = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {node.name: ast.get_docstring(node) or "" for node in tests}
