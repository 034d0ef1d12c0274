"""Training speed beside Stable-Baselines3: our PPO and sb3-contrib's MaskablePPO, in turns, in one process.

    python scripts/compare_sb3.py [--seconds S] [--setups NAME ...]

Measured are decisions with a choice that are learnt from, per second, playing and learning included. Same rules
(n42pa, single hands), same hidden layers (ReLU, actor and critic apart), epochs, minibatch, learning rate and threads;
whole updates, at least one and for about ``--seconds``, each side and repeat. The first update of a side does not
count. Seeds are fixed. Printed are a table (best of the repeats) and, as the last line, everything as JSON.

Where SB3 plays (``--setups``; all four by default):

    batched/random        our `SB3VecEnv`, tables in one compiled loop; the other seats move at random
    batched/self          the same; the other seats are played by the network in training
    make_vec_env/random   SB3's own `make_vec_env`, one environment after the other; the other seats move at random
    make_vec_env/self     the same; the other seats ask the network one decision at a time

``--envs`` says how many tables; by default so many as were fastest: 1,024 batched, 256 single environments.

What differs, and whom it serves:

- An SB3 environment has one learner. Random others cost it nothing but are no self-play; in self-play three of four
  seats' decisions are played and not learnt from. Ours plays all four seats and learns from all of them.
- The environment asks its learner about forced moves too, and SB3 learns from them: about a fifth of its steps. They
  are not counted here; ``steps_per_s`` counts them. In self-play the others' forced moves skip the network.
- Our actor goes without the layers that read each tile of the hand, which SB3 has no counterpart to.
- Our critic sees all hands, both our networks see how tiles rank under the declaration, and the actor learns two more
  heads (belief, forecast). SB3's networks see the plain observation. That is more work for ours.
- SB3 values positions while it plays, ours when it learns: so the split play : learn flatters ours, the total does not.
- Ours keeps actor and critic in threads of their own, one torch thread each; SB3's torch has ``--threads`` threads.
- ``--mixed`` lets ours make its matrix products in bfloat16, as the configuration `standard` does. SB3 has no such
  setting; without the option both compute in float32.
- The early stop by KL is off in ours, as it is in SB3: all epochs are learnt. Ours plays ``--hands`` whole hands an
  update, SB3 ``--rollout`` steps; neither changes how often a decision is learnt from.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Protocol

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

from texas42.agents.base import Decisions
from texas42.agents.choice import choose_actions
from texas42.agents.policy import torch_threads
from texas42.agents.shape import Shape
from texas42.benchmarks import machine
from texas42.commands.common import format_table, positive_number, progress_bar, whole_number
from texas42.envs.adapters.sb3 import SB3VecEnv
from texas42.envs.rules.rules import Rules
from texas42.training.benchmark import _Timing
from texas42.training.config import NetworkConfig, PPOConfig
from texas42.training.learner import Learner
from texas42.training.rollout import Rollout, largest_stake

RULES = "n42pa"
TASK = "texas42:texas42/Texas42-v0"
SETUPS = ("batched/random", "batched/self", "make_vec_env/random", "make_vec_env/self")
TABLES = {"batched": 1024, "make_vec_env": 256}
PACKAGES = ("sb3-contrib", "stable-baselines3", "torch", "numpy", "numba", "gymnasium")
SEED = 0
ENDLESS = 10**6
"""Updates of our schedule, so that its learning rate stands as still as SB3's."""


class Side(Protocol):
    """One of those compared.

    Attributes:
        decisions: learnt from since `start`, forced ones excluded.
        seconds, cpu: wall and CPU seconds since `start`, float64 (2,): playing, learning.
    """

    decisions: int
    seconds: npt.NDArray[np.float64]
    cpu: npt.NDArray[np.float64]

    def start(self) -> None:
        """Count from here."""

    def update(self, number: int) -> None:
        """Play and learn."""


