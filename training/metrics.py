"""What training measures: every name with its meaning, means over minibatches, and the TensorBoard log."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from texas42.envs.engine.state import Batch
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.ladder import MARKS
from texas42.envs.rules.rules import Rules
from texas42.training.rollout import LEARNER, PHASES, Experience

Metrics = dict[str, float]

_BY_PHASE = {
    "policy/entropy": "entropy over legal actions divided by log(their number): 1 uniform, 0 certain",
    "policy/top_probability": "mean probability of the likeliest action",
    "value/explained_variance": "share of the variance of the hand's pay that the critic foresees; 1 perfect",
    "value/advantage_spread": "standard deviation of advantages before normalising, in marks or points",
    "imitation/agreement": "share of decisions in which the likeliest action is the teacher's",
}

METRICS: dict[str, str] = {
    "policy/loss": "PPO's clipped surrogate, negated; its level means little",
    "policy/kl": "KL from the policy that played to the one that learns; target_kl stops an update",
    "policy/clipped": "share of decisions whose probability ratio left 1 ± clip",
    "policy/magnet_kl": "KL from the moving average of the policy's weights, where ppo.magnet is set",
    "policy/advice_loss": "squared distance of the logits from the advice, in units of its temperature",
    "policy/advice": "what the policy's choice gains over an action at random by the advice, marks or hand totals",
    "policy/grad_norm": "the actor's gradient norm before clipping",
    "policy/stopped": "1 if target_kl ended the actor's update early (mean over what is averaged)",
    "value/loss": "half the squared error of the critic, rewards divided by the largest stake",
    "value/error": "mean absolute error of the critic against what the hand paid, in marks or points",
    "value/grad_norm": "the critic's gradient norm before clipping",
    "belief/bits": "surprise of the belief head in bits per tile that another seat holds; lower is better",
    "forecast/bits": "surprise in bits at whether the contract is made, from the declaration on; lower is better",
    "imitation/loss": "cross-entropy with the teacher's action, smoothing included",
    "imitation/grad_norm": "the actor's gradient norm before clipping, in the warm start",
    "schedule/learning_rate": "the actor's learning rate",
    "schedule/entropy": "weight of the entropy bonus",
    "deals/conditioned": "share of tables dealt a hand for a rare contract on purpose",
    "hands/thrown_in": "share of hands in which all passed",
    "hands/forced": "share of contracts bid by the last caller after all others passed",
    "hands/made": "share of contracts made",
    "hands/marks_bid": "share of contracts that are a mark bid",
    "hands/bid": "mean points to take in contracts bid in points",
    "hands/decisions": "decisions with a choice per hand, all seats",
    "hands/bidder_gain": "what the bidder's side gains by a hand, in marks or points",
    "league/gain": "mean reward of the learner's side at tables with strangers, in marks or points",
    "evaluation/marks_per_deal": "duplicate match with the yardstick, played greedily: marks a deal",
    "evaluation/low": "lower end of its 95 % interval",
    "evaluation/high": "upper end of its 95 % interval",
    "evaluation/past_self": "duplicate match with the best policy before this one, marks a deal",
    "examination/belief_bits": "surprise of the belief head in bits per hidden tile, greedy play",
    "examination/uniform_bits": "the same of the exact uniform over the deals that fit what the seat knows",
    "examination/made": "share of contracts made, greedy play of all seats",
    "examination/calibration_error": "mean gap between the forecast that a contract is made and how often it is",
    "examination/brier": "mean squared error of those forecasts",
    "speed/evaluate": "seconds that evaluation took",
    "speed/decisions": "decisions learnt from per second, everything included",
    "speed/play": "decisions per second while playing",
    "speed/learn": "decisions per second while learning",
    "progress/hands": "hands played so far",
    **{f"{name}_{phase}": f"{meaning}; {phase}" for name, meaning in _BY_PHASE.items() for phase in PHASES},
}
"""Every metric and its meaning, as docs/METRICS.md lists them. Beside these: families of `FAMILIES`."""

FAMILIES: dict[str, str] = {
    "bids/seat_N": "share of auctions won by the N-th caller",
    "against/SPEC": "duplicate match with another agent of evaluation.others, marks a deal",
    "called/NAME": "share of contracts whose trump the partner names after this call, such as SPLASH",
    "declared/NAME": "share of contracts declared so, NAME as in the record notation",
}
"""Metrics whose names depend on the rules."""


class Means:
    """Weighted means of what is added under each name."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def add(self, name: str, value: float | torch.Tensor) -> None:
        """Add one number, or every element of a tensor."""
        count = value.numel() if isinstance(value, torch.Tensor) else 1
        if count:
            total = float(value.sum()) if isinstance(value, torch.Tensor) else float(value)
            self._sums[name] = self._sums.get(name, 0.0) + total
            self._counts[name] = self._counts.get(name, 0) + count

    def include(self, other: "Means") -> None:
        """Add all that another has."""
        for name, total in other._sums.items():
            self._sums[name] = self._sums.get(name, 0.0) + total
            self._counts[name] = self._counts.get(name, 0) + other._counts[name]

    def result(self) -> Metrics:
        """The means by name."""
        return {name: total / self._counts[name] for name, total in self._sums.items()}


