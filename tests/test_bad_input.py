"""Input that is wrong in odd ways: refused with a message that names it, and nothing has changed."""

import copy
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from texas42.agents.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from texas42.agents.specs import SpecError, make_agent
from texas42.cli import main
from texas42.commands.play import _complaint
from texas42.envs.aec import Texas42AEC
from texas42.envs.batch import BatchedGame
from texas42.envs.errors import GameOverError, MalformedActionError, OptionsError
from texas42.envs.gym import Texas42Env, Texas42VectorEnv
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.errors import RulesError
from texas42.envs.rules.reading import ReadingError, read_yaml, shown
from texas42.envs.rules.rules import Rules
from texas42.training.config import ConfigError, load_config

BOMB = "[&a [x,x,x,x,x,x,x,x,x], " + ", ".join(
    f"&{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]" for i in range(8)
) + "]"
ODD_YAML = [
    "2001-99-99",
    "!!bool x",
    "!!timestamp x",
    '!!int ""',
    "!!float foo",
    "[" * 5000,
    "9" * 6000,
    "!!python/object/apply:os.getcwd []",
    "{a: 1, a: 2}",
    BOMB,
]
TABLE = BatchedGame("n42pa", n=2)


@pytest.mark.parametrize("text", ODD_YAML, ids=range(len(ODD_YAML)))
def test_odd_yaml_is_refused_wherever_it_is_read(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house = tmp_path / "house.yaml"
    house.write_text(f"preset: n42pa\ntarget: {text}\n")
    with pytest.raises(RulesError, match=r"house\.yaml"):
        Rules.from_yaml(house)
    assert main(["presets", "n42pa", "--rule", f"target={text}"]) == 2
    with pytest.raises(ConfigError):
        load_config("quick", [f"seed={text}"])
    assert len(capsys.readouterr().err) < 600


def test_yaml_of_plain_values_is_read() -> None:
    assert read_yaml("{a: 1e-3, b: [x, 2, off], c: null}") == {"a": 1e-3, "b": ["x", 2, False], "c": None}
    with pytest.raises(ReadingError, match="at most"):
        read_yaml("x" * 1_000_001)


LONG: list[object] = [1 << 20000, "x" * 10**6, [[[[[[1]]]]]], list(range(1000)), {"a": "b" * 999}]


@pytest.mark.parametrize("value", LONG, ids=range(len(LONG)))
def test_messages_show_a_short_form_of_any_value(value: object) -> None:
    assert 0 < len(shown(value)) <= 200
    with pytest.raises(RulesError, match="target="):
        Rules.preset("n42pa").replace(target=value)


def test_self_is_no_rule_parameter() -> None:
    with pytest.raises(RulesError, match="unknown rule parameter 'self'"):
        Rules.from_dict({"preset": "n42pa", "self": 1})


def test_a_rule_given_twice_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["presets", "n42pa", "--rule", "nello=any", "--rule", "nello=off"]) == 2
    assert "nello is given twice" in capsys.readouterr().err


@pytest.mark.parametrize("seats", [10**9, -1, 4, 1.9, "1", [0, 1, 2], [[0, 1]], [0, None], True])
@pytest.mark.parametrize("ask", [TABLE.observe, TABLE.hidden, TABLE.views])
def test_seats_that_are_not_at_the_table_are_refused(ask: object, seats: object) -> None:
    TABLE.reset(1)
    with pytest.raises(OptionsError, match="seats="):
        ask(seats)  # type: ignore[operator]


@pytest.mark.parametrize("seed", [-1, 2**64, 1.7, True, "5", b"1", np.float64(3.5), float("nan"), [1]])
def test_a_bad_seed_changes_nothing(seed: object) -> None:
    game = BatchedGame("n42pa", n=2)
    with pytest.raises(OptionsError, match="seed="):
        game.reset(seed)  # type: ignore[arg-type]
    with pytest.raises(GameOverError, match="before reset"):
        game.step([0, 0])
    game.reset(np.int64(3))  # type: ignore[arg-type]
    before = game.states.tobytes()
    with pytest.raises(OptionsError, match="seed="):
        game.reset(seed)  # type: ignore[arg-type]
    assert game.states.tobytes() == before


def test_nothing_is_answered_before_reset() -> None:
    game = BatchedGame("n42pa", n=2)
    for ask in (game.observe, game.hidden, game.views, lambda: game.legal_names(0)):
        with pytest.raises(GameOverError, match="before reset"):
            ask()
    with pytest.raises(GameOverError, match="before reset"):
        Texas42AEC("n42pa").legal_actions()


