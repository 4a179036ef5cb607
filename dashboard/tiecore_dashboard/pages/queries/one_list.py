"""The list of one query on the page Queries: its ties, what each does, and random orderings of it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from tiecore.diagnostics import culprits, drawn_order, draws, listing
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.columns import shown
from tiecore_dashboard.charts.look import Figure, Look, marks_of
from tiecore_dashboard.export import offers
from tiecore_dashboard.pages.queries.answer import counted_query_answer, query_answer
from tiecore_dashboard.pages.queries.draws import draws_chart
from tiecore_dashboard.pages.queries.groups import MOST_PARTS, parts_chart, parts_shown
from tiecore_dashboard.pages.queries.lists import MOST_DOCUMENTS, list_chart
from tiecore_dashboard.pages.queries.tables import document_columns, group_columns
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.words import SAME, in_markdown

__all__ = ["by_grade", "draw_list", "draw_parts", "show_query", "taken_apart"]

BY_GRADE, AT_RANDOM = "grade", "random"
MOST_DRAWS = 2000
DRAWN = "queries_drawn"
Values = Mapping[str, float]
"""Expectation and bounds of one query."""


def show_query(view: View, feature: str, query: str, values: Values, look: Look) -> None:
    """Take one query apart."""
    groups, documents = taken_apart(view, feature, query)
    if not view.has_documents:
        sentence = counted_query_answer(groups, values, feature=feature, measure=str(view.measure))
        st.html(f'<div class="answer"><span>{sentence}</span></div>')
        show_parts(view, feature, query, groups, look)
        if len(groups):
            show_groups(view, groups, look)
        page.note("A table of counts holds no documents, so tie groups are all there is of a list.")
        return
    sentence = query_answer(groups, documents, values, feature=feature, measure=str(view.measure))
    st.html(f'<div class="answer"><span>{sentence}</span></div>')
    if documents["group"].notna().any():
        show_list(view, feature, query, values)
    if len(documents):
        show_tables(view, groups, documents, look)


def taken_apart(view: View, feature: str, query: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tie groups and documents of a query; no documents where only their numbers are known."""
    groups = cached.study(view, culprits, feature=feature, query_id=query)
    if not view.has_documents:
        return groups, pd.DataFrame({"group": []})
    return groups, cached.study(view, listing, feature=feature, query_id=query)


def cut_of(groups: pd.DataFrame, n_documents: int) -> int | None:
    """Documents of the list inside the cut-off; None where all of them are."""
    inside = int(groups["inside"].sum())
    return inside if inside < n_documents else None


@page.part
def show_list(view: View, feature: str, query: str, values: Values) -> None:
    """Show the list with its ties, what each tie group does, and random orderings of it."""
    look = page.look()
    groups, documents = taken_apart(view, feature, query)
    documents = documents[documents["group"].notna()]
    can_move = values["spread"] > SAME
    left, right = st.columns([3, 2], gap="medium")
    with left:
        n_draws, seed = drawn_so_far(view, feature, query)
        order = choose_order(view, n_draws=n_draws, can_move=can_move)
        ordered = in_order(view, feature, query, documents, order=order, draw=n_draws, seed=seed)
        page.chart(
            draw_list(ordered, groups, look),
            key="queries_list",
            alt=f"Documents of query {query} in the order of {feature}, with their ties and grades",
            stem=f"list {feature} {query}",
        )
        if len(documents) > MOST_DOCUMENTS:
            page.note(f"The first {words.count(MOST_DOCUMENTS)} documents; the table lists all.")
        show_parts(view, feature, query, groups, look)
    with right:
        if can_move:
            show_draws(view, feature, query, values, look)


def show_parts(view: View, feature: str, query: str, groups: pd.DataFrame, look: Look) -> None:
    """Show what each tie group does."""
    if not len(parts_shown(groups)):
        page.note("No group adds anything to the value.")
        return
    page.chart(
        draw_parts(view, groups, look),
        key="queries_parts",
        alt="What each tie group adds to the value of the query",
        stem=f"groups {feature} {query}",
    )
    if len(parts_shown(groups)) == MOST_PARTS:
        page.note(f"The {MOST_PARTS} groups that matter most; the table lists all.")


def choose_order(view: View, *, n_draws: int, can_move: bool) -> str:
    """Let the order inside the ties be chosen."""
    orders = [BY_GRADE, *view.tie_breaks, *([AT_RANDOM] if n_draws else [])]
    if not can_move:
        return BY_GRADE
    if st.session_state.get("queries_order") not in orders:
        st.session_state["queries_order"] = BY_GRADE
    return (
        st.segmented_control(
            "Show tied documents in the order of",
            orders,
            required=True,
            key="queries_order",
            format_func=lambda order: in_markdown(words.known_as(order)),
            help="Inside a tie every order is equally justified. **grade** orders by grade, a tie-break by its rule; "
            "**random** shows the last ordering that was drawn.",
        )
        or BY_GRADE
    )


def in_order(
    view: View, feature: str, query: str, documents: pd.DataFrame, *, order: str, draw: int, seed: int
) -> pd.DataFrame:
    """Bring the documents inside each tie into an order."""
    if order == AT_RANDOM and draw:
        drawn = cached.study(view, drawn_order, feature=feature, query_id=query, draw=draw, seed=seed)
        return documents.loc[drawn.index]
    if order in view.tie_breaks:
        return documents.sort_values(["group", f"{order} rank"], kind="stable")
    return by_grade(documents)


