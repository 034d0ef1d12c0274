"""42 as an OpenSpiel game: ``import texas42.openspiel``, then ``pyspiel.load_game("python_texas42")``.

One hand of a preset, ``python_texas42(rules=moon)``. Chance decides the shaker and deals tile by tile, seat after
seat; what is left is the widow. Utilities are the rewards of the other environments: the side's score change minus the
mean of the other sides'. Needs pyspiel (``pip install open_spiel``).

OpenSpiel keeps and copies Python states by pickling their attributes; deserialise states of your own making only.
"""

import copy
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from texas42.agents.sampling import sample_worlds
from texas42.envs.engine import drivers
from texas42.envs.engine.state import MAX_SEATS, PHASE_NAMES, new_batch
from texas42.envs.options import Start, begin, tile_names
from texas42.envs.rules.codec import DISCARD, build_codec
from texas42.envs.rules.layout import build_layout
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables
from texas42.envs.rules.tiles import TILE_NAMES
from texas42.training.rollout import largest_stake

Float32 = npt.NDArray[np.float32]
_RECORD = new_batch(1).dtype
_TRIES = 1000
_PRIVATE = ("hand", "second_hand", "widow", "discards", "may_hold")

GAME_TYPE = pyspiel.GameType(
    short_name="python_texas42",
    long_name="Texas 42",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MAX_SEATS,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "n42pa"},
)


class Setting:
    """What all states of a game share; copies and pickles stand for the same one."""

    def __init__(self, name: str) -> None:
        self.name, self.rules = name, Rules.preset(name)
        self.codec = build_codec(self.rules)
        self.layout = build_layout(self.rules, self.codec)
        self.tables = compile_tables(self.rules).view(np.ndarray)
        self.deck = Counter(tile % self.rules.n_types for tile in self.rules.deck)
        self.seats, self.hand = self.rules.seats, self.rules.setup.hand
        self.discards = range(self.codec.bases[DISCARD], self.codec.bases[DISCARD + 1])

    def __deepcopy__(self, memo: Any) -> "Setting":
        return self

    def __reduce__(self) -> Any:
        return setting, (self.name,)

    def masks(self, hands: list[list[int]]) -> tuple[list[int], int]:
        """Masks of tile instances of hands given as tile types, and of the tiles left over."""
        left = sorted(self.rules.deck, reverse=True)
        masks = []
        for tiles in hands:
            mask = 0
            for tile in tiles:
                instance = next(i for i in reversed(left) if i % self.rules.n_types == tile)
                left.remove(instance)
                mask |= 1 << instance
            masks.append(mask)
        return masks, sum(1 << i for i in left)

    def types(self, mask: int) -> list[int]:
        """Tile types of a mask of instances, ascending."""
        return sorted(i % self.rules.n_types for i in self.rules.deck if mask >> i & 1)


@lru_cache(maxsize=64)
def setting(name: str) -> Setting:
    """The setting of a preset."""
    return Setting(name)


class Texas42Game(pyspiel.Game):  # type: ignore[misc]
    """One hand of a preset."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        name = (params or {}).get("rules", "n42pa")
        try:
            self.setting = setting(str(name))
        except ValueError as error:
            raise pyspiel.SpielError(str(error)) from error
        rules, codec = self.setting.rules, self.setting.codec
        stake = largest_stake(rules)
        rounds = 1 if rules.calls == "one_each" else len(codec.ladder) + 2
        length = rules.seats * (rounds + self.setting.hand) + 2 * rules.setup.widow + 4
        info = pyspiel.GameInfo(
            num_distinct_actions=codec.n_actions,
            max_chance_outcomes=max(rules.n_types, rules.seats),
            num_players=rules.seats,
            min_utility=-stake,
            max_utility=stake,
            utility_sum=0.0,
            max_game_length=length,
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self) -> "Texas42State":
        """A state in which nothing is decided yet, not even the shaker."""
        return Texas42State(self)

    def max_chance_nodes_in_history(self) -> int:
        """The shaker and every tile that goes to a hand."""
        return 1 + self.setting.seats * self.setting.hand

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Texas42Observer":
        """See `Texas42Observer`."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return Texas42Observer(self.setting, kind, params)


