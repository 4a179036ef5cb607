"""What all pages share: the head, empty states, progress with a way to stop, charts, tables, the highlight.

A page is one short script in ``pages``; :mod:`tiecore_dashboard.pages` says how it is written.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from tiecore import TiecoreError
from tiecore.board.sentences import all_cut
from tiecore_dashboard import words
from tiecore_dashboard.app.strip import DATA_PAGE as DATA_PAGE
from tiecore_dashboard.app.strip import strip
from tiecore_dashboard.app.table_columns import Titles, columns, shown, writers
from tiecore_dashboard.app.waiting import progress as progress
from tiecore_dashboard.charts.look import DARK, LIGHT, Figure, Look, colours_of
from tiecore_dashboard.charts.pieces import entries_of, legend_in_html
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.link import keep_in_link

_T = TypeVar("_T")
_Draw = TypeVar("_Draw", bound=Callable[..., None])
RANKING_PAGE = "../pages/ranking/ranking.py"
SETTINGS = "section:has(.st-key-settings)", '[data-testid="stExpandSidebarButton"]'
_HIGHLIGHT, _COLOURED = "highlighted", "coloured"
_IN_LINK = "highlight"
_TALLEST, _BOXED = 1000, 620
_NAMED = {
    "query_id", "doc_id", "file", "feature", "judge", "judge_a", "judge_b", "leader", "trailer", "ahead", "behind",
}  # fmt: skip
"""Columns that hold names, of which the first stays where a phone moves the others past it."""
_PAIRS = {("leader", "trailer"): (" > ", "Ahead > behind"), ("judge_a", "judge_b"): (" – ", "Judges")}
"""Columns whose names belong together: what stands between them where they share one, and its title."""
PHONE, _MOST_STYLED = 700, 10_000
"""Pixels that a phone has fewer of, and cells of a table of which numbers are written one by one."""
GONE = (
    "The files of this link are not on this server: it keeps what visitors bring until others need the room, or until "
    "it stops. Ask whoever sent the link for the report, which holds results and data, or drop the files in again; the "
    "settings of the link stay."
)


def look() -> Look:
    """Colours of the theme that the user sees; light where it is not known yet."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def head(title: str, purpose: str) -> None:
    """Title of a page and, in one sentence, what it is for; HTML, of which a phone leaves out what is ``wide``."""
    st.html(f'<div class="head"><h1>{title}</h1><p>{purpose}</p></div>')


def view(
    title: str,
    purpose: str,
    *,
    alone: str = "",
    least_features: int = 1,
    of: Callable[[Dataset], Dataset] = lambda data: data,
) -> View:
    """Draw the head of a page and evaluate; where something is lacking, say what to do and stop.

    ``alone``: purpose where there is one feature only. ``of``: what of the dataset the page is about.
    """
    data = sources.current()
    head(title, alone if alone and len(data.used) == 1 else purpose)
    settings = st.session_state["settings"]
    if sources.are_gone():
        _empty(GONE)
    if data.is_measured:
        _empty("This page needs judgments and scores of documents; Ranking and Pairs take values already measured.")
    asked = [words.in_markdown(problem.file) for problem in data.problems if problem.question]
    if asked and (data.qrels is None or len(data.used) < least_features):
        waits = "waits" if len(asked) == 1 else "wait"
        _empty(f"{words.enumerate_names(asked)} {waits} for your answer to a question on the page Data.")
    if data.qrels is None and (unread := [words.in_markdown(problem.file) for problem in data.problems]):
        _empty(f"There are no judgments: {words.enumerate_names(unread)} could not be read. The page Data says why.")
    if data.qrels is None:
        found = "Scores are loaded, judgments are not." if data.features else "Nothing is loaded yet."
        _empty(
            f"{found} Add a file that says which documents are relevant: "
            "TREC qrels, or a table with a column named relevance."
        )
    data = of(data)
    if len(data.used) < least_features:
        how = "The others are switched off: tick *Use* on the page Data."
        if len(data.features) < least_features:
            how = f"Add {'another one' if data.features else 'a run, a table or a LETOR file'} on the page Data."
        elif data.misfits:
            how = "The page Data says what was left out, and why."
        needed = "one feature" if least_features == 1 else f"{least_features} features"
        _empty(f"This page needs at least {needed}. {how}")
    with _faults_told():
        with progress("Evaluating", key=(data.key, settings)) as report:
            view = cached.view(data, settings, progress=report)
        strip(view, is_first=title == "Ranking")
        if _HIGHLIGHT not in st.session_state:  # the link holds it as a session begins
            highlight(st.query_params.get_all(_IN_LINK))
        keep_in_link(_IN_LINK, highlighted(view))
        return view


