"""Advice on every choice, against the engine's own play and the solver's own answers."""

import numpy as np
import pytest
import torch

from texas42.agents.arena import decision_keys, decisions_for
from texas42.agents.heuristic.agent import HeuristicAgent
from texas42.agents.search.searcher import can_search
from texas42.agents.solver.solver import solve
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.state import AUCTION, PLAY, STATE
from texas42.envs.rules.declarations import LOPER, SEVENS
from texas42.envs.rules.rules import Rules
from texas42.training.advice import LATE, Adviser
from texas42.training.config import ConfigError, TrainConfig
from texas42.training.kernels import POINTS_WORTH, SOLVED_SHARE
from texas42.training.losses import advice_gain, advice_loss
from texas42.training.trainer import Run

HEURISTIC = HeuristicAgent()


def heuristic_step(game: BatchedGame) -> np.ndarray:
    """One decision of the heuristic everywhere; returns the rewards."""
    live = np.flatnonzero(~game.done)
    actions = np.full(game.n, -1)
    actions[live] = HEURISTIC.act(decisions_for(game, live, decision_keys(game, 0, np.zeros(game.n, np.int64))[live]))
    return np.asarray(game.step(actions)[0])


def after(rules: Rules, state: np.ndarray, action: int) -> tuple[float, BatchedGame]:
    """Play an action, then the heuristic in all seats to the end: the mover's gain, and the table."""
    game = BatchedGame(rules.replace(laydown="off", early_end="play_all"), 1, auto_reset=False)
    game.reset(0)
    game.states[:] = state
    mover = int(game.movers[0])
    total = float(game.step(np.array([action]))[0][0, mover])
    while not game.done.all():
        total += float(heuristic_step(game)[0, mover])
    return total, game


@pytest.mark.parametrize("preset", ["n42pa", "open"])
def test_advice_is_what_playing_out_and_solving_come_to(preset: str) -> None:
    rules = Rules.preset(preset)
    game = BatchedGame(rules, 6, auto_reset=False)
    game.reset(11)
    adviser = Adviser(rules, 1.0)
    seen = set()
    for _ in range(20):
        rows = np.flatnonzero(~game.done)
        if not len(rows):
            break
        advice = adviser.advise(game.states, rows)
        for row, told in zip(rows[:2], advice[:2], strict=False):
            state = game.states[row : row + 1].copy()
            seen.add(int(state["phase"][0]))
            check(rules, game, state, told)
        heuristic_step(game)
    assert {AUCTION, PLAY} <= seen


def check(rules: Rules, game: BatchedGame, state: np.ndarray, told: np.ndarray) -> None:
    """Compare one row of advice."""
    record, tables = state[0], game.tables
    mover, playing = int(record["cur"]), int(record["phase"]) == PLAY
    one = BatchedGame(rules, 1, auto_reset=False)
    one.reset(0)
    one.states[:] = state
    legal = np.flatnonzero(decisions_for(one, np.array([0]), np.zeros(1, np.uint64)).masks[0])
    assert set(np.flatnonzero(~np.isnan(told))) == {int(a) for a in legal if a != int(tables.claim)}
    kind = int(tables.decl_kind[record["decl"]]) if playing else -1
    solved = solve(rules, state, goal="made").moves if playing and not SEVENS <= kind <= LOPER else {}
    for action in legal:
        gain, end = after(rules, state, int(action))
        if playing:
            side = int(record["bidder"]) % 2
            sign, stake = (1 if mover % 2 == side else -1), max(int(record["marks"]), 1)
            gain += POINTS_WORTH * stake * sign * int(end.states["taken"][0, side]) / rules.total
        if solved:
            reached = solved[game.codec.name(int(action))] == 1
            gain += SOLVED_SHARE * (stake * (1 if reached == (sign == 1) else -1) - gain)
        assert told[action] == pytest.approx(gain, abs=1e-5)


def test_only_a_share_of_the_hands_is_asked_about() -> None:
    rules = Rules.preset("n42pa")
    game = BatchedGame(rules, 400, auto_reset=False)
    game.reset(1)
    rows = np.arange(400)
    some = Adviser(rules, 0.25).advise(game.states, rows)
    asked = ~np.isnan(some).all(axis=1)
    assert 60 < asked.sum() < 140
    np.testing.assert_array_equal(some[asked], Adviser(rules, 1.0).advise(game.states, rows)[asked])


