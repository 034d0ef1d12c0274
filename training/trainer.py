"""A training run from its first hand to its last checkpoint, or on from where a killed one was saved.

Everything a step does is a function of the saved state, the configuration and the step's number, so a resumed
run ends with the same bytes as one never stopped. Steps are batches of the warm start, then updates of PPO.
"""

import logging
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
import yaml

from texas42.agents.base import Agent
from texas42.agents.checkpoint import (
    Checkpoint,
    CheckpointError,
    check_fingerprint,
    fingerprint,
    load_checkpoint,
    save_checkpoint,
)
from texas42.agents.network import from_arrays, to_arrays
from texas42.agents.policy import PolicyAgent, load_policy_agent, torch_threads
from texas42.agents.search.searcher import can_search
from texas42.agents.shape import Shape
from texas42.agents.specs import make_agent
from texas42.training import imitation, ppo
from texas42.training.config import ConfigError, TrainConfig
from texas42.training.device import learning_device
from texas42.training.distributed import ALONE, World, joined
from texas42.training.evaluation.match import play_match
from texas42.training.examine import examine
from texas42.training.learner import Learner
from texas42.training.metrics import MetricLog, Metrics, table_metrics
from texas42.training.opponents import League
from texas42.training.rollout import Experience, Rollout, largest_stake, seat_strangers

_LOG = logging.getLogger("texas42")
LAST, BEST, CONFIG = "last.safetensors", "best.safetensors", "config.yaml"
PPO_FIRST_ROW = 2**40
"""Number of the first hand of PPO; the warm start's hands count from 0."""
_MATCH_SALT = 0x5C0E
_IMITATION_SEED, _PPO_SEED, _LEAGUE_SEED = 1, 2, 3


class Reporter(Protocol):
    """What is told how a run gets on."""

    def stage(self, name: str, done: int, total: int) -> None:
        """A stage begins, or goes on after `done` of its `total` steps."""
        ...

    def step(self, done: int, metrics: Metrics) -> None:
        """A step is done."""
        ...


class Interrupted(Exception):
    """The run was stopped by the user and is saved; `out` is its folder."""

    def __init__(self, out: Path) -> None:
        super().__init__(f"stopped and saved in {out}")
        self.out = out


class RunError(ValueError):
    """An output folder that cannot be used: not writable, holding another run, or without one to resume."""


@dataclass
class Progress:
    """What has been done.

    Attributes:
        batches, updates: steps of the warm start and of PPO.
        decisions: decisions learnt from.
        hands: hands played.
        best: best evaluation so far, None before the first.
    """

    batches: int = 0
    updates: int = 0
    decisions: int = 0
    hands: int = 0
    best: float | None = None