def _empty(text: str) -> NoReturn:
    st.info(text, icon=":material/info:")
    st.page_link(DATA_PAGE, label="Go to Data", icon=":material/upload_file:")
    st.stop()


def fault(text: str) -> NoReturn:
    """Say why a page cannot be shown, and end it."""
    st.error(f"**This cannot be shown.** {words.in_markdown(text)}", icon=":material/error:")
    st.page_link(DATA_PAGE, label="Look at the loaded files", icon=":material/upload_file:")
    st.stop()


def work(what: str, view: View, function: Callable[..., _T], *args: Any, of: str = "features", **options: Any) -> _T:
    """Return ``function(view, *args, **options)``; where that takes long, show how far it is: see ``progress``."""
    with progress(what, of=of, key=(*view.key, *args, *options.values())) as report:
        return function(view, *args, progress=report, **options)


@contextmanager
def _faults_told() -> Iterator[None]:
    try:
        yield
    except TiecoreError as error:
        fault(str(error))


def part(draw: _Draw) -> _Draw:
    """Make a function draw a part of the page that clicks inside it draw anew by itself."""
    # a fragment does not pass its errors on to the script of the page
    return st.fragment(_faults_told()(draw))


def without(*selectors: str) -> None:
    """Hide settings that change nothing on a page, each by what CSS selects it with."""
    st.html(f"<style>{', '.join(selectors)} {{ display: none; }}</style>")


def say(sentence: str, details: Sequence[str] = ()) -> None:
    """Show the answer of a page in large type, and below what follows from it; HTML, names through ``words.bold``."""
    st.html(words.answer(sentence, details))


note = st.caption
"""Small print under a chart or table; Markdown of our own."""


def colours(features: Sequence[str], drawn: Sequence[str] | None = None, *, on: Look | None = None) -> dict[str, str]:
    """Return a colour for each feature that is drawn, or all: its own through the whole session, and that of no other.

    ``features``: all that there are, in the order in which they take their colours when the session begins. ``on``: of
    another theme than that of the page.
    """
    known = st.session_state.get(_COLOURED, [])
    known = known if set(known) <= {*features} or {*features} <= set(known) else []  # of other data
    st.session_state[_COLOURED] = known = list(dict.fromkeys([*known, *features]))
    found = colours_of(known, on or look())
    return {name: found[name] for name in (features if drawn is None else drawn)}


def highlighted(view: View) -> tuple[str, ...]:
    """Features that the user has clicked on, anywhere; those that are gone left out."""
    return tuple(name for name in st.session_state.get(_HIGHLIGHT, ()) if name in view.features)


def highlight(names: Sequence[str]) -> None:
    """Highlight exactly these features everywhere."""
    st.session_state[_HIGHLIGHT] = tuple(dict.fromkeys(names))
    keep_in_link(_IN_LINK, st.session_state[_HIGHLIGHT])


def highlight_clicked(key: str) -> None:
    """Take the features under a click on a chart into the highlight, or out of it if they are all there."""
    toggle(*filter(None, clicked_names(key)))


def toggle(*clicked: str) -> None:
    """Take features into the highlight, or out of it if they are all there."""
    before = st.session_state.get(_HIGHLIGHT, ())
    are_there = set(clicked) <= set(before)
    highlight([name for name in before if name not in clicked] if are_there else [*before, *clicked])


def clicked_names(key: str) -> list[str]:
    """First entries of the ``customdata`` of the points that were clicked on."""
    return [str(data[0]) for data in clicked(key)]


def clicked(key: str) -> list[list[Any]]:
    """Return the ``customdata`` of each point that was clicked on."""
    state = st.session_state.get(key)
    points = state["selection"]["points"] if state else []
    return [list(point["customdata"]) for point in points if point.get("customdata")]


