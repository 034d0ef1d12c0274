"""Write the policy of a checkpoint as an ONNX file, and check that both answer alike.

Input: observation, int8 (n, width); output: logits, float32 (n, n_actions), to be masked. The file plays as onnx:FILE.
"""

import argparse
from pathlib import Path

from texas42.commands.common import (
    CommandError,
    add_rules_arguments,
    as_command_error,
    check_writable,
    rules_from,
)

HELP = "write a checkpoint as an ONNX file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 export``."""
    parser.add_argument("checkpoint", type=Path, metavar="CHECKPOINT", help="a checkpoint of training")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file; default CHECKPOINT with the ending .onnx")
    add_rules_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Export and compare."""
    try:
        from texas42.agents.onnx_export import ExportError, export_onnx
    except ModuleNotFoundError as error:
        raise CommandError(f"the export needs {error.name}; in the clone: pip install '.[train,onnx]'") from error
    from texas42.agents.checkpoint import CheckpointError

    out: Path = args.out or args.checkpoint.with_suffix(".onnx")
    rules = rules_from(args)
    check_writable(out)
    with as_command_error(CheckpointError, ExportError, OSError):
        result = export_onnx(args.checkpoint, rules, out)
    print(f"{result.path}: logits of {result.decisions:,} decisions differ by {result.difference:.1e} at most")
    return 0
