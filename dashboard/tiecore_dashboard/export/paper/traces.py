"""Marks of a figure: the traces, shapes and notes of a chart of plotly, drawn by matplotlib.

Only what the charts of the pages are made of is known here; a test draws each of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, QuadMesh
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Transform, blended_transform_factory

from tiecore_dashboard.export.paper.sheet import Sheet
from tiecore_dashboard.export.paper.texts import read_markup, width_of

__all__ = ["KINDS_OF_TRACES", "SIGN_BEFORE", "Pen", "colour_of", "draw_sample", "is_shown", "tick_spacing"]

SIGN_BEFORE = re.compile(r'<span style="color:([^"]+)">(\S)</span> (.*)', re.DOTALL)
"""A text with a sign in a colour of its own before it."""
KINDS_OF_TRACES = ("scatter", "bar", "heatmap")
_MARKERS: Mapping[str, Any] = {
    "circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "triangle-down": "v", "triangle-left": "<",
    "triangle-right": ">", "star": "*", "hexagon": "h", "cross": "P", "pentagon": "p", "x": "X", "x-thin": "x",
    "asterisk": (8, 2, 0), "arrow-down": "v",
    "bowtie": Path([(-1, -1), (-1, 1), (1, -1), (1, 1), (-1, -1)], [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY]),
}  # fmt: skip
_AS_WIDE = {"*": 1.25, "D": 0.8, "s": 0.88, "^": 1.0, "v": 1.0}
"""How much larger or smaller a marker of matplotlib must be to look like that of plotly."""
_STROKES = ("x-thin", "asterisk")
_DASHES: Mapping[str, Any] = {
    "solid": "solid", "dot": (0, (1, 1.6)), "dash": (0, (4.5, 2.2)), "dashdot": (0, (4.5, 1.8, 1, 1.8)),
    "longdash": (0, (8, 2.5)), "longdashdot": (0, (8, 2, 1, 2)),
}  # fmt: skip
_GREY_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_BAR_LIKE = 6
"""Pixels of a line that is a bar."""
_LEAST_TEXT = 0.55
"""Of the letters of the sheet, in the cells of a heat map."""
_LEAST_LINE = 0.4
"""Points; a printer loses thinner ones."""


class Pen:
    """Draws marks on axes, at the scale of a sheet."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.scale = sheet.font / 13  # charts are made for letters of 13 pixels
        self._dashes: dict[str, str] = {}

    def points(self, pixels: float) -> float:
        """Return the points of a length on the screen."""
        return float(pixels) * self.scale

    def size(self, pixels: float | None) -> float:
        """Return the points of letters; the smallest stay readable."""
        return max(self.points(pixels or 13), 0.78 * self.sheet.font)

    def line_width(self, pixels: float | None) -> float:
        """Return the points of a line."""
        return max(self.points(2 if pixels is None else pixels), _LEAST_LINE)

    def dash(self, trace: Any) -> Any:
        """Return the pattern of the line of a trace; without colours each line has one of its own."""
        own = trace.line.dash or "solid"
        is_course = trace.name not in (None, "others", "features") and (trace.line.width or 2) < _BAR_LIKE
        if self.sheet.ink == "grey" and own == "solid" and is_course:
            name = str(trace.legendgroup or trace.name)
            own = self._dashes.setdefault(name, _GREY_DASHES[len(self._dashes) % len(_GREY_DASHES)])
        return _DASHES[own]

    def trace(self, axes: Axes, trace: Any, order: int, *, paper: tuple[float, float]) -> None:
        """Draw a trace above all of a lower order; the paper is so many points wide and high."""
        match trace.type:
            case "scatter":
                self._scatter(axes, trace, order)
            case "bar":
                self._bar(axes, trace, order)
            case _:
                self._heatmap(axes, trace, order, paper)

    def _scatter(self, axes: Axes, trace: Any, order: int) -> None:
        x, y = _numbers(trace.x), _numbers(trace.y)
        if not np.isfinite(x).any():
            return  # an entry of the legend
        mode = trace.mode or "lines"
        steps = trace.line.shape == "hv"
        if trace.fill == "toself":
            axes.fill(x, y, facecolor=colour_of(trace.fillcolor), edgecolor="none", zorder=order)
        elif trace.fill == "tozeroy":
            step: Literal["post"] | None = "post" if steps else None
            axes.fill_between(x, y, 0, facecolor=colour_of(trace.fillcolor), edgecolor="none", step=step, zorder=order)
        if "lines" in mode and trace.line.width != 0:
            axes.plot(
                x,
                y,
                color=colour_of(trace.line.color),
                linewidth=self.line_width(trace.line.width),
                linestyle=self.dash(trace),
                drawstyle="steps-post" if steps else "default",
                solid_capstyle="butt" if (trace.line.width or 0) >= _BAR_LIKE else "round",
                solid_joinstyle="round",
                clip_on=trace.cliponaxis is not False,
                zorder=order,
            )
        if "markers" in mode and trace.marker.opacity != 0:
            self._markers(axes, trace.marker, x, y, order)

    def _markers(self, axes: Axes, marker: Any, x: np.ndarray, y: np.ndarray, order: int) -> None:
        symbol = str(marker.symbol or "circle")
        shape = _MARKERS[symbol.removesuffix("-open")]
        size = self.points(marker.size or 6) * _AS_WIDE.get(shape if isinstance(shape, str) else "", 1.0)
        face = _colours(marker.color)
        edge = _colours(marker.line.color) if marker.line.color is not None else face
        is_open = symbol.endswith("-open")
        strokes = symbol.removesuffix("-open") in _STROKES
        axes.scatter(
            x,
            y,
            s=size**2,
            marker=shape,
            facecolors="none" if is_open and not strokes else face.tolist(),
            edgecolors=None if strokes else (face if is_open else edge).tolist(),
            linewidths=self.line_width(marker.line.width) if marker.line.width else 0.7 if is_open or strokes else 0,
            zorder=order + 0.5,
            clip_on=False,
        )

    def _bar(self, axes: Axes, trace: Any, order: int) -> None:
        lies = trace.orientation == "h"
        at, reach = (_numbers(trace.y), _numbers(trace.x)) if lies else (_numbers(trace.x), _numbers(trace.y))
        base = np.broadcast_to(_numbers(0.0 if trace.base is None else trace.base), reach.shape)
        width = np.broadcast_to(_numbers(0.8 if trace.width is None else trace.width), reach.shape)
        is_drawn = np.isfinite(base) & np.isfinite(reach)
        faces = np.broadcast_to(np.atleast_2d(_colours(trace.marker.color)), (len(reach), 4))
        line = self.line_width(trace.marker.line.width) if trace.marker.line.width else 0.0
        edges = np.broadcast_to(np.atleast_2d(_colours(trace.marker.line.color or "#ffffff")), (len(reach), 4))
        rows = np.flatnonzero(is_drawn)
        rectangles = [
            Rectangle((base[row], at[row] - width[row] / 2), reach[row], width[row])
            if lies
            else Rectangle((at[row] - width[row] / 2, base[row]), width[row], reach[row])
            for row in rows
        ]
        hatch = _hatch(trace.marker.pattern.shape)
        axes.add_collection(
            PatchCollection(
                rectangles,
                facecolors=faces[rows],
                edgecolors=self.sheet.look.ground if hatch else edges[rows] if line else "none",
                linewidths=0 if hatch else line,
                hatch=hatch,
                zorder=order,
            ),
            autolim=False,
        )
        for rectangle in rectangles:
            axes.update_datalim(rectangle.get_corners())
        if trace.text is not None and trace.textposition != "none":
            inks = np.broadcast_to(np.atleast_2d(_colours(trace.textfont.color)), (len(reach), 4))
            for row in rows:
                middle = base[row] + reach[row] / 2
                axes.text(
                    *((middle, at[row]) if lies else (at[row], middle)),
                    read_markup(trace.text[row]).text,
                    ha="center",
                    va="center_baseline",
                    size=self.points(trace.textfont.size or 12),
                    color=inks[row],
                    zorder=order + 0.5,
                )

    def _heatmap(self, axes: Axes, trace: Any, order: int, paper: tuple[float, float]) -> None:
        z = np.array([[np.nan if cell is None else cell for cell in row] for row in trace.z], dtype=float)
        colours = _scaled(z, trace)
        n_rows, n_columns = z.shape
        gap = 0.03 if trace.xgap else 0.0
        mesh = QuadMesh(
            np.stack(np.meshgrid(np.arange(n_columns + 1) - 0.5, np.arange(n_rows + 1) - 0.5), axis=-1),
            facecolors=colours.reshape(-1, 4),
            edgecolors=self.sheet.look.ground if gap else "face",
            linewidths=0.5 if gap else 0.1,
            zorder=order,
            antialiased=True,
        )
        axes.add_collection(mesh, autolim=False)
        axes.update_datalim([(-0.5, -0.5), (n_columns - 0.5, n_rows - 0.5)])
        if self.sheet.ink == "grey" and trace.zmin is not None and trace.zmin == -trace.zmax:
            # shades tell how far a value is from 0; strokes tell that it lies below
            below = [Rectangle((x - 0.5, y - 0.5), 1, 1) for y, x in np.argwhere(z < 0)]
            collection = PatchCollection(
                below, facecolors="none", edgecolors=self.sheet.look.ground, hatch="////", linewidths=0, zorder=order
            )
            axes.add_collection(collection, autolim=False)
        if trace.text is None or not trace.texttemplate:
            return
        box = axes.get_position()
        pitch = box.width * paper[0] / n_columns, box.height * paper[1] / n_rows
        texts = {(row, column): read_markup(trace.text[row][column]) for row, column in np.argwhere(np.isfinite(z))}
        size = self.sheet.font
        widest = max((width_of(line, size) for words in texts.values() for line in words.lines), default=0.0)
        size *= min(1.0, 0.9 * pitch[0] / (widest or 1.0))
        if size < _LEAST_TEXT * self.sheet.font:
            return  # too small to read: the colours have to do
        for (row, column), words in texts.items():
            if words.text:
                axes.text(
                    column,
                    row,
                    words.text,
                    ha="center",
                    va="center",
                    size=min(size, 0.9 * pitch[1] / (1.15 * len(words.lines))),
                    linespacing=1.0,
                    color=_readable_on(colours[row, column]),
                    zorder=order + 0.5,
                )

    def shape(self, axes: Axes, paper: Transform, shape: Any) -> None:
        """Draw a shape: a line, a rectangle or a path."""
        below = shape.layer == "below" or shape.type == "line"  # a line is to compare with, and hides no mark
        style: dict[str, Any] = {
            "edgecolor": colour_of(shape.line.color) if shape.line.width != 0 and shape.line.color else "none",
            "facecolor": colour_of(shape.fillcolor, shape.opacity) if shape.fillcolor else "none",
            "linewidth": self.line_width(shape.line.width),
            "linestyle": _DASHES[shape.line.dash or "solid"],
            "transform": _referred(axes, paper, shape.xref, shape.yref),
            "zorder": 0.6 if below else 40,
            "clip_on": True,
        }
        if shape.type == "rect":
            corner = min(shape.x0, shape.x1), min(shape.y0, shape.y1)
            axes.add_patch(Rectangle(corner, abs(shape.x1 - shape.x0), abs(shape.y1 - shape.y0), **style))
            return
        if shape.type == "line":
            path = Path([(shape.x0, shape.y0), (shape.x1, shape.y1)])
        else:
            points = re.findall(r"([ML])(-?[\d.e+-]+),(-?[\d.e+-]+)", shape.path)
            codes = [Path.MOVETO if code == "M" else Path.LINETO for code, _, _ in points]
            path = Path([(float(x), float(y)) for _, x, y in points], codes)
        axes.add_patch(PathPatch(path, **style | {"facecolor": "none"}))

    def note(self, axes: Axes, paper: Transform, note: Any, room: float) -> None:
        """Write a note; one that is wider than the axes loses its middle, for the legend has the name in full."""
        words = read_markup(note.text)
        size = self.size(note.font.size)
        across = {"left": "left", "center": "center", "right": "right"}.get(note.xanchor or "", "center")
        down = {"top": "top", "middle": "center", "bottom": "bottom"}.get(note.yanchor or "", "center")
        sign = SIGN_BEFORE.match(str(note.text))
        if sign:  # in its own colour, and then the text
            name = _shortened(read_markup(sign[3]).text, room - 1.1 * size, size)
            total = 1.1 * size + width_of(name, size)
            start = self.points(note.xshift or 0) - {"left": 0.0, "center": total / 2, "right": total}[across]
            for text, colour, left in ((sign[2], sign[1], start), (name, note.font.color, start + 1.1 * size)):
                axes.annotate(
                    text,
                    (note.x, note.y),
                    xycoords=_referred(axes, paper, note.xref, note.yref),
                    xytext=(left, self.points(note.yshift or 0)),
                    textcoords="offset points",
                    va=down,
                    size=size,
                    color=colour or self.sheet.look.text,
                    annotation_clip=False,
                    zorder=50,
                )
            return
        axes.annotate(
            "\n".join(_shortened(line, room, size) for line in words.lines),
            (note.x, note.y),
            xycoords=_referred(axes, paper, note.xref, note.yref),
            xytext=(self.points(note.xshift or 0), self.points(note.yshift or 0)),
            textcoords="offset points",
            ha=across,
            va=down,
            size=size,
            color=words.colour or note.font.color or self.sheet.look.text,
            annotation_clip=False,
            zorder=50,
        )


