"""Pairs: which differences between two features are clear, and what ties put at risk."""

from functools import partial

import streamlit as st

from tiecore.stability import Stability
from tiecore_dashboard.app import page
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.reproduce import Recipe
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages import measured
from tiecore_dashboard.pages.pairs.answer import by_need, pairs_answer, pairs_drawn, pairs_in_latex
from tiecore_dashboard.pages.pairs.duel import duel_of, show_duel, taken_away
from tiecore_dashboard.pages.pairs.overview import choose_pair, show_list
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View


@page.part
def explore(view: View, stable: Stability) -> None:
    """Show all pairs, one pair in depth, and the exports; of two features, only the pair."""
    pair, below = choose_pair(stable, view.features, highlighted=page.highlighted(view))
    duel = None if pair is None else duel_of(view, stable, pair)
    show_duel(duel, view.coloured, view=view, below=below)
    show_list(stable)
    tables, figures = taken_away(duel, view.coloured)
    menu.offer(
        view,
        name="pairs",
        tables={"Pairs": by_need(stable.pairs)} | tables,
        papers={"Pairs": partial(pairs_in_latex, stable.pairs, stable)},
        figures=figures | pairs_drawn(stable),
        recipe=Recipe(
            shows=["evaluation.stability({measure}).pairs"],
            command="stability",
            arguments=["--part", "pairs", "-f", "csv"],  # else it shows neighbours alone
        ),
    )


if sources.current().is_measured:
    page.head("Pairs", "Which differences between two features are clear?")
    measured.show_pairs()
    st.stop()
view = page.view("Pairs", "Which differences between two features are clear?", least_features=2)
with page.progress("Drawing random tie-breaks", key=view.key) as told:
    stable = cached.board(view, progress=told).stability
sentence, details = pairs_answer(stable)
page.say(sentence, details=details)
explore(view, stable)
