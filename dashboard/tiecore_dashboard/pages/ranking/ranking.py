"""Ranking: which features are really better, and what the tie-break did to their order."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import cast, get_args

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tiecore.board import board as board_of
from tiecore.diagnostics import anatomy
from tiecore.evaluation.intervals import needs_draws, query_interval
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import places
from tiecore.stability import Stability
from tiecore.stability.agreement import agreement
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import Figure, Look, label
from tiecore_dashboard.export import exports, offers
from tiecore_dashboard.export.figures import figures_of
from tiecore_dashboard.export.report import report
from tiecore_dashboard.pages.pairs.duel import recipe_of, show_duel, show_readings
from tiecore_dashboard.pages.ranking.answer import duplicates, movers, ranking_answer
from tiecore_dashboard.pages.ranking.charts import bump_chart, interval_chart, value_chart
from tiecore_dashboard.pages.ranking.courses import MOST_COLUMNS, courses_beside
from tiecore_dashboard.pages.ranking.leaderboard import PRESETS, Preset, Range, leaderboard_legend, leaderboard_table
from tiecore_dashboard.pages.ranking.slices import show_slices
from tiecore_dashboard.pages.ranking.tables import agreement_columns, for_paper
from tiecore_dashboard.pages.ranking.whose import show_whose
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part
from tiecore_dashboard.state.link import choose_number

ALIGNED = 20
"""Features up to which the chart of places stands beside the table, row by row; beyond it shows those that move."""
MOST_MOVERS = 40
MOST_VALUES = 1_000_000
"""Distinct scores that a filter may let through."""
SHOWN = "ranking_shown"
RANGES: tuple[Range, ...] = get_args(Range)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which features are shown."""

    search: str = ""
    top: int | None = None
    most_values: float | None = None
    hides: bool = False
    """Constant ones, and duplicates."""


def leaderboard(view: View, intervals: pd.DataFrame | None) -> pd.DataFrame:
    """Leaderboard with the ends of both intervals; the order of the rows is that of the expectation."""
    board = view.leaderboard
    ends = intervals[["low", "high"]] if intervals is not None else pd.DataFrame(columns=["low", "high"])
    board[["low", "high"]] = ends.reindex(board.index).astype(float)
    over_queries = cached.study(view, query_interval).reindex(board.index)
    return board.assign(query_low=over_queries["low"], query_high=over_queries["high"], se=over_queries["se"])


def with_sets(board: pd.DataFrame, stable: Stability) -> pd.DataFrame:
    """Add place sets, letters where there are any, and how often a feature is first under random tie-breaks."""
    names = {
        "low": "place_low", "high": "place_high", "low_all": "all_low", "high_all": "all_high", "letters": "letters",
        "first": "first",
    }  # fmt: skip
    found = stable.ranks.join(stable.places["first"])
    return board.join(found[[name for name in names if name in found]].rename(columns=names))


def with_verdicts(board: pd.DataFrame, stable: Stability) -> pd.DataFrame:
    """Add the verdict on each feature against that of the next row; the last has none."""
    names = list(board.index)
    following = dict(pairwise(names))
    found: dict[str, tuple[str, float, float]] = {}
    columns = ("leader", "trailer", "verdict", "tie_risk", "holm")
    pairs = zip(*(stable.pairs[column].tolist() for column in columns), strict=True)
    for leader, trailer, verdict, tie_risk, p in pairs:
        for upper, lower in ((leader, trailer), (trailer, leader)):
            if following.get(upper) == lower:
                found[upper] = (verdict, tie_risk, p)
    rows = [found.get(name, ("", np.nan, np.nan)) for name in names]
    return board.assign(**dict(zip(("verdict", "tie_risk", "p"), zip(*rows, strict=True), strict=True)))


