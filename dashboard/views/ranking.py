"""Ranking: which features are really better, and what the tie-break did to their order."""

import pandas as pd
import streamlit as st

from dashboard import answers, exports, page, words
from dashboard.cached import View
from dashboard.figures.look import Figure, Look, marks_of
from dashboard.figures.ranking import bump_chart, interval_cell, interval_chart
from dashboard.report import report
from tiecore.evaluation import places
from tiecore.stability import COLUMNS, Stability

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
    order = ["place", "spread", "expected", "sd", "low", "high", "worst", "best"]
    number = st.column_config.NumberColumn
    columns = {
        "feature": st.column_config.TextColumn("Feature", pinned=True, width=150),
        "place": number(
            "Place", help="Place by expectation; equal features share a place.", width="small", format="%d"
        ),
        "spread": st.column_config.ImageColumn(
            "Spread", help="Light: worst to best case. Dark: 95 % of random tie-breaks. Dot: expectation.", width=205
        ),
        "expected": number("Expected", help="Exact mean over all orders of tied documents.", format="%.4f"),
        "sd": number("SD", help="Standard deviation of the mean over queries under random tie-breaks.", format="%.4f"),
        "low": number("95 % from", help="95 % of random tie-breaks give a value from here …", format="%.4f"),
        "high": number("to", help="… to here.", format="%.4f"),
        "worst": number("Worst", help="The least favourable order of every tie.", format="%.4f"),
        "best": number("Best", help="The most favourable order of every tie.", format="%.4f"),
    }
    for name, mark in marks_of(view.tie_breaks, look).items():
        meaning = words.in_markdown(words.of_tie_break(name))
        columns[name] = number(f"{mark.glyph} {name}", help=f"Value under this tie-break. {meaning}", format="%.4f")
        columns[f"{name} place"] = number(
            "place", help=f"Place under {words.in_markdown(name)}.", format="%d", width="small"
        )
        columns[f"{name} shift"] = number(
            "shift", help="Places gained by this tie-break against the expectation.", format="%+d", width="small"
        )
        order += [name, f"{name} place", f"{name} shift"]
    page.feature_table(view, shown[order], key="ranking_table", columns=columns, alt="Leaderboard of the features")


def show_agreement(stable: Stability) -> None:
    """Show how far the leaderboards agree with each other."""
    with st.expander("How far the orders agree"):
        agreement = stable.agreement.reset_index()
        coefficient = st.column_config.NumberColumn
        page.table(
            agreement.set_index("reference"),
            key="ranking_agreement",
            alt="Agreement of the leaderboards",
            columns={
                "reference": st.column_config.TextColumn("Order", help=COLUMNS["reference"], pinned=True),
                "other": st.column_config.TextColumn("compared with", help=COLUMNS["other"]),
                "kendall_tau": coefficient("Kendall’s τ", help=COLUMNS["kendall_tau"], format="%.3f"),
                "tau_ap": coefficient("τ AP", help=COLUMNS["tau_ap"], format="%.3f"),
                "spearman": coefficient("Spearman’s ρ", help=COLUMNS["spearman"], format="%.3f"),
                "n_swapped": coefficient("Swapped pairs", help=COLUMNS["n_swapped"], format="%d"),
            },
        )


view = page.begin(
    "Ranking", "Which features are really better, and what did the tie-break do to their order?", least_features=1
)
intervals, stable = page.drawn(view, tests=False)
board = leaderboard(view, intervals)
sentence, details = answers.ranking_answer(board, tie_breaks=view.tie_breaks, stable=stable)
page.say(sentence, details=details)

look = page.look()
marked = page.highlighted(view)
emphasised = marked or tuple(answers.contenders(board, view.tie_breaks))[: len(look.palette)]
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
left, right = st.columns([3, 2], gap="small")
with left:
    page.chart(
        draw_intervals(view, board, look, marked, close_up=close_up),
        key="ranking_intervals",
        alt=f"Range, central interval and expectation of {view.measure} for each feature",
        on_click="highlight",
        stem=f"ranking {view.measure}",
    )
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
    "Dot: expectation, the exact mean over all orders of tied documents. Click on a feature to follow it."
)
page.highlight_bar(view)
show_table(view, board, look)
if stable is not None and len(board) > 1:
    show_agreement(stable)
page.offer(
    view,
    name="ranking",
    tables={"Leaderboard": board} | ({} if stable is None else {"Agreement of the orders": stable.agreement}),
    figures={
        "Ranges": lambda look: draw_intervals(view, board, look, marked, close_up=close_up),
        "Places": lambda look: draw_courses(view, board, look, emphasised),
    },
    extras={
        "Report (HTML)": (
            exports.file_stem("report", str(view.measure)) + ".html",
            lambda: report(view, intervals=intervals, stable=stable),
            "text/html",
        ),
        "Leaderboard (LaTeX)": (
            exports.file_stem("leaderboard", str(view.measure)) + ".tex",
            lambda: exports.as_latex(board, caption=f"{view.measure} of each feature"),
            "text/x-tex",
        ),
    },
)