def chart(figure: Figure, *, key: str, alt: str, on_click: Callable[[str], object] | None = None) -> None:
    """Show a chart of an explicit height with its legend as text above it; a tall one in a box that scrolls.

    ``alt``: what it shows. ``on_click``: function of the key that reads ``clicked_names(key)``, such as
    ``highlight_clicked``.
    """
    # no picture from the toolbar, which would lack the legend: the drawer Export makes one that has all
    config = {"displaylogo": False, "modeBarButtonsToRemove": ["toImage", "select2d", "lasso2d"], "responsive": True}
    entries = entries_of(figure)
    is_tall = int(figure.layout.height or 0) > _TALLEST
    if entries:
        (st.container(key=f"{key}_narrow") if all(one.where for one in entries) else st).html(legend_in_html(entries))
    takes: Any = partial(on_click, key) if on_click else "ignore"
    with st.container(border=False, height=_BOXED if is_tall else "content", key=f"{key}_box{'_tall' * is_tall}"):
        st.plotly_chart(figure, key=key, theme=None, config=config, alt=alt, on_select=takes, selection_mode="points")
    if is_tall:
        end, begin = figure.layout.yaxis.range
        note(f"The picture scrolls: {words.plural(round(end - begin), 'row')}.")


def table(
    frame: pd.DataFrame,
    titles: Titles,
    meanings: Mapping[str, str] = {},
    *,
    key: str,
    alt: str,
    most: int = 10,
    chosen: Sequence[int] | None = None,
    choose: Callable[[list[int]], object] | None = None,
    several: bool = False,
) -> None:
    """Show a table: numbers as numbers so that they sort, nothing in place of NaN, names never as markup.

    An index that has a title is a column like the others: as an index its names would be paler than the numbers.
    ``titles``, ``meanings``: see :func:`~tiecore_dashboard.app.table_columns.columns`.
    ``most``: rows that are seen at once; of more the table scrolls.
    ``chosen``: rows that are selected; ``choose``: what is done with those that the user selects, or with ``several``.
    """
    options: dict[str, Any] = {}
    if choose is not None:
        st.session_state[key] = {"selection": {"rows": list(chosen or ()), "columns": [], "cells": []}}
        options["selection_mode"] = "multi-row" if several else "single-row"
        options["on_select"] = lambda: choose(
            [row for row in st.session_state[key]["selection"]["rows"] if row < len(frame)]
        )
    own = columns(titles, meanings)
    data: Any = shown(frame, own)
    pair = next((both for both in _PAIRS if {*both} <= own.keys()), ()) if (is_narrow := width() < PHONE) else ()
    letters = (12 if pair else 16), 36
    data = data.assign(**{name: data[name].map(short(data[name], *letters)) for name in data if name in _NAMED})
    if pair:  # so that both names stay
        (one, other), (between, title) = pair, _PAIRS[pair]
        data = data.assign(**{one: data[one] + between + data[other]}).drop(columns=other)
        own[one]["label"] = title
        del own[other]
    for name in {*_NAMED, "reversed_by"} & own.keys():
        own[name]["width"] = 22 + (7 if is_narrow else 8) * max(map(len, [own[name]["label"], *data[name]]))
    first = next(iter(own))
    if first in _NAMED and is_narrow:  # a text that is pinned would be pale
        data = data.assign(**{first: [[name] for name in data[first]]})
        own[first] = own[first] | {"pinned": True, "type_config": {"type": "list"}}
    if data.size <= _MOST_STYLED and (written := writers(data, titles)):
        data = data.style.format(written)
        for name in written:  # else it would have more weight
            own[name]["type_config"]["format"] = None
    with st.container(key=f"{key}_sideways"):
        st.dataframe(
            data,
            key=key,
            column_config=own,
            alt=alt,
            placeholder=words.NOTHING,
            height="content" if len(frame) <= most else 35 + 33 * most,  # no row is cut in half
            hide_index=True,
            **options,
        )
    if len(frame) > most:
        note(f"The table scrolls: {words.plural(len(frame), 'row')}.")


def short(names: Collection[str], narrow: int, wide: int) -> dict[str, str]:
    """Return names cut to so many letters on a phone, and so many on a desktop; no two of them become the same."""
    return all_cut(names, round(np.interp(width(), [390, 1440], [narrow, wide])))


def width() -> int:
    """Width of the screen in pixels; that of a desktop where it is not known."""
    found = str(st.context.cookies.get("width"))  # shell.html sets it
    return int(found) if found.isdecimal() else 1440
