"""Which features rank alike: a map of all pairs, and one pair document by document."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import streamlit as st

from tiecore.evaluation.result import Evaluation
from tiecore.similarity import FeatureSimilarity, alike_order, between, shared_documents
from tiecore.similarity.features import SimilarityMethod
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.pairs.alike_answer import alike_answer, known_pairs, most_alike, of_pair
from tiecore_dashboard.pages.pairs.alike_charts import alike_map, document_chart
from tiecore_dashboard.pages.pairs.choice import choose_cell, chosen_pair, pair_table
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

__all__ = ["show_alike"]


class _Coefficient(NamedTuple):
    """A way to compare two rankings; tied documents are equal in all of them, and 1 is the same order and ties."""

    method: SimilarityMethod
    meaning: str


COEFFICIENTS = {
    "τ-b": _Coefficient(
        "tau_b", "Kendall’s rank correlation: every swapped pair of documents counts the same, wherever it stands."
    ),
    "τ AP": _Coefficient("tau_ap", "AP correlation: as τ, but swaps near the top count more."),
    "RBO": _Coefficient(
        "rbo", "rank-biased overlap (p = 0.9): what the first ranks have in common; documents of one list count too."
    ),
}
TIES = "b"
FEW_FEATURES, MOST_FEATURES = 60, 200
"""Features that are compared unasked, and when asked."""
QUICK, LONG = 3_000_000, 60_000_000
"""Documents times pairs that are compared unasked, and when asked: about one and twenty seconds of a processor."""
LEAST_QUERIES = 10
MOST_DOCUMENTS = 3000
MOST_ROWS = 2000
ASKED = "pairs_alike_asked"


def extent_of(view: View, *, is_asked: bool) -> tuple[int, int]:
    """Return how many features, and how many queries, are compared unasked or when more was asked for."""
    alignment = view.evaluation.alignment
    n_features = min(len(view.features), MOST_FEATURES if is_asked else FEW_FEATURES)
    n_documents = len(alignment.query) / max(1, alignment.n_queries)
    within = (LONG if is_asked else QUICK) / max(1.0, n_documents * n_features * (n_features + 1) / 2)
    return n_features, min(max(LEAST_QUERIES, int(within)), alignment.n_queries)


@page.part
def show_alike(view: View) -> None:
    """Show which features rank alike, one pair document by document, and the exports."""
    if not view.has_documents:
        st.info(
            "Which features rank alike shows in single documents, and a table of counts holds only their numbers.",
            icon=":material/info:",
        )
        return
    answer = st.container()
    title = choose_part(
        "Compare by",
        list(COEFFICIENTS),
        key="pairs_alike_by",
        help="\n".join(f"- **{title}** {one.meaning}" for title, one in COEFFICIENTS.items())
        + "\n\nTied documents are equal: 1 is the same order with the same ties.",
    )
    found = compared(view, COEFFICIENTS[title].method)
    order = alike_order(found.means)
    means, queries = found.means.loc[order, order], found.queries.loc[order, order]
    sentence, details = alike_answer(means, title=title)
    with answer:
        page.say(sentence, details=details)
    n_features = len(means)
    left = right = st.container()
    if 2 < n_features <= page.BESIDE:
        left, right = st.columns(2, gap="medium")
    with right:
        pair = chosen_pair(view, most_alike(means)) if n_features > 2 else (str(means.index[0]), str(means.index[1]))
    with left:
        if n_features > 2:
            page.chart(
                alike_map(
                    means, queries, title=title, look=page.look(), chosen=pair, highlighted=page.highlighted(view)
                ),
                key="pairs_alike_map",
                alt=f"How alike each pair of features ranks, by {title}",
                on_click=choose_cell,
                stem="rank alike",
            )
        tell_extent(view, found)
    tables = {"Rank alike": means}
    with right:
        if pair[0] == pair[1]:
            st.info("Choose two different features.", icon=":material/info:")
        else:
            show_pair(view, pair, title, tables)
    if n_features > 2:
        show_list(means, title, pair)
    recipe = recipe_of(view, found, COEFFICIENTS[title].method, pair)
    offers.offer(view, name="alike", tables=tables, recipe=recipe)


def compared(view: View, method: SimilarityMethod) -> FeatureSimilarity:
    """Compare the features, as many and on as many queries as one likes to wait for; more if that was asked for."""
    n_features, n_queries = extent_of(view, is_asked=st.session_state.get(ASKED) == view.key)
    names = tuple(map(str, view.leaderboard.index[:n_features]))
    waiting = st.spinner(f"Comparing the orders of {words.plural(n_features, 'feature')}")
    with waiting, page.progress("Comparing orders", of="parts", key=(view.key, method)) as report:
        found: FeatureSimilarity = cached.study(
            view, between, features=names, queries=n_queries, method=method, ties=TIES, progress=report
        )
    return found


def tell_extent(view: View, found: FeatureSimilarity) -> None:
    """Say what the means are taken over, and what was left out; offer more where it is feasible."""
    n_features, n_queries = len(found.means), len(found.query_ids)
    over = words.plural(n_queries, "query", "queries")
    if n_queries < found.n_queries_in_all:
        over = f"{words.count(n_queries)} of {words.count(found.n_queries_in_all)} queries, evenly taken"
    rest = ""
    if n_features < len(view.features):
        rest = f" Shown: the {n_features} best of {words.count(len(view.features))} features; any pair can be chosen."
    page.note(f"Means over {over}, without those in which the coefficient is not defined.{rest}")
    more = extent_of(view, is_asked=True)
    if n_features < more[0] or n_queries < more[1]:
        st.button(
            f"Compare {words.plural(more[0], 'feature')} on {words.plural(more[1], 'query', 'queries')}",
            on_click=st.session_state.update,
            args=({ASKED: view.key},),
            icon=":material/query_stats:",
            key="pairs_alike_more",
            help="Progress is shown, and the work can be stopped.",
        )


def show_pair(view: View, pair: tuple[str, str], title: str, tables: dict[str, pd.DataFrame]) -> None:
    """Show one pair document by document and add its documents to the tables."""
    one, other = pair
    shared = cached.study(view, shared_documents, one, other, most=MOST_DOCUMENTS)
    values = cached.study(view, values_of, one, other, method=COEFFICIENTS[title].method)
    sentence = of_pair(values, one=one, other=other, title=title, n_shared=shared.n_documents)
    st.html(f'<div class="answer">{sentence}</div>')
    if not shared.n_documents:
        return
    tables["Documents of the pair"] = shared.frame
    page.chart(
        document_chart(shared.frame, one=one, other=other, look=page.look(), threshold=view.measure.threshold),
        key="pairs_alike_documents",
        alt=f"Documents by their ranks in {one} and {other}",
        stem=f"documents {one} {other}",
    )
    drawn = ""
    if len(shared.frame) < shared.n_documents:
        drawn = f"{words.count(len(shared.frame))} of {words.plural(shared.n_documents, 'document')}, drawn at random. "
    page.note(
        f"{drawn}Tied documents are spread over the ranks that they share. At the top right is what both rank high."
    )


def values_of(evaluation: Evaluation, one: str, other: str, *, method: SimilarityMethod) -> pd.Series:
    """Return the coefficient of two features in each query."""
    return between(evaluation, method=method, ties=TIES, features=(one, other)).values(one, other)


def show_list(means: pd.DataFrame, title: str, pair: tuple[str, str]) -> None:
    """List all pairs, the most alike first; a selected row is looked at above."""
    pairs = known_pairs(means)
    with st.expander("All pairs as a table"):
        pair_table(
            pairs.iloc[:MOST_ROWS],
            key="pairs_alike_table",
            alt="How alike each pair of features ranks",
            chosen=pair,
            highest=420,
            columns={
                "feature": st.column_config.TextColumn("Feature", pinned=True),
                "other": st.column_config.TextColumn("and"),
                "mean": st.column_config.NumberColumn(title, help="Mean over the queries.", format="%.3f"),
            },
        )
        if len(pairs) > MOST_ROWS:
            page.note(f"The {words.count(MOST_ROWS)} most alike of {words.plural(len(pairs), 'pair')}.")


def recipe_of(view: View, found: FeatureSimilarity, method: SimilarityMethod, pair: tuple[str, str]) -> Recipe:
    """Return how the map and the documents of the pair are had outside of the dashboard."""
    names = ""
    if len(found.means) < len(view.features):
        names = f"features=list(evaluation.leaderboard({{measure}}).index[:{len(found.means)}]), "
    asked = f"{names}queries={len(found.query_ids)}, method={quoted(method)}, ties={quoted(TIES)}"
    shows = [f"tiecore.similarity.between(evaluation, {asked}).means"]
    if pair[0] != pair[1]:
        asked_of = f"{quoted(pair[0])}, {quoted(pair[1])}, most={MOST_DOCUMENTS}"
        shows.append(f"tiecore.similarity.shared_documents(evaluation, {asked_of}).frame")
    return Recipe(shows=shows, command="")
