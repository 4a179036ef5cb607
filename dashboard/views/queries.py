"""Queries: where the ties of a feature cost, down to the single list."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import cached, offers, page, words
from dashboard.answers import SAME
from dashboard.answers.queries import queries_answer, query_answer
from dashboard.cached import View
from dashboard.choices import choose_feature, choose_one
from dashboard.figures.draws import draws_chart
from dashboard.figures.groups import MOST_PARTS, parts_chart, parts_shown
from dashboard.figures.lists import MOST_DOCUMENTS, list_chart
from dashboard.figures.look import Figure, Look, marks_of
from dashboard.figures.queries import query_chart
from dashboard.reproduce import Recipe, quoted
from dashboard.tables.columns import shown
from dashboard.tables.queries import document_columns, group_columns, query_columns
from dashboard.words import in_markdown
from tiecore.diagnostics import blame, culprits, drawn_order, draws, listing

SPREAD, SD, VALUE, BY_GRADE, AT_RANDOM = "spread", "sd", "value", "grade", "random"
MOST_DRAWS = 2000
FOLLOW = "queries_follow"
DRAWN = "queries_drawn"
ORDERS = {SPREAD: "largest spread first", SD: "largest deviation first", VALUE: "hardest first"}
Values = Mapping[str, float]
"""Expectation and bounds of one query."""


def follow() -> None:
    """Let the choice of the query go to the first one of the new order."""
    st.session_state[FOLLOW] = True


def choose(key: str) -> None:
    """Take the query that was clicked on."""
    if names := page.clicked_names(key):
        st.session_state["queries_query"] = names[0]


def choose_row(key: str) -> None:
    """Take the query whose row was selected."""
    names = st.session_state[f"{key}_names"]
    for row in st.session_state[key]["selection"]["rows"][:1]:
        st.session_state["queries_query"] = names[row]


def choose_order_of_queries(view: View) -> str:
    """Let the order of the queries be chosen."""
    return choose_one(
        "Queries in order of",
        [SPREAD, *([SD] if view.measure.has_variance else []), VALUE, *view.tie_breaks],
        key="queries_by",
        on_change=follow,
        help="- **spread**: best minus worst case\n- **sd**: standard deviation under random ties\n"
        "- **value**: the expectation, hardest query first\n"
        "- a tie-break: how far it shifts the value from the expectation",
    )


def queries_of(view: View, feature: str, by: str) -> pd.DataFrame:
    """Queries of a feature in the order that was asked for."""
    blamed = cached.study(view, blame, feature=feature, by=SPREAD if by == VALUE else by)
    if by == VALUE:
        blamed = blamed.sort_values("expected", ascending=view.measure.higher_is_better, kind="stable")
    return blamed


def show_overview(view: View, feature: str, by: str, blamed: pd.DataFrame, chosen: str, look: Look) -> None:
    """Show all queries: the first ones as a chart, all as a table; a click takes one."""
    left, right = st.columns([3, 2], gap="small")
    with left:
        page.chart(
            draw_overview(view, by, blamed, look, chosen),
            key="queries_chart",
            alt=f"Worst case, expectation and best case of {view.measure} in each query of {feature}",
            on_click=choose,
            stem=f"queries {feature} {view.measure}",
        )
    first = {SPREAD: "spread", SD: "sd", VALUE: "expected"}.get(by, f"{by} shift")
    columns = query_columns(marks_of(view.tie_breaks, look), first=first, has_sd=view.measure.has_variance)
    with right:
        show_queries(shown(blamed, columns), columns, chosen)
        page.note("Click on a column or a row to take that query apart below.")


def show_queries(table: pd.DataFrame, columns: dict[str, Any], chosen: str) -> None:
    """Show the queries as a table in which one row is selected: the chosen query, and conversely."""
    key = "queries_table"
    names = [str(name) for name in table.index]
    st.session_state[f"{key}_names"] = names
    rows = [names.index(chosen)] if chosen in names else []
    st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.dataframe(
        table,
        key=key,
        column_config=columns,
        alt="Queries of the feature",
        placeholder=words.NOTHING,
        height=252,
        on_select=lambda: choose_row(key),
        selection_mode="single-row",
    )


def draw_overview(view: View, by: str, blamed: pd.DataFrame, look: Look, chosen: str | None = None) -> Figure:
    """Draw the queries of a feature."""
    return query_chart(
        blamed,
        measure=str(view.measure),
        look=look,
        chosen=chosen,
        tie_break=by if by in view.tie_breaks else None,
        tie_breaks=view.tie_breaks,
        show_sd=by == SD,
        order=ORDERS.get(by, "largest shift first"),
        higher_is_better=view.measure.higher_is_better,
    )


def choose_query(blamed: pd.DataFrame) -> str:
    """Let the query be chosen by its name; at first, and in a new order, the first one."""
    names = [str(name) for name in blamed.index]
    if st.session_state.pop(FOLLOW, False):
        st.session_state["queries_query"] = names[0]
    help_text = "In the order chosen above. Type to search."
    return choose_one("Query", names, key="queries_query", width=320, help=help_text)


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
            draw_list(view, ordered, groups, look),
            key="queries_list",
            alt=f"Documents of query {query} in the order of {feature}, with their ties and grades",
            stem=f"list {feature} {query}",
        )
        if len(documents) > MOST_DOCUMENTS:
            page.note(f"Drawn are the first {words.count(MOST_DOCUMENTS)} documents; the table has all.")
        if len(parts_shown(groups)):
            page.chart(
                draw_parts(view, groups, look),
                key="queries_parts",
                alt="What each tie group adds to the value of the query",
                stem=f"groups {feature} {query}",
            )
            if len(parts_shown(groups)) == MOST_PARTS:
                page.note(f"Drawn are the {MOST_PARTS} groups that matter most; the table has all.")
        else:
            page.note("No group adds anything to the value.")
    with right:
        if can_move:
            show_draws(view, feature, query, values, look)


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
            format_func=in_markdown,
            help="Inside a tie every order is as good as another. **grade** shows what is in it; a tie-break what it "
            "makes of it; **random** the last ordering that was drawn.",
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
    return documents.sort_values(["group", "grade"], ascending=[True, False], na_position="last", kind="stable")


def draw_list(view: View, documents: pd.DataFrame, groups: pd.DataFrame, look: Look) -> Figure:
    """Draw the documents in the given order."""
    cut = cut_of(groups, len(documents))
    return list_chart(
        documents,
        deciding=list(groups.index[groups["spread"] > SAME]),
        look=look,
        cut=cut,
        cut_name=f"cut behind rank {cut}",
    )


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
        f"{words.plural(n_draws, 'ordering')} is <strong>{words.number(drawn['mean'].iloc[-1])}</strong>; exactly "
        f"expected is {words.number(values['expected'])}."
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
        offers.offer_page(draw_draws, measure=str(view.measure), name="queries", label="Random orderings")
    if not view.measure.averages_orderings:
        page.note(
            "This measure is computed from an expectation and is no mean over orderings: the running mean may settle "
            "beside the line."
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


def show_query(view: View, feature: str, query: str, values: Values, look: Look) -> None:
    """Take one query apart."""
    groups, documents = taken_apart(view, feature, query)
    told = query_answer(groups, documents, values, feature=feature, measure=str(view.measure))
    st.html(f'<div class="answer"><span>{told}</span></div>')
    if documents["group"].notna().any():
        show_list(view, feature, query, values)
    if len(documents):
        show_tables(view, groups, documents, look)


def taken_apart(view: View, feature: str, query: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tie groups and documents of a query."""
    groups = cached.study(view, culprits, feature=feature, query_id=query)
    return groups, cached.study(view, listing, feature=feature, query_id=query)


