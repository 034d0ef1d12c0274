"""Exceptions of the records package."""


class RecordError(ValueError):
    """A record that is no record, or not what the rules say.

    Attributes:
        problem: what is wrong, without the place.
        line: line of the file, counted from 1, where the record came from a file.
        action: index of the action concerned, where there is one.
    """

    def __init__(self, problem: str, *, line: int | None = None, action: int | None = None) -> None:
        self.problem, self.line, self.action = problem, line, action
        place = "" if line is None else f"line {line}: "
        super().__init__(f"{place}{problem}")

    def at(self, line: int) -> "RecordError":
        """The same error with the line it was found in."""
        return RecordError(self.problem, line=line, action=self.action)


class RecordFileError(OSError):
    """A file that cannot be read or written at all, or not to its end."""
