"""Tournaments: the same numbers whoever plays them and wherever, and no player can end one."""

import json
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from texas42.cli import main
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import play_match
from texas42.training.evaluation import workers as workers_module
from texas42.training.evaluation.jobs import CHUNK, Job, forfeited, jobs_of
from texas42.training.evaluation.match import Setting
from texas42.training.evaluation.pairings import play_pairings
from texas42.training.evaluation.rating import rate
from texas42.training.evaluation.tournament import TournamentResult, play_tournament

pytest.importorskip("openskill")

TEAMS = ("random", "passer", "heuristic", "heuristic+random")
SETTING = Setting(Rules.preset("n42pa"), seed=1)
DEALS = CHUNK + 20
TIMINGS = {"cpu_s_per_decision", "cpu_s", "hands_per_cpu_s", "command"}

FAILING = """
import os, time
import numpy as np

def lowest(observations, masks):
    return masks.argmax(axis=1)

def quits(observations, masks):
    os._exit(7)

def hangs(observations, masks):
    while True:
        pass

def crashes(observations, masks):
    raise RuntimeError("no idea")

def cheats(observations, masks):
    return np.full(len(masks), 10**6)

class DiesYoung:
    def __init__(self):
        os._exit(9)
"""


@pytest.fixture
def failing(tmp_path: Path) -> str:
    path = tmp_path / "failing.py"
    path.write_text(FAILING)
    return f"python:{path}"


def numbers(result: TournamentResult) -> object:
    """Everything but the time it took."""
    content = result.to_json()
    content["matches"] = [{k: v for k, v in m.items() if k not in TIMINGS} for m in content["matches"]]
    return json.loads(json.dumps(content))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> TournamentResult:
    journal = tmp_path_factory.mktemp("tournament") / "matches.jsonl"
    return play_tournament(TEAMS, SETTING, DEALS, workers=2, journal=journal)


def test_every_cell_is_the_match_of_its_teams(result: TournamentResult) -> None:
    for i, j in combinations(range(len(TEAMS)), 2):
        match = play_match(TEAMS[i], TEAMS[j], "n42pa", DEALS, 1)
        assert (result.scores(i, j) == match.scores).all()
        assert result.interval(i, j) == (match.mean, *match.ci95)
        assert result.interval(j, i) == (-match.mean, -match.ci95[1], -match.ci95[0])
        assert result.matches[i, j].tally.report() == match.tally.report()


def test_ranking_is_by_the_mean_over_the_others(result: TournamentResult) -> None:
    assert result.standings[0].team == "heuristic"
    assert result.standings[-1].team == "random"
    for place in result.standings:
        i = TEAMS.index(place.team)
        rows = [result.interval(i, j)[0] for j in range(len(TEAMS)) if j != i]
        assert place.mean == pytest.approx(np.mean(rows))
        assert place.ci95[0] < place.mean < place.ci95[1]
    assert sum(place.mean for place in result.standings) == pytest.approx(0)
    assert result.standings[0].rating.ordinal > result.standings[-1].rating.ordinal


def test_one_process_gives_the_numbers_of_two(result: TournamentResult) -> None:
    assert numbers(play_tournament(TEAMS, SETTING, DEALS, workers=1)) == numbers(result)


def test_ray_gives_the_same_numbers(result: TournamentResult) -> None:
    pytest.importorskip("ray")
    assert numbers(play_tournament(TEAMS, SETTING, DEALS, workers=2, ray=True)) == numbers(result)


def test_without_ray_it_is_said_what_to_install() -> None:
    try:
        import ray  # noqa: F401
    except ModuleNotFoundError:
        with pytest.raises(OptionsError, match=r"needs ray; in the clone: pip install '\.\[ray\]'"):
            play_tournament(TEAMS, SETTING, 1, ray=True)
    else:
        pytest.skip("ray is here")


def test_without_openskill_nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    monkeypatch.setattr("texas42.training.evaluation.tournament.play_pairings", lambda *_, **__: pytest.fail("played"))
    with pytest.raises(OptionsError, match=r"ratings need openskill; in the clone: pip install '\.\[evaluation\]'"):
        play_tournament(TEAMS, SETTING, 1)


