"""The line below the head of a page: which data and settings are shown, and what does not match."""

import re
from collections.abc import Sequence

import streamlit as st

from tiecore.collection.coverage import coverage_warnings, range_of
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.suspicious import suspicions
from tiecore.stability.sentences import called, heading_of
from tiecore_dashboard import words
from tiecore_dashboard.app.frame import copy
from tiecore_dashboard.files.datasets import MOST_FEATURES, Dataset
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.conventions import departures

DATA_PAGE = "../pages/data/data.py"
_ENOUGH_JUDGED, _FEW_JUDGED, _MOST_NAMED = 0.9, 0.7, 3
"""Shares of judged documents below which they are worth a note, and a warning; and features that are named in it."""
_MANY_UNKNOWN = 0.1
"""Share of queries without judgments from which on they are worth a warning."""


def strip(view: View, *, is_first: bool) -> None:
    """Say in a line which data and settings are shown, beside it how to share it, and below what does not match."""
    data, alignment = view.dataset, view.evaluation.values.alignment
    judgments = data.file(data.judgments or "")
    n_used, n_all = len(view.features), len(data.features)
    facts = [
        f"<strong>{words.in_html('Sample data' if data.is_sample else judgments.name)}</strong>",
        *['<span class="wide">web search, graded by people</span>'] * data.is_sample,
        words.plural(alignment.n_queries, "query"),
        f'<span class="wide">{words.plural(judgments.n_judged, "judgment")}</span>',
        f"{words.count(n_used)} of {words.count(n_all)} features"
        if n_all > MOST_FEATURES
        else words.plural(n_used, "feature"),
        words.in_html(heading_of(view.measure)),
        *(f"lower {words.in_html(one.name)} is better" for one in data.used if one.lower_is_better),
        *(words.in_html(f"{one.title.lower()}: {label}") for one, label in departures(view.settings.options)),
    ]
    line(facts, is_sample=data.is_sample)
    few = few_judged(view, view.features, is_warning=True) if is_first else ""
    if warnings := [*filter(None, [left_out(view.dataset), *cached.study(view, _mismatches), few])]:
        lines = "".join(f"<li>{words.in_html(warning)}</li>" for warning in warnings)
        lines = re.sub("&#x27;(.+?)&#x27;", r"<strong>\1</strong>", lines)  # names, which the package quotes
        st.html(f'<ul class="warnings">{lines}</ul>')


def line(facts: Sequence[str], *, is_sample: bool = False) -> None:
    """Show facts in HTML with a link to share and one to the files."""
    spans = "".join(f"<span>{fact}</span>" for fact in facts)
    with st.container(horizontal=True, vertical_alignment="center", key="strip", gap="small"):
        st.html(f'<p class="strip">{spans}</p>', width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content", gap="small"):  # in one line
            copy("link")
            label = "Use your own files" if is_sample else "Files"
            st.page_link(DATA_PAGE, label=label, icon=":material/upload_file:", width="content")


def left_out(data: Dataset) -> str:
    """Say which files and features take no part at all; nothing if all do."""
    names = [problem.file for problem in data.problems] + [one.name for one in data.files if one.values is not None]
    names += [data.file(digest).name for digest in data.misfits]
    names += [one.name for one in data.features if one.place in data.unmatched]
    how = "not read yet, so this is still the sample" if data.is_sample else "left out"
    how = f"{'is' if len(names) == 1 else 'are'} {how}"
    return f"{words.enumerate_names(names)} {how}; the page Data says why." if names else ""


def _mismatches(evaluation: Evaluation) -> list[str]:
    """Return in sentences what does not match between features and judgments, and which values are suspicious."""
    facts, alignment = evaluation.values.matched, evaluation.values.alignment
    uncounted = "are left out" if evaluation.values.options.queries == "common" else "count 0"
    known = {name: {**fact, "unmatched": 0.0} for name, fact in facts.items()}  # of these few_judged tells
    own = coverage_warnings(known, alignment, uncounted=uncounted)
    unknown = {name: int(fact["queries_unknown"]) for name, fact in facts.items()}
    many = {name: n for name, n in unknown.items() if n > _MANY_UNKNOWN * (n + facts[name]["queries"])}
    who = words.enumerate_names([*many]) if len(many) <= 2 else f"{words.count(len(many))} features"
    most = words.plural(max(many.values(), default=0), "query")
    without = [f"{who}: {'up to ' if len(many) > 1 else ''}{most} without judgments left out."] if many else []
    measure, *_ = evaluation.measures
    barren = f"No judged document has grade {measure.threshold} or higher, so nothing is relevant by {called(measure)}."
    values = evaluation.leaderboard(measure)
    is_barren = not measure.has_relevant(alignment.judged).any() and values["worst"].equals(values["best"])
    return [
        *[barren] * is_barren,
        *own,
        *without,
        *(f"{warning} Advanced can rank them last." for warning in evaluation.values.blanks),
        *suspicions(evaluation, called=words.known_as),
    ]


def few_judged(view: View, names: Sequence[str], *, is_warning: bool) -> str:
    """Say which of some features list few judged documents first; nothing if none does.

    ``is_warning``: only where ids may not agree, so few are judged; else only where not.
    """
    shares = cached.judged(view.dataset, view.settings)
    low = {name: share for name, share in shares.items() if share < _ENOUGH_JUDGED and name in names}
    if not low or (min(shares.values()) < _FEW_JUDGED) != is_warning:
        return ""
    how_many = words.enumerate_names([f"{100 * share:.0f} % ({name})" for name, share in low.items()])
    if len(low) > _MOST_NAMED:
        among = range_of([100 * share for share in low.values()], written="{:.0f} %")
        how_many = f"{among} ({words.plural(len(low), 'feature')})"
    advice = " Check that the document ids agree if you expect more." * is_warning
    first = f"Of the first {view.settings.cutoff} documents of each query"
    return f"{first}, {how_many} have a judgment; most measures count the others as not relevant.{advice}"
