"""What is compared: data, queries, documents, features and settings in brief, and what does not match."""

from collections.abc import Sequence

import pandas as pd

from tiecore_dashboard.words import count, enumerate_names, in_html, plural

_MUCH = 0.1
"""Share of queries without judgments from which on they are worth a warning."""


def extent(*, name: str, n_queries: int, n_documents: int, n_features: int, settings: Sequence[str]) -> list[str]:
    """Say in brief what is compared; HTML.

    ``settings``: measure and conventions that are not the usual ones.
    """
    return [
        f"<strong>{in_html(name)}</strong>",
        plural(n_queries, "query", "queries"),
        plural(n_documents, "judged document"),
        plural(n_features, "feature"),
        *map(in_html, settings),
    ]


def left_out(names: Sequence[str]) -> str:
    """Say which files and features take no part at all; nothing if all do."""
    if not names:
        return ""
    return f"{enumerate_names(names)} {'is' if len(names) == 1 else 'are'} left out: the page Data says why."


def without_judgments(matched: pd.DataFrame) -> str:
    """Say which features list many queries without judgments; nothing if none does.

    ``matched``: a row a feature; columns ``queries`` and ``queries_unknown``.
    """
    unknown = matched["queries_unknown"]
    found = matched[unknown > _MUCH * (unknown + matched["queries"])]
    if found.empty:
        return ""
    names = [str(name) for name in found.index]
    who = enumerate_names(names) if len(names) <= 2 else f"{count(len(names))} features"
    most = plural(int(found["queries_unknown"].max()), "query", "queries")
    return f"{who}: {'up to ' if len(names) > 1 else ''}{most} without judgments left out."
