"""Train Stable-Baselines3 on Texas 42: MaskablePPO, or plain PPO, against agents that play inside `step`.

    python scripts/train_sb3.py --steps 500000 --out runs/sb3
    texas42 evaluate sb3:runs/sb3/model.zip random --deals 2000
    tensorboard --logdir runs/sb3

``--vec batched`` (default) steps all tables together on the compiled engine; ``--vec dummy`` and ``--vec subproc``
use SB3's own `make_vec_env`. Plain PPO knows no masks: its illegal actions are replaced by random legal ones
(``--illegal replace``, the default with ``--algo ppo``) or end the episode at the price of a mark (``penalise``).
``--collect-only`` measures rollout collection, learning excluded, in learner steps per CPU second.
"""

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from texas42.envs.adapters.sb3 import SB3VecEnv

TASK = "texas42:texas42/Texas42-v0"  # with the module's name, so that worker processes import it
TABLES = {"batched": 256, "dummy": 8, "subproc": 8}


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default=TASK, help="an id")
    parser.add_argument("--partner", default="random", metavar="SPEC")
    parser.add_argument("--opponents", default="random", metavar="SPEC")
    parser.add_argument("--algo", choices=("maskable", "ppo"), default="maskable")
    parser.add_argument("--illegal", choices=("raise", "penalise", "replace"), default=None)
    parser.add_argument("--vec", choices=tuple(TABLES), default="batched")
    parser.add_argument("--tables", type=int, default=None, help="tables side by side; 256 batched, 8 otherwise")
    parser.add_argument("--steps", type=int, default=500_000, help="learner steps")
    parser.add_argument("--evaluations", type=int, default=5, help="evaluations in a run")
    parser.add_argument("--episodes", type=int, default=1000, help="episodes of an evaluation")
    parser.add_argument("--rollout", type=int, default=8192, help="learner steps between updates, of all tables")
    parser.add_argument("--width", type=int, default=256, help="units of the two hidden layers")
    parser.add_argument("--threads", type=int, default=1, help="of torch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/sb3"))
    parser.add_argument("--collect-only", action="store_true")
    args = parser.parse_args(argv)
    args.tables = args.tables or TABLES[args.vec]
    args.illegal = args.illegal or ("raise" if args.algo == "maskable" else "replace")
    return args


def make_env(args: argparse.Namespace, vec: str, tables: int, seed: int) -> VecEnv:
    """The training or the evaluation environment; observations are flat, masks come by method."""
    kwargs: dict[str, Any] = {
        "partner": args.partner,
        "opponents": args.opponents,
        "illegal": args.illegal,
        "mask": "method",
    }
    if vec == "batched":
        env: VecEnv = SB3VecEnv(gymnasium.make_vec(args.task, tables, **kwargs))
        env.seed(seed)
        return env
    kinds: dict[str, Any] = {"dummy": DummyVecEnv, "subproc": SubprocVecEnv}
    kwargs["render_mode"] = None  # it would ask for pixels
    return make_vec_env(args.task, tables, seed=seed, env_kwargs=kwargs, vec_env_cls=kinds[vec])


def make_model(args: argparse.Namespace, env: VecEnv) -> PPO | MaskablePPO:
    """The learner: episodes are short and paid at their end, so nothing is discounted."""
    kind = MaskablePPO if args.algo == "maskable" else PPO
    return kind(
        "MlpPolicy",
        env,
        n_steps=max(1, args.rollout // args.tables),
        batch_size=min(1024, args.rollout),
        n_epochs=4,
        gamma=1.0,
        learning_rate=3e-4,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [args.width, args.width]},
        tensorboard_log=str(args.out),
        seed=args.seed,
        device="cpu",
    )


def evaluation(args: argparse.Namespace) -> BaseCallback:
    """Greedy play at fresh tables, masked where the algorithm is; the curve goes to TensorBoard."""
    kind: Any = MaskableEvalCallback if args.algo == "maskable" else EvalCallback
    callback: BaseCallback = kind(
        make_env(args, "batched", 64, args.seed + 1),
        n_eval_episodes=args.episodes,
        eval_freq=max(1, args.steps // args.tables // args.evaluations),
        deterministic=True,
        verbose=1,
    )
    return callback


def train(args: argparse.Namespace) -> Path:
    """Train, save, return the file that ``sb3:PATH`` takes."""
    env = make_env(args, args.vec, args.tables, args.seed)
    model = make_model(args, env)
    model.learn(args.steps, callback=evaluation(args), tb_log_name="train", progress_bar=False)
    path = Path(args.out) / "model.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)
    return path


def collect(args: argparse.Namespace) -> dict[str, Any]:
    """Learner steps per CPU second of collecting rollouts, worker processes included: the best of five."""
    env = make_env(args, args.vec, args.tables, args.seed)
    model = make_model(args, env)
    _, callback = model._setup_learn(10**9, None)
    rates = []
    for _ in range(6):  # the first warms up
        start = _cpu_seconds()
        model.collect_rollouts(env, callback, model.rollout_buffer, model.n_steps)
        rates.append(model.n_steps * args.tables / (_cpu_seconds() - start))
    env.close()
    what = {"vec": args.vec, "tables": args.tables, "algo": args.algo, "width": args.width}
    return {**what, "steps_per_cpu_s": round(max(rates[1:])), "all": [round(rate) for rate in rates[1:]]}


def _cpu_seconds() -> float:
    """CPU seconds of this process and of all its living descendants (Linux)."""
    total, pending = time.process_time(), _children(os.getpid())
    while pending:
        child = pending.pop()
        fields = Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        pending += _children(child)
    return total


def _children(process: int) -> list[int]:
    return [int(text) for text in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def main(argv: list[str] | None = None) -> None:
    """Run."""
    args = parse(argv)
    torch.set_num_threads(args.threads)
    if args.collect_only:
        print(json.dumps(collect(args)))
        return
    path = train(args)
    print(f"saved {path}; play it with: texas42 evaluate sb3:{path} random")


if __name__ == "__main__":
    main()
