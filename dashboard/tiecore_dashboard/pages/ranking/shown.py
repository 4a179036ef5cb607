"""The leaderboard on a page, of scores and of values from elsewhere: sentence, columns, table."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from tiecore.board import Board
from tiecore.evaluation.result import Evaluation
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.frame import component
from tiecore_dashboard.pages.pairs.answer import written
from tiecore_dashboard.pages.pairs.overview import choose
from tiecore_dashboard.pages.ranking.columns import MOST_BESIDE
from tiecore_dashboard.pages.ranking.leaderboard import Leaderboard
from tiecore_dashboard.state.choices import choose_part
from tiecore_dashboard.state.link import keep_in_link

_ASSETS = Path(__file__).parent / "assets"
_PAIRS = "../pages/pairs/pairs.py"
ORDER = "ranking_order"
"""Key of the column that the table is sorted by; also the parameter of the link."""


def say(board: Board) -> None:
    """Show the answer."""
    sentence, *details = map(words.capitalised, board.headline(written(board.stability)))
    part = f"{words.count(len(board.rows))} of {words.count(board.total)} features are shown. "
    page.say(part * board.is_filtered + sentence, details)


def choose_columns(presets: Sequence[str]) -> str:
    """Let the columns of the table be chosen."""
    return choose_part("Columns", presets, key="ranking_columns", seen="collapsed")


def show_leaderboard(shown: Leaderboard, notes: Iterable[str]) -> Leaderboard:
    """Show the leaderboard with what its signs mean and ``notes``, HTML, and return it as it is sorted.

    A click on a title sorts it, one on a row highlights its feature, one on a verdict opens the pair.
    """
    order = st.session_state.setdefault(ORDER, st.query_params.get(ORDER, ""))
    keep_in_link(ORDER, [order], usual=[""])
    n_rows = len(shown.board.rows)
    where = st.empty()  # where many rows would hide what the signs mean
    table = component(_ASSETS, "leaderboard", html='<div class="board-root"></div>')
    clicked = table(
        key="ranking_table",
        data={"html": shown.in_html(page.look()), "order": order},
        on_order_change=lambda: st.session_state.update({ORDER: st.session_state["ranking_table"].order}),
        on_feature_change=lambda: page.toggle(*filter(None, [st.session_state["ranking_table"].feature])),
        on_pair_change=lambda: choose(shown.board.reference, st.session_state["ranking_table"].pair),
    )
    if clicked.pair:
        # the other parameters of the link return by themselves, as widgets are bound to them
        st.switch_page(_PAIRS, query_params={"pairs_one": shown.board.reference, "pairs_other": clicked.pair})
    ordered = shown.sorted_by(order)
    signs, others = ordered.notes(), "".join(f"<div>{note}</div>" for note in notes if note)
    if n_rows > MOST_BESIDE:
        where.html(f'<details><summary>What the signs mean</summary><div class="notes">{signs}</div></details>')
    st.html(f'<div class="notes">{signs * (n_rows <= MOST_BESIDE)}{others}</div>')
    return ordered


def duplicates(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """Group the features that have the same values for every query, but for the last digits, in their order."""
    groups: dict[bytes, list[str]] = {}
    for own, name in zip(evaluation.values.array[0], evaluation.features, strict=True):
        groups.setdefault((np.round(own, 12) + 0.0).tobytes(), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]
