"""Actor and critic with their optimisers: what learning changes, and what a checkpoint must hold of it."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from texas42.agents.checkpoint import Arrays
from texas42.agents.choice import sample_actions
from texas42.agents.network import Actor, Critic, from_arrays, initialise, to_arrays
from texas42.agents.shape import Shape
from texas42.envs.rules.rules import Rules
from texas42.training.device import moved
from texas42.training.distributed import ALONE, World
from texas42.training.losses import masked_log_softmax
from texas42.training.optimiser import Optimiser
from texas42.training.rollout import Choice, Experience, Pending

Float32 = npt.NDArray[np.float32]
Int64 = npt.NDArray[np.int64]
Int8 = npt.NDArray[np.int8]
CACHED = 1024
"""Decisions a processor reads at once: with more, what a layer hands to the next leaves its cache."""


class Learner:
    """Actor, critic and an optimiser for each; they share nothing and learn side by side.

    Args:
        shape: sizes of the networks.
        rules: the rules.
        seed: of the first weights.
        world: the processes that learn together.
        device: where the networks are.
        optimiser: ``"adam"`` or ``"muon"``.

    Attributes:
        magnet: a moving average of the actor's weights, once `start_magnet` was called.
    """

    def __init__(
        self,
        shape: Shape,
        rules: Rules,
        seed: int,
        world: World = ALONE,
        device: torch.device | str = "cpu",
        optimiser: str = "adam",
    ) -> None:
        self.shape, self.rules, self.world, self.device = shape, rules, world, torch.device(device)
        self.optimiser = optimiser
        self.magnet: Actor | None = None
        self.actor, self.critic = Actor(shape, rules), Critic(shape, rules)
        initialise(self.actor, seed)
        initialise(self.critic, seed + 1)
        self.make_optimisers()

    def make_optimisers(self) -> None:
        """Fresh optimisers for the networks as they are, which are moved to their device."""
        self.actor.to(self.device)
        self.critic.to(self.device)
        self.actor_optimiser = Optimiser(self.actor, self.optimiser)
        self.critic_optimiser = Optimiser(self.critic, self.optimiser)

    def to_arrays(self) -> Arrays:
        """All that learning changes, by name: ``actor.*``, ``critic.*`` and the optimisers' moments."""
        out: Arrays = {}
        for name, module, optimiser in self._parts():
            arrays = to_arrays(module)
            out |= {f"{name}.{key}": array for key, array in arrays.items()}
            out |= {f"{name}_optimiser.{key}": moments for key, moments in optimiser.to_arrays().items()}
        if self.magnet is not None:
            out |= {f"magnet.{key}": array for key, array in to_arrays(self.magnet).items()}
        return out

    def load(self, arrays: Arrays) -> None:
        """The inverse of `to_arrays`.

        Raises:
            ValueError: names or shapes do not fit.
        """
        for name, module, _ in self._parts():
            from_arrays(module, _group(arrays, name))
        self.make_optimisers()
        for name, _, optimiser in self._parts():
            optimiser.load(_group(arrays, f"{name}_optimiser"))
        self.magnet = None
        if _group(arrays, "magnet"):
            magnet = self.start_magnet()
            from_arrays(magnet, _group(arrays, "magnet"))
            magnet.to(self.device)

    def start_magnet(self) -> Actor:
        """Begin the moving average with the actor as it is."""
        self.magnet = Actor(self.shape, self.rules).to(self.device)
        self.magnet.load_state_dict(self.actor.state_dict())
        self.magnet.mixed = self.actor.mixed
        return self.magnet

    def pull_magnet(self, decay: float) -> None:
        """Move the average towards the actor: `decay` of it stays."""
        assert self.magnet is not None
        with torch.no_grad():
            for mean, parameter in zip(self.magnet.parameters(), self.actor.parameters(), strict=True):
                mean.lerp_(parameter, 1 - decay)

    def actor_step(self, max_norm: float) -> "Step":
        """What moves the actor."""
        return Step(self.actor, self.actor_optimiser, max_norm, self.world, self.world.actor)

    def critic_step(self, max_norm: float) -> "Step":
        """What moves the critic."""
        return Step(self.critic, self.critic_optimiser, max_norm, self.world, self.world.critic)

    def _parts(self) -> list[tuple[str, nn.Module, Optimiser]]:
        return [("actor", self.actor, self.actor_optimiser), ("critic", self.critic, self.critic_optimiser)]


def _group(arrays: Arrays, prefix: str) -> Arrays:
    return {key[len(prefix) + 1 :]: array for key, array in arrays.items() if key.startswith(prefix + ".")}


