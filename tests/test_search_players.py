"""What search players are made of: inference, picking, races, hands played out; ismcts and cheat."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from support.players import assert_rows_stand_alone
from texas42.agents.arena import decision_keys, decisions_for, play_out
from texas42.agents.base import Decisions
from texas42.agents.heuristic.agent import HeuristicAgent
from texas42.agents.random_agent import RandomAgent
from texas42.agents.sampling import sample_worlds
from texas42.agents.search.bidding import leads_of, race
from texas42.agents.search.cheat import CheatAgent
from texas42.agents.search.inference import OTHER_KIND, OTHER_PLAY, Inference
from texas42.agents.search.ismcts import IsmctsAgent
from texas42.agents.search.picking import pick
from texas42.agents.search.pimc import PimcAgent
from texas42.agents.search.playouts import GAIN, MADE, POINTS
from texas42.agents.search.plays import count_successes
from texas42.agents.search.searcher import move_index
from texas42.agents.specs import SpecError, make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.deal import open_hand
from texas42.envs.engine.state import PLAY
from texas42.envs.errors import OptionsError
from texas42.envs.rules.declarations import NELLO
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import parse_tile
from texas42.training.evaluation.match import play_match

RULES = Rules.preset("n42pa")
FOUR = ["n42pa", "seed_marks", "seed_points", "spruce", "casual", "open"]
HANDS = ["6-6 6-5 6-4 6-3 6-2 6-1 0-0", "5-5 5-4 5-3 5-2 5-1 5-0 4-4",
         "4-3 4-2 4-1 4-0 3-3 3-2 3-1", "3-0 2-2 2-1 2-0 1-1 1-0 6-0"]


def mask(text: str) -> int:
    """The bit set of tiles in a string."""
    return sum(1 << parse_tile(name) for name in text.split())


def game_with(hands: list[str], *actions: str, rules: Any = RULES) -> BatchedGame:
    """One hand with these tiles, seat 0 calling first, after some actions."""
    game = BatchedGame(rules, 1, auto_reset=False)
    game.reset(0)
    state = game.states[0]
    state.shaker = 3
    state.hands[:4] = np.array([mask(h) for h in hands], np.uint64)
    open_hand(state, game.tables)
    for name in actions:
        game.step([game.codec.parse(name)])
    return game


def choice(agent: Any, game: BatchedGame, open_hands: bool = False) -> str:
    """What an agent does in the only row."""
    keys = decision_keys(game, 1, np.zeros(1, np.int64))
    return game.codec.name(int(agent.act(decisions_for(game, np.array([0]), keys, open_hands))[0]))


def test_what_the_policy_would_do_is_no_surprise() -> None:
    """On hands that the heuristic played, the true deal always has likelihood one."""
    rules = Rules.preset("open")
    game = BatchedGame(rules, 40, auto_reset=False)
    game.reset(2)
    heuristic = HeuristicAgent()
    inference = Inference(rules, heuristic)
    steps = 0
    while not game.done.all():
        live = np.flatnonzero(~game.done)
        for row in live:
            s = game.states[row]
            truth = np.array(s.hands[:4]).reshape(1, 4)
            view = game.views()[row]
            assert inference.logs(view, int(s.cur), truth)[0] == 0.0
        actions = np.full(40, -1)
        actions[live] = heuristic.act(decisions_for(game, live, decision_keys(game, 1, np.full(40, steps))[live]))
        game.step(actions)
        steps += 1


def test_a_seat_that_passed_is_unlikely_to_hold_a_great_hand() -> None:
    game = game_with(HANDS, "PASS")
    inference = Inference(RULES, HeuristicAgent())
    worlds = np.array([[mask(h) for h in HANDS]] * 2, np.uint64)
    worlds[1, 0] = mask("6-1 5-2 4-3 4-0 2-1 3-0 6-5")
    logs = inference.logs(game.views()[0], 1, worlds)
    assert logs == pytest.approx([np.log(OTHER_KIND), 0.0])


def test_the_short_cut_of_the_heuristic_changes_nothing() -> None:
    class Other:
        """The heuristic under another name."""

        name = "other"

        def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
            return HeuristicAgent().act(decisions)

        def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
            pass

    rules = Rules.preset("open")
    game = BatchedGame(rules, 8, auto_reset=False)
    game.reset(6)
    short, plain = Inference(rules, HeuristicAgent()), Inference(rules, Other())
    for step in range(20):
        for row in np.flatnonzero(~game.done):
            me = int(game.states[row].cur)
            worlds = sample_worlds(rules, game.views()[row], me, 30, step)
            view = worlds.view[0]
            assert short.logs(view, me, worlds.hands).tolist() == pytest.approx(plain.logs(view, me, worlds.hands))
        live = np.flatnonzero(~game.done)
        if not len(live):
            break
        actions = np.full(8, -1)
        actions[live] = RandomAgent().act(decisions_for(game, live, np.arange(len(live), dtype=np.uint64) + step))
        game.step(actions)


@pytest.mark.parametrize("preset", ["n42pa", "open"])
def test_dropping_moves_behind_changes_no_choice(preset: str) -> None:
    """With a head start that differs too little to drop anything early, and with the true one: the same best."""
    rules = Rules.preset(preset)
    agent = PimcAgent(rules, 6)
    game = BatchedGame(rules, 10, auto_reset=False)
    game.reset(9)
    m = agent.memory()
    rng = np.random.default_rng(1)
    while not game.done.all():
        live = np.flatnonzero(~game.done)
        decisions = decisions_for(game, live, np.arange(len(live), dtype=np.uint64))
        for i, row in enumerate(live):
            legal = np.flatnonzero(decisions.masks[i])
            s, me = decisions.views[i], int(decisions.seats[i])
            if s.phase != PLAY or len(legal) < 2 or int(agent.t.decl_kind[s.decl]) > NELLO:
                continue
            hands = agent.draw(s, me, 6, int(row))
            mine = me % 2 == s.bidder % 2
            head = rng.random(len(m.head))
            found = []
            for given in (np.zeros(len(head)), head * 6):
                m.scratch[0] = s
                count_successes(m.work, agent.t, m.scratch[0], hands, mine, given, m.score)
                found.append(m.score.copy())
            at = [move_index(agent.t, int(a)) for a in legal]
            full = [count_alone(agent, s, hands, mine, k) + 6 * head[k] for k in at]
            pruned = [found[1][k] + 6 * head[k] for k in at]
            assert max(full) == pytest.approx(max(pruned))
            assert int(np.argmax(full)) == int(np.argmax(pruned))
            assert max(found[0][k] for k in at) == max(count_alone(agent, s, hands, mine, k) for k in at)
        actions = np.full(10, -1)
        actions[live] = HeuristicAgent().act(decisions)
        game.step(actions)


def count_alone(agent: PimcAgent, s: Any, hands: Any, mine: bool, move: int) -> int:
    """Worlds in which a move reaches the aim, counted with a head start that nothing else can make up for."""
    m = agent.memory()
    head = np.zeros(len(m.head))
    head[move] = 100.0
    m.scratch[0] = s
    count_successes(m.work, agent.t, m.scratch[0], hands, mine, head, m.score)
    return int(m.score[move])


def test_own_decisions_tell_nothing() -> None:
    game = game_with(HANDS, "PASS")
    truth = np.array([[mask(h) for h in HANDS]], np.uint64)
    assert Inference(RULES, HeuristicAgent()).logs(game.views()[0], 0, truth).tolist() == [0.0]


def test_an_odd_play_counts_against_a_world() -> None:
    """Seat 1 leads 5-0 although it holds all trumps and 4-4: the heuristic would have led a higher one."""
    inference = Inference(RULES, HeuristicAgent())
    truth = np.array([[mask(h) for h in HANDS]], np.uint64)
    calls = ["PASS", "P30", "PASS", "PASS", "PIP5"]
    before = inference.logs(game_with(HANDS, *calls).views()[0], 2, truth)[0]
    truth[0, 1] &= ~np.uint64(mask("5-0"))
    after = inference.logs(game_with(HANDS, *calls, "5-0").views()[0], 2, truth)[0]
    assert after - before == pytest.approx(np.log(OTHER_PLAY))


def test_inference_is_a_weight_for_worlds() -> None:
    """In the eyes of seat 1: who bid two marks holds more doubles than anybody, who passed holds fewer."""
    held = []
    for call, weigh in (("PASS", True), ("M2", False), ("M2", True)):
        inference = Inference(RULES, HeuristicAgent()) if weigh else None
        worlds = sample_worlds(RULES, game_with(HANDS, call).views()[0], 1, 3000, 5, weigh=inference)
        doubles = worlds.hands[:, 0] & np.uint64(mask("0-0 1-1 2-2 3-3 4-4 5-5 6-6"))
        held.append(np.bitwise_count(doubles).mean())
    assert held == sorted(held)


def test_inference_in_other_games_is_refused() -> None:
    with pytest.raises(OptionsError, match="no widow, not for 'moon'"):
        Inference(Rules.preset("moon"), HeuristicAgent())


def test_picks_are_in_proportion() -> None:
    likelihood = np.array([0.0, 3.0, 1.0])
    assert np.bincount(pick(likelihood, 40, 7, uniform=0.0), minlength=3).tolist() == [0, 30, 10]
    assert np.bincount(pick(likelihood, 300, 7, uniform=1.0), minlength=3).tolist() == [100, 100, 100]
    assert np.bincount(pick(np.zeros(3), 300, 7), minlength=3).tolist() == [100, 100, 100]
    assert np.bincount(pick(likelihood, 100, 7, temper=2.0, uniform=0.0), minlength=3).tolist() == [0, 90, 10]


def gains(means: dict[int, float], noise: float) -> Any:
    """Attempts whose gains have given means, with the same noise for all actions of a world and a little of each."""

    def attempt(actions: npt.NDArray[np.int64], first: int, last: int) -> npt.NDArray[np.float64]:
        worlds = np.arange(first, last)
        shared = np.sin(worlds * 12.9898)
        return np.array([means[int(a)] + shared + noise * np.cos(worlds * (a + 1.3)) for a in actions])

    return attempt


def test_a_race_is_won_by_what_gains_most() -> None:
    assert race(0, [0, 1, 2], 128, gains({0: 0.0, 1: 0.5, 2: 0.2}, 0.5)) == 1


def test_a_favourite_wins_unless_clearly_beaten() -> None:
    assert race(0, [0, 1], 128, gains({0: 0.0, 1: 0.001}, 1.0)) == 0
    assert race(1, [0, 1], 128, gains({0: 0.001, 1: 0.0}, 1.0)) == 1


def test_a_race_of_one_needs_no_worlds() -> None:
    assert race(4, [4], 128, gains({}, 0.0)) == 4


def test_leads_are_paired() -> None:
    leads, errors = leads_of(np.array([[1.0, 3.0, 5.0], [0.0, 2.0, 4.0]]))
    assert leads.tolist() == [0.0, 1.0]
    assert errors.tolist() == [0.0, 0.0]


def test_hands_played_out_are_what_the_heuristic_makes_of_them() -> None:
    """In the true world, playing on from a call equals the game that four heuristics play from there."""
    agent = PimcAgent(RULES, 2)
    for seed in range(20):
        game = BatchedGame(RULES, 1, auto_reset=False)
        game.reset(seed)
        action = game.codec.parse("P31")
        truth = np.array(game.states[0].hands[:4]).reshape(1, 4)
        me = int(game.states[0].cur)
        result = agent.playouts(game.views()[0], agent.quick, truth, np.array([action]))[0, 0]
        game.step([action])
        rewards = play_out(game, [HeuristicAgent()], np.zeros((1, 4), np.int64), 0)
        assert result[GAIN] == rewards[0, me]
        assert result[MADE] == (game.states["made"][0] == 1)
        assert result[POINTS] == game.states["taken"][0, game.states["bidder"][0] % 2]


def test_near_the_target_no_more_than_one_mark_counts() -> None:
    agent = PimcAgent(RULES, 2)
    sure = mask("6-6 6-5 6-4 6-3 6-2 6-1 6-0")
    rest = [i for i in range(28) if not sure >> i & 1]
    truth = np.array([[sure, *(sum(1 << i for i in rest[k::3]) for k in range(3))]], np.uint64)
    game = BatchedGame(RULES, 1, episode="game", auto_reset=False)
    game.reset(0)
    state = game.states[0]
    state.shaker = 3
    state.hands[:4] = truth[0]
    open_hand(state, game.tables)
    for name in ("M2", "PASS", "PASS", "PASS"):
        game.step([game.codec.parse(name)])
    sixes = np.array([game.codec.parse("PIP6")])
    assert agent.playouts(game.views()[0], agent.quick, truth, sixes)[0, 0, GAIN] == 2
    state.scores[0] = 6
    assert agent.playouts(game.views()[0], agent.quick, truth, sixes)[0, 0, GAIN] == 1


@pytest.mark.parametrize("finish", ["heuristic", "random"])
def test_the_tree_search_beats_random_play(finish: str) -> None:
    assert play_match(IsmctsAgent(RULES, 60, finish), "random", RULES, deals=12, seed=2, contract="30").mean > 0.3


@pytest.mark.parametrize("preset", FOUR)
def test_the_tree_search_plays_every_preset(preset: str) -> None:
    rules = Rules.preset(preset)
    game = BatchedGame(rules, 4, auto_reset=False)
    game.reset(3)
    play_out(game, [IsmctsAgent(rules, 20)], np.zeros((4, 4), np.int64), 1)
    assert game.done.all()


def test_the_tree_search_depends_on_its_row_alone() -> None:
    game = BatchedGame(RULES, 6, auto_reset=False)
    game.reset(8)
    one, many = IsmctsAgent(RULES, 30), IsmctsAgent(RULES, 30, threads=3)
    assert_rows_stand_alone(game, one, many, 9)


def test_the_cheat_bids_what_it_makes() -> None:
    """Six trumps and the blank double, which nobody can take: everything is made in sixes."""
    game = game_with(HANDS)
    agent = CheatAgent(RULES)
    assert choice(agent, game, open_hands=True) == "M2"
    won = game_with(HANDS, "M2", "PASS", "PASS", "PASS")
    play_out(won, [agent], np.zeros((1, 4), np.int64), 1)
    assert won.states["made"][0] == 1


def test_the_cheat_must_see_all_hands() -> None:
    with pytest.raises(OptionsError, match="cheat must see all hands"):
        choice(CheatAgent(RULES), game_with(HANDS))


@pytest.mark.parametrize("preset", FOUR)
def test_the_cheat_plays_every_preset(preset: str) -> None:
    rules = Rules.preset(preset)
    game = BatchedGame(rules, 10, auto_reset=False)
    game.reset(3)
    play_out(game, [CheatAgent(rules)], np.zeros((10, 4), np.int64), 1)
    assert game.done.all()


def test_a_contract_the_cheat_takes_is_made() -> None:
    """Its side never goes set: what it bids is made against any play, with a partner who cheats too."""
    game = BatchedGame(RULES, 60, auto_reset=False)
    game.reset(4)
    seating = np.array([[k % 2 for k in range(4)]] * 60)
    play_out(game, [CheatAgent(RULES), RandomAgent()], seating, 1)
    mine = game.states["bidder"] % 2 == 0
    assert (game.states["made"][mine & (game.states["bidder"] >= 0)] == 1).all()


def test_matches_show_the_cheat_all_hands() -> None:
    result = play_match("cheat", "random", RULES, deals=20, seed=1)
    assert result.mean > 0.5


def test_specs_name_the_policy_of_inference() -> None:
    assert make_agent("pimc:worlds=3", RULES).name == "pimc:worlds=3"
    assert make_agent("pimc:worlds=3,inference=none", RULES).name == "pimc:worlds=3,inference=none"
    assert make_agent("pimc:worlds=3,inference=random", RULES).name == "pimc:worlds=3,inference=random"
    assert make_agent("ismcts:iterations=9,finish=random", RULES).name == "ismcts:iterations=9,finish=random"
    with pytest.raises(SpecError, match="nobody"):
        make_agent("pimc:worlds=3,inference=nobody", RULES)
    with pytest.raises(OptionsError, match="iterations=0"):
        IsmctsAgent(RULES, 0)


@pytest.mark.parametrize("kind", [IsmctsAgent, CheatAgent])
def test_other_games_are_refused(kind: Any) -> None:
    with pytest.raises(OptionsError, match="plays four-player double-six 42, not 'moon'"):
        kind(Rules.preset("moon"))