def test_late_plays_and_calls_are_asked_about_in_shares_of_their_own() -> None:
    rules = Rules.preset("n42pa")
    game = BatchedGame(rules, 300, auto_reset=False)
    game.reset(1)
    adviser = Adviser(rules, share=0.1, late=0.6, calls=0.3)
    asked, seen = {"": 0, "late": 0, "call": 0}, {"": 0, "late": 0, "call": 0}
    while not game.done.all():
        rows = np.flatnonzero(~game.done)
        told = np.asarray(~np.isnan(adviser.advise(game.states, rows)).all(axis=1))
        phase = game.states["phase"][rows]
        late = (phase == PLAY) & (game.states["n_tricks"][rows] >= LATE)
        for kind, rows_of in (("late", late), ("call", phase == AUCTION), ("", ~late & (phase != AUCTION))):
            asked[kind] += int(told[rows_of].sum())
            seen[kind] += int(rows_of.sum())
        heuristic_step(game)
    for kind, share in (("", 0.1), ("call", 0.3), ("late", 0.6)):
        assert asked[kind] / seen[kind] == pytest.approx(share, abs=0.06)


def test_advice_leaves_the_table_as_it_was() -> None:
    rules = Rules.preset("open")
    game = BatchedGame(rules, 8, auto_reset=False)
    game.reset(1)
    before = game.states.copy()
    Adviser(rules, 1.0).advise(game.states, np.arange(8))
    assert all(np.array_equal(before[name], game.states[name]) for name in STATE.names or ())


def test_the_gain_counts_all_advised_actions_and_no_common_luck() -> None:
    log_p = torch.tensor([[0.5, 0.25, 0.25, 1e-30], [0.5, 0.5, 1e-30, 1e-30]]).log()
    advice = torch.tensor([[1.0, -1.0, 3.0, torch.nan], [torch.nan] * 4])
    expected = 0.5 * 0.0 + 0.25 * -2.0 + 0.25 * 2.0
    gain = advice_gain(log_p, advice)
    assert gain.tolist() == pytest.approx([expected, 0.0], abs=1e-6)
    assert advice_gain(log_p, advice + 7.0).tolist() == pytest.approx(gain.tolist(), abs=1e-5)


def test_the_loss_is_the_squared_distance_from_the_advice_but_for_what_all_have_in_common() -> None:
    logits = torch.tensor([[2.0, 4.0, 9.0, 50.0], [1.0, 2.0, 3.0, 4.0]], requires_grad=True)
    advice = torch.tensor([[0.3, 0.1, torch.nan, torch.nan], [torch.nan] * 4])
    loss = advice_loss(logits, advice, 0.1)
    # 0.2, 0.4 less their mean against 0.3, 0.1 less theirs: -0.1, 0.1 against 0.1, -0.1
    assert loss.tolist() == pytest.approx([0.2**2 / 0.1, 0.0], abs=1e-6)
    assert advice_loss(logits, advice + 5.0, 0.1).tolist() == pytest.approx(loss.tolist(), abs=1e-4)
    loss.sum().backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert (logits.grad != 0).tolist() == [[True, True, False, False], [False] * 4]


def test_the_loss_is_least_where_the_logits_are_the_mean_advice() -> None:
    """Noisy advice moves logits to what it says on average, however sure they were before."""
    told = torch.tensor([[1.0, -1.0], [-0.6, 0.6]]).repeat(50, 1)  # first action better by 0.4 on average
    logits = torch.tensor([-20.0, 20.0], requires_grad=True)
    for _ in range(4000):
        (gradient,) = torch.autograd.grad(advice_loss(logits.expand(100, 2), told, 0.05).mean(), logits)
        logits = (logits - 5 * gradient).detach().requires_grad_()
    assert 0.05 * (logits[0] - logits[1]).item() == pytest.approx(0.4, abs=1e-3)


@pytest.mark.parametrize(("gain", "chosen"), [(0.0, False), (200.0, True)])
def test_the_gain_decides_where_the_network_cannot_tell_what_each_action_comes_to(gain: float, chosen: bool) -> None:
    """One weight for two kinds of decisions: what fits their values best chooses the second action in both, but more
    is to be had from the first."""
    told = torch.tensor([[0.1, 0.0], [-0.04, 0.0]])
    weight = torch.tensor(2.0, requires_grad=True)
    for _ in range(1000):
        logits = torch.stack([weight * torch.tensor([1.0, 3.0]), torch.zeros(2)], dim=1)
        loss = advice_loss(logits, told, 0.05) - gain * advice_gain(torch.log_softmax(logits, dim=1), told)
        (gradient,) = torch.autograd.grad(loss.mean(), weight)
        weight = (weight - 0.1 * gradient).detach().requires_grad_()
    assert (logits[:, 0] > 0).tolist() == [chosen, chosen]


def test_advice_is_refused_where_there_is_none(tmp_path: object) -> None:
    assert can_search(Rules.preset("casual"))
    assert not can_search(Rules.preset("moon"))
    with pytest.raises(ConfigError, match=r"advice.share=0.5 is not allowed for 'moon' with 3 seats"):
        Run(TrainConfig.from_dict({"rules": "moon", "advice": {"share": 0.5}}), tmp_path)  # type: ignore[arg-type]
