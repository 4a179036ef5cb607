"""What can be taken away from a page: tables, charts, and the code that reproduces it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from tiecore.stability.sentences import called
from tiecore_dashboard.app import page
from tiecore_dashboard.export.csv_tables import as_csv, file_stem
from tiecore_dashboard.export.figures import Draw, offer_file, show_studio
from tiecore_dashboard.export.reproduce import LEADERBOARD, Recipe, as_command, as_python
from tiecore_dashboard.files import sources
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.conventions import departures


def offer(view: View, *, name: str, measure: str = "", recipe: Recipe = LEADERBOARD, **what: Any) -> None:
    """Offer what :func:`offer_all` offers; ``recipe``: how the numbers are had outside of the dashboard."""
    measure = measure or called(view.measure)
    what["settings"] = "".join(f" {one.title}: {label}." for one, label in departures(view.settings.options))
    offer_all(name, measure, lambda: (as_python(view, recipe), as_command(view, recipe)), recipe=recipe, **what)


@page.part
def offer_all(
    name: str,
    measure: str,
    codes: Callable[[], tuple[str, str]],
    *,
    of: str = "",
    queries: str = "queries",
    settings: str = "",
    recipe: Recipe = LEADERBOARD,
    tables: Mapping[str, pd.DataFrame] = {},
    figures: Mapping[str, Draw] = {},
    report: Callable[[], str] | None = None,
    papers: Mapping[str, Callable[..., str]] = {},
) -> None:
    """Offer all that the page shows for download, and the code that reproduces it, once the box is opened.

    ``name``, ``measure``, ``of``: the page, the measure, which part of the features, in the names of files behind that
    of the data. ``queries``: what values are of. ``settings``: what is said of them in tables, figures and papers.
    ``codes``: gives Python and lines for the shell, or none. ``tables``, ``figures``, ``papers``: by their labels.
    """
    kinds = {"tables": tables, "report": report, "figures": figures, "code": True}
    label = f"Export: {', '.join(kind for kind, there in kinds.items() if there)}"
    box = st.expander(label, icon=":material/download:", key=f"{name}_exports", on_change="rerun")
    if not box.open:
        return  # nothing is made before it is asked for
    with box:
        stem = partial(file_stem, sources.current().title, name)
        st.markdown("**Tables and report**" if report else "**Tables**")
        with st.container(horizontal=True, gap="small"):
            for label, data in tables.items():
                csv = partial(as_csv, data.assign(Settings=settings.strip()), measure, queries)
                about = "Columns are named as on the pages, empty ones left out; numbers have twelve digits."
                offer_file(f"{label} (CSV)", csv, file_name=f"{stem(label, of, measure)}.csv", help=about)
            for label, paper in papers.items():
                tex = partial(_captioned, paper, settings, label=stem(label, of, measure))
                offer_file(f"{label} (LaTeX)", tex, file_name=f"{stem(label, of, measure)}.tex")
            if report:
                offer_file("Report (HTML)", report, file_name=f"{stem('report', of, measure)}.html")
        if figures:
            show_studio(name, measure, figures, of=of, settings=settings)
        python, command = codes()
        st.markdown(f"**{recipe.gives} in Python**")
        st.code(python, language="python", wrap_lines=True)
        if command:
            st.markdown(f"**{recipe.command_gives or recipe.gives} on the command line**")
            st.code(command, language="bash", wrap_lines=True)


def _captioned(paper: Callable[..., str], more: str, *, label: str) -> str:
    """Return a table in LaTeX with more at the end of its caption, which its label follows."""
    end = "}\n  \\label"
    return paper(label=label).replace(end, more + end, 1)
