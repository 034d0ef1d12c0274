"""Every rule of RULES.md has its tests: the map of section (c), the examples of (d), (b) and (f) by citation."""

import re

import pytest

from support.rulebook import engine_sources, engine_tests, read_map, section_text, words_by_section
from texas42.envs.rules.parameters import PARAMETERS
from texas42.envs.rules.rules import Rules

TESTS = engine_tests()
DOCSTRINGS = " ".join(TESTS.values())
SOURCES = engine_sources()
SINGLE = {  # parameters of (b) that know one value
    "shaker_rotation", "first_leader", "undeclared_trump", "renege", "nello_leader", "nello_exchange", "sevens_tie",
    "set_award", "made_award_sweep", "splash_doubles", "plunge_doubles",
}  # fmt: skip


def cited(letter: str) -> set[str]:
    """What the docstrings cite of a section: ``d.14``, ``f.3.13``, also as the ends of a range."""
    return set(re.findall(rf"\b{letter}\.\d+(?:\.\d+)?", DOCSTRINGS))


def test_the_map_holds_every_word_of_section_c() -> None:
    """A sentence that is added to the rules, or changed, wants a look at its tests."""
    mapped: dict[str, list[str]] = {}
    for entry in read_map():
        mapped.setdefault(entry.section, []).extend(entry.text.split())
    assert {section: " ".join(words) for section, words in mapped.items()} == words_by_section("c")


def test_every_sentence_of_section_c_has_tests_or_a_reason() -> None:
    for entry in read_map():
        assert entry.tests or len(entry.reason) > 4, entry
        assert set(entry.tests) <= set(TESTS), entry


@pytest.mark.parametrize("number", range(1, 93))
def test_worked_example_is_a_test(number: int) -> None:
    """Of RULES.md (d): some test of the engine names it."""
    assert re.search(rf"^{number}\. ", section_text("d"), re.M)
    assert f"d.{number}" in cited("d")


def test_there_are_92_worked_examples() -> None:
    numbers = [int(n) for n in re.findall(r"^(\d+)\. ", section_text("d"), re.M)]
    assert numbers == list(range(1, 93))


@pytest.mark.parametrize("section", range(1, 5))
def test_decisions_are_cited(section: int) -> None:
    """Every numbered decision of RULES.md (f); f.1 is its table of presets."""
    items = re.findall(r"^(\d+)\. ", words := _decisions(section), re.M)
    wanted = {f"f.{section}.{item}" for item in items} if items else {f"f.{section}"}
    assert words
    assert wanted <= cited("f"), sorted(wanted - cited("f"))


def _decisions(section: int) -> str:
    found = re.search(rf"^### f\.{section} .*?\n(.*?)(?=^### |\Z)", section_text("f"), re.M | re.S)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("name", sorted(set(PARAMETERS) - SINGLE))
def test_parameter_is_cited(name: str) -> None:
    """Of RULES.md (b) and f.2.2: tests name every parameter that knows two values, and use its words but the usual."""
    assert f"`{name}`" in DOCSTRINGS
    parameter, usual = PARAMETERS[name], Rules.preset("seed_marks").parameters()[name]
    words = parameter.allowed if parameter.kind in ("word", "subset", "lead_low") else ()
    assert not [w for w in words if w != usual and isinstance(w, str) and f'"{w}"' not in SOURCES]


@pytest.mark.parametrize("name", sorted(SINGLE))
def test_parameters_with_one_value(name: str) -> None:
    """Of RULES.md (b) with f.2.6: nothing else is taken."""
    assert len(PARAMETERS[name].allowed) == 1
