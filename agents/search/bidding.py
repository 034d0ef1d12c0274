"""Calling and declaring: every choice is played out in the same worlds, and the worse ones drop out of the race."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Try = Callable[[npt.NDArray[np.int64], int, int], Floats]
"""``(actions, first, last)``: what each action gains in worlds ``first .. last``, float64 (actions, last - first)."""

CHUNK = 32
"""Worlds played out between two looks at who is behind."""
BEHIND = 2.5
"""Standard errors of the difference to the leader at which a choice drops out."""
FAITH = 1.0
"""Standard errors by which a choice must beat the favourite."""


def race(favourite: int, actions: list[int], worlds: int, attempt: Try) -> int:
    """The action that gains most on average; the favourite, unless another gains clearly more.

    Args:
        favourite: one of `actions`.
        actions: to choose from.
        worlds: how many there are.
        attempt: plays out.
    """
    gains = np.zeros((len(actions), worlds))
    live = np.arange(len(actions))
    ids = np.array(actions, np.int64)
    seen = 0
    while seen < worlds and len(live) > 1:
        last = min(seen + CHUNK, worlds)
        gains[live, seen:last] = attempt(ids[live], seen, last)
        seen = last
        leads, errors = leads_of(gains[live, :seen])
        live = live[leads <= BEHIND * errors]
    leads, errors = leads_of(gains[live, :seen])
    at = actions.index(favourite)
    if at in live:
        own = int(np.flatnonzero(live == at)[0])
        if leads[own] <= FAITH * errors[own]:
            return favourite
    return actions[int(live[int(np.argmin(leads))])]


def leads_of(gains: Floats) -> tuple[Floats, Floats]:
    """By how much the best row leads each row on average, and the standard error of that, float64 (n,) each."""
    if gains.shape[1] == 0:
        return np.zeros(len(gains)), np.zeros(len(gains))
    behind = gains[int(np.argmax(gains.mean(axis=1)))] - gains
    return behind.mean(axis=1), behind.std(axis=1) / np.sqrt(gains.shape[1])
