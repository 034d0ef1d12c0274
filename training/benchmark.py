"""How fast training goes: decisions with a choice per second, playing and learning apart."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from texas42.agents.policy import torch_threads
from texas42.agents.shape import Shape
from texas42.envs.rules.rules import Rules
from texas42.training import ppo
from texas42.training.config import NetworkConfig, PPOConfig
from texas42.training.device import learning_device
from texas42.training.learner import Learner
from texas42.training.rollout import Rollout, largest_stake


def measure_train(
    rules: Rules,
    *,
    updates: int = 3,
    hands: int = 4096,
    workers: int = 2,
    network: NetworkConfig | None = None,
) -> dict[str, Any]:
    """Time whole PPO updates of pure self-play from random weights, after one that does not count.

    Args:
        rules: the rules.
        updates: how many are timed.
        hands: hands an update.
        workers: threads.
        network: sizes; by default those of a run.

    Returns:
        A row for ``texas42 bench``. Decisions are those learnt from, forced ones excluded; `..._per_cpu_s` counts the
        CPU seconds of all threads of the process.
    """
    network, config = network or NetworkConfig(), PPOConfig(updates=updates + 1, hands=hands)
    device = learning_device(network.device)
    learner = Learner(Shape.of(rules, network.width, network.layers, network.tile_width), rules, seed=0, device=device)
    learner.actor.mixed = learner.critic.mixed = network.mixed
    seating = np.zeros((hands, rules.seats), np.int64)
    with (
        torch_threads(1),
        ThreadPoolExecutor(max(workers, 2), initializer=torch.set_num_threads, initargs=(1,)) as pool,
    ):
        timing = _Timing(learner, Rollout(rules, hands, workers, pool), seating, config, largest_stake(rules))
        timing.update(0)
        timing.start()
        for number in range(1, updates + 1):
            timing.update(number)
    return {"bench": "train", "rules": rules.base, "threads": workers, "batch": hands} | timing.result()


class _Timing:
    """Updates, and seconds spent in their two halves."""

    def __init__(
        self,
        learner: Learner,
        rollout: Rollout,
        seating: "np.ndarray[Any, Any]",
        config: PPOConfig,
        stake: float,
    ) -> None:
        self.learner, self.rollout, self.seating, self.config, self.stake = (
            learner,
            rollout,
            seating,
            config,
            stake,
        )
        self.start()

    def start(self) -> None:
        self.decisions, self.seconds, self.cpu = 0, np.zeros(2), np.zeros(2)

    def update(self, number: int) -> None:
        clock = [_now()]
        data = ppo.play(self.learner, self.rollout, self.seating, (), 0, number * self.rollout.hands)
        clock.append(_now())
        batch, _ = ppo.assess(self.learner, data, self.config, self.stake, self.rollout.pool)
        schedule = ppo.Schedule.at(self.config, number)
        ppo.learn(self.learner, batch, ppo.Terms(self.config, schedule), (0, number), self.rollout.pool)
        clock.append(_now())
        spans = np.diff(np.array(clock), axis=0)
        self.decisions += len(data)
        self.seconds += spans[:, 0]
        self.cpu += spans[:, 1]

    def result(self) -> dict[str, float]:
        n = self.decisions
        return {
            "decisions": n,
            "decisions_per_s": n / float(self.seconds.sum()),
            "decisions_per_cpu_s": n / float(self.cpu.sum()),
            "play_decisions_per_cpu_s": n / float(self.cpu[0]),
            "learn_decisions_per_cpu_s": n / float(self.cpu[1]),
            "play_share_of_cpu": float(self.cpu[0] / self.cpu.sum()),
        }


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()
