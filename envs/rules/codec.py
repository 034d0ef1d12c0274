"""Action ids and their names: the only module that knows action numbers (RECORD_FORMAT.md).

Ids of one `Rules` run: PASS, bids ascending, special calls, declarations, TAKE, LEAVE, discards, tiles, announced
low leads, CLAIM. The engine groups them in five *words* of at most 64 ids, so that the legal actions of a moment
are one or two bit masks.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from texas42.envs.rules.declarations import Declaration, build_declarations
from texas42.envs.rules.errors import MalformedActionError
from texas42.envs.rules.ladder import Call, build_ladder
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_ENDS, TILE_NAMES

N_WORDS = 5
AUCTION, DECLARE, DISCARD, PLAY, EXTRA = range(N_WORDS)


@dataclass(frozen=True)
class Codec:
    """Names and ids of all actions of one `Rules`.

    `bases[w]` is the first id of word `w`; `low_tiles` are the tiles of announced low leads in id order.
    """

    names: tuple[str, ...]
    bases: tuple[int, ...]
    ladder: tuple[Call, ...]
    declarations: tuple[Declaration, ...]
    low_tiles: tuple[int, ...]
    has_choice: bool
    has_claim: bool

    @property
    def n_actions(self) -> int:
        """Size of the action space."""
        return len(self.names)

    @property
    def claim(self) -> int:
        """Id of CLAIM, -1 in games without claims."""
        return self.n_actions - 1 if self.has_claim else -1

    def name(self, action: int) -> str:
        """The action in record notation.

        Raises:
            MalformedActionError: `action` is no id of these rules.
        """
        if not 0 <= action < len(self.names):
            raise MalformedActionError(f"action {action} is out of range; ids go from 0 to {len(self.names) - 1}")
        return self.names[action]

    def parse(self, text: str) -> int:
        """The id of an action in record notation; a claim's order is not part of its id.

        Raises:
            MalformedActionError: `text` names no action of these rules.
        """
        action = self._ids.get("CLAIM" if text.startswith("CLAIM ") else text)
        if action is None:
            raise MalformedActionError(f"{text!r} names no action of these rules")
        return action

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}


@lru_cache(maxsize=256)
def build_codec(rules: Rules) -> Codec:
    """The codec of some rules; all rules of the four-player double-six game have the same ids."""
    ladder = build_ladder(rules)
    declarations = build_declarations(rules)
    tiles = TILE_NAMES[: rules.n_types]
    low_tiles = [t for t in range(rules.n_types) if len(set(TILE_ENDS[t])) == 2]
    has_choice = rules.game.widow_use == "choice"
    has_claim = "marks" in rules.game.scorings
    words: list[list[str]] = [
        [row.name for row in ladder],
        [d.name for d in declarations] + (["TAKE", "LEAVE"] if has_choice else []),
        [f"DISCARD {t}" for t in tiles] if rules.setup.widow else [],
        list(tiles),
        [f"{TILE_NAMES[t]}/{TILE_ENDS[t][1]}" for t in low_tiles] + (["CLAIM"] if has_claim else []),
    ]
    bases = [sum(len(w) for w in words[:i]) for i in range(N_WORDS)]
    names = tuple(name for word in words for name in word)
    return Codec(names, tuple(bases), tuple(ladder), tuple(declarations), tuple(low_tiles), has_choice, has_claim)
