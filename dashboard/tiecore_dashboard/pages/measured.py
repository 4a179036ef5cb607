"""Ranking and Pairs of values that were measured elsewhere: what :func:`tiecore.compare` says of them."""

from pathlib import Path
from typing import cast

import pandas as pd
import streamlit as st

from tiecore.board import Board
from tiecore.board.duel import duel_of_values
from tiecore.stability import Stability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.frame import component
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import as_comparison
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages.pairs.answer import HTML, most_interesting, pair_sentence, pairs_answer
from tiecore_dashboard.pages.pairs.duel_charts import difference_chart, query_chart
from tiecore_dashboard.pages.pairs.overview import chosen_pair, show_all
from tiecore_dashboard.pages.ranking.leaderboard import PRESETS, Preset, leaderboard_table
from tiecore_dashboard.results import cached
from tiecore_dashboard.state.choices import choose_part

PAIRS = "../pages/pairs/pairs.py"


def _compared() -> tuple[Stability, pd.DataFrame]:
    """Let the measure be chosen where there are several, and compare; a fault of the values ends the page."""
    data = sources.current()
    tables = [file.values for file in data.files if file.values is not None]
    measures = list(dict.fromkeys(name for table in tables for name in table["measure"]))
    with st.sidebar:
        st.subheader("Settings", anchor=False)
        measure = st.selectbox("Measure", measures, key="values_measure") if len(measures) > 1 else measures[0]
        lower = st.toggle("Lower is better", key="values_lower", bind="query-params")
    with st.spinner("Comparing the systems"):
        return cached.compared(data, measure or None, higher_is_better=not lower)


def show_ranking() -> None:
    """Show the leaderboard; a click on a verdict opens the pair."""
    stable, _ = _compared()
    board = Board.of_stability(stable)
    sentence, *details = board.headline(HTML)
    page.say(words.capitalised(sentence), details=[words.capitalised(detail) for detail in details])
    preset = cast("Preset", choose_part("Columns", PRESETS[:2], key="ranking_columns", hides_label=True))
    html = leaderboard_table(board, look=page.look(), preset=preset)
    table = component(Path(__file__).parent / "ranking/assets", "leaderboard", html='<div class="board-root"></div>')
    clicked = table(
        key="ranking_table", data={"html": html}, on_feature_change=lambda: None, on_pair_change=lambda: None
    )
    if clicked.pair:
        st.session_state["pairs_one"], st.session_state["pairs_other"] = board.reference, clicked.pair
        st.switch_page(PAIRS, query_params={})  # without, it refuses to clear those that widgets are bound to
    page.note(words.in_markdown(" ".join(stable.notes)))
    _offer(stable, board.rows, name="ranking", label="Leaderboard", shows="ranks")


def show_pairs() -> None:
    """Show all pairs, and one of them item by item."""
    stable, values = _compared()
    pairs = stable.pairs
    sentence, details = pairs_answer(stable)
    page.say(sentence, details=details)
    chosen = (pairs["leader"].iloc[0], pairs["trailer"].iloc[0])
    if len(pairs) > 1:
        upper = st.container()
        st.header("One pair in depth", anchor=False)
        chosen = chosen_pair(list(stable.places.index), most_interesting(pairs))
        with upper:
            show_all(stable, chosen)
    found = pairs[pairs["leader"].isin(chosen) & pairs["trailer"].isin(chosen)]
    if found.empty:
        st.info("Choose two different systems.", icon=":material/info:")
    elif found["n_queries"].iloc[0]:
        pair = found.iloc[0]
        page.say(pair_sentence(pair, stable))
        shown = duel_of_values(values, stable, pair["leader"], pair["trailer"])
        left, right = st.columns(2, gap="medium")
        with left:
            page.chart(difference_chart(shown, look=page.look()), key="pairs_difference", alt="Difference of the pair")
        with right:
            chart = query_chart(shown, look=page.look(), features=stable.places.index)
            page.chart(chart, key="pairs_queries", alt=f"Difference for each {shown.words['query']}")
    _offer(stable, pairs, name="pairs", label="Pairs", shows="pairs")


def _offer(stable: Stability, table: pd.DataFrame, *, name: str, label: str, shows: str) -> None:
    """Offer a table, and the code that gives it again."""
    with st.container(horizontal=True, gap="small"):
        offers.offer_table(table, measure=str(stable.measure), name=name, label=label)
        offers.offer_code(*as_comparison(sources.current(), stable.measure, shows=shows))