class Run:
    """A run in its folder.

    Args:
        config: the configuration.
        out: the folder; it is made.
        resume: go on from the folder's last checkpoint.
        world: the processes that train together; the first one writes.

    Raises:
        RunError: the folder cannot be used.
        CheckpointError: its checkpoint is damaged or of another game.
        ConfigError: an agent of the configuration cannot be made, or its device is not there.
    """

    def __init__(self, config: TrainConfig, out: Path, *, resume: bool = False, world: World = ALONE) -> None:
        self.config, self.out, self.rules, self.world = config, out, config.resolved_rules, world
        network = config.network
        if config.advice.is_asked and not can_search(self.rules):
            key = next(key for key in ("share", "late", "calls") if getattr(config.advice, key))
            raise ConfigError(
                f"advice.{key}={getattr(config.advice, key)} is not allowed for {self.rules.base!r} with"
                f" {self.rules.seats} seats: there is advice in four-player double-six games only; allowed: 0, as in"
                f" the configuration {self.rules.base!r}"
            )
        self.shape = Shape.of(self.rules, network.width, network.layers, network.tile_width)
        device = learning_device(network.device)
        self.learner = Learner(self.shape, self.rules, config.seed, world, device, config.optimiser)
        self.learner.actor.mixed = self.learner.critic.mixed = network.mixed
        fixed = self._agents(config.opponents.agents)
        self.league = League(self.shape, self.rules, config.opponents.keep, fixed, device)
        self.yardstick = self._agents((config.evaluation.opponent,))[0]
        self.others = self._agents(config.evaluation.others)
        self.teacher = self._agents((config.imitation.teacher,))[0] if config.imitation.batches else None
        self.stake = 1.0 if config.episode == "game" else largest_stake(self.rules)
        self.progress = Progress()
        if resume:
            self._load()
            return
        if config.start is not None:
            self._start_from(Path(config.start))
        if world.leads:
            prepare_folder(out, config)

    def _start_from(self, path: Path) -> None:
        """Take over the networks of another run: all it has of actor and critic."""
        checkpoint = load_checkpoint(path)
        check_fingerprint(checkpoint, self.rules)
        try:
            from_arrays(self.learner.actor, checkpoint.group("actor"))
            if any(name.startswith("critic.") for name in checkpoint.arrays):
                from_arrays(self.learner.critic, checkpoint.group("critic"))
        except ValueError as error:
            raise CheckpointError(f"start={path}: does not fit this configuration, {error}") from error
        self.learner.make_optimisers()

    def _agents(self, specs: tuple[str, ...]) -> tuple[Agent, ...]:
        try:
            return tuple(make_agent(spec, self.rules) for spec in specs)
        except ValueError as error:
            raise ConfigError(str(error)) from error

    def save(self) -> None:
        """Write the last checkpoint, which holds all a resumed run needs; one process does."""
        if not self.world.leads:
            return
        arrays = self.learner.to_arrays() | self.league.to_arrays()
        save_checkpoint(self.out / LAST, arrays, self._meta())

    def save_best(self) -> None:
        """Write the best checkpoint: the actor alone."""
        arrays = {f"actor.{name}": array for name, array in to_arrays(self.learner.actor).items()}
        save_checkpoint(self.out / BEST, arrays, self._meta())

    def _meta(self) -> dict[str, Any]:
        return {
            "fingerprint": fingerprint(self.rules),
            "rules": self.rules.to_dict(),
            "shape": self.shape.to_dict(),
            "config": self.config.to_dict(),
            "progress": asdict(self.progress),
        }

    def _load(self) -> None:
        checkpoint = load_checkpoint(self.out / LAST)
        check_fingerprint(checkpoint, self.rules)
        try:
            self.progress = Progress(**checkpoint.field("progress", dict))
            self.learner.load(checkpoint.arrays)
            self.league.load(checkpoint.arrays)
        except (TypeError, ValueError) as error:
            raise CheckpointError(f"{checkpoint.path}: damaged, {error}") from error


