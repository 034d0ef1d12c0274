"""The configuration of a training run: typed, strict, read from YAML; every default is written here once."""

import dataclasses
import difflib
import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from types import UnionType
from typing import Any

from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.reading import ReadingError, read_yaml, shown
from texas42.envs.rules.rules import Rules, resolve_rules

EPISODES = ("hand", "game")
"""What a trajectory may be: see `TrainConfig.episode`."""
OPTIMISERS = ("adam", "muon")
DEAL_KINDS = ("doubles", "low", "sevens")
"""Hands for rare contracts: see `deals.conditions`."""


class ConfigError(ValueError):
    """A configuration that is malformed; the message names the key, the value and what is allowed."""


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes of actor and critic.

    Attributes:
        width: units of a hidden layer.
        layers: hidden layers.
        tile_width: units of the layers that read each tile of the hand; 0: none, nor any that read it under every
            declaration.
        mixed: train in mixed precision: matrix products in bfloat16, which is faster where the processor has it.
        device: where the networks play and learn: ``cpu``, ``cuda`` or ``cuda:N``; under torchrun each process has a
            GPU of its own, whatever N. A run may go on on another device, but not with the same bytes.
    """

    width: int = 256
    layers: int = 3
    tile_width: int = 64
    mixed: bool = False
    device: str = "cpu"

    def __post_init__(self) -> None:
        _within("network.width", self.width, 1, 8192)
        _within("network.layers", self.layers, 1, 32)
        _within("network.tile_width", self.tile_width, 0, 8192)
        if not re.fullmatch(r"cpu|cuda(:\d{1,3})?", self.device):
            raise ConfigError(f"network.device={shown(self.device)} is not allowed; allowed: cpu, cuda, cuda:N")


@dataclass(frozen=True)
class ImitationConfig:
    """The warm start: learn the teacher's choices, the value of its hands and where the tiles lie.

    Attributes:
        teacher: the agent to imitate (a spec).
        batches: how many batches of hands; 0 leaves the warm start out.
        hands: hands a batch; with ``episode: game`` games.
        explore: in half of them, the share of moves made at random, so that strange positions are met.
        minibatch: decisions a gradient step.
        learning_rate: falls linearly to a tenth.
        smoothing: share of the target spread over all legal actions, so that the policy stays able to learn.
    """

    teacher: str = "heuristic"
    batches: int = 60
    hands: int = 4096
    explore: float = 0.15
    minibatch: int = 1024
    learning_rate: float = 1e-3
    smoothing: float = 0.05

    def __post_init__(self) -> None:
        _within("imitation.batches", self.batches, 0, 10**6)
        _within("imitation.hands", self.hands, 2, 10**6)
        _within("imitation.explore", self.explore, 0, 1)
        _within("imitation.minibatch", self.minibatch, 1, 10**7)
        _within("imitation.learning_rate", self.learning_rate, 0, 1)
        _within("imitation.smoothing", self.smoothing, 0, 1)


@dataclass(frozen=True)
class AdviceConfig:
    """What every choice comes to with the true hands (`training/advice.py`), in self-play; four-player double-six only.

    Attributes:
        share: share of the hands in which it is worked out.
        late: share of the hands in which it is worked out from the third trick on, where that costs a tenth.
        calls: share of the hands in which it is worked out for calls, which are few and whose advice varies most.
        weight: of the loss that makes logits, times the temperature, what choices come to; 0: none.
        gain: weight of the loss that raises what the policy's choices come to on average; it decides between actions
            where the network cannot tell what each comes to.
        temperature: marks or hand totals that are worth one unit of a logit.
    """

    share: float = 0.0
    late: float = 0.0
    calls: float = 0.0
    weight: float = 1.0
    gain: float = 0.0
    temperature: float = 0.05

    def __post_init__(self) -> None:
        _within("advice.share", self.share, 0, 1)
        _within("advice.late", self.late, 0, 1)
        _within("advice.calls", self.calls, 0, 1)
        _within("advice.weight", self.weight, 0, 100)
        _within("advice.gain", self.gain, 0, 1000)
        _within("advice.temperature", self.temperature, 0.001, 10)

    @property
    def is_asked(self) -> bool:
        """Whether there is any."""
        return max(self.share, self.late, self.calls) > 0


@dataclass(frozen=True)
class DealsConfig:
    """Deals in which some seat holds a hand for a rare contract (`training/deals.py`); matches are of plain deals.

    Attributes:
        share: share of the tables with such a deal, in the warm start too; with ``episode: game`` a game's first one.
        kinds: which hands, each as often as it stands here: ``doubles`` for splash and plunge, ``low`` for nello,
            ``sevens``; none: ``doubles``, and the others where the rules have the contract.
    """

    share: float = 0.0
    kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _within("deals.share", self.share, 0, 1)

    def used_kinds(self, rules: Rules) -> tuple[str, ...]:
        """The kinds under some rules.

        Raises:
            ConfigError: a kind is unknown, or for a contract that these rules do not have.
        """
        switches = {"doubles": "on", "low": rules.nello, "sevens": rules.sevens}
        allowed = tuple(kind for kind in DEAL_KINDS if switches[kind] != "off")
        for kind in self.kinds:
            if kind not in allowed:
                why = " under these rules, which have no such contract" if kind in DEAL_KINDS else ""
                raise ConfigError(f"deals.kinds={shown(kind)} is not allowed{why}; allowed: {', '.join(allowed)}")
        return self.kinds or allowed


@dataclass(frozen=True)
class OpponentsConfig:
    """Who else sits at some of the tables.

    Attributes:
        share: share of the tables at which one team is played by strangers.
        mixed: of these, the share at which a single seat is a stranger's, who is then the policy's partner.
        agents: specs of fixed strangers; each counts as much as one past self.
        snapshot_every: updates between two past selves.
        keep: past selves kept; of the older ones every other is dropped first.
        per_update: how many different strangers are drawn for an update, uniformly.
    """

    share: float = 0.25
    mixed: float = 0.0
    agents: tuple[str, ...] = ("heuristic",)
    snapshot_every: int = 10
    keep: int = 8
    per_update: int = 2

    def __post_init__(self) -> None:
        _within("opponents.share", self.share, 0, 1)
        _within("opponents.mixed", self.mixed, 0, 1)
        _within("opponents.snapshot_every", self.snapshot_every, 1, 10**6)
        _within("opponents.keep", self.keep, 0, 1000)
        _within("opponents.per_update", self.per_update, 1, 64)


@dataclass(frozen=True)
class PPOConfig:
    """Self-play with proximal policy optimisation.

    Attributes:
        updates: how many; the schedules run over them.
        hands: whole hands an update, all seats together; with ``episode: game`` whole games, several times as long.
        weight: of the clipped loss itself; 0 leaves the critic out, which then learns nothing.
        temperature: by which logits are divided in drawing actions; another than 1 needs a weight of 0, as the loss
            takes actions for the policy's own.
        epochs, minibatch: passes over an update's decisions, decisions a gradient step.
        learning_rate, final_learning_rate: falls linearly.
        critic_learning_rate: as far as the actor's falls, this one falls.
        clip: of the probability ratio.
        gae_lambda: λ of generalised advantages over a seat's own decisions.
        entropy, final_entropy: weight of the normalised entropy, linearly from one to the other.
        belief, forecast: weights of the losses of the heads that say who holds the unseen tiles, and whether the
            contract is made.
        magnet, magnet_decay: weight of the KL from a moving average of the policy's own weights, and the share of
            that average that stays from one update to the next; a weight of 0 leaves it out.
        target_kl: an epoch in which a minibatch's KL passes this ends the actor's update; 0: never.
        max_grad_norm: of the actor's and of the critic's gradient, each for itself.
    """

    updates: int = 100
    hands: int = 4096
    weight: float = 1.0
    temperature: float = 1.0
    epochs: int = 2
    minibatch: int = 2048
    learning_rate: float = 3e-4
    final_learning_rate: float = 3e-5
    critic_learning_rate: float = 5e-4
    clip: float = 0.1
    gae_lambda: float = 0.9
    entropy: float = 0.02
    final_entropy: float = 0.005
    belief: float = 0.1
    forecast: float = 0.1
    magnet: float = 0.0
    magnet_decay: float = 0.95
    target_kl: float = 0.03
    max_grad_norm: float = 0.5

    def __post_init__(self) -> None:
        _within("ppo.updates", self.updates, 0, 10**7)
        _within("ppo.hands", self.hands, 2, 10**7)
        _within("ppo.temperature", self.temperature, 0.001, 100)
        _within("ppo.epochs", self.epochs, 1, 1000)
        _within("ppo.minibatch", self.minibatch, 1, 10**7)
        for name in ("learning_rate", "final_learning_rate", "critic_learning_rate", "clip", "gae_lambda"):
            _within(f"ppo.{name}", getattr(self, name), 0, 1)
        _within("ppo.magnet_decay", self.magnet_decay, 0, 1)
        for name in ("weight", "entropy", "final_entropy", "belief", "forecast", "magnet", "target_kl"):
            _within(f"ppo.{name}", getattr(self, name), 0, 100)
        _within("ppo.max_grad_norm", self.max_grad_norm, 1e-9, 1e9)
        if self.weight and self.temperature != 1:
            raise ConfigError(
                f"ppo.temperature={self.temperature} is not allowed with ppo.weight={self.weight}: the clipped loss"
                " takes the actions for the policy's own; allowed: 1, or a weight of 0"
            )


@dataclass(frozen=True)
class EvaluationConfig:
    """Matches during training; they choose the best checkpoint and never feed learning.

    Attributes:
        every: updates between two matches; 0: only at the end.
        deals: duplicate deals a match.
        opponent: the yardstick (a spec).
        others: specs of further agents that are met in `other_deals` deals each, for the curves alone.
        other_deals: deals of each of those matches, and of that with the best policy so far.
        hands: played by the policy in all seats to look into its beliefs and forecasts; 0: none.
    """

    every: int = 20
    deals: int = 1000
    opponent: str = "heuristic"
    others: tuple[str, ...] = ()
    other_deals: int = 200
    hands: int = 0

    def __post_init__(self) -> None:
        _within("evaluation.every", self.every, 0, 10**7)
        _within("evaluation.deals", self.deals, 1, 10**7)
        _within("evaluation.other_deals", self.other_deals, 1, 10**7)
        _within("evaluation.hands", self.hands, 0, 10**7)


@dataclass(frozen=True)
class TrainConfig:
    """A training run.

    Attributes:
        rules: a preset's name, or a mapping with ``preset`` and overrides.
        episode: ``hand``: what a seat does in a hand is one trajectory, paid by the hand's score. ``game``: what it
            does in a whole game is, paid 1 for winning and -1 for losing it, so that bids may depend on the score;
            matches are of hands all the same.
        start: a checkpoint of the same game whose networks the run starts with, instead of random ones.
        seed: of weights, deals, play and shuffles: two runs of one configuration end with the same bytes.
        optimiser: ``adam``, or ``muon`` for the matrices of hidden layers (`training/optimiser.py`), which learns
            more from the same decisions where choices are regressed on advice.
        workers: threads that play and learn side by side. Part of the configuration, because the games are
            split among them.
        checkpoint_every: batches or updates between two saves; a killed run loses at most so much.
    """

    rules: str | dict[str, Any] = "n42pa"
    episode: str = "hand"
    start: str | None = None
    seed: int = 1
    optimiser: str = "adam"
    workers: int = 2
    checkpoint_every: int = 10
    network: NetworkConfig = field(default_factory=NetworkConfig)
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)
    advice: AdviceConfig = field(default_factory=AdviceConfig)
    deals: DealsConfig = field(default_factory=DealsConfig)
    opponents: OpponentsConfig = field(default_factory=OpponentsConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    def __post_init__(self) -> None:
        _within("seed", self.seed, 0, 2**62)
        if self.optimiser not in OPTIMISERS:
            raise ConfigError(f"optimiser={shown(self.optimiser)} is not allowed; allowed: {', '.join(OPTIMISERS)}")
        _within("workers", self.workers, 1, 256)
        _within("checkpoint_every", self.checkpoint_every, 1, 10**7)
        _check_episode(self.episode, self.resolved_rules)
        self.deals.used_kinds(self.resolved_rules)
        told = self.advice.is_asked and (self.advice.weight or self.advice.gain)
        if self.ppo.updates and not self.ppo.weight and not told:
            raise ConfigError(
                f"ppo.weight=0 with advice.share={self.advice.share:g}, late={self.advice.late:g},"
                f" calls={self.advice.calls:g}, weight={self.advice.weight:g}, gain={self.advice.gain:g} leaves nothing"
                " to learn from; allowed: one of ppo.weight and advice"
            )

    @property
    def resolved_rules(self) -> Rules:
        """The rules.

        Raises:
            ConfigError: they are none.
        """
        try:
            return resolve_rules(self.rules)
        except RulesError as error:
            raise ConfigError(f"rules: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back."""
        return typing.cast(dict[str, Any], _plain(dataclasses.asdict(self)))

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "TrainConfig":
        """A configuration from nested mappings; what is not given keeps its default.

        Raises:
            ConfigError: unknown key, wrong type, or a value out of range.
        """
        return typing.cast(TrainConfig, _build(TrainConfig, data, ""))


