"""The report: what may be named, parts that are kept, the page, the command."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from texas42.cli import main
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import AgentError
from texas42.training.evaluation.handlog import play_hands
from texas42.training.evaluation.report import (
    ContestantError,
    Parts,
    Report,
    Sizes,
    measure,
    resolve_contestants,
)
from texas42.training.evaluation.report.contestants import CHECKPOINTS, EVENTS
from texas42.training.evaluation.report.parts import Advance
from texas42.training.evaluation.report.words import interval, measured, number, said, share

RULES = Rules.preset("n42pa")
TINY = Sizes(deals=4, cross_deals=2, hands=4, sample=2, worlds=3, beliefs=10)


class Told:
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.worked: list[str] = []
        self.found: list[str] = []
        self.total = self.steps = 0

    def plan(self, total: int) -> None:
        self.total = total

    def kept(self, title: str) -> None:
        self.found.append(title)

    @contextmanager
    def working(self, title: str, steps: int, unit: str, counts: bool = True) -> Iterator[Advance]:
        self.worked.append(title)

        def advance(n: int) -> None:
            self.steps += n

        yield advance


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parts")


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    contestants = resolve_contestants(["passer", "heuristic"])
    return measure(contestants, RULES, Parts(folder), seed=1, sizes=TINY)


def test_specs_runs_and_checkpoints_may_be_named(tmp_path: Path) -> None:
    run = tmp_path / "night"
    (run / EVENTS).mkdir(parents=True)
    for name in CHECKPOINTS:
        (run / name).write_bytes(name.encode())
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"x")
    spec, from_run, from_file, sampled = resolve_contestants(
        ["pimc:worlds=5", str(run), str(other), f"checkpoint:{run / 'last.safetensors'},temperature=1"]
    )
    assert (spec.spec, spec.label, spec.run) == ("pimc:worlds=5", "pimc:worlds=5", None)
    assert (from_run.spec, from_run.run) == (f"checkpoint:{run / 'best.safetensors'}", run)
    assert from_run.label == "night"
    assert from_file.spec == f"checkpoint:{other}"
    assert from_file.label.endswith("/other")
    assert sampled.label == "night,temperature=1"


def test_checkpoint_names_are_the_trainers() -> None:
    from texas42.training import trainer

    assert CHECKPOINTS == (trainer.BEST, trainer.LAST)


def test_a_run_without_a_best_checkpoint_is_judged_by_its_last(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINTS[1]).write_bytes(b"x")
    assert resolve_contestants([str(tmp_path)])[0].spec.endswith(CHECKPOINTS[1])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "name at least one"),
        (["heuristc"], "'heuristc' is no agent spec, run folder or checkpoint; agents: random"),
        (["random", "random"], "'random' is given twice"),
        (["."], "holds neither best.safetensors nor last.safetensors"),
    ],
)
def test_what_cannot_be_named(given: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ContestantError, match=re.escape(message)):
        resolve_contestants(given)


def test_a_checkpoints_key_is_its_contents(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(b"one")
    (one,) = resolve_contestants([str(path)])
    before = one.key()
    path.write_bytes(b"two")
    assert one.key() != before


def test_labels_of_runs_with_one_name_are_told_apart(tmp_path: Path) -> None:
    for parent in ("a", "b"):
        (tmp_path / parent / "quick").mkdir(parents=True)
        (tmp_path / parent / "quick" / CHECKPOINTS[0]).write_bytes(b"x")
    labels = [c.label for c in resolve_contestants([str(tmp_path / p / "quick") for p in ("a", "b")])]
    assert len(set(labels)) == 2


def test_parts_are_measured_once(folder: Path, report: Report) -> None:
    told = Told()
    again = measure(report.contestants, RULES, Parts(folder, told), seed=1, sizes=TINY)
    assert told.worked == []
    assert len(told.found) == told.total == 1 + 3 + 2
    assert again.to_json() == report.to_json()


def test_other_inputs_are_measured_anew(folder: Path, report: Report) -> None:
    told = Told()
    more = Sizes(**{**TINY.__dict__, "cross_deals": 3})
    measure(report.contestants, RULES, Parts(folder, told), seed=1, sizes=more)
    assert len(told.worked) == 3
    assert told.steps == 9


def test_a_damaged_part_is_measured_again(tmp_path: Path) -> None:
    told = Told()
    parts = Parts(tmp_path, told)

    def work(advance: Advance, unfinished: Path) -> dict[str, Any]:
        return {"x": 1.5}

    assert parts.get("a", "kind", {"n": 1}, (1, "steps"), work) == {"x": 1.5}
    (path,) = tmp_path.glob("kind-*.json")
    path.write_text(path.read_text()[:-9])
    assert parts.get("a", "kind", {"n": 1}, (1, "steps"), work) == {"x": 1.5}
    assert told.worked == ["a", "a"]
    assert parts.get("a", "kind", {"n": 2}, (1, "steps"), work) == {"x": 1.5}
    assert len(list(tmp_path.glob("kind-*.json"))) == 2


def test_an_interrupted_part_leaves_finished_ones(tmp_path: Path) -> None:
    class Stops(Told):
        @contextmanager
        def working(self, title: str, steps: int, unit: str, counts: bool = True) -> Iterator[Advance]:
            if title.startswith("hands of passer"):
                raise KeyboardInterrupt
            with super().working(title, steps, unit) as advance:
                yield advance

    contestants = resolve_contestants(["heuristic", "passer"])
    with pytest.raises(KeyboardInterrupt):
        measure(contestants, RULES, Parts(tmp_path, Stops()), seed=1, sizes=TINY)
    told = Told()
    measure(contestants, RULES, Parts(tmp_path, told), seed=1, sizes=TINY)
    assert told.worked == ["hands of passer"]
    assert not list(tmp_path.glob("*.unfinished"))


@pytest.mark.slow
def test_processes_give_the_same_numbers(tmp_path: Path, report: Report) -> None:
    told = Told()
    by_two = measure(report.contestants, RULES, Parts(tmp_path, told), seed=1, sizes=TINY, workers=2)
    assert told.worked[:2] == ["3 matches by 2 processes", "1 matches by 2 processes"]
    assert by_two.matches[0, 1]["scores"] == report.matches[0, 1]["scores"]
    assert by_two.crossplay == report.crossplay
    assert not list(tmp_path.glob("*.unfinished"))


def test_ladder_and_crossplay_are_consistent(report: Report) -> None:
    assert report.ladder[0]["mean"] == pytest.approx(-report.ladder[1]["mean"])
    assert report.crossplay is not None
    mean = np.array(report.crossplay["mean"])
    assert np.array_equal(mean, mean.T)
    assert mean[1, 1] == 0  # the heuristic against itself
    gap = report.crossplay["gaps"][0]
    assert gap["gap"]["mean"] == pytest.approx(gap["self"]["mean"] - gap["cross"]["mean"])


def test_report_is_plain_json(report: Report) -> None:
    assert json.loads(json.dumps(report.to_json(), allow_nan=False))["unit"] == "marks"


def test_a_player_that_answers_illegally_is_named() -> None:
    class Wrong:
        name = "wrong"

        def act(self, decisions: Any) -> Any:
            return np.zeros(len(decisions), np.int64)  # passes for ever

        def reset(self, game_ids: Any) -> None:
            """Nothing."""

    with pytest.raises(AgentError, match="agent 'wrong' in all seats: row"):
        play_hands(Wrong(), Rules.preset("seed_marks"), 1, seed=1)


def test_a_player_that_raises_is_named() -> None:
    class Breaks:
        name = "breaks"

        def act(self, decisions: Any) -> Any:
            raise KeyError("lost")

        def reset(self, game_ids: Any) -> None:
            """Nothing."""

    with pytest.raises(AgentError, match="agent 'breaks' in all seats: KeyError: 'lost'"):
        play_hands(Breaks(), RULES, 1, seed=1)


def test_a_bad_agent_is_found_before_anything_is_played(tmp_path: Path) -> None:
    told = Told()
    with pytest.raises(OptionsError, match="worlds"):
        measure(resolve_contestants(["random", "pimc:worlds=0"]), RULES, Parts(tmp_path, told), sizes=TINY)
    assert told.worked == []


class Page(HTMLParser):
    """Tags, ids and addresses of a page; it complains about tags that are not closed."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href"):
                self.links.append(value or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def rendered(report: Report) -> str:
    from texas42.training.evaluation.report.page import render

    return render(report, "texas42 report <heuristic> & passer")


def test_page_is_well_formed_and_needs_nothing_else(report: Report) -> None:
    text = rendered(report)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    assert "@import" not in text
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(svg)


def test_page_has_every_section(report: Report) -> None:
    ids = Page(rendered(report)).ids
    assert {"strength", "crossplay", "bidding", "regret", "calibration", "hands", "method"} <= set(ids)
    assert "learning" not in ids  # no training run was named


def test_page_takes_all_its_colours_from_the_style_sheet(report: Report) -> None:
    for svg in re.findall(r"<svg.*?</svg>", rendered(report), re.DOTALL):
        assert not re.findall(r"#[0-9a-f]{6}\b", svg)
        assert "var(--ink)" in svg


def test_page_is_the_same_every_time(report: Report) -> None:
    assert rendered(report) == rendered(report)


def test_text_from_outside_is_escaped(report: Report) -> None:
    from dataclasses import replace

    bad = '<script>alert("$x^2$")</script>'
    first = replace(report.contestants[0], label=bad, spec=bad, given=bad)
    text = rendered(replace(report, contestants=[first, report.contestants[1]], opponent=bad))
    page = Page(text)
    assert "script" not in page.tags
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "<heuristic>" not in text


def test_forfeited_hands_are_told(report: Report) -> None:
    from dataclasses import replace

    failed = {**report.matches[0, 1], "forfeits": [3, 0], "notes": {"passer answered <CLAIM>": 3}}
    text = rendered(replace(report, matches={(0, 1): failed}))
    assert "passer failed and forfeited 3 hands: passer answered &lt;CLAIM&gt;." in text
    assert "heuristic failed" not in text


def test_document_is_true() -> None:
    from dataclasses import asdict

    text = (Path(__file__).parents[1] / "docs" / "REPORT.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    usual, quick = asdict(Sizes()), asdict(Sizes.quick())
    for name in ("deals", "cross_deals", "hands", "sample", "worlds"):
        option = "--" + name.replace("_", "-")
        assert re.search(rf"\| `{option}` \|[^|]*\| {usual[name]} \| {quick[name]} \|", text), option


def test_help_tells_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    from texas42.commands.report import _default

    usual, quick = Sizes(), Sizes.quick()
    for name in ("deals", "cross_deals", "hands", "sample", "worlds"):
        assert _default(name) == f"{getattr(usual, name)}, quick {getattr(quick, name)}"


def test_dark_and_printed_styles_are_there(report: Report) -> None:
    text = rendered(report)
    assert "@media screen and (prefers-color-scheme: dark)" in text
    assert "@media print" in text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.0, "0.00"), (-0.001, "0.00"), (-1.5, "−1.50"), (1234.5, "1,234.50")]
)
def test_numbers_are_written_with_a_true_minus(value: float | None, text: str) -> None:
    assert number(value) == text