def by_grade(documents: pd.DataFrame) -> pd.DataFrame:
    """Bring the documents inside each tie into the order of their grades, so that one sees what is in it."""
    return documents.sort_values(["group", "grade"], ascending=[True, False], na_position="last", kind="stable")


def draw_list(documents: pd.DataFrame, groups: pd.DataFrame, look: Look) -> Figure:
    """Draw the documents in the given order."""
    cut = cut_of(groups, len(documents))
    deciding = list(groups.index[groups["spread"] > SAME])
    return list_chart(documents, deciding=deciding, look=look, cut=cut, cut_name=f"cut after rank {cut}")


def draw_parts(view: View, groups: pd.DataFrame, look: Look) -> Figure:
    """Draw what each tie group does."""
    return parts_chart(
        groups,
        measure=str(view.measure),
        look=look,
        tie_breaks=view.tie_breaks if (groups["spread"] > SAME).any() else (),
        cut=cut_of(groups, int(groups["size"].sum())),
        higher_is_better=view.measure.higher_is_better,
    )


def drawn_so_far(view: View, feature: str, query: str) -> tuple[int, int]:
    """How many orderings of this list have been drawn, and their seed."""
    state = st.session_state.get(DRAWN, {})
    return (state["draws"], state["seed"]) if state.get("list") == (view.key, feature, query) else (0, 0)


def draw_more(view: View, feature: str, query: str, more: int) -> None:
    """Draw further orderings, or start again with others if ``more`` is 0."""
    n_draws, seed = drawn_so_far(view, feature, query)
    drawn = min(n_draws + more, MOST_DRAWS) if more else 0
    st.session_state[DRAWN] = {"list": (view.key, feature, query), "draws": drawn, "seed": seed + (more == 0)}
    st.session_state["queries_order"] = AT_RANDOM if drawn else BY_GRADE


def show_draws(view: View, feature: str, query: str, values: Values, look: Look) -> None:
    """Try random orderings: the value moves, its mean settles."""
    n_draws, seed = drawn_so_far(view, feature, query)
    st.markdown("**Try a random ordering of the tied documents**")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for text, more, icon in (
            ("Draw one", 1, ":material/casino:"),
            ("+ 10", 10, None),
            ("+ 100", 100, None),
            ("Start again", 0, ":material/restart_alt:"),
        ):
            st.button(
                text,
                key=f"queries_draw_{more}",
                help=None if more < 10 else f"Draw {more} further orderings.",
                icon=icon,
                on_click=draw_more,
                args=(view, feature, query, more),
                disabled=n_draws == 0 if more == 0 else n_draws >= MOST_DRAWS,
                type="primary" if more == 1 else "tertiary" if more == 0 else "secondary",
            )
    if not n_draws:
        page.note("Draw, and watch the value jump while its mean settles on the exact expectation.")
        return
    drawn = cached.study(view, draws, feature=feature, query_id=query, draws=n_draws, seed=seed)
    st.html(
        f"The last ordering gives <strong>{words.number(drawn['value'].iloc[-1])}</strong>, the mean of "
        f"{words.plural(n_draws, 'ordering')} is <strong>{words.number(drawn['mean'].iloc[-1])}</strong>; the "
        f"exact expectation is {words.number(values['expected'])}."
    )

    def draw_draws(look: Look) -> Figure:
        return draws_chart(
            drawn,
            expected=values["expected"],
            worst=values["worst"],
            best=values["best"],
            measure=str(view.measure),
            look=look,
            higher_is_better=view.measure.higher_is_better,
        )

    page.chart(
        draw_draws(look),
        key="queries_draws",
        alt="Values of random orderings, their running mean, and the exact expectation",
        stem=f"draws {feature} {query}",
    )
    with st.container(horizontal=True, gap="small"):
        offers.offer_table(drawn, measure=str(view.measure), name="queries", label="Random orderings")
    if not view.measure.averages_orderings:
        page.note(
            "This measure is computed from an expectation and is not a mean over orderings: the running mean may "
            "settle away from the line."
        )


def show_tables(view: View, groups: pd.DataFrame, documents: pd.DataFrame, look: Look) -> None:
    """Show groups and documents as tables."""
    if not len(groups):
        show_documents(view, documents, look)
        return
    of_groups, of_documents = st.tabs(["Tie groups", "Documents"])
    with of_groups:
        show_groups(view, groups, look)
    with of_documents:
        show_documents(view, documents, look)


def show_groups(view: View, groups: pd.DataFrame, look: Look) -> None:
    """Show what each tie group holds and does."""
    columns = group_columns(marks_of(view.tie_breaks, look))
    page.table(shown(groups, columns), key="queries_groups", columns=columns, alt="Tie groups of the list")


def show_documents(view: View, documents: pd.DataFrame, look: Look) -> None:
    """Show the documents with their ranks."""
    columns = document_columns(marks_of(view.tie_breaks, look))
    page.table(
        shown(documents, columns),
        key="queries_documents",
        columns=columns,
        alt="Documents of the query",
        height=420 if len(documents) > 10 else "auto",
    )
    page.note("Documents that are not judged have no grade; judged ones that the feature does not list have no rank.")
