"""Hands as text (docs/RECORD_FORMAT.md): read, write, verify, show, start from a position."""

from texas42.envs.records.arrays import HandArrays, to_arrays
from texas42.envs.records.build import complete, position, reset_options
from texas42.envs.records.check import LineResult, Report, verify, verify_lines, verify_record
from texas42.envs.records.errors import RecordError, RecordFileError
from texas42.envs.records.files import MAX_LINE, read, to_line, write
from texas42.envs.records.layout import format_hand
from texas42.envs.records.model import HandRecord

__all__ = [
    "MAX_LINE",
    "HandArrays",
    "HandRecord",
    "LineResult",
    "RecordError",
    "RecordFileError",
    "Report",
    "complete",
    "format_hand",
    "position",
    "read",
    "reset_options",
    "to_arrays",
    "to_line",
    "verify",
    "verify_lines",
    "verify_record",
    "write",
]
