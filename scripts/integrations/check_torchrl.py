"""TorchRL: `PettingZooWrapper` with masks, a collector, and a few policy-gradient steps of a shared masked policy."""

import torch
from audit import COUNTS, Audited, paid, report, start_over
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor

PLAYERS = [f"player_{i}" for i in range(4)]


class AsFloat(nn.Module):
    """Observations are int8."""

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """As float32."""
        return observation.float()


def make_env() -> PettingZooWrapper:
    """All four seats in one group; ``("players", "mask")`` says who is to move."""
    env = Audited("n42pa")
    return PettingZooWrapper(env=env, use_mask=True, group_map={"players": PLAYERS}, return_state=True)


def make_policy(env: PettingZooWrapper) -> ProbabilisticActor:
    """One network for all seats; the mask goes to the distribution."""
    width = env.observation_spec["players", "observation", "observation"].shape[-1]
    n_actions = env.observation_spec["players", "action_mask"].shape[-1]
    net = nn.Sequential(AsFloat(), nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, n_actions))
    module = TensorDictModule(net, [("players", "observation", "observation")], [("players", "logits")])
    return ProbabilisticActor(
        module,
        in_keys={"logits": ("players", "logits"), "mask": ("players", "action_mask")},
        out_keys=[("players", "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("players", "log_prob"),
    )


def main() -> None:
    """Run."""
    torch.manual_seed(0)
    env = make_env()
    check_env_specs(env, seed=0)
    start_over()
    policy = make_policy(env)
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    collector = Collector(env, policy, frames_per_batch=200, total_frames=1000)
    for data in collector:
        rewards = data["next", "players", "reward"].squeeze(-1)
        ended = data["next", "done"].squeeze(-1)
        assert bool((rewards[~ended] == 0).all())
        for row in rewards[ended]:
            paid(dict(zip(PLAYERS, row.tolist(), strict=True)))
        returns = rewards.flip(0).cumsum(0).flip(0)  # over the batch: enough to see a gradient
        again = policy.get_dist(data)
        log_prob = again.log_prob(data["players", "action"])
        loss = -(log_prob * returns * data["players", "mask"]).mean()
        assert bool(torch.isfinite(loss))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    collector.shutdown()
    report("torchrl", f"check_env_specs, collector, {COUNTS['hands']} hands, policy gradient", 20, ("tensordict",))


if __name__ == "__main__":
    main()
