"""Leaderboards as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

import numpy as np

from tiecore.evaluation.values import Values

__all__ = ["leaderboards_html"]

_MOST_MEASURES = 4
_MOST_FEATURES = 30
_MOST_LETTERS = 60


def leaderboards_html(values: Values) -> str:
    """Return the leaderboard of each measure as HTML that needs nothing from elsewhere; long ones are cut.

    Beside each value under a tie-break stands the place under it where that is another one.
    """
    boards = [_board(values, place) for place in range(min(len(values.measures), _MOST_MEASURES))]
    more = len(values.measures) - len(boards)
    notes = [*values.warnings, *([f"{more} more measures: see .summary"] if more else [])]
    return "".join([f"<p>{escape(repr(values))}</p>", *boards, *(f"<p>{escape(note)}</p>" for note in notes)])


def _board(values: Values, m: int) -> str:
    measure = values.measures[m]
    if "expected" in values.statistics:
        table = values.leaderboard(measure)
        place: Callable[[int], str] = list(map(str, table["place"])).__getitem__
    else:
        table = values.summary.iloc[m * len(values.features) : (m + 1) * len(values.features)].droplevel("measure")
        place = "".format
    moved = [tie_break.name for tie_break in values.tie_breaks] if "expected" in values.statistics else []
    under = {name: list(table[values.derived_column(name, "place")]) for name in moved}

    def cells(row: int) -> Iterable[str]:
        yield place(row)
        yield _cut(table.index[row])
        for name in values.columns:
            value = table[name].iloc[row]
            moved = name in under and under[name][row] != table["place"].iloc[row]
            yield ("" if np.isnan(value) else f"{value:.4f}") + (f" (#{under[name][row]})" if moved else "")

    shown = min(len(table), _MOST_FEATURES)
    rows = [_row("td", list(cells(row))) for row in range(shown)]
    left = len(table) - shown
    caption = f"{measure}" + (f", {shown} of {len(table)} features: see .leaderboard('{measure}')" if left else "")
    heading = _row("th", ["#", "feature", *map(_cut, values.columns)])
    return (
        f'<table><caption style="text-align:left">{escape(caption)}</caption>'
        f"<thead>{heading}</thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _row(tag: str, cells: Sequence[str]) -> str:
    aligned = ("left" if column == 1 else "right" for column in range(len(cells)))
    return "".join(
        [
            "<tr>",
            *(
                f'<{tag} style="padding:2px 10px;text-align:{side}">{escape(cell)}</{tag}>'
                for side, cell in zip(aligned, cells, strict=True)
            ),
            "</tr>",
        ]
    )


def _cut(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else f"{name[:_MOST_LETTERS]}…"
