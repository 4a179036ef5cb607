"""Whose number a reported one is: sets of conventions in words."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pandas as pd

from tiecore.evaluation.conventions import Conventions

__all__ = ["in_words", "whose_rows"]

_USUAL = "the usual ones, ties averaged"


def in_words(row: dict[str, Any]) -> str:
    """Return in words what a set of conventions has beside the usual ones.

    >>> in_words({"order": "docid-desc", "precision": "float32", "threshold": pd.NA, "queries": "qrels"})
    'ties broken by docid-desc (as trec_eval); scores compared in float32'
    >>> in_words({})
    'the usual ones, ties averaged'
    """
    known = {name: row[name] for name in (one.name for one in fields(Conventions)) if name in row}
    whole = {name: int(value) for name, value in known.items() if name in ("threshold", "depth") and pd.notna(value)}
    missing = dict.fromkeys(known.keys() & {"threshold", "depth"}) | whole
    return "; ".join(Conventions(**known | missing).departures()) or _USUAL


def whose_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what is shown of the sets of conventions that fit or come nearest: in words, and the values they give."""
    values = frame.columns[1 + len(fields(Conventions)) :]
    conventions = [in_words({str(name): value for name, value in row.items()}) for row in frame.to_dict("records")]
    return frame[values].assign(conventions=conventions, departures=frame["departures"])[
        ["conventions", *values, "departures"]
    ]
