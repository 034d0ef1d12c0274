"""Optimisers by parameter: which moves how, and that their state can be carried over."""

import numpy as np
import pytest
import torch

from texas42.agents.network import Actor, hidden_matrices, initialise
from texas42.agents.shape import Shape
from texas42.envs.rules.rules import Rules
from texas42.training.optimiser import MUON_RATE, Optimiser

N42PA = Rules.preset("n42pa")


def an_actor() -> Actor:
    actor = Actor(Shape.of(N42PA, 24, 2, 8), N42PA)
    initialise(actor, 3)
    return actor


def move(actor: Actor, optimiser: Optimiser, seed: int) -> None:
    """One step by random gradients; those of matrices have singular values from 0.2 to 1, as torch's few rounds do not
    lift those near zero, which a square matrix of random numbers has."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in actor.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator)
        if parameter.ndim == 2:
            torch.nn.init.orthogonal_(parameter.grad, generator=generator)
            shorter = int(parameter.shape[0] > parameter.shape[1])  # 0: rows, 1: columns
            scales = 0.2 + 0.8 * torch.rand(parameter.shape[shorter], generator=generator)
            parameter.grad *= scales if shorter else scales[:, None]
    optimiser.step()


def test_muon_moves_hidden_matrices_by_orthogonal_steps_and_the_rest_as_adam_does() -> None:
    actor, other = an_actor(), an_actor()
    before = {name: parameter.detach().clone() for name, parameter in actor.named_parameters()}
    for module, kind in ((actor, "muon"), (other, "adam")):
        optimiser = Optimiser(module, kind)
        optimiser.set_learning_rate(1e-3)
        move(module, optimiser, 5)
    apart = {id(matrix) for matrix in hidden_matrices(actor)}
    assert len(apart) == 2 + 5 + 5  # the trunk's layers and the two towers' but their scores
    theirs = dict(other.named_parameters())
    for name, parameter in actor.named_parameters():
        step = (before[name] - parameter).detach()
        if id(parameter) not in apart:
            assert torch.equal(parameter, theirs[name])
            continue
        scale = 1e-3 * MUON_RATE * max(1.0, step.shape[0] / step.shape[1]) ** 0.5
        singular = torch.linalg.svdvals(step / scale)  # torch's five rounds of Newton-Schulz end between .7 and 1.2
        assert float(singular.min()) > 0.5
        assert float(singular.max()) < 1.3


@pytest.mark.parametrize("kind", ["adam", "muon"])
def test_an_optimiser_goes_on_from_its_arrays(kind: str) -> None:
    whole, cut = an_actor(), an_actor()
    first, second = Optimiser(whole, kind), Optimiser(cut, kind)
    assert first.to_arrays() == {}
    for seed in range(4):
        move(whole, first, seed)
    for seed in range(2):
        move(cut, second, seed)
    third = Optimiser(cut, kind)
    third.load(second.to_arrays())
    for seed in range(2, 4):
        move(cut, third, seed)
    for one, other in zip(whole.parameters(), cut.parameters(), strict=True):
        assert torch.equal(one, other)


def test_moments_of_another_network_are_refused() -> None:
    actor = an_actor()
    optimiser = Optimiser(actor, "muon")
    move(actor, optimiser, 1)
    arrays = optimiser.to_arrays()
    arrays["trunk.0.weight.momentum_buffer"] = np.zeros((2, 2), np.float32)
    with pytest.raises(ValueError, match=r"'trunk\.0\.weight' do not fit"):
        Optimiser(actor, "muon").load(arrays)
