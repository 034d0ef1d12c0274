"""Random play on one row of the engine, with its history in record notation."""

from collections.abc import Callable
from random import Random

from support.table import act, legal_names
from texas42.envs.batch import BatchedGame

History = list[tuple[int, str]]
"""Seat and action of every decision of the hand so far."""

Visit = Callable[[BatchedGame, History], None]


def random_action(game: BatchedGame, random: Random) -> str:
    """A random legal action; passes are likelier, and no claim ends the hand."""
    legal = [name for name in legal_names(game, 0) if name != "CLAIM"]
    if "PASS" in legal and random.random() < 0.4:
        return "PASS"
    return random.choice(legal)


def walk(game: BatchedGame, random: Random, visit: Visit, seed: int | None = None) -> History:
    """Play one random hand of a one-row game; `visit` is called before each action and at the end."""
    game.reset(seed=random.getrandbits(40) if seed is None else seed)
    history: History = []
    while not game.states[0].done:
        visit(game, history)
        seat, name = int(game.states[0].cur), random_action(game, random)
        act(game, name)
        history.append((seat, name))
    visit(game, history)
    return history
