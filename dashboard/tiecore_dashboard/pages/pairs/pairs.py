"""Pairs: which differences between two features are clear, and what ties put at risk."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from tiecore.stability import COLUMNS, Stability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.columns import as_p_values
from tiecore_dashboard.export import exports, offers
from tiecore_dashboard.export.figures import Draw
from tiecore_dashboard.pages.pairs.alike import show_alike
from tiecore_dashboard.pages.pairs.answer import (
    by_need,
    most_interesting,
    pair_sentence,
    pairs_answer,
    pairs_for_paper,
)
from tiecore_dashboard.pages.pairs.charts import difference_map
from tiecore_dashboard.pages.pairs.choice import choose_cell, chosen_pair, pair_table
from tiecore_dashboard.pages.pairs.duel import recipe_of, show_duel, show_readings
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part
from tiecore_dashboard.words import VERDICTS

MOST_FEATURES = 100
"""Features that a map has cells for that one can hit, and a table rows for that a browser can hold."""
DIFFERENCES, ALIKE = "differences", "rank alike"
TITLES = {
    "leader": "Ahead", "trailer": "Behind", "verdict": "Verdict", "difference": "Difference", "low": "from",
    "high": "to", "holm": "p (Holm)", "tie_risk": "Tie risk", "reversed_by": "Reversed by",
    "sensitivity": "Sensitivity", "n_queries": "Queries", "note": "Note",
}  # fmt: skip


def show_list(pairs: pd.DataFrame, chosen: tuple[str, str], *, highest: int) -> None:
    """List the pairs by what needs a look; a selected row is looked at below."""
    rows = by_need(pairs)[list(TITLES)]
    rows = rows.assign(
        holm=as_p_values(rows["holm"]),
        verdict=[f"{VERDICTS[verdict]} {verdict}" for verdict in rows["verdict"]],
        tie_risk=100 * rows["tie_risk"],
        reversed_by=[", ".join(map(words.known_as, names)) for names in rows["reversed_by"]],
        sensitivity=rows["sensitivity"].where(rows["sensitivity"] < math.inf),
    )
    config = st.column_config
    formats = dict.fromkeys(("difference", "low", "high", "sensitivity"), "%.4f") | {"tie_risk": "%.2f %%"}
    columns = {
        name: config.NumberColumn(title, help=COLUMNS[name], format=formats.get(name))
        if pd.api.types.is_numeric_dtype(rows[name])
        else config.TextColumn(title, help=COLUMNS[name])
        for name, title in TITLES.items()
    }
    pair_table(rows, key="pairs_table", alt="All pairs of features", chosen=chosen, columns=columns, highest=highest)


def show_all(view: View, stable: Stability, chosen: tuple[str, str]) -> None:
    """Show all pairs as a map and as a list."""
    names, pairs = list(stable.places.index[:MOST_FEATURES]), stable.pairs
    shown = pairs[pairs["leader"].isin(names) & pairs["trailer"].isin(names)]
    is_wide = len(names) > page.BESIDE
    left, right = (st.container(), st.container()) if is_wide else st.columns([5, 6], gap="medium")
    with left:
        page.chart(
            difference_map(shown, names, look=page.look(), chosen=chosen, highlighted=page.highlighted(view)),
            key="pairs_map",
            alt=f"Difference of each pair of features, by {view.measure}",
            on_click=choose_cell,
            stem=f"pairs {view.measure}",
        )
    with right:
        show_list(shown, chosen, highest=248 if is_wide else 420)
    rest = ""
    if len(names) < len(view.features):
        rest = (
            f" Map and list show the {len(names)} best of {words.count(len(view.features))} features; any pair can be "
            "chosen below, and the export holds all of them."
        )
    page.note(
        "The larger the difference, the stronger the colour. The list begins with what needs a look: pairs that a "
        f"tie-break reverses, that ties put at risk, that are open.{rest}"
    )


@page.part
def explore(view: View, stable: Stability) -> None:
    """Show all pairs, one pair in depth, and the exports; of two features, only the pair."""
    pairs = stable.pairs
    figures: Mapping[str, Draw] = {}
    chosen = (pairs["leader"].iloc[0], pairs["trailer"].iloc[0])
    if len(pairs) > 1:
        upper = st.container()
        st.header("One pair in depth", anchor=False)
        chosen = chosen_pair(view, most_interesting(pairs))
        with upper:
            show_all(view, stable, chosen)
    found = pairs[pairs["leader"].isin(chosen) & pairs["trailer"].isin(chosen)]
    tables = {"Pairs": pairs}
    if found.empty:
        st.info("Choose two different features.", icon=":material/info:")
    else:
        pair = found.iloc[0]
        if len(pairs) > 1:
            page.say(pair_sentence(pair, stable))
        duel = show_duel(view, stable, pair)
        show_readings(pair, stable)
        tables, figures = tables | duel.tables, duel.figures
    caption = (
        f"Differences of the features by {view.measure}, with their 95 % intervals over queries; p adjusted by Holm."
    )
    offers.offer(
        view,
        name="pairs",
        tables=tables,
        papers={"Pairs": lambda: exports.latex_of(pairs_for_paper(pairs), caption=caption, label="pairs")},
        figures=figures,
        recipe=recipe_of(stable, view),
    )


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
    show_alike(view)
    st.stop()
stable = page.stability_of(view)
sentence, details = pairs_answer(stable)
page.say(sentence, details=details)
explore(view, stable)
