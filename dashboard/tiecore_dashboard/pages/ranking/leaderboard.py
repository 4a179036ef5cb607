"""The leaderboard: table and chart at once, in HTML, with the interval of each feature in its row.

It holds no script: the frame of the page sorts its rows on a click on a title and takes clicks on rows as highlights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Any, Literal

import numpy as np
import pandas as pd

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, Mark, blend, label, marks_of

__all__ = ["HEAD", "PRESETS", "Preset", "Range", "leaderboard_legend", "leaderboard_table", "table_row_height"]

Preset = Literal["answer", "tie-breaks", "numbers"]
PRESETS: tuple[Preset, ...] = ("answer", "tie-breaks", "numbers")
"""Columns that belong together: what one wants to know first, what each tie-break does, and numbers for a paper."""
Range = Literal["close-up", "worst to best"]
HEAD = 48
"""Pixels of the titles of the columns."""
_TICKS = (1, 2, 2.5, 5, 10)
_LONGEST, _END = 34, 7
_ROOMY = 40
"""Pixels of a row that has room for two lines."""
_APART = 5.0
"""Percent of the axis between two marks that do not touch."""
_FIRST_LANE, _LANE, _LAST_LANE = 58.0, 17.0, 92.0
"""Percent of the row from its top: where marks stand, one below the other where their values are about equal."""


def table_row_height(n_rows: int) -> int:
    """Pixels of each row: less air for the many."""
    return _ROOMY if n_rows <= 12 else 30 if n_rows <= 30 else 24


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: its title, what it means, its cells as HTML, and what they are sorted by."""

    title: str
    meaning: str
    cells: Sequence[str]
    keys: Sequence[float | str]
    kind: str = "number"
    """Class in CSS: ``number``, ``text``, ``bar`` …; those that are not ``core`` are left out on a phone."""
    small: str = ""
    """Second line of the title."""
    head: str = field(default="")
    """HTML instead of the title."""


