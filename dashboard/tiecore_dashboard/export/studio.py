"""The figure studio: a chart of a page as a figure for a paper or a slide, with a preview of what is taken away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import get_args

import streamlit as st

from tiecore.escape import in_latex
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Figure, Look
from tiecore_dashboard.charts.pieces import caption_of
from tiecore_dashboard.export import exports
from tiecore_dashboard.export.paper.sheet import (
    FONTS,
    LARGEST_FONT,
    NARROWEST,
    PAGE,
    POINTS_PER_MM,
    SMALLEST_FONT,
    WIDEST,
    WIDTHS,
    Ink,
    Kind,
    Names,
    Sheet,
    figure_on,
)
from tiecore_dashboard.results.cached import View

__all__ = ["show_studio"]

OTHER = "other"
KINDS: Mapping[Kind, str] = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}
TOO_HIGH = "Higher than a page. More width, short names, a smaller font or fewer features help."
_SHARPNESS = 192
"""Dots per inch of the preview: two for each pixel of the screen."""
_KEPT = 24


def show_studio(view: View, name: str, figures: Mapping[str, Callable[[Look], Figure]]) -> None:
    """Let a chart be drawn for print: choose, look, take away.

    ``figures``: label to a function of a look that draws the chart.
    """
    st.markdown("**Figure for a paper or a slide**")
    choices, preview_column = st.columns([2, 3], gap="medium")
    with choices:
        label = _choose_figure(name, list(figures))
        sheet = _choose_sheet()
    stem = exports.file_stem(name, label, str(view.measure))
    figure = figure_on(sheet, figures[label])
    png, height = _preview(sha256(figure.to_json().encode()).hexdigest(), sheet, _figure=figure)
    with preview_column:
        with st.container(key="studio_preview"):
            st.image(png, width=round(sheet.width * 96 / 72), alt=f"{label}, as it will be printed")
        millimetres = " × ".join(f"{side / POINTS_PER_MM:.0f}" for side in (sheet.width, height))
        st.caption(f"{millimetres} mm; text of {sheet.font:g} pt. The files look exactly like this.")
        if height > PAGE:
            st.caption(f":material/warning: {TOO_HIGH}")
        st.code(_in_latex(stem, label, view, sheet, explained=caption_of(figure)), language="latex", wrap_lines=True)
    with choices, st.container(horizontal=True, gap="small"):
        for kind, mime in KINDS.items():
            st.download_button(
                kind.upper(),
                data=partial(_file, figures[label], sheet, kind, f"{label}, {view.measure}"),
                file_name=f"{stem}.{kind}",
                mime=mime,
                on_click="ignore",
                key=f"studio_{name}_{kind}",
                icon=":material/download:",
            )
        st.download_button(
            "Live page (HTML)",
            data=partial(exports.as_html, figures[label], title=f"{label}, {view.measure}", stem=stem),
            file_name=f"{stem}.html",
            mime="text/html",
            on_click="ignore",
            key=f"studio_{name}_html",
            icon=":material/web:",
            help="The chart as on the page, with what it tells under the pointer; it needs no network.",
        )


def _choose_figure(name: str, labels: list[str]) -> str:
    if len(labels) == 1:
        return labels[0]
    key = f"studio_{name}"
    if st.session_state.get(key) not in labels:
        st.session_state[key] = labels[0]
    return str(st.selectbox("Chart", labels, key=key))


def _choose_sheet() -> Sheet:
    """Let width, letters, ink and names be chosen; the same for all charts of a session."""
    place = st.segmented_control(
        "Width",
        [*WIDTHS, OTHER],
        default="one column",
        required=True,
        key="studio_width",
        persist_state="session",
        width="content",
        help="One column is 240 pt, two are 504 pt: those of ACM's and IEEE's templates, to a few per cent.",
    )
    width = WIDTHS.get(place, 0.0)
    if place == OTHER:
        width = POINTS_PER_MM * st.number_input(
            "Millimetres",
            min_value=round(NARROWEST / POINTS_PER_MM),
            max_value=round(WIDEST / POINTS_PER_MM),
            value=122,
            key="studio_millimetres",
            persist_state="session",
            help="122 is the width of the text in Springer's lecture notes.",
        )
    font = st.number_input(
        "Font size in points",
        min_value=SMALLEST_FONT,
        max_value=LARGEST_FONT,
        value=FONTS.get(place, FONTS["one column"]),
        step=0.5,
        format="%g",
        key=f"studio_font_{place}",
        persist_state="session",
    )
    with st.container(horizontal=True, gap="medium"):
        ink = st.segmented_control(
            "Colours",
            get_args(Ink),
            default="colour",
            required=True,
            key="studio_ink",
            persist_state="session",
            width="content",
            help="**grey** survives a printer without colours: shades, dashes, hatching and shapes.",
        )
        names: Names = st.segmented_control(
            "Names",
            get_args(Names),
            default="whole",
            required=True,
            key="studio_names",
            persist_state="session",
            width="content",
            help="**whole**: long names take several lines. **short**: they lose their middle, as on the pages.",
        )
    return Sheet(width=width, font=float(font), ink=ink, names=names)


@st.cache_data(max_entries=_KEPT, show_spinner=False)
def _preview(digest: str, sheet: Sheet, _figure: Figure) -> tuple[bytes, float]:
    """Return a figure as a picture, and how many points high it is."""
    from tiecore_dashboard.export.paper.picture import height_on, picture  # matplotlib takes a moment to load

    return picture(_figure, sheet, "png", dots=_SHARPNESS), height_on(_figure, sheet)


def _file(draw: Callable[[Look], Figure], sheet: Sheet, kind: Kind, title: str) -> bytes:
    from tiecore_dashboard.export.paper.picture import picture

    return picture(figure_on(sheet, draw), sheet, kind, title=title)


def _in_latex(stem: str, label: str, view: View, sheet: Sheet, *, explained: str) -> str:
    """Return what puts the figure into a paper, with a caption that explains what its legend does not."""
    queries = words.plural(view.evaluation.alignment.n_queries, "query", "queries")
    caption = f"{label}: {view.measure}, {queries}. {explained}".strip()
    star = "*" if sheet.width == WIDTHS["two columns"] else ""
    return (
        f"\\begin{{figure{star}}}\n  \\centering\n  \\includegraphics{{{stem}.pdf}}\n"
        f"  \\caption{{{in_latex(caption)}}}\n  \\label{{fig:{stem}}}\n\\end{{figure{star}}}"
    )
