"""Ranking: which features are really better, and what the tie-break did to their order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from tiecore.board import Board, Duel
from tiecore.board.latex import in_latex, others_in_latex, side_by_side, ties_in_latex
from tiecore.board.lines import lines_of_places
from tiecore.diagnostics import flat_features
from tiecore.measures import measure
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.strip import few_judged
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.figures import figures_of
from tiecore_dashboard.export.reproduce import LEADERBOARD
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages import measured
from tiecore_dashboard.pages.pairs.answer import by_need, pairs_in_latex
from tiecore_dashboard.pages.pairs.duel import duel_of, show_duel, taken_away
from tiecore_dashboard.pages.pairs.overview import show_readings
from tiecore_dashboard.pages.ranking.charts import places_chart
from tiecore_dashboard.pages.ranking.columns import PRESETS, shows_places
from tiecore_dashboard.pages.ranking.leaderboard import MOST_OPEN, Leaderboard
from tiecore_dashboard.pages.ranking.report import report
from tiecore_dashboard.pages.ranking.shown import ORDER, choose_columns, duplicates, say, show_leaderboard
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.link import choose_number

ELSEWHERE = ("P@10", "AP", "RR", "nDCG@10")
"""Measures under which the order is compared with that of the chosen one."""
NO_FILTER = {"ranking_search": "", "ranking_top": None, "ranking_hide": False}


def filtered(board: Board, left_out: set[str]) -> Board | None:
    """Let the features that are shown be chosen; folded, for most boards are short; None where none is left."""
    with st.popover("Filter", icon=":material/filter_list:", width="content"):
        search = st.text_input(
            "Name contains", key="ranking_search", bind="query-params", placeholder="Parts of names, with commas"
        )
        top = choose_number("Best n features", key="ranking_top", highest=len(board.rows), usual=None)
        hides = st.toggle("Hide constant and duplicate features", key="ranking_hide", bind="query-params")
    wanted = [part for one in (search or "").split(",") if (part := one.strip().casefold())] or [""]
    names = [name for name in board.names if any(part in name.casefold() for part in wanted)]
    names = [name for name in names if not (hides and name in left_out)][: None if top is None else int(top)]
    return board if len(names) == len(board.names) else board.only(names) if names else None


def elsewhere(view: View, board: Board, shown: Board) -> dict[str, Board]:
    """Return the boards of all features under other measures, and say whether the same feature leads there."""
    with page.progress("Evaluating other measures", key=(view.key, ELSEWHERE)) as told:
        others = [measure(name) for name in ELSEWHERE if name != str(view.measure)]
        views = [cached.view(view.dataset, replace(view.settings, measure=one), progress=told) for one in others]
        found = {str(other.measure): cached.board(other, progress=told) for other in views}
    leads = {shown.names[0]: list[str]()}
    for name, other in found.items():
        leads.setdefault(other.only(shown.names).names[0], []).append(words.in_markdown(name))
    said = [
        f"**{words.in_markdown(first)}** leads under {words.enumerate_names(names)}{' too' * (first == shown.names[0])}"
        for first, names in leads.items()
        if names
    ]
    page.note(f"{'; '.join(said)}.")
    return {called(view.measure): board} | found


def show_places(board: Board) -> None:
    """Show what each tie-break does to the order, where the rows of the table have no room for it."""
    st.header("Places under each tie-break", anchor=False)
    (coloured, which), drawn = board.in_colour(), board
    moved = f"{words.count(len(board.movers))} of {words.count(len(board.rows))} features change place."
    told = f"In colour: {which}; a click highlights others instead."
    if len(board.rows) > MOST_OPEN:  # what moves would be far below, among lines that tell nothing
        drawn, told = board.only(coloured), f"Drawn: {which}; all places are in the export."
    page.note(f"{moved} {told} {lines_of_places(drawn.places, drawn.total)}")
    page.chart(
        places_chart(drawn, look=page.look(), colours=page.colours(board.coloured, coloured), screen=page.width()),
        key="ranking_places",
        alt="Places of the features by expectation and under each tie-break",
        on_click=page.highlight_clicked,
    )


def special(view: View, names: Sequence[str], doubles: list[tuple[str, ...]], flat: list[str]) -> Iterator[str]:
    """Yield what is to be known of the features that are shown, ``names``; HTML."""
    hidden = {*view.features} - {*names}
    strays = [note for name, note in view.dataset.strays.items() if name not in hidden]
    yield from map(words.in_html, [few_judged(view, names, is_warning=False), *strays])
    if flat := [name for name in flat if name in names]:
        named = words.enumerate_names([words.bold(name, view.features) for name in flat])
        yield f"Constant within each query, and so without an order: {named}."
    groups = [words.enumerate_names([*map(words.bold, group)]) for group in doubles if {*group} - hidden]
    if groups:
        yield f"Same values for every query: {'; '.join(groups[:4])}{'; and others' * (len(groups) > 4)}."


def offer(view: View, table: Leaderboard, board: Board, duel: Duel | None) -> None:
    """Offer tables, figures, report and code: of what is shown, sorted and marked as it is, unless all is wanted."""
    shown, others = table.board, table.others or {}
    if shown.is_filtered and st.toggle(f"Export all {board.total} features instead of {len(shown.rows)}"):
        shown = replace(table, board=board).sorted_by(st.session_state[ORDER]).board
    tables = {"Leaderboard": shown.rows}
    papers: dict[str, Callable[..., str]] = {"Leaderboard": partial(in_latex, shown)}
    if others:
        tables["Other measures"] = side_by_side(shown, others)
        papers["Other measures"] = partial(others_in_latex, shown, others)
    if shown.marked:
        marks = np.where(shown.rows.index.isin(shown.marked), "yes", "")
        tables = {label: rows.assign(Highlighted=marks) for label, rows in tables.items()}
    if shown.movers:
        papers["Tie-breaks"] = partial(ties_in_latex, shown)
    if len(shown.rows) > 1:
        tables["Pairs"] = by_need(shown.pairs)
        papers["Pairs"] = partial(pairs_in_latex, shown.pairs, board.stability)
    only = f"evaluation.board({{measure}}).only({sorted(shown.rows.index)})"
    of_some = replace(LEADERBOARD, shows=[f'{only}.rows.loc[:, :"holm"]'], command_gives="The numbers of all features")
    own_tables, own_figures = taken_away(duel, board.coloured)
    colours = page.colours(board.coloured, on=LIGHT)
    menu.offer(
        view,
        name="ranking",
        recipe=of_some if shown.is_filtered else LEADERBOARD,
        of=f"{len(shown.rows)} of {shown.total}" * shown.is_filtered,  # in the names of files
        tables=tables | own_tables,
        report=partial(report, view, shown, colours, others),
        papers=papers,
        figures=own_figures | figures_of(shown, colours),
    )


def show(view: View, board: Board) -> None:
    """Show the leaderboard with its filters, and what belongs to it; of two features their difference first."""
    flat = [name for name in cached.study(view, flat_features) if name in board.names]
    doubles = cached.study(view, duplicates) if len(board.rows) > 1 else []
    shown: Board | None = board
    answer, duel = st.container(), duel_of(view, board)
    show_duel(duel, board.coloured, view=view)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="ranking_bar"):
        preset = choose_columns(PRESETS if len(board.rows) > 1 else PRESETS[:2])
        if len(board.rows) > 2:
            shown = filtered(board, {*flat, *(name for group in doubles for name in group[1:])})
        if board.highlighted:
            named = words.in_markdown(words.enumerate_names([*map(words.cut, board.highlighted)], most=2))
            ends = " A click on the row ends it." * (shown is not None and {*board.highlighted} <= {*shown.names})
            page.note(f"Highlighted in every picture: {named}.{ends}")
    if shown is None:
        st.info("No feature passes the filter.", icon=":material/filter_list:")
        return
    with answer:
        if shown.is_filtered:
            st.button(
                f"Filtered: {words.count(len(shown.rows))} of {words.count(shown.total)} ✕",
                key="ranking_filtered",
                on_click=lambda: st.session_state.update(NO_FILTER),
                help="Show all features again.",
            )
        say(shown)
    others = elsewhere(view, board, shown) if preset == PRESETS[2] else {}
    table = show_leaderboard(Leaderboard(shown, preset, others), special(view, shown.names, doubles, flat))
    if len(board.rows) == 2:
        show_readings(board.pairs.iloc[0], board.stability)
    elif shown.movers and not shows_places(shown):
        show_places(shown.in_order())
    offer(view, table, board, duel)


if sources.current().is_measured:
    page.head("Ranking", "Which features are really better?")
    measured.show_ranking()
    st.stop()
view = page.view(
    "Ranking",
    'Which features are really better<span class="wide">, and which only by how equal scores were ordered</span>?',
    alone="How good is the feature, and what do ties leave open?",
)
board = page.work("Drawing random tie-breaks", view, cached.board)
show(view, replace(board, highlighted=page.highlighted(view)))
