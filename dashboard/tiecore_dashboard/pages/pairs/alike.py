"""Which features rank alike: a map of all pairs, and how one pair varies from query to query."""

import pandas as pd
import streamlit as st

from tiecore.evaluation.result import Evaluation
from tiecore.similarity import FeatureSimilarity, alike_order, between
from tiecore.similarity.features import SimilarityMethod
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.pairs.answer import alike_answer, alike_pair, most_alike
from tiecore_dashboard.pages.pairs.charts import alike_map
from tiecore_dashboard.pages.pairs.overview import choose_cell, chosen_pair
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

METHODS: dict[str, SimilarityMethod] = {"τ-b": "tau_b", "τ AP": "tau_ap", "RBO": "rbo"}
MEANINGS = """- **τ-b** Kendall’s rank correlation: every swapped pair of documents counts the same, wherever it stands.
- **τ AP** AP correlation: as τ, but swaps near the top count more.
- **RBO** rank-biased overlap (p = 0.9): what the first ranks have in common; documents of one list count too.

Tied documents are equal in all of them: 1 is the same order with the same ties."""
TIES = "b"
MOST_FEATURES, MOST_WORK, LEAST_QUERIES = 60, 4_000_000, 10
"""Features that are compared, documents times pairs up to which that takes a moment, and queries at the least."""


@page.part
def show_alike(view: View) -> None:
    """Show which features rank alike, how one pair does in each query, and the exports."""
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
    means = found.means.loc[order, order]
    sentence, details = alike_answer(means, title=title)
    with answer:
        page.say(sentence, details=details)
    if len(means) > 2:
        place = st.container()
        pair = chosen_pair(view.features, most_alike(means))
        with place:
            page.chart(
                alike_map(
                    means,
                    found.queries.loc[order, order],
                    title=title,
                    look=page.look(),
                    chosen=pair,
                    highlighted=page.highlighted(view),
                ),
                key="pairs_alike_map",
                alt=f"How alike each pair of features ranks, by {title}",
                on_click=choose_cell,
                stem="rank alike",
            )
        if pair[0] == pair[1]:
            st.info("Choose two different features.", icon=":material/info:")
        else:
            values = cached.study(view, values_of, *pair, method=METHODS[title])
            st.html(f'<div class="answer">{alike_pair(values, one=pair[0], other=pair[1], title=title)}</div>')
    tell_extent(view, found)
    offers.offer(view, name="alike", tables={"Rank alike": means}, recipe=recipe_of(view, found, METHODS[title]))


def compared(view: View, method: SimilarityMethod) -> FeatureSimilarity:
    """Compare the best features, on as many queries as one likes to wait for."""
    names = tuple(map(str, view.leaderboard.index[:MOST_FEATURES]))
    alignment, n = view.evaluation.alignment, len(names)
    n_documents = len(alignment.query) / max(1, alignment.n_queries)
    within = int(MOST_WORK / max(1.0, n_documents * n * (n + 1) / 2))
    with page.progress("Comparing orders", of="parts", key=(view.key, method)) as report:
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


def values_of(evaluation: Evaluation, one: str, other: str, *, method: SimilarityMethod) -> pd.Series:
    """Return the coefficient of two features in each query."""
    return between(evaluation, method=method, ties=TIES, features=(one, other)).values(one, other)


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


def recipe_of(view: View, found: FeatureSimilarity, method: SimilarityMethod) -> Recipe:
    """Return how the map is had outside of the dashboard."""
    names = ""
    if len(found.means) < len(view.features):
        names = f"features=list(evaluation.leaderboard({{measure}}).index[:{len(found.means)}]), "
    asked = f"{names}queries={len(found.query_ids)}, method={quoted(method)}, ties={quoted(TIES)}"
    return Recipe(shows=[f"tiecore.similarity.between(evaluation, {asked}).means"], command="")