def table_metrics(experience: Experience, rules: Rules) -> Metrics:
    """How hands went that were not conditioned: at the learner's own tables, and its gain at tables with strangers."""
    plain = ~experience.conditioned
    alone = (experience.seating == LEARNER).all(axis=1)
    own = alone & plain
    own_hands = own[experience.tables]
    decisions = own_hands[experience.hands].sum()
    out: Metrics = {
        "hands/decisions": float(decisions / max(int(own_hands.sum()), 1)),
        "deals/conditioned": float(experience.conditioned.mean()),
    }
    rewards = experience.rewards.reshape(experience.seating.shape)
    if (~alone).any():
        counts = (experience.seating == LEARNER) & (~alone & plain)[:, None]
        out["league/gain"] = float(rewards[counts].mean()) if counts.any() else 0.0
    finals = experience.finals[own_hands]
    if not len(finals):
        return out
    played = finals["made"] >= 0
    out["hands/thrown_in"] = float(1 - played.mean())
    if played.any():
        out |= _contract_metrics(finals[played], experience.gains[own_hands][played], rules)
    return out


def _contract_metrics(finals: Batch, gains: np.ndarray, rules: Rules) -> Metrics:
    codec = build_codec(rules)
    kinds = np.array([row.kind for row in codec.ladder])[finals["call"]]
    needs = np.array([row.need for row in codec.ladder])[finals["call"]]
    in_points = finals["marks"] == 0
    out = {
        "hands/forced": float(finals["last"].mean()),
        "hands/made": float((finals["made"] == 1).mean()),
        "hands/marks_bid": float(((kinds == MARKS) | (finals["marks"] > 0)).mean()),
        "hands/bidder_gain": float(gains[np.arange(len(finals)), finals["bidder"]].mean()),
    }
    if in_points.any():
        out["hands/bid"] = float(needs[in_points].mean())
    caller = (finals["bidder"] - finals["opener"]) % rules.seats
    for number in range(rules.seats):
        out[f"bids/seat_{number + 1}"] = float((caller == number).mean())
    for index, call in enumerate(codec.ladder):
        share = float((finals["special"] == index).mean())
        if index and share:
            out[f"called/{call.name}"] = share
    for index, declaration in enumerate(codec.declarations):
        share = float((finals["decl"] == index).mean())
        if share:
            out[f"declared/{declaration.name}"] = share
    return out


def known_metric(name: str) -> bool:
    """Whether a name is documented."""
    return name in METRICS or name.split("/")[0] in {family.split("/")[0] for family in FAMILIES}


class MetricLog:
    """TensorBoard events of a run; the x-axis is decisions learnt from.

    Args:
        folder: where the events go.
        start: events at or after this step, of a run that was killed, are hidden.
    """

    def __init__(self, folder: Path, start: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(folder), purge_step=start)

    def write(self, metrics: Mapping[str, float], step: int) -> None:
        """Add one point to each curve."""
        for name, value in metrics.items():
            if not known_metric(name):
                raise KeyError(f"metric {name!r} is not documented in METRICS")
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Flush to disk."""
        self._writer.close()
