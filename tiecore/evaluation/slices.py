"""Parts of the queries: by a name that the user gives, or by a property of each query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import Values

_PARTS = 3


def _length(values: Values) -> np.ndarray:
    """Documents that a feature ranks for each query, on average over the features."""
    counts = [groups.per_query(groups.size) for groups in map(values.groups, values.features)]
    return np.round(np.stack(counts).mean(axis=0), 1)


def _share_tied(values: Values) -> np.ndarray:
    """Percent of the ranked documents of each query that share their score, on average over the features."""
    shares = [
        groups.per_query(groups.size * (groups.size > 1)) / np.maximum(groups.per_query(groups.size), 1)
        for groups in map(values.groups, values.features)
    ]
    return np.round(100 * np.stack(shares).mean(axis=0), 1)


KNOWN_SLICES: dict[str, tuple[Callable[[Values], np.ndarray], str]] = {
    "relevant": (lambda values: values.alignment.judged.n_relevant(1), "{} relevant"),
    "length": (_length, "{} documents"),
    "tied": (_share_tied, "{} % tied"),
}
"""Slices that need no table: how they are computed, and how each is named."""


def slices(evaluation: Evaluation, by: str | Mapping[str, str] | pd.Series | pd.DataFrame) -> dict[str, Evaluation]:
    """Return the evaluation of each part of the queries, by name.

    Parameters
    ----------
    by
        ``"relevant"``, ``"length"`` or ``"tied"``: up to three parts of about as many queries, by the number of
        relevant documents, the length of the lists, the share of tied documents. Or a name for each query id: a
        mapping, a Series, or a frame of query_id and name. Queries without a name belong to no part.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}}
    >>> e = evaluate(qrels, {"clicks": {"q1": {"a": 1, "b": 2}, "q2": {"a": 1, "b": 2}}}, ["RR"])
    >>> {name: float(part.summary["expected"].iloc[0]) for name, part in slices(e, "relevant").items()}
    {'1 relevant': 0.5, '2 relevant': 1.0}
    """
    values = evaluation.values
    part, names = _known(values, by) if isinstance(by, str) else _own(values, by)
    parts = {}
    for number, name in enumerate(names):
        counted = values.counted & (part == number)
        if counted.any(axis=1).all():  # a part in which nothing counts has no mean
            parts[name] = Evaluation(replace(values, counted=counted))
    if not parts:
        raise TiecoreError("no slice contains a query that counts: check the query ids of the table")
    return parts


def _known(values: Values, by: str) -> tuple[np.ndarray, list[str]]:
    """(n_queries,) part of each query, and the name of each part, in the order of the values."""
    if by not in KNOWN_SLICES:
        raise TiecoreError(
            f"cannot slice queries by {shortened(by)}: give {', '.join(KNOWN_SLICES)}, or a name for each query"
        )
    compute, title = KNOWN_SLICES[by]
    property_of_query, counts = compute(values), values.counted.any(axis=0)
    edges = np.quantile(property_of_query[counts], np.arange(1, _PARTS) / _PARTS, method="lower")
    part = np.searchsorted(np.unique(edges), property_of_query, side="left")
    filled = np.unique(part[counts])
    names = [title.format(_span(property_of_query[counts & (part == number)])) for number in filled]
    return np.where(counts, np.searchsorted(filled, part), -1), names


def _span(values: np.ndarray) -> str:
    least, most = (f"{value:g}" for value in (values.min(), values.max()))
    return least if least == most else f"{least}–{most}"


def _own(values: Values, by: Mapping[str, str] | pd.Series | pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """Return the slices for names that the user gives, in their order."""
    if isinstance(by, pd.DataFrame):
        if by.shape[1] != 2:
            raise TiecoreError(f"a table of slices needs two columns, query_id and name; found {by.shape[1]}")
        by = by.set_index(by.columns[0]).iloc[:, 0]
    given = by.to_dict() if isinstance(by, pd.Series) else by
    name_of = {str(query): str(name) for query, name in given.items() if not pd.isna(name)}
    number = {name: place for place, name in enumerate(dict.fromkeys(name_of.values()))}
    ids = values.alignment.query_ids.to_pylist()
    return np.array([number[name_of[query]] if query in name_of else -1 for query in ids]), list(number)
