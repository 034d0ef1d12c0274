"""SuperSuit: its wrappers on the AEC environment, and its vector environments that show every seat as a row."""

from typing import Any

import numpy as np
import supersuit
from audit import COUNTS, Audited, AuditedParallel, paid, report

TABLES = 2


def play_wrapped(hands: int) -> None:
    """Float32 observations with the seat appended; SuperSuit wants them flat, so the mask is in the info."""
    env = supersuit.dtype_v0(Audited("n42pa", mask="info"), np.float32)
    env = supersuit.agent_indicator_v0(env)
    rng = np.random.default_rng(0)
    plain = Audited("n42pa", mask="info").observation_space("player_0").shape[0]
    env.reset(seed=0)
    for _ in range(hands):
        for agent in env.agent_iter():
            observation, reward, over, cut, info = env.last()
            assert observation.dtype == np.float32
            assert observation.shape == (plain + len(env.possible_agents),)
            if over or cut:
                paid({agent: reward})
            env.step(None if over or cut else int(rng.choice(np.flatnonzero(info["action_mask"]))))
        env.reset()


def play_vector(steps: int) -> None:
    """Two tables as eight rows: a policy shared by all seats, for libraries that know vector environments only."""
    env = AuditedParallel("n42pa", idle="noop", mask="info")
    rows = supersuit.pettingzoo_env_to_vec_env_v1(env)
    vector: Any = supersuit.concat_vec_envs_v1(rows, TABLES, num_cpus=0, base_class="gymnasium")
    rng = np.random.default_rng(0)
    seats = env.possible_agents * TABLES
    observations, infos = vector.reset(seed=0)
    for _ in range(steps):
        assert observations.shape == (len(seats), *env.observation_space("player_0").shape)
        actions = [int(rng.choice(np.flatnonzero(info["action_mask"]))) for info in infos]
        observations, rewards, terminated, _, infos = vector.step(np.array(actions))
        for seat, reward, over in zip(seats, rewards, terminated, strict=True):
            if over:
                paid({seat: reward})


if __name__ == "__main__":
    play_wrapped(5)
    play_vector(200)
    report("SuperSuit", f"dtype and agent_indicator wrappers, vector of seats, {COUNTS['hands']} hands", hands=10)