def places_and_values(view: View, board: pd.DataFrame, *bounds: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Places among these features, and values: by expectation, under each tie-break, and in the cases wanted."""
    columns = ["expected", *view.tie_breaks, *bounds]
    better = view.measure.higher_is_better
    placed = {name: places(board[name].to_numpy(), higher_is_better=better) for name in columns}
    return pd.DataFrame(placed, index=board.index), board[columns]


def draw_intervals(view: View, board: pd.DataFrame, look: Look, highlighted: tuple[str, ...] = ()) -> Figure:
    """Draw ranges and tie-breaks of the view as a figure of its own."""
    return interval_chart(
        board,
        measure=str(view.measure),
        look=look,
        tie_breaks=view.tie_breaks,
        highlighted=highlighted,
        higher_is_better=view.measure.higher_is_better,
        close_up=True,
    )


def draw_values(view: View, board: pd.DataFrame, look: Look) -> Figure:
    """Draw values with their intervals, place sets and letters as a figure of its own."""
    return value_chart(board, measure=str(view.measure), look=look, higher_is_better=view.measure.higher_is_better)


def draw_courses(view: View, board: pd.DataFrame, look: Look, emphasised: tuple[str, ...] = ()) -> Figure:
    """Draw the bump chart of the view."""
    titles = {name: label(words.known_as(name), 22).replace(" ", "<br>", 1) for name in view.tie_breaks}
    return bump_chart(
        *places_and_values(view, board),
        look=look,
        emphasised=emphasised,
        titles={"expected": "expectation", **titles},
    )


def values_of(view: View) -> pd.Series:
    """Count the distinct scores of each feature."""
    with page.progress("Counting distinct scores", key=view.key) as report:
        found: pd.Series = cached.study(view, anatomy, cutoffs=(10,), progress=report)["values"]
    return found


def choose_filters(n_features: int) -> Filters:
    """Let the features that are shown be chosen; folded, for most boards are short."""
    with st.popover("Filter", icon=":material/filter_list:", width="content"):
        search = st.text_input("Name contains", key="ranking_search", bind="query-params")
        top = choose_number("Only the first k", key="ranking_top", highest=n_features, usual=None)
        most_values = choose_number(
            "Discrete only: at most so many distinct scores",
            key="ranking_values",
            highest=MOST_VALUES,
            usual=None,
            help="Features with few distinct scores, such as grades or counts, are those that ties matter to.",
        )
        hides = st.toggle("Hide constant and duplicate features", key="ranking_hide", bind="query-params")
    return Filters(search or "", None if top is None else int(top), most_values, hides)


def filtered(view: View, board: pd.DataFrame, filters: Filters, left_out: set[str]) -> pd.DataFrame:
    """Leave out the features that the user does not want to see; places stay those among all."""
    if filters.search:
        board = board[[filters.search.casefold() in str(name).casefold() for name in board.index]]
    if filters.most_values is not None:
        board = board[values_of(view).reindex(board.index) <= filters.most_values]
    if filters.hides:
        board = board[[name not in left_out for name in board.index]]
    return board if filters.top is None else board.head(filters.top)


def prepare(view: View) -> None:
    """Find verdicts and place sets where they take no time."""
    if SHOWN in st.session_state and not needs_draws(view.evaluation, view.measure):
        cached.stable(view)
    st.session_state[SHOWN] = True


def duplicates_of(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """Group the features that have the same values for every query."""
    return duplicates(evaluation.values[0], evaluation.features)


def agreed(view: View, board: pd.DataFrame, stable: Stability | None) -> pd.DataFrame:
    """How far the leaderboards agree with each other; that needs no chances, which may not be known."""
    if stable is not None:
        return stable.agreement
    placed, _ = places_and_values(view, board, "worst", "best")
    return agreement([str(name) for name in placed], placed.to_numpy().T)


@page.part
def show_agreement(view: View, board: pd.DataFrame, stable: Stability | None) -> None:
    """Show how far the leaderboards agree with each other, once the box is opened: tables take a browser a while."""
    box = st.expander("Rank correlation between orders", key="ranking_orders", on_change="rerun", bind="query-params")
    if not box.open:
        return
    table = agreed(view, board, stable)
    with box:
        page.table(
            table.rename(index=lambda name: "expectation" if name == "expected" else words.known_as(str(name)))
            .reset_index()
            .set_index("reference"),
            key="ranking_agreement",
            alt="Agreement of the leaderboards",
            columns=agreement_columns(),
        )


def show_table(
    view: View,
    board: pd.DataFrame,
    place: DeltaGenerator,
    look: Look,
    *,
    preset: Preset,
    shows: Range,
    beside: str = "",
) -> None:
    """Show the leaderboard at a place on the page, and what stands beside it; a second call replaces the first."""
    table = leaderboard_table(
        board,
        measure=str(view.measure),
        look=look,
        preset=preset,
        tie_breaks=view.tie_breaks,
        highlighted=page.highlighted(view),
        shows=shows,
        higher_is_better=view.measure.higher_is_better,
    )
    below = preset == PRESETS[0] and len(board) <= ALIGNED
    legend = leaderboard_legend(board, look=look, tie_breaks=view.tie_breaks, shows=shows) if below else ""
    place.html(f'<div class="side-by-side">{table}{beside}</div>{legend}')


def show_leaderboard(view: View, board: pd.DataFrame, stable: Stability | None) -> pd.DataFrame:
    """Show leaderboard and chart of places; return the board with all that was found for it."""
    look = page.look()
    flat = set(cached.flat(view))
    doubles = cached.study(view, duplicates_of) if len(board) > 1 else []
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="ranking_bar"):
        preset = cast("Preset", choose_part("Columns", PRESETS, key="ranking_columns", hides_label=True))
        shows: Range = RANGES[0]
        if preset == PRESETS[0] and (board["worst"] != board["best"]).any():
            is_wide = st.toggle(
                "Worst to best",
                key="ranking_range",
                bind="query-params",
                help="Also show the range from the worst to the best tie-breaking, as a thin line.",
            )
            shows = RANGES[1] if is_wide else RANGES[0]
        filters = choose_filters(len(board)) if len(board) > 1 else Filters()
        if len(board) > 1:
            page.highlight_bar(view)
        csv = st.container(width="content")
    shown = filtered(view, board, filters, flat | {name for group in doubles for name in group[1:]})
    if shown.empty:
        st.info("No feature passes the filter.", icon=":material/filter_list:")
        return board
    if stable is not None:
        shown = with_verdicts(shown, stable)
    moving = movers(shown, view.tie_breaks)
    marked = page.highlighted(view)
    fits = len(shown) <= ALIGNED and len(view.tie_breaks) < MOST_COLUMNS
    courses = ""
    if fits and preset == PRESETS[0] and moving:
        placed, values = places_and_values(view, shown)
        courses = courses_beside(placed, values, look=look, emphasised=marked or tuple(moving), named=moving)
    if len(shown) > ALIGNED:
        if preset == PRESETS[0]:  # what scrolls would hide it
            st.html(leaderboard_legend(shown, look=look, tie_breaks=view.tie_breaks, shows=shows))
        left = st.container(height=page.TALLEST, border=False)
        place = left.empty()
    else:
        place = st.empty()
    if stable is not None and len(board) > 1:
        board, shown = with_sets(board, stable), with_sets(shown, stable)
    show_table(view, shown, place, look, preset=preset, shows=shows, beside=courses)
    show_notes(board, shown, doubles, preset=preset)
    if not courses and preset != "numbers" and moving and len(shown) > 1:
        show_movers(view, shown, look, moving, marked)
    with csv:
        offers.offer_table(board, measure=str(view.measure), name="ranking", label="Leaderboard", text="CSV")
    return board


def show_movers(view: View, shown: pd.DataFrame, look: Look, moving: list[str], marked: tuple[str, ...]) -> None:
    """Show the chart of places below the table: of many features only those that move."""
    kept = set(moving[:MOST_MOVERS]) | set(marked)
    rows = shown[[name in kept for name in shown.index]] if len(shown) > ALIGNED else shown
    st.header("Places under each tie-break", anchor=False)
    if len(shown) > ALIGNED:
        which = "These" if len(moving) <= MOST_MOVERS else f"The {MOST_MOVERS} that move most"
        page.note(
            f"{words.count(len(moving))} of {words.count(len(shown))} features change place under a tie-break. "
            f"{which} are shown, with places counted among them alone."
        )
    page.chart(
        draw_courses(view, rows, look, marked or tuple(moving[: len(look.palette)])),
        key="ranking_courses",
        alt="Places of the features by expectation and under each tie-break",
        on_click="highlight",
        stem=f"places {view.measure}",
    )


def show_notes(board: pd.DataFrame, shown: pd.DataFrame, doubles: list[tuple[str, ...]], *, preset: Preset) -> None:
    """Say what is not shown, which features are the same, and what the verdicts and letters in the table mean."""
    notes = []
    if len(shown) < len(board):
        notes.append(f"Shown: {words.count(len(shown))} of {words.count(len(board))} features.")
    if doubles:
        groups = [" = ".join(map(words.in_html, group)) for group in doubles]
        notes.append(f"Same values for every query: {words.enumerate_names(groups, most=4)}.")
    found = set(shown["verdict"]) if "verdict" in shown and preset == "answer" else set()
    notes += [
        f"{mark} <em>{name}</em>: {words.MEANINGS[name]}." for name, mark in words.VERDICTS.items() if name in found
    ]
    if "letters" in shown and preset != "tie-breaks":
        notes.append('<span class="on-letters">Features that share a letter are not clearly different.</span>')
    if notes:
        st.html(f'<p class="notes columns-{preset}">{" ".join(notes)}</p>')


def offer_all(view: View, board: pd.DataFrame, intervals: pd.DataFrame | None, stable: Stability | None) -> None:
    """Offer tables, figures, report and code."""
    several = len(board) > 1
    orders = partial(agreed, view, board, stable)
    offers.offer(
        view,
        name="ranking",
        tables={"Leaderboard": board, **({"Agreement of the orders": orders} if several else {})},
        figures=figures_of(cached.study(view, board_of)),
        extras={
            "Report (HTML)": (
                exports.file_stem("report", str(view.measure)) + ".html",
                lambda: report(view, cached.study(view, board_of)),
                "text/html",
            ),
        },
        papers={"Leaderboard": lambda: in_latex(view, board)},
    )


def in_latex(view: View, board: pd.DataFrame) -> str:
    """Return the leaderboard as a table for a paper, with all that its caption must say."""
    measure = str(view.measure)
    columns = for_paper(
        board, measure=measure, tie_breaks=view.tie_breaks, higher_is_better=view.measure.higher_is_better
    )
    queries = words.plural(view.evaluation.alignment.n_queries, "query", "queries")
    caption = [f"{measure}, {queries}: exact expectation over all orders of tied documents, ± half of its 95 % "]
    caption.append("confidence interval over the queries.")
    if "letters" in board:
        caption.append(
            " Features that share a letter are not clearly different (paired tests, Holm, 0.05). Places: 95 % "
            "place set for other queries."
        )
    if view.tie_breaks:
        caption.append(" Under each tie-break: value (place).")
    return exports.latex_of(
        columns, caption="".join(caption), label=exports.file_stem("ranking", "leaderboard", measure)
    )


def show_two(view: View, board: pd.DataFrame, stable: Stability) -> None:
    """Show two features against each other: verdict, distributions, queries, numbers; no map and no filters."""
    pair = stable.pairs.iloc[0]
    page.say_verdict(pair)
    duel = show_duel(view, stable, pair)
    show_table(view, with_verdicts(board, stable), st.empty(), page.look(), preset="answer", shows=RANGES[0])
    show_readings(pair, stable)
    show_slices(view, stable)
    show_whose(view)
    offers.offer(
        view,
        name="ranking",
        tables={"Leaderboard": board, "Pair": stable.pairs} | duel.tables,
        papers={"Leaderboard": lambda: in_latex(view, board)},
        figures={**duel.figures, **figures_of(cached.study(view, board_of))},
        extras={
            "Report (HTML)": (
                exports.file_stem("report", str(view.measure)) + ".html",
                lambda: report(view, cached.study(view, board_of)),
                "text/html",
            )
        },
        recipe=recipe_of(stable, view),
    )


view = page.view(
    "Ranking", "Which features are really better, and what does the tie-break do to their order?", prepare=prepare
)
intervals, stable = page.intervals_and_stability(view)
board = leaderboard(view, intervals)
sentence, details = ranking_answer(board, tie_breaks=view.tie_breaks, stable=stable, flat=cached.flat(view))
page.say(sentence, details=details)
if len(board) == 2 and stable is not None:
    show_two(view, board, stable)
else:
    board = show_leaderboard(view, board, stable)
    if len(board) > 1:
        show_agreement(view, board, stable)
        show_slices(view, stable)
    show_whose(view)
    offer_all(view, board, intervals, stable)
