"""RLlib, current API stack: its `PettingZooEnv`, one shared masked module for all seats, PPO.

RLlib's `ActionMaskingTorchRLModule` looks for ``observations`` and ``action_mask``; observations are int8 here, and
become floats in the module.
"""

from typing import Any

import ray
from audit import COUNTS, Audited, paid, report
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env


class MaskedModule(ActionMaskingTorchRLModule):  # type: ignore[misc]
    """RLlib's own masked module, for int8 observations."""

    def _preprocess_batch(self, batch: Any, **kwargs: Any) -> Any:
        mask, batch = super()._preprocess_batch(batch, **kwargs)
        batch[Columns.OBS] = batch[Columns.OBS].float()
        return mask.float(), batch


class Seen(PettingZooEnv):  # type: ignore[misc]
    """Notes the rewards as RLlib gets them."""

    def step(self, action: Any) -> Any:
        """See `PettingZooEnv.step`."""
        result = super().step(action)
        if result[2]["__all__"] or result[3]["__all__"]:
            paid(result[1])
        return result


def make_config() -> PPOConfig:
    """Everything in this process."""
    register_env("texas42", lambda config: Seen(Audited("n42pa", keys=("observations", "action_mask"))))
    module = RLModuleSpec(module_class=MaskedModule, model_config=DefaultModelConfig(fcnet_hiddens=[64]))
    return (
        PPOConfig()
        .environment("texas42", disable_env_checking=True)  # the check steps unmasked actions
        .env_runners(num_env_runners=0)
        .learners(num_learners=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent_id, episode, **kwargs: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(train_batch_size_per_learner=1000, minibatch_size=200, num_epochs=2, gamma=1.0)
    )


def main() -> None:
    """Run."""
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    algorithm = make_config().build_algo()
    for _ in range(2):
        result = algorithm.train()
        assert result["learners"]["shared"]["num_module_steps_trained"] > 0
    algorithm.stop()
    ray.shutdown()
    report("ray", f"PPO, shared masked RLModule, 2 iterations, {COUNTS['hands']} hands", hands=20)


if __name__ == "__main__":
    main()
