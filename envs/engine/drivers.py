"""Loops of kernels over a batch: what Python calls. Arrays are C-contiguous; rows are independent."""

from typing import Any

import numpy as np

from texas42.envs.engine.bits import ONE, ZERO, combine, n_members, stream
from texas42.envs.engine.deal import open_hand, start_episode, start_hand
from texas42.envs.engine.jit import kernel
from texas42.envs.engine.observe import blank_hidden, write_hidden, write_observation
from texas42.envs.engine.state import PLAY
from texas42.envs.engine.step import apply, apply_claim, is_legal, random_legal, write_mask


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
        mine = s.delta[t.side[seat]]
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


# One game at a time: the shells that step a single record pass arrays of one row, which is the cheapest call.

ILLEGAL, GOES_ON, HAND_ENDED, FINISHED, TRUNCATED = -1, 0, 1, 2, 3
"""What `take_action` did."""
PAY_SCORE, PAY_POINTS, PAY_WIN = range(3)
"""Kinds of reward: score change, share of the hand's points, winning the game."""


@kernel
def take_action(states: Any, tables: Any, action: Any, payment: Any, out: Any) -> Any:
    """Apply an action to row 0 if it is legal; returns what happened and the seat to move.

    When a hand ended, `out` (float64, n_seats) holds its rewards of kind `payment`; otherwise it is scratch.
    """
    s, t = states[0], tables[0]
    if s.done != 0 or not is_legal(s, t, action):
        return ILLEGAL, s.cur
    return take(s, t, action, payment, out), s.cur


@kernel
def take(s: Any, t: Any, action: Any, payment: Any, out: Any) -> Any:
    """Apply a legal action; what happened, and `out` as in `take_action`."""
    trick = s.n_tricks  # the hand's own numbers are gone once the next hand is dealt
    plays = s.phase == PLAY and action != t.claim
    if payment == PAY_POINTS:
        for side in range(t.n_sides):
            out[side] = s.taken[side]
    apply(s, t, action)
    if s.hand_over == 0:
        return GOES_ON
    if payment == PAY_POINTS:
        if plays:
            out[t.side[np.int32(s.trick_winners[trick])]] += s.trick_values[trick]
        share(t, out)
    elif payment == PAY_WIN:
        pay_winners(s, t, out)
    else:
        pay(s, t, out)
    if s.done == 0:
        return HAND_ENDED
    return FINISHED if s.done == 1 else TRUNCATED


@kernel
def share(t: Any, out: Any) -> None:
    """Turn points by side into rewards by seat: own share of the hand total minus the mean of the others'."""
    total = 0.0
    for side in range(t.n_sides):
        total += out[side]
    for i in range(t.n_seats):
        seat = t.n_seats - 1 - i  # downwards, so that the sides' points are read before they are written over
        mine = out[t.side[seat]]
        out[seat] = (mine - (total - mine) / (t.n_sides - 1)) / t.total


@kernel
def pay_winners(s: Any, t: Any, out: Any) -> None:
    """The sides that won the game share +1, the others -1; zero while nobody has won."""
    n_won = n_members(s.winners)
    for seat in range(t.n_seats):
        out[seat] = 0.0
        if n_won > 0 and n_won < t.n_sides:
            won = (s.winners >> (t.side[seat])) & 1 == 1
            out[seat] = 1.0 / n_won if won else -1.0 / (t.n_sides - n_won)


@kernel
def observe_seat(states: Any, tables: Any, seat: Any, table_recall: Any, observation: Any, mask: Any) -> None:
    """Observation (width,) and mask (n_actions,) of a seat in row 0."""
    write_observation(states[0], tables[0], seat, table_recall, observation)
    write_mask(states[0], tables[0], seat, mask)


@kernel
def full_state(states: Any, tables: Any, out: Any) -> None:
    """Row 0 as (width + hidden_width + n_seats,): seat 0's observation, the hidden part, the seat to move."""
    s, t = states[0], tables[0]
    write_observation(s, t, 0, False, out[: t.width])
    write_hidden(s, t, 0, out[t.width : t.width + t.hidden_width])
    at = t.width + t.hidden_width
    for seat in range(t.n_seats):
        out[at + seat] = 1 if s.cur == seat else 0


@kernel
def start_at(states: Any, tables: Any, seed: Any, row: Any, episode: Any, hand: Any, whole_game: Any) -> None:
    """Row 0 at the deal of hand number `hand` of an episode, the shaker having moved on with every hand."""
    s, t = states[0], tables[0]
    start_episode(s, t, seed, row, episode, whole_game)
    if hand > ZERO:
        s.hand_no = hand
        s.shaker = (s.shaker + np.int64(hand % np.uint64(t.n_seats))) % t.n_seats
        start_hand(s, t)


@kernel
def reopen(states: Any, tables: Any) -> None:
    """Open the auction of row 0 anew with the hands, the widow and the shaker that stand in the record."""
    open_hand(states[0], tables[0])


@kernel
def claim_in_order(states: Any, tables: Any, order: Any) -> None:
    """A legal claim in row 0 with the claimant's own order (uint8, MAX_TRICKS)."""
    apply_claim(states[0], tables[0], order)
