"""What callers give the solver: hands as tile names, ids or bit sets, or a state of the engine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from texas42.envs.engine.state import PHASE_NAMES, PLAY, STATE, new_batch
from texas42.envs.errors import MalformedActionError
from texas42.envs.rules.codec import Codec, build_codec
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tiles import TILE_NAMES, parse_tile

Hand = int | Sequence[str] | Sequence[int] | str
Masks = npt.NDArray[np.uint64]


class SolverError(ValueError):
    """A position or a question that the solver cannot take; the message says why."""


def hand_masks(rules: Rules, hands: Sequence[Hand]) -> Masks:
    """Bit sets of the hands, uint64 (seats,).

    A hand is a bit set of tile instances, a list of tile names or instances, or names in one string.

    Raises:
        SolverError: wrong number of hands, a tile unknown, not in the deck or held twice, or unequal hands.
    """
    if len(hands) != rules.seats:
        raise SolverError(f"{len(hands)} hands given; these rules have {rules.seats} seats")
    masks: list[int] = []
    for seat, hand in enumerate(hands):
        mask = _mask(rules, seat, hand, sum(masks))
        if any(mask & other for other in masks):
            raise SolverError(f"hand of seat {seat}: {_names(rules, mask & sum(masks))} is also in another hand")
        masks.append(mask)
    sizes = [m.bit_count() for m in masks]
    if len(set(sizes)) != 1 or sizes[0] == 0:
        raise SolverError(f"hands must hold equally many tiles, at least one; they hold {sizes}")
    return np.array(masks, np.uint64)


def one_hand(rules: Rules, hand: Hand) -> int:
    """Bit set of one hand of any size.

    Raises:
        SolverError: a tile unknown, not in the deck, or given twice.
    """
    return _mask(rules, 0, hand, 0)


def _names(rules: Rules, mask: int) -> str:
    return ", ".join(TILE_NAMES[i % rules.n_types] for i in range(64) if mask >> i & 1)


def _mask(rules: Rules, seat: int, hand: Hand, elsewhere: int) -> int:
    deck = sum(1 << i for i in rules.deck)
    if isinstance(hand, int | np.integer):
        mask = int(hand)
        if mask < 0 or mask & ~deck:
            raise SolverError(f"hand of seat {seat}: {hand} holds tiles that are not in the deck")
        return mask
    mask = 0
    for item in hand.split() if isinstance(hand, str) else hand:
        mask |= _instance(rules, seat, item, mask | elsewhere)
    return mask


def _instance(rules: Rules, seat: int, item: str | int, taken: int) -> int:
    """The bit of one tile; of two equal tiles the first that is free."""
    if isinstance(item, str):
        try:
            tile = parse_tile(item)
        except MalformedActionError as error:
            raise SolverError(f"hand of seat {seat}: {error}") from error
        copies = [tile + k * rules.n_types for k in range(rules.game.copies)]
    else:
        copies = [int(item)]
    copies = [i for i in copies if i in rules.deck]
    if not copies:
        raise SolverError(f"hand of seat {seat}: {item!r} is not in the deck of these rules")
    free = [i for i in copies if not taken >> i & 1]
    if not free:
        raise SolverError(f"hand of seat {seat}: {item} is given more often than the deck has it")
    return 1 << free[0]


def declaration_id(rules: Rules, declaration: str | int) -> int:
    """Number of a declaration given by its name in the record notation, such as ``PIP5`` or ``NELLO-own``.

    Raises:
        SolverError: the game has no such declaration.
    """
    names = [d.name for d in build_codec(rules).declarations]
    if isinstance(declaration, int | np.integer) and 0 <= declaration < len(names):
        return int(declaration)
    if declaration in names:
        return names.index(str(declaration))
    raise SolverError(f"declaration {declaration!r} is unknown; known: {', '.join(names)}")


def seat_number(rules: Rules, name: str, seat: int) -> int:
    """A seat, checked.

    Raises:
        SolverError: no such seat.
    """
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < rules.seats:
        raise SolverError(f"{name}={seat!r} is no seat; seats are 0 to {rules.seats - 1}")
    return int(seat)


def state_record(position: Any) -> Any:
    """A state of the engine as a record that kernels take, checked.

    Raises:
        SolverError: not one record of `STATE`, not in the phase PLAY, or a view with hidden hands.
    """
    array = np.atleast_1d(np.asarray(position))
    if array.dtype != STATE or array.shape != (1,):
        raise SolverError(f"a state must be one record of STATE, not shape {array.shape} of {array.dtype}")
    batch = new_batch(1)
    batch[:] = array
    state = batch[0]
    if state.phase != PLAY:
        phase = PHASE_NAMES[int(state.phase)]
        raise SolverError(f"the state is in the phase {phase}; the solver takes positions of the phase play")
    return state


def action_name(codec: Codec, tile: int, low: bool) -> str:
    """A play in the record notation: ``6-4``, or ``7-3/3`` with the low end announced."""
    name = TILE_NAMES[tile]
    return f"{name}/{name[-1]}" if low else name
