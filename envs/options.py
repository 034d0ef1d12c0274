"""Options of ``reset``: a given shaker, scores, deal and a legal prefix, for every shell alike.

`parse_options` checks what does not depend on the position, `begin` builds the position in a record of the
caller's; both raise before anything of an environment has changed.
"""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from texas42.envs.engine import drivers
from texas42.envs.engine.state import MAX_SEATS, MAX_TRICKS, Batch
from texas42.envs.errors import IllegalActionError, MalformedActionError, OptionsError, whole_option
from texas42.envs.rules.codec import Codec
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES, parse_tile

OPTIONS: dict[str, str] = {
    "shaker": "seat of the shaker",
    "scores": "score of each side before the hand",
    "hands": "per seat the tiles dealt, as a list or as text: '6-6 6-5 ...'",
    "widow": "tiles left over from the deal; by default what `hands` leaves",
    "actions": "legal actions in record notation, applied before the first observation",
    "stream": "[seed, row, episode, hand]: whose deals these are; hands after this one follow from it",
}
"""Name and meaning of every option."""

_TOLERATED = {"options"}  # PettingZoo's api_test passes {"options": 1}
_LIMIT = 1_000_000  # of a score; far from the limits of the record's integers


@dataclass(frozen=True)
class Start:
    """A start position as asked for. `hands` and `widow` are masks of tile instances."""

    shaker: int | None = None
    scores: tuple[int, ...] | None = None
    hands: tuple[int, ...] | None = None
    widow: int = 0
    actions: tuple[str, ...] = ()
    stream: tuple[int, int, int, int] | None = None


def parse_options(rules: Rules, options: Mapping[str, object] | None) -> Start:
    """Check ``reset(options=...)``.

    Raises:
        OptionsError: an unknown option or a bad value; the message names both and what is allowed.
    """
    if options is None:
        return Start()
    if not isinstance(options, Mapping):
        raise OptionsError(f"options must be a mapping, not {options!r}")
    for name in options:
        if name not in OPTIONS and name not in _TOLERATED:
            close = difflib.get_close_matches(str(name), OPTIONS, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise OptionsError(f"unknown option {name!r}{hint}; options: {', '.join(OPTIONS)}")
    given = {name: options.get(name) for name in OPTIONS}
    hands, widow = _deal(rules, given["hands"], given["widow"])
    return Start(
        None if given["shaker"] is None else whole_option("shaker", given["shaker"], 0, rules.seats - 1),
        None if given["scores"] is None else _scores(rules, given["scores"]),
        hands,
        widow,
        () if given["actions"] is None else _texts("actions", given["actions"], "a list of actions as texts"),
        None if given["stream"] is None else _stream(given["stream"]),
    )


def _entries(place: str, value: object, length: int, of: str) -> Sequence[object]:
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) != length:
        raise OptionsError(
            f"{place}={value!r} is not allowed; allowed: a list of {length}, one for each {of}"
        )
    return value  # type: ignore[return-value]


def _scores(rules: Rules, value: object) -> tuple[int, ...]:
    entries = _entries("scores", value, rules.sides, "side")
    low = -_LIMIT if rules.scoring == "signed_points" or rules.set_award_solo == "bidder_loses" else 0
    scores = tuple(whole_option(f"scores[{i}]", entry, low, _LIMIT) for i, entry in enumerate(entries))
    if _is_over(rules, scores):
        raise OptionsError(
            f"scores={list(scores)} is not allowed: the game to {rules.target} is over by then"
        )
    return scores


def _is_over(rules: Rules, scores: tuple[int, ...]) -> bool:
    """Whether a game must have ended at these scores, whatever the last hand was (RULES.md f.4)."""
    reached = [score for score in scores if score >= rules.target]
    if rules.win_by_two:
        return bool(reached) and sorted(scores)[-1] - sorted(scores)[-2] >= 2
    return len(reached) == 1 or (rules.scoring == "marks" and bool(reached))


def _stream(value: object) -> tuple[int, int, int, int]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 4:
        raise OptionsError(f"stream={value!r} is not allowed; allowed: [seed, row, episode, hand]")
    seed, row, episode, hand = (whole_option(f"stream[{i}]", v, 0, 2**64 - 1) for i, v in enumerate(value))
    return seed, row, episode, hand


def _texts(place: str, value: object, allowed: str) -> tuple[str, ...]:
    sequence = isinstance(value, Sequence) and not isinstance(value, str)
    if not sequence or not all(isinstance(text, str) for text in value):  # type: ignore[attr-defined]
        raise OptionsError(f"{place}={value!r} is not allowed; allowed: {allowed}")
    return tuple(value)  # type: ignore[arg-type]


def _deal(rules: Rules, hands: object, widow: object) -> tuple[tuple[int, ...] | None, int]:
    """Instance masks of a given deal; the first copy named of a double tile is copy 0."""
    if hands is None:
        if widow is not None:
            raise OptionsError(f"widow={widow!r} needs hands: it is what they leave")
        return None, 0
    left = Counter(tile % rules.n_types for tile in rules.deck)
    entries = _entries("hands", hands, rules.seats, "seat")
    masks = [
        _take(rules, left, f"hands[{seat}]", tiles, rules.setup.hand) for seat, tiles in enumerate(entries)
    ]
    rest = [TILE_NAMES[tile] for tile in left.elements()]
    return tuple(masks), _take(rules, left, "widow", rest if widow is None else widow, rules.setup.widow)