class SelfPlay:
    """Draws the learner's actions from its policy, whose logits are divided by `temperature`."""

    def __init__(self, actor: Actor, device: torch.device | str = "cpu", temperature: float = 1.0) -> None:
        self.actor, self.device, self.temperature = actor, torch.device(device), np.float32(temperature)

    def choose(self, pending: Pending) -> Choice:
        """Sampled actions; they are played and learnt from."""
        block = CACHED if self.device.type == "cpu" else len(pending.rows)
        starts = range(0, len(pending.rows), block)
        parts = [self._logits(pending.observations[i : i + block]) for i in starts]
        logits: Float32 = np.concatenate(parts) / self.temperature
        actions, log_probabilities = sample_actions(logits, pending.masks, pending.keys)
        return Choice(actions, actions, log_probabilities)

    def _logits(self, observations: Int8) -> Float32:
        with torch.inference_mode():
            logits: Float32 = self.actor(moved(observations, self.device)).cpu().numpy()
        return logits


@dataclass
class Step:
    """One gradient step: gradients are averaged over processes, their norm is measured, then parameters move."""

    module: nn.Module
    optimiser: Optimiser
    max_norm: float
    world: World = ALONE
    group: Any = None

    def __call__(self, loss: Tensor) -> float:
        """Descend `loss`; returns the gradient's norm before clipping."""
        return self.move([self.gradients(loss)])

    def gradients(self, loss: Tensor) -> tuple[Tensor, ...]:
        """Those of one loss; several threads may ask at once."""
        parameters = tuple(self.module.parameters())
        return torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)

    def move(self, gradients: Sequence[tuple[Tensor, ...]]) -> float:
        """Move by the sum of gradients; returns its norm before clipping."""
        for parameter, *parts in zip(self.module.parameters(), *gradients, strict=True):
            parameter.grad = parts[0] if len(parts) == 1 else torch.stack(parts).sum(dim=0)
        self.world.average_gradients(self.module, self.group)
        norm = nn.utils.clip_grad_norm_(self.module.parameters(), self.max_norm)
        self.optimiser.step()
        return float(norm)


def minibatches(
    n: int, size: int, rng: np.random.Generator, world: World = ALONE, group: Any = None
) -> Iterator[Int64]:
    """A shuffle of 0 .. n - 1 in pieces of `size`; a short rest is left out unless it is all there is.

    Processes that learn together share the size out and all make as many pieces as the one with the least data.
    """
    size = max(1, size // world.size)
    pieces = world.least(max(n // size, min(n, 1)), group)
    order = rng.permutation(n)
    for piece in range(pieces):
        yield order[piece * size : (piece + 1) * size]


def values_of(learner: Learner, experience: Experience, pool: Executor, block: int = 4096) -> Float32:
    """The critic's value of every decision, float32 (t,)."""
    critic, device = learner.critic, learner.device

    def one(start: int) -> Float32:
        rows = slice(start, start + block)
        with torch.inference_mode():
            observations = moved(experience.observations[rows], device)
            values: Float32 = critic(observations, moved(experience.hidden[rows], device)).cpu().numpy()
            return values

    parts = list(pool.map(one, range(0, len(experience), block)))
    return np.concatenate(parts) if parts else np.empty(0, np.float32)


def magnet_log_probabilities(learner: Learner, experience: Experience, pool: Executor, block: int = 4096) -> Float32:
    """The moving average's log-probabilities of all actions, float32 (t, actions)."""
    magnet, device = learner.magnet, learner.device
    assert magnet is not None

    def one(start: int) -> Float32:
        rows = slice(start, start + block)
        with torch.inference_mode():
            legal = moved(experience.masks[rows], device) != 0
            logits = magnet(moved(experience.observations[rows], device))
            found: Float32 = masked_log_softmax(logits, legal).cpu().numpy()
            return found

    parts = list(pool.map(one, range(0, len(experience), block)))
    return np.concatenate(parts) if parts else np.empty(experience.masks.shape, np.float32)


def side_by_side(
    learner: Learner, pool: Executor, first: Callable[[], Any], second: Callable[[], Any]
) -> tuple[Any, Any]:
    """Run two pieces of work that share nothing they write; one after the other where GPUs exchange gradients, as NCCL
    must not be used by two groups at once."""
    if learner.device.type == "cuda" and learner.world.size > 1:
        return first(), second()
    running = pool.submit(first)
    other = pool.submit(second)
    return running.result(), other.result()


def made_targets(experience: Experience) -> Float32:
    """Whether the contract of a decision's hand was made, float32 (t,): 1, 0; -1 in the auction and without one."""
    made = experience.finals["made"][experience.hands].astype(np.float32)
    return np.where((experience.phases > 0) & (made >= 0), made, np.float32(-1))


def belief_targets(shape: Shape, observations: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
    """Where the unseen tiles may lie and where they do, by other seat.

    Args:
        shape: sizes of the network.
        observations: int8 (n, observation).
        hidden: int8 (n, hidden), of which the first part is the other hands.

    Returns:
        may_hold: bool (n, others, tiles).
        holders: int8 (n, others, tiles), how many copies each seat holds.
    """
    start, size = shape.piece("may_hold")
    may_hold = observations[:, start : start + size].view(-1, shape.others, shape.tiles) != 0
    hands = hidden[:, : size * shape.copies].view(-1, shape.others, shape.copies, shape.tiles)
    return may_hold, hands.sum(dim=2)
