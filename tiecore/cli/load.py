"""Read and evaluate the files of a command, with progress and notes on what does not match."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from tiecore.cli.messages import Progress, say, working
from tiecore.errors import FormatError, TiecoreError, shortened

if TYPE_CHECKING:
    import pandas as pd

    from tiecore.cli.options import Counting, Evaluated, Reading
    from tiecore.counts import Counts
    from tiecore.evaluation.result import Evaluation

__all__ = ["conventions_of", "load_counts", "load_evaluation", "reading", "slices_by", "sources"]

_STANDARD_INPUT = "-"
_CACHE = 1 << 26
"""Bytes of tie groups: a command asks for little twice."""


def sources(request: Reading) -> tuple[str | IO[bytes], list[str | IO[bytes]] | None]:
    """Return what to read for judgments and features."""
    if request.files.count(_STANDARD_INPUT) > 1:
        raise TiecoreError("standard input (-) can be read once only: save one of them to a file")
    if _STANDARD_INPUT in request.files and sys.stdin is None:
        raise TiecoreError("standard input (-) is closed: name a file")
    qrels, *features = (sys.stdin.buffer if name == _STANDARD_INPUT else name for name in request.files)
    return qrels, features or None


@contextmanager
def reading(request: Reading, doing: str) -> Iterator[Progress | None]:
    """Work within the limits of a request, with its progress on a terminal."""
    from tiecore.formats import Limits, limited

    with limited(Limits().with_settings(request.limits)), working(doing) as progress:
        yield progress


def load_counts(request: Reading, *, joint: Sequence[str]) -> Counts:
    """Return the table of counts of the files."""
    from tiecore.counts import count

    how: dict[str, Any] = {"ascending": request.ascending, "joint": joint, "unmatched": request.unmatched}
    with reading(request, "counting") as progress:
        return count(*sources(request), **how, progress=progress)


def conventions_of(request: Counting) -> dict[str, Any]:
    """Return the conventions that a command asks for, as arguments of ``evaluate``."""
    same = ("queries", "no_relevant", "missing", "precision", "unmatched", "ascending")
    return {name: getattr(request, name) for name in same}


def load_evaluation(request: Evaluated, *, measures: Sequence[str] | None = None) -> Evaluation:
    """Return the evaluation of the files; warnings and notes on what was left out go to standard error.

    ``measures``: those of the command where the user names none.
    """
    from tiecore.cli.notes import coverage_notes
    from tiecore.evaluation.engine import DEFAULT_MEASURES, evaluate

    how = conventions_of(request) | {"only": request.only or None, "cache_bytes": _CACHE}
    wanted = request.measures or measures or DEFAULT_MEASURES
    with reading(request, "evaluating") as progress:
        evaluation = evaluate(*sources(request), wanted, request.tie_breaks, **how, progress=progress)
        notes = coverage_notes(evaluation)
    for kind, sentences in (("warning", evaluation.warnings), ("note", notes)):
        for sentence in sentences:
            say(sentence, kind=kind)
    return evaluation


def slices_by(wanted: str | None) -> str | pd.DataFrame | None:
    """Return by what queries are parted: a known name, or a table of query id and name read from a file."""
    if wanted is None:
        return wanted
    import pandas as pd  # only when asked for

    from tiecore.evaluation.slices import KNOWN_SLICES

    if wanted in KNOWN_SLICES:
        return wanted
    try:
        table = pd.read_csv(wanted, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        known = ", ".join(KNOWN_SLICES)
        raise TiecoreError(f"--slices takes {known} or a CSV file; there is no file {shortened(wanted)}") from None
    except (OSError, ValueError) as error:
        raise FormatError(wanted, None, f"cannot be read as CSV: {shortened(str(error))}") from None
    if table.shape[1] != 2:
        raise FormatError(wanted, None, f"expected two columns, query_id and name, found {table.shape[1]}")
    return table
