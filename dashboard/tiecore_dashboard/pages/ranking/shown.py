"""The leaderboard on a page, of scores and of values from elsewhere: sentence, columns, table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import streamlit as st

from tiecore.board import Board
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.frame import component
from tiecore_dashboard.pages.pairs.answer import written
from tiecore_dashboard.pages.ranking.leaderboard import MOST_OPEN, Preset, as_sorted, leaderboard_table
from tiecore_dashboard.state.choices import choose_part
from tiecore_dashboard.state.link import keep_in_link

_ASSETS = Path(__file__).parent / "assets"
_PAIRS = "../pages/pairs/pairs.py"
ORDER = "ranking_order"
"""Key of the column that the table is sorted by; also the parameter of the link."""


def say(board: Board) -> None:
    """Show the answer."""
    sentence, *details = map(words.capitalised, board.headline(written(board.stability)))
    page.say(sentence, details=details)


def choose_columns(presets: Sequence[Preset]) -> Preset:
    """Let the columns of the table be chosen."""
    return cast("Preset", choose_part("Columns", presets, key="ranking_columns", hides_label=True))


def show_leaderboard(board: Board, preset: Preset, *, others: Mapping[str, Board] | None = None) -> Board:
    """Show the leaderboard, and return it as it is sorted.

    A click on a title sorts it, one on a row highlights its feature, one on a verdict opens the pair.
    """
    order = st.session_state.setdefault(ORDER, st.query_params.get(ORDER, ""))
    keep_in_link(ORDER, [order], usual=[""])
    html = leaderboard_table(board, look=page.look(), preset=preset, others=others)
    table = component(_ASSETS, "leaderboard", html='<div class="board-root"></div>')
    clicked = table(
        key="ranking_table",
        data={"html": html, "order": order},
        on_order_change=lambda: st.session_state.update({ORDER: st.session_state["ranking_table"].order}),
        on_feature_change=lambda: page.toggle(*filter(None, [st.session_state["ranking_table"].feature])),
        on_pair_change=lambda: None,
    )
    if (n_rows := len(board.rows)) > MOST_OPEN:
        page.note(f"The table scrolls: {n_rows} rows.")
    if clicked.pair:
        # the other parameters of the link return by themselves, as widgets are bound to them
        st.switch_page(_PAIRS, query_params={"pairs_one": board.reference, "pairs_other": clicked.pair})
    return as_sorted(board, order, preset=preset, others=others)


def show_notes(notes: Sequence[str]) -> None:
    """Show what values and verdicts are; HTML."""
    st.html(f'<div class="notes">{" ".join(notes)}</div>')
