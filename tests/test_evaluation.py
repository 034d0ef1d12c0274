"""Duplicate matches: what is played, what is counted, and what the numbers do not depend on."""

import json
import subprocess
import sys
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest

from texas42.agents.arena import play_out
from texas42.agents.base import Agent, Decisions
from texas42.agents.random_agent import RandomAgent
from texas42.agents.specs import make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import PLAY
from texas42.envs.errors import OptionsError
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation import AgentError, MatchResult, play_match
from texas42.training.evaluation.contract import ForcedContract
from texas42.training.evaluation.match import AGENT_SALT
from texas42.training.evaluation.teams import make_team, sittings


class Highest(RandomAgent):
    """Always the highest legal id: bids as high as it can, plays its highest tile."""

    name = "highest"

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        masks = decisions.masks
        return np.asarray(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1), np.int64)


class Lowest(RandomAgent):
    """Always the lowest legal id: passes when it may, plays its lowest tile."""

    name = "lowest"

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        return np.asarray(decisions.masks.argmax(axis=1), np.int64)


def by_hand(a: Agent, b: Agent, rules: str, deals: int, seed: int) -> npt.NDArray[np.float64]:
    """Scores of A by deal from the arena's rewards: four seats, A at seats 0 and 2, then at 1 and 3."""
    totals = np.zeros(deals)
    for side in (0, 1):
        game = BatchedGame(rules, deals, auto_reset=False)
        game.reset(seed)
        seating = np.array([[int(seat % 2 != side) for seat in range(4)]] * deals)
        totals += play_out(game, [a, b], seating, seed ^ AGENT_SALT)[:, side] / 2
    return totals


@pytest.mark.parametrize("rules", ["n42pa", "open", "seed_points"])
def test_score_of_a_deal_is_the_mean_over_both_sittings(rules: str) -> None:
    a, b = make_agent("random", Rules.preset(rules)), Highest()
    result = play_match(a, b, rules, deals=60, seed=5)
    assert result.scores == pytest.approx(by_hand(a, b, rules, 60, 5))
    assert result.mean == pytest.approx(result.scores.mean())


def test_both_sittings_play_the_same_deal_with_the_same_shaker() -> None:
    seen: list[tuple[int, bytes]] = []

    class Watcher(RandomAgent):
        def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
            first = decisions.views["n_calls"] == 0
            for view, seat in zip(decisions.views[first], decisions.seats[first], strict=True):
                seen.append((int(view["shaker"]), view["hands"][seat].tobytes()))
            return super().act(decisions)

    play_match(Watcher(), Watcher(), "n42pa", deals=20, seed=2)
    deals = seen[2:]  # the first two opened the warm-up deal
    assert sorted(Counter(deals).values()) == [2] * 20
    assert {shaker for shaker, _ in deals} == {0, 1, 2, 3}


@pytest.mark.parametrize("spec", ["random", "heuristic", "heuristic+random"])
def test_a_team_against_itself_scores_exactly_zero(spec: str) -> None:
    result = play_match(spec, spec, "open", deals=50, seed=1)
    assert not result.scores.any()
    assert result.ci95 == (0.0, 0.0)


@pytest.mark.parametrize(
    ("a", "b"), [("heuristic", "random"), ("heuristic+random", "random"), ("passer+random", "random+heuristic")]
)
@pytest.mark.parametrize("episode", ["hand", "game"])
def test_exchanging_the_teams_negates_the_result_exactly(a: str, b: str, episode: str) -> None:
    deals = 40 if episode == "hand" else 5
    there, back = (play_match(*pair, "casual", deals, seed=4, episode=episode) for pair in ((a, b), (b, a)))
    assert (there.scores == -back.scores).all()
    assert there.mean == -back.mean
    assert there.ci95 == (-back.ci95[1], -back.ci95[0])
    assert (there.tally.contracts == back.tally.contracts[::-1]).all()


@pytest.mark.parametrize(("batch", "threads"), [(1, 1), (7, 1), (64, 3)])
def test_result_depends_on_neither_batch_size_nor_threads(batch: int, threads: int) -> None:
    whole = play_match("random", "heuristic", "open", deals=30, seed=9)
    parts = play_match("random", "heuristic", "open", deals=30, seed=9, batch=batch, threads=threads)
    assert (whole.scores == parts.scores).all()
    assert whole.ci95 == parts.ci95
    assert whole.tally.report() == parts.tally.report()


