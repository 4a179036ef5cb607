"""The figure studio: a figure for a paper or a slide, with a preview of what is taken away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any

import streamlit as st

from tiecore.board import Board
from tiecore_dashboard import words
from tiecore_dashboard.app.frame import copy
from tiecore_dashboard.export.csv_tables import file_stem
from tiecore_dashboard.files import sources

if TYPE_CHECKING:
    from tiecore.plot import Figure, Sheet

_PIXELS_PER_INCH = 96
_TEXTS = {"title": "Title", "answer": "Sentence", "note": "Note"}
_TEXTS_OF_A_SLIDE = {"answer": "Heading and details", "title": "Subheading", "note": "Note"}
Draw = Callable[["Sheet"], "Figure"]
"""Draws a figure for print on a sheet."""


def drawn_by(kind: str, shown: object, colours: Mapping[str, str] | None = None, **texts: object) -> Draw:
    """Return what draws a figure of :mod:`tiecore.plot`, before its sheet is known; ``colours``: of features."""

    def on(sheet: Sheet) -> Figure:
        from tiecore import plot  # matplotlib takes a moment to load

        figure: Figure = getattr(plot, kind)(shown, replace(sheet, colours=colours), **texts)
        return figure

    return on


def figures_of(board: Board, colours: Mapping[str, str]) -> dict[str, Draw]:
    """Return the figures of a board: values, and places where a tie-break changes them."""
    places = {"Places": drawn_by("places", board, colours)} if board.movers else {}
    return {"Leaderboard": drawn_by("board", board)} | places


def offer_file(label: str, make: Callable[[], str | bytes], *, file_name: str, **shown: Any) -> None:
    """Offer something that is made when it is asked for; ``shown``: of the button, such as its ``help``."""
    st.download_button(
        words.in_markdown(label),  # it may hold what stands in a file
        data=make,
        file_name=file_name,
        mime=guess_type(file_name)[0],
        on_click="ignore",
        key=f"get {file_name} {label}",
        **shown,
    )


def show_studio(name: str, measure: str, figures: Mapping[str, Draw], *, of: str, settings: str) -> None:
    """Let a figure of a page be made for print: choose, word, take away."""
    from tiecore.plot import KINDS  # matplotlib takes a moment to load

    st.markdown("**Figure for a paper or a slide**")
    choices, preview = st.columns([2, 3], gap="medium")
    texts, buttons = choices.container(), choices.empty()  # while a figure is drawn, none of the one before is offered
    with texts:
        labels = list(figures)
        label = st.selectbox("Figure", labels, key=f"studio_{name}") if len(labels) > 1 else labels[0]
        key = f"studio_{name}_{measure}_{label}_{hash(sources.current().key)}"
        figure = _worded(figures[label], settings, key=key)
    stem = file_stem(sources.current().title, name, label, of, measure, str(st.session_state["studio_width"]))
    width, height = figure.get_size_inches()
    image = figure.to_bytes("png")
    with preview:
        alt = f"{label}, as it will be printed: {figure.title or figure.answer}"
        st.image(image, width=round(width * _PIXELS_PER_INCH), alt=alt)
        st.caption(f"{width * 25.4:.0f} × {height * 25.4:.0f} mm.")
        if figure.unwritten:
            st.warning(f"No font of the server has {words.in_markdown(figure.unwritten)}: these are drawn as boxes.")
    with buttons.container(horizontal=True, gap="small", vertical_alignment="center"):
        for kind in KINDS:
            make = partial(figure.to_bytes, kind)
            offer_file(kind.upper(), make, file_name=f"{stem}.{kind}", icon=":material/download:")
        copy("image", image)


def _worded(draw: Draw, settings: str, *, key: str) -> Figure:
    """Let the width be chosen and the texts be edited; begin with those that the figure has by itself."""
    from tiecore.plot import WIDTHS, Sheet  # matplotlib takes a moment to load

    width = st.segmented_control(
        "Width",
        list(WIDTHS),
        default="page",
        required=True,
        key="studio_width",
        persist_state="session",
        help="One column of a paper, the whole page, or a slide with large letters.",
    )
    data = sources.current()
    named = data.qrels.name if data.qrels else words.enumerate_names([file.name for file in data.files])
    sheet = Sheet(width=width, source=f"Data: {'the sample' if data.is_sample else words.cut(named)}.{settings}")
    usual = draw(sheet)
    labels = _TEXTS_OF_A_SLIDE if width == "slide" else _TEXTS  # in the order in which they are printed
    # begun anew where what was found has changed, which the first sentence says at every width
    key += usual.answer.split(". ")[0].rstrip(".")
    typed, texts = st.session_state.get(key, {}), dict[str, Any]()
    for part, label in labels.items():
        text = getattr(usual, part)
        shown = f"{key} {width} {part} {text}"
        st.session_state.setdefault(shown, typed.get(part, text))
        texts[part] = st.text_area(label, key=shown, height="content", placeholder="none")
    own = {part: text for part, text in texts.items() if text != getattr(usual, part) or typed.get(part) == text}
    st.session_state[key] = own
    return draw(replace(sheet, **texts)) if own else usual
