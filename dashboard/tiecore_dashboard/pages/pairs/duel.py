"""Two features against each other: their difference, their queries one by one, and what ties alone do."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tiecore.board import Board, Duel, duel
from tiecore.diagnostics.leads import random_leads
from tiecore.stability import Stability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.charts.pieces import signed
from tiecore_dashboard.export.figures import Draw, drawn_by
from tiecore_dashboard.pages.pairs.answer import by_need, pairs_drawn, pairs_in_latex
from tiecore_dashboard.pages.pairs.charts import difference_chart, query_chart, tie_chart
from tiecore_dashboard.pages.pairs.overview import QUERY, beside, choose_pair, show_list
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.words import in_markdown

QUERIES_PAGE = "../pages/queries/queries.py"


def duel_of(view: View, board: Board) -> Duel | None:
    """Return what is known of the two features of a board; None of more, or where they have no query in common."""
    if len(board.rows) != 2 or not board.pairs["n_queries"].iloc[0]:
        return None
    return duel(view.evaluation, board.stability, *board.pairs[["leader", "trailer"]].iloc[0])


def show_pairs(
    stable: Stability, features: Sequence[str], duel_of: Callable[[str, str], Duel], *, view: View | None = None
) -> dict[str, Any]:
    """Show all pairs, and one of them in depth; of two features, only this. Return what can be taken away.

    ``features``: all, in the order of their colours. ``view``: None for values that were measured elsewhere.
    """
    pair, below = choose_pair(
        stable, view.features if view else features, highlighted=page.highlighted(view) if view else ()
    )
    shown = None if pair is None or not pair["n_queries"] else duel_of(pair["leader"], pair["trailer"])
    show_duel(shown, features, view=view, below=below)
    show_list(stable)
    tables, figures = taken_away(shown, features)
    return {
        "tables": {"Pairs": by_need(stable.pairs)} | tables,
        "papers": {"Pairs": partial(pairs_in_latex, stable.pairs, stable)},
        "figures": figures | pairs_drawn(stable),
    }


def show_duel(
    shown: Duel | None, features: Sequence[str], *, view: View | None = None, below: DeltaGenerator | None = None
) -> None:
    """Show the difference of a pair, its queries one by one, and what ties alone do.

    ``features``, ``view``: as for ``show_pairs``. ``below``: where the difference stands instead of beside the queries.
    """
    if shown is None:
        return
    left, right = beside() if below is None else (below, st.container())
    with left:
        page.chart(
            difference_chart(shown, look=page.look()),
            key="pairs_difference",
            alt=f"Difference of {shown.leader} and {shown.trailer} with its intervals",
        )
        if view is not None and shown.tie_low < shown.tie_high:
            show_ties(view, shown)
    with right:
        page.chart(
            query_chart(
                shown,
                look=page.look(),
                colours=page.colours(features, [shown.leader, shown.trailer]),
                chosen=st.session_state.get(QUERY),
            ),
            key="pairs_queries",
            alt=f"Difference for each {shown.words['query']}",
            on_click=lambda key: st.session_state.update(zip([QUERY], page.clicked_names(key), strict=False)),
        )
        show_query(shown, has_lists=view is not None)


def taken_away(duel: Duel | None, features: Sequence[str]) -> tuple[dict[str, pd.DataFrame], dict[str, Draw]]:
    """Return the tables and the figures of a pair for exports."""
    if duel is None:
        return {}, {}
    both = [duel.leader, duel.trailer]
    colours, pair = page.colours(features, both, on=LIGHT), " and ".join(map(words.cut, both))
    titles = {f"{side}_expected": f"{duel.measure} of {getattr(duel, side)}" for side in ("leader", "trailer")}
    titles |= {name: f"Difference: {words.known_as(name)}" for name in duel.under}
    return {f"{words.capitalised(duel.words['queries'])} of {pair}": duel.queries.rename(columns=titles)}, {
        f"Difference of {pair}": drawn_by("difference", duel, colours)
    }


def show_ties(view: View, duel: Duel) -> None:
    """Show the lead under random tie-breaks on the queries that both list, once that is asked for."""
    box = st.expander("What ties alone do", key="pairs_ties", on_change="rerun")
    if not box.open:
        return
    with box:
        leads = cached.study(view, random_leads, duel.leader, duel.trailer)
        if not len(leads):
            page.note("Too many documents are tied to draw random tie-breaks.")
            return
        page.chart(
            tie_chart(leads, duel, look=page.look(), colours=page.colours(view.coloured)),
            key="pairs_lead",
            alt=f"Lead of {duel.leader} over {duel.trailer} under random tie-breaks",
        )
        page.note(
            f"The lead in {words.count(len(leads))} random tie-breaks, each of which breaks the ties of both by one "
            "order of the documents. The legend counts around the exact mean, as tie risk does, so bars may differ."
        )


def show_query(duel: Duel, *, has_lists: bool) -> None:
    """Show a query: that of a bar which was clicked on, or one that is chosen by name; and where its lists are."""
    queries = list(duel.queries.sort_values("lead", ascending=False, kind="stable").index)
    if st.session_state.get(QUERY) not in queries:
        st.session_state.pop(QUERY, None)
    query = st.selectbox(
        "Query",
        queries,
        index=None,
        key=QUERY,
        placeholder=f"Click on a bar, or choose one of the {duel.words['queries']}",
        label_visibility="collapsed",
    )
    if query is None:
        return
    row = duel.queries.loc[query]
    reach = f"; ties allow {words.number(row['worst_lead'])} to {words.number(row['best_lead'])}"
    st.markdown(
        f"{words.capitalised(duel.words['query'])} **{in_markdown(str(query))}**: "
        f"{in_markdown(duel.leader)} {words.number(row['leader_expected'])}, "
        f"{in_markdown(duel.trailer)} {words.number(row['trailer_expected'])}, difference {signed(row['lead'])}"
        f"{reach if has_lists else ''}."
    )
    if not has_lists:
        return
    with st.container(horizontal=True, gap="small"):
        for name in (duel.leader, duel.trailer):
            st.page_link(
                QUERIES_PAGE,
                label=f"Its ranking by {in_markdown(name)}",
                icon=":material/manage_search:",
                query_params={"queries_feature": name, "queries_query": query},
                width="content",
            )