class Texas42State(pyspiel.State):  # type: ignore[misc]
    """A position: the deal so far, and the engine's record once it is complete."""

    def __init__(self, game: Texas42Game) -> None:
        super().__init__(game)
        self.setting = game.setting
        self.shaker = -1
        self.deal: list[int] = []
        self.record: npt.NDArray[Any] | None = None
        self.log: list[tuple[int, int]] = []
        self.paid = [0.0] * self.setting.seats

    def current_player(self) -> int:
        """The seat to move, or chance, or nobody."""
        if self.record is None:
            return int(pyspiel.PlayerId.CHANCE)
        cur = int(self.record["cur"][0])
        return cur if cur >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return self.record is not None and int(self.record["cur"][0]) < 0

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The shaker, then tile types: equal tiles of two sets are one outcome."""
        if self.shaker < 0:
            return [(seat, 1 / self.setting.seats) for seat in range(self.setting.seats)]
        left = self.setting.deck - Counter(self.deal)
        return [(tile, n / left.total()) for tile, n in sorted(left.items())]

    def _legal_actions(self, player: int) -> list[int]:
        mask = np.empty(self.setting.codec.n_actions, np.int8)
        observation = np.empty(self.setting.layout.width, np.int8)
        drivers.observe_seat(self.record, self.setting.tables, player, False, observation, mask)
        legal: list[int] = np.flatnonzero(mask).tolist()
        return legal

    def _apply_action(self, action: int) -> None:
        if self.record is None:
            if self.shaker < 0:
                self.shaker = action
            else:
                self.deal.append(action)
            if len(self.deal) == self.setting.seats * self.setting.hand:
                self._begin()
            return
        paid = np.zeros(MAX_SEATS)
        mover = int(self.record["cur"][0])
        happened, _ = drivers.take_action(self.record, self.setting.tables, action, drivers.PAY_SCORE, paid)
        if happened == drivers.ILLEGAL:
            raise pyspiel.SpielError(f"action {action} is not legal")
        self.log.append((mover, action))
        if happened != drivers.GOES_ON:
            self.paid = paid[: self.setting.seats].tolist()

    def _begin(self) -> None:
        chosen = self.setting
        masks, widow = chosen.masks([self.hand_dealt(seat) for seat in range(chosen.seats)])
        self.record = np.zeros(1, _RECORD)
        start = Start(self.shaker, None, tuple(masks), widow)
        begin(self.record, chosen.tables, chosen.rules, chosen.codec, start, (0, 0, 0), False)

    def hand_dealt(self, seat: int) -> list[int]:
        """Tile types dealt to a seat so far, ascending."""
        size = self.setting.hand
        return sorted(self.deal[seat * size : (seat + 1) * size])

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return self.setting.codec.name(action)
        if self.shaker < 0:
            return f"Shaker {action}"
        return f"Deal {TILE_NAMES[action]} to {len(self.deal) // self.setting.hand}"

    def returns(self) -> list[float]:
        """By seat what the hand brought; zero until it is over."""
        return list(self.paid)

    def __str__(self) -> str:
        hands = [" ".join(TILE_NAMES[tile] for tile in self.hand_dealt(seat)) for seat in range(self.setting.seats)]
        calls = ", ".join(f"{seat} {self.setting.codec.names[action]}" for seat, action in self.log)
        return f"shaker {self.shaker}; {' | '.join(hands)}; {calls}"

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> "Texas42State":
        """A state that `player` cannot tell from this one, its hidden tiles dealt anew.

        Deals are uniform over all that fit; hidden discards are made up to fit the deal.

        Args:
            player: the seat that wonders.
            rng: gives numbers from 0 to 1, as OpenSpiel's `UniformProbabilitySampler` does.

        Raises:
            pyspiel.SpielError: the deal is not complete.
        """
        if self.record is None:
            raise pyspiel.SpielError("nothing to deal anew: the deal is not complete")
        wanted = self.information_state_string(player)
        for _ in range(_TRIES):
            other = self._dealt_anew(player, int(rng() * 2**53))
            if other is not None and other.information_state_string(player) == wanted:
                return other
        raise pyspiel.SpielError(f"no deal found that fits what player {player} knows")

    def _dealt_anew(self, player: int, key: int) -> "Texas42State | None":
        """One try; None where made-up discards were not legal."""
        chosen, record = self.setting, self.record
        assert record is not None
        world = sample_worlds(chosen.rules, record, player, 1, key)
        hands = [chosen.types(int(mask)) for mask in world.hands[0]]
        for seat, action in self.log:
            tile = self._tile_played(action)
            if tile is not None:
                hands[seat].append(tile)
        discards = [action for _, action in self.log if action in chosen.discards]
        bidder = int(record["bidder"][0])
        if bidder >= 0 and len(hands[bidder]) + len(discards) > chosen.hand:  # the widow came to his hand
            if player == bidder:
                hands[bidder] = self.hand_dealt(bidder)
            else:
                rng = np.random.default_rng(key)
                hidden = chosen.types(int(world.out[0])) + chosen.types(int(record["shown"][0]))
                discards = [chosen.discards[tile] for tile in rng.permutation(hidden).tolist()]
                hands[bidder] = rng.permutation([*hands[bidder], *hidden]).tolist()[: chosen.hand]
        return self._replayed(hands, discards)

    def _tile_played(self, action: int) -> int | None:
        codec = self.setting.codec
        first = codec.bases[DISCARD + 1]
        if action == codec.claim or action < first:
            return None
        n = self.setting.rules.n_types
        return action - first if action < first + n else codec.low_tiles[action - first - n]

    def _replayed(self, hands: list[list[int]], discards: list[int]) -> "Texas42State | None":
        """The same shaker and actions with other hands; discards in turn from the list."""
        state: Texas42State = self.get_game().new_initial_state()
        state.apply_action(self.shaker)
        for tile in (tile for hand in hands for tile in hand):
            state.apply_action(tile)
        pending = iter(discards)
        for seat, action in self.log:
            action = next(pending) if action in self.setting.discards else action
            if state.current_player() != seat or action not in state.legal_actions():
                return None
            state.apply_action(action)
        return state


class Texas42Observer:
    """What a player sees, as named pieces of the environments' observation (docs/OBSERVATION.md).

    With perfect recall they are complete; without, the won tricks that the rules turn down are left out. Pieces that
    are private are there only if private information is asked for; `hidden`, the other hands, only if everybody's is.
    """

    def __init__(self, chosen: Setting, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are not supported: {params}")
        self.setting, self.kind = chosen, kind
        private = kind.private_info != pyspiel.PrivateInfoType.NONE
        everybody = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        self.pieces = [
            piece
            for piece in chosen.layout.pieces.values()
            if piece.size and (private if piece.name in _PRIVATE else kind.public_info)
        ]
        hidden = chosen.layout.hidden_width if everybody else 0
        self.tensor: Float32 = np.zeros(chosen.seats + sum(p.size for p in self.pieces) + hidden, np.float32)
        self.dict: dict[str, Float32] = {"player": self.tensor[: chosen.seats]}
        start = chosen.seats
        for piece in self.pieces:
            self.dict[piece.name] = self.tensor[start : start + piece.size].reshape(piece.shape)
            start += piece.size
        if hidden:
            self.dict["hidden"] = self.tensor[start:]

    def set_from(self, state: Texas42State, player: int) -> None:
        """Write `tensor` and, with it, `dict`."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if state.record is None:
            if "hand" in self.dict:
                self._write_partial_hand(state, player)
            return
        chosen = self.setting
        seen = np.empty(chosen.layout.width, np.int8)
        mask = np.empty(chosen.codec.n_actions, np.int8)
        drivers.observe_seat(state.record, chosen.tables, player, not self.kind.perfect_recall, seen, mask)
        for piece in self.pieces:
            self.dict[piece.name][...] = seen[piece.start : piece.start + piece.size].reshape(piece.shape)
        if "hidden" in self.dict:
            hidden = np.empty((1, chosen.layout.hidden_width), np.int8)
            drivers.hidden_batch(state.record, chosen.tables[0], np.array([player]), hidden)
            self.dict["hidden"][:] = hidden[0]

    def _write_partial_hand(self, state: Texas42State, player: int) -> None:
        for tile, n in Counter(state.hand_dealt(player)).items():
            self.dict["hand"][:n, tile] = 1

    def string_from(self, state: Texas42State, player: int) -> str:
        """With perfect recall who did what since the deal, otherwise what lies on the table."""
        private = self.kind.private_info != pyspiel.PrivateInfoType.NONE
        parts = [f"player {player}", f"shaker {state.shaker}"]
        if private:
            parts.append("hand " + " ".join(TILE_NAMES[tile] for tile in state.hand_dealt(player)))
        if not self.kind.perfect_recall:
            self.set_from(state, player)
            lit = ((name, np.flatnonzero(piece).tolist()) for name, piece in self.dict.items())
            return "; ".join(f"{name} {ids}" for name, ids in lit if ids)
        if state.record is not None:
            parts += self._seen_of_widow(state, player) if private else []
            parts.append(PHASE_NAMES[int(state.record["phase"][0])])  # a count widow skips a phase
            parts.append("shown " + " ".join(tile_names(self.setting.rules, int(state.record["shown"][0]))))
        names = self.setting.codec.names
        for seat, action in state.log:
            hidden = action in self.setting.discards and not (private and seat == player)
            parts.append(f"{seat} {'DISCARD' if hidden else names[action]}")
        return "; ".join(parts)

    def _seen_of_widow(self, state: Texas42State, player: int) -> list[str]:
        view = copy.deepcopy(state.record)
        drivers.blank_batch(view, self.setting.tables[0], np.array([player]))
        assert view is not None
        return ["widow " + " ".join(tile_names(self.setting.rules, int(view["widow"][0])))]


pyspiel.register_game(GAME_TYPE, Texas42Game)
