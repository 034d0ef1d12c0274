"""Play in the terminal against agents.

At your turn the table and your legal actions are shown; type one of them, or enough of it to be clear: 6-4, 64
or 4-6 for a tile, 31 for P31, p for PASS. 'help' explains, 'quit' ends. With one legal action, Enter takes it.
"""

import argparse
import io
import secrets
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from texas42.commands.common import (
    MAX_SEED,
    SPECS,
    CommandError,
    add_rules_arguments,
    as_command_error,
    rules_from,
    whole_number,
)

if TYPE_CHECKING:
    from texas42.agents.base import Agent
    from texas42.envs.batch import BatchedGame
    from texas42.envs.rules.rules import Rules

HELP = "play in the terminal against agents"

HELP_TEXT = """  PASS                pass               P31, 31      bid 31 points
  M1, M2              bid one, two marks (42, 84)
  PIP5                fives are trumps   DBL          doubles are trumps
  NT-high             no trumps          6-4, 64      play the tile 6-4
  legal               list the legal actions again
  table               show the table again
  quit                leave
Enough of an action's name to be clear will do; with one legal action, Enter takes it."""


class Quit(Exception):
    """The person has had enough."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 play``."""
    add_rules_arguments(parser)
    parser.add_argument("--seat", type=whole_number(0, 7), default=0, metavar="N", help="your seat; default 0")
    parser.add_argument(
        "--agents",
        nargs="+",
        metavar="SPEC",
        help="the other players, clockwise from your left; one SPEC stands for all of them; default the trained player "
        f"of the game if there is one and torch is installed, else heuristic; {SPECS}",
    )
    parser.add_argument(
        "--seed", type=whole_number(0, MAX_SEED), metavar="S", help="seed of the deals and agents; default random"
    )
    parser.add_argument(
        "--episode", choices=("hand", "game"), default="hand", help="one hand (default) or a whole game"
    )


def run(args: argparse.Namespace) -> int:
    """Seat everybody and play."""
    rules = rules_from(args)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what cannot be read is not understood
    if args.seat >= rules.players:
        raise CommandError(f"--seat {args.seat} is not at this table; seats: 0 to {rules.players - 1}")
    others = _seat_agents(rules, args.seat, args.agents or [_default_spec(rules)])
    seed = secrets.randbits(32) if args.seed is None else args.seed
    print(f"You are seat {args.seat} of {rules.seats}; --seed {seed} deals the same again. 'help' explains.")
    print(f"{_players(rules, args.seat, others)}\n")
    try:
        _play(rules, args.seat, others, args.episode, seed)
    except Quit:
        print("Bye.")
    except (EOFError, KeyboardInterrupt):
        print("\nBye.")
    return 0


def _own(rules: "Rules", person: int, seat: int) -> bool:
    """Whether a seat is the person's: two seats each are opposite ones."""
    return seat % rules.players == person


def _default_spec(rules: "Rules") -> str:
    """The trained player of the game, else ``heuristic``, with a line on why."""
    if find_spec("torch") is None or find_spec("safetensors") is None:
        why = "trained players need torch; in the clone: pip install '.[train]'"
    else:
        from texas42.agents.checkpoint import CheckpointError
        from texas42.agents.pretrained.files import has_player

        with as_command_error(CheckpointError):
            if has_player(rules):
                return "pretrained"
        why = "no trained player of this game comes with the package"
    print(f"The others play by heuristic ({why}).", file=sys.stderr)
    return "heuristic"


