"""The formulas of training against mathematics."""

import math

import numpy as np
import pytest
import torch

from texas42.training import losses


def test_masked_log_softmax_sums_to_one_over_legal_actions_only() -> None:
    legal = torch.tensor([[True, False, True, True]])
    log_p = losses.masked_log_softmax(torch.tensor([[1.0, 50.0, 2.0, 3.0]]), legal)
    expected = torch.tensor([1.0, 2.0, 3.0]).softmax(0)
    assert torch.allclose(log_p.exp()[0, [0, 2, 3]], expected)
    assert log_p.exp()[0, 1] == 0
    assert torch.isfinite(log_p).all()


def test_masked_log_softmax_gives_illegal_logits_no_gradient() -> None:
    logits = torch.tensor([[1.0, 50.0, 2.0]], requires_grad=True)
    losses.masked_log_softmax(logits, torch.tensor([[True, False, True]]))[0, 0].backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert logits.grad[0, 1] == 0
    assert torch.isfinite(logits.grad).all()


@pytest.mark.parametrize("n", [2, 3, 7])
def test_entropy_of_uniform_play_is_one_whatever_the_number_of_actions(n: int) -> None:
    legal = torch.zeros(1, 9, dtype=torch.bool)
    legal[0, :n] = True
    log_p = losses.masked_log_softmax(torch.zeros(1, 9), legal)
    assert losses.normalised_entropy(log_p, legal).item() == pytest.approx(1.0, abs=1e-6)


def test_entropy_of_certain_play_is_zero_with_a_finite_gradient() -> None:
    logits = torch.tensor([[200.0, -200.0, 0.0]], requires_grad=True)
    legal = torch.tensor([[True, True, False]])
    entropy = losses.normalised_entropy(losses.masked_log_softmax(logits, legal), legal)
    entropy.sum().backward()  # type: ignore[no-untyped-call]
    assert entropy.item() == pytest.approx(0.0, abs=1e-6)
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()


def test_entropy_of_a_forced_move_is_zero() -> None:
    legal = torch.tensor([[False, True, False]])
    log_p = losses.masked_log_softmax(torch.zeros(1, 3), legal)
    assert losses.normalised_entropy(log_p, legal).item() == 0


def test_entropy_matches_the_formula() -> None:
    legal = torch.tensor([[True, True, True, False]])
    log_p = losses.masked_log_softmax(torch.tensor([[0.0, 1.0, 2.0, 5.0]]), legal)
    p = torch.tensor([0.0, 1.0, 2.0]).softmax(0)
    expected = -(p * p.log()).sum() / math.log(3)
    assert losses.normalised_entropy(log_p, legal).item() == pytest.approx(expected.item(), abs=1e-6)


def test_clip_takes_the_worse_of_both_bounds() -> None:
    ratio = torch.tensor([1.5, 0.5, 1.5, 0.5, 1.05])
    advantage = torch.tensor([1.0, 1.0, -1.0, -1.0, 2.0])
    loss = losses.clipped_policy_loss(ratio, advantage, 0.1)
    assert loss.tolist() == pytest.approx([-1.1, -0.5, 1.5, 0.9, -2.1])


def test_approximate_kl_is_exact_in_the_mean_and_never_negative() -> None:
    old, new = torch.tensor([0.2, 0.3, 0.5]), torch.tensor([0.4, 0.4, 0.2])
    estimate = losses.approximate_kl((new / old).log())
    assert (estimate >= 0).all()
    assert (old * estimate).sum().item() == pytest.approx((old * (old / new).log()).sum().item(), abs=1e-6)


def brute_force_advantages(values: list[float], reward: float, decay: float) -> list[float]:
    """The sum of the definition: A_t = Σ_k λ^k δ_(t+k), δ the difference of successive values."""
    ahead = [*values[1:], reward]
    deltas = [b - a for a, b in zip(values, ahead, strict=True)]
    return [sum(decay**k * d for k, d in enumerate(deltas[t:])) for t in range(len(values))]


@pytest.mark.parametrize("decay", [0.0, 0.9, 1.0])
def test_advantages_match_the_definition_for_interleaved_players(decay: float) -> None:
    rng = np.random.default_rng(5)
    players = np.array([0, 1, 3, 1, 0, 0, 3, 1, 0])  # player 2 never chose
    values = rng.normal(size=len(players)).astype(np.float32)
    rewards = rng.normal(size=4).astype(np.float32)
    advantages, targets = losses.generalised_advantages(values, players, rewards, decay)
    for player in (0, 1, 3):
        rows = np.flatnonzero(players == player)
        expected = brute_force_advantages([float(v) for v in values[rows]], float(rewards[player]), decay)
        assert advantages[rows] == pytest.approx(expected, abs=1e-5)
    assert targets == pytest.approx(advantages + values)


def test_advantages_with_lambda_one_are_return_minus_value() -> None:
    values, players = np.array([0.5, -0.25, 0.125], np.float32), np.array([0, 1, 0])
    advantages, targets = losses.generalised_advantages(values, players, np.array([1, -1], np.float32), 1.0)
    assert advantages.tolist() == [0.5, -0.75, 0.875]
    assert targets.tolist() == [1, -1, 1]


def test_advantages_of_nothing_are_nothing() -> None:
    empty = np.empty(0, np.float32)
    advantages, targets = losses.generalised_advantages(empty, np.empty(0, np.int64), np.zeros(4, np.float32), 0.9)
    assert len(advantages) == len(targets) == 0


