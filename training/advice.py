"""What every legal action comes to with the true hands, worked out at once: what ``pimc`` asks of worlds it guesses.

Where the same is seen, the hidden hands of training differ as they do at the table, so a network that learns from
these answers learns their average over the very worlds that fit what was called and played. All actions of a decision
are judged in the same deal, and nothing that happens later adds noise. The critic may be shown the answers; the actor
sees them in its loss only.
"""

import numpy as np
import numpy.typing as npt

from texas42.agents.choice import uniforms
from texas42.agents.heuristic.plan import build_plan
from texas42.agents.search.worlds import Memory
from texas42.envs.engine.state import AUCTION, PLAY, Batch, new_batch
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.training import kernels

Float32 = npt.NDArray[np.float32]
LATE = 2
"""Tricks played after which a play is late: the hands that are left are judged quickly."""


class Adviser:
    """Works advice out; for one thread.

    Args:
        rules: a game that `can_search` allows.
        share: share of the hands it is asked about.
        late: share of the hands it is asked about from the third trick on, where it costs a tenth; at least `share`.
        calls: share of the hands whose calls it is asked about; at least `share`.
    """

    def __init__(self, rules: Rules, share: float, late: float = 0.0, calls: float = 0.0) -> None:
        self.share, self.late, self.calls = share, max(share, late), max(share, calls)
        self.n_actions = int(compile_tables(rules)[0].n_actions)
        self.tables = compile_tables(rules)[0]
        self.whole = compile_tables(rules.replace(laydown="off", early_end="play_all"))[0]
        self.plan, self.memory, self.scratch = build_plan(rules)[0], Memory(), new_batch(1)
        self.unit = np.float32(1 if rules.scoring == "marks" else rules.total)

    def advise(self, states: Batch, rows: npt.NDArray[np.int64]) -> Float32:
        """Score of the mover's side less the others' by action, in marks or hand totals, float32 (n, actions).

        NaN: not a legal action, a claim, or a decision that is not asked about.
        """
        m = self.memory
        phase = states["phase"][rows]
        late = (phase == PLAY) & (states["n_tricks"][rows] >= LATE)
        share = np.where(late, self.late, np.where(phase == AUCTION, self.calls, self.share))
        asked = (uniforms(states["row"][rows]) < share).astype(np.int8)
        advice = np.empty((len(rows), self.n_actions), np.float32)
        kernels.advise_rows(
            m.work, self.tables, self.whole, self.plan, m.notes, m.features, self.scratch, states, rows, asked, advice
        )  # fmt: skip
        return np.asarray(advice / self.unit)