def _seat_agents(rules: "Rules", person: int, specs: Sequence[str]) -> "dict[int, Agent]":
    """An agent for every seat that is not the person's."""
    from texas42.agents.specs import SpecError, make_agent

    players = [(person + k) % rules.players for k in range(1, rules.players)]
    if len(specs) not in (1, len(players)):
        raise CommandError(f"--agents: {len(specs)} given; write 1, or {len(players)}, clockwise from your left")
    with as_command_error(SpecError):
        made = {spec: make_agent(spec, rules) for spec in dict.fromkeys(specs)}
    chosen = dict(zip(players, list(specs) * (len(players) // len(specs)), strict=True))
    seats = [seat for seat in range(rules.seats) if not _own(rules, person, seat)]
    return {seat: made[chosen[seat % rules.players]] for seat in seats}


def _names(rules: "Rules", person: int) -> list[str]:
    """What the seats are called at the person's table."""
    if rules.seats == 4 and rules.sides == 2 and not rules.two_seats_each:
        around = ["you", "left", "partner", "right"]
        return [around[(seat - person) % 4] for seat in range(4)]
    own = [seat for seat in range(rules.seats) if _own(rules, person, seat)]
    titles = {seat: "you" if len(own) == 1 else f"you-{seat}" for seat in own}
    return [titles.get(seat, f"player-{seat}") for seat in range(rules.seats)]


def _players(rules: "Rules", person: int, others: "dict[int, Agent]") -> str:
    """Who plays the other seats."""
    names = _names(rules, person)
    players = dict.fromkeys(agent.name for agent in others.values())
    seats = {player: [names[seat] for seat, agent in others.items() if agent.name == player] for player in players}
    return "; ".join(f"{', '.join(seats[player])}: {player}" for player in players)


def _play(rules: "Rules", person: int, others: "dict[int, Agent]", episode: str, seed: int) -> None:
    import numpy as np

    from texas42.agents.arena import decision_keys, decisions_for
    from texas42.envs.batch import BatchedGame
    from texas42.envs.rendering import step_text

    game = BatchedGame(rules, 1, episode=episode, auto_reset=False)
    game.reset(seed)
    names = _names(rules, person)
    for agent in {id(agent): agent for agent in others.values()}.values():
        agent.reset(game.states["row"].copy())
    steps = np.zeros(1, np.int64)
    while not game.done[0]:
        seat = int(game.movers[0])
        if seat in others:
            decisions = decisions_for(game, np.zeros(1, np.int64), decision_keys(game, seed, steps))
            action = int(others[seat].act(decisions)[0])
        else:
            action = _ask(game, seat, names)
        before = game.states[0].copy()
        game.step([action])
        print("\n".join(step_text(before, game.states[0], action, rules, game.codec, names)))
        steps += 1


def _ask(game: "BatchedGame", seat: int, names: Sequence[str]) -> int:
    """The person's action: shows the table, then asks until the answer is clear."""
    from texas42.envs.rendering import table_text

    legal = game.legal_names(0)
    table = "\n" + table_text(game.states[0], game.rules, game.codec, seat=seat, names=names)
    print(f"{table}\nLegal: {' '.join(legal)}" if len(legal) > 1 else f"{table}\nOnly {legal[0]} is legal.")
    while True:
        answer = input(f"{names[seat]}> ").strip()
        if not sys.stdin.isatty():
            print(answer)  # a terminal shows what is typed, a pipe does not
        word = answer.lower()
        if word in ("q", "quit", "exit"):
            raise Quit
        if word in ("h", "help", "?"):
            print(HELP_TEXT)
        elif word == "table":
            print(table)
        elif word == "legal":
            print("Legal: " + " ".join(legal))
        else:
            found = find_action(answer, legal)
            if len(found) == 1:
                return game.codec.parse(found[0])
            print(_complaint(answer, found, legal, game.codec.names))


def find_action(answer: str, legal: Sequence[str]) -> list[str]:
    """The legal actions an answer may mean: by name, by a common short form, or by the start of a name."""
    word = " ".join(answer.upper().split())
    if not word:
        return list(legal) if len(legal) == 1 else []
    for reading in (_names_of, _short_forms):
        found = [name for name in legal if word in reading(name)]
        if found:
            return found
    return [name for name in legal if name.upper().startswith(word)]


def _names_of(name: str) -> Iterable[str]:
    return (name.upper(),)


def _short_forms(name: str) -> Iterable[str]:
    """Tiles in either order and without the dash, bids without their letter, discards without the word."""
    tile = name.removeprefix("DISCARD ")
    if len(tile) == 3 and tile[1] == "-":
        high, low = tile[0], tile[2]
        return (tile, f"{low}-{high}", high + low, low + high, f"{high} {low}", f"{low} {high}")
    if name[0] == "P" and name[1:].isdigit():
        return (name[1:],)
    if name.startswith("PIP"):
        return (name[3:],)
    return ("P",) if name == "PASS" else ()


def _complaint(answer: str, found: Sequence[str], legal: Sequence[str], names: Sequence[str]) -> str:
    if not answer:
        return "Type one of: " + " ".join(legal)
    if found:
        return f"{answer!r} may be {' or '.join(found)}."
    bids = [name for name in names if name[0] == "P" and name[1:].isdigit()]
    meant = find_action(answer, bids if "PASS" in legal and answer.isdigit() else names)
    why = f"{meant[0]} is not legal now" if len(meant) == 1 else f"{answer!r} is not understood"
    return f"{why}. Legal: {' '.join(legal)} ('help' explains)"