def test_progress_adds_up_and_changes_nothing() -> None:
    told: list[int] = []
    watched = play_match("random", "heuristic", "n42pa", deals=150, seed=2, progress=told.append)
    assert sum(told) == 150
    assert len(told) > 1
    assert (watched.scores == play_match("random", "heuristic", "n42pa", deals=150, seed=2).scores).all()


def test_other_seeds_deal_other_hands() -> None:
    one, two = (play_match("random", Lowest(), "seed_marks", deals=60, seed=seed) for seed in (1, 2))
    assert (one.scores != two.scores).any()


def test_longer_matches_continue_shorter_ones() -> None:
    short, long = (play_match("random", "heuristic", "n42pa", deals=n, seed=3) for n in (20, 50))
    assert (long.scores[:20] == short.scores).all()


def test_hands_that_all_pass_are_counted_as_thrown_in() -> None:
    result = play_match(Lowest(), Lowest(), "n42pa", deals=10)
    assert (result.tally.hands, result.tally.thrown_in) == (0, 20)
    assert result.to_json()["make_rate"] == {"a": None, "b": None}
    assert not result.scores.any()


def test_forced_contracts_are_told_apart() -> None:
    report = play_match(Lowest(), Lowest(), "seed_marks", deals=10).to_json()
    assert report["forced_contracts"]["a"] + report["forced_contracts"]["b"] == 20
    assert report["calls"]["a"]["PASS"] == 30
    assert report["calls"]["a"]["P30"] == 10


def test_points_of_a_hand_add_up_to_the_total() -> None:
    report = play_match("random", "heuristic", "seed_points", deals=40).to_json()
    assert report["points_per_hand"]["a"] + report["points_per_hand"]["b"] == pytest.approx(42)
    assert report["unit"] == "points"


def test_made_and_set_shares_add_up() -> None:
    report = play_match("heuristic", "random", "seed_marks", deals=50).to_json()
    for team in "ab":
        if report["make_rate"][team] is not None:
            assert report["make_rate"][team] + report["set_rate"][team] == pytest.approx(1)
    played = sum(row["played"] for team in "ab" for row in report["contracts"][team].values())
    assert played == report["hands"] == 100


def test_whole_games_count_every_hand_and_every_winner() -> None:
    hands: list[int] = []

    class Watcher(Lowest):
        def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
            hands.extend(decisions.views["hand_no"][decisions.views["n_calls"] == 0].tolist())
            return super().act(decisions)

    result = play_match(Watcher(), Watcher(), "seed_marks", deals=4, episode="game")
    assert result.games_won is not None
    assert sum(result.games_won) == 8
    warm_up = play_match(Lowest(), Lowest(), "seed_marks", deals=1, episode="game")
    assert warm_up.tally.hands > 1
    assert result.tally.hands == len(hands) - _hands_of_warm_up(hands)
    assert result.tally.points.sum() > 0


def _hands_of_warm_up(hands: list[int]) -> int:
    """Openings before the match itself: two games side by side until the second block of hand 0 begins."""
    starts = [i for i, hand in enumerate(hands) if hand == 0]
    return starts[2]


def test_three_sides_take_turns_against_the_rest() -> None:
    result = play_match("heuristic", "random", "three_handed", deals=12, seed=1)
    assert result.sittings == 3
    assert result.tally.hands + result.tally.thrown_in == 36
    assert not play_match("random", "random", "three_handed", deals=12).scores.any()


def test_members_of_a_mixed_team_sit_in_every_place() -> None:
    rules = Rules.preset("n42pa")
    found = sittings(make_team("heuristic+random", rules), make_team("passer", rules), rules)
    seats = [(s.side, s.seating.tolist()) for s in found]
    assert seats == [(0, [0, 2, 1, 2]), (0, [1, 2, 0, 2]), (1, [2, 0, 2, 1]), (1, [2, 1, 2, 0])]