def load_config(name_or_path: str, overrides: Sequence[str] = ()) -> TrainConfig:
    """A configuration of `configs/` by name, or of a YAML file, with ``a.b=value`` overrides.

    Raises:
        ConfigError: no such configuration, not YAML, or what `TrainConfig.from_dict` refuses.
    """
    text, where = _read(name_or_path)
    try:
        data = read_yaml(text)
    except ReadingError as error:
        raise ConfigError(f"{where}: {error}") from error
    data = {} if data is None else data
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: must be a mapping of keys to values, not {shown(data)}")
    for override in overrides:
        _override(data, override)
    try:
        return TrainConfig.from_dict(data)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


def with_overrides(config: TrainConfig, overrides: Sequence[str]) -> TrainConfig:
    """A configuration with ``a.b=value`` overrides.

    Raises:
        ConfigError: what `load_config` refuses.
    """
    data = config.to_dict()
    for override in overrides:
        _override(data, override)
    return TrainConfig.from_dict(data)


def config_names() -> list[str]:
    """Names of the configurations that come with the package."""
    files = resources.files("texas42.configs").iterdir()
    return sorted(f.name.removesuffix(".yaml") for f in files if f.name.endswith(".yaml"))


def _read(name_or_path: str) -> tuple[str, str]:
    names = config_names()
    if name_or_path in names:
        return resources.files("texas42.configs").joinpath(f"{name_or_path}.yaml").read_text("utf-8"), name_or_path
    path = Path(name_or_path)
    if not path.is_file():
        known = f"{_nearest(name_or_path, names)}; names: {', '.join(names)}; or the path of a YAML file"
        raise ConfigError(f"no configuration {name_or_path!r}{known}")
    try:
        return path.read_text("utf-8"), name_or_path
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read configuration {name_or_path}: {error}") from error


