"""What a figure is printed on: its width, the size of its letters, its ink, and whether names are kept whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tiecore_dashboard.charts.look import GREY, LIGHT, Figure, Look, whole_names

__all__ = [
    "FONTS",
    "LARGEST_FONT",
    "NARROWEST",
    "PAGE",
    "POINTS_PER_MM",
    "SMALLEST_FONT",
    "WIDEST",
    "WIDTHS",
    "Ink",
    "Kind",
    "Names",
    "Sheet",
    "figure_on",
]

Ink = Literal["colour", "grey"]
Names = Literal["whole", "short"]
Kind = Literal["pdf", "svg", "png"]
POINTS_PER_MM = 72 / 25.4
WIDTHS = {"one column": 240.0, "two columns": 504.0, "slide": 720.0}
"""Points, of which an inch has 72. Columns as in the templates of ACM; those of IEEE are 4 % wider."""
FONTS = {"one column": 8.0, "two columns": 8.0, "slide": 16.0}
"""Usual size of the letters in points."""
SMALLEST_FONT, LARGEST_FONT = 5.0, 32.0
NARROWEST, WIDEST = 140.0, 1200.0
PAGE = 650.0
"""Points that the text of a page is high, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a figure is printed on."""

    width: float = WIDTHS["one column"]
    """Points."""
    font: float = FONTS["one column"]
    """Points."""
    ink: Ink = "colour"
    """With ``grey``, what differs in colour differs in shade and in shape, dash or hatching as well."""
    names: Names = "whole"
    """Long names in several lines, or shortened in the middle as on the pages."""

    @property
    def look(self) -> Look:
        """Colours of the figure; a sheet is always white."""
        return GREY if self.ink == "grey" else LIGHT


def figure_on(sheet: Sheet, draw: Callable[[Look], Figure]) -> Figure:
    """Return a chart with the colours and names that a sheet asks for."""
    if sheet.names == "short":
        return draw(sheet.look)
    with whole_names():
        return draw(sheet.look)
