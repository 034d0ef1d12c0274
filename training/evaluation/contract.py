"""A given contract: play without an auction, so that a match measures the play of the hand alone."""

import numpy as np

from texas42.agents.arena import copy_rows, decision_keys, decisions_for
from texas42.agents.base import Agent
from texas42.envs.batch import BatchedGame
from texas42.envs.engine import drivers
from texas42.envs.engine.state import PLAY
from texas42.envs.errors import OptionsError
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.rules import Rules

_OFF = ("nello", "sevens", "loper", "splash", "plunge")


class ForcedContract:
    """All pass but the last caller, who makes a given bid and names his best pip trump.

    The bid and the trump are played through the engine as actions; the trump is the heuristic's choice among pips
    (and a widow is treated as the heuristic would). Both teams' sittings of a deal thus start from one position.

    Args:
        text: points such as ``"30"``, or a call in record notation such as ``"M1"``.
        rules: the rules of the match.

    Raises:
        OptionsError: no call of these rules, a call whose trump the partner names, or rules without pip trumps.
    """

    def __init__(self, text: str, rules: Rules) -> None:
        from texas42.agents.specs import make_agent

        self.call = f"P{text}" if text.isdigit() else text
        self.rules = _only_pips(rules)
        self.chooser: Agent = make_agent("heuristic", self.rules)
        self._check(text, rules)

    def _check(self, text: str, rules: Rules) -> None:
        game = BatchedGame(rules, 1)
        game.reset(seed=0)
        self._pass(game)
        plain = {call.name for call in game.codec.ladder if call.name != "PASS" and not call.partner_names}
        bids = [name for name in game.legal_names(0) if name in plain]
        if self.call not in bids:
            allowed = ", ".join(name[1:] if name[0] == "P" else name for name in bids)
            raise OptionsError(f"contract {text!r} is not a bid of these rules; allowed: {allowed}")

    def apply(self, game: BatchedGame, seed: int) -> None:
        """Bring every row of a freshly reset game to the first lead."""
        self._bid(game)
        steps = np.zeros(game.n, np.int64)
        while True:
            rows = np.flatnonzero(game.states["phase"] != PLAY)
            if len(rows) == 0:
                return
            decisions = decisions_for(game, rows, decision_keys(game, seed, steps)[rows])
            decisions.rules = self.rules
            states = copy_rows(game.states, rows)
            drivers.step_batch(states, game.tables, self.chooser.act(decisions))
            game.states[rows] = states
            steps += 1

    def _bid(self, game: BatchedGame) -> None:
        self._pass(game)
        game.step(np.full(game.n, game.codec.parse(self.call)))

    def _pass(self, game: BatchedGame) -> None:
        """Everybody but the last caller passes."""
        for _ in range(game.rules.seats - 1):
            game.step(np.full(game.n, game.codec.parse("PASS")))


def _only_pips(rules: Rules) -> Rules:
    """The same rules with pip trumps only; action ids stay as they are."""
    if "PIP" not in rules.trump_choices:
        raise OptionsError(
            f"no contract can be given with trump_choices={list(rules.trump_choices)}: a pip must be trump"
        )
    off: dict[str, object] = {name: "off" for name in _OFF if getattr(rules, name) != "off"}
    try:
        return rules.replace(trump_choices=["PIP"], **off)
    except RulesError as error:
        raise OptionsError(f"no contract can be given under these rules: {error}") from error
