"""Pairs: which differences between two features are real, and which ties or other queries could undo."""

import pandas as pd
import streamlit as st

from tiecore.diagnostics import leads
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.stability import Stability
from tiecore_dashboard.answers.pairs import most_interesting, pair_sentence, pairs_answer, readings
from tiecore_dashboard.compute import cached
from tiecore_dashboard.compute.cached import View
from tiecore_dashboard.figures.duel import Side, difference_chart, duel_chart, noise_bar
from tiecore_dashboard.figures.look import Figure, Look
from tiecore_dashboard.figures.pairs import heat_map, verdict_legend
from tiecore_dashboard.share import offers
from tiecore_dashboard.share.reproduce import Recipe
from tiecore_dashboard.tables.pairs import pair_columns, pair_rows
from tiecore_dashboard.ui import page, words
from tiecore_dashboard.ui.words import VERDICTS, in_markdown

FEW_DRAWS = 200
MOST_FEATURES = 200
"""Features that a map has cells for that one can hit, and a table rows for that a browser can hold."""
MOST_QUERIES = 1000
"""Queries that can be chosen by name, those in which one of the pair is furthest ahead."""
CHARTS = {"Heat map": "pairs_map", "Pair": "pairs_duel", "Queries of the pair": "pairs_queries"}
QUERIES_PAGE = "../pages/queries.py"
ONE, OTHER = "pairs_one", "pairs_other"
BEFORE, QUERY, ROWS = "pairs_before", "pairs_query", "pairs_rows"


def choose(one: str, other: str) -> None:
    """Look at another pair."""
    st.session_state[ONE], st.session_state[OTHER] = one, other
    st.session_state.pop(QUERY, None)


def choose_cell(key: str) -> None:
    """Look at the pair of the cell that was clicked on."""
    for data in page.clicked(key)[:1]:
        choose(*data[:2])


def choose_row() -> None:
    """Look at the pair of the row that was selected."""
    for row in st.session_state["pairs_table"]["selection"]["rows"][:1]:
        choose(*st.session_state[ROWS][row])


def keep_apart(changed: str, other: str) -> None:
    """Let the other feature give way where the same one is chosen twice."""
    before = dict(zip((ONE, OTHER), st.session_state.get(BEFORE, ()), strict=False))
    if st.session_state[changed] == st.session_state[other] and changed in before:
        st.session_state[other] = before[changed]
    st.session_state.pop(QUERY, None)


def chosen_pair(view: View, stable: Stability) -> tuple[str, str]:
    """Let two features be chosen by name."""
    usual = most_interesting(stable.pairs)
    names = list(view.features)
    columns = st.columns(2)
    chosen = []
    for column, key, rival, name, title in zip(
        columns, (ONE, OTHER), (OTHER, ONE), usual, ("Feature", "against"), strict=True
    ):
        # no default: it would be left out of the URL, and what is usual differs from view to view
        if st.session_state.get(key, st.query_params.get(key)) not in names:
            st.session_state[key] = name
        picked = column.selectbox(
            title,
            names,
            index=None,
            key=key,
            bind="query-params",
            on_change=keep_apart,
            args=(key, rival),
        )
        chosen.append(str(picked))
    st.session_state[BEFORE] = tuple(chosen)
    return chosen[0], chosen[1]