class CurrentPolicy:
    """The network in training, in the other seats: actions drawn from it; forced moves do not reach it."""

    name = "self"

    def __init__(self) -> None:
        self.policy: MaskableActorCriticPolicy | None = None

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,)."""
        masks = decisions.masks
        actions: npt.NDArray[np.int64] = masks.argmax(axis=1).astype(np.int64)
        rows = np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1)
        if len(rows):
            logits = self._logits(decisions.observations[rows])
            actions[rows] = choose_actions(logits, masks[rows], decisions.keys[rows], 1.0)
        return actions

    def _logits(self, observations: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        assert self.policy is not None, "the network comes before the first hand"
        with torch.inference_mode():
            known = torch.from_numpy(observations).float()
            logits: npt.NDArray[np.float32] = self.policy.action_net(
                self.policy.mlp_extractor.forward_actor(known)
            ).numpy()
        return logits

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""


class SB3Timing:
    """MaskablePPO's updates, and seconds spent in their two halves.

    Attributes:
        steps: learner steps since `start`, forced ones too.
    """

    def __init__(self, setup: str, args: argparse.Namespace) -> None:
        vec, others = setup.split("/")
        player = CurrentPolicy() if others == "self" else None
        env = make_env(vec, player or "random", args.envs or TABLES[vec])
        self.model = make_model(args, env)
        if player is not None:
            player.policy = self.model.policy
        _, self.callback = self.model._setup_learn(10**12, None)
        self.start()

    def start(self) -> None:
        """Count from here."""
        self.decisions, self.steps, self.seconds, self.cpu = 0, 0, np.zeros(2), np.zeros(2)

    def update(self, number: int) -> None:
        """One rollout and its epochs."""
        model, buffer = self.model, self.model.rollout_buffer
        assert model.env is not None
        clock = [_now()]
        model.collect_rollouts(model.env, self.callback, buffer, model.n_steps)
        clock.append(_now())
        model.train()
        clock.append(_now())
        spans = np.diff(np.array(clock), axis=0)
        self.seconds += spans[:, 0]
        self.cpu += spans[:, 1]
        masks = buffer.action_masks.reshape(-1, model.action_space.n)  # type: ignore[attr-defined]
        self.decisions += int((masks.sum(axis=1) > 1).sum())
        self.steps += len(masks)


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def make_env(vec: str, others: Any, envs: int) -> VecEnv:
    """`envs` tables, the learner in a seat drawn for each hand, `others` in the rest."""
    kwargs: dict[str, Any] = {"partner": others, "opponents": others, "seat": "random", "mask": "method"}
    if vec == "batched":
        env: VecEnv = SB3VecEnv(gymnasium.make_vec(TASK, envs, rules=RULES, **kwargs))
        env.seed(SEED)
        return env
    kwargs |= {"rules": RULES, "render_mode": None}  # it would ask for pixels
    return make_vec_env(TASK, envs, seed=SEED, env_kwargs=kwargs)


def make_model(args: argparse.Namespace, env: VecEnv) -> MaskablePPO:
    """The learner with the settings of ours, where it has them."""
    ours, hidden = PPOConfig(), [args.width] * args.layers
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=-(-args.rollout // env.num_envs),
        batch_size=args.minibatch,
        n_epochs=args.epochs,
        learning_rate=ours.learning_rate,
        gamma=1.0,
        gae_lambda=ours.gae_lambda,
        clip_range=ours.clip,
        ent_coef=ours.entropy,
        max_grad_norm=ours.max_grad_norm,
        policy_kwargs={"net_arch": {"pi": hidden, "vf": hidden}, "activation_fn": torch.nn.ReLU},
        seed=SEED,
        device="cpu",
    )


@contextmanager
def our_side(args: argparse.Namespace) -> Iterator[Side]:
    """Our updates, timed as `measure_train` times them, but with all their epochs, and to be gone on with in turns."""
    rules, network = Rules.preset(RULES), NetworkConfig(args.width, args.layers, tile_width=0)
    config = PPOConfig(
        updates=ENDLESS, hands=args.hands, epochs=args.epochs, minibatch=args.minibatch, target_kl=0.0
    )
    learner = Learner(Shape.of(rules, network.width, network.layers, network.tile_width), rules, seed=SEED)
    learner.actor.mixed = learner.critic.mixed = args.mixed
    seating = np.zeros((args.hands, rules.seats), np.int64)
    with ThreadPoolExecutor(args.threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        rollout = Rollout(rules, args.hands, args.threads, pool)
        yield _Timing(learner, rollout, seating, config, largest_stake(rules))


def measure(side: Side, seconds: float, first: int) -> tuple[int, dict[str, Any]]:
    """Updates number `first` and following for `seconds`, at least one: the next number, and the window's row."""
    side.start()
    number = first
    while number == first or side.seconds.sum() < seconds:
        side.update(number)
        number += 1
    spent = float(side.seconds.sum())
    row = {
        "decisions": side.decisions,
        "decisions_per_s": side.decisions / spent,
        "decisions_per_cpu_s": side.decisions / float(side.cpu.sum()),
        "play_share": float(side.seconds[0]) / spent,
        "steps_per_s": getattr(side, "steps", side.decisions) / spent,
    }
    return number, row


