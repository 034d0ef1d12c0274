"""Players that answer illegally, slowly or not at all lose the hand, and only that hand."""

import time

import numpy as np
import numpy.typing as npt
import pytest

from support.players import Failing
from texas42.agents.base import Decisions
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import PLAY
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import AgentError, play_match
from texas42.training.evaluation.forfeit import Penalty, forfeit_rows, penalty

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def in_play(decisions: Decisions) -> Bools:
    """The first lead of hands with an even key: some hands, by luck of their own."""
    views = decisions.views
    return np.asarray((views["phase"] == PLAY) & (views["n_plays"] == 0) & (decisions.keys % np.uint64(2) == 0))


def always(decisions: Decisions) -> Bools:
    return np.ones(len(decisions), np.bool_)


def illegally(actions: Ints, rows: Bools) -> Ints:
    return np.where(rows, 0, actions)  # nobody passes in play


def out_of_range(actions: Ints, rows: Bools) -> Ints:
    return np.where(rows, 10**6, actions)


def crash(actions: Ints, rows: Bools) -> Ints:
    raise ZeroDivisionError("no such tile")


def exit_at_once(actions: Ints, rows: Bools) -> Ints:
    raise SystemExit(3)


def wrongly_shaped(actions: Ints, rows: Bools) -> Ints:
    return actions[:, None]


def slowly(actions: Ints, rows: Bools) -> Ints:
    time.sleep(0.02 * len(actions))
    return actions


@pytest.mark.parametrize("fail", [illegally, out_of_range, crash, exit_at_once, wrongly_shaped])
def test_only_hands_with_a_failure_are_lost(fail: object) -> None:
    sound = play_match("random", "random", "n42pa", deals=60, seed=3)
    result = play_match(Failing(in_play, fail), "random", "n42pa", deals=60, seed=3, faults="forfeit")  # type: ignore[arg-type]
    lost = result.forfeits[0]
    assert 0 < lost < 120
    assert result.forfeits[1] == 0
    assert result.tally.hands + result.tally.thrown_in + lost == 120
    assert sum(result.notes.values()) == lost
    changed = result.by_sitting != sound.by_sitting
    assert 0 < changed.sum() <= lost
    assert (result.by_sitting[changed] < 0).all()
    assert result.to_json()["forfeits"] == {"a": lost, "b": 0}


@pytest.mark.parametrize(
    ("fail", "note"),
    [
        (illegally, "failing: answered PASS, which was not legal"),
        (out_of_range, "failing: answered 1000000, which was not legal"),
        (crash, "failing: ZeroDivisionError: no such tile"),
        (exit_at_once, "failing: SystemExit: 3"),
        (wrongly_shaped, "agent 'failing' must answer 1 whole numbers, not int64 of shape"),
    ],
)
def test_notes_say_what_went_wrong(fail: object, note: str) -> None:
    result = play_match("random", Failing(in_play, fail), deals=20, seed=3, faults="forfeit")  # type: ignore[arg-type]
    assert [text.startswith(note) for text in result.notes] == [True]


def test_slow_answers_lose_the_hands_of_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("texas42.training.evaluation.forfeit.IN_ANY_CASE", 0.0)
    slow = Failing(in_play, slowly, "slow")
    result = play_match(slow, "random", deals=4, seed=3, faults="forfeit", limit=0.01)
    assert result.forfeits[0] > 0
    assert list(result.notes) == ["slow: took longer than 0.01 s a decision"]
    assert play_match(slow, "random", deals=4, seed=3, faults="forfeit", limit=5).forfeits == (0, 0)


def test_a_player_that_always_fails_loses_a_mark_a_hand() -> None:
    result = play_match(Failing(always, crash), "passer", "n42pa", deals=15, faults="forfeit")
    assert result.forfeits == (30, 0)
    assert (result.scores == -1).all()
    assert result.tally.hands == 0


def test_exchanging_the_teams_negates_forfeits_too() -> None:
    there = play_match(Failing(in_play, crash), "heuristic", deals=30, seed=1, faults="forfeit")
    back = play_match("heuristic", Failing(in_play, crash), deals=30, seed=1, faults="forfeit")
    assert (there.scores == -back.scores).all()
    assert there.forfeits == back.forfeits[::-1]


def test_whole_games_go_on_after_a_forfeited_hand() -> None:
    result = play_match(
        Failing(in_play, illegally), "random", "casual", deals=6, seed=2, episode="game", faults="forfeit"
    )
    assert result.games_won is not None
    assert sum(result.games_won) == 12
    assert 0 < result.forfeits[0] < result.tally.hands
    hopeless = play_match(Failing(always, crash), "passer", "casual", deals=2, episode="game", faults="forfeit")
    assert hopeless.games_won == (0, 4)
    assert hopeless.win_rate == 0
    assert hopeless.forfeits == (4 * 7, 0)  # seven marks make a game


def test_without_forfeits_the_match_ends_with_an_error() -> None:
    with pytest.raises(AgentError, match="agent 'failing' answered action 0"):
        play_match(Failing(in_play, illegally), "random", deals=20, seed=3)


def test_forfeiting_changes_nothing_where_nobody_fails() -> None:
    plain, careful = (play_match("heuristic", "random", deals=30, faults=faults) for faults in ("raise", "forfeit"))
    assert (plain.scores == careful.scores).all()
    assert plain.tally.report() == careful.tally.report()


@pytest.mark.parametrize(
    ("rules", "marks", "value", "cost"),
    [
        ("n42pa", 0, 0, Penalty(0, 1)),
        ("n42pa", 3, 0, Penalty(0, 3)),
        ("seed_points", 0, 0, Penalty(0, 42)),
        ("seed_points", 0, 35, Penalty(0, 77)),
        ("moon", 0, 0, Penalty(4, 0)),
        ("moon", 0, 6, Penalty(6, 0)),
    ],
)
def test_forfeit_costs_what_the_standing_contract_could(rules: str, marks: int, value: int, cost: Penalty) -> None:
    assert penalty(Rules.preset(rules), marks, value) == cost


def test_forfeit_after_a_bid_of_two_marks_gives_the_others_two() -> None:
    game = BatchedGame("n42pa", 1, auto_reset=False)
    game.reset(1)
    game.step([game.codec.parse("M2")])
    mover = int(game.states["cur"][0])
    forfeit_rows(game, np.array([0]))
    scores = game.states["scores"][0]
    assert scores[1 - mover % 2] == 2
    assert scores[mover % 2] == 0
    assert game.done.all()


@pytest.mark.parametrize(
    ("options", "message"), [({"faults": "ignore"}, "faults='ignore'"), ({"limit": 0.0}, "limit=0.0 is not allowed")]
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        play_match("random", "random", deals=1, **options)  # type: ignore[arg-type]
