"""Read and evaluate the files of a command, with progress and notes on what does not match."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from tiecore.cli.messages import say, working
from tiecore.errors import FormatError, TiecoreError, shortened

if TYPE_CHECKING:
    import pandas as pd

    from tiecore.cli.options import Evaluated, Reading
    from tiecore.counts import Counts
    from tiecore.evaluation.result import Evaluation

__all__ = ["load_counts", "load_evaluation", "slices_by"]

_STANDARD_INPUT = "-"
_CACHE = 1 << 26
"""Bytes of tie groups: a command asks for little twice."""


def _sources(request: Reading) -> tuple[str | IO[bytes], list[str | IO[bytes]] | None]:
    """Return what to read for judgments and features."""
    if request.files.count(_STANDARD_INPUT) > 1:
        raise TiecoreError("standard input (-) can be read once only: save one of them to a file")
    if _STANDARD_INPUT in request.files and sys.stdin is None:
        raise TiecoreError("standard input (-) is closed: name a file")
    qrels, *features = (sys.stdin.buffer if name == _STANDARD_INPUT else name for name in request.files)
    return qrels, features or None


def load_counts(request: Reading, *, joint: Sequence[str]) -> Counts:
    """Return the table of counts of the files."""
    from tiecore.counts import count
    from tiecore.formats import Limits, limited

    qrels, features = _sources(request)
    with limited(Limits().with_settings(request.limits)), working("counting") as progress:
        return count(
            qrels,
            features,
            ascending=request.ascending,
            joint=joint,
            unmatched=request.unmatched,
            progress=progress,
        )


def load_evaluation(request: Evaluated, *, measures: Sequence[str] | None = None) -> Evaluation:
    """Return the evaluation of the files; warnings and notes on what was left out go to standard error.

    ``measures``: those of the command where the user names none.
    """
    from tiecore.cli.notes import coverage_notes
    from tiecore.evaluation.engine import DEFAULT_MEASURES, evaluate
    from tiecore.formats import Limits, limited

    qrels, features = _sources(request)
    with limited(Limits().with_settings(request.limits)), working("evaluating") as progress:
        evaluation = evaluate(
            qrels,
            features,
            request.measures or measures or DEFAULT_MEASURES,
            request.tie_breaks,
            queries=request.queries,
            no_relevant=request.no_relevant,
            missing=request.missing,
            precision=request.precision,
            unmatched=request.unmatched,
            ascending=request.ascending,
            only=request.only or None,
            cache_bytes=_CACHE,
            progress=progress,
        )
        notes = coverage_notes(evaluation)
    for warning in evaluation.warnings:
        say(warning, kind="warning")
    for note in notes:
        say(note, kind="note")
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
