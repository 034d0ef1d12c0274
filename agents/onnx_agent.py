"""``onnx:PATH``: a network in the ONNX format as a player. It is run by onnxruntime; nothing in the file is code.

The first input is the observation (n, width), a second one, if there is one, the action mask (n, n_actions); float,
double or int8, n fixed or free. The first output is the logits (n, n_actions). ``texas42 export`` writes a checkpoint
in this form.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from texas42.agents.base import Decisions
from texas42.agents.choice import BLOCK, choose_actions
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.layout import build_layout
from texas42.envs.rules.rules import Rules

DTYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int8)": np.int8}
"""Types an input may have, as onnxruntime names them."""
FINGERPRINT = "texas42_fingerprint"
"""Entry of the file's metadata that says which actions and observations it was made for."""


class OnnxFileError(ValueError):
    """A file that is missing, no ONNX model, or whose inputs and outputs do not fit the rules."""


class OnnxAgent:
    """Plays by a model's masked logits, as `PolicyAgent` does by a checkpoint's.

    Args:
        session: the model.
        rules: what it plays by.
        name: what the agent is called.
        temperature: 0 plays the likeliest action, 1 draws from the policy, more flattens it.

    Raises:
        OnnxFileError: inputs or outputs of other types or sizes.
    """

    def __init__(self, session: Any, rules: Rules, name: str, temperature: float = 0.0) -> None:
        self.session, self.name, self.temperature = session, name, temperature
        codec = build_codec(rules)
        self.n_actions = codec.n_actions
        widths = (build_layout(rules, codec).width, codec.n_actions)
        inputs = session.get_inputs()
        if not 1 <= len(inputs) <= 2:
            raise OnnxFileError(f"{name}: has {len(inputs)} inputs; allowed: observation, or observation and mask")
        self.inputs = [(node.name, _dtype(name, node)) for node in inputs]
        for node, width in zip(inputs, widths, strict=False):
            _check_shape(name, node, width)
        _check_shape(name, session.get_outputs()[0], codec.n_actions)
        self.output = session.get_outputs()[0].name
        rows = inputs[0].shape[0]
        self.block = rows if isinstance(rows, int) else BLOCK

    def act(self, decisions: Decisions) -> npt.NDArray[np.int64]:
        """Actions, int64 (n,); rows with one legal action do not reach the network."""
        masks = decisions.masks
        actions: npt.NDArray[np.int64] = masks.argmax(axis=1).astype(np.int64)
        rows = np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1)
        if len(rows):
            logits = self.logits(decisions.observations[rows], masks[rows])
            actions[rows] = choose_actions(logits, masks[rows], decisions.keys[rows], self.temperature)
        return actions

    def logits(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        """Unmasked logits float32 (n, n_actions), in blocks of one size, so that they depend on nothing but the row."""
        out = np.empty((len(masks), self.n_actions), np.float32)
        blocks = [np.zeros((self.block, array.shape[1]), np.int8) for array in (observations, masks)]
        for start in range(0, len(masks), self.block):
            n = min(self.block, len(masks) - start)
            for block, array in zip(blocks, (observations, masks), strict=True):
                block[:n] = array[start : start + n]
            feeds = {
                name: block.astype(dtype) for (name, dtype), block in zip(self.inputs, blocks, strict=False)
            }
            out[start : start + n] = self.session.run([self.output], feeds)[0][:n]
        return out

    def reset(self, game_ids: npt.NDArray[np.uint64]) -> None:
        """Nothing is remembered."""


def _dtype(name: str, node: Any) -> Any:
    if node.type not in DTYPES:
        raise OnnxFileError(f"{name}: input {node.name!r} is {node.type}; allowed: {', '.join(DTYPES)}")
    return DTYPES[node.type]


def _check_shape(name: str, node: Any, width: int) -> None:
    shape = list(node.shape)
    if len(shape) != 2 or (isinstance(shape[1], int) and shape[1] != width):
        raise OnnxFileError(f"{name}: {node.name!r} has shape {shape}; these rules need (n, {width})")


def load_onnx_agent(path: str | Path, rules: Rules, *, temperature: float = 0.0) -> OnnxAgent:
    """The agent ``onnx:PATH``.

    Args:
        path: the file.
        rules: the rules to play.
        temperature: 0 (the default) plays the likeliest action, 1 draws from the policy.

    Raises:
        OnnxFileError: missing, no model, made for another game, or not of the form above.
    """
    try:
        model = Path(path).read_bytes()
    except OSError as error:
        raise OnnxFileError(f"no ONNX file at {path}: {error.strerror or error}") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises classes of its own
        raise OnnxFileError(f"{path}: no ONNX model ({str(error).splitlines()[0]})") from error
    _check_fingerprint(path, session, rules)
    return OnnxAgent(session, rules, f"onnx:{path}", temperature)


def _check_fingerprint(path: str | Path, session: Any, rules: Rules) -> None:
    """Refuse an exported checkpoint of another game; files without a fingerprint are judged by their sizes."""
    import json

    from texas42.agents.checkpoint import fingerprint

    found = session.get_modelmeta().custom_metadata_map.get(FINGERPRINT)
    wanted = json.dumps(fingerprint(rules), sort_keys=True)
    if found is not None and found != wanted:
        differs = f"its fingerprint is {found}, not {wanted}"
        raise OnnxFileError(f"{path}: made for other rules or another version; {differs}")
