"""The design system of the charts: colours, symbols, type, and the layout that all of them share.

Colours are those of Okabe and Ito, told apart by colour-blind eyes, with lighter variants on the dark ground. Colour is
never alone: each tie-break has a symbol of its own, each verdict a mark.
"""

import html
from collections.abc import Collection, Iterable, Mapping, Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count, cycle
from typing import Any, Literal

import plotly.graph_objects as go

from tiecore.board.sentences import cut

FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", system-ui, "Segoe UI", Roboto, sans-serif'
Figure = go.Figure
"""For the annotations of those who show figures and know nothing of plotly."""
SMALL = 12
"""Pixels of the smallest text in a chart."""
_GOLDEN = 0.618034
"""Turns of the circle of hues from one colour to the next, so that those after each other differ most."""
MOST_COLOURED = 14
"""Features whose lines in one chart can be told apart by their colours."""
LONGEST_LABEL = 24
"""Characters of a name in a chart."""


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of one theme; the same names mean the same things in every chart."""

    mode: Literal["light", "dark"]
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
    """From the worst to the best case."""
    central: str
    """The central part of random tie-breaks, about 95 %."""
    accent: str
    link: str
    good: str
    bad: str
    palette: tuple[str, ...]
    """Okabe and Ito's, for the few told apart: blue, orange, green, purple, vermilion, sky, yellow, neutral."""
    further: tuple[str, ...]
    """Those that differ most from them and from each other."""


LIGHT = Look(
    mode="light",
    ground="#ffffff",
    panel="#f5f7fa",
    text="#1b2330",
    muted="#5b6675",
    grid="#e6eaf0",
    quiet="#b8c1cc",
    range="#cfe0ee",
    central="#6aa5cf",
    accent="#0072b2",
    link="#005f96",
    good="#00795a",
    bad="#b84a00",
    palette=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#c9b400", "#1b2330"),
    further=("#604a20", "#e830e8", "#510d73", "#12a112", "#e8304f", "#730d2f", "#1717cf"),
)
DARK = Look(
    mode="dark",
    ground="#10151d",
    panel="#1a212c",
    text="#e8ecf2",
    muted="#9da9b8",
    grid="#28313e",
    quiet="#4b5766",
    range="#2b455d",
    central="#4785b3",
    accent="#56b4e9",
    link="#8fd0f7",
    good="#35c79b",
    bad="#ff9552",
    palette=("#4da3dc", "#f0b232", "#2fc396", "#e39cc4", "#f5813a", "#8fd0f7", "#f0e442", "#e8ecf2"),
    further=("#a119e6", "#19e619", "#e6195d", "#80774d", "#927ef1", "#f6eaac", "#b8149c"),
)


@dataclass(frozen=True, slots=True)
class Mark:
    """How a tie-break is drawn, the same in every chart and table."""

    colour: str
    symbol: str
    """Name of plotly's marker."""
    glyph: str
    """The same shape as a character."""


GLYPHS = {
    "circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "triangle-left": "◄", "triangle-right": "►",
    "star": "★", "x": "✖", "cross": "✚", "pentagon": "⬟", "hexagon": "⬢", "hexagram": "✶",
    "star-diamond": "✦", "line-ns": "│",
}  # fmt: skip
"""Markers of plotly as characters."""
# The usual tie-breaks keep their mark whatever else is chosen; the others take theirs in the order in which they stand.
# ▲ and ▼ are no marks: they say that a place is gained or lost.
_USUAL = {
    "docid-desc": (1, "diamond"),
    "docid-asc": (4, "cross"),
    "input": (2, "square"),
    "input-reversed": (3, "triangle-left"),
    "rank": (7, "triangle-right"),
}
# As many as can be compared at once, for all of them may be of this kind.
_FURTHER = (
    (6, "star"),
    (0, "x"),
    (3, "pentagon"),
    (5, "hexagon"),
    (1, "hexagram"),
    (2, "star-diamond"),
)


def marks_of(tie_breaks: Iterable[str], look: Look) -> dict[str, Mark]:
    """Give each tie-break its mark.

    >>> marks = marks_of(["random:7", "docid-asc"], LIGHT)
    >>> marks["docid-asc"].symbol, marks["random:7"].glyph
    ('cross', '★')
    """
    marks: dict[str, Mark] = {}
    further = cycle(_FURTHER)
    for name in tie_breaks:
        colour, symbol = _USUAL.get(name) or next(further)
        marks[name] = Mark(look.palette[colour], symbol, GLYPHS[symbol])
    return marks


def colours_of(features: Iterable[str], look: Look) -> dict[str, str]:
    """Give each feature a colour that no other one has; the first 14 are those that are told apart best.

    >>> colours_of(["bm25", "clicks"], LIGHT)["bm25"] == LIGHT.palette[0]
    True
    """
    lightness = 0.42 if look.mode == "light" else 0.66
    more = (hls_to_rgb(_GOLDEN * number % 1, lightness, 0.6) for number in count())
    written = (f"#{''.join(f'{round(255 * part):02x}' for part in parts)}" for parts in more)
    colours = chain(look.palette[:5], look.palette[6:-1], look.further, look.palette[5:6], written)
    return dict(zip(features, colours, strict=False))


def label(name: str, longest: int = LONGEST_LABEL, among: Collection[str] = ()) -> str:
    """Name for a chart: shortened in the middle if it is long, and never read as markup or as a template.

    ``among``: names that it is to be told from.

    >>> label("<b>bold</b>"), label("a_feature_with_a_very_long_name_v2")
    ('&lt;b&gt;bold&lt;/b&gt;', 'a_feature_wi…ong_name_v2')
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
    pairs = ((int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(share * one + (1 - share) * other):02x}" for one, other in pairs)


def transparent(colour: str, share: float) -> str:
    """Let so much of a colour be seen.

    >>> transparent("#ff8000", 0.3)
    'rgba(255,128,0,0.3)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


def row_height(n_rows: int) -> int:
    """Pixels for each row of a chart with a row a feature: less air for the many."""
    return 30 if n_rows <= 12 else 24 if n_rows <= 30 else 18


def layout(look: Look, *, height: int, margin: Mapping[str, int] | None = None, **more: Any) -> dict[str, Any]:
    """Start a layout: ground, type, hover box and quiet axes in the colours of the look."""
    return {
        "template": _template(look),
        "height": height,
        "showlegend": False,  # pages write it above the chart, in as many lines as the screen makes it
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8} | dict(margin or {}),
        **more,
    }


@lru_cache(maxsize=3)
def _template(look: Look) -> go.layout.Template:
    axis = {
        "gridcolor": look.grid,
        "zeroline": False,
        "linecolor": look.grid,
        "tickfont": {"size": SMALL, "color": look.muted},
        "title": {"font": {"size": SMALL + 1, "color": look.muted}},
        "automargin": False,
        "fixedrange": True,
    }
    return go.layout.Template(
        layout=go.Layout(
            font={"family": FONT, "size": SMALL + 1, "color": look.text},
            paper_bgcolor=look.ground,
            plot_bgcolor=look.ground,
            colorway=look.palette,
            xaxis=axis,
            yaxis=axis,
            hoverlabel={
                "bgcolor": look.panel,
                "bordercolor": look.quiet,
                "font": {"family": FONT, "size": SMALL + 1, "color": look.text},
                "align": "left",
                "namelength": -1,
            },
            dragmode=False,
        )
    )


def gutter(names: Sequence[str], *, least: int = 60) -> int:
    """Pixels that the longest label needs beside an axis."""
    return max(least, 14 + round(6.6 * max((min(len(name), LONGEST_LABEL) for name in names), default=0)))