def test_intervals_and_shares_in_words() -> None:
    assert interval([-0.5, 0.25], 2, sign=True) == "−0.50 to +0.25"
    assert measured({"mean": 0.5, "ci95": None}) == "0.50"
    assert measured({"mean": None, "ci95": None}) == "–"
    assert share(0.125, 1) == "12.5%"
    play = {"role": "defender", "known": 0.25, "made": 1.0, "points": 1.0}
    assert said(play) == (
        "gave away 25% of the chance to set as far as could be known; what was sure with all hands open, to set the "
        "contract; 1 point with all hands open"
    )


def run(*argv: str) -> int:
    try:
        return main(argv)
    except SystemExit as stop:
        return int(stop.code or 0)


SMALL = ("--deals", "2", "--cross-deals", "1", "--hands", "2", "--sample", "1", "--worlds", "2")


def test_command_writes_a_page_and_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "report"
    assert run("report", "heuristic", "passer", "--out", str(out), *SMALL) == 0
    first = capsys.readouterr()
    assert first.out.strip() == str(out / "report.html")
    assert "[1/6] heuristic against passer\n" in first.err
    page = (out / "report.html").read_text()
    assert run("report", "heuristic", "passer", "--out", str(out), *SMALL) == 0
    assert capsys.readouterr().err.count(": kept\n") == 6
    assert (out / "report.html").read_text() == page
    assert json.loads((out / "report.json").read_text())["command"].startswith("texas42 report heuristic passer --out ")


