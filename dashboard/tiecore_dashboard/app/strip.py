"""The line below the head of a page: which data and settings are shown, and what does not match."""

from typing import cast

import streamlit as st

from tiecore.collection.coverage import coverage_warnings
from tiecore.evaluation.suspicious import suspicions
from tiecore.evaluation.values import Options
from tiecore_dashboard import words
from tiecore_dashboard.app.extent import extent, left_out, without_judgments
from tiecore_dashboard.app.frame import copy_link
from tiecore_dashboard.charts.look import Look
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state import conventions
from tiecore_dashboard.state.conventions import Convention

_ENOUGH_JUDGED = 0.7


def strip(view: View, *, colours: Look, data_page: str, is_first: bool) -> None:
    """Say in a line which data and settings are shown, beside it how to share it, and below what does not match."""
    alignment = view.evaluation.alignment
    judgments = view.dataset.qrels
    is_sample = view.dataset.is_sample
    facts = extent(
        name="Sample data" if is_sample or judgments is None else judgments.name,
        n_queries=alignment.n_queries,
        n_documents=alignment.n_judged if judgments is None else judgments.n_judged,
        n_features=len(view.features),
        settings=[str(view.measure), *(f"{one.title.lower()}: {label}" for one, label in _unusual(view))],
    )
    spans = [f"<span>{fact}</span>" for fact in facts]
    style = f"--text:{colours.text};--muted:{colours.muted};--amber:{colours.bad};--link:{colours.link}"
    with st.container(horizontal=True, vertical_alignment="center", key="strip", gap="small"):
        st.html(f'<p class="strip" style="{style}">{"".join(spans)}</p>', width="content")
        copy_link()
        if is_sample:
            st.page_link(data_page, label="Use your own files", icon=":material/upload_file:", width="content")
    if warnings := [*_warnings(view), *filter(None, [_few_judged(view) if is_first else ""])]:
        lines = "".join(f"<li>{words.in_html(warning)}</li>" for warning in warnings)
        st.html(f'<ul class="warnings" style="{style}">{lines}</ul>')


def _unusual(view: View) -> list[tuple[Convention, str]]:
    """Conventions that are not the usual ones, as the user knows them."""
    both = zip(conventions.chosen(view.settings.options), conventions.chosen(Options()), strict=True)
    return [(one, label) for (one, label), (_, usual) in both if label != usual]


def _warnings(view: View) -> list[str]:
    """Return the warnings of the evaluation, and what was left out before it: sentences on what does not match."""
    data, alignment, found = view.dataset, view.evaluation.alignment, cached.matched(view)
    names = [] if data.is_sample else [problem.file for problem in data.problems]
    names += [data.file(digest).name for digest in data.misfits]
    names += [one.name for one in data.features if (one.file, one.column) in data.unmatched]
    # those of Evaluation.warnings, which sorts all lists for a coverage of which only a part is needed
    uncounted = "are left out" if view.settings.options.queries == "common" else "count 0"
    facts = cast("dict[str, dict[str, float]]", found.assign(unmatched=0.0).to_dict("index"))  # see _few_judged
    own = coverage_warnings(facts, n_queries=alignment.n_queries, omitted=alignment.omitted, uncounted=uncounted)
    doubts = suspicions(view.evaluation, called=words.known_as)
    return [*filter(None, [left_out(names), *own, without_judgments(found), *doubts])]


def _few_judged(view: View) -> str:
    """Say which features list few judged documents first; nothing if none does."""
    shares = cached.judged(view.dataset, view.settings)
    low = {name: share for name, share in shares.items() if share < _ENOUGH_JUDGED}
    if not low:
        return ""
    least, most = (f"{100 * end:.0f} %" for end in (min(low.values()), max(low.values())))
    who = words.enumerate_names(list(low)) if len(low) <= 3 else f"{words.count(len(low))} features"
    how_many = least if least == most else f"{least} to {most}"
    return (
        f"Of the first {view.settings.cutoff} documents of {who}, {how_many} have a judgment; the others count as not "
        "relevant. Check that the document ids agree if you expect more."
    )