def test_finished_pieces_are_kept_and_extended(
    tmp_path: Path, result: TournamentResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, done = tmp_path / "matches.jsonl", []

    class Stop(Exception):
        pass

    def stop(deals: int) -> None:
        done.append(deals)
        if len(done) == 4:
            raise Stop

    with pytest.raises(Stop):
        play_tournament(TEAMS[:3], SETTING, DEALS, workers=1, journal=journal, progress=stop)
    text = journal.read_text()
    assert text.count("\n") == 3  # the fourth was told before it was written
    journal.write_text(text + text.split("\n")[0][:50])  # a line cut off by a kill
    told: list[int] = []
    whole = play_tournament(TEAMS, SETTING, DEALS, workers=2, journal=journal, progress=told.append)
    assert numbers(whole) == numbers(result)
    assert sum(told) == 6 * DEALS
    lines = [json.loads(line) for line in journal.read_text().splitlines() if line.endswith("}")]
    assert len(lines) == 12
    monkeypatch.setattr(workers_module, "Worker", None)  # nothing is left to play
    assert numbers(play_tournament(TEAMS, SETTING, DEALS, journal=journal)) == numbers(result)
    with pytest.raises(TypeError):
        play_tournament(TEAMS, Setting(SETTING.rules, seed=2), DEALS, journal=journal)


@pytest.mark.parametrize("name", ["crashes", "quits", "DiesYoung"])
def test_no_player_ends_a_tournament(name: str, failing: str) -> None:
    teams = (f"{failing}:{name}", "passer", "heuristic")
    result = play_tournament(teams, SETTING, DEALS, workers=2)
    assert result.standings[-1].team == teams[0]
    assert result.standings[-1].forfeits > 0
    assert (result.scores(1, 2) == play_match("passer", "heuristic", "n42pa", DEALS, 1).scores).all()
    notes = result.matches[0, 1].notes
    if name in ("quits", "DiesYoung"):
        assert (result.scores(0, 1) == -1).all()
        assert any("not asked again" in note or "ended with code" in note for note in notes)
    else:
        assert all(note.startswith(teams[0]) for note in notes)


def test_a_player_that_hangs_is_stopped(failing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        """Lets some minutes pass at once, but not the quarter of an hour that making a team may take."""

        @staticmethod
        def time() -> float:
            return time.time() + 500

    monkeypatch.setattr(workers_module, "time", Clock)
    (result,) = play_pairings([(f"{failing}:hangs", "random")], SETTING, 10)
    assert result.forfeits == (20, 0)
    assert [text.split(": ")[1] for text in result.notes] == ["did not answer, and its process was stopped"]
    assert (result.scores == -1).all()


@pytest.mark.parametrize(
    ("rules", "episode", "team", "score"),
    [
        ("n42pa", "hand", 0, -1),
        ("n42pa", "hand", 1, 1),
        ("seed_points", "hand", 0, -42),
        ("three_handed", "hand", 0, -1),
        ("n42pa", "game", 1, 7),
    ],
)
def test_deals_of_a_lost_process_are_forfeited(rules: str, episode: str, team: int, score: float) -> None:
    setting = Setting(Rules.preset(rules), episode=episode)
    sums = forfeited(setting, Job("a", "b", 0, 5), team, "gone")
    assert sums.scores(setting.rules).tolist() == [score] * 5
    assert sums.forfeits[team] == 5 * sums.sittings


def test_jobs_cover_every_deal_once_and_do_not_move_when_there_are_more() -> None:
    few, many = jobs_of("a", "b", 300), jobs_of("a", "b", 1000)
    assert few[:-1] == many[: len(few) - 1]
    deals = [deal for job in many for deal in range(job.first, job.first + job.n)]
    assert deals == list(range(1000))


@pytest.mark.parametrize(
    ("teams", "message"),
    [
        (["random"], "a tournament needs two teams or more, each once"),
        (["random", "random"], "a tournament needs two teams or more, each once"),
        (["random", "nonesuch"], "unknown agent 'nonesuch'"),
        (["random", "random+"], "a member is empty"),
    ],
)
def test_bad_teams_are_refused_before_anything_is_played(
    teams: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["tournament", *teams, "--deals", "5", "--workers", "1", "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not (out / "tournament.json").exists()


def test_ratings_follow_the_results_and_the_seed() -> None:
    scores = {(0, 1): np.array([1.0, 0.0, 2.0] * 50), (1, 2): np.array([0.5, -0.5] * 75)}
    first, again, other = (rate(3, scores, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first[0].mu > first[1].mu
    assert all(rating.ordinal == pytest.approx(rating.mu - 3 * rating.sigma) for rating in first)


def test_command_prints_a_matrix_and_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, copy = tmp_path / "out", tmp_path / "copy.json"
    command = ["tournament", "random", "heuristic", "--deals", "20", "--workers", "1", "--out", str(out)]
    assert main([*command, "--json", str(copy)]) == 0
    printed = capsys.readouterr().out
    content = json.loads((out / "tournament.json").read_text())
    assert content == json.loads(copy.read_text())
    assert content["matrix"][0][0] is None
    assert content["matrix"][1][0][0] == -content["matrix"][0][1][0]
    assert content["ranking"][0]["team"] == "heuristic"
    assert f"{content['matrix'][1][0][0]:+.3f} [" in printed
    assert "1.  heuristic" in printed
    assert sorted(path.name for path in out.iterdir()) == ["matches.jsonl", "tournament.json"]


@pytest.mark.parametrize("deals", [1, 127, 128, 2048, 2049, 5000])
def test_jobs_cover_every_deal_once_and_those_of_a_shorter_match_come_first(deals: int) -> None:
    jobs = jobs_of("a", "b", deals)
    assert [deal for job in jobs for deal in range(job.first, job.first + job.n)] == list(range(deals))
    assert jobs_of("a", "b", 9000)[: len(jobs) - 1] == jobs[:-1]
