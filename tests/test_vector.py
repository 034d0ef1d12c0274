"""The vector environment: the same episodes as single environments, autoreset, final observations, batches."""

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import texas42  # noqa: F401 (registers the tasks)
from texas42.agents.random_agent import RandomAgent
from texas42.agents.specs import make_agent
from texas42.envs.errors import GameOverError, IllegalActionError, MalformedActionError, OptionsError
from texas42.envs.gym import Texas42Env, Texas42VectorEnv
from texas42.envs.rules.rules import Rules

MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED]


def first_or_last(masks: npt.NDArray[Any], step: int) -> npt.NDArray[np.int64]:
    """A legal action that depends on the row's own mask and the step only; 0 where there is none."""
    n = masks.shape[1]
    last: npt.NDArray[np.int64] = np.where(masks.any(1), n - 1 - masks[:, ::-1].argmax(1), 0)
    return last if step % 2 else masks.argmax(1)


def trace(env: Texas42VectorEnv, steps: int, seed: int = 3) -> list[list[npt.NDArray[Any]]]:
    """Everything that `steps` steps return."""
    observations, _ = env.reset(seed=seed)
    out = [list(observations.values())]
    for step in range(steps):
        observations, *rest, _ = env.step(first_or_last(env.action_masks(), step))
        out.append([*observations.values(), *rest])
    return out


def same(a: list[list[npt.NDArray[Any]]], b: list[list[npt.NDArray[Any]]], rows: slice = slice(None)) -> bool:
    return all(
        np.array_equal(x, y[rows]) for one, two in zip(a, b, strict=True) for x, y in zip(one, two, strict=True)
    )


@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seat": "random"},
        {"episode": "game", "reward": "win"},
        {"reward": "points"},
        {"phases": "play"},
        {"phases": "play", "episode": "game"},
    ],
)
@pytest.mark.parametrize("rules", ["n42pa", "moon"])
def test_random_agents_play_as_the_compiled_random_players(
    mode: AutoresetMode, options: dict[str, Any], rules: str
) -> None:
    agent = RandomAgent()
    compiled = Texas42VectorEnv(9, rules, autoreset_mode=mode, **options)
    asked = Texas42VectorEnv(
        9, rules, autoreset_mode=mode, partner=agent, opponents=RandomAgent(), guide=agent, **options
    )
    assert same(trace(compiled, 60), trace(asked, 60))


@pytest.mark.parametrize("spec", ["random", "heuristic"])
def test_rows_do_not_depend_on_the_batch(spec: str) -> None:
    players = {name: make_agent(spec, Rules.preset("n42pa")) for name in ("partner", "opponents")}
    few, many = (Texas42VectorEnv(n, "n42pa", **players) for n in (3, 50))  # type: ignore[arg-type]
    assert same(trace(few, 40), trace(many, 40), slice(0, 3))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rules", ["n42pa", "open", "three_handed"])
def test_rows_are_single_environments(mode: AutoresetMode, rules: str) -> None:
    heuristic = make_agent("heuristic", Rules.preset(rules))
    seeds = [5, 0, 8, 2**63]
    batch = Texas42VectorEnv(4, rules, partner=heuristic, seat="random", autoreset_mode=mode)
    singles = [Texas42Env(rules, partner=heuristic, seat="random") for _ in seeds]
    seen, _ = batch.reset(seed=seeds)
    alone = [env.reset(seed=seed)[0] for env, seed in zip(singles, seeds, strict=True)]
    over = [False] * 4
    for step in range(60):
        for row, one in enumerate(alone):
            assert all(np.array_equal(seen[key][row], one[key]) for key in seen)
        if mode is AutoresetMode.DISABLED and any(over):
            seen, _ = batch.reset(options={"reset_mask": np.array(over)})
            alone = [env.reset()[0] if o else one for env, o, one in zip(singles, over, alone, strict=True)]
            over = [False] * 4
            continue
        actions = first_or_last(batch.action_masks(), step)
        seen, rewards, terminated, truncated, infos = batch.step(actions)
        for row, env in enumerate(singles):
            if over[row]:  # NEXT_STEP: the action was not looked at
                alone[row], over[row] = env.reset()[0], False
                assert rewards[row] == 0
                assert not terminated[row]
                continue
            alone[row], reward, over[row], cut, _ = env.step(actions[row])
            assert (rewards[row], terminated[row], truncated[row]) == (reward, over[row], cut)
            if over[row] and mode is AutoresetMode.SAME_STEP:
                final = infos["final_obs"][row]
                assert infos["_final_obs"][row]
                assert all(np.array_equal(final[key], alone[row][key]) for key in final)
                alone[row], over[row] = env.reset()[0], False