def _override(data: dict[str, Any], text: str) -> None:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {shown(text)}: write KEY=VALUE, as in --set ppo.updates=50")
    *path, last = key.strip().split(".")
    for part in path:
        inner = data.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"--set {shown(text)}: {part!r} is {shown(inner)} and has no keys of its own")
        data = inner
    try:
        data[last] = read_yaml(value)
    except ReadingError as error:
        raise ConfigError(f"--set {shown(text)}: {shown(value)} is not a YAML value") from error


def _build(kind: Any, data: Any, where: str) -> Any:
    """A dataclass from a mapping; `where` is the key it stands under."""
    if not isinstance(data, Mapping):
        raise ConfigError(f"{where or 'configuration'} must be a mapping of keys to values, not {shown(data)}")
    hints = typing.get_type_hints(kind)
    values = {}
    for key, value in data.items():
        name = f"{where}.{key}" if where else str(key)
        if key not in hints:
            keys = [f"{where}.{hint}" if where else hint for hint in hints]
            raise ConfigError(f"unknown key {shown(name)}{_nearest(name, keys)}; keys: {', '.join(keys)}")
        values[key] = _convert(hints[key], value, name)
    return kind(**values)


def _convert(hint: Any, value: Any, name: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return _build(hint, value, name)
    if typing.get_origin(hint) is tuple:
        if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise ConfigError(f"{name}={shown(value)} must be a list of texts")
    if hint is float and type(value) is int:
        return float(value)
    kinds = [typing.get_origin(k) or k for k in (typing.get_args(hint) if isinstance(hint, UnionType) else (hint,))]
    if type(value) not in kinds:
        raise ConfigError(f"{name}={shown(value)} must be {' or '.join(_WORDS[kind] for kind in kinds)}")
    return value


_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", dict: "a mapping"}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _check_episode(episode: str, rules: Rules) -> None:
    if episode not in EPISODES:
        raise ConfigError(f"episode={shown(episode)} is not allowed; allowed: {', '.join(EPISODES)}")
    if episode == "game" and (rules.scoring == "signed_points" or rules.set_award_solo == "bidder_loses"):
        raise ConfigError(
            "episode='game' is not allowed where bidders who are set lose what they have: among players who have yet to"
            " learn, such games do not end; allowed: hand"
        )


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # NaN too
        raise ConfigError(f"{name}={shown(value)} is not allowed; allowed: {low} to {high}")


def _nearest(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