def compare(args: argparse.Namespace) -> dict[str, Any]:
    """Measure all sides in turns."""
    with our_side(args) as ours, progress_bar((args.repeats + 1) * (1 + len(args.setups)), "measurements") as advance:
        threads = {"texas42": 1, **dict.fromkeys(args.setups, args.threads)}  # ours: of each of its workers
        sides: dict[str, Side] = {"texas42": ours}
        windows: dict[str, list[dict[str, Any]]] = {name: [] for name in threads}
        numbers = dict.fromkeys(threads, 0)
        for repeat in range(args.repeats + 1):
            for name, n in threads.items():
                with torch_threads(n):
                    if name not in sides:
                        sides[name] = SB3Timing(name, args)
                    seconds = args.seconds if repeat else 1e-9  # the first compiles and warms up
                    numbers[name], row = measure(sides[name], seconds, numbers[name])
                windows[name] += [row] if repeat else []
                advance(1)
    return report(args, [summary(name, rows) for name, rows in windows.items()])


def summary(name: str, windows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A side's best and all rates; the share of playing over all windows' mean."""
    row: dict[str, Any] = {"side": name, "decisions": sum(window["decisions"] for window in windows)}
    for key in ("decisions_per_s", "decisions_per_cpu_s", "steps_per_s"):
        rates = [round(window[key], 1) for window in windows]
        row |= {key: max(rates), f"{key}_all": rates}
    return row | {"play_share": round(float(np.mean([window["play_share"] for window in windows])), 3)}


def report(args: argparse.Namespace, sides: list[dict[str, Any]]) -> dict[str, Any]:
    """Everything: settings, sides, ratios of our best to theirs, and the least of these."""
    ours, theirs = sides[0], sides[1:]
    ratios = {
        row["side"]: {key: round(ours[key] / row[key], 2) for key in ("decisions_per_s", "decisions_per_cpu_s")}
        for row in theirs
    }
    return {
        "rules": RULES,
        **{key: value for key, value in vars(args).items() if key not in ("setups", "threads")},
        "envs": {vec: args.envs or tables for vec, tables in TABLES.items()},
        "threads": {"texas42": {"workers": args.threads, "torch": 1}, "sb3": {"torch": args.threads}},
        "sides": sides,
        "ratios": ratios,
        "ratio": min(ratio["decisions_per_s"] for ratio in ratios.values()),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in PACKAGES},
        "machine": machine() | {"load_average": os.getloadavg()[0]},
    }


def table(result: dict[str, Any]) -> str:
    """The best of every side, ours beside theirs."""
    rows = [["", "decisions/s", "per CPU s", "steps/s", "play : learn", "ours is", "per CPU s"]]
    for side in result["sides"]:
        ratio = result["ratios"].get(side["side"], {"decisions_per_s": 1, "decisions_per_cpu_s": 1})
        play = round(100 * side["play_share"])
        rates = [f"{side[key]:,.0f}" for key in ("decisions_per_s", "decisions_per_cpu_s", "steps_per_s")]
        rows.append([side["side"], *rates, f"{play} : {100 - play}", *(f"{value:.2f} ×" for value in ratio.values())])
    return format_table(rows, right=range(1, 7))


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ours = PPOConfig()
    parser.add_argument("--seconds", type=positive_number(), default=6.0, help="of each side and repeat; default 6")
    parser.add_argument("--repeats", type=whole_number(1, 1000), default=3, help="default 3")
    parser.add_argument("--threads", type=whole_number(1, 256), default=2, help="default 2")
    parser.add_argument("--width", type=whole_number(1, 8192), default=256, help="of a hidden layer; default 256")
    parser.add_argument("--layers", type=whole_number(1, 32), default=3, help="hidden layers; default 3")
    parser.add_argument("--epochs", type=whole_number(1, 1000), default=ours.epochs, help=f"default {ours.epochs}")
    text = f"decisions a gradient step; default {ours.minibatch}"
    parser.add_argument("--minibatch", type=whole_number(2, 10**6), default=ours.minibatch, help=text)
    parser.add_argument("--hands", type=whole_number(2, 10**6), default=4096, help="an update of ours; default 4096")
    parser.add_argument("--envs", type=whole_number(1, 10**5), default=None, help="SB3's tables; see above")
    text = "SB3's learner steps an update, of all tables; default 8192"
    parser.add_argument("--rollout", type=whole_number(2, 10**7), default=8192, help=text)
    parser.add_argument("--mixed", action="store_true", help="ours in mixed precision; see above")
    parser.add_argument("--setups", nargs="+", choices=SETUPS, default=list(SETUPS), metavar="NAME", help="see above")
    args = parser.parse_args(argv)
    if args.rollout < args.minibatch:
        parser.error(f"--rollout {args.rollout} is less than --minibatch {args.minibatch}: SB3's would be smaller")
    if args.hands < args.threads:
        parser.error(f"--hands {args.hands} is less than --threads {args.threads}")
    args.setups = list(dict.fromkeys(args.setups))
    return args


def main(argv: list[str] | None = None) -> None:
    """Measure and print."""
    result = compare(parse(argv))
    print(table(result))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
