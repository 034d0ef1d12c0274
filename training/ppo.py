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
    side_by_side,
    values_of,
)
from texas42.training.losses import (
    advice_gain,
    advice_loss,
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
from texas42.training.rollout import NO_ADVICE, PHASES, Experience, Rollout

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Schedule:
    """What falls linearly over a run, at one of its updates."""

    learning_rate: float
    critic_learning_rate: float
    entropy: float

    @staticmethod
    def at(config: PPOConfig, update: int) -> "Schedule":
        """The values of update number `update`, counted from 0."""
        done = update / max(config.updates - 1, 1)
        final = config.final_learning_rate / config.learning_rate if config.learning_rate else 1.0
        fall = 1 + (final - 1) * done
        entropy = config.entropy + (config.final_entropy - config.entropy) * done
        return Schedule(config.learning_rate * fall, config.critic_learning_rate * fall, entropy)


@dataclass(frozen=True)
class Terms:
    """What the losses of an update are made of: the configuration, what falls over the run as it stands, and advice."""

    config: PPOConfig
    schedule: Schedule
    advice: AdviceConfig = NO_ADVICE


@dataclass
class Batch:
    """What an update learns from: decisions, whether the contract was made; advantages and value targets, None without
    a critic; the magnet's log-probabilities."""

    experience: Experience
    made: Float32
    advantages: Float32 | None = None
    targets: Float32 | None = None
    magnet: Float32 | None = None


def play(
    learner: Learner,
    rollout: Rollout,
    seating: npt.NDArray[np.int64],
    others: Sequence[Agent],
    seed: int,
    first: int,
    temperature: float = 1.0,
) -> Experience:
    """Hands ``first`` and following, the learner's seats drawn from its policy."""
    return rollout.play(seed, first, seating, lambda: SelfPlay(learner.actor, learner.device, temperature), others)


def assess(
    learner: Learner, experience: Experience, config: PPOConfig, stake: float, pool: Executor
) -> tuple[Batch, Metrics]:
    """Advantages, normalised within each phase, and value targets, in units of the largest stake."""
    magnet = None if learner.magnet is None else magnet_log_probabilities(learner, experience, pool)
    made = made_targets(experience)
    if not config.weight:
        return Batch(experience, made, magnet=magnet), {}
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
    return Batch(experience, made, normalised, targets, magnet), metrics


def learn(learner: Learner, batch: Batch, terms: Terms, seed: Sequence[int], pool: Executor) -> Metrics:
    """Move actor and critic by the epochs of one update; `seed` shuffles their minibatches."""
    schedule = terms.schedule
    learner.actor_optimiser.set_learning_rate(schedule.learning_rate)
    learner.critic_optimiser.set_learning_rate(schedule.critic_learning_rate)

    def actor(halves: Executor | None = None) -> Metrics:
        return _learn_actor(learner, batch, terms, np.random.default_rng([*seed, 0]), halves)

    def critic() -> Metrics:
        return _learn_critic(learner, batch, terms.config, np.random.default_rng([*seed, 1]))

    moved_by = (actor(pool), {}) if batch.targets is None else side_by_side(learner, pool, actor, critic)
    rates = {"schedule/learning_rate": schedule.learning_rate, "schedule/entropy": schedule.entropy}
    return {**moved_by[0], **moved_by[1], **rates}


def _learn_actor(
    learner: Learner, batch: Batch, terms: Terms, rng: np.random.Generator, halves: Executor | None
) -> Metrics:
    """The epochs of one update; `halves`: threads that work on half a minibatch each."""
    config = terms.config
    step, world = learner.actor_step(config.max_grad_norm), learner.world
    limit = config.target_kl if config.weight else 0.0
    means = Means()

    def descent(task: tuple[npt.NDArray[np.int64], float]) -> tuple[tuple[torch.Tensor, ...], float, Means]:
        rows, share = task
        noted = Means()
        loss, kl = _actor_loss(learner, batch, rows, terms, noted)
        return step.gradients(share * loss), share * kl, noted

    for _ in range(config.epochs):
        for rows in minibatches(len(batch.experience), config.minibatch, rng, world, world.actor):
            pieces = [rows] if halves is None else np.array_split(rows, min(2, len(rows)))
            tasks = [(piece, len(piece) / len(rows)) for piece in pieces]
            parts = list(map(descent, tasks) if halves is None else halves.map(descent, tasks))
            for _, _, noted in parts:
                means.include(noted)
            kl = sum(part for _, part, _ in parts)
            if limit and world.total(np.array(kl), world.actor) > limit * world.size:
                means.add("policy/stopped", 1.0)
                return means.result()
            means.add("policy/grad_norm", step.move([gradients for gradients, _, _ in parts]))
    means.add("policy/stopped", 0.0)
    return means.result()


def _actor_loss(
    learner: Learner, batch: Batch, rows: npt.NDArray[np.int64], terms: Terms, means: Means
) -> tuple[torch.Tensor, float]:
    """The loss of one minibatch and the KL from the policy that played it."""
    data, config, advice = batch.experience, terms.config, terms.advice

    def here(array: npt.NDArray[Any]) -> torch.Tensor:
        return moved(array[rows], learner.device)

    observations, legal, actions = here(data.observations), here(data.masks) != 0, here(data.actions)

    reading = learner.actor.read(observations)
    logits = learner.actor.logits(reading)
    log_probabilities = masked_log_softmax(logits, legal)
    chosen = log_probabilities.gather(1, actions[:, None]).squeeze(1)
    log_ratio = chosen - here(data.log_probabilities)
    ratio, kl = log_ratio.exp(), float(approximate_kl(log_ratio.detach()).mean())

    entropy = normalised_entropy(log_probabilities, legal)
    may_hold, holders = belief_targets(learner.shape, observations, here(data.hidden))
    belief = belief_loss(learner.actor.belief(reading.features), may_hold, holders).mean()
    forecast = made_loss(learner.actor.made(reading.features), here(batch.made))
    loss = config.belief * belief + config.forecast * forecast - terms.schedule.entropy * entropy.mean()
    if batch.advantages is not None:
        policy = clipped_policy_loss(ratio, here(batch.advantages), config.clip).mean()
        loss = loss + config.weight * policy
        means.add("policy/loss", float(policy.detach()))
        means.add("policy/kl", kl)
        means.add("policy/clipped", float(((ratio - 1).abs() > config.clip).float().mean()))
    if data.advice.shape[1]:
        told = here(data.advice)
        regression = advice_loss(logits, told, advice.temperature).mean()
        gain = advice_gain(masked_log_softmax(logits, ~told.isnan()), told)
        loss = loss + advice.weight * regression - advice.gain * gain.mean()
        means.add("policy/advice_loss", float(regression.detach()))
        means.add("policy/advice", gain.detach())
    if batch.magnet is not None:
        pull = kl_divergence(log_probabilities, here(batch.magnet), legal).mean()
        loss = loss + config.magnet * pull
        means.add("policy/magnet_kl", float(pull.detach()))

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
    assert batch.targets is not None
    for _ in range(config.epochs):
        for rows in minibatches(len(data), config.minibatch, rng, world, world.critic):
            arrays = (data.observations, data.hidden, batch.targets)
            observations, hidden, targets = (moved(array[rows], learner.device) for array in arrays)
            loss = value_loss(learner.critic(observations, hidden), targets).mean()
            means.add("value/loss", float(loss.detach()))
            means.add("value/grad_norm", step(loss))
    return means.result()