def is_shown(trace: Any) -> bool:
    """Return whether a trace has an entry in the legend."""
    return trace.showlegend is not False and bool(trace.name) and trace.type in ("scatter", "bar")


def draw_sample(axes: Axes, trace: Any, pen: Pen, *, left: float, middle: float, width: float) -> None:
    """Draw what stands before the name of a trace in the legend, on axes whose units are points."""
    if trace.type == "bar":
        _draw_square(axes, trace.marker, pen, left=left, middle=middle, width=width)
        return
    mode = trace.mode or "lines"
    if "lines" in mode and trace.line.width != 0:
        axes.plot(
            [left, left + width],
            [middle, middle],
            color=colour_of(trace.line.color),
            linewidth=pen.line_width(trace.line.width),
            linestyle=pen.dash(trace),
        )
    if "markers" in mode:
        if trace.marker.symbol == "square" and "lines" not in mode and trace.x is not None and trace.x[0] is None:
            _draw_square(axes, trace.marker, pen, left=left, middle=middle, width=width)
            return
        symbol = str(trace.marker.symbol or "circle")
        face = tuple(np.atleast_2d(_colours(trace.marker.color))[0].tolist())
        is_open = symbol.endswith("-open") or symbol in _STROKES
        edge = face if is_open or trace.marker.line.color is None else colour_of(trace.marker.line.color)
        axes.plot(
            [left + width / 2],
            [middle],
            linestyle="none",
            marker=_MARKERS[symbol.removesuffix("-open")],
            markersize=min(pen.points(trace.marker.size or 6), 0.85 * pen.sheet.font),
            markerfacecolor="none" if is_open else face,
            markeredgecolor=edge,
            markeredgewidth=pen.line_width(trace.marker.line.width) if trace.marker.line.width or is_open else 0,
        )


