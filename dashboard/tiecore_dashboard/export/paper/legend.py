"""The legend of a printed chart: entries one after another from the left, in as many rows as they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure as Drawing

from tiecore_dashboard.charts.look import Figure
from tiecore_dashboard.export.paper.texts import LINE, Words, height_of, read_markup, width_of
from tiecore_dashboard.export.paper.traces import Pen, draw_sample, is_shown

__all__ = ["Legend"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A trace with its name in lines, and where both stand; lengths in points."""

    trace: Any
    words: Words
    left: float
    sample_width: float


class Legend:
    """What the signs of a chart mean, above it; lengths in points."""

    def __init__(self, figure: Figure, pen: Pen, *, width: float, gap: float) -> None:
        self.pen, self.gap = pen, gap
        self.size = pen.size(12)
        self.rows: list[list[_Entry]] = []
        right = width + 1
        for trace in filter(is_shown, figure.data):
            has_line = trace.type == "scatter" and "lines" in (trace.mode or "lines") and trace.line.width != 0
            sample_width = (2.6 if has_line else 1.0) * pen.sheet.font
            words = read_markup(trace.name).broken(width - sample_width - gap, self.size)
            needed = sample_width + gap + max(width_of(line, self.size) for line in words.lines)
            if right + needed > width:
                self.rows.append([])
                right = 0.0
            self.rows[-1].append(_Entry(trace, words, right, sample_width))
            right += needed + 1.6 * pen.sheet.font

    @property
    def height(self) -> float:
        """Points from the top of the first row to the chart below."""
        return sum(map(self._height_of, self.rows)) + (self.gap * 1.5 if self.rows else 0.0)

    def draw(self, drawing: Drawing, *, left: float, top: float) -> None:
        """Draw the legend with its upper left corner there, counted from the lower left corner of the drawing."""
        width, height = (72 * side for side in drawing.get_size_inches())
        canvas = drawing.add_axes((0, 0, 1, 1), frameon=False, zorder=5)
        canvas.set_axis_off()
        canvas.set_xlim(0, width)
        canvas.set_ylim(0, height)
        for row in self.rows:
            middle = top - 0.5 * LINE * self.size
            for entry in row:
                start = left + entry.left
                draw_sample(canvas, entry.trace, self.pen, left=start, middle=middle, width=entry.sample_width)
                for number, line in enumerate(entry.words.lines):
                    canvas.text(
                        start + entry.sample_width + self.gap,
                        middle - number * LINE * self.size,
                        line,
                        size=self.size,
                        color=self.pen.sheet.look.text,
                        va="center_baseline",
                    )
            top -= self._height_of(row)

    def _height_of(self, row: list[_Entry]) -> float:
        return height_of(max(len(entry.words.lines) for entry in row), self.size)
