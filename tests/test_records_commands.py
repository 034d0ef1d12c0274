"""``texas42 generate``, ``verify`` and ``show``, and the recording of hands that agents play."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from texas42.agents.random_agent import RandomAgent
from texas42.agents.recording import record_hands, specs_by_seat
from texas42.cli import main
from texas42.envs.errors import OptionsError
from texas42.envs.records import HandRecord, read, to_line, verify_record
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

SAMPLES = Path(__file__).resolve().parent / "data" / "sample_records.jsonl"
OPTIONS = [
    ["n42pa", "laydown=claim"],
    ["open", "special_declared_at=after", "laydown=proved"],
    ["seed_points", "nello=any", "points_mode_multiples=doubling"],
    ["three_handed", "set_award_solo=bidder_loses", "sevens=any"],
    ["big_game", "lead_low_end=any"],
    ["eighty_four_6", "kitty=unused", "nello=any"],
    ["players_2", "two_seats_each=true"],
]


def hands(rules: Rules, n: int, seed: int, episode: str = "game") -> list[HandRecord]:
    return list(record_hands(rules, [RandomAgent()] * rules.seats, n, seed, episode=episode))


def generate(out: Path, *arguments: str) -> int:
    return main(["generate", "--agents", "random", "--hands", "30", "--out", str(out), *arguments])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("episode", ["hand", "game"])
def test_recorded_hands_verify(preset: str, episode: str) -> None:
    for record in hands(Rules.preset(preset), 12, seed=3, episode=episode):
        verify_record(record)


@pytest.mark.parametrize("preset", ["n42pa", "moon"])
@pytest.mark.parametrize("episode", ["hand", "game"])
def test_the_first_hands_are_the_same_whatever_the_number(preset: str, episode: str) -> None:
    rules = Rules.preset(preset)
    many = hands(rules, 200, 7, episode)
    assert hands(rules, 1, 7, episode) == many[:1]
    assert hands(rules, 60, 7, episode) == many[:60]
    assert hands(rules, 60, 8, episode) != many[:60]


def test_scores_and_shaker_run_on_through_a_game() -> None:
    records = hands(Rules.preset("n42pa"), 40, 1)
    games = 0
    for before, after in pairwise(records):
        total = [a + b for a, b in zip(before.scores, before.score_delta, strict=True)]
        games += max(total) >= 7
        assert after.scores == ([0, 0] if max(total) >= 7 else total)
        assert max(total) >= 7 or after.shaker == (before.shaker + 1) % 4
    assert games >= 2


def test_single_hands_start_at_zero() -> None:
    assert {tuple(record.scores) for record in hands(Rules.preset("n42pa"), 20, 1, "hand")} == {(0, 0)}


@pytest.mark.parametrize(
    ("preset", "specs", "seats"),
    [
        ("n42pa", ["a"], "a a a a"),
        ("n42pa", ["a", "b"], "a b a b"),
        ("n42pa", ["a+c", "b"], "a b c b"),
        ("n42pa", ["a+b"], "a a b b"),
        ("n42pa", ["a", "b", "c", "d"], "a b c d"),
        ("one_forty", ["a", "b", "c+d"], "a b c a b d"),
        ("moon", ["a", "b", "c"], "a b c"),
    ],
)
def test_specs_take_seats_or_sides(preset: str, specs: Sequence[str], seats: str) -> None:
    assert specs_by_seat(specs, Rules.preset(preset)) == seats.split()


@pytest.mark.parametrize("specs", [["a", "b", "c"], ["a+b+c"], ["a+", "b"]])
def test_specs_that_do_not_fit_the_table(specs: Sequence[str]) -> None:
    with pytest.raises(OptionsError):
        specs_by_seat(specs, Rules.preset("n42pa"))


@pytest.mark.parametrize("arguments", OPTIONS)
def test_generated_files_verify(
    tmp_path: Path, arguments: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.jsonl"
    rules = [word for change in arguments[1:] for word in ("--rule", change)]
    assert generate(out, "--rules", arguments[0], *rules, "--legal", "--seed", "5") == 0
    capsys.readouterr()
    assert main(["verify", str(out)]) == 0
    assert capsys.readouterr().out == "30 passed, 0 failed\n"
    assert all(record.legal for record in read(out))


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    for name, seed in (("a.jsonl", "1"), ("b.jsonl", "1"), ("c.jsonl", "2")):
        assert generate(tmp_path / name, "--seed", seed) == 0
    files = [(tmp_path / name).read_bytes() for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    assert files[0] == files[1] != files[2]
    assert b'"legal"' not in files[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agents", "nobody"], "unknown agent 'nobody'"),
        (["--agents", "random", "random", "random"], "3 agents are not allowed; allowed: 1, 2, 4"),
        (["--rules", "n43pa"], "unknown preset 'n43pa'"),
        (["--rule", "min_bid=900"], "min_bid=900 is not allowed"),
        (["--out", "/dev/null"], "/dev/null: cannot be written: it is not a regular file"),
        (["--out", "/no/such/folder/a.jsonl"], "cannot be written: No such file or directory"),
    ],
)
def test_generate_refuses_bad_input(
    tmp_path: Path, arguments: Sequence[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(tmp_path / "a.jsonl", *arguments) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_verify_explains_failures_and_counts_over_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = list(read(SAMPLES))[:3]
    records[1].actors[4] += 1
    bad = tmp_path / "bad.jsonl"
    bad.write_text("\n".join([*map(to_line, records), "{"]) + "\n")
    assert main(["verify", str(SAMPLES), str(bad)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{bad}: line 2: action 4 (")
    assert "actor: expected" in lines[0]
    assert lines[1].startswith(f"{bad}: line 4: not a JSON object")
    assert lines[2:] == ["48 passed, 2 failed"]


def test_verify_tries_every_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "missing.jsonl"), str(SAMPLES)]) == 2
    output = capsys.readouterr()
    assert "missing.jsonl: cannot be read" in output.err
    assert output.out == "46 passed, 0 failed\n"


def test_show_prints_one_hand_or_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(SAMPLES), "--hand", "15"]) == 0
    one = capsys.readouterr().out
    assert one.startswith("Hand 15: n42pa, marks to 7\n")
    assert main(["show", str(SAMPLES)]) == 0
    everything = capsys.readouterr().out
    assert one in everything
    assert everything.count("Auction\n") == 46


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (None, [], "cannot be read"),
        ("", [], "has no hands"),
        ("{}\n", [], "line 1: "),
        (SAMPLES.read_text(encoding="utf-8"), ["--hand", "47"], "has no hand 47"),
    ],
)
def test_show_refuses_bad_files(
    tmp_path: Path, content: str | None, arguments: Sequence[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main(["show", str(path), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_show_names_the_illegal_action(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(to_line(next(read(SAMPLES))))
    record["actions"][0] = "M3"
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    assert main(["show", str(tmp_path / "a.jsonl")]) == 2
    assert "a.jsonl: hand 1: action 0: illegal: expected a legal action of seat 2" in capsys.readouterr().err
