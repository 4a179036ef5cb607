"""What can be taken away from a page: tables, charts, and the code that reproduces it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.export import exports
from tiecore_dashboard.export.reproduce import LEADERBOARD, Recipe, as_command, as_python
from tiecore_dashboard.export.studio import show_studio
from tiecore_dashboard.results.cached import View

if TYPE_CHECKING:
    from tiecore.plot import Figure, Sheet

__all__ = ["offer", "offer_code", "offer_file", "offer_latex", "offer_table"]


@page.part
def offer(
    view: View,
    *,
    name: str,
    tables: Mapping[str, pd.DataFrame | Callable[[], pd.DataFrame]] | None = None,
    figures: Mapping[str, Callable[[Sheet], Figure]] | None = None,
    extras: Mapping[str, tuple[str, Callable[[], str | bytes], str]] | None = None,
    papers: Mapping[str, Callable[[], str]] | None = None,
    recipe: Recipe = LEADERBOARD,
) -> None:
    """Offer all that the page shows for download, and the code that reproduces it, once the box is opened.

    Parameters
    ----------
    tables
        Label to table: as CSV and LaTeX.
    figures
        Label to a function of a sheet that draws a figure for print: see :mod:`tiecore.plot`.
    extras
        Label to (name of the file, function that gives its content, MIME type).
    papers
        Label of a table to a function that gives it in LaTeX, where that is not the table column by column.
    recipe
        How the numbers of the page are had outside of the dashboard.
    """
    box = st.expander(
        "Export: tables, figures, code", icon=":material/download:", key=f"{name}_exports", on_change="rerun"
    )
    if not box.open:
        return  # nothing is made before it is asked for
    with box:
        if tables or extras:
            st.markdown("**Tables and report**" if extras else "**Tables**")
        with st.container(horizontal=True, gap="small"):
            for label, data in (tables or {}).items():
                offer_table(data, measure=str(view.measure), name=name, label=label)
                offer_latex(view, data, name=name, label=label, make=(papers or {}).get(label))
            for label, (file_name, make, mime) in (extras or {}).items():
                offer_file(label, make, file_name=file_name, mime=mime)
        if figures:
            show_studio(view, name, figures)
        st.markdown("**The same numbers in Python**")
        st.code(as_python(view, recipe), language="python")
        if command := as_command(view, recipe):
            st.markdown("**The same numbers on the command line**")
            st.code(command, language="bash", wrap_lines=True)


def offer_code(python: str, command: str) -> None:
    """Offer the code that reproduces a table, and the command if there is one."""
    with st.popover("Code", icon=":material/code:", width="content"):
        st.caption("The same in Python")
        st.code(python, language="python")
        if command:
            st.caption("and on the command line")
            st.code(command, language="bash", wrap_lines=True)


def offer_table(
    data: pd.DataFrame | Callable[[], pd.DataFrame], *, measure: str, name: str, label: str, text: str = ""
) -> None:
    """Offer a table as CSV; ``name`` is that of the page, ``text`` stands on the button instead of the label."""
    offer_file(
        text or f"{label} (CSV)",
        partial(_csv_of, data),
        file_name=exports.file_stem(name, label, measure) + ".csv",
        mime="text/csv",
    )


def offer_latex(
    view: View,
    data: pd.DataFrame | Callable[[], pd.DataFrame],
    *,
    name: str,
    label: str,
    make: Callable[[], str] | None = None,
) -> None:
    """Offer a table for a paper: as ``make`` gives it, or each column with the best of its values in bold."""
    stem = exports.file_stem(name, label, str(view.measure))
    offer_file(
        f"{label} (LaTeX)",
        make or partial(_latex_of, view, data, label, stem),
        file_name=f"{stem}.tex",
        mime="text/plain",
    )


def _latex_of(view: View, table: pd.DataFrame | Callable[[], pd.DataFrame], label: str, stem: str) -> str:
    extreme: exports.Extreme = "max" if view.measure.higher_is_better else "min"
    bold = dict.fromkeys(("expected", "worst", "best", *view.tie_breaks), extreme)
    caption = f"{label}, {view.measure}"
    return exports.as_latex(table() if callable(table) else table, caption=caption, label=stem, bold=bold)


def _csv_of(table: pd.DataFrame | Callable[[], pd.DataFrame]) -> bytes:
    return exports.as_csv(table() if callable(table) else table)


def offer_file(label: str, make: Callable[[], str | bytes], *, file_name: str, mime: str) -> None:
    """Offer something that is made when it is asked for."""
    # labels are Markdown, and may hold what stands in a file
    st.download_button(
        words.in_markdown(label),
        data=make,
        file_name=file_name,
        mime=mime,
        on_click="ignore",
        key=f"get {file_name} {label}",
    )