def prepare_folder(out: Path, config: TrainConfig) -> None:
    """Make a new run's folder and write the configuration into it.

    Raises:
        RunError: not writable, or a run is in it already.
    """
    if (out / LAST).exists():
        raise RunError(f"{out} holds a run already; go on with --resume, or give another folder with --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / CONFIG).write_text(yaml.safe_dump(config.to_dict(), sort_keys=False), "utf-8")
    except OSError as error:
        raise RunError(f"cannot write to {out}: {error.strerror or error}") from error


def saved_config(out: Path) -> TrainConfig:
    """The configuration of the run in a folder.

    Raises:
        RunError: there is no run.
        CheckpointError: its checkpoint is damaged.
    """
    if not (out / LAST).exists():
        raise RunError(f"no run to resume in {out}: it has no {LAST}")
    checkpoint: Checkpoint = load_checkpoint(out / LAST, groups=())
    try:
        return TrainConfig.from_dict(checkpoint.field("config", dict))
    except ConfigError as error:
        raise CheckpointError(f"{checkpoint.path}: damaged, {error}") from error


def is_begun(out: Path, config: TrainConfig) -> bool:
    """Whether a run of a configuration is in a folder, to go on with.

    Raises:
        RunError: a run of another configuration is there.
        CheckpointError: its checkpoint is damaged.
    """
    if not (out / LAST).exists():
        return False
    if saved_config(out) != config:
        raise RunError(f"{out} holds a run of another configuration; remove it, or give another folder")
    return True


def train(config: TrainConfig, out: Path, reporter: Reporter, *, resume: bool = False) -> Run:
    """Run to the end.

    Args:
        config: the configuration; of a resumed run, its own (`saved_config`).
        out: folder of checkpoints and TensorBoard events.
        reporter: told of every step.
        resume: go on from the last checkpoint.

    Started by torchrun, its processes share the hands of every update and average their gradients; the first one
    evaluates, saves and reports.

    Raises:
        Interrupted: Ctrl-C; the run is saved.
        LostProcessError: another process of the run is gone.
        RunError, CheckpointError, ConfigError: see `Run`.
    """
    with joined(learning_device(config.network.device)) as world:
        run = Run(config, out, resume=resume, world=world)
        log = MetricLog(out / "tensorboard", run.progress.decisions) if world.leads else None
        try:
            with torch_threads(1), _workers(config.workers) as pool, _stop_requested() as stop:
                Loop(run, log, reporter, pool, stop).run_all()
        finally:
            if log is not None:
                log.close()
    return run


@contextmanager
def _workers(n: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that play and learn, each with one thread of torch: torch's setting counts by thread."""
    with ThreadPoolExecutor(max(n, 2), initializer=torch.set_num_threads, initargs=(1,)) as pool:
        yield pool


@contextmanager
def _stop_requested() -> Iterator[threading.Event]:
    """An event set by the first Ctrl-C; the second one interrupts at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def on_signal(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        _LOG.warning("stopping and saving after this step; Ctrl-C again stops at once and keeps the last checkpoint")

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class Loop:
    """The steps of a run in their order."""

    def __init__(
        self, run: Run, log: MetricLog | None, reporter: Reporter, pool: ThreadPoolExecutor, stop: threading.Event
    ) -> None:
        self.run, self.log, self.reporter, self.pool, self.stop = run, log, reporter, pool, stop
        self.config, self.world = run.config, run.world

    def run_all(self) -> None:
        """The warm start, then PPO."""
        progress, config = self.run.progress, self.config
        to_imitate = not progress.updates and progress.batches < config.imitation.batches
        to_play = progress.updates < config.ppo.updates
        if self.world.leads and not (to_imitate or to_play):
            _LOG.warning("nothing is left to do: the run in %s is finished", self.run.out)
        if to_imitate:
            self._imitate()
        if to_play:
            self._self_play()
        self.run.save()

    def _imitate(self) -> None:
        run, config = self.run, self.config.imitation
        assert run.teacher is not None
        first, end = self.world.share(config.hands)
        workers, episode, deals = self.config.workers, self.config.episode, self.config.deals
        rollout = Rollout(run.rules, end - first, workers, self.pool, episode=episode, deals=deals)
        self._stage("imitation", run.progress.batches, config.batches)
        while run.progress.batches < config.batches:
            batch, clock = run.progress.batches, Clock()
            row = batch * config.hands + first
            data = imitation.demonstrate(run.teacher, rollout, config, self.config.seed, row)
            clock.played()
            seed = (self.config.seed, _IMITATION_SEED, batch)
            needed = self.config.ppo.weight > 0
            metrics = imitation.imitate(run.learner, data, config, batch, run.stake, seed, self.pool, critic=needed)
            metrics |= clock.speeds(len(data))
            run.progress.batches += 1
            if run.progress.batches == config.batches:
                metrics |= self._evaluate()
            self._finish_step(run.progress.batches, data, metrics)

    def _self_play(self) -> None:
        run, config = self.run, self.config.ppo
        first, end = self.world.share(config.hands)
        given = self.config
        rollout = Rollout(run.rules, end - first, given.workers, self.pool, given.advice, given.episode, given.deals)
        if config.magnet and run.learner.magnet is None:
            run.learner.start_magnet()
        self._stage("self-play", run.progress.updates, config.updates)
        while run.progress.updates < config.updates:
            update, clock = run.progress.updates, Clock()
            data = self._play(rollout, update, first)
            clock.played()
            learnt = data if config.weight else data.advised()
            batch, metrics = ppo.assess(run.learner, learnt, config, run.stake, self.pool)
            seed = (self.config.seed, _PPO_SEED, update)
            schedule = ppo.Schedule.at(config, update)
            metrics |= ppo.learn(run.learner, batch, ppo.Terms(config, schedule, self.config.advice), seed, self.pool)
            if config.magnet:
                run.learner.pull_magnet(config.magnet_decay)
            metrics |= clock.speeds(len(learnt)) | table_metrics(data, run.rules)
            run.progress.updates += 1
            every = self.config.evaluation.every
            if run.progress.updates == config.updates or (every and run.progress.updates % every == 0):
                metrics |= self._evaluate()
            self._finish_step(run.progress.updates, learnt, metrics)

    def _stage(self, name: str, done: int, total: int) -> None:
        if self.world.leads:
            self.reporter.stage(name, done, total)

    def _play(self, rollout: Rollout, update: int, first: int) -> Experience:
        """This process's hands of an update, from its hand `first` on."""
        run, config, hands = self.run, self.config.opponents, self.config.ppo.hands
        if update % config.snapshot_every == 0:
            run.league.remember(update, run.learner.actor)
        rng = np.random.default_rng([self.config.seed, _LEAGUE_SEED, update])
        others = run.league.draw(config.per_update, rng)
        rules = run.rules
        seating = seat_strangers(hands, rules.seats, rules.sides, config.share, config.mixed, len(others), rng)
        mine = seating[first : first + rollout.hands]
        row = PPO_FIRST_ROW + update * hands + first
        return ppo.play(run.learner, rollout, mine, others, self.config.seed, row, self.config.ppo.temperature)

    def _evaluate(self) -> Metrics:
        """A duplicate match against the yardstick; the best policy so far is kept. One process plays it."""
        if not self.world.leads:
            return {}
        run, config, began = self.run, self.config.evaluation, time.perf_counter()
        seed = self.config.seed ^ _MATCH_SALT
        policy = PolicyAgent(run.learner.actor, device=str(run.learner.device))
        run.learner.actor.mixed = False  # a saved policy plays in float32
        result = play_match(policy, run.yardstick, run.rules, config.deals, seed)
        mean, (low, high) = result.mean, result.ci95
        metrics = {"evaluation/marks_per_deal": mean, "evaluation/low": float(low), "evaluation/high": float(high)}
        if config.others or config.hands:
            metrics |= self._look_closer(policy, seed)
        run.learner.actor.train()
        run.learner.actor.mixed = self.config.network.mixed
        if run.progress.best is None or mean > run.progress.best:
            run.progress.best = mean
            run.save_best()
        return metrics | {"speed/evaluate": time.perf_counter() - began}

    def _look_closer(self, policy: PolicyAgent, seed: int) -> Metrics:
        """Matches with others and with the best policy so far, and what the policy knows."""
        run, config = self.run, self.config.evaluation
        out: Metrics = {}
        for spec, agent in zip(config.others, run.others, strict=True):
            out[f"against/{spec}"] = play_match(policy, agent, run.rules, config.other_deals, seed).mean
        if (run.out / BEST).exists():
            past = load_policy_agent(run.out / BEST, run.rules, device=str(policy.device))
            out["evaluation/past_self"] = play_match(policy, past, run.rules, config.other_deals, seed).mean
        if config.hands:
            out |= examine(policy, run.rules, config.hands, seed)
        return out

    def _finish_step(self, done: int, data: Experience, metrics: Metrics) -> None:
        run = self.run
        decisions, hands = self.world.total(np.array([len(data), len(data.finals)]))
        run.progress.decisions += int(decisions)
        run.progress.hands += int(hands)
        metrics["progress/hands"] = float(run.progress.hands)
        metrics["speed/decisions"] *= self.world.size
        if self.log is not None:
            self.log.write(metrics, run.progress.decisions)
            self.reporter.step(done, metrics)
        stopped = self.world.any(self.stop.is_set())
        if stopped or done % self.config.checkpoint_every == 0:
            run.save()
        if stopped:
            raise Interrupted(run.out)


class Clock:
    """Seconds spent playing and learning in one step."""

    def __init__(self) -> None:
        self.start = self.middle = time.perf_counter()

    def played(self) -> None:
        """Playing is over, learning begins."""
        self.middle = time.perf_counter()

    def speeds(self, decisions: int) -> Metrics:
        """Decisions per second."""
        end = time.perf_counter()
        return {
            "speed/play": decisions / max(self.middle - self.start, 1e-9),
            "speed/learn": decisions / max(end - self.middle, 1e-9),
            "speed/decisions": decisions / max(end - self.start, 1e-9),
        }
