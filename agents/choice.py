"""From logits and legal actions to actions, in numpy: drawn by a decision's key, or the best."""

import numpy as np
import numpy.typing as npt

BLOCK = 128
"""Rows of one run of a network; smaller batches are padded, so that a row's logits do not change with its batch."""

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


def uniforms(keys: Keys) -> Float64:
    """A number in [0, 1) for every key (splitmix64's finaliser, upper 53 bits)."""
    x = keys + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return np.asarray((x >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def sample_actions(logits: Float32, masks: Int8, keys: Keys) -> tuple[Int64, Float32]:
    """One legal action a row, drawn from the softmax over its legal actions by its key.

    Args:
        logits: float32 (n, actions).
        masks: int8 0/1 (n, actions), at least one legal action a row.
        keys: uint64 (n,).

    Returns:
        actions int64 (n,) and their log-probabilities float32 (n,).
    """
    legal = masks.astype(bool)
    scores = np.where(legal, logits, -np.inf).astype(np.float64)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    cumulated = weights.cumsum(axis=1)
    total = cumulated[:, -1]
    drawn = (cumulated <= (uniforms(keys) * total)[:, None]).sum(axis=1)
    last = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)  # rounding up to the total would overshoot
    actions = np.minimum(drawn, last).astype(np.int64)
    chosen = np.take_along_axis(weights, actions[:, None], axis=1)[:, 0]
    tiny = np.finfo(np.float64).tiny
    return actions, np.log(np.maximum(chosen, tiny) / total).astype(np.float32)


def best_actions(logits: Float32, masks: Int8) -> Int64:
    """The legal action with the highest logit in every row, the lowest id among equals, int64 (n,)."""
    best: Int64 = np.where(masks.astype(bool), logits, -np.inf).argmax(axis=1).astype(np.int64)
    return best


def choose_actions(logits: Float32, masks: Int8, keys: Keys, temperature: float) -> Int64:
    """One legal action a row, int64 (n,): the best at temperature 0, else drawn by the row's key."""
    if temperature == 0:
        return best_actions(logits, masks)
    return sample_actions(logits / np.float32(temperature), masks, keys)[0]
