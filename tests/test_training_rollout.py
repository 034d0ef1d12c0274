"""What training learns from: the learner's own decisions, each with a choice, of whole hands or games."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from texas42.agents.network import Actor, initialise
from texas42.agents.shape import Shape
from texas42.agents.specs import make_agent
from texas42.envs.batch import BatchedGame
from texas42.envs.engine.score import MAX_THROW_INS
from texas42.envs.engine.state import Batch
from texas42.envs.rules.rules import Rules
from texas42.training.config import ImitationConfig
from texas42.training.imitation import demonstrate
from texas42.training.learner import SelfPlay, belief_targets, made_targets
from texas42.training.losses import generalised_advantages
from texas42.training.rollout import (
    LEARNER,
    Choice,
    Experience,
    Pending,
    Rollout,
    Tables,
    largest_stake,
    seat_strangers,
)

N42PA = Rules.preset("n42pa")
HANDS = 60


class AnyMove:
    """Plays a legal action that depends on the key alone."""

    def choose(self, pending: Pending) -> Choice:
        pick = [np.flatnonzero(m)[int(k) % int(m.sum())] for m, k in zip(pending.masks, pending.keys, strict=True)]
        actions = np.array(pick, np.int64)
        return Choice(actions, actions, np.zeros(len(actions), np.float32))


def random_hands(rules: Rules = N42PA, workers: int = 1, share: float = 0.0, episode: str = "hand") -> Experience:
    others = (make_agent("random", rules),)
    seating = seat_strangers(HANDS, rules.seats, rules.sides, share, 0.5, 1, np.random.default_rng(0))
    with ThreadPoolExecutor(2) as pool:
        rollout = Rollout(rules, HANDS, workers, pool, episode=episode)
        return rollout.play(9, 100, seating, AnyMove, others)


def same_states(a: Batch, b: Batch) -> bool:
    """Whether two batches hold the same games; the bytes between fields do not count."""
    return all(np.array_equal(a[name], b[name]) for name in a.dtype.names or ())


def test_forced_moves_are_no_training_data() -> None:
    data = random_hands()
    assert (data.masks.sum(axis=1) > 1).all()
    assert data.masks[np.arange(len(data)), data.actions].all()


def test_the_decisions_replay_to_the_same_hands() -> None:
    data = random_hands()
    game = BatchedGame(N42PA, HANDS, auto_reset=False, first_row=100)
    game.reset(9)
    queues: list[list[int]] = [[] for _ in range(HANDS)]
    for player, action in zip(data.players, data.actions, strict=True):
        queues[player // 4].append(int(action))
    total = np.zeros((HANDS, 4))
    while not game.done.all():
        masks = game.observe()[1]
        actions = np.full(HANDS, -1)
        for row in np.flatnonzero(~game.done):
            legal = np.flatnonzero(masks[row])
            actions[row] = legal[0] if len(legal) == 1 else queues[row].pop(0)
        total += game.step(actions)[0]
    assert not any(queues)
    assert np.array_equal(total, data.rewards.reshape(HANDS, 4))
    assert same_states(game.states, data.finals)


def test_hands_do_not_depend_on_the_number_of_workers() -> None:
    one, three = random_hands(workers=1, share=0.5), random_hands(workers=3, share=0.5)
    assert same_states(one.finals, three.finals)
    assert np.array_equal(one.rewards, three.rewards)
    for player in range(0, HANDS * 4, 7):
        mine = [data.actions[data.players == player].tolist() for data in (one, three)]
        assert mine[0] == mine[1]


@pytest.mark.parametrize("preset", ["n42pa", "open", "moon", "seventy_two", "one_forty"])
def test_rewards_are_zero_sum_between_sides(preset: str) -> None:
    rules = Rules.preset(preset)
    rewards = random_hands(rules).rewards.reshape(HANDS, rules.seats)[:, : rules.sides]
    assert rewards.sum(axis=1) == pytest.approx(0, abs=1e-3)


def test_a_games_hands_are_kept_with_whose_decision_is_of_which() -> None:
    data = random_hands(episode="game")
    game = BatchedGame(N42PA, HANDS, episode="game", auto_reset=False, first_row=100)
    game.reset(9)
    queues: list[list[int]] = [[] for _ in range(HANDS)]
    for index, player in enumerate(data.players):
        queues[player // 4].append(index)
    gains: dict[tuple[int, int], list[float]] = {}
    found: dict[int, tuple[int, int]] = {}  # decision: table, number of the hand
    while not game.done.all():
        masks, numbers = game.observe()[1], game.states["hand_no"].copy()
        live, actions = np.flatnonzero(~game.done), np.full(HANDS, -1)
        for row in live:
            legal = np.flatnonzero(masks[row])
            actions[row] = legal[0]
            if len(legal) > 1:
                index = queues[row].pop(0)
                actions[row], found[index] = data.actions[index], (int(row), int(numbers[row]))
        rewards, _ = game.step(actions)
        for row in live[game.states["hand_over"][live] == 1]:
            gains[int(row), int(numbers[row])] = rewards[row].tolist()
    assert not any(queues)
    keys = sorted(gains)
    assert data.gains.tolist() == [gains[key] for key in keys]
    assert data.tables.tolist() == [table for table, _ in keys]
    assert data.finals["hand_no"].tolist() == [number for _, number in keys]
    assert [keys[hand] for hand in data.hands] == [found[index] for index in range(len(data))]

    final = data.finals[data.hands]
    known = made_targets(data) >= 0
    assert (known == (data.phases > 0)).all()
    bidders_gain = data.gains[data.hands, final["bidder"]]
    assert (made_targets(data)[known] == (bidders_gain[known] > 0)).all()


def test_a_game_is_paid_by_who_won_it() -> None:
    data = random_hands(episode="game")
    scores = np.zeros((HANDS, 2))
    np.add.at(scores, data.tables, np.maximum(data.gains[:, :2], 0))
    assert (scores.max(axis=1) >= 7).all()
    won = np.where(scores[:, 0] > scores[:, 1], 1.0, -1.0)
    assert data.rewards.reshape(HANDS, 4).tolist() == np.stack([won, -won, won, -won], axis=1).tolist()


@pytest.mark.parametrize("preset", ["seed_points", "three_handed", "players_6"])
def test_games_pay_zero_sums_between_sides(preset: str) -> None:
    rules = Rules.preset(preset)
    rewards = random_hands(rules, episode="game").rewards.reshape(HANDS, rules.seats)[:, : rules.sides]
    assert rewards.sum(axis=1) == pytest.approx(0, abs=1e-6)
    assert (rewards.max(axis=1) > 0).all()  # less than 1 where several sides win at once
    assert abs(rewards).max() <= 1


def test_games_do_not_depend_on_the_number_of_workers() -> None:
    one, three = (random_hands(workers=n, share=0.5, episode="game") for n in (1, 3))
    assert same_states(one.finals, three.finals)
    assert np.array_equal(one.tables, three.tables)
    assert np.array_equal(one.rewards, three.rewards)
    for player in range(0, HANDS * 4, 7):
        mine = [(d.actions[d.players == player].tolist(), d.hands[d.players == player].tolist()) for d in (one, three)]
        assert mine[0] == mine[1]


def test_advantages_run_through_all_hands_of_a_game() -> None:
    data = random_hands(episode="game")
    values = np.random.default_rng(0).normal(size=len(data)).astype(np.float32)
    advantages, _ = generalised_advantages(values, data.players, data.rewards, 1.0)
    paid = data.rewards[data.players]
    assert advantages == pytest.approx(paid - values, abs=1e-4)  # with λ = 1: what the game pays less what was expected
    one_step, _ = generalised_advantages(values, data.players, data.rewards, 0.0)
    mine = np.flatnonzero(data.players == data.players[0])
    assert len(np.unique(data.hands[mine])) > 1
    assert one_step[mine] == pytest.approx(np.append(values[mine][1:], data.rewards[data.players[0]]) - values[mine])


def test_a_game_in_which_all_pass_for_ever_is_cut_off_and_pays_nothing() -> None:
    class Pass:
        def choose(self, pending: Pending) -> Choice:
            zeros = np.zeros(len(pending.rows), np.int64)
            assert pending.masks[:, 0].all()
            return Choice(zeros, zeros, zeros.astype(np.float32))

    data = Tables(N42PA, 2, episode="game").play(1, 0, np.zeros((2, 4), np.int64), Pass(), ())
    assert len(data.finals) == 2 * MAX_THROW_INS
    assert not data.rewards.any()
    assert (made_targets(data) == -1).all()


def test_strangers_decisions_are_not_learnt_from() -> None:
    data = random_hands(share=0.5)
    hand, seat = data.players // 4, data.players % 4
    assert (data.seating[hand, seat] == LEARNER).all()
    assert (data.seating != LEARNER).any()


def test_strangers_sit_as_a_team_or_alone() -> None:
    seating = seat_strangers(4000, 4, 2, 0.5, 0.25, 3, np.random.default_rng(1))
    strangers = (seating != LEARNER).sum(axis=1)
    assert (strangers > 0).sum() == 2000
    assert (strangers == 1).sum() == pytest.approx(500, abs=100)
    teams = seating[strangers == 2]
    assert (((teams[:, 0] > 0) & (teams[:, 2] > 0)) | ((teams[:, 1] > 0) & (teams[:, 3] > 0))).all()
    assert set(np.unique(seating)) == {0, 1, 2, 3}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("parts", [2, 3, 8])
def test_every_part_of_the_tables_has_its_share_of_strangers(share: float, parts: int) -> None:
    seating = seat_strangers(1001, 4, 2, share, 0.25, 3, np.random.default_rng(1))
    strangers = (seating != LEARNER).any(axis=1)
    assert strangers.sum() == round(1001 * share)
    for part in np.array_split(strangers, parts):
        assert part.sum() == pytest.approx(len(part) * share, abs=1)


def test_without_strangers_the_learner_sits_everywhere() -> None:
    assert (seat_strangers(10, 4, 2, 0.5, 0.5, 0, np.random.default_rng(1)) == LEARNER).all()


@pytest.mark.parametrize("preset", ["n42pa", "open", "moon", "big_game", "eighty_four", "players_2"])
def test_hidden_tiles_lie_where_they_may(preset: str) -> None:
    import torch

    rules = Rules.preset(preset)
    data = random_hands(rules)
    shape = Shape.of(rules, 8, 1)
    may_hold, holders = belief_targets(shape, torch.from_numpy(data.observations), torch.from_numpy(data.hidden))
    assert bool((may_hold | (holders == 0)).all())
    assert int(holders.sum()) > 0


def test_the_first_decision_of_a_hand_hides_three_hands_of_seven() -> None:
    import torch

    data = random_hands()
    shape = Shape.of(N42PA, 8, 1)
    first = np.array([np.flatnonzero(data.players // 4 == hand)[0] for hand in range(HANDS)])
    _, holders = belief_targets(shape, torch.from_numpy(data.observations[first]), torch.from_numpy(data.hidden[first]))
    assert (holders.sum(dim=2) == 7).all()


def test_demonstrations_teach_the_teacher_even_after_random_moves() -> None:
    teacher, config = make_agent("heuristic", N42PA), ImitationConfig(hands=HANDS, explore=0.5)
    with ThreadPoolExecutor(2) as pool:
        data = demonstrate(teacher, Rollout(N42PA, HANDS, 1, pool), config, 3, 0)
        calm = demonstrate(teacher, Rollout(N42PA, HANDS, 1, pool), ImitationConfig(hands=HANDS, explore=0), 3, 0)
    even = data.finals["row"] % 2 == 0
    assert same_states(data.finals[even], calm.finals[even])
    assert not same_states(data.finals[~even], calm.finals[~even])
    assert data.masks[np.arange(len(data)), data.actions].all()


def test_self_play_records_the_probability_it_drew_with() -> None:
    import torch

    actor = Actor(Shape.of(N42PA, 16, 1), N42PA)
    initialise(actor, 1)
    data = Tables(N42PA, 8).play(1, 0, np.zeros((8, 4), np.int64), SelfPlay(actor), ())
    logits = actor(torch.from_numpy(data.observations)).masked_fill(torch.from_numpy(data.masks) == 0, -1e9)
    expected = logits.log_softmax(1)[torch.arange(len(data)), torch.from_numpy(data.actions)]
    assert data.log_probabilities == pytest.approx(expected.detach().numpy(), abs=1e-5)


@pytest.mark.parametrize(
    ("preset", "stake"), [("n42pa", 5), ("spruce", 2), ("open", 7), ("seed_points", 252), ("moon", 49)]
)
def test_largest_stake(preset: str, stake: float) -> None:
    assert largest_stake(Rules.preset(preset)) == stake


def test_no_hand_pays_more_than_the_largest_stake() -> None:
    for preset in ("n42pa", "seed_points", "open"):
        rules = Rules.preset(preset)
        assert abs(random_hands(rules).rewards).max() <= largest_stake(rules)
