"""Pairs: which differences between two features are clear, and what ties put at risk."""

import streamlit as st

from tiecore.stability import Stability
from tiecore_dashboard.app import page
from tiecore_dashboard.export import offers
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages import measured
from tiecore_dashboard.pages.pairs.alike import show_alike
from tiecore_dashboard.pages.pairs.answer import pairs_answer, pairs_in_latex
from tiecore_dashboard.pages.pairs.duel import Shown, duel_of, recipe_of, show_duel
from tiecore_dashboard.pages.pairs.overview import choose_pair, show_list
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

DIFFERENCES, ALIKE = "differences", "rank alike"


@page.part
def explore(view: View, stable: Stability) -> None:
    """Show all pairs, one pair in depth, and the exports; of two features, only the pair."""
    pair, duel = choose_pair(stable, view.features, highlighted=page.highlighted(view)), Shown({}, {})
    if pair is not None:
        duel = show_duel(duel_of(view, stable, pair), view.features, view=view)
    show_list(stable)
    offers.offer(
        view,
        name="pairs",
        tables={"Pairs": stable.pairs} | duel.tables,
        papers={"Pairs": lambda: pairs_in_latex(stable.pairs, str(view.measure))},
        figures=duel.figures,
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
