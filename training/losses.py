"""The formulas of training, each a small function of tensors or arrays that knows nothing of the game."""

import math

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from texas42.training.distributed import ALONE, World

Float32 = npt.NDArray[np.float32]
Int64 = npt.NDArray[np.int64]


def generalised_advantages(values: Float32, players: Int64, rewards: Float32, decay: float) -> tuple[Float32, Float32]:
    """GAE(λ) without discount over whole hands (Schulman 2016), for decisions of many players in time order.

    A player's decisions form one trajectory; only its last one is followed by a reward.

    Args:
        values: float32 (t,), the critic's value of each decision for the seat that makes it.
        players: int64 (t,), whose decision it is, an index into `rewards`.
        rewards: float32 (players,), what each player is paid at the end.
        decay: λ.

    Returns:
        advantages and value targets (advantage plus value), float32 (t,).
    """
    advantages = np.empty_like(values)
    ahead = rewards.astype(np.float32).copy()  # value of what follows, by player
    running = np.zeros_like(ahead)
    for rows in reversed(_rounds(players)):
        who = players[rows]
        running[who] = ahead[who] - values[rows] + np.float32(decay) * running[who]
        advantages[rows] = running[who]
        ahead[who] = values[rows]
    return advantages, advantages + values


def _rounds(players: Int64) -> list[Int64]:
    """The decisions by their number within their player's trajectory: no player is twice in one round."""
    order = np.argsort(players, kind="stable")
    ordered = players[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.empty(0, np.int64)
    lengths = np.diff(np.r_[starts, len(ordered)])
    number = np.arange(len(ordered)) - np.repeat(starts, lengths)
    by_number = np.argsort(number, kind="stable")
    ends = np.bincount(number).cumsum() if len(number) else np.empty(0, np.int64)
    return [order[by_number[end - size : end]] for end, size in zip(ends, np.diff(np.r_[0, ends]), strict=True)]


def normalised_by_group(values: Float32, groups: Int64, n_groups: int, world: World = ALONE) -> Float32:
    """Each group's values shifted to mean 0 and scaled to standard deviation 1, over all processes.

    A lone value becomes 0.
    """
    out = np.zeros_like(values)
    for group in range(n_groups):
        rows = np.flatnonzero(groups == group)
        chosen = values[rows].astype(np.float64)
        n, total = world.total(np.array([len(rows), chosen.sum()]))
        deviations = chosen - total / max(n, 1)
        spread = math.sqrt(float(world.total(np.square(deviations).sum())) / max(n, 1))
        if n > 1:
            out[rows] = deviations / (spread + 1e-8)
    return out


def masked_log_softmax(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities over the legal entries of the last axis; illegal ones get the lowest finite number.

    Finite, so that products with a probability of zero are zero and not NaN. A row without a legal entry is
    uniform over nothing: all its entries are that lowest number or a constant, with zero gradient.
    """
    lowest = torch.finfo(logits.dtype).min / 4
    return functional.log_softmax(logits.masked_fill(~legal, lowest), dim=-1).clamp_min(lowest)


def normalised_entropy(log_probabilities: Tensor, legal: Tensor) -> Tensor:
    """Entropy divided by log(number of legal actions), (n,): 1 is uniform, 0 certain or forced."""
    entropy = -(log_probabilities.exp() * log_probabilities.masked_fill(~legal, 0.0)).sum(dim=-1)
    return entropy / legal.sum(dim=-1).clamp_min(2).to(entropy.dtype).log()


def clipped_policy_loss(ratio: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """PPO's pessimistic surrogate, (n,) (Schulman 2017, equation 7, negated)."""
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


def approximate_kl(log_ratio: Tensor) -> Tensor:
    """KL(old, new), (n,), from samples of the old policy: (r - 1) - log r, never negative (Schulman 2020)."""
    return log_ratio.exp() - 1 - log_ratio


def kl_divergence(log_probabilities: Tensor, others: Tensor, legal: Tensor) -> Tensor:
    """KL(policy, other), (n,), exactly over the legal actions; both (n, actions)."""
    difference = (log_probabilities - others).masked_fill(~legal, 0.0)
    return (log_probabilities.exp() * difference).sum(dim=-1)


def advice_gain(log_probabilities: Tensor, advice: Tensor) -> Tensor:
    """What the policy's choice gains on average over one of the advised actions at random, (n,).

    All actions count, not the drawn one alone. What they have in common, which is most of the luck of a deal, cancels.

    Args:
        log_probabilities: (n, actions).
        advice: (n, actions), what each action comes to; NaN where that is not known. Rows without are 0.
    """
    known = ~advice.isnan()
    n = known.sum(dim=-1, keepdim=True).clamp_min(1)
    worth = advice.nan_to_num(0.0)
    worth = (worth - worth.sum(dim=-1, keepdim=True) / n).masked_fill(~known, 0.0)
    return (log_probabilities.exp() * worth).sum(dim=-1)


def advice_loss(logits: Tensor, advice: Tensor, temperature: float) -> Tensor:
    """Squared distance of logits times the temperature from the advice, over the temperature, (n,).

    Both are taken from their mean over the advised actions: the luck of a deal is no matter of choice. Unlike the
    gain of a policy, this moves what it is sure of, too.

    Args:
        logits: (n, actions).
        advice: (n, actions), what each action comes to; NaN where that is not known. Rows without are 0.
        temperature: what one unit of a logit is worth, in the unit of the advice.
    """
    known = ~advice.isnan()
    n = known.sum(dim=-1, keepdim=True).clamp_min(1)
    error = (temperature * logits - advice.nan_to_num(0.0)).masked_fill(~known, 0.0)
    error = (error - error.sum(dim=-1, keepdim=True) / n).masked_fill(~known, 0.0)
    return error.square().sum(dim=-1) / n.squeeze(-1) / temperature


def imitation_loss(log_probabilities: Tensor, legal: Tensor, actions: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy with the teacher's action, (n,); `smoothing` of it is spread over legal actions."""
    chosen = log_probabilities.gather(1, actions[:, None]).squeeze(1)
    spread = log_probabilities.masked_fill(~legal, 0.0).sum(dim=1) / legal.sum(dim=1)
    return -(1 - smoothing) * chosen - smoothing * spread


def value_loss(values: Tensor, targets: Tensor) -> Tensor:
    """Half the squared error, (n,)."""
    return 0.5 * (values - targets).square()


def belief_loss(logits: Tensor, may_hold: Tensor, holders: Tensor) -> Tensor:
    """Mean surprise in nats per hidden tile, (n,): who holds it among the seats that may.

    Args:
        logits: (n, seats, tiles).
        may_hold: bool (n, seats, tiles): seats a tile may lie with, from what is public.
        holders: (n, seats, tiles): how many copies of the tile each seat holds.
    """
    log_probabilities = masked_log_softmax(logits.transpose(1, 2), may_hold.transpose(1, 2))
    weights = holders.transpose(1, 2).to(logits.dtype)
    surprise = -(weights * log_probabilities).sum(dim=(1, 2))
    return surprise / weights.sum(dim=(1, 2)).clamp_min(1.0)


def made_loss(logits: Tensor, made: Tensor) -> Tensor:
    """Surprise in nats at whether contracts were made, the mean over rows where that is known, else 0.

    Args:
        logits: (n,).
        made: (n,), 1, 0, or -1 for not known.
    """
    known = (made >= 0).to(logits.dtype)
    surprise = functional.binary_cross_entropy_with_logits(logits, made.clamp_min(0.0), reduction="none")
    return (surprise * known).sum() / known.sum().clamp_min(1.0)


def explained_variance(values: Float32, targets: Float32) -> float:
    """1 - Var(target - value) / Var(target); 1 perfect, 0 no better than the mean, NaN without variance."""
    variance = float(targets.astype(np.float64).var())
    return math.nan if variance == 0 else 1 - float((targets - values).astype(np.float64).var()) / variance
