"""What a report is about: agent specs, checkpoints and run folders, as they were given."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from texas42.agents.specs import REGISTRY
from texas42.training.evaluation.saved import digest_of_files

CHECKPOINTS = ("best.safetensors", "last.safetensors")
"""What is looked for in a run folder, in this order: `BEST` and `LAST` of the trainer, which needs torch."""
EVENTS = "tensorboard"
"""A run's folder of TensorBoard events."""


class ContestantError(ValueError):
    """No agent spec, run folder or checkpoint, or one that is given twice."""


@dataclass(frozen=True)
class Contestant:
    """One policy of a report.

    Attributes:
        given: as it was given.
        spec: the agent spec.
        label: a short name, different from all others in the report.
        run: folder of the training run it comes from, if it has one.
    """

    given: str
    spec: str
    label: str
    run: Path | None = None

    def key(self) -> dict[str, Any]:
        """Plain values on which its play depends: the spec, and the contents of the files it names."""
        return {"spec": self.spec, "files": sorted(digest_of_files(self.spec).values())}


def resolve_contestants(given: Sequence[str]) -> list[Contestant]:
    """Contestants from what a person typed.

    A text that begins with an agent's name is a spec; otherwise a folder is a run, of which the best checkpoint
    plays, and a file is a checkpoint.

    Raises:
        ContestantError: none given, one that is neither, a run without a checkpoint, or one given twice.
    """
    if not given:
        raise ContestantError("name at least one agent spec, run folder or checkpoint")
    specs = [_spec(text) for text in given]
    twice = [spec for i, spec in enumerate(specs) if spec in specs[:i]]
    if twice:
        raise ContestantError(f"{twice[0]!r} is given twice")
    labels = [_label(spec) for spec in specs]
    return [
        Contestant(text, spec, label if labels.count(label) == 1 else spec, _run_of(spec))
        for text, spec, label in zip(given, specs, labels, strict=True)
    ]


def _spec(text: str) -> str:
    if text.partition(":")[0] in REGISTRY:
        return text
    path = Path(text)
    if path.is_dir():
        found = [path / name for name in CHECKPOINTS if (path / name).is_file()]
        if not found:
            raise ContestantError(f"run folder {text!r} holds neither {' nor '.join(CHECKPOINTS)}")
        return f"checkpoint:{found[0]}"
    if path.is_file():
        return f"checkpoint:{path}"
    raise ContestantError(
        f"{text!r} is no agent spec, run folder or checkpoint; agents: {', '.join(REGISTRY)}"
    )


def _path_of(spec: str) -> Path | None:
    name, _, rest = spec.partition(":")
    return Path(rest.split(",")[0]) if name in REGISTRY and REGISTRY[name].takes_path else None


def _label(spec: str) -> str:
    """Specs as they are; a checkpoint by its folder and its options."""
    path = _path_of(spec)
    if path is None:
        return spec
    options = spec.partition(":")[2].partition(",")[2]
    stem = path.stem if path.stem not in ("best", "last") else ""
    name = "/".join(part for part in (path.absolute().parent.name, stem) if part)
    return f"{name},{options}" if options else name


def _run_of(spec: str) -> Path | None:
    path = _path_of(spec)
    return path.parent if path is not None and (path.parent / EVENTS).is_dir() else None
