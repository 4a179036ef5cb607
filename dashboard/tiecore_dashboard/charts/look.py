"""The design system of the charts: colours, symbols, type, and the layout that all of them share.

Colours of features are told apart by colour-blind eyes, on white and on the dark ground. Colour is never alone: each
tie-break has a symbol of its own, each verdict a mark.
"""

import html
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import plotly.graph_objects as go
from plotly.colors import hex_to_rgb

from tiecore.board import marks
from tiecore.board.sentences import cut
from tiecore.ties.tie_breaks import known_as

FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", system-ui, "Segoe UI", Roboto, sans-serif'
Figure = go.Figure
"""For the annotations of those who show figures and know nothing of plotly."""
SMALL = 12
"""Pixels of the smallest text in a chart."""
LONGEST_LABEL = 24
"""Characters of a name in a chart."""

_ON_DARK = ("#4da3dc", "#d89a00", "#78e1c3", "#b0506a", "#4b5ac3", "#87e1ff", "#c37896",
            "#c32d0f", "#3c78ff", "#d2693c", "#ffa587", "#e17878", "#876996", "#ffc34b")  # fmt: skip
"""For each of the colours on white one for the dark ground."""


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of one theme; the same names mean the same things in every chart."""

    ground: str
    """Behind everything; also the thin outline that keeps overlapping marks apart."""
    panel: str
    text: str
    muted: str
    """Secondary text, axis labels."""
    grid: str
    quiet: str
    """The many that are there for comparison."""
    range: str
    """Intervals over queries."""
    central: str
    """The central part of random tie-breaks, about 95 %."""
    accent: str
    good: str
    bad: str
    palette: tuple[str, ...]
    """Of features: see ``HUES``."""

    @property
    def in_css(self) -> str:
        """Variables of CSS with the colours by their names, without the palette."""
        return ";".join(f"--{one.name}:{getattr(self, one.name)}" for one in fields(self)[:-1])


LIGHT = Look(
    ground="#ffffff",
    panel="#f5f7fa",
    text="#1b2330",
    muted="#5b6675",
    grid="#e6eaf0",
    quiet="#b8c1cc",
    range="#cfe0ee",
    central="#6aa5cf",
    accent="#0072b2",
    good="#00795a",
    bad="#b84a00",
    palette=marks.HUES,
)
DARK = Look(
    ground="#10151d",
    panel="#1a212c",
    text="#e8ecf2",
    muted="#9da9b8",
    grid="#28313e",
    quiet="#4b5766",
    range="#2b455d",
    central="#4785b3",
    accent="#56b4e9",
    good="#35c79b",
    bad="#ff9552",
    palette=_ON_DARK,
)


GLYPHS = {
    "circle": "●", "square": "■", "diamond": "◆", "triangle-left": "◄", "triangle-right": "►",
    "star": "★", "x": "✖", "cross": "✚", "pentagon": "⬟", "hexagon": "⬢", "hexagram": "✶",
    "star-diamond": "✦", "line-ns": "│", "circle-open": "○",
}  # fmt: skip
"""Markers of plotly as characters."""


def names_with_marks(tie_breaks: Iterable[str]) -> dict[str, str]:
    """Return the name of each tie-break for the head of a column, behind the mark that it has in charts.

    >>> names_with_marks(["random:7", "input"])
    {'random:7': '★ random (seed 7)', 'input': '■ file order'}
    """
    return {name: f"{GLYPHS[symbol]} {known_as(name)}" for name, symbol in marks.marks_of(tie_breaks).items()}


def colours_of(features: Iterable[str], look: Look) -> dict[str, str]:
    """Give each feature a colour that no other one has; the first 14 are those that are told apart best."""
    return marks.colours_of(features, look.palette, lightness=0.42 if look is LIGHT else 0.66)


def label(name: str, longest: int = LONGEST_LABEL, among: Collection[str] = ()) -> str:
    r"""Name for a chart: shortened in the middle if it is long, and never read as markup or as a template.

    ``among``: names that it is to be told from.

    >>> label("<b>bold</b>\nand thin"), label("a_feature_with_a_very_long_name_v2")
    ('&lt;b&gt;bold&lt;/b&gt; and thin', 'a_feature_wi…ong_name_v2')
    >>> "%{" in label("%{customdata[0]}")
    False
    """
    # plotly reads a handful of tags and entities; line breaks would move everything below
    text = html.escape(" ".join(cut(name, longest, among).split()), quote=False)
    # in a template plotly would fill %{customdata[0]} with a name as it came; a word joiner, unseen, keeps it from that
    return text.replace("%{", "%\u2060{")


def blend(colour: str, ground: str, share: float) -> str:
    """Mix a colour into the ground: what stays of it when it steps back.

    >>> blend("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(hex_to_rgb(colour), hex_to_rgb(ground), strict=True)
    return "#" + "".join(f"{round(share * one + (1 - share) * other):02x}" for one, other in pairs)


def row_height(n_rows: int) -> int:
    """Pixels for each row of a chart with a row a feature: less air for the many."""
    return 30 if n_rows <= 12 else 24 if n_rows <= 30 else 18


def layout(look: Look, *, height: int, margin: Mapping[str, int] = {}, **more: Any) -> dict[str, Any]:
    """Start a layout: ground, type, hover box and quiet axes in the colours of the look."""
    font = {"family": FONT, "size": SMALL + 1, "color": look.text}
    axis = {
        "gridcolor": look.grid,
        "zeroline": False,
        "linecolor": look.grid,
        "tickfont": {"size": SMALL, "color": look.muted},
        "title": {"font": {"size": SMALL + 1, "color": look.muted}},
        "automargin": False,
        "fixedrange": True,
    }
    usual = {
        "font": font,
        "paper_bgcolor": look.ground,
        "plot_bgcolor": look.ground,
        "colorway": look.palette,
        "xaxis": axis,
        "yaxis": axis,
        "hoverlabel": {
            "bgcolor": look.panel,
            "bordercolor": look.quiet,
            "font": font,
            "align": "left",
            "namelength": -1,
        },
        "dragmode": False,
    }
    return {
        "template": go.layout.Template(layout=usual),
        "height": height,
        "showlegend": False,  # pages write it above the chart, in as many lines as the screen makes it
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8, **margin},
        **more,
    }


def gutter(names: Sequence[str], *, least: int = 60, longest: int = LONGEST_LABEL) -> int:
    """Pixels that the longest label needs beside an axis."""
    return max(least, 14 + round(6.6 * max((min(len(name), longest) for name in names), default=0)))