def of_the_best(stable: Stability) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Chances and pairs that are shown: those of the best features, if there are very many."""
    best = stable.beats.index[:MOST_FEATURES]
    if len(best) == len(stable.beats):
        return stable.beats, stable.pairs
    pairs = stable.pairs
    return stable.beats.loc[best, best], pairs[pairs["leader"].isin(best) & pairs["trailer"].isin(best)]


def show_table(pairs: pd.DataFrame, chosen: tuple[str, str]) -> None:
    """All pairs, of the wanted verdicts; a selected row is looked at below."""
    wanted = st.pills(
        "Show pairs that are",
        [*VERDICTS, "reversed"],
        selection_mode="multi",
        key="pairs_verdict",
        bind="query-params",
        label_visibility="collapsed",
    )
    if wanted:
        pairs = pairs[pairs["verdict"].isin(wanted) | (pairs["reversed_by"].map(bool) & ("reversed" in wanted))]
    if pairs.empty:
        st.info(f"No pair is {in_markdown(words.enumerate_names(wanted))}.", icon=":material/info:")
        return
    listed = list(zip(pairs["leader"], pairs["trailer"], strict=True))
    rows = [row for row, pair in enumerate(listed) if set(pair) == set(chosen)]
    st.session_state[ROWS] = listed
    st.session_state["pairs_table"] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    shown = pair_rows(pairs)
    st.dataframe(
        shown,
        key="pairs_table",
        hide_index=True,
        column_config=pair_columns(),
        alt="All pairs of features",
        placeholder=words.NOTHING,
        on_select=choose_row,
        selection_mode="single-row",
        height=min(420, 38 + 35 * len(shown)),
    )


def side(view: View, name: str, draws: pd.DataFrame | None) -> Side:
    """Take what is known of a feature out of the leaderboard."""
    row = view.leaderboard.to_dict("index")[name]
    return Side(
        name=name,
        expected=float(row["expected"]),
        sd=float(row["sd"]),
        worst=float(row["worst"]),
        best=float(row["best"]),
        tie_breaks={tie_break: float(row[tie_break]) for tie_break in view.tie_breaks},
        draws=None if draws is None else draws[name].to_numpy(),
    )


def draw_pair(evaluation: Evaluation, leader: str, trailer: str, *, measure: Measure, draws: int) -> pd.DataFrame:
    """Values of two features under the random tie-breaks from which their chances were taken."""
    return evaluation.sample(measure, draws=draws, seed=0)[[leader, trailer]]


def show_readings(pair: pd.Series, stable: Stability, look: Look) -> None:
    """The numbers on a pair, each with what it says."""
    rows = readings(pair, n_pairs=len(stable.pairs))
    lines = [f"| {row.quantity} | {row.value} | {row.meaning} |" for row in rows]
    left, right = st.columns([5, 3], gap="medium")
    with left:
        st.markdown("\n".join(["| Quantity | Value | What it says |", "|:--|--:|:--|", *lines]))
    with right:
        st.markdown("**Sources of uncertainty**")
        if stable.n_queries == 1:
            page.note("One query cannot say how much others would differ.")
        elif pair["sd_ties"] == 0 and pair["sd_queries"] == 0:
            page.note("None: neither ties nor queries move the difference.")
        else:
            st.html(noise_bar(pair["tie_share"], look))
            page.note(
                "A difference measured once, with ties broken at random, varies for two reasons: ties and queries. The "
                "exact expectation removes the share of the ties."
            )
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
    """How the pairs are had outside of the dashboard: drawn as often, where they are drawn."""
    if stable.place_method != "sampled":
        return Recipe(shows=["evaluation.stability({measure}).pairs"], command="stability")
    draws = cached.draws_for(view) or FEW_DRAWS
    shown = f"evaluation.stability({{measure}}, draws={draws}).pairs"
    return Recipe(shows=[shown], command="stability", arguments=["--draws", str(draws)])


@page.part
def explore(view: View, stable: Stability) -> None:
    """All pairs at once, one pair in depth, and what can be taken away."""
    look = page.look()
    upper = st.container()
    st.subheader("One pair in depth", anchor=False)
    chosen = chosen_pair(view, stable)
    pairs = stable.pairs
    beats, shown = of_the_best(stable)

    def draw_map(look: Look) -> Figure:
        return heat_map(beats, shown, look=look, chosen=chosen, highlighted=page.highlighted(view))

    with upper:
        left, right = st.columns([5, 4], gap="medium")
        with left:
            st.html(
                verdict_legend(
                    look,
                    n_features=len(beats),
                    verdicts=set(shown["verdict"]),
                    any_reversed=bool(shown["reversed_by"].map(bool).any()),
                )
            )
            page.chart(
                draw_map(look),
                key="pairs_map",
                alt=f"Chance that the feature of the row beats that of the column, by {view.measure}",
                on_click=choose_cell,
                stem=f"pairs {view.measure}",
            )
        with right:
            show_table(shown, chosen)
        if len(beats) < len(view.features):
            page.note(
                f"Map and table show the {len(beats)} best of {words.count(len(view.features))} features. "
                "All pairs can be chosen below and taken along."
            )
    tables = {"Pairs": pairs}
    figures = {"Heat map": draw_map}
    found = pairs[pairs["leader"].isin(chosen) & pairs["trailer"].isin(chosen)]
    if found.empty:
        st.info("Choose two different features.", icon=":material/info:")
    else:
        pair = found.iloc[0]
        names = pair["leader"], pair["trailer"]
        sampled = stable.place_method == "sampled"
        draws = cached.draws_for(view) or FEW_DRAWS
        drawn = cached.study(view, draw_pair, *names, draws=draws) if sampled else None
        differences = cached.study(view, leads, leader=names[0], trailer=names[1])
        sides = side(view, names[0], drawn), side(view, names[1], drawn)

        def draw_duel(look: Look) -> Figure:
            return duel_chart(
                *sides,
                measure=str(view.measure),
                look=look,
                tie_breaks=view.tie_breaks,
                higher_is_better=view.measure.higher_is_better,
            )

        query = st.session_state.get(QUERY)  # what is taken away is drawn where there is no session

        def draw_differences(look: Look) -> Figure:
            return difference_chart(differences, leader=names[0], trailer=names[1], look=look, chosen=query)

        if len(pairs) > 1:
            page.say(pair_sentence(pair, stable))
        left, right = st.columns(2, gap="medium")
        with left:
            page.chart(
                draw_duel(look), key="pairs_duel", alt="Values of both features under random tie-breaks", stem="pair"
            )
            page.note("Curves are drawn to the same height. Below: worst to best case, expectation, tie-breaks.")
        with right:
            page.chart(
                draw_differences(look),
                key="pairs_queries",
                alt="Difference of the two features in each query",
                on_click=keep_query,
                stem="pair by query",
            )
            show_query(differences, pair)
        show_readings(pair, stable, look)
        tables["Queries of the pair"] = differences
        figures |= {"Pair": draw_duel, "Queries of the pair": draw_differences}
    offers.offer(
        view,
        name="pairs",
        tables=tables,
        pictures={label: key for label, key in CHARTS.items() if label in figures},
        figures=figures,
        recipe=recipe_of(stable, view),
    )


view = page.begin(
    "Pairs",
    "Which differences between two features are real: settled against ties, and significant over the queries?",
    least_features=2,
)
_, stable = page.drawn(view)
if stable is None:
    st.stop()
sentence, details = pairs_answer(stable)
page.say(sentence, details=details)
explore(view, stable)
