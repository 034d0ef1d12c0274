"""Proximal policy optimisation on whole hands, to be read from top to bottom.

One update: play hands, value every decision with the critic that sees all hands, turn values and rewards into
advantages, then move the actor and, beside it, the critic. docs/METRICS.md explains what is measured.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from texas42.agents.base import Agent
from texas42.training.config import AdviceConfig, PPOConfig
from texas42.training.device import moved
from texas42.training.learner import (
    Learner,
    SelfPlay,
    belief_targets,
    made_targets,
    magnet_log_probabilities,
    minibatches,
    set_learning_rate,
    side_by_side,
    values_of,
)
from texas42.training.losses import (
    advice_gain,
    approximate_kl,
    belief_loss,
    clipped_policy_loss,
    explained_variance,
    generalised_advantages,
    kl_divergence,
    made_loss,
    masked_log_softmax,
    normalised_by_group,
    normalised_entropy,
    value_loss,
)
from texas42.training.metrics import Means, Metrics
from texas42.training.rollout import PHASES, Experience, Rollout

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Schedule:
    """What falls linearly over a run, at one of its updates."""

    learning_rate: float
    critic_learning_rate: float
    entropy: float
    advice: float = 0.0

    @staticmethod
    def at(config: PPOConfig, update: int, advice: AdviceConfig | None = None) -> "Schedule":
        """The values of update number `update`, counted from 0."""
        done = update / max(config.updates - 1, 1)
        final = config.final_learning_rate / config.learning_rate if config.learning_rate else 1.0
        fall = 1 + (final - 1) * done
        entropy = config.entropy + (config.final_entropy - config.entropy) * done
        given = advice or AdviceConfig()
        weight = given.weight + (given.final_weight - given.weight) * done if given.share else 0.0
        return Schedule(config.learning_rate * fall, config.critic_learning_rate * fall, entropy, weight)


@dataclass
class Batch:
    """What an update learns from: decisions with advantages, value targets, whether the contract was made, and the
    magnet's log-probabilities."""

    experience: Experience
    advantages: Float32
    targets: Float32
    made: Float32
    magnet: Float32 | None = None


def play(
    learner: Learner,
    rollout: Rollout,
    seating: npt.NDArray[np.int64],
    others: Sequence[Agent],
    seed: int,
    first: int,
) -> Experience:
    """Hands ``first`` and following, the learner's seats drawn from its policy."""
    return rollout.play(seed, first, seating, lambda: SelfPlay(learner.actor, learner.device), others)


def assess(
    learner: Learner, experience: Experience, config: PPOConfig, stake: float, pool: Executor
) -> tuple[Batch, Metrics]:
    """Advantages, normalised within each phase, and value targets, in units of the largest stake."""
    values = values_of(learner, experience, pool)
    rewards = experience.rewards / np.float32(stake)
    advantages, targets = generalised_advantages(values, experience.players, rewards, config.gae_lambda)
    paid = rewards[experience.players]
    metrics = {"value/error": float(np.abs(values - paid).mean() * stake) if len(paid) else 0.0}
    for index, phase in enumerate(PHASES):
        rows = experience.phases == index
        if rows.any():
            metrics[f"value/explained_variance_{phase}"] = explained_variance(values[rows], paid[rows])
            metrics[f"value/advantage_spread_{phase}"] = float(advantages[rows].std() * stake)
    normalised = normalised_by_group(advantages, experience.phases, len(PHASES), learner.world)
    magnet = None if learner.magnet is None else magnet_log_probabilities(learner, experience, pool)
    return Batch(experience, normalised, targets, made_targets(experience), magnet), metrics


def learn(
    learner: Learner, batch: Batch, config: PPOConfig, schedule: Schedule, seed: Sequence[int], pool: Executor
) -> Metrics:
    """Move actor and critic by the epochs of one update; `seed` shuffles their minibatches."""
    set_learning_rate(learner.actor_optimiser, schedule.learning_rate)
    set_learning_rate(learner.critic_optimiser, schedule.critic_learning_rate)
    actor, critic = side_by_side(
        learner,
        pool,
        lambda: _learn_actor(learner, batch, config, schedule, np.random.default_rng([*seed, 0])),
        lambda: _learn_critic(learner, batch, config, np.random.default_rng([*seed, 1])),
    )
    rates = {"schedule/learning_rate": schedule.learning_rate, "schedule/entropy": schedule.entropy}
    return {**actor, **critic, **rates}


