"""Small checkpoints with random weights; needs the extra `train`."""

from pathlib import Path

import torch

from texas42.agents.checkpoint import fingerprint, save_checkpoint
from texas42.agents.network import Actor, initialise, to_arrays
from texas42.agents.shape import Shape
from texas42.envs.rules.rules import Rules


def write_checkpoint(path: Path, rules: Rules, seed: int = 3, width: int = 32, layers: int = 2) -> Path:
    """A checkpoint of an untrained actor with decided opinions; returns its path."""
    shape = Shape.of(rules, width, layers)
    actor = Actor(shape, rules)
    initialise(actor, seed)
    with torch.no_grad():
        for parameter in actor.heads.parameters():
            parameter.mul_(100)
    arrays = {f"actor.{name}": array for name, array in to_arrays(actor).items()}
    meta = {"fingerprint": fingerprint(rules), "rules": rules.to_dict(), "shape": shape.to_dict()}
    save_checkpoint(path, arrays, meta)
    return path
