"""AgileRL: IPPO on the parallel environment, masks in the infos, one network for all seats, one update.

AgileRL pins pettingzoo below 1.27. Agents whose names differ in their number only share a network. It takes masks from
the infos of all agents, as lists where agents share a network, so those who wait need a legal action too:
``idle="noop"``.
"""

from collections import defaultdict
from typing import Any

import numpy as np
from agilerl.algorithms import IPPO
from audit import COUNTS, AuditedParallel, paid, report

STEPS = 300
KINDS = ("states", "actions", "log_probs", "rewards", "dones", "values")


def make_learner(env: AuditedParallel) -> IPPO:
    """The learner of all seats."""
    agents = env.possible_agents
    return IPPO(
        observation_spaces=[env.observation_space(agent) for agent in agents],
        action_spaces=[env.action_space(agent) for agent in agents],
        agent_ids=agents,
        batch_size=64,
        learn_step=STEPS,
        gamma=1.0,
        net_config={"encoder_config": {"hidden_size": [64]}},
    )


def play(env: AuditedParallel, learner: IPPO, steps: int) -> Any:
    """`steps` steps of all seats, as `learn` takes them."""
    kept: dict[str, dict[str, list[Any]]] = {kind: defaultdict(list) for kind in KINDS}
    observations, infos = env.reset(seed=0)
    done = dict.fromkeys(env.possible_agents, np.zeros(1))
    for _ in range(steps):
        batch = {agent: seen[None] for agent, seen in observations.items()}
        masks = {agent: {"action_mask": info["action_mask"].tolist()} for agent, info in infos.items()}
        chosen = learner.get_action(obs=batch, infos=masks)
        found = (batch, *chosen)
        actions = {agent: int(np.asarray(chosen[0][agent]).reshape(-1)[0]) for agent in env.possible_agents}
        observations, rewards, terminated, _, infos = env.step(actions)
        for agent in env.possible_agents:
            values = (
                found[0][agent], found[1][agent], found[2][agent], np.array([rewards[agent]]), done[agent],
                found[4][agent],
            )  # fmt: skip
            for kind, value in zip(KINDS, values, strict=True):
                kept[kind][agent].append(value)
        done = {agent: np.array([float(terminated[agent])]) for agent in env.possible_agents}
        if not env.agents:
            paid(rewards)
            observations, infos = env.reset()
    last = {agent: seen[None] for agent, seen in observations.items()}
    return (*(dict(kept[kind]) for kind in KINDS), last, done)


def main() -> None:
    """Run."""
    env = AuditedParallel("n42pa", idle="noop", mask="info")
    learner = make_learner(env)
    losses = learner.learn(play(env, learner, STEPS))
    assert all(np.isfinite(loss) for loss in losses.values()), losses
    report("agilerl", f"IPPO, one network for all seats, {COUNTS['hands']} hands, one update", hands=10)


if __name__ == "__main__":
    main()
