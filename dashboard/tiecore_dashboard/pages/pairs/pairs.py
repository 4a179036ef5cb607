"""Pairs: which differences between two features are clear, and what ties put at risk."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from tiecore.stability import Stability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import Figure, Look
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.figures import Draw
from tiecore_dashboard.pages.pairs.alike import show_alike
from tiecore_dashboard.pages.pairs.answer import most_interesting, pair_sentence, pairs_answer
from tiecore_dashboard.pages.pairs.charts import heat_map, verdict_legend
from tiecore_dashboard.pages.pairs.duel import QUERY, recipe_of, show_duel, show_readings
from tiecore_dashboard.pages.pairs.tables import pair_columns, pair_rows
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part
from tiecore_dashboard.words import VERDICTS

MOST_FEATURES = 200
"""Features that a map has cells for that one can hit, and a table rows for that a browser can hold."""
DIFFERENCES, ALIKE = "differences", "rank alike"
ONE, OTHER = "pairs_one", "pairs_other"
BEFORE, ROWS, WANTED = "pairs_before", "pairs_rows", "pairs_verdict"


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


def chosen_pair(view: View, usual: tuple[str, str]) -> tuple[str, str]:
    """Let two features be chosen by name, at first the usual ones."""
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
            title, names, index=None, key=key, bind="query-params", on_change=keep_apart, args=(key, rival)
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


def show_table(pairs: pd.DataFrame, chosen: tuple[str, str], *, highest: int) -> None:
    """All pairs, of the wanted verdicts; a selected row is looked at below."""
    found = set(pairs["verdict"])
    offered = [verdict for verdict in VERDICTS if verdict in found]
    if pairs["reversed_by"].map(bool).any():
        offered.append("reversed")
    asked = st.session_state.get(WANTED, ())
    if not set(asked) <= set(offered):  # of another measure
        st.session_state[WANTED] = [verdict for verdict in asked if verdict in offered]
    wanted = st.pills(
        "Show pairs that are",
        offered,
        selection_mode="multi",
        key=WANTED,
        bind="query-params",
        label_visibility="collapsed",
    )
    if wanted:
        pairs = pairs[pairs["verdict"].isin(wanted) | (pairs["reversed_by"].map(bool) & ("reversed" in wanted))]
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
        height=min(highest, 38 + 35 * len(shown)),
    )


def show_map(view: View, stable: Stability, chosen: tuple[str, str]) -> Callable[[Look], Figure]:
    """Show all pairs as a map and as a table; return what draws the map."""
    beats, shown = of_the_best(stable)
    highlighted = page.highlighted(view)

    verdicts = set(shown["verdict"])

    def draw_alone(look: Look) -> Figure:
        return heat_map(beats, shown, look=look, explained=verdicts)

    look = page.look()
    # a map of many takes the whole width, so that its cells can be hit, and the table waits below it
    is_wide = len(beats) > page.BESIDE
    left, right = (st.container(), st.container()) if is_wide else st.columns(2, gap="medium")
    with left:
        st.html(
            verdict_legend(
                look, n_features=len(beats), verdicts=verdicts, any_reversed=bool(shown["reversed_by"].map(bool).any())
            )
        )
        page.chart(
            heat_map(beats, shown, look=look, chosen=chosen, highlighted=highlighted),
            key="pairs_map",
            alt=f"Verdict on each pair of features, by {view.measure}",
            on_click=choose_cell,
            stem=f"pairs {view.measure}",
        )
    with right:
        show_table(shown, chosen, highest=248 if is_wide else 420)
    if "open" in verdicts and not is_wide:
        page.note("A number in the map: percent of random tie-breaks in which the row ranks above the column.")
    if len(beats) < len(view.features):
        page.note(
            f"Map and table show the {len(beats)} best of {words.count(len(view.features))} features. "
            "Any pair can be chosen below, and the export holds all of them."
        )
    return draw_alone


@page.part
def explore(view: View, stable: Stability) -> None:
    """Show all pairs, one pair in depth, and the exports; of two features, only the pair."""
    pairs = stable.pairs
    tables: dict[str, pd.DataFrame] = {"Pairs": pairs}
    figures: dict[str, Draw] = {}
    if len(pairs) == 1:
        found = pairs
        page.say_verdict(pairs.iloc[0])
    else:
        upper = st.container()
        st.header("One pair in depth", anchor=False)
        chosen = chosen_pair(view, most_interesting(stable.pairs))
        with upper:
            show_map(view, stable, chosen)
        found = pairs[pairs["leader"].isin(chosen) & pairs["trailer"].isin(chosen)]
    if found.empty:
        st.info("Choose two different features.", icon=":material/info:")
    else:
        pair = found.iloc[0]
        if len(pairs) > 1:
            page.say(pair_sentence(pair, stable))
            page.say_verdict(pair)
        duel = show_duel(view, stable, pair)
        show_readings(pair, stable)
        tables |= duel.tables
        figures |= duel.figures
    offers.offer(view, name="pairs", tables=tables, figures=figures, recipe=recipe_of(stable, view))


view = page.view(
    "Pairs", "Which differences between two features are clear, and which features rank alike?", least_features=2
)
look_at = choose_part(
    "Look at",
    [DIFFERENCES, ALIKE],
    key="pairs_look_at",
    hides_label=True,
    help="**differences** which feature is better; **rank alike** which put documents in the same order.",
)
if look_at == ALIKE:
    show_alike(view, choose, chosen_pair)
    st.stop()
_, stable = page.intervals_and_stability(view)
if stable is None:
    st.stop()
sentence, details = pairs_answer(stable)
page.say(sentence, details=details)
explore(view, stable)