def offer(view: View, feature: str, by: str, blamed: pd.DataFrame, query: str) -> None:
    """Offer what the page shows."""
    groups, documents = taken_apart(view, feature, query)
    figures: dict[str, Callable[[Look], Figure]] = {"Queries": lambda look: draw_overview(view, by, blamed, look)}
    pictures = {"Queries": "queries_chart"}
    listed = documents[documents["group"].notna()]
    if len(listed):
        ordered = in_order(view, feature, query, listed, order=BY_GRADE, draw=0, seed=0)
        figures["Chosen list by grade"] = lambda look: draw_list(view, ordered, groups, look)
        pictures["Chosen list"] = "queries_list"
    if len(parts_shown(groups)):
        figures["Its tie groups"] = lambda look: draw_parts(view, groups, look)
        pictures["Its tie groups"] = "queries_parts"
    offers.offer(
        view,
        name="queries",
        tables={"Queries": blamed, "Tie groups of the query": groups, "Documents of the query": documents},
        pictures=pictures,
        figures=figures,
        recipe=recipe_of(feature, query, by),
    )


def recipe_of(feature: str, query: str, by: str) -> Recipe:
    """How the queries, and the ties of the chosen one, are had outside of the dashboard."""
    ranked = SPREAD if by == VALUE else by
    of_query = f"evaluation, {{measure}}, {quoted(feature)}, {quoted(query)}"
    return Recipe(
        shows=[
            f"blame(evaluation, {{measure}}, {quoted(feature)}, {quoted(ranked)})",
            f"culprits({of_query})",
            f"listing({of_query})",
        ],
        diagnostics=["blame", "culprits", "listing"],
        command="ties",
        feature=feature,
        arguments=["--query", query, "--by", ranked, "--part", "blame,culprits"],
    )


view = page.begin("Queries", "Which queries make the value of a feature uncertain, and which ties inside them?")
left, right = st.columns(2)
with left:
    feature = choose_feature(view, "Feature", key="queries_feature", on_change=follow)
with right:
    by = choose_order_of_queries(view)
blamed = queries_of(view, feature, by)
page.say(queries_answer(blamed, feature=feature, by=by, measure=str(view.measure)))
look = page.look()
place = st.container()
query = choose_query(blamed)
with place:
    show_overview(view, feature, by, blamed, query, look)
values = {column: float(blamed[column].loc[query]) for column in ("expected", "worst", "best", "spread")}
show_query(view, feature, query, values, look)
offer(view, feature, by, blamed, query)
