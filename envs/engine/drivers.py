"""Loops of kernels over a batch: what Python calls. Arrays are C-contiguous; rows are independent."""

from typing import Any

from texas42.envs.engine.bits import ONE, combine, stream
from texas42.envs.engine.deal import start_episode
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.observe import blank_hidden, write_hidden, write_observation
from texas42.envs.engine.step import apply, is_legal, random_legal, write_mask


@kernel
def start_batch(states: Any, t: Any, seed: Any, first_row: Any, episode: Any, whole_game: Any) -> None:
    """Episode `episode` of rows ``first_row, first_row + 1, ...``."""
    for i in range(len(states)):
        start_episode(states[i], t, seed, first_row + i, episode, whole_game)


@kernel
def next_episode(s: Any, t: Any) -> None:
    """The next episode of a row."""
    start_episode(s, t, s.seed, s.row, s.episode + ONE, s.whole_game)


@kernel
def next_batch(states: Any, t: Any) -> None:
    """Every row's next episode."""
    for i in range(len(states)):
        next_episode(states[i], t)


@kernel
def pay(s: Any, t: Any, out: Any) -> None:
    """Rewards of the hand that just ended: per seat its side's change minus the mean of the other sides'."""
    total = 0
    for side in range(t.n_sides):
        total += s.delta[side]
    for seat in range(t.n_seats):
        mine = s.delta[seat % t.n_sides]
        out[seat] = mine - (total - mine) / (t.n_sides - 1)


@kernel
def step_and_pay(states: Any, t: Any, actions: Any, rewards: Any, ended: Any, auto_reset: Any) -> None:
    """Apply one legal action to every row in progress, pay ended hands, start new episodes if told."""
    for i in range(len(states)):
        s = states[i]
        if s.done != 0:
            continue
        apply(s, t, actions[i])
        if s.hand_over == 1:
            pay(s, t, rewards[i])
        if s.done != 0:
            ended[i] = True
            if auto_reset:
                next_episode(s, t)


@kernel
def first_illegal(states: Any, t: Any, actions: Any) -> Any:
    """The first row in progress whose action is not legal, -1 if there is none."""
    for i in range(len(states)):
        if states[i].done == 0 and not is_legal(states[i], t, actions[i]):
            return i
    return -1


@kernel
def step_batch(states: Any, t: Any, actions: Any) -> None:
    """Apply one legal action to every row; finished rows stay as they are."""
    for i in range(len(states)):
        if states[i].done == 0:
            apply(states[i], t, actions[i])


@kernel
def choose_random(states: Any, t: Any, keys: Any, out: Any) -> None:
    """A uniformly random legal action for every row, from its key alone."""
    for i in range(len(states)):
        out[i] = random_legal(states[i], t, stream(keys[i], 0))


@kernel
def rollout_random(states: Any, t: Any, n_steps: Any, key: Any) -> Any:
    """`n_steps` random legal actions in every row, starting new episodes as needed; returns episodes ended."""
    ended = 0
    for i in range(len(states)):
        s = states[i]
        word = combine(combine(key, s.row), s.episode)
        for n in range(n_steps):
            apply(s, t, random_legal(s, t, stream(word, n)))
            if s.done != 0:
                ended += 1
                next_episode(s, t)
                word = combine(combine(key, s.row), s.episode)
    return ended


@kernel
def observe_batch(states: Any, t: Any, seats: Any, table_recall: Any, observations: Any, masks: Any) -> None:
    """Observation (n, width) and mask (n, n_actions) of ``seats[i]`` in every row, int8."""
    for i in range(len(states)):
        write_observation(states[i], t, seats[i], table_recall, observations[i])
        write_mask(states[i], t, seats[i], masks[i])


@kernel
def mask_batch(states: Any, t: Any, seats: Any, masks: Any) -> None:
    """The mask (n, n_actions) of ``seats[i]`` in every row."""
    for i in range(len(states)):
        write_mask(states[i], t, seats[i], masks[i])


@kernel
def hidden_batch(states: Any, t: Any, seats: Any, out: Any) -> None:
    """The hidden part (n, hidden_width) as seen from ``seats[i]``."""
    for i in range(len(states)):
        write_hidden(states[i], t, seats[i], out[i])


@kernel
def blank_batch(states: Any, t: Any, seats: Any) -> None:
    """Turn copies of states into views of ``seats[i]``."""
    for i in range(len(states)):
        blank_hidden(states[i], t, seats[i])


@kernel
def rollout_observed(states: Any, t: Any, n_steps: Any, key: Any, observation: Any, mask: Any) -> Any:
    """As `rollout_random`, writing the mover's observation (width,) and mask (n_actions,) before each step."""
    ended = 0
    for i in range(len(states)):
        s = states[i]
        word = combine(combine(key, s.row), s.episode)
        for n in range(n_steps):
            write_observation(s, t, s.cur, False, observation)
            write_mask(s, t, s.cur, mask)
            apply(s, t, random_legal(s, t, stream(word, n)))
            if s.done != 0:
                ended += 1
                next_episode(s, t)
                word = combine(combine(key, s.row), s.episode)
    return ended


@kernel
def decision_keys(states: Any, seed: Any, steps: Any, out: Any) -> None:
    """Per row a key from (seed, row, episode, hand, seat, decision number)."""
    for i in range(len(states)):
        s = states[i]
        key = combine(combine(combine(seed, s.row), s.episode), s.hand_no)
        out[i] = combine(combine(key, max(s.cur, 0)), steps[i])