def test_make_vec_makes_it_and_declares_its_mode() -> None:
    env = gymnasium.make_vec("texas42/Texas42-v0", 5, vectorization_mode="vector_entry_point", opponents="random")
    assert isinstance(env, Texas42VectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert env.spec is not None
    other = gymnasium.make_vec("texas42/Texas42-v0", 2, autoreset_mode="SameStep")
    assert other.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observations, infos = env.reset(seed=0)
    assert env.observation_space.contains(observations)
    assert infos == {}
    assert env.action_space.shape == (5,)


@pytest.mark.parametrize("mode", MODES[:2])
def test_gymnasiums_wrapper_counts_whole_episodes(mode: AutoresetMode) -> None:
    inner = Texas42VectorEnv(4, autoreset_mode=mode)
    env = RecordEpisodeStatistics(inner)
    env.reset(seed=2)
    rewards, lengths, finished = np.zeros(4), np.zeros(4, np.int64), 0
    waits = np.zeros(4, np.bool_)
    for step in range(60):
        _, paid, terminated, truncated, infos = env.step(first_or_last(inner.action_masks(), step))
        rewards, lengths = rewards + paid, lengths + ~waits
        over = terminated | truncated
        for row in np.flatnonzero(over):
            assert (infos["episode"]["r"][row], infos["episode"]["l"][row]) == (rewards[row], lengths[row])
            finished += 1
        rewards[over], lengths[over] = 0.0, 0
        waits = over & (mode is AutoresetMode.NEXT_STEP)
    assert finished > 8


def test_masks_in_the_info_and_flat_observations() -> None:
    env = Texas42VectorEnv(6, mask="info", autoreset_mode="SameStep")
    observations, infos = env.reset(seed=1)
    for step in range(30):
        assert observations.shape == (6, env.table.layout.width)
        assert np.array_equal(infos["action_mask"], env.action_masks())
        actions = first_or_last(infos["action_mask"], step)
        observations, _, terminated, _, infos = env.step(actions)
        if terminated.any():
            assert np.array_equal(infos["_final_obs"], terminated)
            assert all(final.shape == (env.table.layout.width,) for final in infos["final_obs"][terminated])


def test_observations_are_copies_unless_told() -> None:
    for copy, same_array in ((True, False), (False, True)):
        env = Texas42VectorEnv(3, copy=copy)
        first, _ = env.reset(seed=0)
        kept = first["observation"].copy()
        second, *_ = env.step(first["action_mask"].argmax(1))
        assert (first["observation"] is second["observation"]) is same_array
        assert np.array_equal(first["observation"], kept) is not same_array


def test_illegal_actions_are_refused_before_any_is_applied() -> None:
    env = Texas42VectorEnv(4)
    with pytest.raises(GameOverError, match="before reset"):
        env.step(np.zeros(4, np.int64))
    env.reset(seed=0)
    before = env.table.states.tobytes()
    actions = env.action_masks().argmax(1)
    actions[2] = int(np.flatnonzero(~env.action_masks()[2])[0])
    with pytest.raises(IllegalActionError, match="table 2"):
        env.step(actions)
    for bad in (actions[:3], actions.astype(float), np.full(4, 1000), np.full(4, -1)):
        with pytest.raises(MalformedActionError):
            env.step(bad)
    assert env.table.states.tobytes() == before


def test_illegal_actions_are_penalised_or_replaced_row_by_row() -> None:
    for illegal in ("penalise", "replace"):
        env = Texas42VectorEnv(4, illegal=illegal)
        env.reset(seed=0)
        actions = env.action_masks().argmax(1)
        actions[2] = int(np.flatnonzero(~env.action_masks()[2])[0])
        _, rewards, terminated, _, _ = env.step(actions)
        assert bool(terminated[2]) is (illegal == "penalise")
        if illegal == "penalise":
            assert rewards[2] == -1.0


def test_disabled_autoreset_waits_for_a_mask() -> None:
    env = Texas42VectorEnv(3, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    terminated = np.zeros(3, np.bool_)
    while not terminated.any():
        _, _, terminated, _, _ = env.step(env.action_masks().argmax(1))
    with pytest.raises(GameOverError, match="reset_mask"):
        env.step(np.zeros(3, np.int64))
    for bad in ([True] * 3, np.ones(2, np.bool_), np.ones(3)):
        with pytest.raises(OptionsError, match="reset_mask"):
            env.reset(options={"reset_mask": bad})
    with pytest.raises(OptionsError, match="without a seed"):
        env.reset(seed=1, options={"reset_mask": terminated & ~terminated})
    env.reset(options={"reset_mask": terminated})
    env.step(env.action_masks().argmax(1))


def test_bad_arguments_are_named() -> None:
    with pytest.raises(OptionsError, match="num_envs=0"):
        Texas42VectorEnv(0)
    with pytest.raises(OptionsError, match="does not render"):
        Texas42VectorEnv(1, render_mode="ansi")
    with pytest.raises(OptionsError, match="seed="):
        Texas42VectorEnv(2).reset(seed=[1, 2, 3])
    with pytest.raises(OptionsError, match="unknown option"):
        Texas42VectorEnv(2).reset(options={"shaker": 0})


def test_agents_with_memory_are_told_of_new_episodes() -> None:
    class Memory(RandomAgent):
        def __init__(self) -> None:
            self.seen: list[int] = []

        def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
            self.seen += game_ids.tolist()

    agent = Memory()
    env = Texas42VectorEnv(5, opponents=agent, autoreset_mode="SameStep")
    env.reset(seed=0)
    assert set(agent.seen) == set(range(5))
    before, ended = len(agent.seen), 0
    for step in range(20):
        _, _, terminated, _, _ = env.step(first_or_last(env.action_masks(), step))
        ended += int(terminated.sum())
    assert len(agent.seen) - before >= ended > 0
