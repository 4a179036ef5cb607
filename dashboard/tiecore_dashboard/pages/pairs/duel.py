"""Two features against each other: their values under random tie-breaks, and their queries one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from tiecore.diagnostics import draws as query_draws
from tiecore.diagnostics import leads
from tiecore.evaluation.intervals import needs_draws
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.stability import Stability
from tiecore.ties.tie_breaks import tie_break
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import Figure, Look
from tiecore_dashboard.export.figures import Draw, difference_of
from tiecore_dashboard.export.reproduce import Recipe
from tiecore_dashboard.pages.pairs.answer import readings
from tiecore_dashboard.pages.pairs.duel_charts import Side, difference_chart, duel_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.words import in_markdown

__all__ = ["FEW_DRAWS", "QUERY", "Shown", "recipe_of", "show_duel", "show_readings"]

FEW_DRAWS = 200
MOST_QUERIES = 1000
"""Queries that can be chosen by name, those in which one of the pair is furthest ahead."""
FEW_QUERIES, MOST_DRAWN, DRAWN_SHARE = 10, 8, 0.95
"""Queries that must carry the ties for their mean to be nearly normal; where fewer do, how many are drawn, up to which
share of the variance."""
CURVE_DRAWS = 250
QUERIES_PAGE = "../pages/queries/queries.py"
QUERY = "pairs_query"


@dataclass(frozen=True, slots=True)
class Shown:
    """What was shown, to be exported."""

    tables: dict[str, pd.DataFrame]
    figures: Mapping[str, Draw]


def show_duel(view: View, stable: Stability, pair: pd.Series) -> Shown:
    """Show the two distributions and the queries one by one, over the queries that both list."""
    names = pair["leader"], pair["trailer"]
    view = on_common(view, names, stable)
    look = page.look()
    drawn = None
    if view.dataset.counts is None and needs_draws(view.evaluation, view.measure):
        drawn = cached.study(view, draw_pair, *names, draws=cached.draws_for(view) or FEW_DRAWS)
    differences = cached.study(view, leads, *names)
    sides = tuple(side(view, name, drawn) for name in names)
    measure, tie_breaks = view.measure, view.tie_breaks

    def draw_duel(look: Look) -> Figure:
        return duel_chart(
            *sides, measure=str(measure), look=look, tie_breaks=tie_breaks, higher_is_better=measure.higher_is_better
        )

    query = st.session_state.get(QUERY)  # what is exported is drawn where there is no session

    def draw_differences(look: Look) -> Figure:
        return difference_chart(differences, leader=names[0], trailer=names[1], look=look, chosen=query)

    varies = any(side.varies for side in sides)
    left, right = st.columns(2, gap="medium") if varies else (None, st.container())
    if left is not None:
        with left:
            page.chart(
                draw_duel(look), key="pairs_duel", alt="Values of both features under random tie-breaks", stem="pair"
            )
            page.note(
                "Values under random tie-breaks on these queries; curves are drawn to the same height. Below: worst "
                "to best case, expectation, tie-breaks."
            )
    with right:
        page.chart(
            draw_differences(look),
            key="pairs_queries",
            alt="Difference of the two features in each query",
            on_click=keep_query,
            stem="pair by query",
        )
        show_query(differences, pair)
    return Shown(
        tables={"Queries of the pair": differences},
        figures=difference_of(view, stable, names),
    )


def on_common(view: View, names: tuple[str, str], stable: Stability) -> View:
    """Return the view of two features on the queries that both list; the same view where they list all."""
    listed = [view.evaluation.alignment.listed(name) for name in names]
    if (listed[0] == listed[1]).all() and (stable.pairs["n_queries"] == stable.n_queries).all():
        return view
    kept = {*names, *(tie_break(name).argument for name in view.tie_breaks if name.startswith("feature:"))}
    features = tuple(feature for feature in view.dataset.features if feature.name in kept)
    options = replace(view.settings.options, queries="common")
    return cached.view(replace(view.dataset, features=features), replace(view.settings, options=options))


def side(view: View, name: str, draws: pd.DataFrame | None) -> Side:
    """Take what is known of a feature out of the leaderboard."""
    row = view.leaderboard.to_dict("index")[name]
    own: np.ndarray | None = None
    if draws is not None:
        own = draws[name].to_numpy()
    elif view.dataset.counts is None:  # a table of counts holds no documents to draw
        own = cached.study(view, draw_few, name)
    return Side(
        name=name,
        expected=float(row["expected"]),
        sd=float(row["sd"]),
        worst=float(row["worst"]),
        best=float(row["best"]),
        tie_breaks={tie_break: float(row[tie_break]) for tie_break in view.tie_breaks},
        draws=own,
    )


def draw_few(evaluation: Evaluation, name: str, *, measure: Measure) -> np.ndarray | None:
    """Values of a feature under random tie-breaks where few queries carry its ties; None where a normal curve will do.

    Only the queries whose ties matter most are drawn, which is quick; what the ties of the others add is nearly normal.
    """
    at = evaluation.measures.index(measure)
    values = evaluation.values[at][evaluation.features.index(name)]
    expected, variance = (values[evaluation.array_columns.index(column)] for column in ("expected", "variance"))
    counted = np.flatnonzero(evaluation.counted[at])
    own = variance[counted]
    if not own.sum() > 0 or own.sum() ** 2 >= FEW_QUERIES * (own**2).sum():
        return None
    first = np.argsort(-own, kind="stable")
    n_drawn = min(MOST_DRAWN, int((np.cumsum(own[first]) < DRAWN_SHARE * own.sum()).sum()) + 1)
    drawn, rest = first[:n_drawn], first[n_drawn:]
    total = expected[counted].sum() + np.sqrt(own[rest].sum()) * np.random.default_rng(0).normal(size=CURVE_DRAWS)
    for query in counted[drawn]:
        query_id = evaluation.alignment.query_ids[int(query)].as_py()
        found = query_draws(evaluation, name, measure, query_id=query_id, draws=CURVE_DRAWS)
        total += found["value"].to_numpy() - expected[query]
    return total / len(counted)


def draw_pair(evaluation: Evaluation, leader: str, trailer: str, *, measure: Measure, draws: int) -> pd.DataFrame:
    """Values of two features under the random tie-breaks from which their chances were taken."""
    return evaluation.sample(measure, draws=draws, seed=0)[[leader, trailer]]


def show_readings(pair: pd.Series, stable: Stability) -> None:
    """The numbers on a pair, each with what it says."""
    rows = readings(pair, n_pairs=len(stable.pairs))
    lines = [f"| {row.quantity} | {row.value} | {row.meaning} |" for row in rows]
    with st.container(key="readings"):
        st.markdown("\n".join(["| Quantity | Value | What it says |", "|:--|--:|:--|", *lines]))
    if stable.notes:
        page.note(in_markdown(" ".join(stable.notes)))


def show_query(differences: pd.DataFrame, pair: pd.Series) -> None:
    """What a query says: that of a bar which was clicked on, or one that is chosen by name."""
    queries = list(differences.sort_values("lead", ascending=False, kind="stable").index)
    if st.session_state.get(QUERY) not in queries:
        st.session_state.pop(QUERY, None)
    if len(queries) > MOST_QUERIES:  # those that differ most, and the one that was clicked on
        half = MOST_QUERIES // 2
        queries = list(dict.fromkeys([*queries[:half], *queries[-half:], st.session_state.get(QUERY, queries[0])]))
    query = st.selectbox(
        "Query",
        queries,
        index=None,
        key=QUERY,
        placeholder="Click on a bar, or choose a query",
        label_visibility="collapsed",
    )
    if query is None:
        return
    row = differences.to_dict("index")[query]
    st.markdown(
        f"Query **{in_markdown(str(query))}**: {in_markdown(pair['leader'])} {words.number(row['leader_expected'])}, "
        f"{in_markdown(pair['trailer'])} {words.number(row['trailer_expected'])}; ties allow a difference from "
        f"{words.number(row['worst_lead'])} to {words.number(row['best_lead'])}."
    )
    with st.container(horizontal=True, gap="small"):
        for name in (pair["leader"], pair["trailer"]):
            st.page_link(
                QUERIES_PAGE,
                label=f"Its ranking by {in_markdown(name)}",
                icon=":material/manage_search:",
                query_params={"queries_feature": name, "queries_query": query},
                width="content",
            )


def keep_query(key: str) -> None:
    """Keep the query whose bar was clicked on."""
    for query in page.clicked_names(key)[:1]:
        st.session_state[QUERY] = query


def recipe_of(stable: Stability, view: View) -> Recipe:
    """How the pairs are had outside of the dashboard."""
    return Recipe(shows=["evaluation.stability({measure}).pairs"], command="stability")
