"""Which features rank alike: a map of all pairs, and one pair document by document."""

from __future__ import annotations

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


METHODS: dict[str, SimilarityMethod] = {"τ-b": "tau_b", "τ AP": "tau_ap", "RBO": "rbo"}
MEANINGS = """- **τ-b** Kendall’s rank correlation: every swapped pair of documents counts the same, wherever it stands.
- **τ AP** AP correlation: as τ, but swaps near the top count more.
- **RBO** rank-biased overlap (p = 0.9): what the first ranks have in common; documents of one list count too.

Tied documents are equal in all of them: 1 is the same order with the same ties."""
TIES = "b"
MOST_FEATURES, MOST_WORK, LEAST_QUERIES = 60, 4_000_000, 10
"""Features that are compared, documents times pairs up to which that takes a moment, and queries at the least."""
MOST_DOCUMENTS, MOST_ROWS = 3000, 2000


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
    title = choose_part("Compare by", list(METHODS), key="pairs_alike_by", help=MEANINGS)
    found = compared(view, METHODS[title])
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
        pair = (
            chosen_pair(view.features, most_alike(means))
            if n_features > 2
            else (str(means.index[0]), str(means.index[1]))
        )
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
    recipe = recipe_of(view, found, METHODS[title], pair)
    offers.offer(view, name="alike", tables=tables, recipe=recipe)


def compared(view: View, method: SimilarityMethod) -> FeatureSimilarity:
    """Compare the best features, on as many queries as one likes to wait for."""
    names = tuple(map(str, view.leaderboard.index[:MOST_FEATURES]))
    alignment, n = view.evaluation.alignment, len(names)
    n_documents = len(alignment.query) / max(1, alignment.n_queries)
    within = int(MOST_WORK / max(1.0, n_documents * n * (n + 1) / 2))
    waiting = st.spinner(f"Comparing the orders of {words.plural(n, 'feature')}")
    with waiting, page.progress("Comparing orders", of="parts", key=(view.key, method)) as report:
        found: FeatureSimilarity = cached.study(
            view,
            between,
            features=names,
            queries=min(max(LEAST_QUERIES, within), alignment.n_queries),
            method=method,
            ties=TIES,
            progress=report,
        )
    return found


def tell_extent(view: View, found: FeatureSimilarity) -> None:
    """Say what the means are taken over, and what was left out."""
    n_features, n_queries = len(found.means), len(found.query_ids)
    over = words.plural(n_queries, "query", "queries")
    if n_queries < found.n_queries_in_all:
        over = f"{words.count(n_queries)} of {words.count(found.n_queries_in_all)} queries, evenly taken"
    rest = ""
    if n_features < len(view.features):
        rest = f" Shown: the {n_features} best of {words.count(len(view.features))} features; any pair can be chosen."
    page.note(f"Means over {over}, without those in which the coefficient is not defined.{rest}")


def show_pair(view: View, pair: tuple[str, str], title: str, tables: dict[str, pd.DataFrame]) -> None:
    """Show one pair document by document and add its documents to the tables."""
    one, other = pair
    shared = cached.study(view, shared_documents, one, other, most=MOST_DOCUMENTS)
    values = cached.study(view, values_of, one, other, method=METHODS[title])
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
                "feature": "Feature",
                "other": "and",
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