def test_command_with_one_policy_and_no_partners(tmp_path: Path) -> None:
    sizes = ("--cross-deals", "0", *SMALL[:2], *SMALL[4:])
    assert run("report", "random", "--out", str(tmp_path), "--rules", "moon", *sizes) == 0
    text = (tmp_path / "report.html").read_text()
    assert "Not available for random: regret is measured in four-player double-six 42" in text
    assert 'id="strength"' not in text


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("nonesuch",), "'nonesuch' is no agent spec, run folder or checkpoint"),
        (("random", "--opponent", "nonesuch"), "'nonesuch' is no agent spec"),
        (("random", "--hands", "0"), "0 is not a whole number from 1 to"),
        (("random", "--rules", "n42"), "unknown preset 'n42'"),
        (("pimc", "--rules", "moon"), "pimc plays four-player"),
    ],
)
def test_bad_arguments_end_with_code_2(
    argv: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("report", *argv, "--out", str(tmp_path / "r")) == 2
    assert message in capsys.readouterr().err


def test_an_output_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert run("report", "random", "--out", str(tmp_path / "file")) == 2
    assert "file" in capsys.readouterr().err


def test_ctrl_c_says_where_finished_parts_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import texas42.training.evaluation.report as package

    def stopped(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(package, "measure", stopped)
    assert run("report", "random", "--out", str(tmp_path)) == 130
    assert "the same command goes on from there" in capsys.readouterr().err
