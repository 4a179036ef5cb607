"""Ranking: which features are really better, and what the tie-break did to their order."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from tiecore.evaluation.values import places
from tiecore.stability import Stability
from tiecore.stability.agreement import agreement
from tiecore_dashboard.answers.ranking import contenders, ranking_answer
from tiecore_dashboard.compute import cached
from tiecore_dashboard.compute.cached import View
from tiecore_dashboard.figures.look import Figure, Look, marks_of
from tiecore_dashboard.figures.ranking import bump_chart, interval_cell, interval_chart
from tiecore_dashboard.share import exports, offers
from tiecore_dashboard.share.report import report
from tiecore_dashboard.tables.ranking import agreement_columns, board_columns, for_paper
from tiecore_dashboard.ui import page

BOUNDS = ("worst", "expected", "best")
TITLES = {"worst": "worst case", "expected": "expectation", "best": "best case"}


def leaderboard(view: View, intervals: pd.DataFrame | None) -> pd.DataFrame:
    """Leaderboard with the ends of the central interval; the order of the rows is that of the expectation."""
    board = view.leaderboard
    ends = intervals[["low", "high"]] if intervals is not None else pd.DataFrame(columns=["low", "high"])
    board[["low", "high"]] = ends.reindex(board.index).astype(float)
    return board


def courses(view: View, board: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Places and values under the worst case, each tie-break, the expectation and the best case."""
    columns = ["worst", *view.tie_breaks, "expected", "best"]
    better = view.measure.higher_is_better
    placed = {name: places(board[name].to_numpy(), higher_is_better=better) for name in columns}
    return pd.DataFrame(placed, index=board.index), board[columns]


def draw_intervals(
    view: View, board: pd.DataFrame, look: Look, highlighted: tuple[str, ...] = (), *, close_up: bool = False
) -> Figure:
    """Draw the signature chart of the view."""
    return interval_chart(
        board,
        measure=str(view.measure),
        look=look,
        tie_breaks=view.tie_breaks,
        highlighted=highlighted,
        higher_is_better=view.measure.higher_is_better,
        close_up=close_up,
    )


def draw_courses(view: View, board: pd.DataFrame, look: Look, emphasised: tuple[str, ...] = ()) -> Figure:
    """Draw the bump chart of the view."""
    return bump_chart(*courses(view, board), look=look, emphasised=emphasised, titles=TITLES)


def show_table(view: View, board: pd.DataFrame, look: Look) -> None:
    """Show the leaderboard with an interval in each row."""
    bounds = board[["worst", "best"]].to_numpy()
    ends = float(bounds.min()), float(bounds.max())
    if not view.measure.higher_is_better:
        ends = ends[::-1]
    shown = board.copy()
    shown.insert(
        1,
        "spread",
        [
            interval_cell(*row, ends=ends, look=look)
            for row in board[["expected", "worst", "best", "low", "high"]].itertuples(index=False, name=None)
        ],
    )
    columns = board_columns(marks_of(view.tie_breaks, look))
    page.feature_table(
        view,
        shown[[name for name in columns if name in shown]],
        key="ranking_table",
        columns=columns,
        alt="Leaderboard of the features",
    )


def agreed(view: View, board: pd.DataFrame, stable: Stability | None) -> pd.DataFrame:
    """How far the leaderboards agree with each other; that needs no chances, which may not be known."""
    if stable is not None:
        return stable.agreement
    placed, _ = courses(view, board)
    order = ["expected", *view.tie_breaks, "worst", "best"]
    return agreement(order, placed[order].to_numpy().T)


def show_agreement(table: pd.DataFrame) -> None:
    """Show how far the leaderboards agree with each other."""
    with st.expander("How far the orders agree"):
        page.table(
            table.reset_index().set_index("reference"),
            key="ranking_agreement",
            alt="Agreement of the leaderboards",
            columns=agreement_columns(),
        )


view = page.begin(
    "Ranking", "Which features are really better, and what did the tie-break do to their order?", least_features=1
)
intervals, stable = page.drawn(view)
board = leaderboard(view, intervals)
sentence, details = ranking_answer(board, tie_breaks=view.tie_breaks, stable=stable, flat=cached.flat(view))
page.say(sentence, details=details)

look = page.look()
marked = page.highlighted(view)
emphasised = marked or tuple(contenders(board, view.tie_breaks))[: len(look.palette)]
charts = st.container()
close_up = (
    st.segmented_control(
        "Axis",
        ["whole range", "close-up"],
        default="whole range",
        required=True,
        key="axis",
        bind="query-params",
        label_visibility="collapsed",
        help="The close-up leaves out worst and best cases far away from everything else.",
    )
    == "close-up"
)
left, right = charts.columns([3, 2], gap="small") if len(board) > 1 else (charts, None)
with left:
    page.chart(
        draw_intervals(view, board, look, marked, close_up=close_up),
        key="ranking_intervals",
        alt=f"Range, central interval and expectation of {view.measure} for each feature",
        on_click="highlight",
        stem=f"ranking {view.measure}",
    )
if right is not None:
    with right:
        page.chart(
            draw_courses(view, board, look, emphasised),
            key="ranking_courses",
            alt="Places of the features under each way of breaking ties",
            on_click="highlight",
            stem=f"places {view.measure}",
        )
page.note(
    "Light bar: from the worst to the best case that ties allow. Dark bar: where 95 % of random tie-breaks land. "
    "Dot: expectation, the exact mean over all orders of tied documents."
    + (" Click on a feature to follow it." if len(board) > 1 else "")
)
with st.container(horizontal=True, gap="small"):
    if len(board) > 1:
        page.highlight_bar(view)
    offers.offer_table(board, measure=str(view.measure), name="ranking", label="Leaderboard", text="CSV")
show_table(view, board, look)
agreeing = agreed(view, board, stable)
if len(board) > 1:
    show_agreement(agreeing)
figures: dict[str, Callable[[Look], Figure]] = {
    "Ranges": lambda look: draw_intervals(view, board, look, marked, close_up=close_up)
}
if len(board) > 1:
    figures["Places"] = lambda look: draw_courses(view, board, look, emphasised)
offers.offer(
    view,
    name="ranking",
    tables={"Leaderboard": board} | ({"Agreement of the orders": agreeing} if len(board) > 1 else {}),
    pictures={"Ranges": "ranking_intervals"} | ({"Places": "ranking_courses"} if len(board) > 1 else {}),
    figures=figures,
    extras={
        "Report (HTML)": (
            exports.file_stem("report", str(view.measure)) + ".html",
            lambda: report(view, intervals=intervals, stable=stable),
            "text/html",
        ),
        "Leaderboard (LaTeX)": (
            exports.file_stem("leaderboard", str(view.measure)) + ".tex",
            lambda: exports.as_latex(
                for_paper(board, view.tie_breaks),
                caption=f"{view.measure} of each feature: exact expectation over all orders of tied documents, its "
                "standard deviation, worst and best case, and the value and place under each tie-break.",
            ),
            "text/x-tex",
        ),
    },
)
