"""What a policy knows, looked at between updates: where it thinks tiles lie, whether its forecasts come true."""

import numpy as np

from texas42.agents.policy import PolicyAgent
from texas42.envs.rules.rules import Rules
from texas42.training.evaluation.calibration import belief_head, log_beliefs, make_report, surprise
from texas42.training.evaluation.forecasts import own_forecasts
from texas42.training.evaluation.handlog import play_hands
from texas42.training.metrics import Metrics

BELIEFS = 200
"""Decisions at which beliefs are held against the exact uniform, which takes milliseconds each."""


def examine(policy: PolicyAgent, rules: Rules, hands: int, seed: int) -> Metrics:
    """Play hands with the policy in all seats, greedily, and look into its heads.

    Args:
        policy: the policy.
        rules: the rules.
        hands: how many.
        seed: of the deals.
    """
    log = play_hands(policy, rules, hands, seed)
    out: Metrics = {}
    head = belief_head(policy)
    assert head is not None
    beliefs = log_beliefs(log, head, limit=BELIEFS, seed=seed)
    known, uniform = surprise(beliefs.head, beliefs.truth), surprise(beliefs.uniform, beliefs.truth)
    if np.isfinite(known).any():
        out["examination/belief_bits"] = float(np.nanmean(known))
        out["examination/uniform_bits"] = float(np.nanmean(uniform))
    forecasts = make_report(log, own_forecasts(log, policy.made))["all"]
    if forecasts["n"]:
        made = log.finals["made"][log.finals["made"] >= 0] == 1
        out["examination/made"] = float(made.mean())
        out["examination/calibration_error"] = forecasts["ece"]
        out["examination/brier"] = forecasts["brier"]
    return out
