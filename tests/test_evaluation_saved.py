"""Matches that are killed go on exactly where they were."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from texas42.cli import main
from texas42.envs.errors import OptionsError
from texas42.training.evaluation import MatchResult, play_match
from texas42.training.evaluation.match import Setting, empty_sums
from texas42.training.evaluation.sums import MOST_NOTES

TIMINGS = {"cpu_s_per_decision", "cpu_s", "hands_per_cpu_s", "command"}


def same(one: MatchResult, other: MatchResult) -> bool:
    """Whether two matches went alike, but for the time they took."""
    figures = [{k: v for k, v in result.to_json().items() if k not in TIMINGS} for result in (one, other)]
    return figures[0] == figures[1] and bool((one.by_sitting == other.by_sitting).all())


class Stop(Exception):
    """What kills the match."""


@pytest.mark.parametrize("options", [{}, {"episode": "game"}, {"until": 0.1}, {"contract": "30"}])
def test_a_match_that_was_stopped_goes_on_exactly(options: dict[str, Any], tmp_path: Path) -> None:
    saved, deals = tmp_path / "match.partial", 12 if options.get("episode") == "game" else 1500

    def stop_at(call: int) -> Callable[[int], None]:
        calls = iter(range(1, call + 1))

        def progress(done: int) -> None:
            if next(calls) == call:
                raise Stop

        return progress

    whole = play_match("heuristic", "random", "casual", deals, 5, **options)
    for call in (1, 2):  # first told what was kept, then what was played
        with pytest.raises(Stop):
            play_match(
                "heuristic", "random", "casual", deals, 5, batch=16, saved=saved, progress=stop_at(call), **options
            )
    told: list[int] = []
    resumed = play_match("heuristic", "random", "casual", deals, 5, saved=saved, progress=told.append, **options)
    assert same(resumed, whole)
    assert told[0] == min(16, deals)  # two chunks of eight deals were kept
    assert sum(told) == whole.deals


def test_a_finished_match_can_be_made_longer(tmp_path: Path) -> None:
    saved = tmp_path / "match.partial"
    play_match("heuristic", "random", deals=20, saved=saved)
    assert same(play_match("heuristic", "random", deals=50, saved=saved), play_match("heuristic", "random", deals=50))
    with pytest.raises(OptionsError, match="has 50 deals already; deals=30 must be at least as many"):
        play_match("heuristic", "random", deals=30, saved=saved)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 1}, "its seed is 0, not 1"),
        ({"rules": "casual"}, "its rules is 'n42pa', not 'casual'"),
        ({"a": "passer"}, "its a is 'heuristic', not 'passer'"),
        ({"contract": "30"}, "its contract is None, not '30'"),
    ],
)
def test_a_file_of_another_match_is_refused(options: dict[str, object], message: str, tmp_path: Path) -> None:
    saved = tmp_path / "match.partial"
    play_match("heuristic", "random", deals=5, saved=saved)
    with pytest.raises(OptionsError, match=f"is of another match: {message}; remove"):
        play_match(**{"a": "heuristic", "b": "random", "deals": 5, "saved": saved, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"match": {}, "sums": {}}', '{"match": 3, "sums": {}}'])
def test_a_damaged_file_is_refused(text: str, tmp_path: Path) -> None:
    saved = tmp_path / "match.partial"
    saved.write_text(text)
    with pytest.raises(OptionsError, match=r"match\.partial is damaged .*; remove .* to start anew"):
        play_match("heuristic", "random", deals=5, saved=saved)


def test_sums_are_read_back_without_loss() -> None:
    from texas42.envs.rules.rules import Rules

    setting = Setting(Rules.preset("three_handed"))
    sums = empty_sums(setting, 3)
    sums.margins = sums.margins.__class__((2, 3), dtype="int64")
    sums.margins[:] = [[1, -2, 3], [4, 5, -6]]
    sums.tally.points[:] = (1.5, 2.25)
    sums.seconds[:] = (0.1, 0.3)
    for number in range(MOST_NOTES + 5):
        sums.note(f"reason {number}")
    back = empty_sums(setting, 3).load(json.loads(json.dumps(sums.to_plain())))
    assert back.to_plain() == sums.to_plain()
    assert back.notes["other reasons"] == 5
    assert len(back.notes) == MOST_NOTES + 1


def test_killed_command_goes_on_and_cleans_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed without warning loses at most a few seconds."""
    match = ["evaluate", "pimc:worlds=5", "heuristic", "--deals", "60", "--json"]
    partial = tmp_path / "match.json.partial"
    code = "import texas42.training.evaluation.saved as s; s.SAVE_EVERY = 0.0; import sys; from texas42.cli import main"
    command = [sys.executable, "-P", "-c", f"{code}; main(sys.argv[1:])", *match, str(tmp_path / "match.json")]
    process = subprocess.Popen([*command, "--batch", "8"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not partial.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = json.loads(partial.read_text())["sums"]["margins"]
    assert 0 < len(kept) < 60
    for name in ("match.json", "other.json"):
        assert main([*match, str(tmp_path / name)]) == 0
    resumed, whole = (json.loads((tmp_path / name).read_text()) for name in ("match.json", "other.json"))
    assert all(resumed[key] == whole[key] for key in whole.keys() - TIMINGS)
    assert not list(tmp_path.glob("*.partial"))
