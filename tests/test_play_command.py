"""``texas42 play``: a person in the terminal, here a pipe."""

import io
from typing import Any

import pytest

from texas42.cli import build_parser
from texas42.commands import play
from texas42.commands.common import CommandError

LEGAL = ["PASS", "P31", "P32", "M1", "M2"]
PLAYS = ["6-4", "4-1", "6-6"]


def run(arguments: str, answers: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run the command with piped answers."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{answer}\n" for answer in answers)))
    args = build_parser(["play"]).parse_args(["play", *arguments.split()])
    return play.run(args)


@pytest.mark.parametrize(
    ("answer", "legal", "found"),
    [
        ("P31", LEGAL, ["P31"]),
        ("p31", LEGAL, ["P31"]),
        ("31", LEGAL, ["P31"]),
        ("pass", LEGAL, ["PASS"]),
        ("p", LEGAL, ["PASS"]),
        ("pa", LEGAL, ["PASS"]),
        ("m", LEGAL, ["M1", "M2"]),
        ("p3", LEGAL, ["P31", "P32"]),
        ("", LEGAL, []),
        ("x", LEGAL, []),
        ("6-4", PLAYS, ["6-4"]),
        ("64", PLAYS, ["6-4"]),
        ("4-6", PLAYS, ["6-4"]),
        ("1 4", PLAYS, ["4-1"]),
        ("6", PLAYS, ["6-4", "6-6"]),
        ("4", PLAYS, ["4-1"]),
        ("", ["6-6"], ["6-6"]),
        ("5", ["PIP0", "PIP5", "DBL", "NT-high"], ["PIP5"]),
        ("nt", ["PIP0", "PIP5", "DBL", "NT-high"], ["NT-high"]),
        ("51", ["DISCARD 5-1", "DISCARD 6-1"], ["DISCARD 5-1"]),
        ("73", ["7-3", "7-3/3"], ["7-3"]),
        ("7-3/3", ["7-3", "7-3/3"], ["7-3/3"]),
    ],
)
def test_answers_may_be_short_where_they_are_clear(answer: str, legal: list[str], found: list[str]) -> None:
    assert play.find_action(answer, legal) == found


def _anything(seed_answers: int = 60) -> list[str]:
    """Answers that finish any hand: every tile is tried in turn, and Enter where only one is legal."""
    tiles = [f"{a}-{b}" for a in range(7) for b in range(a + 1)]
    return (["pass", "pip5", "", *tiles] * seed_answers)[:4000]


@pytest.mark.parametrize("rules", ["n42pa", "seed_marks"])
def test_a_hand_is_played_to_its_end(
    rules: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"--rules {rules} --agents random --seed 3 --seat 2", _anything(), monkeypatch) == 0
    out = capsys.readouterr().out
    assert "You are seat 2 of 4; --seed 3" in out
    assert out.splitlines()[1] == "partner, right, left: random"
    assert out.rstrip().splitlines()[-1].lstrip().startswith(("P", "M", "All passed"))
    assert "Score: left+right" in out or "Score: partner+you" in out or "Score: you+partner" in out


def test_the_same_seed_and_answers_give_the_same_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for _ in range(2):
        run("--agents random --seed 5 --episode game", _anything(), monkeypatch)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_help_mistakes_and_quit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answers = ["help", "P99", "6-6", "", "legal", "table", "quit"]
    assert run("--agents random --seed 1", answers, monkeypatch) == 0
    out = capsys.readouterr().out
    assert "Enough of an action's name to be clear will do" in out
    assert "'P99' is not understood. Legal: PASS" in out
    assert "6-6 is not legal now. Legal: PASS" in out
    assert "Type one of: PASS" in out
    assert out.rstrip().endswith("Bye.")


def test_the_end_of_the_input_ends_politely(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--agents random --seed 1", [], monkeypatch) == 0
    assert capsys.readouterr().out.rstrip().endswith("Bye.")


def test_an_interrupt_ends_politely(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(prompt: str = "") -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    assert run("--agents random --seed 1", [], monkeypatch) == 0
    assert capsys.readouterr().out.rstrip().endswith("Bye.")


def test_hands_of_others_are_not_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run("--agents random --seed 1", ["quit"], monkeypatch)
    table = [line for line in capsys.readouterr().out.splitlines() if "left" in line or "right" in line]
    assert any("(7 tiles)" in line for line in table)


@pytest.mark.parametrize("rules", ["players_2", "moon", "eighty_four_7", "one_forty"])
def test_other_tables_can_be_sat_at(
    rules: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"--rules {rules} --agents random --seed 1", ["quit"], monkeypatch) == 0


def test_two_seats_each_are_both_the_persons(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = "--rules players_2 --rule two_seats_each=true --agents random --seed 1"
    assert run(arguments, ["pass", "pass", "quit"], monkeypatch) == 0
    out = capsys.readouterr().out
    assert "you-0" in out
    assert "you-2" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--seat 4", "--seat 4 is not at this table; seats: 0 to 3"),
        ("--agents random random", "--agents: 2 given; write 1, or 3, clockwise from your left"),
        ("--agents nobody", "unknown agent 'nobody'"),
        ("--rules n42pb", "unknown preset 'n42pb'"),
    ],
)
def test_bad_arguments_are_named(arguments: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match=message.replace("--", "-*")):
        run(arguments, [], monkeypatch)