def _learn_actor(
    learner: Learner, batch: Batch, config: PPOConfig, schedule: Schedule, rng: np.random.Generator
) -> Metrics:
    step, world = learner.actor_step(config.max_grad_norm), learner.world
    means = Means()
    for _ in range(config.epochs):
        for rows in minibatches(len(batch.experience), config.minibatch, rng, world, world.actor):
            loss, kl = _actor_loss(learner, batch, rows, config, schedule, means)
            if config.target_kl and world.total(np.array(kl), world.actor) > config.target_kl * world.size:
                means.add("policy/stopped", 1.0)
                return means.result()
            means.add("policy/grad_norm", step(loss))
    means.add("policy/stopped", 0.0)
    return means.result()


def _actor_loss(
    learner: Learner,
    batch: Batch,
    rows: npt.NDArray[np.int64],
    config: PPOConfig,
    schedule: Schedule,
    means: Means,
) -> tuple[torch.Tensor, float]:
    """The loss of one minibatch and the KL from the policy that played it."""
    data = batch.experience

    def here(array: npt.NDArray[Any]) -> torch.Tensor:
        return moved(array[rows], learner.device)

    observations, legal, actions = here(data.observations), here(data.masks) != 0, here(data.actions)

    features = learner.actor.features(observations)
    log_probabilities = masked_log_softmax(learner.actor.logits(features), legal)
    chosen = log_probabilities.gather(1, actions[:, None]).squeeze(1)
    log_ratio = chosen - here(data.log_probabilities)
    ratio = log_ratio.exp()

    policy = clipped_policy_loss(ratio, here(batch.advantages), config.clip).mean()
    entropy = normalised_entropy(log_probabilities, legal)
    may_hold, holders = belief_targets(learner.shape, observations, here(data.hidden))
    belief = belief_loss(learner.actor.belief(features), may_hold, holders).mean()
    forecast = made_loss(learner.actor.made(features), here(batch.made))
    loss = config.weight * policy - schedule.entropy * entropy.mean()
    loss = loss + config.belief * belief + config.forecast * forecast
    if schedule.advice:
        gain = advice_gain(log_probabilities, here(data.advice))
        loss = loss - schedule.advice * gain.mean()
        means.add("policy/advice", gain.detach())
    if batch.magnet is not None:
        pull = kl_divergence(log_probabilities, here(batch.magnet), legal).mean()
        loss = loss + config.magnet * pull
        means.add("policy/magnet_kl", float(pull.detach()))

    kl = float(approximate_kl(log_ratio.detach()).mean())
    means.add("policy/loss", float(policy.detach()))
    means.add("policy/kl", kl)
    means.add("policy/clipped", float(((ratio - 1).abs() > config.clip).float().mean()))
    means.add("forecast/bits", float(forecast.detach()) / np.log(2))
    means.add("belief/bits", float(belief.detach()) / np.log(2))
    top, phases = log_probabilities.detach().max(dim=1).values.exp(), here(data.phases)
    for index, phase in enumerate(PHASES):
        there = phases == index
        means.add(f"policy/entropy_{phase}", entropy.detach()[there])
        means.add(f"policy/top_probability_{phase}", top[there])
    return loss, kl


def _learn_critic(learner: Learner, batch: Batch, config: PPOConfig, rng: np.random.Generator) -> Metrics:
    step, world = learner.critic_step(config.max_grad_norm), learner.world
    means = Means()
    data = batch.experience
    for _ in range(config.epochs):
        for rows in minibatches(len(data), config.minibatch, rng, world, world.critic):
            arrays = (data.observations, data.hidden, batch.targets)
            observations, hidden, targets = (moved(array[rows], learner.device) for array in arrays)
            loss = value_loss(learner.critic(observations, hidden), targets).mean()
            means.add("value/loss", float(loss.detach()))
            means.add("value/grad_norm", step(loss))
    return means.result()
