"""Write docs/OBSERVATION.md from the list of pieces that the engine itself uses.

    python scripts/observation_docs.py            write the file
    python scripts/observation_docs.py --check    exit with 1 if it is out of date
"""

import argparse
import sys
from pathlib import Path

from texas42.envs.rules.codec import Codec, build_codec
from texas42.envs.rules.layout import SCORE_STEPS, Layout, build_layout
from texas42.envs.rules.presets import PRESETS
from texas42.envs.rules.rules import Rules

TARGET = Path(__file__).resolve().parent.parent / "docs" / "OBSERVATION.md"
GROUPS = ("calls", "declarations", "TAKE, LEAVE", "discards", "tiles led or played", "announced low leads", "claim")

INTRODUCTION = f"""# The observation

This file is written by `scripts/observation_docs.py` from `envs/rules/layout.py`; a test fails where it is out of
date. The engine that fills it in is `envs/engine/observe.py`.

An observation is one `int8` vector of zeros and ones. It is made of the pieces below, each in C order, one after
the other; pieces of size 0 are left out of a table. `game.layout.slice("hand")` is the slice of a piece,
`game.layout.pieces["hand"].shape` its shape.

- **Seats are relative to the observer**: 0 is me, then clockwise. Sides: mine first, then in the order of the
  seats.
- **Tiles** stand in the order 0-0, 1-0, 1-1, 2-0, ... In games with two sets the second row says that there are
  two of a kind; a copy is never told from the other.
- **Perfect recall**: who called what and in which order, the declaration, and which tile was played by whom, in
  which trick and at which place can be read back from one observation (`tests/support/recall.py` does it).
  With `recall="table"` the tricks that `won_tricks_visibility` turns down are left out, and the inferences that
  rest on them.
- **Thermometers**: the first k elements are 1. Scores have {SCORE_STEPS} steps from 0 to the target, clipped at
  both ends; points needed have a step a point, since one point decides a hand. Exact scores are in the view.
- **`may_hold`** never excludes a tile that is there. It uses what a player could not follow and nothing else:
  the tiles of a player who sits out may be anything unseen.
- **The mask** has one element for each action id and is all zero unless the observer is to move.
- **The hidden part** (`game.hidden()`), for a central critic only: the other hands by relative seat, then, where
  there is a widow, the widow and the discards; tiles as above.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Write docs/OBSERVATION.md.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    if parser.parse_args().check:
        return 0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == document() else 1
    TARGET.write_text(document(), encoding="utf-8")
    return 0


def document() -> str:
    """The whole file."""
    groups = layouts()
    parts = [INTRODUCTION, summary(groups)]
    parts += [section(presets, layout, codec) for presets, layout, codec in groups]
    return "\n".join(parts)


def layouts() -> list[tuple[list[str], Layout, Codec]]:
    """Presets that share a layout and ids, with both."""
    found: list[tuple[list[str], Layout, Codec]] = []
    for preset in PRESETS:
        rules = Rules.preset(preset)
        codec = build_codec(rules)
        layout = build_layout(rules, codec)
        for presets, other, ids in found:
            if (other, ids.names) == (layout, codec.names):
                presets.append(preset)
                break
        else:
            found.append(([preset], layout, codec))
    return found


def summary(groups: list[tuple[list[str], Layout, Codec]]) -> str:
    """Sizes of all games at a glance."""
    lines = ["## Sizes", "", "| presets | observation | actions | hidden part |", "|---|---|---|---|"]
    for presets, layout, codec in groups:
        names = ", ".join(f"`{preset}`" for preset in presets)
        lines.append(f"| {names} | {layout.width} | {codec.n_actions} | {layout.hidden_width} |")
    return "\n".join(lines) + "\n"


def section(presets: list[str], layout: Layout, codec: Codec) -> str:
    """The pieces and the action ids of one layout."""
    lines = [f"## {', '.join(presets)}", "", "| piece | from | shape | meaning |", "|---|---|---|---|"]
    for piece in layout.pieces.values():
        if piece.size:
            shape = " × ".join(str(length) for length in piece.shape)
            lines.append(f"| `{piece.name}` | {piece.start} | {shape} | {piece.meaning} |")
    lines += ["", "| action ids | what | names |", "|---|---|---|"]
    for first, last, what in id_ranges(codec):
        names = f"`{codec.names[first]}`" + (f" … `{codec.names[last]}`" if last > first else "")
        lines.append(f"| {first}–{last} | {what} | {names} |")
    return "\n".join(lines) + "\n"


def id_ranges(codec: Codec) -> list[tuple[int, int, str]]:
    """First and last id of every group that the game has."""
    declare, discard, play, low = codec.bases[1:]
    choice = discard - (2 if codec.has_choice else 0)
    claim = codec.n_actions - (1 if codec.has_claim else 0)
    edges = [0, declare, choice, discard, play, low, claim, codec.n_actions]
    found = zip(edges, edges[1:], GROUPS, strict=False)
    return [(first, end - 1, what) for first, end, what in found if end > first]


if __name__ == "__main__":
    sys.exit(main())