@pytest.mark.parametrize(
    ("name", "value"),
    [("n", 1.5), ("n", True), ("n", "2"), ("n", 0), ("threads", 0), ("threads", "3")]
    + [("first_row", value) for value in (-1, 2**64, 1.5)],
)
def test_bad_options_of_the_batch_are_named(name: str, value: object) -> None:
    with pytest.raises(OptionsError, match=f"{name}="):
        BatchedGame("n42pa", **{"n": 2, name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "value"), [("num_envs", 1.5), ("num_envs", True), ("autoreset_mode", "x")])
def test_bad_options_of_the_vector_environment_are_named(name: str, value: object) -> None:
    with pytest.raises(OptionsError, match=f"{name}="):
        Texas42VectorEnv(**{"num_envs": 2, name: value})  # type: ignore[arg-type]


def test_the_learner_has_no_legal_actions_before_reset() -> None:
    env = Texas42Env()
    for ask in (env.legal_actions, env.action_masks):
        with pytest.raises(GameOverError, match="before reset"):
            ask()


@pytest.mark.parametrize("row", [-1, 2, 1.0, None])
def test_rows_that_do_not_exist_have_no_legal_actions(row: object) -> None:
    TABLE.reset(1)
    with pytest.raises(OptionsError, match="row="):
        TABLE.legal_names(row)  # type: ignore[arg-type]


def test_lists_of_different_lengths_are_no_actions() -> None:
    TABLE.reset(1)
    with pytest.raises(MalformedActionError):
        TABLE.step([[1], [2, 3]])


def test_a_batch_on_threads_can_be_copied() -> None:
    game = BatchedGame("n42pa", n=5, threads=2)
    game.reset(3)
    twin = copy.deepcopy(game)
    for table in (game, twin):
        table.step(table.observe()[1].argmax(axis=1))
    assert twin.states.tobytes() == game.states.tobytes()


def test_the_last_episode_number_is_followed_by_the_first() -> None:
    env = Texas42AEC("n42pa", episode="game")
    env.reset(options={"stream": [0, 0, 2**64 - 1, 0]})
    env.reset()
    assert env.position()["stream"] == [0, 0, 0, 0]


@pytest.mark.parametrize("options", [[], "", 0])
def test_options_of_reset_must_be_a_mapping(options: object) -> None:
    with pytest.raises(OptionsError, match="must be a mapping"):
        Texas42AEC("n42pa").reset(options=options)  # type: ignore[arg-type]


def test_a_changed_weight_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_checkpoint(path, {"actor.x": np.arange(8, dtype=np.float32)}, {})
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(CheckpointError, match=r"'actor\.x' is not what was saved"):
        load_checkpoint(path)


@pytest.mark.parametrize("text", ["1_0", "\u0661", "+3", " 3", "03"])
def test_numbers_in_specs_are_plain(text: str) -> None:
    with pytest.raises(SpecError, match="worlds="):
        make_agent(f"pimc:worlds={text}", Rules.preset("n42pa"))


def shell(command: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """A shell's answer; TEXAS42 stands for the command."""
    return subprocess.run(
        command.replace("TEXAS42", f"{sys.executable} -P -m texas42"),
        shell=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("arguments", ["presets open > /dev/full", "presets open >&-"])
def test_output_that_cannot_be_written_is_no_traceback(arguments: str) -> None:
    done = shell(f"TEXAS42 {arguments}")
    assert b"Traceback" not in done.stderr
    assert done.returncode == (2 if "full" in arguments else 0)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_play_asks_again_where_it_cannot_read(encoding: str) -> None:
    done = shell("printf '\\xff\\xc3\\nquit\\n' | TEXAS42 play --seed 1", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert b"not understood" in done.stdout


def test_a_bid_too_low_is_named_as_such() -> None:
    legal, every = ["PASS", "P33", "P34"], list(build_codec(Rules.preset("n42pa")).names)
    assert _complaint("31", [], legal, every).startswith("P31 is not legal now")
    assert _complaint("xyz", [], legal, every).startswith("'xyz' is not understood")


WITHOUT_A_CACHE = """
import os, sys
sys.dont_write_bytecode = True
import texas42.envs.engine.jit as jit
print(jit.kernel.folder)
"""


def test_without_a_folder_to_keep_it_code_is_compiled_anew(tmp_path: Path) -> None:
    """No folder can be made below a file, whoever tries."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = subprocess.run(
        [sys.executable, "-P", "-c", WITHOUT_A_CACHE],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "NUMBA_CACHE_DIR": str(blocked)},
    )
    assert done.stdout == "None\n"
    assert "set NUMBA_CACHE_DIR" in done.stderr
