"""A slow, plain rules oracle for every variant, written from RULES.md and independent of any engine."""

from oracle.auction import complete_auctions
from oracle.errors import IllegalAction, OracleError
from oracle.games import hand_sizes, tile_set
from oracle.hand import Hand
from oracle.params import PRESETS, resolve_rules
from oracle.records import replay, start
from oracle.scoring import game_winners
from oracle.tricks import closest, followers, lead_suit, rank, suits, trick_winner

__all__ = [
    "PRESETS",
    "Hand",
    "IllegalAction",
    "OracleError",
    "closest",
    "complete_auctions",
    "followers",
    "game_winners",
    "hand_sizes",
    "lead_suit",
    "rank",
    "replay",
    "resolve_rules",
    "start",
    "suits",
    "tile_set",
    "trick_winner",
]