def _draw_square(axes: Axes, marker: Any, pen: Pen, *, left: float, middle: float, width: float) -> None:
    side = 0.75 * pen.sheet.font
    hatch = _hatch(marker.pattern.shape) if "pattern" in marker else None
    axes.add_patch(
        Rectangle(
            (left + (width - side) / 2, middle - side / 2),
            side,
            side,
            facecolor=tuple(np.atleast_2d(_colours(marker.color))[0].tolist()),
            edgecolor=pen.sheet.look.ground if hatch else marker.line.color or "none",
            linewidth=0 if hatch else pen.line_width(marker.line.width) if marker.line.width else 0,
            hatch=hatch,
        )
    )


def colour_of(colour: Any, opacity: float | None = None) -> tuple[float, float, float, float]:
    """Return a colour of plotly as matplotlib takes it.

    >>> colour_of("rgba(255,0,0,0.5)")
    (1.0, 0.0, 0.0, 0.5)
    """
    if colour is None:
        return to_rgba("black")
    parts = re.fullmatch(r"rgba?\(([^)]+)\)", str(colour))
    if parts:
        red, green, blue, *share = (float(part) for part in parts[1].split(","))
        found = (red / 255, green / 255, blue / 255, share[0] if share else 1.0)
    else:
        found = to_rgba(str(colour))
    return (*found[:3], found[3] * (1.0 if opacity is None else opacity))


