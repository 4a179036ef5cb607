"""Whose number is this? The conventions that give a number reported elsewhere for a feature."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import streamlit as st

from tiecore import TiecoreError
from tiecore.evaluation.explain import parse_reported
from tiecore.evaluation.values import Options
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.waiting import meanwhile
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import quoted
from tiecore_dashboard.pages.ranking.whose_answer import whose_rows
from tiecore_dashboard.pages.ranking.whose_tables import whose_columns
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_one

__all__ = ["reported_in", "show_whose"]

MOST_NUMBERS = 6


@page.part
def show_whose(view: View) -> None:
    """Offer to explain a reported number, once the box is opened; conventions are tried on documents."""
    box = st.expander(
        "Whose number is this? Explain a value reported elsewhere",
        icon=":material/quick_reference:",
        key="ranking_whose",
        on_change="rerun",
        bind="query-params",
    )
    if not box.open:
        return
    with box:
        if not view.has_documents:
            page.note(
                "Most such conventions concern single documents, which a table of counts does not hold: open the "
                "judgments and features instead."
            )
            return
        left, right = st.columns(2)
        with left:
            feature = choose_one(
                "Feature",
                [str(name) for name in view.leaderboard.index],
                key="ranking_whose_feature",
                start=next(iter(page.highlighted(view)), None),
            )
        with right:
            text = st.text_input(
                f"{words.in_markdown(str(view.measure))} as it was printed",
                key="ranking_whose_number",
                bind="query-params",
                placeholder="0.1731",
                help="With all printed digits: 0.2200 says more than 0.22, and 17.3% is a share. Further measures as "
                "AP=.0653, separated by blanks: two numbers hardly ever fit by chance, one may.",
            )
        if not text or not text.strip():
            page.note(
                "A paper or another tool reports a number for one of these features that differs from the one above. "
                "Type it with its digits: the dashboard tries the conventions in which tools differ, simplest first."
            )
            return
        try:
            show_explanation(view, feature, reported_in(text, str(view.measure)))
        except TiecoreError as error:
            st.warning(words.in_markdown(str(error)), icon=":material/info:")


def reported_in(text: str, measure: str) -> dict[str, str]:
    """Read numbers that were typed: ``.1731`` is one of the measure, ``AP=.0653`` one of another.

    >>> reported_in(".1731 AP(rel=2)=0.0650", "nDCG@10")
    {'nDCG@10': '.1731', 'AP(rel=2)': '0.0650'}
    """
    found = text.split()
    if len(found) > MOST_NUMBERS:
        raise TiecoreError(f"{len(found)} numbers are too many: give up to {MOST_NUMBERS}, such as .1731 AP=.0653")
    return parse_reported([one if "=" in one else f"{measure}={one}" for one in found])


def show_explanation(view: View, feature: str, reported: Mapping[str, str]) -> None:
    """Say which conventions give the numbers, list them, and show how the same is had elsewhere."""
    with meanwhile("Trying conventions"):
        found = cached.explanation(view.dataset, feature, tuple(reported.items()))
    st.html(f'<div class="answer">{words.in_html(found.sentence)}</div>')
    rows = whose_rows(found.frame)
    st.markdown("**Conventions that fit**" if found.fits else "**The nearest conventions**")
    measures = [str(name) for name in rows.columns[1:-1]]
    st.dataframe(
        rows,
        key="ranking_whose_table",
        hide_index=True,
        column_config=whose_columns(measures),
        alt="Conventions and the values they give",
        height=min(300, 38 + 35 * len(rows)),
    )
    usual = (
        " They are counted from the usual ones, not from the settings on this page."
        if view.settings.options != Options()
        else ""
    )
    page.note(f"{words.count(found.n_tried)} sets of conventions were tried.{usual}")
    with st.container(horizontal=True, gap="small"):
        offers.offer_table(found.frame, measure=str(view.measure), name="whose", label="Conventions")
        if code := as_python(view, feature, reported):
            offers.offer_code(code, as_command(view, feature, reported))


def as_python(view: View, name: str, reported: Mapping[str, str]) -> str:
    """Code that explains the numbers again; empty where the user had to say which column is which."""
    data = view.dataset
    feature, qrels = data.feature(name), data.qrels
    file = data.file(feature.file)
    if qrels is None or qrels.asked is not None or file.asked is not None:
        return ""
    numbers = ", ".join(f"{quoted(measure)}: {quoted(number)}" for measure, number in reported.items())
    lines = ["import tiecore", ""]
    run = quoted(file.written)
    if len(file.as_scores.features) > 1:
        column = quoted(feature.column)
        lines += [f'run = tiecore.read_features({run})[["query_id", "doc_id", {column}]]', ""]
        run = "run"
    call = ["found = tiecore.explain(", f"    {quoted(qrels.written)},", f"    {run},", f"    {{{numbers}}},", ")"]
    return "\n".join([*lines, *call, "print(found)", "print(found.frame)", ""])


def as_command(view: View, name: str, reported: Mapping[str, str]) -> str:
    """Line for the shell that explains the numbers again; empty where the file holds other features too."""
    data = view.dataset
    feature, qrels = data.feature(name), data.qrels
    file = data.file(feature.file)
    if qrels is None or qrels.asked is not None or file.asked is not None or len(file.as_scores.features) > 1:
        return ""
    paths = [f"./{path}" if path.startswith("-") else path for path in (qrels.written, file.written)]
    return shlex.join(["tiecore", "explain", *paths, *(f"{measure}={number}" for measure, number in reported.items())])