def leaderboard_table(
    board: pd.DataFrame,
    *,
    measure: str,
    look: Look,
    preset: Preset = "answer",
    tie_breaks: Sequence[str] = (),
    highlighted: Collection[str] = (),
    shows: Range = "close-up",
    higher_is_better: bool = True,
) -> str:
    """Return the leaderboard as HTML: a row a feature, in the order of the frame.

    Parameters
    ----------
    board
        Index feature; columns of ``Evaluation.leaderboard``. What is there of the following is shown: ``low``,
        ``high`` (95 % of random tie-breaks); ``query_low``, ``query_high``, ``se`` (over queries); ``place_low``,
        ``place_high``, ``all_low``, ``all_high``, ``first``, ``letters`` (place sets); ``verdict``, ``ties``,
        ``queries``, ``p`` (against the next feature).
    measure
        Name.
    look
        Colours.
    preset
        Which columns.
    tie_breaks
        Names of the tie-breaks to show.
    highlighted
        Features whose rows stand out.
    shows
        Whether the bars leave out the worst and the best case, or draw them as a thin line.
    higher_is_better
        If not, the axis runs backwards, so that better is always to the right.
    """
    axis = _Axis(board, tie_breaks, shows=shows, higher_is_better=higher_is_better)
    marks = marks_of(tie_breaks, look)
    common = [_names(board), _places(board), _values(board, measure)]
    columns = {
        "answer": lambda: [*common, _bars(board, axis, marks), *_verdicts(board), *_letters(board)],
        "tie-breaks": lambda: [*common, *_of_tie_breaks(board, marks), *_extremes(board)],
        "numbers": lambda: [*common, *_numbers(board), *_extremes(board), *_letters(board)],
    }[preset]()
    heads = "".join(_head(column) for column in columns)
    rows = "".join(
        _row(str(name), [_cell(column, row) for column in columns], is_marked=name in highlighted)
        for row, name in enumerate(board.index)
    )
    style = _style(look, axis, n_rows=len(board))
    dense = "" if table_row_height(len(board)) >= _ROOMY else " dense"
    return (
        f'<div class="leaderboard columns-{preset}{dense}" style="{style}">'
        f'<table aria-label="Leaderboard by {escape(measure)}">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _style(look: Look, axis: _Axis, *, n_rows: int) -> str:
    colours = {
        "text": look.text,
        "muted": look.muted,
        "grid": look.grid,
        "ground": look.ground,
        "panel": look.panel,
        "good": look.good,
        "bad": look.bad,
        "accent": look.accent,
        "chosen": blend(look.accent, look.ground, 0.1),
        "queries": look.range,
        "ties": look.central,
        "extremes": look.quiet,
    }
    lines = ",".join(
        f"linear-gradient({look.grid},{look.grid}) {at:.2f}% 0/1px 100% no-repeat" for at, _ in axis.ticks()
    )
    return (
        "".join(f"--{name}:{colour};" for name, colour in colours.items())
        + f"--row:{table_row_height(n_rows)}px;--head:{HEAD}px;--ticks:{lines or 'none'}"
    )


def _head(column: _Column) -> str:
    small = f'<span class="small">{escape(column.small)}</span>' if column.small else ""
    inside = f"<button type=button>{column.head or escape(column.title)}{small}</button>"
    return f'<th scope="col" class="{column.kind}" title="{escape(column.meaning)}">{inside}</th>'


def _row(name: str, cells: Sequence[str], *, is_marked: bool) -> str:
    marked = ' class="marked" aria-selected="true"' if is_marked else ""
    return f'<tr data-feature="{escape(name)}"{marked}>{"".join(cells)}</tr>'


def _cell(column: _Column, row: int) -> str:
    known = column.keys[row]
    key = "" if known != known else escape(str(known))
    tag = 'th scope="row"' if column.title == "Feature" else "td"
    return f'<{tag} class="{column.kind}" data-key="{key}">{column.cells[row]}</{tag[:2]}>'


def _names(board: pd.DataFrame) -> _Column:
    names = [str(name) for name in board.index]
    cells = [f'<span title="{escape(name)}">{_in_two(name)}</span>' for name in names]
    return _Column("Feature", "Click on a row to highlight the feature in every chart.", cells, names, "text core name")


def _in_two(name: str) -> str:
    """Name of which a narrow screen cuts off the middle: its beginning gives way, its end, which often tells, stays."""
    shown = unescape(label(name, _LONGEST))
    begin, end = shown[:-_END], shown[-_END:]
    return f'<i class="begin">{escape(begin)}</i><i class="end">{escape(end)}</i>' if begin else escape(end)


def _places(board: pd.DataFrame) -> _Column:
    cells = [str(place) for place in board["place"]]
    meaning = "Place by expectation; equal features share one."
    small = ""
    if "place_low" in board:
        small = "95 % set"
        meaning += (
            " Beside it the place set, where it holds others: places that it could take on other queries of the same "
            "kind, at 95 %."
        )
        cells = [
            f'{place}<span class="small set">{_span(low, high) if low < high or low != place else ""}</span>'
            for place, low, high in board[["place", "place_low", "place_high"]].itertuples(index=False, name=None)
        ]
    return _Column("Place", meaning, cells, list(board["place"]), "number core place", small)


def _span(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _values(board: pd.DataFrame, measure: str) -> _Column:
    return _number(
        board, "expected", label(measure, 18), "Exact mean over all orders of tied documents.", "number core value"
    )


def _number(
    board: pd.DataFrame,
    name: str,
    title: str,
    meaning: str,
    kind: str = "number",
    *,
    small: str = "",
    shown: Callable[[float], str] = words.number,
) -> _Column:
    values = [float(value) for value in board[name]]
    return _Column(title, meaning, [escape(shown(value)) for value in values], values, kind, small)


def _bars(board: pd.DataFrame, axis: _Axis, marks: Mapping[str, Mark]) -> _Column:
    meaning = (
        "Dot: expectation. Broad light bar: 95 % confidence interval over queries, the mean ± Student’s t times its "
        "standard error, with room for missed hits. Dark bar: 95 % of random tie-breaks on these queries. Bars of two "
        "features may overlap though their difference is clear, for both are measured on the same queries: the "
        "verdict compares query by query."
    )
    cells = []
    rows = board.to_dict("records")
    for row in rows:
        parts = [
            axis.bar("queries", row.get("query_low", math.nan), row.get("query_high", math.nan)),
            axis.bar("extremes", row["worst"], row["best"]) if axis.shows == "worst to best" else "",
            axis.bar("ties", row.get("low", math.nan), row.get("high", math.nan)),
            *(_marks(row, axis, marks) if row["worst"] != row["best"] else ()),
            f'<i class="dot" style="left:{axis.at(row["expected"]):.2f}%"></i>',
        ]
        kind = "bar with-marks" if marks and row["worst"] != row["best"] else "bar"
        cells.append(f'<div class="{kind}" role="img" aria-label="{_in_words(row)}">{"".join(parts)}</div>')
    title = "95 % intervals" if axis.shows == "close-up" else "95 % intervals, worst to best"
    ticks = "".join(f'<span style="left:{at:.2f}%">{escape(text)}</span>' for at, text in axis.ticks())
    return _Column(
        "Interval", meaning, cells, list(board["expected"]), "bars", head=f'{title}<span class="axis">{ticks}</span>'
    )


def _marks(row: Mapping[Hashable, Any], axis: _Axis, marks: Mapping[str, Mark]) -> list[str]:
    """Marks of the tie-breaks below the bar; where values are about equal, one below the other, so that all show."""
    at = {name: axis.at(row[name]) for name in marks}
    lanes = _lanes(list(at.values()))
    step = min(_LANE, (_LAST_LANE - _FIRST_LANE) / max([1, *lanes]))
    return [
        f'<i class="mark" style="left:{at[name]:.2f}%;top:{_FIRST_LANE + lane * step:.1f}%" '
        f'title="{escape(words.known_as(name))}: {words.number(row[name])}">{mark.glyph}</i>'
        for lane, (name, mark) in zip(lanes, marks.items(), strict=True)
    ]


def _lanes(at: Sequence[float]) -> list[int]:
    """Return the lane of each mark: the first one in which it touches no mark before it."""
    lanes: list[int] = []
    for number, one in enumerate(at):
        taken = {lane for lane, other in zip(lanes, at[:number], strict=True) if abs(one - other) < _APART}
        lanes.append(next(lane for lane in range(len(at)) if lane not in taken))
    return lanes


def _in_words(row: Mapping[Hashable, Any]) -> str:
    known = [
        f"{title} {words.number(row[low])} to {words.number(row[high])}"
        for title, low, high in (
            ("95 % over queries", "query_low", "query_high"),
            ("95 % of random tie-breaks", "low", "high"),
            ("worst to best case", "worst", "best"),
        )
        if low in row and not math.isnan(row[low])
    ]
    return escape("; ".join([f"expectation {words.number(row['expected'])}", *known]))


def _verdicts(board: pd.DataFrame) -> list[_Column]:
    if "verdict" not in board:
        return []
    cells, keys = [], []
    for verdict, tie_risk, p in board[["verdict", "tie_risk", "p"]].itertuples(index=False, name=None):
        keys.append(verdict)
        if not verdict:
            cells.append("")
            continue
        hover = f"{words.MEANINGS[verdict]}; {words.p_is(p)} (Holm)"
        proof = f'<span class="small proof">{words.risk(tie_risk)}</span>'
        cells.append(
            f'<span class="badge {verdict.replace(" ", "-")}" title="{escape(hover)}">'
            f"{words.VERDICTS[verdict]} {verdict}</span>{'' if verdict == 'equal' else proof}"
        )
    return [
        _Column(
            "Against the next",
            "Verdict on the difference from the feature in the next row over the queries (Holm, for all pairs), and "
            "the chance that one random tie-break does not keep the order.",
            cells,
            keys,
            "text core verdict",
        )
    ]


def _letters(board: pd.DataFrame) -> list[_Column]:
    if "letters" not in board:
        return []
    found = [str(letters) for letters in board["letters"]]
    cells = [f'<span title="{escape(one)}">{escape(label(one, 9))}</span>' for one in found]
    meaning = "Features that share a letter are not clearly different (Holm, 5 %)."
    return [_Column("Letters", meaning, cells, found, "text letters")]


def _of_tie_breaks(board: pd.DataFrame, marks: Mapping[str, Mark]) -> list[_Column]:
    columns = []
    for name, mark in marks.items():
        cells = [
            f"{escape(words.number(value))}{_moved(int(shift), int(place))}"
            for value, place, shift in board[[name, f"{name} place", f"{name} shift"]].itertuples(
                index=False, name=None
            )
        ]
        columns.append(
            _Column(
                words.known_as(name),
                f"{words.of_tie_break(name)} Value, and places gained ▲ or lost ▼ against the expectation.",
                cells,
                [float(value) for value in board[name]],
                "number tie-break",
                name,
                head=f'<span class="glyph">{mark.glyph}</span>&nbsp;{escape(words.known_as(name))}',
            )
        )
    return columns


def _moved(shift: int, place: int) -> str:
    if not shift:
        return '<span class="moved still">=</span>'
    sign, kind, verb = ("▲", "up", "gained") if shift > 0 else ("▼", "down", "lost")
    hover = f"{words.plural(abs(shift), 'place')} {verb}: place {place}"
    return f'<span class="moved {kind}" title="{hover}">{sign}{abs(shift)}</span>'


def _extremes(board: pd.DataFrame) -> list[_Column]:
    return [
        _number(board, "worst", "Worst", "The least favourable order of every tie."),
        _number(board, "best", "Best", "The most favourable order of every tie."),
    ]


_OVER_QUERIES = "95 % confidence interval for other queries: mean ± t × SE, with room for missed hits."


def _numbers(board: pd.DataFrame) -> list[_Column]:
    columns = [_number(board, "sd", "SD", "Standard deviation under random tie-breaks.", small="from ties")]
    for low, high, small, meaning in (
        ("low", "high", "of tie-breaks", "Where 95 % of random tie-breaks on these queries land."),
        ("query_low", "query_high", "over queries", _OVER_QUERIES),
    ):
        if low in board:
            cells = [
                words.NOTHING if math.isnan(one) else f"{words.number(one)}–{words.number(other)}"
                for one, other in board[[low, high]].itertuples(index=False, name=None)
            ]
            columns.append(_Column("95 %", meaning, cells, list(board[low]), "number", small))
        if low == "low" and "se" in board:
            columns.append(_number(board, "se", "SE", "Standard error of the mean over queries.", small="from queries"))
    if "all_low" in board:
        cells = [_span(*ends) for ends in board[["all_low", "all_high"]].itertuples(index=False, name=None)]
        meaning = "Place sets that hold the true places of all features together, at 95 %."
        columns.append(_Column("Places", meaning, cells, list(board["all_low"]), "number", "all at once"))
        meaning = "Share of random tie-breaks under which the feature is in first place."
        columns.append(_number(board, "first", "First", meaning, small="of tie-breaks", shown=words.share))
    return columns


def leaderboard_legend(
    board: pd.DataFrame, *, look: Look, tie_breaks: Sequence[str] = (), shows: Range = "close-up"
) -> str:
    """Return the legend of the bars as HTML: what is drawn, so nothing on ties where none matters."""
    entries = ['<span><i class="dot"></i>expectation</span>']
    if "query_low" in board:
        entries.append('<span><i class="key queries"></i>95 % over queries</span>')
    if not (board["worst"] == board["best"]).all():
        if "low" in board and board["low"].notna().any():
            entries.append('<span><i class="key ties"></i>95 % of random tie-breaks</span>')
        if shows == "worst to best":
            entries.append('<span><i class="key extremes"></i>worst to best case</span>')
        entries += [
            f'<span><i class="glyph">{mark.glyph}</i>{escape(words.known_as(name))}</span>'
            for name, mark in marks_of(tie_breaks, look).items()
        ]
    colours = f"--text:{look.text};--muted:{look.muted};--queries:{look.range};--ties:{look.central}"
    colours += f";--extremes:{look.quiet}"
    return f'<p class="legend of-leaderboard" style="{colours}">{"".join(entries)}</p>'


class _Axis:
    """Scale of the bars: values to percent of their cell."""

    def __init__(self, board: pd.DataFrame, tie_breaks: Sequence[str], *, shows: Range, higher_is_better: bool) -> None:
        self.shows = shows
        columns = ["expected", "low", "high", "query_low", "query_high", *tie_breaks]
        columns += ["worst", "best"] if shows == "worst to best" else []
        values = board[[name for name in columns if name in board]].to_numpy(dtype=float)
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        room = (high - low) * 0.03 or abs(high) * 0.1 or 0.1
        self._low, self._high = low - room, high + room
        self._turned = not higher_is_better

    def at(self, value: float) -> float:
        """Percent from the left."""
        share = 100 * (value - self._low) / (self._high - self._low)
        return 100 - share if self._turned else share

    def bar(self, kind: str, one: float, other: float) -> str:
        """Bar between two values; nothing where they are not known."""
        if math.isnan(one) or math.isnan(other):
            return ""
        left, right = sorted((self.at(one), self.at(other)))
        return f'<i class="{kind}" style="left:{left:.2f}%;width:{right - left:.2f}%"></i>'

    def ticks(self) -> list[tuple[float, str]]:
        """Round values: percent from the left, and text."""
        span = self._high - self._low
        power = 10.0 ** math.floor(math.log10(span / 4))
        step = power * next(one for one in _TICKS if power * one >= span / 5.5)
        digits = max(0, -math.floor(math.log10(step) + 1e-9) + (1 if step / power == _TICKS[2] else 0))
        first = math.ceil(self._low / step)
        values = [n * step for n in range(first, math.floor(self._high / step) + 1)]
        return [(self.at(value), f"{value:,.{digits}f}".replace("-", "−")) for value in values]
