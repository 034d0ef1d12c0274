"""Compiled loops of the one-learner environments: the learner's action, then the others until he is to move.

Beside the record `s` of a game stands a record `r` of `SEAT`: who the learner is, what he is owed, who is to act.
`p` is a record of `PLAN`, the same for all rows. Uniformly random players are moved here; what they choose depends
on (seed, row, episode, hand, decision) alone. Agent objects are asked only where they have a choice.
"""

from pathlib import Path
from typing import Any

import numpy as np

import texas42.envs.engine as engine_package
import texas42.envs.rules as rules_package
from texas42.envs.engine.bits import ONE, ZERO, below, combine, stream
from texas42.envs.engine.deal import hand_key, start_episode
from texas42.envs.engine.drivers import GOES_ON, take
from texas42.envs.engine.jit import KernelCompiler
from texas42.envs.engine.observe import blank_hidden, write_observation
from texas42.envs.engine.state import MAX_SEATS, OVER, PLAY
from texas42.envs.engine.step import is_legal, n_legal, nth_legal, random_legal, write_mask

_FLOORS = [Path(str(package.__file__)).resolve().parent for package in (engine_package, rules_package)]
kernel = KernelCompiler("texas42-gym", Path(__file__).resolve().parent, *_FLOORS)

SEAT = np.dtype(
    [
        ("waits", np.int64),  # who is to act: NOBODY, LEARNER, or an agent object from FIRST_AGENT on
        ("learner", np.int64),  # his seat, the first of his two where he has two
        ("owed", np.float64),  # what he earned and was not yet paid
        ("paid", np.float64, MAX_SEATS),  # scratch: rewards of the hand that just ended
    ],
    align=True,
)

PLAN = np.dtype(
    [
        ("who", np.int64, (2, 3)),  # who decides, by (bidding, play) and relation to the learner
        ("payment", np.int64),  # kind of reward, as drivers number them
        ("illegal", np.int64),  # RAISE, PENALISE, REPLACE
        ("penalty", np.float64),
        ("seat", np.int64),  # the learner's, -1: drawn for each episode
        ("n_agents", np.int64),
        ("table_recall", np.int64),
    ],
    align=True,
)

NOBODY, LEARNER, UNIFORM, FIRST_AGENT = -1, 0, 1, 2
SELF, PARTNER, OPPONENT = range(3)
RAISE, PENALISE, REPLACE = range(3)
CHOICE_SALT = np.uint64(0x6368_6F6F_7365)
SEAT_SALT = 0x7365_6174


@kernel
def relation(seat: Any, learner: Any, t: Any) -> Any:
    """How a seat stands to the learner: `SELF`, `PARTNER`, `OPPONENT`; both seats of a two-seat player are his."""
    if seat == learner:
        return SELF
    if t.side[seat] != t.side[learner]:
        return OPPONENT
    return SELF if t.two_seats == 1 else PARTNER


@kernel
def who_acts(s: Any, t: Any, r: Any, p: Any) -> Any:
    """Whom the row waits for."""
    if s.done != 0:
        return np.int64(NOBODY)
    return p.who[1 if s.phase == PLAY else 0, relation(s.cur, r.learner, t)]


@kernel
def choices_of(s: Any) -> Any:
    """The key of all choices in the current hand."""
    return combine(hand_key(s), CHOICE_SALT)


@kernel
def choice_key(s: Any, hand: Any) -> Any:
    """The key of the decision that is due; `hand` is the hand's own."""
    number = ((s.phase * 128 + s.n_calls + s.n_discards + s.n_plays) << 3) + s.cur
    return stream(hand, number)


@kernel
def choose(s: Any, t: Any, hand: Any) -> Any:
    """A uniformly random legal action, from the decision's key alone."""
    return random_legal(s, t, stream(choice_key(s, hand), 0))


@kernel
def move(s: Any, t: Any, r: Any, p: Any, action: Any) -> Any:
    """Apply a legal action and note what the learner earns by it; whether a hand ended."""
    if take(s, t, action, p.payment, r.paid) == GOES_ON:
        return False
    r.owed += r.paid[r.learner]
    return True


@kernel
def play_on(s: Any, t: Any, r: Any, p: Any) -> None:
    """Move uniformly random players, and agents that have no choice, until somebody else is to act."""
    waits = who_acts(s, t, r, p)
    hand = ZERO
    while waits >= UNIFORM:
        if waits == UNIFORM:
            if hand == ZERO:
                hand = choices_of(s)
            action = choose(s, t, hand)
        elif n_legal(s, t) == 1:
            action = nth_legal(s, t, 0)
        else:
            break
        if move(s, t, r, p, action):
            hand = ZERO
        waits = who_acts(s, t, r, p)
    r.waits = waits


@kernel
def step_row(s: Any, t: Any, r: Any, p: Any, action: Any) -> None:
    """The learner's action, then `play_on`; with ``illegal=RAISE`` it was checked before."""
    if p.illegal != RAISE and not is_legal(s, t, action):
        if p.illegal == PENALISE:
            r.owed += p.penalty
            s.done, s.phase, s.cur, s.hand_over = 1, OVER, -1, 0
            r.waits = NOBODY
            return
        action = choose(s, t, choices_of(s))
    move(s, t, r, p, action)
    play_on(s, t, r, p)


@kernel
def seat_row(s: Any, t: Any, r: Any, p: Any) -> None:
    """Seat the learner of an episode that has just begun, and let the others begin."""
    r.learner = p.seat
    if p.seat < 0:
        r.learner = below(stream(combine(combine(s.seed, s.row), s.episode), SEAT_SALT), p.n_agents, 0)
    r.owed = 0.0
    play_on(s, t, r, p)


