"""A chart of the pages drawn anew by matplotlib at an exact width, with room for every text.

A chart is made for letters of 13 pixels; here all its lengths follow the size of the letters, and its width is that of
the sheet. Margins are as wide as what stands in them.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter, NullLocator, ScalarFormatter

from tiecore_dashboard.charts.look import Figure
from tiecore_dashboard.charts.pieces import spread
from tiecore_dashboard.export.paper.legend import Legend
from tiecore_dashboard.export.paper.sheet import Sheet
from tiecore_dashboard.export.paper.texts import LINE, Words, height_of, read_markup, width_of
from tiecore_dashboard.export.paper.traces import KINDS_OF_TRACES, SIGN_BEFORE, Pen, colour_of, tick_spacing

__all__ = ["Drawn"]

_MEASURED_AT = 288
"""Dots per inch at which texts are measured: at fewer, letters are rounded to other widths than they are printed in."""
_PAD = 2.0
"""Points around everything."""
_NAMES_SHARES = (0.4, 0.5, 0.6)
"""Of the width that names beside an axis may take: the least with which they fit the rows."""
_MANY_ROWS = 12
_DENSE = 0.85
"""Of the letters of a sheet: names beside many rows."""
_MOST_TRIALS, _STILL = 8, 0.3
_MOST_LINES = 3
"""Of a name above a column."""


class Drawn:
    """A chart laid out on a sheet, drawn when it is made."""

    def __init__(self, figure: Figure, sheet: Sheet) -> None:
        unknown = {trace.type for trace in figure.data} - {*KINDS_OF_TRACES}
        if unknown:
            raise ValueError(f"no way to print a trace of the kind {min(unknown)!r}")
        self.figure, self.layout, self.sheet = figure, figure.layout, sheet
        self.pen = Pen(sheet)
        self.look = sheet.look
        self.gap = 0.45 * sheet.font
        margin = self.layout.margin
        self.inner = self.pen.points(max(float(self.layout.height) - margin.t - margin.b, 40.0))
        self.drawing = Drawing(figsize=(sheet.width / 72, 1), dpi=_MEASURED_AT, facecolor=self.look.ground)
        FigureCanvasAgg(self.drawing)
        self.left = self.right = self.top = self.bottom = _PAD
        self.is_slanted = False  # once names above columns are, they stay so: they would else come and go with the room
        self.legend = Legend(figure, self.pen, width=sheet.width - 2 * _PAD, gap=self.gap)
        self._fit()

    @property
    def height(self) -> float:
        """Points from the top to the bottom."""
        return self.inner + self.top + self.bottom + self.legend.height

    # Margins follow from what stands in them, and what stands in them (how many ticks, where names are broken) from
    # the room between them: so it is drawn until nothing moves any more.
    def _fit(self) -> None:
        self._draw_anew()
        for _ in range(_MOST_TRIALS):
            box = self.drawing.get_tightbbox(self.drawing.canvas.get_renderer())  # type: ignore[attr-defined]
            left, bottom, right, top = (edge * 72 for edge in box.extents)
            moves = (
                _PAD - left,
                right - (self.sheet.width - _PAD),
                top - (self.height - self.legend.height - _PAD),
                _PAD - bottom,
            )
            if max(map(abs, moves)) < _STILL:
                break
            self.left, self.right, self.top, self.bottom = (
                margin + move
                for margin, move in zip((self.left, self.right, self.top, self.bottom), moves, strict=True)
            )
            self._draw_anew()
        self.legend.draw(self.drawing, left=_PAD, top=self.height - _PAD)

    def _draw_anew(self) -> None:
        self.drawing.clear()
        self.drawing.set_size_inches(self.sheet.width / 72, self.height / 72)
        self._draw()

    def _draw(self) -> None:
        width, height = self.sheet.width, self.height
        self.across = max(width - self.left - self.right, 20.0)
        inner = (self.left / width, self.bottom / height, self.across / width, self.inner / height)
        paper = self.drawing.add_axes(inner, frameon=False, zorder=-1)
        paper.set_axis_off()
        first = self._axes(inner, "y")
        for order, trace in enumerate(self.figure.data):
            self.pen.trace(self.axes[trace.yaxis or "y"], trace, 2 + order, paper=(width, height))
            if trace.type == "heatmap" and trace.showscale is not False:
                self._scale(trace, inner)
        for shape in self.layout.shapes:
            self.pen.shape(self._referred(shape.yref, first), paper.transAxes, shape)
        beside: list[Any] = []
        elsewhere: list[Any] = []
        for note in self.layout.annotations:
            (beside if _is_beside(note) else elsewhere).append(note)
        for shift in dict.fromkeys(note.xshift for note in beside):  # each column of notes by itself
            self._name_ends([note for note in beside if note.xshift == shift], first)
        for note in elsewhere:
            self.pen.note(self._referred(note.yref, first), paper.transAxes, note, self.across)

    def _name_ends(self, notes: list[Any], axes: Axes) -> None:
        """Write what stands right of the rows or lines: whole, in lines of its own, none over another."""
        size = self.pen.size(12)
        room = _NAMES_SHARES[0] * self.sheet.width
        low, high = axes.get_ylim()
        heights = [self.bottom + self.inner * (float(note.y) - low) / (high - low) for note in notes]
        signs = [SIGN_BEFORE.match(str(note.text)) for note in notes]
        texts = [
            read_markup(sign[3] if sign else note.text).broken(room, size)
            for note, sign in zip(notes, signs, strict=True)
        ]
        apart = spread(heights, [height_of(len(words.lines), size) for words in texts])
        for note, sign, words, height in zip(notes, signs, texts, apart, strict=True):
            at = self.left + self.across + self.pen.points(note.xshift or 0) + self.gap
            if sign:
                axes.annotate(
                    sign[2], (at, height), xycoords="figure points", va="center", size=size, color=sign[1], zorder=50
                )
                at += 1.1 * size
            axes.annotate(
                words.text,
                (at, height),
                xycoords="figure points",
                va="center",
                size=size,
                linespacing=1.05,
                color=words.colour or note.font.color or self.look.text,
                zorder=50,
            )

    def _referred(self, reference: str | None, first: Axes) -> Axes:
        return self.axes.get(str(reference).partition(" ")[0], first)

    def _axes(self, inner: tuple[float, float, float, float], first: str) -> Axes:
        """Make a pair of axes for each vertical axis of the chart: they lie above each other on one horizontal one."""
        left, bottom, width, height = inner
        used = sorted({trace.yaxis or "y" for trace in self.figure.data} | {first})
        anchor = self.layout.xaxis.anchor or first
        self.axes: dict[str, Axes] = {}
        for name in used:
            axis = self.layout[f"yaxis{name[1:]}"]
            low, high = axis.domain or (0.0, 1.0)
            axes = self.drawing.add_axes((left, bottom + low * height, width, (high - low) * height), facecolor="none")
            for spine in axes.spines.values():
                spine.set_visible(False)
            axes.set_axisbelow(True)
            axes.tick_params(length=0, pad=self.gap)
            self.axes[name] = axes
            self._horizontal(axes, has_labels=name == anchor)
            self._vertical(axes, axis, high - low)
        return self.axes[first]

    def _horizontal(self, axes: Axes, *, has_labels: bool) -> None:
        axis = self.layout.xaxis
        if axis.type == "log":
            axes.set_xscale("log")
            axes.set_xlim(*(10.0**end for end in axis.range))
        else:
            axes.set_xlim(*self._range(axis, "x"))
        axes.xaxis.set_minor_locator(NullLocator())
        at_top = axis.side == "top"
        if at_top:
            axes.xaxis.tick_top()
            axes.xaxis.set_label_position("top")
        self._grid(axes, axis, "x")
        if not has_labels or axis.visible is False or axis.showticklabels is False:
            axes.xaxis.set_major_formatter(NullFormatter())
            axes.tick_params(axis="x", pad=0)
        elif axis.ticktext is not None or axis.tickvals is not None:
            self._named_columns(axes, axis, at_top=at_top)
        else:
            self._numbered(axes, axis, "x", room=self.across)
        if axis.visible is False:
            axes.xaxis.set_visible(False)
        elif has_labels and axis.title.text:
            axes.set_xlabel(**self._title(axis, self.sheet.width - 2 * _PAD))

    def _title(self, axis: Any, room: float) -> dict[str, Any]:
        size = self.pen.size(axis.title.font.size or 13)
        words = read_markup(axis.title.text).broken(room, size)
        return {
            "xlabel" if axis is self.layout.xaxis else "ylabel": words.text,
            "size": size,
            "color": axis.title.font.color or self.look.muted,
            "labelpad": self.gap,
        }

    def _named_columns(self, axes: Axes, axis: Any, *, at_top: bool) -> None:
        """Write texts below or above the columns: upright, level in lines, or slanted, as there is room."""
        values = [float(value) for value in axis.tickvals]
        texts = [read_markup(text) for text in (axis.ticktext or axis.tickvals)]
        size = self.pen.size(axis.tickfont.size or 12)
        low, high = sorted(axes.get_xlim())
        pitch = self.across * (tick_spacing(values) / (high - low) if axis.type != "log" else 1.0)
        axes.set_xticks(values)
        style: dict[str, Any] = {"size": size, "color": axis.tickfont.color or self.look.muted, "linespacing": 1.1}
        if axis.type == "log" or (self._is_square and self._slant_is_too_high(texts, size)):
            texts = texts if axis.type == "log" else _numbers(len(texts), pitch / width_of("88", size))
            axes.set_xticklabels([words.text for words in texts], **style)
            return
        level = [words.broken(0.95 * pitch, size, breaks="at joints") for words in texts]
        fits = all(width_of(line, size) <= 0.95 * pitch for words in level for line in words.lines)
        most_lines = max((len(words.lines) for words in level), default=1)
        self.is_slanted |= len(texts) > 1 and not (fits and most_lines <= _MOST_LINES)
        if self.is_slanted:
            angle = 90 if pitch < 1.6 * size else max(abs(axis.tickangle or 0), 40)
            self._slant(axes, [" ".join(words.lines) for words in texts], style, angle=angle, at_top=at_top)
        else:
            axes.set_xticklabels([words.text for words in level], **style)
        for text, words in zip(axes.get_xticklabels(), texts, strict=False):
            if words.colour:
                text.set_color(words.colour)

    def _slant(self, axes: Axes, texts: list[str], style: dict[str, Any], *, angle: float, at_top: bool) -> None:
        """Write texts that begin or end at their column, or stand upright on it."""
        axes.set_xticklabels(texts, **style, rotation=angle, rotation_mode="default" if angle == 90 else "anchor")
        for text in axes.get_xticklabels():
            if angle == 90:
                text.set_horizontalalignment("center")
                text.set_verticalalignment("bottom" if at_top else "top")
            else:
                text.set_horizontalalignment("left" if at_top else "right")
                text.set_verticalalignment("center")

    @property
    def _is_square(self) -> bool:
        """Whether rows and columns are the same things."""
        rows, columns = self.layout.yaxis.ticktext, self.layout.xaxis.ticktext
        return bool(rows) and bool(columns) and list(rows) == list(columns)

    def _slant_is_too_high(self, texts: list[Words], size: float) -> bool:
        """Return whether names above the columns would take more room than the columns themselves are worth."""
        return max((width_of(words.text, size) for words in texts), default=0.0) > 0.22 * self.sheet.width

    def _vertical(self, axes: Axes, axis: Any, share: float) -> None:
        axes.set_ylim(*self._range(axis, "y", axes))
        axes.yaxis.set_minor_locator(NullLocator())
        at_right = axis.side == "right"
        if at_right:
            axes.yaxis.tick_right()
        self._grid(axes, axis, "y")
        if axis.zeroline and axis.zerolinecolor:
            axes.axhline(0, color=axis.zerolinecolor, linewidth=self.pen.line_width(1), zorder=1)
        if axis.visible is False or axis.showticklabels is False:
            axes.yaxis.set_major_locator(NullLocator())
            axes.tick_params(axis="y", pad=0)
        elif axis.ticktext is not None or axis.tickvals is not None:
            self._named_rows(axes, axis, share)
        else:
            self._numbered(axes, axis, "y", room=self.inner * share)
        if axis.title.text:
            axes.set_ylabel(**self._title(axis, self.inner * share))

    def _named_rows(self, axes: Axes, axis: Any, share: float) -> None:
        """Write names beside the rows, long ones in several lines; rows grow where they need it."""
        texts = [read_markup(text) for text in (axis.ticktext or axis.tickvals)]
        size = self.pen.size(axis.tickfont.size or 12)
        if len(texts) > _MANY_ROWS:
            size = min(size, _DENSE * self.sheet.font)
        is_numbered = self._is_square and self._slant_is_too_high(texts, size)
        values = [float(value) for value in axis.tickvals]
        low, high = sorted(axes.get_ylim())
        pitch = self.inner * share * tick_spacing(values) / (high - low)
        whole, needed = texts, 0.0
        for part in _NAMES_SHARES:
            texts = [words.broken(part * self.sheet.width - (3 * size if is_numbered else 0), size) for words in whole]
            needed = height_of(max((len(words.lines) for words in texts), default=1), size) + 1
            if needed <= pitch:
                break
        if is_numbered:
            texts = [
                Words((*words.lines[:-1], f"{words.lines[-1]}  {number}"), words.colour)
                for number, words in enumerate(texts, 1)
            ]
        if pitch < needed:
            self.inner *= needed / pitch
        axes.set_yticks(values)
        axes.set_yticklabels([words.text for words in texts], size=size, linespacing=1.05)
        if axis.side != "right":
            for text in axes.get_yticklabels():
                text.set_multialignment("right")
        for text, words in zip(axes.get_yticklabels(), texts, strict=True):
            text.set_color(words.colour or axis.tickfont.color or self.look.muted)
            text.set_fontstyle("italic" if words.is_italic else "normal")

    def _numbered(self, axes: Axes, axis: Any, which: Literal["x", "y"], *, room: float) -> None:
        """Write numbers at round places, as many as there is room for."""
        size = self.pen.size(axis.tickfont.size or 12)
        suffix = axis.ticksuffix or ""
        own = axes.xaxis if which == "x" else axes.yaxis
        n_ticks = int(axis.nticks or 8)
        if axis.dtick:
            n_ticks = 20
        each = 1.7 * width_of(f"0.00{suffix}", size) if which == "x" else 2.2 * LINE * size
        own.set_major_locator(MaxNLocator(max(2, min(n_ticks, int(room / each))), steps=[1, 2, 2.5, 5, 10]))
        plain = ScalarFormatter(useOffset=False)
        plain.set_scientific(False)
        own.set_major_formatter(plain)
        if suffix:
            own.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}{suffix}".replace("-", "−")))
        axes.tick_params(axis=which, labelsize=size, labelcolor=axis.tickfont.color or self.look.muted)

    def _grid(self, axes: Axes, axis: Any, which: Literal["x", "y"]) -> None:
        if axis.showgrid is not False and axis.visible is not False:
            axes.grid(axis=which, color=self.look.grid, linewidth=0.6, zorder=0)

    def _range(self, axis: Any, which: str, axes: Axes | None = None) -> tuple[float, float]:
        if axis.range is not None:
            return float(axis.range[0]), float(axis.range[1])
        name = next((name for name, own in getattr(self, "axes", {}).items() if own is axes), "y")
        values = np.concatenate(
            [
                np.zeros(0),
                *(
                    _extent(trace, which)
                    for trace in self.figure.data
                    if which == "x" or axes is None or (trace.yaxis or "y") == name
                ),
            ]
        )
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        if any(trace.type == "heatmap" for trace in self.figure.data):
            return (high, low) if which == "y" and axis.autorange == "reversed" else (low, high)
        room = 0.05 * (high - low) or 0.1
        return (min(0.0, low) if axis.rangemode == "tozero" else low - room), high + room

    def _scale(self, trace: Any, inner: tuple[float, float, float, float]) -> None:
        """Draw the scale of colours of a heat map to its right."""
        left, bottom, width, height = inner
        thick = self.pen.points(10) / self.sheet.width
        axes = self.drawing.add_axes((left + width + 1.2 * thick, bottom, thick, height))
        stops = np.array([stop for stop, _ in trace.colorscale])
        inks = np.array([colour_of(ink) for _, ink in trace.colorscale])
        shares = np.linspace(0, 1, 128)
        colours = np.stack([np.interp(shares, stops, inks[:, channel]) for channel in range(4)], axis=-1)
        axes.imshow(
            colours[:, None, :],
            origin="lower",
            extent=(0, 1, trace.zmin, trace.zmax),
            aspect="auto",
            interpolation="none",
        )
        axes.set_xticks([])
        axes.yaxis.tick_right()
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_formatter(FuncFormatter(_signed))
        axes.tick_params(length=0, labelsize=self.pen.size(11), labelcolor=self.look.muted, pad=self.gap / 2)


def _is_beside(note: Any) -> bool:
    """Return whether a note stands to the right of the axes."""
    return note.xref == "paper" and note.x == 1 and note.xanchor == "left" and note.yref != "paper"


def _signed(value: float, _: object) -> str:
    """Write the value of a tick with its sign.

    >>> _signed(-0.05, 0), _signed(0.0, 1)
    ('−0.05', '0')
    """
    return f"{value:+.3g}".replace("-", "−") if value else "0"


def _numbers(n: int, room: float) -> list[Words]:
    """Number columns: all of them, or every fifth or tenth where each has only room for a part of a number.

    >>> [words.text for words in _numbers(6, 0.4)]
    ['1', '', '', '', '5', '']
    """
    step = 1 if room >= 1 else 5 if room >= 0.3 else 10
    return [Words((str(number) if number == 1 or number % step == 0 else "",)) for number in range(1, n + 1)]


def _extent(trace: Any, which: str) -> np.ndarray:
    """All that a trace reaches along an axis."""
    if trace.type == "heatmap":
        n_rows, n_columns = len(trace.z), len(trace.z[0]) if len(trace.z) else 0
        return np.array([-0.5, (n_rows if which == "y" else n_columns) - 0.5])
    values = np.array([np.nan if one is None else one for one in (trace.x if which == "x" else trace.y)], dtype=float)
    if trace.type == "bar" and (trace.orientation == "h") == (which == "x"):
        base = np.array(0.0 if trace.base is None else trace.base, dtype=float)
        return np.concatenate([np.broadcast_to(base, values.shape), base + values])
    return values
