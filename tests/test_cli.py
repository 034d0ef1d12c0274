"""The command line: exit codes, messages without tracebacks, files written."""

import json
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

from texas42 import __version__
from texas42.cli import COMMANDS, build_parser, main
from texas42.commands.common import format_table
from texas42.envs.rules.parameters import PARAMETERS
from texas42.envs.rules.presets import PRESETS


def run(*argv: str) -> int:
    """The exit code, whether returned or raised by the argument parser."""
    try:
        return main(argv)
    except SystemExit as stop:
        return int(stop.code or 0)


MATCH = ("evaluate", "random", "random", "--deals", "3")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "the following arguments are required: COMMAND"),
        (("nonesuch",), "invalid choice: 'nonesuch'"),
        (("evaluate", "random"), "the following arguments are required: B"),
        (("evaluate", "randm", "random"), "unknown agent 'randm' (did you mean 'random'?)"),
        (("evaluate", "random", "random:x=1"), "unknown option 'x'"),
        (("evaluate", "random", "checkpoint:no/such.pt"), "no/such.pt"),
        (("evaluate", "random", "random+"), "a member is empty"),
        ((*MATCH, "--rules", "n42"), "unknown preset 'n42' (did you mean 'n42pa'?)"),
        ((*MATCH, "--rules", "no/such.yaml"), "cannot read rules from no/such.yaml"),
        ((*MATCH, "--rule", "target"), "--rule 'target': write NAME=VALUE"),
        ((*MATCH, "--rule", "targt=5"), "unknown rule parameter 'targt' (did you mean 'target'?)"),
        ((*MATCH, "--rule", "target=many"), "target='many' is not allowed; allowed: a whole number from 1 to"),
        ((*MATCH, "--rule", "nello=[any"), "--rule 'nello=[any': the value cannot be read"),
        ((*MATCH, "--deals", "0"), "0 is not a whole number from 1 to 100000000"),
        ((*MATCH, "--deals", "x"), "'x' is not a whole number from 1 to"),
        ((*MATCH, "--seed", "-1"), "-1 is not a whole number from 0 to"),
        ((*MATCH, "--threads", "0"), "0 is not a whole number from 1 to"),
        ((*MATCH, "--contract", "12"), "contract '12' is not a bid of these rules"),
        ((*MATCH, "--contract", "30", "--episode", "game"), "goes with episode='hand' only"),
        ((*MATCH, "--episode", "match"), "invalid choice: 'match'"),
        ((*MATCH, "--deal", "3"), "unrecognized arguments: --deal"),
        (("presets", "n42"), "did you mean 'n42pa'?"),
        (("presets", "--rule", "target=5"), "--rule needs a preset to change"),
        (("presets", "moon", "--rule", "nello=any"), "nello"),
        (("bench", "nonesuch"), "invalid choice: 'nonesuch'"),
        (("bench", "engine", "--threads", "0"), "0 is not a whole number"),
        (("bench", "solver", "--threads", "2"), "leave --rules and --threads out"),
        (("bench", "engine", "--rules", "nonesuch"), "unknown preset 'nonesuch'"),
    ],
)
def test_bad_input_ends_with_exit_code_2_and_a_message(
    argv: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*argv) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert not captured.out