@kernel
def next_row(s: Any, t: Any) -> None:
    """Begin the row's next episode."""
    start_episode(s, t, s.seed, s.row, s.episode + ONE, s.whole_game)


@kernel
def observe_row(s: Any, t: Any, r: Any, p: Any, observation: Any, mask: Any) -> None:
    """The learner's observation and mask; of two seats he sees from the one that is to move."""
    seat = r.learner
    if s.cur >= 0 and relation(s.cur, seat, t) == SELF:
        seat = np.int64(s.cur)
    write_observation(s, t, seat, p.table_recall, observation)
    write_mask(s, t, seat, mask)


# Loops over rows: what Python calls. `tables` and `plans` are arrays of one record.


@kernel
def first_refused(states: Any, tables: Any, seats: Any, actions: Any, any_id: Any) -> Any:
    """The first row that waits for the learner and whose action is not legal (with `any_id`: no id), or -1."""
    t = tables[0]
    for i in range(len(states)):
        if seats[i].waits == LEARNER:
            if any_id:
                if actions[i] < 0 or actions[i] >= t.n_actions:
                    return i
            elif not is_legal(states[i], t, actions[i]):
                return i
    return -1


@kernel
def step_rows(states: Any, tables: Any, seats: Any, plans: Any, actions: Any) -> None:
    """The learner's action in every row that waits for him, then the uniformly random players' moves."""
    t, p = tables[0], plans[0]
    for i in range(len(states)):
        if seats[i].waits == LEARNER:
            step_row(states[i], t, seats[i], p, actions[i])


@kernel
def act_rows(states: Any, tables: Any, seats: Any, plans: Any, rows: Any, actions: Any) -> Any:
    """Agents' actions in `rows`, then `play_on`; the first that is illegal (then none was applied), or -1."""
    t, p = tables[0], plans[0]
    for k in range(len(rows)):
        if not is_legal(states[rows[k]], t, actions[k]):
            return k
    for k in range(len(rows)):
        s, r = states[rows[k]], seats[rows[k]]
        move(s, t, r, p, actions[k])
        play_on(s, t, r, p)
    return -1


@kernel
def start_rows(states: Any, tables: Any, seeds: Any, numbers: Any, whole_game: Any) -> None:
    """Episode 0 of row ``numbers[i]`` of ``seeds[i]`` in every row."""
    for i in range(len(states)):
        start_episode(states[i], tables[0], seeds[i], numbers[i], np.uint64(0), whole_game)


@kernel
def next_rows(states: Any, tables: Any, rows: Any) -> None:
    """The next episode of `rows`."""
    for i in rows:
        next_row(states[i], tables[0])


@kernel
def seat_rows(states: Any, tables: Any, seats: Any, plans: Any, rows: Any) -> None:
    """Seat the learner in `rows`, whose episodes have just begun, and let the others begin."""
    for i in rows:
        seat_row(states[i], tables[0], seats[i], plans[0])


@kernel
def observe_rows(
    states: Any, tables: Any, seats: Any, plans: Any, rows: Any, observations: Any, masks: Any
) -> None:
    """Observation (k, width) and mask (k, n_actions) of the learner in `rows`, int8."""
    for k in range(len(rows)):
        i = rows[k]
        observe_row(states[i], tables[0], seats[i], plans[0], observations[k], masks[k])


@kernel
def step_and_observe(
    states: Any,
    tables: Any,
    seats: Any,
    plans: Any,
    actions: Any,
    same_step: Any,
    results: Any,
    seen: Any,
    final: Any,
) -> Any:
    """All of a vector step in one pass, for tables without agent objects; returns how many episodes ended.

    Rows that are over begin their next episode instead of a step, and with `same_step` also rows that end now, whose
    final observations go to `final`.

    Args:
        results: (rewards float64, terminated bool, truncated bool, ended int64), each (n,); `ended` lists rows.
        seen, final: (observations, masks) with n rows each.
    """
    t, p = tables[0], plans[0]
    rewards, terminated, truncated, ended = results
    n_ended = 0
    for i in range(len(states)):
        s, r = states[i], seats[i]
        rewards[i], terminated[i], truncated[i] = 0.0, False, False
        begins = r.waits == NOBODY
        if not begins:
            step_row(s, t, r, p, actions[i])
            rewards[i], terminated[i], truncated[i] = r.owed, s.done == 1, s.done == 2
            r.owed = 0.0
            if s.done != 0:
                ended[n_ended] = i
                begins = same_step
                if same_step:
                    observe_row(s, t, r, p, final[0][n_ended], final[1][n_ended])
                n_ended += 1
        if begins:
            next_row(s, t)
            seat_row(s, t, r, p)
        observe_row(s, t, r, p, seen[0][i], seen[1][i])
    return n_ended


@kernel
def mask_rows(states: Any, tables: Any, masks: Any) -> None:
    """The mask (n, n_actions) of the seat to move in every row; zero where nobody is."""
    for i in range(len(states)):
        write_mask(states[i], tables[0], states[i].cur, masks[i])


@kernel
def view_rows(views: Any, tables: Any, keys: Any) -> None:
    """Turn copies of states into views of their movers; `keys` (uint64, n) of the decisions that are due."""
    for i in range(len(views)):
        v = views[i]
        keys[i] = choice_key(v, choices_of(v))
        blank_hidden(v, tables[0], v.cur)
