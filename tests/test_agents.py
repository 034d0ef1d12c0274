"""Specs, the registry, and what every agent of the core must keep: legal, batch-independent, keyed."""

import subprocess
import sys

import numpy as np
import numpy.typing as npt
import pytest

from texas42.agents import specs
from texas42.agents.arena import decision_keys, decisions_for, play_out
from texas42.agents.base import Decisions
from texas42.agents.specs import AgentKind, SpecError, make_agent, number, text, whole, word
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.rules import Rules

RULES = Rules.preset("n42pa")


def decisions(rules: Rules, n: int = 64, steps: int = 6, seed: int = 3) -> Decisions:
    """Decisions after some random actions."""
    game = BatchedGame(rules, n)
    game.reset(seed)
    player = make_agent("random", rules)
    for step in range(steps):
        keys = decision_keys(game, seed, np.full(n, step))
        game.step(player.act(decisions_for(game, np.arange(n), keys)))
    return decisions_for(game, np.arange(n), decision_keys(game, seed, np.full(n, steps)))


def part(whole_batch: Decisions, rows: npt.NDArray[np.int64]) -> Decisions:
    """Some rows of a batch."""
    keys = whole_batch.keys[rows]
    return Decisions(
        whole_batch.rules, whole_batch.views[rows], whole_batch.seats[rows], whole_batch.game_ids[rows], keys
    )


@pytest.mark.parametrize("spec", ["random", "passer", "heuristic"])
def test_spec_makes_the_agent_it_names(spec: str) -> None:
    assert make_agent(spec, RULES).name == spec


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("heuristik", r"'heuristik': unknown agent 'heuristik' \(did you mean 'heuristic'\?\); known: random, "),
        ("", "unknown agent ''"),
        ("random:worlds=3", "'random:worlds=3': unknown option 'worlds'; random takes none"),
        ("random:worlds", "'worlds' must be KEY=VALUE"),
        ("checkpoint", "write the file, as in checkpoint:PATH"),
        ("checkpoint:", "write the file, as in checkpoint:PATH"),
        ("checkpoint:a.pt,temprature=1", r"unknown option 'temprature' \(did you mean 'temperature'\?\)"),
        ("checkpoint:a.pt,temperature=hot", "temperature='hot' is not allowed; allowed: a number from 0"),
        ("checkpoint:a.pt,temperature=nan", "temperature='nan' is not allowed"),
        ("checkpoint:a.pt,temperature=1,temperature=2", "option 'temperature' is given twice"),
    ],
)
def test_bad_spec_names_the_spec_and_what_is_allowed(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        make_agent(spec, RULES)


def test_spec_must_be_text() -> None:
    with pytest.raises(SpecError, match="5 must be text"):
        make_agent(5, RULES)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [(whole(1, 9), "9", "10"), (whole(1), "1", "1.5"), (number(0, 1), "0.5", "2"), (word("a", "b"), "b", "c")],
)
def test_options_read_their_kind_of_value(option: specs.Option, good: str, bad: str) -> None:
    assert str(option.read(good)) == good
    with pytest.raises(ValueError, match=bad):
        option.read(bad)


def test_options_reach_the_factory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specs, "REGISTRY", dict(specs.REGISTRY))
    kind = AgentKind("test_agents_factory", "make", "a test", {"n": whole(1, 9), "how": text()}, takes_path=True)
    specs.register("mine", kind)
    module = type(sys)("test_agents_factory")
    module.make = lambda path, rules, **options: (path, rules, options)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "test_agents_factory", module)
    made: object = make_agent("mine:dir/a.bin,n=3,how=so", RULES)
    assert made == ("dir/a.bin", RULES, {"n": 3, "how": "so"})


@pytest.mark.parametrize("name", ["", "random", "a:b", "a,b", "a=b", "a+b"])
def test_registered_names_are_new_and_free_of_spec_characters(name: str) -> None:
    with pytest.raises(SpecError, match="agent name"):
        specs.register(name, specs.REGISTRY["random"])


def test_checkpoint_without_torch_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from texas42.agents.specs import SpecError, make_agent\n"
        "from texas42.envs.rules.rules import Rules\n"
        "try: make_agent('checkpoint:a.pt', Rules.preset('n42pa'))\n"
        "except SpecError as error: print(error)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "agent spec 'checkpoint:a.pt' needs torch; in the clone: pip install '.[train]'"


def test_core_agents_import_no_torch() -> None:
    code = (
        "import sys\nfrom texas42.agents.specs import make_agent\nfrom texas42.envs.rules.rules import Rules\n"
        "[make_agent(s, Rules.preset('n42pa')) for s in ('random', 'passer', 'heuristic')]\n"
        "print('torch' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_random_is_uniform_over_the_legal_actions() -> None:
    batch = decisions(RULES, n=1, steps=0)
    keys = np.random.default_rng(1).integers(0, 2**63, 14_000).astype(np.uint64)
    many = part(batch, np.zeros(len(keys), np.int64))
    many.keys = keys
    counts = np.bincount(make_agent("random", RULES).act(many), minlength=batch.codec.n_actions)
    assert set(np.flatnonzero(counts)) == set(np.flatnonzero(batch.masks[0]))
    assert np.abs(counts[counts > 0] - 1000).max() < 150  # 14 opening calls; five standard deviations


def test_random_depends_on_the_key_alone() -> None:
    batch = decisions(RULES)
    again = decisions(RULES)
    again.keys = batch.keys + np.uint64(1)
    agent = make_agent("random", RULES)
    np.testing.assert_array_equal(agent.act(batch), agent.act(batch))
    assert (agent.act(batch) != agent.act(again)).any()


@pytest.mark.parametrize("spec", ["random", "passer", "heuristic"])
@pytest.mark.parametrize("preset", ["n42pa", "open", "big_game"])
def test_rows_of_a_batch_are_independent(spec: str, preset: str) -> None:
    batch = decisions(Rules.preset(preset), steps=8)
    agent = make_agent(spec, batch.rules)
    together = agent.act(batch)
    backwards = agent.act(part(batch, np.arange(len(batch))[::-1]))
    alone = [int(agent.act(part(batch, np.array([i])))[0]) for i in range(len(batch))]
    assert together.tolist() == backwards[::-1].tolist() == alone


@pytest.mark.parametrize("spec", ["random", "passer", "heuristic"])
def test_act_leaves_the_views_as_they_were(spec: str) -> None:
    batch = decisions(RULES)
    before = batch.views.tobytes()
    make_agent(spec, RULES).act(batch)
    assert batch.views.tobytes() == before


def test_games_of_all_agents_end() -> None:
    game = BatchedGame(RULES, 20, episode="game", auto_reset=False)
    game.reset(5)
    agents = [make_agent(spec, RULES) for spec in ("random", "passer", "heuristic")]
    seating = np.random.default_rng(0).integers(0, 3, (20, 4))
    totals = play_out(game, agents, seating, 5)
    assert game.done.all()
    np.testing.assert_allclose(totals.sum(axis=1), 0.0)
