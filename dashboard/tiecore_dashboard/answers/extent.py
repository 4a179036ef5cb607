"""What is compared: data, queries, documents and settings in brief, and what of them does not meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from tiecore_dashboard.ui.words import count, enumerate_names, in_html, plural, share

__all__ = ["Extent", "extent"]

_MUCH = 0.1
"""Share of ids that do not meet from which on it is worth a warning."""


class Extent(NamedTuple):
    """What a strip under the title says; HTML."""

    facts: list[str]
    warnings: list[str]


def extent(
    matched: pd.DataFrame, *, name: str, n_queries: int, n_documents: int, settings: Sequence[str], common: bool
) -> Extent:
    """Say in brief what is compared, and warn of what is unequal or does not meet.

    Parameters
    ----------
    matched
        A row a feature: ``queries``, ``queries_missing``, ``queries_unknown``, ``documents``, ``unjudged``.
    name
        Of the data.
    n_queries, n_documents
        Judged ones.
    settings
        Measure and conventions that are not the usual ones.
    common
        Whether only queries count that every feature lists.
    """
    facts = [
        f"<strong>{in_html(name)}</strong>",
        plural(n_queries, "query", "queries"),
        plural(n_documents, "judged document"),
        plural(len(matched), "feature"),
        *map(in_html, settings),
    ]
    found = [_missing(matched, n_queries=n_queries, common=common), _without_judgments(matched), _unjudged(matched)]
    return Extent(facts, [warning for warning in found if warning])


def _missing(matched: pd.DataFrame, *, n_queries: int, common: bool) -> str:
    lacking = matched[matched["queries_missing"] > 0]
    if lacking.empty:
        return ""
    most = count(lacking["queries_missing"].max())
    many = len(lacking) > 1
    who = _names(lacking)
    what = f"{'miss up to' if many else 'misses'} {most} of {plural(n_queries, 'query', 'queries')}"
    if common:
        then = "only the queries that all list count"
    elif len(matched) == 1:
        then = "these count 0"
    elif len(matched) == 2 and not many:
        then = f"compared on the {count(lacking['queries'].iloc[0])} that both list"
    else:
        then = "each pair is compared on the queries that both list"
    return f"{who} {what}: {then}"


def _without_judgments(matched: pd.DataFrame) -> str:
    unknown = matched["queries_unknown"]
    found = matched[unknown > _MUCH * (unknown + matched["queries"])]
    if found.empty:
        return ""
    most = plural(int(found["queries_unknown"].max()), "query", "queries")
    return f"{_names(found)}: {'up to ' if len(found) > 1 else ''}{most} without judgments left out"


def _unjudged(matched: pd.DataFrame) -> str:
    shares = (matched["unjudged"] / matched["documents"].clip(lower=1)).astype(float)
    found = shares[shares > _MUCH]
    if found.empty:
        return ""
    most, verb = ("", "ranks") if len(found) == 1 else ("up to ", "rank")
    return f"{most}{in_html(share(found.max()))} of what {_names(found)} {verb} is unjudged and counts as not relevant"


def _names(found: pd.DataFrame | pd.Series) -> str:
    names = [in_html(str(name)) for name in found.index]
    return enumerate_names(names, most=2) if len(names) <= 2 else f"{count(len(names))} features"
