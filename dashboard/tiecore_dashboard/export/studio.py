"""The figure studio: a figure for a paper or a slide, with a preview of what is taken away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import streamlit as st

from tiecore.board import Board
from tiecore.escape import in_latex
from tiecore_dashboard import words
from tiecore_dashboard.export import exports
from tiecore_dashboard.results.cached import View

if TYPE_CHECKING:
    from tiecore.plot import Figure, Kind, Sheet

MIME: dict[Kind, str] = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}
_PIXELS_PER_INCH = 96
_HIGHEST = 9.0
"""Inches that the text of a page is high, about."""


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """A figure for print, before its sheet is known."""

    kind: Literal["board", "places", "difference", "curves"]
    """Function of :mod:`tiecore.plot`."""
    shown: object
    """What it draws."""
    texts: Mapping[str, object] = field(default_factory=dict)

    def on(self, sheet: Sheet) -> Figure:
        """Draw it."""
        from tiecore import plot  # matplotlib takes a moment to load

        drawn: Figure = getattr(plot, self.kind)(self.shown, sheet, **self.texts)
        return drawn


def figures_of(board: Board) -> dict[str, Draw]:
    """Return the figures of a board: values, and places under its tie-breaks where there are any."""
    has_places = board.tie_breaks and len(board.rows) > 1
    return {"Leaderboard": Draw("board", board)} | ({"Places": Draw("places", board)} if has_places else {})


def show_studio(view: View, name: str, figures: Mapping[str, Draw]) -> None:
    """Let a figure of a page be made for print: choose, word, take away."""
    st.markdown("**Figure for a paper or a slide**")
    choices, preview = st.columns([2, 3], gap="medium")
    with choices:
        label = next(iter(figures))
        if len(figures) > 1:
            label = st.selectbox("Figure", list(figures), key=f"studio_{name}")
        figure, sheet = _worded(figures[label], key=f"studio_{name}_{label}")
    stem = exports.file_stem(name, label, str(view.measure))
    width, height = figure.get_size_inches()
    with preview:
        st.image(figure.to_bytes("png"), width=round(width * _PIXELS_PER_INCH), alt=f"{label}, as it will be printed")
        st.caption(
            f"{width * 25.4:.0f} × {height * 25.4:.0f} mm. PDF and PNG look exactly like this; an SVG takes its fonts "
            "from the computer that shows it."
        )
        if height > _HIGHEST:
            st.caption(":material/warning: Higher than a page: filter the features, or take a wider sheet.")
        st.code(_in_latex(stem, label, view, sheet), language="latex", wrap_lines=True)
    with choices, st.container(horizontal=True, gap="small"):
        for kind, mime in MIME.items():
            st.download_button(
                kind.upper(),
                data=partial(figure.to_bytes, kind),
                file_name=f"{stem}.{kind}",
                mime=mime,
                on_click="ignore",
                key=f"studio_{name}_{kind}",
                icon=":material/download:",
            )


def _worded(draw: Draw, *, key: str) -> tuple[Figure, Sheet]:
    """Let width and ink be chosen and the texts be edited; begin with those that the figure has by itself."""
    from tiecore.plot import WIDTHS, Ink, Sheet  # matplotlib takes a moment to load

    width = st.segmented_control(
        "Width",
        list(WIDTHS),
        default="page",
        required=True,
        key="studio_width",
        persist_state="session",
        help="One column of a paper, the whole page, or a slide with large letters.",
    )
    ink = st.segmented_control(
        "Colours", get_args(Ink), default="colour", required=True, key="studio_ink", persist_state="session"
    )
    usual = draw.on(Sheet(width=width, ink=ink))
    title = st.text_area("Title", value=usual.title, key=f"{key} {usual.title}", height="content")
    note = st.text_area("Note", value=usual.note, key=f"{key} {usual.note}", height="content")
    sheet = Sheet(
        width=width,
        ink=ink,
        title=None if title == usual.title else title,
        note=None if note == usual.note else note,
    )
    return usual if sheet.title is None and sheet.note is None else draw.on(sheet), sheet


def _in_latex(stem: str, label: str, view: View, sheet: Sheet) -> str:
    """Return what puts the figure into a paper."""
    queries = words.plural(view.evaluation.alignment.n_queries, "query", "queries")
    kind = "figure*" if sheet.width == "page" else "figure"
    caption = in_latex(f"{label}: {view.measure}, {queries}.")
    return (
        f"\\begin{{{kind}}}\n  \\centering\n  \\includegraphics{{{stem}.pdf}}\n"
        f"  \\caption{{{caption}}}\n  \\label{{fig:{stem}}}\n\\end{{{kind}}}"
    )
