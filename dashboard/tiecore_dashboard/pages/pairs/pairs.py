"""Pairs: which differences between two features are clear, and what ties put at risk."""

from functools import partial

import streamlit as st

from tiecore.board import duel
from tiecore.stability import Stability
from tiecore_dashboard.app import page
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.reproduce import Recipe
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages import measured
from tiecore_dashboard.pages.pairs.answer import pairs_answer
from tiecore_dashboard.pages.pairs.duel import show_pairs
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View


@page.part
def explore(view: View, stable: Stability) -> None:
    """Show all pairs, one pair in depth, and the exports."""
    shown = show_pairs(stable, view.coloured, partial(duel, view.evaluation, stable), view=view)
    recipe = Recipe(
        shows=["evaluation.stability({measure}).pairs"],
        command="stability",
        arguments=["--part", "pairs", "-f", "csv"],  # else it shows neighbours alone
    )
    menu.offer(view, name="pairs", recipe=recipe, **shown)


if sources.current().is_measured:
    page.head("Pairs", "Which differences between two features are clear?")
    measured.show_pairs()
    st.stop()
view = page.view("Pairs", "Which differences between two features are clear?", least_features=2)
stable = page.work("Drawing random tie-breaks", view, cached.board).stability
page.say(*pairs_answer(stable))
explore(view, stable)
