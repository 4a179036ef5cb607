"""Everything a user can mend is a :class:`TiecoreError`; catch that and nothing broader."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from numbers import Integral

_LONGEST_FILE = 300


class TiecoreError(ValueError):
    """A mistake in what was given, with the way out in its message."""


class FormatError(TiecoreError):
    """A file that cannot be read as it is.

    ``line``: line of the first fault, from 1; None where no single line is to blame. ``problem``: what was found, what
    was expected and how to mend it.
    """

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        super().__init__(file, line, problem)
        self.file, self.line, self.problem = file, line, problem

    def __str__(self) -> str:
        """Return the message in one line: ``file, line N: problem``."""
        file = self.file if len(self.file) <= _LONGEST_FILE else f"…{self.file[-_LONGEST_FILE:]}"
        where = file if self.line is None else f"{file}, line {self.line}"
        return f"{where}: {self.problem}"


class AlignmentError(TiecoreError):
    """Judgments and scores that do not fit together."""


@contextmanager
def drawing() -> Iterator[None]:
    """Say what to install where figures are imported without matplotlib."""
    try:
        yield
    except ImportError as error:
        raise TiecoreError(f"figures need matplotlib ({error}): pip install 'tiecore[plot]'") from error


def shortened(value: object, longest: int = 60) -> str:
    """Return how a value is written in Python, in one line and cut, for a message.

    >>> shortened("clicks"), shortened("x" * 1000, longest=5), shortened(10**5000)
    ("'clicks'", "'xxxxx…'", 'an integer of 16610 bits')
    """
    if isinstance(value, str):
        return repr(value if len(value) <= longest else f"{value[:longest]}…")
    if isinstance(value, int) and value.bit_length() > 4 * longest:  # Python does not write the longest ones at all
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, bytes):
        value = value[: longest + 1]
    try:
        written = " ".join(repr(value).split())
    except Exception:  # whatever another class does, the message stays about the user's mistake
        written = f"<{type(value).__name__}>"
    return written if len(written) <= longest else f"{written[:longest]}…"


def listed(values: Collection[object], most: int = 8) -> str:
    """Return the first of several values, shortened, for a message.

    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b', …"
    """
    shown = ", ".join(shortened(value, longest=30) for value in islice(values, most))
    return f"{shown}, …" if len(values) > most else shown


def check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Refuse what is none of a few words.

    >>> check_choice("ties", "d", ("w", "a", "b"))
    Traceback (most recent call last):
    tiecore.errors.TiecoreError: unknown ties='d': expected 'w', 'a' or 'b'
    """
    if value not in known:
        raise unknown_choice(name, value, known)


def unknown_choice(name: str, value: object, known: Sequence[str]) -> TiecoreError:
    """Return the error about what is none of a few words."""
    *others, last = map(repr, known)
    return TiecoreError(f"unknown {name}={shortened(value)}: expected {', '.join(others)} or {last}")


def check_draws(number: object, *, least: int, name: str = "draws") -> None:
    """Refuse what is not a whole number of draws."""
    if not isinstance(number, Integral):
        raise TiecoreError(f"{name} must be a whole number, found {shortened(number)}")
    if number < least:
        raise TiecoreError(f"{name} must be {least} or more, found {shortened(number)}")


def check_seed(seed: object) -> None:
    """Refuse what is not a seed."""
    check_draws(seed, least=0, name="seed")
