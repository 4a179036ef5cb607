"""Ranking: which features are really better, and what the tie-break did to their order."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pandas as pd
import streamlit as st

from tiecore.board import Board
from tiecore.diagnostics import anatomy
from tiecore.evaluation.result import Evaluation
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.frame import component
from tiecore_dashboard.export import exports, offers
from tiecore_dashboard.export.figures import figures_of
from tiecore_dashboard.export.report import report
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages import measured
from tiecore_dashboard.pages.pairs.answer import HTML, pairs_in_latex
from tiecore_dashboard.pages.pairs.duel import recipe_of, show_duel, show_readings
from tiecore_dashboard.pages.ranking.charts import MOST_COLOURED, places_chart
from tiecore_dashboard.pages.ranking.leaderboard import PRESETS, Preset, leaderboard_table, shows_places
from tiecore_dashboard.pages.ranking.tables import duplicates, in_latex
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_one, choose_part
from tiecore_dashboard.state.link import choose_number

PAIRS = "../pages/pairs/pairs.py"
ASSETS = Path(__file__).parent / "assets"
MOST_VALUES = 1_000_000
"""Distinct scores that a filter may let through."""
MOST_NAMED = 4
"""Features of the same values that are named."""
ELSEWHERE = ("P@10", "AP", "RR", "nDCG@10")
"""Measures under which the order is compared with that of the chosen one."""
SLICES = {"other measures": "", "relevant documents": "relevant", "list length": "length", "share tied": "tied"}
"""Under what else the order may be looked at, and what tiecore calls the slices of the queries."""
NO_FILTER = {"ranking_search": "", "ranking_top": None, "ranking_values": None, "ranking_hide": False}


@dataclass(frozen=True, slots=True)
class Filters:
    """Which features are shown."""

    search: str = ""
    top: int | None = None
    most_values: float | None = None
    hides: bool = False
    """Constant ones, and duplicates."""


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


def filtered(view: View, board: Board, filters: Filters, left_out: set[str]) -> Board | None:
    """Leave out the features that the user does not want to see; None where none is left."""
    names = [name for name in board.names if filters.search.casefold() in name.casefold()]
    if filters.most_values is not None:
        with page.progress("Counting distinct scores", key=view.key) as told:
            values = cached.study(view, anatomy, cutoffs=(10,), progress=told)["values"]
        names = [name for name in names if values[name] <= filters.most_values]
    if filters.hides:
        names = [name for name in names if name not in left_out]
    names = names[: filters.top]
    if not names:
        return None
    return board if len(names) == len(board.names) else board.only(names)


def duplicates_of(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """Group the features that have the same values for every query."""
    return duplicates(evaluation.values[0], evaluation.features)


def say(board: Board) -> None:
    """Show the answer; above it what is left out, if anything is."""
    if board.is_filtered:
        st.button(
            f"Filtered: {words.count(len(board.rows))} of {words.count(board.total)} ✕",
            key="ranking_filtered",
            on_click=lambda: st.session_state.update(NO_FILTER),
            help="Show all features again.",
        )
    sentence, *details = board.headline(HTML)
    page.say(words.capitalised(sentence), details=[words.capitalised(detail) for detail in details])


def elsewhere(view: View, board: Board) -> dict[str, Board]:
    """Return the boards of the same features under other measures, or in parts of the queries."""
    by = choose_one("Compare with", list(SLICES), key="ranking_elsewhere", width=260)
    own = {f"{view.measure}, all queries" if SLICES[by] else str(view.measure): board}
    if SLICES[by]:
        with page.progress("Comparing features in parts of the queries", of="steps", key=(view.key, by)) as told:
            parts = cached.slices(view, SLICES[by], progress=told).parts
        page.note(
            "Fewer queries find fewer differences: what is clear in one part and open in another need not differ."
        )
        found = {f"{name}, {part.n_queries} queries": Board.of_stability(part) for name, part in parts.items()}
    else:
        with page.progress("Evaluating other measures", key=(view.key, ELSEWHERE)) as told:
            found = {
                name: cached.board(cached.with_measure(view, name, progress=told), progress=told)
                for name in ELSEWHERE
                if name != str(view.measure)
            }
    say_whether_it_holds(board, found)
    return own | {name: other.only(board.names) for name, other in found.items()}


def say_whether_it_holds(board: Board, found: dict[str, Board]) -> None:
    """Say under what else the same feature leads, and where another one does."""
    leader = board.names[0]
    leads = {name: other.only(board.names).names[0] for name, other in found.items()}
    same = [words.in_markdown(name) for name, first in leads.items() if first == leader]
    others = [
        f"{words.in_markdown(first)} ({words.in_markdown(name)})" for name, first in leads.items() if first != leader
    ]
    said = f"**{words.in_markdown(leader)}** leads under {words.enumerate_names(same)} too" if same else ""
    instead = f"{'elsewhere lead' if same else 'Here lead'} {words.enumerate_names(others)}" if others else ""
    page.note("; ".join(filter(None, [said, instead])) + ".")


def show_table(view: View, board: Board, preset: Preset) -> None:
    """Show the leaderboard; a click on a row highlights its feature, one on a verdict opens the pair."""
    others = elsewhere(view, board) if preset == PRESETS[2] else {}
    html = leaderboard_table(board, look=page.look(), preset=preset, highlighted=page.highlighted(view), others=others)
    table = component(ASSETS, "leaderboard", html='<div class="board-root"></div>')
    clicked = table(
        key="ranking_table", data={"html": html}, on_feature_change=highlight_clicked, on_pair_change=lambda: None
    )
    if clicked.pair:
        st.session_state["pairs_one"], st.session_state["pairs_other"] = board.reference, clicked.pair
        # without parameters it refuses to clear those of the link that widgets are bound to, which return by themselves
        st.switch_page(PAIRS, query_params={})


def highlight_clicked() -> None:
    """Highlight the feature whose row was clicked on, or no longer."""
    if feature := st.session_state["ranking_table"].feature:
        page.toggle(feature)


def show_places(view: View, board: Board) -> None:
    """Show what each tie-break does to the order, where the rows of the table have no room for it."""
    st.header("Places under each tie-break", anchor=False)
    if len(moving := board.movers()) > MOST_COLOURED and not page.highlighted(view):
        page.note(
            f"{words.count(len(moving))} of {words.count(len(board.rows))} features change place. Those that a "
            "tie-break puts first, and those that move farthest, have a colour; a click gives one to others instead."
        )
    page.chart(
        places_chart(board, look=page.look(), highlighted=page.highlighted(view)),
        key="ranking_courses",
        alt="Places of the features by expectation and under each tie-break",
        on_click="highlight",
        stem=f"places {view.measure}",
    )


def show_notes(board: Board, doubles: list[tuple[str, ...]], flat: list[str]) -> None:
    """Say what values and verdicts are for those who are new here, and which features order nothing or the same."""
    notes = ["Documents with equal scores have no order of their own: values are averages over all orders."]
    excludes_zero = (board.rows["behind_low"] > 0) | (board.rows["behind_high"] < 0)
    if (excludes_zero & (board.rows["verdict"] == "open")).any():
        notes.append(
            "Each interval is for its pair alone, while verdicts allow for all pairs that are compared: "
            "a difference can be open although its interval excludes 0."
        )
    if flat:
        are = (
            "is constant within each query: it orders"
            if len(flat) == 1
            else "are constant within each query: they order"
        )
        notes.append(f"{words.enumerate_names([words.bold(name) for name in flat])} {are} nothing.")
    if doubles:
        groups = [
            " = ".join(map(words.in_html, group[:MOST_NAMED]))
            + (f" = {words.count(len(group) - MOST_NAMED)} more" if len(group) > MOST_NAMED else "")
            for group in doubles
        ]
        notes.append(f"Same values for every query: {words.enumerate_names(groups, most=4)}.")
    st.html(f'<p class="notes">{" ".join(notes)}</p>')


def offer(view: View, shown: Board, board: Board) -> None:
    """Offer tables, figures, report and code: of what is shown, unless all is wanted."""
    if shown.is_filtered and st.toggle(f"Export all {board.total} features instead of {len(shown.rows)}"):
        shown = board
    stem = exports.file_stem("report", str(view.measure))
    tables: dict[str, pd.DataFrame | Callable[[], pd.DataFrame]] = {"Leaderboard": shown.rows}
    if len(shown.rows) > 1:
        tables |= {"Pairs": shown.pairs, "Agreement of the orders": lambda: board.stability.agreement}
    offers.offer(
        view,
        name="ranking",
        tables=tables,
        extras={"Report (HTML)": (f"{stem}.html", lambda: report(view, shown), "text/html")},
        papers=papers_of(shown),
        figures=figures_of(shown),
    )


def papers_of(board: Board) -> dict[str, Callable[[], str]]:
    """Return the tables that have a form of their own in a paper."""
    return {
        "Leaderboard": lambda: in_latex(board),
        "Pairs": lambda: pairs_in_latex(board.pairs, str(board.measure)),
    }


def show_two(view: View, board: Board) -> None:
    """Show two features against each other: the difference first, then the table."""
    duel = show_duel(view, board.stability, board.stability.pairs.iloc[0])
    show_table(view, board, PRESETS[0])
    show_readings(board.stability.pairs.iloc[0], board.stability)
    offers.offer(
        view,
        name="ranking",
        tables={"Leaderboard": board.rows, "Pairs": board.pairs} | duel.tables,
        papers=papers_of(board),
        figures={**duel.figures, **figures_of(board)},
        recipe=recipe_of(board.stability, view),
    )


def show_all(view: View, board: Board) -> None:
    """Show the leaderboard with its filters, and what belongs to it."""
    flat = [name for name in cached.flat(view) if name in board.names]
    doubles = cached.study(view, duplicates_of) if len(board.rows) > 1 else []
    answer, filters = st.container(), Filters()
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="ranking_bar"):
        several = len(board.rows) > 1
        presets = PRESETS if several else PRESETS[:2]
        preset = cast("Preset", choose_part("Columns", presets, key="ranking_columns", hides_label=True))
        if several:
            filters = choose_filters(len(board.rows))
            page.highlight_bar(view)
        csv = st.container(width="content")
    shown = filtered(view, board, filters, {*flat, *(name for group in doubles for name in group[1:])})
    if shown is None:
        st.info("No feature passes the filter.", icon=":material/filter_list:")
        return
    with answer:
        say(shown)
    show_table(view, shown, preset)
    show_notes(shown, doubles, flat)
    if shown.movers() and len(shown.rows) > 1 and not shows_places(shown):
        show_places(view, shown)
    with csv:
        offers.offer_table(shown.rows, measure=str(view.measure), name="ranking", label="Leaderboard", text="CSV")
    offer(view, shown, board)


if sources.current().is_measured:
    page.head("Ranking", "Which systems are really better?")
    measured.show_ranking()
    st.stop()
view = page.view("Ranking", "Which features are really better, and what does the tie-break do to their order?")
with page.progress("Drawing random tie-breaks", key=view.key) as told:
    board = cached.board(view, progress=told)
if len(board.rows) == 2:
    say(board)
    show_two(view, board)
else:
    show_all(view, board)
