"""Which trained players come with the package, and where their files are; torch is not needed to ask."""

import difflib
from pathlib import Path

from texas42.envs.rules.rules import Rules

FOLDER = Path(__file__).parent
ENDING = ".safetensors"
USUAL = "n42pa"
"""Plays by rules that no player is named after."""
LARGEST = 4_000_000
"""Bytes that a file may have."""


def player_names() -> list[str]:
    """The players, in order of their names."""
    return sorted(path.stem for path in FOLDER.glob(f"*{ENDING}"))


def player_for(rules: Rules) -> str:
    """The player named after the preset of some rules, else `USUAL`; it need not be there, or fit."""
    return rules.base if rules.base in player_names() else USUAL


def player_path(name: str) -> Path:
    """The file of a player.

    Raises:
        ValueError: there is no player of that name.
    """
    known = player_names()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        near = f" (did you mean {close[0]!r}?)" if close else ""
        raise ValueError(f"unknown trained player {name!r}{near}; known: {', '.join(known) or 'none'}")
    return FOLDER / f"{name}{ENDING}"


def has_player(rules: Rules) -> bool:
    """Whether `player_for` these rules is there and was made for their game; needs safetensors.

    Raises:
        CheckpointError: its file is damaged.
    """
    from texas42.agents.checkpoint import fingerprint, load_checkpoint

    name = player_for(rules)
    if name not in player_names():
        return False
    header = load_checkpoint(player_path(name), groups=())
    return bool(header.field("fingerprint", dict) == fingerprint(rules))
