"""The neural player: a trained actor read from a checkpoint, behind the agent protocol.

Answers depend on nothing but the row: the network always runs on blocks of one size, on one thread, so that a
row's logits do not change with the batch around it, and sampling draws from the row's key alone.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from texas42.agents.base import Decisions
from texas42.agents.checkpoint import Checkpoint, CheckpointError, check_fingerprint, load_checkpoint
from texas42.agents.choice import BLOCK, choose_actions
from texas42.agents.network import Actor, from_arrays
from texas42.agents.shape import Shape
from texas42.envs.rules.rules import Rules

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


@contextmanager
def torch_threads(n: int) -> Iterator[None]:
    """Run torch on `n` threads within the block."""
    before = torch.get_num_threads()
    if before == n:
        yield
        return
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class PolicyAgent:
    """Plays by an actor's logits.

    Args:
        actor: the network; it is not changed.
        name: what the agent is called.
        temperature: 0 plays the likeliest action, 1 draws from the policy, more flattens it.
        device: where the network runs.
    """

    def __init__(
        self, actor: Actor, name: str = "policy", *, temperature: float = 0.0, device: str = "cpu"
    ) -> None:
        self.actor, self.name, self.temperature = actor.to(device).eval(), name, temperature
        self.device = torch.device(device)

    def act(self, decisions: Decisions) -> Int64:
        """Actions, int64 (n,); rows with one legal action do not reach the network."""
        masks = decisions.masks
        actions: Int64 = masks.argmax(axis=1).astype(np.int64)
        rows = np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1)
        if len(rows):
            logits = self.logits(decisions.observations[rows])
            actions[rows] = choose_actions(logits, masks[rows], decisions.keys[rows], self.temperature)
        return actions

    def log_probabilities(self, decisions: Decisions) -> Float64:
        """Of all actions at temperature 1, float64 (n, actions); -inf where illegal, 0 where there is one alone."""
        legal = decisions.masks != 0
        out = np.where(legal, 0.0, -np.inf)
        rows = np.flatnonzero(legal.sum(axis=1) > 1)
        if len(rows):
            scores = np.where(legal[rows], self.logits(decisions.observations[rows]).astype(np.float64), -np.inf)
            scores -= scores.max(axis=1, keepdims=True)
            out[rows] = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return out

    def made(self, decisions: Decisions) -> Float32:
        """The policy's own forecast that the contract of each decision's hand is made, float32 (n,)."""

        def ask(seen: torch.Tensor) -> torch.Tensor:
            return self.actor.made(self.actor.read(seen).features).sigmoid()[:, None]

        return self._answers(decisions.observations, ask, 1)[:, 0]

    def logits(self, observations: Int8) -> Float32:
        """Unmasked logits float32 (n, actions) of observations int8 (n, width)."""
        return self._answers(observations, self.actor, self.actor.shape.actions)

    def _answers(self, observations: Int8, ask: Callable[[torch.Tensor], torch.Tensor], width: int) -> Float32:
        """What a network answers, float32 (n, width), run on blocks of one size."""
        out = np.empty((len(observations), width), np.float32)
        block = np.zeros((BLOCK, observations.shape[1]), np.int8)
        with torch.inference_mode(), torch_threads(1):
            for start in range(0, len(observations), BLOCK):
                rows = observations[start : start + BLOCK]
                block[: len(rows)] = rows
                out[start : start + len(rows)] = ask(torch.from_numpy(block).to(self.device)).cpu().numpy()[: len(rows)]
        return out

    def reset(self, game_ids: Keys) -> None:
        """Nothing is remembered."""


def load_actor(checkpoint: Checkpoint, rules: Rules) -> Actor:
    """The actor of a checkpoint, for some rules of its game.

    Raises:
        CheckpointError: damaged: no network in it, or tensors that do not fit it.
    """
    try:
        shape = Shape.of(rules, *Shape.sizes_in(checkpoint.field("shape", dict)))
        with torch.device("meta"):  # nothing is allocated before sizes are known to fit
            actor = Actor(shape, rules)
        from_arrays(actor, checkpoint.group("actor"))
    except ValueError as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{checkpoint.path}: damaged, {error}") from error
    return actor.eval()


def load_policy_agent(
    path: str | Path, rules: Rules, *, temperature: float = 0.0, device: str = "cpu"
) -> PolicyAgent:
    """The agent ``checkpoint:PATH`` for some rules.

    Args:
        path: a checkpoint of training.
        rules: the rules to play; house rules of one game share their networks.
        temperature: 0 (the default) plays the likeliest action, 1 draws from the policy.
        device: a torch device, such as ``cpu`` or ``cuda``.

    Raises:
        CheckpointError: missing, damaged or foreign, made for another game, or no such device.
    """
    checkpoint = load_checkpoint(path, groups=("actor",))
    check_fingerprint(checkpoint, rules)
    actor = load_actor(checkpoint, rules)
    try:
        if torch.device(device).type == "meta":
            raise RuntimeError("it holds no numbers")
        return PolicyAgent(actor, f"checkpoint:{path}", temperature=temperature, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise CheckpointError(f"checkpoint:{path}: device {device!r} is not available ({reason})") from error
