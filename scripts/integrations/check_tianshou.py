"""Tianshou: its `PettingZooEnv`, one masked DQN for each seat, a collector and a few updates.

Its multi-agent buffer keeps every seat's rewards at every step, but a seat learns from its own steps. The pay at the
end of a hand reaches a seat whose last step was not the hand's last through n-step returns only:
`n_step_return_horizon` must span a trick and more.
"""

import numpy as np
import torch
from audit import COUNTS, Audited, paid, report
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step, torch_train_mode

HORIZON = 8


class Seen(PettingZooEnv):
    """Notes the rewards as Tianshou hands them on."""

    def step(self, action):  # type: ignore[no-untyped-def]
        """See `PettingZooEnv.step`."""
        result = super().step(action)
        if result[2] or result[3]:
            paid(dict(zip(self.agents, result[1], strict=True)))
        return result


def make_env() -> PettingZooEnv:
    """A fresh environment."""
    return Seen(Audited("n42pa"))  # type: ignore[arg-type]


def make_learner(env: PettingZooEnv) -> DQN:
    """One seat's masked Q-learner."""
    flat = env.observation_space["observation"]
    net = Net(state_shape=flat.shape, action_shape=env.action_space.n, hidden_sizes=[64])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=env.action_space, observation_space=flat, eps_training=0.2, eps_inference=0.0
    )
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=HORIZON,
        target_update_freq=50,
    )


def main() -> None:
    """Run."""
    np.random.seed(0)
    torch.manual_seed(0)
    env = make_env()
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[make_learner(env) for _ in env.agents], env=env)
    envs = DummyVectorEnv([make_env for _ in range(4)])
    collector = Collector[CollectStats](algorithm, envs, VectorReplayBuffer(4000, 4), exploration_noise=True)
    collector.reset()
    for _ in range(5):
        with policy_within_training_step(algorithm.policy):
            collector.collect(n_step=200)
            with torch_train_mode(algorithm.policy):
                algorithm.update(collector.buffer, sample_size=64)
    report("tianshou", f"multi-agent DQN, {COUNTS['hands']} hands, 5 updates", hands=20)


if __name__ == "__main__":
    main()
