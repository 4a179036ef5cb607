"""Tables of the page Queries: the queries of a feature, tie groups and documents of one list."""

from __future__ import annotations

from collections.abc import Mapping

from tiecore_dashboard.charts.columns import PERCENT, Columns, columns
from tiecore_dashboard.charts.look import Mark
from tiecore_dashboard.words import known_as


def query_columns(marks: Mapping[str, Mark], *, first: str, has_sd: bool) -> Columns:
    """Queries of a feature, what they are ordered by before everything else."""
    found = columns(
        {
            "spread": ("Spread", "%.4f"),
            "expected": ("Expected", "%.4f"),
            "worst": ("Worst", "%.4f"),
            "best": ("Best", "%.4f"),
            "cut_tie": ("Tie at the cut", "%,d"),
            **({"sd": ("SD", "%.4f")} if has_sd else {}),
        }
    ) | _shifts(marks, title="{} shift")
    share = columns({"cumulative": ("Share so far", PERCENT)}) if first != "expected" else {}
    return columns({"query_id": "Query"}, {"query_id": "id as in the files"}) | {first: found[first]} | share | found


def _shifts(marks: Mapping[str, Mark], *, title: str = "{}") -> Columns:
    return columns(
        {f"{name} shift": (f"{mark.glyph} {title.format(known_as(name))}", "%+.4f") for name, mark in marks.items()}
    )


def group_columns(marks: Mapping[str, Mark]) -> Columns:
    """Tie groups of one list."""
    found = columns(
        {
            "group": ("Group", "%d"),
            "score": ("Score", ""),
            "first_rank": ("Ranks from", "%,d"),
            "last_rank": ("to", "%,d"),
            "size": ("Documents", "%,d"),
            "relevant": ("Relevant", "%,d"),
            "grades": "Grades",
            "inside": ("Inside the cut", "%,d"),
            "contribution": ("Adds", "%.4f"),
            "to_worst": ("To worst", "%+.4f"),
            "to_best": ("To best", "%+.4f"),
            "share": ("Share of spread", PERCENT),
            "sd": ("SD", "%.4f"),
        }
    )
    return found | _shifts(marks)


def document_columns(marks: Mapping[str, Mark]) -> Columns:
    """Documents of one query."""
    titles: dict[str, str | tuple[str, str]] = {
        "doc_id": "Document",
        "grade": ("Grade", "%d"),
        "relevant": "Relevant",
        "score": ("Score", ""),
        "group": ("Group", "%d"),
        "first_rank": ("Ranks from", "%,d"),
        "last_rank": ("to", "%,d"),
    }
    titles |= {f"{name} rank": (f"{mark.glyph} {known_as(name)}", "") for name, mark in marks.items()}
    return columns(
        titles,
        {
            "doc_id": "id as in the files",
            "relevant": "counts as relevant for the measure",
            "score": "score that the feature gives it",
            "first_rank": "first rank that it can have",
            "last_rank": "last rank that it can have",
        },
    )
