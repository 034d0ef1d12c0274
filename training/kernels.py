"""Compiled loops of the rollout: forced moves, and what the network reads, written where it is kept."""

from pathlib import Path
from typing import Any

from texas42.agents.kernels import agent_kernels
from texas42.envs.engine.drivers import pay
from texas42.envs.engine.observe import write_hidden, write_observation
from texas42.envs.engine.step import apply, n_legal, nth_legal, write_mask

kernel = agent_kernels("texas42-training", Path(__file__).resolve().parent)


@kernel
def skip_forced(states: Any, t: Any) -> Any:
    """Play every row on until its mover has a choice or the hand is over; returns the forced moves made."""
    forced = 0
    for i in range(len(states)):
        s = states[i]
        while s.done == 0 and n_legal(s, t) == 1:
            apply(s, t, nth_legal(s, t, 0))
            forced += 1
    return forced


@kernel
def observe_rows(states: Any, t: Any, rows: Any, observations: Any, hidden: Any, masks: Any) -> None:
    """Observation, hidden part and mask (int8) of the mover of ``states[rows[i]]`` into rows i."""
    for i in range(len(rows)):
        s = states[rows[i]]
        write_observation(s, t, s.cur, False, observations[i])
        write_hidden(s, t, s.cur, hidden[i])
        write_mask(s, t, s.cur, masks[i])


@kernel
def apply_rows(states: Any, t: Any, rows: Any, actions: Any) -> None:
    """Apply one legal action to the mover of ``states[rows[i]]``."""
    for i in range(len(rows)):
        apply(states[rows[i]], t, actions[i])


@kernel
def final_rewards(states: Any, t: Any, rewards: Any) -> None:
    """What every seat is paid for the hand that is over, float32 (n, seats)."""
    for i in range(len(states)):
        pay(states[i], t, rewards[i])
