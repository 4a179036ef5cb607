"""Which features rank alike: a map of all pairs, and one pair document by document."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast, get_args

import pandas as pd
import streamlit as st

from tiecore.evaluation.result import Evaluation
from tiecore.similarity import FeatureSimilarity, alike_order, between, shared_documents
from tiecore.similarity.features import SimilarityMethod
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.waiting import meanwhile
from tiecore_dashboard.charts.look import Figure, Look
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.pairs.alike_answer import alike_answer, known_pairs, most_alike, of_pair
from tiecore_dashboard.pages.pairs.alike_charts import Axes, alike_map, document_chart, scale_legend
from tiecore_dashboard.pages.pairs.alike_tables import alike_columns, alike_rows
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

__all__ = ["show_alike"]


class _Coefficient(NamedTuple):
    """A way to compare two rankings."""

    method: SimilarityMethod
    lowest: float
    meaning: str


COEFFICIENTS = {
    "τ-b": _Coefficient(
        "tau_b", -1, "Kendall’s rank correlation: every swapped pair of documents counts the same, wherever it stands."
    ),
    "τ AP": _Coefficient("tau_ap", -1, "AP correlation: as τ, but swaps near the top count more."),
    "RBO": _Coefficient(
        "rbo", 0, "rank-biased overlap (p = 0.9): what the first ranks have in common; documents of one list count too."
    ),
}
"""In all of them tied documents are equal, and 1 is the same order with the same ties."""
TIES = "b"
FEW_FEATURES, MOST_FEATURES = 60, 200
"""Features that are compared unasked, and those that a map has cells for that one can hit."""
QUICK, LONG = 3_000_000, 60_000_000
"""Documents times pairs that are compared unasked, and when asked: about one and twenty seconds of a processor."""
LEAST_QUERIES = 10
MOST_DOCUMENTS = 3000
MOST_ROWS = 2000
ASKED = "pairs_alike_asked"
ROWS = "pairs_alike_rows"


def extent_of(view: View, *, is_asked: bool) -> tuple[int, int]:
    """How many features, and how many queries, are compared unasked or when more was asked for."""
    alignment = view.evaluation.alignment
    n_features = min(len(view.features), MOST_FEATURES if is_asked else FEW_FEATURES)
    work = LONG if is_asked else QUICK
    n_documents = len(alignment.query) / max(1, alignment.n_queries)
    within = int(work / max(1.0, n_documents * n_features * (n_features + 1) / 2))
    return n_features, min(max(LEAST_QUERIES, within), alignment.n_queries)


def compared(view: View, chosen: _Coefficient) -> FeatureSimilarity:
    """Compare the features, as many and on as many queries as one likes to wait for; more if that was asked for."""
    n_features, n_queries = extent_of(view, is_asked=st.session_state.get(ASKED) == view.key)
    names = tuple(map(str, view.leaderboard.index[:n_features]))
    waiting = meanwhile(f"Comparing the orders of {words.plural(n_features, 'feature')}")
    with waiting, page.progress("Comparing orders", of="parts", key=(view.key, chosen.method)) as report:
        found: FeatureSimilarity = cached.study(
            view, between, features=names, queries=n_queries, method=chosen.method, ties=TIES, progress=report
        )
    return found


@page.part
def show_alike(
    view: View, choose: Callable[[str, str], None], choose_pair: Callable[[View, tuple[str, str]], tuple[str, str]]
) -> None:
    """Show which features rank alike, one pair document by document, and the exports.

    Parameters
    ----------
    view
        With two features or more.
    choose
        Keeps the two features that were clicked on.
    choose_pair
        Lets two features be chosen by name, at first those given.
    """
    if not view.has_documents:
        st.info(
            "Which features rank alike shows in single documents, and a table of counts holds only their numbers.",
            icon=":material/info:",
        )
        return
    answer = st.container()
    title = choose_coefficient()
    found = compared(view, COEFFICIENTS[title])
    order = alike_order(found.means)
    means, queries = found.means.loc[order, order], found.queries.loc[order, order]
    sentence, details = alike_answer(means, title=title)
    with answer:
        page.say(sentence, details=details)
    n_features = len(means)
    if 2 < n_features <= page.BESIDE:
        left, right = st.columns(2, gap="medium")
    else:
        left = right = st.container()
    with right:
        pair = choose_pair(view, most_alike(means)) if n_features > 2 else (str(means.index[0]), str(means.index[1]))

    if n_features > 2:
        with left:
            look = page.look()
            st.html(scale_legend(look, lowest=COEFFICIENTS[title].lowest))
            page.chart(
                alike_map(means, queries, title=title, look=look, chosen=pair, highlighted=page.highlighted(view)),
                key="pairs_alike_map",
                alt=f"How alike each pair of features ranks, by {title}",
                on_click=lambda key: choose_cell(key, choose),
                stem="rank alike",
            )
            tell_extent(view, found, n_features)
    with right:
        if pair[0] == pair[1]:
            st.info("Choose two different features.", icon=":material/info:")
            documents = None
        else:
            documents, _ = show_pair(view, pair, title)
    if n_features > 2:
        show_table(means, queries, title, choose)
    else:
        tell_extent(view, found, n_features)
    tables = {"Rank alike": means} | ({} if documents is None else {"Documents of the pair": documents})
    offers.offer(
        view,
        name="alike",
        tables=tables,
        recipe=recipe_of(view, found, COEFFICIENTS[title].method, pair),
    )


def choose_coefficient() -> str:
    """Let the coefficient be chosen."""
    return choose_part(
        "Compare by",
        list(COEFFICIENTS),
        key="pairs_alike_by",
        help="\n".join(f"- **{title}** {one.meaning}" for title, one in COEFFICIENTS.items())
        + "\n\nTied documents are equal: 1 is the same order with the same ties.",
    )


def choose_cell(key: str, choose: Callable[[str, str], None]) -> None:
    """Look at the pair of the cell that was clicked on."""
    for data in page.clicked(key)[:1]:
        choose(str(data[0]), str(data[1]))


def tell_extent(view: View, found: FeatureSimilarity, n_features: int) -> None:
    """Say what the means are taken over, and what was left out; offer more where it is feasible."""
    over = words.plural(len(found.query_ids), "query", "queries")
    is_part = len(found.query_ids) < found.n_queries_in_all
    if is_part:
        over = f"{words.count(len(found.query_ids))} of {words.count(found.n_queries_in_all)} queries, evenly taken"
    rest = ""
    if n_features < len(view.features):
        rest = f" Shown: the {n_features} best of {words.count(len(view.features))} features; any pair can be chosen."
    where = "Numbers on the axes are places in this map. " if n_features > 40 else ""
    page.note(f"{where}Means over {over}, without those in which the coefficient is not defined.{rest}")
    more_features, more_queries = extent_of(view, is_asked=True)
    if n_features < more_features or (is_part and len(found.query_ids) < more_queries):
        many = f"{words.plural(more_features, 'feature')} on {words.plural(more_queries, 'query', 'queries')}"
        st.button(
            f"Compare {many}",
            on_click=st.session_state.update,
            args=({ASKED: view.key},),
            icon=":material/query_stats:",
            key="pairs_alike_more",
            help="Progress is shown, and the work can be stopped.",
        )


def show_pair(
    view: View, pair: tuple[str, str], title: str
) -> tuple[pd.DataFrame | None, Callable[[Look], Figure] | None]:
    """Show one pair document by document; return its documents and what draws them, if there are any."""
    one, other = pair
    shared = cached.study(view, shared_documents, one, other, most=MOST_DOCUMENTS)
    values = cached.study(view, values_of, one, other, method=COEFFICIENTS[title].method)
    st.html(
        f'<div class="answer">{of_pair(values, one=one, other=other, title=title, n_shared=shared.n_documents)}</div>'
    )
    if not shared.n_documents:
        return None, None
    shows = cast("Axes", choose_part("Show", get_args(Axes), key="pairs_alike_axes", hides_label=True))
    turned = view.evaluation.alignment.ascending

    def draw(look: Look) -> Figure:
        return document_chart(
            shared.frame,
            one=one,
            other=other,
            shows=shows,
            look=look,
            threshold=view.measure.threshold,
            lower_is_better=(one in turned, other in turned),
        )

    page.chart(
        draw(page.look()),
        key="pairs_alike_documents",
        alt=f"Documents by their {shows} in {one} and {other}, coloured by grade",
        stem=f"documents {one} {other}",
    )
    drawn = ""
    if len(shared.frame) < shared.n_documents:
        drawn = f"{words.count(len(shared.frame))} of {words.plural(shared.n_documents, 'document')}, drawn at random. "
    spread = (
        "Tied documents are spread over the ranks that they share."
        if shows == "ranks"
        else "Scores that take few values are moved a little, so that points do not hide each other."
    )
    page.note(f"{drawn}{spread} At the top right is what both rank high.")
    return shared.frame, draw


def values_of(evaluation: Evaluation, one: str, other: str, *, method: SimilarityMethod) -> pd.Series:
    """Return the coefficient of two features in each query."""
    return between(evaluation, method=method, ties=TIES, features=(one, other)).values(one, other)


def show_table(means: pd.DataFrame, queries: pd.DataFrame, title: str, choose: Callable[[str, str], None]) -> None:
    """List all pairs, the most alike first; a selected row is looked at above."""
    with st.expander("All pairs as a table"):
        pairs = known_pairs(means)
        rows = alike_rows(pairs.iloc[:MOST_ROWS], queries)
        st.session_state[ROWS] = list(zip(rows["feature"], rows["other"], strict=True))
        st.dataframe(
            rows,
            key="pairs_alike_table",
            hide_index=True,
            column_config=alike_columns(title),
            alt="How alike each pair of features ranks",
            placeholder=words.NOTHING,
            on_select=lambda: choose_row(choose),
            selection_mode="single-row",
            height=min(420, 38 + 35 * max(1, len(rows))),
        )
        if len(pairs) > MOST_ROWS:
            page.note(f"The {words.count(MOST_ROWS)} most alike of {words.plural(len(pairs), 'pair')}.")


def choose_row(choose: Callable[[str, str], None]) -> None:
    """Look at the pair of the row that was selected."""
    for row in st.session_state["pairs_alike_table"]["selection"]["rows"][:1]:
        choose(*st.session_state[ROWS][row])


def recipe_of(view: View, found: FeatureSimilarity, method: SimilarityMethod, pair: tuple[str, str]) -> Recipe:
    """How the map and the documents of the pair are had outside of the dashboard."""
    names = ""
    if len(found.means) < len(view.features):
        names = f"features=list(evaluation.leaderboard({{measure}}).index[:{len(found.means)}]), "
    similarity = "tiecore.similarity"
    asked = f"{names}queries={len(found.query_ids)}, method={quoted(method)}, ties={quoted(TIES)}"
    shows = [f"{similarity}.between(evaluation, {asked}).means"]
    if pair[0] != pair[1]:
        asked_of = f"{quoted(pair[0])}, {quoted(pair[1])}, most={MOST_DOCUMENTS}"
        shows.append(f"{similarity}.shared_documents(evaluation, {asked_of}).frame")
    return Recipe(shows=shows, command="")
