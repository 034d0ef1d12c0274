"""A checkpoint as an ONNX file that other programs and ``onnx:PATH`` can run."""

import json
import logging
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch

from texas42.agents.checkpoint import check_fingerprint, fingerprint, load_checkpoint
from texas42.agents.network import Actor
from texas42.agents.onnx_agent import FINGERPRINT, load_onnx_agent
from texas42.agents.policy import PolicyAgent, load_actor
from texas42.envs.batch import BatchedGame
from texas42.envs.rules.rules import Rules

TOLERANCE = 1e-3
"""Logits that differ by more are an error: the two run times add up in different orders, nothing else."""
CHECKED = 64
"""Hands whose decisions are compared."""


class ExportError(RuntimeError):
    """The file was written but does not answer as the checkpoint does."""


@dataclass(frozen=True)
class Export:
    """What was written.

    Attributes:
        path: the file.
        decisions: decisions on which the two were compared.
        difference: largest difference of a logit.
    """

    path: Path
    decisions: int
    difference: float


def export_onnx(checkpoint: str | Path, rules: Rules, out: Path) -> Export:
    """Write the actor of a checkpoint: input ``observation`` int8 (n, width), output ``logits`` float32 (n, actions).

    The file is then run on the decisions of random hands and compared with the checkpoint.

    Raises:
        CheckpointError: missing, damaged, or made for another game.
        ExportError: the answers differ by more than `TOLERANCE`.
        OSError: the file cannot be written.
    """
    loaded = load_checkpoint(checkpoint, groups=("actor",))
    check_fingerprint(loaded, rules)
    actor = load_actor(loaded, rules)
    temporary = out.with_name(f".{out.name}.tmp{os.getpid()}")
    try:
        _write(actor, temporary, rules)
        result = _compare(PolicyAgent(actor), temporary, rules)
        os.replace(temporary, out)
    finally:
        temporary.unlink(missing_ok=True)
    return Export(out, *result)


def _write(actor: Actor, path: Path, rules: Rules) -> None:
    example = torch.zeros((2, actor.shape.observation), dtype=torch.int8)
    for name in ("torch.onnx", "onnx_ir"):
        logging.getLogger(name).setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            actor,
            (example,),
            input_names=["observation"],
            output_names=["logits"],
            dynamic_shapes={"observations": {0: torch.export.Dim("n", min=1)}},
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    onnx.helper.set_model_props(model, {FINGERPRINT: json.dumps(fingerprint(rules), sort_keys=True)})
    path.write_bytes(model.SerializeToString())


def _compare(policy: PolicyAgent, path: Path, rules: Rules) -> tuple[int, float]:
    """Decisions compared and the largest difference of a logit.

    Raises:
        ExportError: it is more than `TOLERANCE`.
    """
    agent = load_onnx_agent(path, rules)
    game = BatchedGame(rules, CHECKED, auto_reset=False)
    game.reset(0)
    rng, decisions, worst = np.random.default_rng(0), 0, 0.0
    while not game.done.all():
        live = ~game.done
        observations, masks = game.observe()
        ours, theirs = policy.logits(observations[live]), agent.logits(observations[live], masks[live])
        worst, decisions = max(worst, float(np.abs(ours - theirs).max())), decisions + len(ours)
        game.step((rng.random(masks.shape) * masks).argmax(axis=1))
    if not worst <= TOLERANCE:
        raise ExportError(f"the ONNX file answers otherwise than the checkpoint: logits differ by {worst:.2g}")
    return decisions, worst