@pytest.mark.parametrize("command", ["evaluate", "bench"])
@pytest.mark.parametrize("name", ["missing/folder/x.json", "file/x.json", "."])
def test_unwritable_json_path_is_refused_before_any_work(
    command: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("kept")
    monkeypatch.setattr("texas42.training.evaluation.play_match", None)
    monkeypatch.setattr("texas42.benchmarks.measure_engine", None)
    argv = ("evaluate", "random", "random") if command == "evaluate" else ("bench", "engine")
    assert run(*argv, "--json", str(tmp_path / name)) == 2
    assert re.match(rf"texas42 {command}: cannot write .*: ", capsys.readouterr().err)
    assert (tmp_path / "file").read_text() == "kept"


def test_a_bad_spec_leaves_no_file_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("evaluate", "nonesuch", "random", "--json", str(tmp_path / "match.json")) == 2
    assert not list(tmp_path.iterdir())
    assert "nonesuch" in capsys.readouterr().err


def test_evaluate_prints_a_table_and_writes_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.json"
    assert run("evaluate", "heuristic", "random", "--deals", "20", "--seed", "3", "--json", str(path)) == 0
    captured = capsys.readouterr()
    content = json.loads(path.read_text())
    assert content["a"] == "heuristic"
    assert content["b"] == "random"
    assert content["rules"] == "n42pa"
    assert content["deals"] == 20
    assert content["seed"] == 3
    assert content["command"] == f"texas42 evaluate heuristic random --deals 20 --seed 3 --json {path}"
    assert f"marks per deal: {content['marks_per_deal']:+.4f}" in captured.out
    assert "points per hand" in captured.out
    assert not captured.err.strip() or "compiling" in captured.err  # no progress bar where there is no terminal


def test_evaluate_reads_rules_from_a_file_and_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house, out = tmp_path / "house.yaml", tmp_path / "match.json"
    house.write_text("preset: seed_marks\nnello: any\n")
    options = ("--rules", str(house), "--rule", "nello_doubles=[own]", "--rule", "splash=on")
    assert run(*MATCH, *options, "--json", str(out)) == 0
    rules = {"preset": "seed_marks", "nello": "any", "nello_doubles": ["own"], "splash": "on"}
    assert json.loads(out.read_text())["rules"] == rules
    assert "rules seed_marks with nello=any, " in capsys.readouterr().out


@pytest.mark.parametrize("options", [("--episode", "game"), ("--contract", "30"), ("--rules", "seed_points")])
def test_evaluate_plays_games_contracts_and_points(
    options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*MATCH, *options) == 0
    out = capsys.readouterr().out
    assert ("games won" in out) == ("game" in options)
    assert ("calls, as a share" in out) == ("30" not in options)
    assert ("points per deal: +0.0000" in out) == ("seed_points" in options)


def test_presets_lists_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("presets") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1 : len(PRESETS) + 1]] == list(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_explains_every_parameter_and_stars_what_differs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("presets", name) == 0
    lines = capsys.readouterr().out.splitlines()[3:]
    starred = {line.split()[1] for line in lines if line.startswith("*")}
    assert [line.lstrip("* ").split()[0] for line in lines] == list(PARAMETERS)
    assert starred == {key for key in PARAMETERS if PRESETS[name][1].get(key, _seed(key)) != _seed(key)}


def _seed(key: str) -> object:
    from texas42.envs.rules.presets import SEED_MARKS

    return SEED_MARKS[key]


def test_presets_shows_changed_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("presets", "n42pa", "--rule", "target=5") == 0
    out = capsys.readouterr().out
    assert out.startswith("n42pa (c.1 of docs/RULES.md) with target=5;")
    assert re.search(r"^\* +target +5 ", out, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_explains_every_argument(command: str) -> None:
    parser = build_parser((command,))
    sub = parser._subparsers._group_actions[0].choices[command]  # type: ignore[union-attr, index]
    assert sub.description
    for action in sub._actions:
        assert action.help, f"{command}: {action.dest} is not explained"


def test_every_module_of_commands_is_a_command() -> None:
    import texas42.commands

    modules = {module.name for module in pkgutil.iter_modules(texas42.commands.__path__)}
    assert modules == {*COMMANDS, "common"}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out.strip() == f"texas42 {__version__}"


def test_python_m_texas42_and_a_closed_pipe() -> None:
    command = f"'{sys.executable}' -P -m texas42 presets | head -n 1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("preset")
    assert result.stderr == ""


def test_parsing_imports_neither_torch_nor_compiled_kernels() -> None:
    code = (
        "import sys; from texas42.cli import build_parser; build_parser(); print({'torch', 'numba'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


def test_numbers_in_tables_are_set_to_the_right() -> None:
    assert format_table([["", "A"], ["long name", "1"], ["x", "100"]], right=(1,)) == "\n".join(
        ["             A", "long name    1", "x          100"]
    )


def test_bench_writes_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("texas42.benchmarks.STEPS", 40)
    path = tmp_path / "bench.json"
    assert run("bench", "engine", "--rules", "spruce", "--threads", "2", "--repeats", "1", "--json", str(path)) == 0
    rows = json.loads(path.read_text())["rows"]
    assert [row["rules"] for row in rows] == ["spruce", {"preset": "spruce", "early_end": "play_all"}]
    for row in rows:
        assert (row["bench"], row["threads"]) == ("engine", 2)
        assert row["decisions_per_cpu_s"] >= row["decisions_per_cpu_s_median"] > 0
    assert run("bench", "observe", "--repeats", "1", "--json", str(path)) == 0
    (row,) = json.loads(path.read_text())["rows"]
    assert row["bench"] == "observe"
    assert row["observation_width"] > 0
    assert "decisions_per_cpu_s" in capsys.readouterr().out


def test_same_hands_are_legal_under_full_house_rules() -> None:
    from texas42.benchmarks import measure_same_hands
    from texas42.envs.rules.rules import Rules

    row = measure_same_hands(Rules.preset("n42pa"), Rules.preset("open"), batch=200, repeats=1)
    assert row["rules"] == "open"
    assert row["base"] == "n42pa"
    assert row["slower_by"] > 0


def test_interrupt_ends_with_exit_code_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("texas42.training.evaluation.play_match", interrupted)
    assert run(*MATCH) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_full_disk_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    assert run(*MATCH, "--json", "/dev/full") == 2
    assert "No space left" in capsys.readouterr().err
