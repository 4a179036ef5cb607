"""Everything a user can mend is a :class:`TiecoreError`; catch that and nothing broader."""

from __future__ import annotations

__all__ = ["AlignmentError", "FormatError", "TiecoreError"]


class TiecoreError(ValueError):
    """A mistake in what was given, with the way out in its message."""


class FormatError(TiecoreError):
    """A file that cannot be read as it is.

    Parameters
    ----------
    file
        Name of the file as the user knows it.
    line
        Line of the first fault, from 1; None where no single line is to blame.
    problem
        What was found, what was expected and how to mend it.
    """

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        super().__init__(file, line, problem)
        self.file = file
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        """Return the message in one line: ``file, line N: problem``."""
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{where}: {self.problem}"


class AlignmentError(TiecoreError):
    """Judgments and scores that do not fit together."""
