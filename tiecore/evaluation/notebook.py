"""Leaderboards as HTML, for notebooks."""

from __future__ import annotations

from html import escape

import numpy as np

from tiecore.evaluation.suspicious import suspicions
from tiecore.evaluation.values import Values
from tiecore.measures import Measure

_MOST_MEASURES = 4
_MOST_FEATURES = 30
_MOST_LETTERS = 50


def leaderboards_html(values: Values) -> str:
    """Return the leaderboard of each measure as HTML that needs nothing from elsewhere; long ones are cut.

    Beside each value under a tie-break stands the place under it where that is another one.
    """
    boards = [_board(values, measure) for measure in values.measures[:_MOST_MEASURES]]
    more = len(values.measures) - len(boards)
    notes = [*suspicions(values), *values.warnings, *([f"{more} more measures: see .summary"] if more else [])]
    return "".join([f"<p>{escape(repr(values))}</p>", *boards, *(f"<p>{escape(note)}</p>" for note in notes)])


def _board(values: Values, measure: Measure) -> str:
    is_ordered = "expected" in values.statistics
    table = values.leaderboard(measure) if is_ordered else values.summary.loc[[str(measure)]].droplevel("measure")
    shown = table.iloc[:_MOST_FEATURES]
    text = shown[list(values.columns)].map(lambda value: "" if np.isnan(value) else f"{value:.4f}")
    if is_ordered:
        for name in (tie_break.name for tie_break in values.tie_breaks):
            under = shown[f"{name} place"]
            text[name] += (" (#" + under.astype(str) + ")").where(under != shown["place"], "")
    text.insert(0, "feature", shown.index.map(_cut))
    text.insert(0, "#", shown["place"] if is_ordered else "")
    text.columns = text.columns.map(_cut)
    left = len(table) - len(shown)
    caption = f"{measure}" + (f", {len(shown)} of {len(table)} features: see .leaderboard('{measure}')" if left else "")
    return text.to_html(index=False, border=0).replace(
        "<thead>", f'<caption style="text-align:left">{escape(caption)}</caption><thead>', 1
    )


def _cut(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else f"{name[:_MOST_LETTERS]}…"