def _take(rules: Rules, left: Counter[int], place: str, value: object, size: int) -> int:
    """Take the tiles named out of `left`; their instance mask."""
    tiles = value.split() if isinstance(value, str) else value
    names = _texts(place, tiles, "a list of tiles, such as ['6-6', '5-4']")
    if len(names) != size:
        raise OptionsError(f"{place}: {len(names)} tiles ({' '.join(names)}); allowed: {size}")
    mask = 0
    for name in names:
        try:
            tile = parse_tile(name)
        except MalformedActionError as error:
            raise OptionsError(f"{place}: {error}") from error
        if not left[tile]:
            raise OptionsError(f"{place}: {name} is not in the deck, or was already dealt")
        left[tile] -= 1
        lowest_free = sum(i % rules.n_types == tile for i in rules.deck) - 1 - left[tile]
        mask |= 1 << (tile + lowest_free * rules.n_types)
    return mask


def begin(
    states: Batch,
    tables: Batch,
    rules: Rules,
    codec: Codec,
    start: Start,
    stream: tuple[int, int, int],
    whole_game: bool,
) -> list[int]:
    """Put row 0 of `states` at the start position; `stream` is (seed, row, episode) unless `start` names one.

    Returns:
        The actions taken since the last deal.

    Raises:
        MalformedActionError: one of `start.actions` names no action.
        IllegalActionError: one of them is not legal where it stands.
        OptionsError: they end the episode.
    """
    seed, row, episode, hand = start.stream or (*stream, 0)
    key = (np.uint64(seed), np.uint64(row), np.uint64(episode), np.uint64(hand))
    drivers.start_at(states, tables, *key, int(whole_game))
    if start.shaker is not None or start.scores is not None or start.hands is not None:
        _override(states, tables, rules, start)
    history: list[int] = []
    for index, text in enumerate(start.actions):
        happened = apply_text(states, tables, rules, codec, text, f"actions[{index}]")
        if happened in (drivers.FINISHED, drivers.TRUNCATED):
            raise OptionsError(f"actions[{index}] {text!r} ends the episode; give only the actions before it")
        history = [*history, codec.parse(text)] if happened == drivers.GOES_ON else []
    return history


def _override(states: Batch, tables: Batch, rules: Rules, start: Start) -> None:
    if start.shaker is not None:
        states["shaker"] = start.shaker
    if start.scores is not None:
        states["scores"][0, : rules.sides] = start.scores
    if start.hands is not None:
        states["hands"][0, : rules.seats] = np.array(start.hands, np.uint64)
        states["widow"] = np.uint64(start.widow)
    drivers.reopen(states, tables)


def apply_text(
    states: Batch, tables: Batch, rules: Rules, codec: Codec, text: str, place: str = "action"
) -> int:
    """Apply an action in record notation to row 0, a claim with the order it states; what happened.

    Raises:
        MalformedActionError: `text` names no action, or a claim states other tiles than those in hand.
        IllegalActionError: it is not legal now; the record is unchanged.
    """
    try:
        action = codec.parse(text)
    except MalformedActionError as error:
        raise MalformedActionError(f"{place}: {error}") from error
    legal = legal_names(states, tables, codec)
    if codec.names[action] not in legal:
        raise IllegalActionError(
            f"{place}: {text} is not legal; legal: {', '.join(legal) or 'nothing, it is over'}"
        )
    if text.startswith("CLAIM "):
        drivers.claim_in_order(states, tables, _claim_order(states, rules, text, place))
        return (drivers.HAND_ENDED, drivers.FINISHED, drivers.TRUNCATED)[int(states["done"][0])]
    happened, _ = drivers.take_action(states, tables, action, drivers.PAY_SCORE, np.empty(MAX_SEATS))
    return int(happened)


def _claim_order(states: Batch, rules: Rules, text: str, place: str) -> npt.NDArray[np.uint8]:
    """The claimant's order, uint8 (MAX_TRICKS,): each tile of the hand once (f.3.13)."""
    names = text.split()[1:]
    hand = tile_names(rules, int(states["hands"][0, states["cur"][0]]))
    if Counter(names) != Counter(hand):
        raise MalformedActionError(f"{place}: {text!r} must name every tile in hand once: {' '.join(hand)}")
    order = [parse_tile(name) for name in names]
    return np.array(order + [0] * (MAX_TRICKS - len(order)), np.uint8)


def tile_names(rules: Rules, mask: int) -> list[str]:
    """The tiles of an instance mask, ascending; a tile held twice stands twice."""
    types = sorted(i % rules.n_types for i in rules.deck if mask >> i & 1)
    return [TILE_NAMES[tile] for tile in types]


def legal_names(states: Batch, tables: Batch, codec: Codec) -> list[str]:
    """The legal actions of row 0 in record notation, in id order."""
    mask = np.zeros((1, codec.n_actions), np.int8)
    drivers.mask_batch(states, tables[0], states["cur"].astype(np.int64), mask)
    return [codec.names[i] for i in np.flatnonzero(mask)]
