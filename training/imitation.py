"""The warm start: learn a teacher's choices, the value of the teacher's hands, and where unseen tiles lie.

The teacher sits in all seats. In every second hand (or game) some moves are made at random, so that positions are met
that the teacher alone would not reach; what is learnt there is still its answer. The critic learns from the
others.
"""

from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np
import torch

from texas42.agents.arena import decisions_for
from texas42.agents.base import Agent
from texas42.agents.choice import sample_actions, uniforms
from texas42.training.config import ImitationConfig
from texas42.training.device import moved
from texas42.training.learner import (
    Learner,
    belief_targets,
    made_targets,
    minibatches,
    side_by_side,
)
from texas42.training.losses import belief_loss, imitation_loss, made_loss, masked_log_softmax, value_loss
from texas42.training.metrics import Means, Metrics
from texas42.training.rollout import LEARNER, PHASES, Choice, Experience, Pending, Rollout

_WHETHER = np.uint64(0xE8B7)
_WHICH = np.uint64(0x51D3)
BELIEF_WEIGHT = 0.1
FORECAST_WEIGHT = 0.1
MAX_NORM = 1.0


class Demonstration:
    """The teacher's answer to every decision; in hands of odd number some are played at random instead."""

    def __init__(self, teacher: Agent, explore: float) -> None:
        self.teacher, self.explore = teacher, explore

    def choose(self, pending: Pending) -> Choice:
        """Plays the teacher's action or a random one, learns the teacher's."""
        game, keys = pending.game, pending.keys
        answers = self.teacher.act(decisions_for(game, pending.rows, keys))
        odd = game.states["row"][pending.rows] % np.uint64(2) == 1
        astray = odd & (uniforms(keys ^ _WHETHER) < self.explore)
        at_random, _ = sample_actions(np.zeros(pending.masks.shape, np.float32), pending.masks, keys ^ _WHICH)
        return Choice(np.where(astray, at_random, answers), answers, np.zeros(len(keys), np.float32))


def demonstrate(teacher: Agent, rollout: Rollout, config: ImitationConfig, seed: int, first: int) -> Experience:
    """Hands ``first`` and following, played by the teacher."""
    seating = np.full((rollout.hands, rollout.rules.seats), LEARNER, np.int64)
    return rollout.play(seed, first, seating, lambda: Demonstration(teacher, config.explore), ())


def imitate(
    learner: Learner,
    experience: Experience,
    config: ImitationConfig,
    batch: int,
    stake: float,
    seed: Sequence[int],
    pool: Executor,
    *,
    critic: bool = True,
) -> Metrics:
    """One pass over a batch of demonstrations; `batch` counts from 0 and sets the learning rate.

    `critic`: whether the critic learns, too.
    """
    rate = config.learning_rate * (1 - 0.9 * batch / max(config.batches - 1, 1))
    learner.actor_optimiser.set_learning_rate(rate)
    learner.critic_optimiser.set_learning_rate(rate)
    moved_by = side_by_side(
        learner,
        pool,
        lambda: _learn_actor(learner, experience, config, np.random.default_rng([*seed, 0])),
        lambda: _learn_critic(learner, experience, config, stake, np.random.default_rng([*seed, 1])) if critic else {},
    )
    return {**moved_by[0], **moved_by[1], "schedule/learning_rate": rate}


def _learn_actor(learner: Learner, data: Experience, config: ImitationConfig, rng: np.random.Generator) -> Metrics:
    step, world = learner.actor_step(MAX_NORM), learner.world
    means, made = Means(), made_targets(data)
    for rows in minibatches(len(data), config.minibatch, rng, world, world.actor):
        arrays = (data.observations, data.masks, data.actions, data.hidden, made, data.phases)
        observations, masks, actions, hidden, known, phases = (moved(array[rows], learner.device) for array in arrays)
        legal = masks != 0
        reading = learner.actor.read(observations)
        log_probabilities = masked_log_softmax(learner.actor.logits(reading), legal)
        choice = imitation_loss(log_probabilities, legal, actions, config.smoothing).mean()
        may_hold, holders = belief_targets(learner.shape, observations, hidden)
        belief = belief_loss(learner.actor.belief(reading.features), may_hold, holders).mean()
        forecast = made_loss(learner.actor.made(reading.features), known)
        means.add("imitation/grad_norm", step(choice + BELIEF_WEIGHT * belief + FORECAST_WEIGHT * forecast))
        means.add("forecast/bits", float(forecast.detach()) / np.log(2))
        means.add("imitation/loss", float(choice.detach()))
        means.add("belief/bits", float(belief.detach()) / np.log(2))
        _add_agreement(means, log_probabilities, actions, phases)
    return means.result()


def _add_agreement(means: Means, log_probabilities: torch.Tensor, actions: torch.Tensor, phases: torch.Tensor) -> None:
    agrees = (log_probabilities.argmax(dim=1) == actions).float()
    for index, phase in enumerate(PHASES):
        means.add(f"imitation/agreement_{phase}", agrees[phases == index])


def _learn_critic(
    learner: Learner, data: Experience, config: ImitationConfig, stake: float, rng: np.random.Generator
) -> Metrics:
    step, world = learner.critic_step(MAX_NORM), learner.world
    means = Means()
    undisturbed = np.flatnonzero(data.finals["row"][data.hands] % np.uint64(2) == 0)
    returns = data.rewards / np.float32(stake)
    for chosen in minibatches(len(undisturbed), config.minibatch, rng, world, world.critic):
        rows = undisturbed[chosen]
        arrays = (data.observations[rows], data.hidden[rows], returns[data.players[rows]])
        observations, hidden, targets = (moved(array, learner.device) for array in arrays)
        loss = value_loss(learner.critic(observations, hidden), targets).mean()
        means.add("value/loss", float(loss.detach()))
        means.add("value/grad_norm", step(loss))
    return means.result()
