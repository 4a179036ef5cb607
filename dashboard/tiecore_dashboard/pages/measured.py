"""Ranking and Pairs of values that were measured elsewhere: what :func:`tiecore.compare` says of them."""

from functools import partial

import pandas as pd
import streamlit as st

from tiecore.board import Board
from tiecore.board.duel import duel_of_values
from tiecore.board.latex import in_latex
from tiecore.stability import Stability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.strip import line
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.figures import figures_of
from tiecore_dashboard.export.reproduce import as_comparison
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages.pairs import duel
from tiecore_dashboard.pages.pairs.answer import pairs_answer
from tiecore_dashboard.pages.ranking.columns import PRESETS
from tiecore_dashboard.pages.ranking.leaderboard import Leaderboard
from tiecore_dashboard.pages.ranking.report import report_of_values
from tiecore_dashboard.pages.ranking.shown import choose_columns, say, show_leaderboard
from tiecore_dashboard.results import cached


def _compared() -> tuple[Stability, pd.DataFrame]:
    """Let the measure be chosen where there are several, and compare; a fault of the values ends the page."""
    data = sources.current()
    tables = [file.values for file in data.files if file.values is not None]
    measures = list(dict.fromkeys(name for table in tables for name in table["measure"]))
    with st.sidebar:
        st.subheader("Settings", anchor=False)
        measure = st.selectbox("Measure", measures, key="values_measure") if len(measures) > 1 else measures[0]
        lower = st.toggle("Lower is better", key="values_lower", bind="query-params")
    with st.spinner("Comparing the features"):
        stable, values = cached.compared(data, measure or None, higher_is_better=not lower)
    names = words.in_html(words.enumerate_names([file.name for file in data.files]))
    sizes = [words.plural(stable.n_queries, stable.unit), words.plural(len(values), "feature")]
    line([f"<strong>{names}</strong>", *sizes, *[words.in_html(str(stable.measure))] * bool(measure)])
    return stable, values


def show_ranking() -> None:
    """Show the leaderboard; a click on a verdict opens the pair."""
    stable, _ = _compared()
    board = Board.of_stability(stable)
    say(board)
    board = show_leaderboard(Leaderboard(board, choose_columns(PRESETS[:2])), map(words.in_html, stable.notes)).board
    files, shows = [file.name for file in sources.current().files], "tiecore.board.Board.of_stability(found).rows"
    codes = partial(as_comparison, sources.current(), stable.measure, shows=shows, needs="tiecore.board")
    menu.offer_all(
        "ranking",
        str(stable.measure),
        codes,
        queries=stable.words["queries"],
        tables={"Leaderboard": board.rows},
        papers={"Leaderboard": partial(in_latex, board)},
        figures=figures_of(board, {}),
        report=lambda: report_of_values(board, files, codes()),
    )


def show_pairs() -> None:
    """Show all pairs, and one of them item by item."""
    stable, values = _compared()
    page.say(*pairs_answer(stable))
    shown = duel.show_pairs(stable, list(stable.places.index), partial(duel_of_values, values, stable))
    codes = partial(as_comparison, sources.current(), stable.measure, shows="found.pairs")
    menu.offer_all("pairs", str(stable.measure), codes, queries=stable.words["queries"], **shown)
