"""Tables of the page Queries: the queries of a feature, tie groups and documents of one list."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from tiecore.evaluation.columns import derived_column
from tiecore_dashboard.charts.columns import PERCENT, Columns, meaning_of, number, numbers, text
from tiecore_dashboard.charts.look import Mark
from tiecore_dashboard.words import known_as

__all__ = ["document_columns", "group_columns", "query_columns"]


def query_columns(marks: Mapping[str, Mark], *, first: str, has_sd: bool) -> Columns:
    """Queries of a feature, what they are ordered by before everything else."""
    columns = numbers(
        ("spread", "Spread", "%.4f"),
        ("expected", "Expected", "%.4f"),
        ("worst", "Worst", "%.4f"),
        ("best", "Best", "%.4f"),
        ("cut_tie", "Tie at the cut", "%,d"),
        *([("sd", "SD", "%.4f")] if has_sd else []),
    ) | _shifts(marks, title="{} shift")
    ahead = {first: columns[first]} | (numbers(("cumulative", "Share so far", PERCENT)) if first != "expected" else {})
    query = st.column_config.TextColumn("Query", help="Id as in the files.", pinned=True, width=70)
    return {"query_id": query} | ahead | columns


def _shifts(marks: Mapping[str, Mark], *, title: str = "{}") -> Columns:
    return {
        derived_column(name, "shift", marks): number(
            f"{mark.glyph} {title.format(known_as(name))}", f"{name} shift", "%+.4f"
        )
        for name, mark in marks.items()
    }


def group_columns(marks: Mapping[str, Mark]) -> Columns:
    """Tie groups of one list."""
    return (
        {
            "group": st.column_config.NumberColumn(
                "Group", help=meaning_of("group"), pinned=True, format="%d", width=70
            ),
            "score": st.column_config.NumberColumn("Score", help=meaning_of("score")),
        }
        | numbers(
            ("first_rank", "Ranks from", "%,d"),
            ("last_rank", "to", "%,d"),
            ("size", "Documents", "%,d"),
            ("relevant", "Relevant", "%,d"),
        )
        | {"grades": text("Grades", "grades")}
        | numbers(
            ("inside", "Inside the cut", "%,d"),
            ("contribution", "Adds", "%.4f"),
            ("to_worst", "To worst", "%+.4f"),
            ("to_best", "To best", "%+.4f"),
            ("share", "Share of spread", PERCENT),
            ("sd", "SD", "%.4f"),
        )
        | _shifts(marks)
    )


def document_columns(marks: Mapping[str, Mark]) -> Columns:
    """Documents of one query."""
    config = st.column_config
    return {
        "doc_id": config.TextColumn("Document", help="Id as in the files.", pinned=True),
        "grade": config.NumberColumn("Grade", help=meaning_of("grade"), format="%d"),
        "relevant": config.CheckboxColumn("Relevant", help="Counts as relevant for the measure."),
        "score": config.NumberColumn("Score", help="Score that the feature gives it."),
        "group": config.NumberColumn("Group", help=meaning_of("group"), format="%d"),
        "first_rank": config.NumberColumn("Ranks from", help="First rank that it can have.", format="%,d"),
        "last_rank": config.NumberColumn("to", help="Last rank that it can have.", format="%,d"),
    } | {
        f"{name} rank": config.NumberColumn(f"{mark.glyph} {known_as(name)}", help=meaning_of(f"{name} rank"))
        for name, mark in marks.items()
    }
