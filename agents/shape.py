"""Sizes of a network: plain numbers that follow from the rules and a few choices, and stand in a checkpoint."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.layout import build_layout
from texas42.envs.rules.rules import Rules

READ_PIECES = ("hand", "bidder", "declaration", "table", "lead_suit", "winning", "may_hold", "to_make", "to_set")
"""Pieces of the observation that a network looks into; it takes all of them as they come, too."""
MAX_WIDTH, MAX_LAYERS = 8192, 32


@dataclass(frozen=True)
class Shape:
    """Sizes of a network.

    Attributes:
        observation, hidden: widths of the observation and of what only the critic sees besides.
        actions: number of action ids.
        heads: first id, and last id + 1, of the actions of the auction, of the declaration (with widow and discards)
            and of the play.
        pieces: ``(start, size)`` of each of `READ_PIECES` in the observation.
        others, sides, tiles, copies: other seats, sides, tile types, copies of each.
        width, layers: units of a hidden layer, number of hidden layers.
        slots: tiles a hand can hold.
        tile_width: units of the layers that read each tile of the hand, 0 for none, nor any for declarations.
    """

    observation: int
    hidden: int
    actions: int
    heads: tuple[tuple[int, int], ...]
    pieces: tuple[tuple[int, int], ...]
    others: int
    sides: int
    tiles: int
    copies: int
    width: int = 256
    layers: int = 3
    slots: int = 0
    tile_width: int = 0

    @staticmethod
    def of(rules: Rules, width: int, layers: int, tile_width: int = 64) -> "Shape":
        """The shape for some rules."""
        codec = build_codec(rules)
        layout = build_layout(rules, codec)
        _, declaration, _, play, _ = codec.bases
        return Shape(
            observation=layout.width,
            hidden=layout.hidden_width,
            actions=codec.n_actions,
            heads=((0, declaration), (declaration, play), (play, codec.n_actions)),
            pieces=tuple((layout.pieces[name].start, layout.pieces[name].size) for name in READ_PIECES),
            others=rules.seats - 1,
            sides=rules.sides,
            tiles=rules.n_types,
            copies=rules.game.copies,
            width=width,
            layers=layers,
            slots=min(rules.setup.hand + rules.setup.widow, rules.n_types),
            tile_width=tile_width,
        )

    def piece(self, name: str) -> tuple[int, int]:
        """Start and size of one of `READ_PIECES`."""
        return self.pieces[READ_PIECES.index(name)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a checkpoint."""
        return asdict(self)

    @staticmethod
    def sizes_in(data: Mapping[str, Any]) -> tuple[int, int, int]:
        """Width, layers and tile width of what `to_dict` wrote; the rest follows from the rules.

        Raises:
            ValueError: missing, or out of range.
        """
        found = []
        for name, low, high in (
            ("width", 1, MAX_WIDTH),
            ("layers", 1, MAX_LAYERS),
            ("tile_width", 0, MAX_WIDTH),
        ):
            value = data.get(name)
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"its {name} is {value!r}, not a whole number from {low} to {high}")
            found.append(value)
        return found[0], found[1], found[2]