@pytest.mark.parametrize(
    ("team", "rules", "message"),
    [
        ("nonesuch", "n42pa", "unknown agent 'nonesuch'"),
        ("random+", "n42pa", "a member is empty"),
        ("random+random+random", "n42pa", "has 3 members; allowed: 1 to 2"),
        ("random+heuristic", "three_handed", "has 2 members; allowed: 1 to 1"),
    ],
)
def test_teams_that_cannot_sit_down_are_refused(team: str, rules: str, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        play_match(team, "random", rules, deals=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deals": 0}, "deals=0"),
        ({"seed": -1}, "seed=-1 is not allowed; allowed: 0 to"),
        ({"episode": "match"}, "episode='match' is not allowed"),
        ({"contract": "12"}, "contract '12' is not a bid of these rules; allowed: 30, 31"),
        ({"contract": "PASS"}, "contract 'PASS' is not a bid"),
        ({"contract": "M3"}, "contract 'M3' is not a bid of these rules; allowed: 30, .* 41, M1, M2$"),
        ({"contract": "30", "episode": "game"}, "goes with episode='hand' only"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        play_match("random", "random", "n42pa", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("contract", "call"), [("30", "P30"), ("35", "P35"), ("M1", "M1")])
def test_given_contract_is_the_last_callers_with_a_pip_trump(contract: str, call: str) -> None:
    rules = Rules.preset("open")
    game = BatchedGame(rules, 40, auto_reset=False)
    game.reset(6)
    ForcedContract(contract, rules).apply(game, seed=0)
    states = game.states
    assert (states["phase"] == PLAY).all()
    assert (states["bidder"] == states["shaker"]).all()
    assert {game.codec.ladder[row].name for row in states["call"]} == {call}
    assert all(game.codec.declarations[d].name.startswith("PIP") for d in states["decl"])
    assert len(set(states["decl"].tolist())) > 1


def test_given_contract_gives_each_team_half_of_the_contracts() -> None:
    result = play_match("heuristic", "random", "n42pa", deals=100, contract="30", seed=1)
    assert result.tally.contracts.sum(axis=1).tolist() == [100, 100]
    assert result.mean > 0
    assert result.to_json()["calls"] == {"a": {}, "b": {}}


def test_given_contract_needs_pip_trumps() -> None:
    with pytest.raises(OptionsError, match=r"trump_choices=\['DBL', 'NT'\]"):
        play_match("random", "random", Rules.preset("n42pa").replace(trump_choices=["DBL", "NT"]), contract="30")


def test_given_contract_works_with_a_widow() -> None:
    result = play_match("random", "random", "big_game", deals=5, contract="42")
    assert set(result.to_json()["contracts"]["a"]) == {"P42"}


class Broken(RandomAgent):
    """Answers whatever it is told to."""

    name = "broken"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        return np.full(len(decisions), self.answer)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (92, "agent 'broken' answered action 92"),
        (10**6, "out of range"),
        (-1, "action -1"),
        (0.5, "whole numbers, not float64"),
    ],
)
def test_an_agents_illegal_answer_names_the_agent(answer: object, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        play_match("random", Broken(answer), "n42pa", deals=2)


def test_agents_with_memory_get_a_game_id_for_every_sitting() -> None:
    ids: list[int] = []

    class Remembers(RandomAgent):
        def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
            ids[:] = game_ids.tolist()

    play_match(Remembers(), "random", "n42pa", deals=8)
    assert len(set(ids)) == 16


def test_json_says_what_was_played_and_with_what() -> None:
    result = play_match("random", "heuristic", Rules.preset("n42pa").replace(target=5), deals=5, seed=7)
    content = json.loads(json.dumps(result.to_json()))
    assert (content["a"], content["b"], content["deals"], content["seed"]) == ("random", "heuristic", 5, 7)
    assert content["rules"] == {"preset": "n42pa", "target": 5}
    assert content["unit"] == "marks"
    low, high = content["ci95"]
    assert low <= content["marks_per_deal"] <= high
    assert set(content["cpu_s_per_decision"]) == set(content["points_per_hand"]) == {"a", "b"}
    assert {"texas42", "numpy", "numba", "python"} <= set(content["versions"])


def test_evaluation_does_not_import_torch() -> None:
    match = "texas42.training.evaluation.play_match('random', 'random', deals=1)"
    code = f"import sys, texas42.training.evaluation; {match}; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_sanity_ladder() -> None:
    def interval(a: str, b: str, **options: str) -> tuple[float, float]:
        result: MatchResult = play_match(a, b, "n42pa", deals=400, seed=1, **options)  # type: ignore[arg-type]
        return result.ci95

    assert interval("heuristic", "random", contract="30")[0] > 0
    assert interval("heuristic", "random")[0] > 0
    assert interval("passer", "random")[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "deals"), [("pimc:worlds=10", "heuristic", 400), ("cheat", "pimc:worlds=10", 20)])
def test_search_beats_rules_and_is_beaten_by_who_sees_all(a: str, b: str, deals: int) -> None:
    assert play_match(a, b, "n42pa", deals, seed=1).ci95[0] > 0
