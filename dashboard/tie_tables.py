"""The tables of Queries and Ties: title, explanation and format of every column, in the order shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.figures.look import Mark
from tiecore.diagnostics import explain

__all__ = [
    "advice_columns",
    "anatomy_columns",
    "bias_columns",
    "document_columns",
    "group_columns",
    "hidden_columns",
    "pooled_columns",
    "precision_columns",
    "query_columns",
    "shown",
]

Columns = dict[str, Any]
_PERCENT = "%.0f %%"


def shown(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Bring the columns that are to be shown into their order, shares in percent."""
    chosen = frame[[name for name in columns if name in frame]]
    shares = [str(name) for name in chosen if columns[str(name)]["type_config"].get("format") == _PERCENT]
    return chosen.assign(**{name: 100 * chosen[name] for name in shares})


def _number(title: str, column: str, form: str) -> Any:
    return st.column_config.NumberColumn(title, help=_help(column), format=form)


def _text(title: str, column: str = "", **more: Any) -> Any:
    return st.column_config.TextColumn(title, help=_help(column) if column else None, **more)


def _numbers(*columns: tuple[str, str, str]) -> Columns:
    """Columns of numbers: name, title and format of each."""
    return {name: _number(title, name, form) for name, title, form in columns}


def _help(column: str) -> str:
    text = explain(column)
    return words.in_markdown(text[:1].upper() + text[1:] + ".")


def query_columns(marks: Mapping[str, Mark], *, first: str, has_sd: bool) -> Columns:
    """Queries of a feature, what they are ordered by before everything else."""
    columns = _numbers(
        ("spread", "Spread", "%.4f"),
        ("expected", "Expected", "%.4f"),
        ("worst", "Worst", "%.4f"),
        ("best", "Best", "%.4f"),
        *([("sd", "SD", "%.4f")] if has_sd else []),
    ) | _shifts(marks, title="{} shift")
    ahead = {first: columns[first]} | (
        _numbers(("cumulative", "Share so far", _PERCENT)) if first != "expected" else {}
    )
    return {"query_id": _text("Query", pinned=True, width=90)} | ahead | columns


def _shifts(marks: Mapping[str, Mark], *, title: str = "{}") -> Columns:
    return {
        f"{name} shift": _number(f"{mark.glyph} {title.format(name)}", f"{name} shift", "%+.4f")
        for name, mark in marks.items()
    }


def group_columns(marks: Mapping[str, Mark]) -> Columns:
    """Tie groups of one list."""
    return (
        {
            "group": st.column_config.NumberColumn("Group", help=_help("group"), pinned=True, format="%d", width=70),
            "score": st.column_config.NumberColumn("Score", help=_help("score")),
        }
        | _numbers(
            ("first_rank", "Ranks from", "localized"),
            ("last_rank", "to", "localized"),
            ("size", "Documents", "localized"),
            ("relevant", "Relevant", "localized"),
        )
        | {"grades": _text("Grades", "grades")}
        | _numbers(
            ("inside", "Inside the cut", "localized"),
            ("contribution", "Adds", "%.4f"),
            ("to_worst", "To worst", "%+.4f"),
            ("to_best", "To best", "%+.4f"),
            ("share", "Share of spread", _PERCENT),
            ("sd", "SD", "%.4f"),
        )
        | _shifts(marks)
    )


def document_columns(marks: Mapping[str, Mark]) -> Columns:
    """Documents of one query."""
    config = st.column_config
    return {
        "doc_id": _text("Document", pinned=True),
        "grade": config.NumberColumn("Grade", help=_help("grade"), format="%d"),
        "relevant": config.CheckboxColumn("Relevant", help="Counts as relevant for the measure."),
        "score": config.NumberColumn("Score", help="Score that the feature gives it."),
        "group": config.NumberColumn("Group", help=_help("group"), format="%d"),
        "first_rank": config.NumberColumn("Ranks from", help="First rank that it can have.", format="localized"),
        "last_rank": config.NumberColumn("to", help="Last rank that it can have.", format="localized"),
    } | {
        f"{name} rank": config.NumberColumn(f"{mark.glyph} {name}", help=_help(f"{name} rank"))
        for name, mark in marks.items()
    }


