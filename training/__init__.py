"""Training: configuration, rollouts, losses, the learner and its checkpoints."""
