"""OpenSpiel: its simulation tests and conventions, a golden playthrough, IS-MCTS and its evaluators on 42.

    python check_openspiel.py [--write-playthrough]

The playthrough is every state of one hand as OpenSpiel prints it, tensors included; review it when it changes.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from absl import flags
from audit import COUNTS, paid, report
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import evaluate_bots, generate_playthrough, ismcts, mcts
from open_spiel.python.bots import uniform_random

import texas42.openspiel  # noqa: F401 (registers the game)

PLAYTHROUGH = Path(__file__).resolve().with_name("playthrough_openspiel.txt")
TOLD = ("information_state_tensor", "observation_tensor", "information_state_string", "observation_string")
PRESETS = ("n42pa", "open", "moon", "big_game", "seventy_two", "three_handed", "one_forty")


def simulate() -> None:
    """OpenSpiel's own random simulations, with cloning, serialisation and observations checked at every state."""
    for rules in PRESETS:
        game = pyspiel.load_game(f"python_texas42(rules={rules})")
        pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def resample() -> None:
    """At every state of random hands every player's re-dealt state looks the same to him."""
    rng = np.random.RandomState(0)
    for rules in ("n42pa", "moon", "seventy_two"):
        game = pyspiel.load_game(f"python_texas42(rules={rules})")
        state = random_deal(game, rng)
        while not state.is_terminal():
            for player in range(game.num_players()):
                other = state.resample_from_infostate(player, rng.random_sample)
                assert other.information_state_string(player) == state.information_state_string(player)
                assert other.information_state_tensor(player) == state.information_state_tensor(player)
                assert len(other.full_history()) == len(state.full_history())
            state.apply_action(int(rng.choice(state.legal_actions())))


def random_deal(game: Any, rng: np.random.RandomState) -> Any:
    """The state after all chance nodes."""
    state = game.new_initial_state()
    while state.is_chance_node():
        raises(state.information_state_string)
        raises(state.information_state_tensor)
        actions, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(actions, p=chances)))
    return state


def raises(call: Callable[..., Any], *arguments: Any) -> None:
    """Assert that a call is refused."""
    try:
        call(*arguments)
    except RuntimeError:  # SpielError among them
        return
    raise AssertionError(f"{call.__name__}{arguments} was not refused")


def conventions() -> None:
    """What OpenSpiel's API tests ask of every game: who may act, who may ask, what is told apart."""
    rng = np.random.RandomState(3)
    for rules in PRESETS:
        game = pyspiel.load_game(f"python_texas42(rules={rules})")
        known: dict[str, list[float]] = {}
        for _ in range(3):
            state = random_deal(game, rng)
            check_refusals(game, state)
            while not state.is_terminal():
                check_state(game, state)
                mover = state.current_player()
                known[state.information_state_string()] = state.information_state_tensor()
                assert state.legal_actions() == state.legal_actions(mover) != []
                state.apply_action(int(rng.choice(state.legal_actions())))
            check_state(game, state)
            check_refusals(game, state)
            raises(state.information_state_string)
            assert state.legal_actions() == []
            assert abs(sum(state.returns())) < 1e-9
            assert all(game.min_utility() <= value <= game.max_utility() for value in state.returns())
        assert len({tuple(tensor) for tensor in known.values()}) == len(known)


def check_state(game: Any, state: Any) -> None:
    """What every player may ask, and that no two are told the same."""
    players = range(game.num_players())
    for player in players:
        assert len(state.information_state_tensor(player)) == game.information_state_tensor_size()
        assert len(state.observation_tensor(player)) == game.observation_tensor_size()
        assert player == state.current_player() or state.legal_actions(player) == []
    for tell in (getattr(state, name) for name in TOLD):
        assert len({str(tell(player)) for player in players}) == len(players)


def check_refusals(game: Any, state: Any) -> None:
    """Nobody but the players may ask."""
    for tell in (getattr(state, name) for name in TOLD):
        raises(tell, -1)
        raises(tell, game.num_players() + 1)


def playthrough(write: bool) -> None:
    """The stored playthrough replays to the same text."""
    if write:
        text = generate_playthrough.playthrough("python_texas42", [], observation_params_string=None, seed=1)
        PLAYTHROUGH.write_text(text + "\n", encoding="utf-8")
    flags.FLAGS(["check"])  # the replay reads its settings from there
    before, after = generate_playthrough.replay(str(PLAYTHROUGH))
    assert before.rstrip() == after.rstrip(), f"{PLAYTHROUGH.name} is no longer what OpenSpiel prints"


class Planner(ismcts.ISMCTSBot):  # type: ignore[misc]
    """IS-MCTS for the evaluator, which tells bots where a game starts."""

    def restart_at(self, state: Any) -> None:
        """Nothing is remembered between moves."""
        self.reset()


def play_ismcts() -> None:
    """IS-MCTS in one partnership against random bots, with OpenSpiel's evaluator."""
    rng = np.random.RandomState(1)
    game = pyspiel.load_game("python_texas42")
    for _ in range(3):
        bots = [
            Planner(
                game,
                mcts.RandomRolloutEvaluator(1, rng),
                uct_c=2.0,
                max_simulations=20,
                random_state=rng,
                allow_inconsistent_action_sets=True,
            )
            if seat % 2 == 0
            else uniform_random.UniformRandomBot(seat, rng)
            for seat in range(4)
        ]
        returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)
        COUNTS["hands"] += 1
        paid({f"player_{seat}": value for seat, value in enumerate(returns)})


def play_rl_environment() -> None:
    """OpenSpiel's reinforcement learning interface."""
    environment = rl_environment.Environment(pyspiel.load_game("python_texas42"), chance_event_sampler=None)
    rng = np.random.RandomState(2)
    for _ in range(5):
        step = environment.reset()
        while not step.last():
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            step = environment.step([int(rng.choice(legal))])
            COUNTS["decisions"] += 1
        COUNTS["hands"] += 1
        paid({f"player_{seat}": value for seat, value in enumerate(step.rewards)})


if __name__ == "__main__":
    simulate()
    conventions()
    resample()
    playthrough(write="--write-playthrough" in sys.argv)
    play_ismcts()
    play_rl_environment()
    report("open_spiel", "simulation tests, conventions, playthrough, resampling, IS-MCTS, rl_environment", hands=8)