def anatomy_columns(cutoff: int) -> Columns:
    """Anatomy of the features."""
    return (
        {"feature": _text("Feature", pinned=True, width=150)}
        | _numbers(
            ("tied", "Tied", _PERCENT),
            ("tied_mixed", "In mixed ties", _PERCENT),
            ("mean_tie", "Mean tie", "%.1f"),
            ("largest_tie", "Largest tie", "localized"),
            ("values_per_query", "Levels a query", "%.1f"),
            ("values", "Levels in all", "localized"),
            ("constant_queries", "All tied", _PERCENT),
            (f"cut_in_tie@{cutoff}", f"Cut {cutoff} in a tie", _PERCENT),
            (f"cut_in_mixed_tie@{cutoff}", "in a mixed one", _PERCENT),
            ("queries", "Queries", "localized"),
            ("documents", "Documents", "localized"),
        )
        | {"alarm": _text("Alarm", "alarm", width="large")}
    )


def pooled_columns() -> Columns:
    """What each tie-break knows, over all features."""
    return {
        "tie_break": _text("Tie-break", pinned=True),
        "verdict": _text("Verdict over all features", "verdict", width="large"),
        "strongest": _text("Most of all", "strongest"),
    } | _numbers(("z", "z", "%.2f"), ("p", "p", "%.2g"), ("lifted", "Lifted", "%d"), ("features", "of", "%d"))


def bias_columns() -> Columns:
    """What each tie-break knows, feature by feature."""
    return (
        {"feature": _text("Feature", pinned=True), "tie_break": _text("Tie-break", "tie_break")}
        | _numbers(
            ("shift", "Shift", "%+.4f"),
            ("chance_sd", "Chance SD", "%.4f"),
            ("z", "z", "%.2f"),
            ("p", "p", "%.2g"),
            ("p_adjusted", "p adjusted", "%.2g"),
        )
        | {"verdict": _text("Verdict", "verdict", width="large")}
    )


def precision_columns() -> Columns:
    """What each precision costs."""
    return {
        "precision": _text("Stored as", "precision", pinned=True),
        "verdict": _text("Verdict", "verdict"),
    } | _numbers(
        ("expected", "Expected", "%.4f"),
        ("change", "Change", "%+.4f"),
        ("p", "p", "%.2g"),
        ("values", "Distinct scores", "localized"),
        ("tied", "Tied", _PERCENT),
        ("spread", "Spread", "%.4f"),
    )


def hidden_columns(precisions: Sequence[str]) -> Columns:
    """Ties that coarser comparisons would find; ``precisions`` are the columns ``tied`` and ``tied …``."""
    tied = ((column, f"Tied in {column.partition(' ')[2] or 'float64'}", _PERCENT) for column in precisions)
    return (
        {"feature": _text("Feature", pinned=True)}
        | _numbers(*tied, ("step", "Step", "%.3g"))
        | {"restore": _text("Restored by", "restore"), "note": _text("In words", "note", width="large")}
    )


def advice_columns() -> Columns:
    """Other features as tie-breakers."""
    return {
        "feature": _text("Feature", pinned=True),
        "other": _text("Tie-breaker", "other", pinned=True),
    } | _numbers(
        ("gained", "Gained", "%+.4f"),
        ("expected", "Expected", "%.4f"),
        ("z", "z", "%.2f"),
        ("p", "p", "%.2g"),
        ("spread_removed", "Spread removed", _PERCENT),
        ("sd_removed", "SD removed", _PERCENT),
        ("worst", "Worst", "%.4f"),
        ("best", "Best", "%.4f"),
    )