def test_advantages_are_normalised_within_each_phase() -> None:
    values = np.array([1, 3, 100, 300, 7], np.float32)
    out = losses.normalised_by_group(values, np.array([0, 0, 1, 1, 2]), 3)
    assert out.tolist() == pytest.approx([-1, 1, -1, 1, 0], abs=1e-5)


def test_divergence_from_the_magnet_counts_legal_actions_only() -> None:
    legal = torch.tensor([[True, True, False]])
    p = losses.masked_log_softmax(torch.tensor([[0.0, math.log(3.0), 9.0]]), legal)
    q = losses.masked_log_softmax(torch.tensor([[0.0, 0.0, -9.0]]), legal)
    expected = 0.25 * math.log(0.25 / 0.5) + 0.75 * math.log(0.75 / 0.5)
    assert losses.kl_divergence(p, q, legal).item() == pytest.approx(expected)
    assert losses.kl_divergence(p, p, legal).item() == 0.0


class Halves:
    """A stand-in for two processes: this one's sums are followed by the other's."""

    size = 2

    def __init__(self, *others: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> None:
        self.others = list(others)

    def total(self, values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> object:
        return values + self.others.pop(0)


def test_advantages_are_normalised_over_all_processes() -> None:
    mine, theirs = np.array([1.0, 2.0], np.float32), np.array([3.0, 6.0])
    world = Halves(np.array([2.0, 9.0]), np.square(theirs - 3.0).sum())
    found = losses.normalised_by_group(mine, np.zeros(2, np.int64), 1, world)  # type: ignore[arg-type]
    together = np.array([1.0, 2.0, 3.0, 6.0])
    np.testing.assert_allclose(found, ((together - 3.0) / together.std())[:2], rtol=1e-6)


def test_imitation_without_smoothing_is_cross_entropy() -> None:
    logits = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))
    legal, actions = torch.ones(6, 5, dtype=torch.bool), torch.tensor([0, 1, 2, 3, 4, 0])
    loss = losses.imitation_loss(losses.masked_log_softmax(logits, legal), legal, actions, 0.0)
    assert torch.allclose(loss, torch.nn.functional.cross_entropy(logits, actions, reduction="none"))


def test_imitation_with_smoothing_is_least_at_the_smoothed_target() -> None:
    legal, actions = torch.tensor([[True, True, True, False]]), torch.tensor([1])
    target = torch.tensor([[0.05, 0.9, 0.05, 1.0]])
    best = losses.imitation_loss(losses.masked_log_softmax(target.log(), legal), legal, actions, 0.15)
    entropy = -(target[0, :3] * target[0, :3].log()).sum()
    assert best.item() == pytest.approx(entropy.item(), abs=1e-5)
    sharper = losses.imitation_loss(losses.masked_log_softmax(5 * target.log(), legal), legal, actions, 0.15)
    assert sharper > best


def test_belief_counts_only_tiles_that_other_seats_hold() -> None:
    may_hold = torch.tensor([[[True, True, False], [True, True, False]]])
    holders = torch.tensor([[[1, 0, 0], [0, 1, 0]]], dtype=torch.int8)
    loss = losses.belief_loss(torch.zeros(1, 2, 3), may_hold, holders)
    assert loss.item() == pytest.approx(math.log(2))
    sure = torch.tensor([[[50.0, 0.0, 0.0], [0.0, 50.0, 0.0]]])
    assert losses.belief_loss(sure, may_hold, holders).item() == pytest.approx(0, abs=1e-6)


def test_belief_about_a_tile_that_only_one_seat_may_hold_costs_nothing() -> None:
    may_hold = torch.tensor([[[True], [False]]])
    holders = torch.tensor([[[1], [0]]], dtype=torch.int8)
    assert losses.belief_loss(torch.tensor([[[-9.0], [9.0]]]), may_hold, holders).item() == 0


def test_belief_without_hidden_tiles_is_zero_and_not_nan() -> None:
    nothing = torch.zeros(2, 3, 4)
    assert losses.belief_loss(nothing, nothing != 0, nothing.to(torch.int8)).tolist() == [0, 0]


def test_explained_variance_of_perfect_mean_and_useless_values() -> None:
    targets = np.array([1, 2, 3, 4], np.float32)
    assert losses.explained_variance(targets, targets) == 1
    assert losses.explained_variance(np.full(4, 2.5, np.float32), targets) == pytest.approx(0)
    assert losses.explained_variance(-targets, targets) < 0
    assert math.isnan(losses.explained_variance(targets, np.ones(4, np.float32)))


def test_value_loss_is_half_the_squared_error() -> None:
    assert losses.value_loss(torch.tensor([1.0, -1.0]), torch.tensor([0.0, 1.0])).tolist() == [0.5, 2.0]


def test_the_forecast_is_judged_where_the_outcome_is_known() -> None:
    logits = torch.tensor([0.0, 2.0, 50.0])
    assert losses.made_loss(logits, torch.tensor([1.0, -1.0, -1.0])).item() == pytest.approx(math.log(2))
    assert losses.made_loss(logits, torch.tensor([1.0, 0.0, -1.0])).item() == pytest.approx(
        (math.log(2) + math.log(1 + math.exp(2))) / 2
    )
    assert losses.made_loss(logits, torch.full((3,), -1.0)).item() == 0