def _colours(colours: Any) -> np.ndarray:
    """(4,) colour, or (n, 4) one for each point."""
    if colours is None or isinstance(colours, str):
        return np.array(colour_of(colours))
    return np.array([colour_of(colour) for colour in colours]).reshape(-1, 4)


def _numbers(values: Any) -> np.ndarray:
    if values is None:
        return np.zeros(0)
    if np.ndim(values) == 0:
        return np.atleast_1d(np.asarray(values, dtype=float))
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _hatch(shape: Any) -> str | None:
    return None if not shape else str(shape) * 4


def _scaled(z: np.ndarray, trace: Any) -> np.ndarray:
    """(n_rows, n_columns, 4) colours of the cells of a heat map; those without a value are invisible."""
    stops = np.array([stop for stop, _ in trace.colorscale], dtype=float)
    inks = np.array([colour_of(ink) for _, ink in trace.colorscale])
    low, high = trace.zmin, trace.zmax
    share = np.clip((z - low) / ((high - low) or 1.0), 0.0, 1.0)
    colours = np.stack([np.interp(share, stops, inks[:, channel]) for channel in range(4)], axis=-1)
    colours[~np.isfinite(z)] = 0.0
    return colours


def _readable_on(colour: np.ndarray) -> str:
    """Return black or white, whichever is read better on a colour."""
    linear = np.where(colour[:3] <= 0.04045, colour[:3] / 12.92, ((colour[:3] + 0.055) / 1.055) ** 2.4)
    return "black" if float(linear @ [0.2126, 0.7152, 0.0722]) > 0.18 else "white"


def _referred(axes: Axes, paper: Transform, across: str | None, down: str | None) -> Transform:
    """Return the transform that plotly's references stand for: of the data, of one axis as a whole, or of the paper."""
    parts = [
        paper if reference == "paper" else axes.transAxes if str(reference).endswith("domain") else axes.transData
        for reference in (across, down)
    ]
    return parts[0] if parts[0] is parts[1] else blended_transform_factory(*parts)


def _shortened(text: str, room: float, size: float) -> str:
    kept = len(text)
    short = text
    while width_of(short, size) > room and kept > 4:
        kept -= 1
        short = f"{text[: (kept + 1) // 2]}…{text[len(text) - kept // 2 :]}"
    return short


def tick_spacing(values: Sequence[float]) -> float:
    """Return the smallest distance of two neighbours; infinite where there are none."""
    return float(np.diff(np.sort(np.asarray(values, dtype=float))).min()) if len(values) > 1 else float("inf")
