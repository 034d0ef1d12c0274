"""Train a policy. A run's folder gets checkpoints, its configuration and TensorBoard events; Ctrl-C saves."""

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from tqdm import tqdm

from texas42.commands.common import CommandError, as_command_error, is_terminal

if TYPE_CHECKING:
    from texas42.training.config import TrainConfig
    from texas42.training.metrics import Metrics

HELP = "train a policy by imitation and self-play"
EXAMPLES = """examples:
  texas42 train --config quick --out runs/mine
  texas42 train --config quick --show                     every value; docs/TRAINING.md explains them
  texas42 train --config quick --set rules=open --set ppo.updates=30 --out runs/open
  texas42 train --resume --out runs/mine                  after Ctrl-C, a crash or a kill
  torchrun --nproc-per-node 2 -m texas42 train --config quick --out runs/two
  texas42 evaluate checkpoint:runs/mine/best.safetensors heuristic
"""
_LOG = logging.getLogger("texas42")
_DEVICE = "network.device"
"""What may change when a run is resumed."""
_SHOWN = {
    "evaluation/marks_per_deal": "marks/deal",
    "imitation/agreement_auction": "agrees auction",
    "imitation/agreement_play": "play",
    "value/explained_variance_play": "explained",
    "policy/entropy_auction": "entropy auction",
    "policy/entropy_play": "play",
    "policy/kl": "kl",
    "hands/thrown_in": "thrown in",
    "hands/made": "made",
    "belief/bits": "belief bits",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--config", metavar="NAME|PATH", help="a configuration of the package, such as quick, or a YAML file"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="A.B=VALUE",
        help="change one value of the configuration, as in --set ppo.updates=50",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run's folder (default runs/NAME)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out, exactly")
    parser.add_argument("--seed", type=int, metavar="S", help="the same as --set seed=S")
    parser.add_argument(
        "--show", action="store_true", help="print the whole configuration, every value --set can change, and end"
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES


def run(args: argparse.Namespace) -> int:
    """Train; returns the exit code."""
    if args.show:
        return _show(args)
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        raise CommandError("training needs torch; in the clone: pip install '.[train]'") from error
    from texas42.agents.checkpoint import CheckpointError
    from texas42.training.config import ConfigError
    from texas42.training.distributed import LostProcessError
    from texas42.training.trainer import Interrupted, RunError, train

    with as_command_error(ConfigError, RunError, CheckpointError, LostProcessError):
        config, out = _config_and_folder(args)
        try:
            finished = train(config, out, make_reporter(), resume=args.resume)
        except Interrupted as stop:
            sys.stderr.write(f"{stop}; go on with: texas42 train --resume --out {stop.out}\n")
            return 130
    if not finished.world.leads:
        return 0
    best = finished.progress.best
    print(f"trained on {finished.progress.decisions:,} decisions of {finished.progress.hands:,} hands")
    print(f"checkpoints  {out / 'best.safetensors'}  {out / 'last.safetensors'}")
    print(f"curves       tensorboard --logdir {out / 'tensorboard'}")
    if best is not None:
        match = config.evaluation
        print(f"best         {best:+.3f} a deal against {match.opponent} in {match.deals} deals")
    return 0


def _config_and_folder(args: argparse.Namespace) -> "tuple[TrainConfig, Path]":
    from texas42.training.config import load_config, with_overrides
    from texas42.training.trainer import saved_config

    overrides = _overrides(args)
    if args.config is None and not args.resume:
        raise CommandError("give --config NAME|PATH, or --resume with --out DIR")
    if args.config is None and args.out is None:
        raise CommandError("--resume needs the run's folder: --out DIR, or the --config it was started with")
    out: Path = args.out or Path("runs") / Path(args.config).stem
    if not args.resume:
        return load_config(args.config, overrides), out
    config = saved_config(out)
    if args.config is None and overrides and all(text.partition("=")[0].strip() == _DEVICE for text in overrides):
        return with_overrides(config, overrides), out
    if args.config is not None or overrides:
        wanted = load_config(args.config, overrides) if args.config else None
        if wanted != config:
            raise CommandError(
                f"the run in {out} was started with another configuration, {out / 'config.yaml'};"
                f" resume it without --config, --seed and --set ({_DEVICE} alone may change), or start another run with"
                f" another --out, from where this one is with --set start={out / 'last.safetensors'}"
            )
    return config, out


def _show(args: argparse.Namespace) -> int:
    """Print the configuration the arguments ask for."""
    from texas42.training.config import ConfigError, load_config

    if args.config is None:
        raise CommandError("--show needs --config NAME|PATH")
    with as_command_error(ConfigError):
        config = load_config(args.config, _overrides(args))
    print(yaml.safe_dump(config.to_dict(), sort_keys=False), end="")
    return 0


def _overrides(args: argparse.Namespace) -> list[str]:
    return [*args.overrides, *([f"seed={args.seed}"] if args.seed is not None else [])]


def make_reporter() -> "LineReporter | BarReporter":
    """A progress bar on a terminal, lines otherwise."""
    return BarReporter() if is_terminal() else LineReporter()


def shown(metrics: "Metrics") -> str:
    """The few metrics worth a glance."""
    return "  ".join(f"{label} {metrics[name]:.3g}" for name, label in _SHOWN.items() if name in metrics)


class LineReporter:
    """One log line every few steps."""

    def __init__(self, lines: int = 20) -> None:
        self.name, self.total, self.lines = "", 0, lines

    def stage(self, name: str, done: int, total: int) -> None:
        """A stage begins."""
        self.name, self.total = name, total
        _LOG.info("%s: %d of %d steps done", name, done, total)

    def step(self, done: int, metrics: "Metrics") -> None:
        """A step is done."""
        every = max(1, self.total // self.lines)
        if done % every == 0 or done == self.total or "evaluation/marks_per_deal" in metrics:
            speed = metrics.get("speed/decisions", 0.0)
            _LOG.info("%s %d/%d  %.0f decisions/s  %s", self.name, done, self.total, speed, shown(metrics))


class BarReporter:
    """A progress bar for every stage, the latest evaluation beside it."""

    def __init__(self) -> None:
        self.bar: tqdm[Any] | None = None
        self.evaluation: dict[str, float] = {}

    def stage(self, name: str, done: int, total: int) -> None:
        """A stage begins."""
        if self.bar is not None:
            self.bar.close()
        self.bar = tqdm(total=total, initial=done, desc=name, dynamic_ncols=True)

    def step(self, done: int, metrics: "Metrics") -> None:
        """A step is done."""
        if self.bar is None:
            return
        self.evaluation |= {k: v for k, v in metrics.items() if k == "evaluation/marks_per_deal"}
        self.bar.set_postfix_str(shown(metrics | self.evaluation), refresh=False)
        self.bar.update(done - self.bar.n)
        if done == self.bar.total:
            self.bar.close()
