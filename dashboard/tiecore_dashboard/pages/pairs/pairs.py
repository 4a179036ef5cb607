"""Pairs: which differences between two features are clear, and what ties put at risk."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from tiecore.stability import Stability
from tiecore_dashboard.app import page
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.figures import Draw
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages import measured
from tiecore_dashboard.pages.pairs.alike import show_alike
from tiecore_dashboard.pages.pairs.answer import (
    most_interesting,
    pair_sentence,
    pairs_answer,
    pairs_in_latex,
)
from tiecore_dashboard.pages.pairs.duel import recipe_of, show_duel, show_readings
from tiecore_dashboard.pages.pairs.overview import chosen_pair, show_all
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

DIFFERENCES, ALIKE = "differences", "rank alike"


@page.part
def explore(view: View, stable: Stability) -> None:
    """Show all pairs, one pair in depth, and the exports; of two features, only the pair."""
    pairs = stable.pairs
    figures: Mapping[str, Draw] = {}
    chosen = (pairs["leader"].iloc[0], pairs["trailer"].iloc[0])
    if len(pairs) > 1:
        upper = st.container()
        st.header("One pair in depth", anchor=False)
        chosen = chosen_pair(view.features, most_interesting(pairs))
        with upper:
            show_all(stable, chosen, highlighted=page.highlighted(view))
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
    offers.offer(
        view,
        name="pairs",
        tables=tables,
        papers={"Pairs": lambda: pairs_in_latex(pairs, str(view.measure))},
        figures=figures,
        recipe=recipe_of(stable, view),
    )


if sources.current().is_measured:
    page.head("Pairs", "Which differences between two systems are clear?")
    measured.show_pairs()
    st.stop()
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
