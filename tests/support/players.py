"""Players for matches: copies with luck of their own, and players that fail."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from texas42.agents.arena import decision_keys, decisions_for
from texas42.agents.base import Agent, Decisions
from texas42.agents.random_agent import RandomAgent
from texas42.envs.batch import BatchedGame


class Salted:
    """A copy of a player with luck of its own."""

    def __init__(self, agent: Agent, salt: int) -> None:
        self.agent, self.salt, self.name = agent, np.uint64(salt), f"{agent.name}#{salt}"

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """The player's actions under other keys."""
        decisions.keys = decisions.keys ^ self.salt
        return self.agent.act(decisions)

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Passed on."""
        self.agent.reset(game_ids)


class Failing(RandomAgent):
    """Plays at random but where `when` says so, and there does what `fail` does."""

    def __init__(
        self,
        when: Callable[[Decisions], npt.NDArray[np.bool_]],
        fail: Callable[[npt.NDArray[np.int64], npt.NDArray[np.bool_]], npt.NDArray[np.int64]],
        name: str = "failing",
    ) -> None:
        self.when, self.fail, self.name = when, fail, name

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Random actions, failing in some rows."""
        actions, rows = super().act(decisions), self.when(decisions)
        return self.fail(actions, rows) if rows.any() else actions


def assert_rows_stand_alone(game: BatchedGame, one: Agent, many: Agent, steps: int) -> None:
    """What `many` answers to all tables together `one` answers to each alone, in the opposite order."""
    for step in range(steps):
        keys = decision_keys(game, 4, np.full(game.n, step))
        live = np.flatnonzero(~game.done)
        if not len(live):
            return
        together = many.act(decisions_for(game, live, keys[live]))
        alone = [one.act(decisions_for(game, np.array([row]), keys[row : row + 1]))[0] for row in live[::-1]]
        assert together.tolist() == alone[::-1]
        actions = np.full(game.n, -1)
        actions[live] = together
        game.step(actions)
