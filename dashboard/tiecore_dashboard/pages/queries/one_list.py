"""The list of one query on the page Queries: its ties, what each does, and random orders of it."""

from collections.abc import Mapping
from functools import partial
from itertools import groupby

import pandas as pd
import streamlit as st

from tiecore.diagnostics import culprits, drawn_order, draws, listing
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.table_columns import Titles, columns
from tiecore_dashboard.charts.look import marks_of
from tiecore_dashboard.charts.pieces import signed
from tiecore_dashboard.charts.tiles import Tile, tiles
from tiecore_dashboard.pages.queries.answer import query_answer
from tiecore_dashboard.pages.queries.charts import MOST_PARTS, draws_chart, parts_chart, parts_shown
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_one
from tiecore_dashboard.words import SAME, in_markdown, known_as

BY_GRADE, AT_RANDOM = "grade", "random"
MOST_DRAWS, MOST_TILES = 2000, 1000
_TILES, _BEYOND = 100, 10
"""Ranks that are shown of a list without a cut-off, and beyond one; ties are shown whole."""
DRAWN, ORDER = "queries_drawn", "queries_order"


def show_query(view: View, feature: str, query: str, values: Mapping[str, float]) -> None:
    """Take one query apart; ``values``: its row in the table of queries."""
    groups, documents = taken_apart(view, feature, query)
    page.say(query_answer(groups, documents, values, feature=feature, measure=called(view.measure)))
    if documents is None or documents["group"].notna().any():
        show_list(view, feature, query, values)
    if documents is None:
        page.note("A table of counts holds no documents, so tie groups are all there is of a list.")
    else:
        show_documents(view, documents)


def taken_apart(view: View, feature: str, query: str) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Tie groups and documents of a query; no documents where only their numbers are known."""
    groups = cached.study(view, culprits, feature=feature, query_id=query)
    if view.dataset.counts is not None:
        return groups, None
    return groups, cached.study(view, listing, feature=feature, query_id=query)


@page.part
def show_list(view: View, feature: str, query: str, values: Mapping[str, float]) -> None:
    """Show the list with its ties, what each tie group does, and random orders of it."""
    groups, documents = taken_apart(view, feature, query)
    ties_move = values["spread"] > SAME
    left, right = st.columns([3, 2], gap="medium")
    if documents is not None:
        with left:
            show_tiles(view, feature, query, values)
            if ties_move:
                show_draws(view, feature, query, values)
    with right:
        if not len(parts_shown(groups)):
            page.note("No group adds anything to the value.")
            return
        page.chart(
            parts_chart(
                groups, measure=view.measure, look=page.look(), tie_breaks=view.tie_breaks if ties_move else ()
            ),
            key="queries_parts",
            alt="What each tie group adds to the value of the query",
        )
        if len(parts_shown(groups)) == MOST_PARTS:
            page.note(f"The {MOST_PARTS} groups that matter most; the export holds all.")


def show_tiles(view: View, feature: str, query: str, values: Mapping[str, float]) -> None:
    """Show the documents, those of a tie in an order that the user chooses, and the value under that order."""
    groups, documents = taken_apart(view, feature, query)
    assert documents is not None
    n_draws, seed = drawn_so_far(view, feature, query)
    order = BY_GRADE
    if can_move := values["spread"] > SAME:
        order = choose_one(
            "Show tied documents in the order of",
            [BY_GRADE, *view.tie_breaks, *[AT_RANDOM] * (n_draws > 0)],
            key=ORDER,
            help="Inside a tie every order is equally justified. **grade** orders by grade, a tie-break by its rule; "
            "**random** shows the last order that was drawn.",
            width="content",
            shown_as=lambda one: one if one == AT_RANDOM else in_markdown(known_as(one)),
            widget=partial(st.segmented_control, required=True),
        )
    listed = documents[documents["group"].notna()]
    ordered = listed.sort_values(["group", "grade"], ascending=[True, False], na_position="last", kind="stable")
    measure, expected = in_markdown(called(view.measure)), words.number(values["expected"])
    told = (
        f"Shown by grade, the best case: {measure} would be **{words.number(values['best'])}**; averaged over all "
        f"orders it is **{expected}**."
    )
    if order == AT_RANDOM:
        ordered = listed.loc[
            cached.study(view, drawn_order, feature=feature, query_id=query, draw=n_draws, seed=seed).index
        ]
        value = drawn_values(view, feature, query)["value"].iloc[-1]
        told = f"In this random order {measure} is **{words.number(value)}**; averaged over all orders {expected}."
    elif order in view.tie_breaks:
        ordered = listed.sort_values(["group", f"{order} rank"], kind="stable")
        told = (
            f"In the order of **{in_markdown(known_as(order))}** {measure} is **{words.number(values[order])}**, "
            f"{signed(values[order] - values['expected'])} against the average over all orders, {expected}."
        )
    if can_move:
        st.markdown(told)
    deciding = [place - 1 for place in groups.index[groups["spread"] > SAME]]
    ends, inside = groups["size"].cumsum(), int(groups["inside"].sum())
    cut = inside if inside < ends.max() else None
    wanted = min(_TILES if cut is None else cut + _BEYOND, int(ends.max()))
    first = ordered.iloc[: min(int(ends[ends >= wanted].iloc[0]), MOST_TILES)]
    grades = [None if grade is pd.NA else int(grade) for grade in first["grade"]]
    rows = zip(first["group"], grades, first["relevant"], first.index, first["score"], strict=True)
    shown = [
        [Tile(grade, is_relevant=bool(hit), name=f"{name}, score {score:,.6g}") for _, grade, hit, name, score in tied]
        for _, tied in groupby(rows, key=lambda row: row[0])
    ]
    st.html(tiles(shown, look=page.look(), deciding=deciding, cut=cut))
    if len(ordered) > len(first):
        page.note(f"The first {words.count(len(first))} of {words.count(len(ordered))} documents; the table lists all.")


def drawn_so_far(view: View, feature: str, query: str) -> tuple[int, int]:
    """How many orders of this list have been drawn, and their seed."""
    state = st.session_state.get(DRAWN, {})
    return (state["draws"], state["seed"]) if state.get("list") == (view.key, feature, query) else (0, 0)


def drawn_values(view: View, feature: str, query: str) -> pd.DataFrame:
    """Values of the orders that have been drawn, and their running mean."""
    n_draws, seed = drawn_so_far(view, feature, query)
    return cached.study(view, draws, feature=feature, query_id=query, draws=n_draws, seed=seed)


def draw_more(view: View, feature: str, query: str, more: int) -> None:
    """Draw further orders, or start again with others if ``more`` is 0."""
    n_draws, seed = drawn_so_far(view, feature, query)
    drawn = min(n_draws + more, MOST_DRAWS) if more else 0
    st.session_state[DRAWN] = {"list": (view.key, feature, query), "draws": drawn, "seed": seed + (more == 0)}
    st.session_state[ORDER] = AT_RANDOM if drawn else BY_GRADE


def show_draws(view: View, feature: str, query: str, values: Mapping[str, float]) -> None:
    """Try random orders: the value moves, its mean settles."""
    n_draws, _ = drawn_so_far(view, feature, query)
    st.markdown("**Try a random order of the tied documents**")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for text, more in (("Draw one", 1), ("+ 10", 10), ("+ 100", 100), ("Start again", 0)):
            st.button(
                text,
                key=f"queries_draw_{more}",
                on_click=draw_more,
                args=(view, feature, query, more),
                disabled=n_draws == 0 if more == 0 else n_draws >= MOST_DRAWS,
                type="primary" if more == 1 else "tertiary" if more == 0 else "secondary",
            )
    if not n_draws:
        page.note("Draw, and watch the value jump while its mean settles on the exact expectation.")
        return
    drawn = drawn_values(view, feature, query)
    page.chart(
        draws_chart(drawn, values, measure=view.measure, look=page.look()),
        key="queries_draws",
        alt=f"Value of the last of {words.plural(n_draws, 'random order')}, their mean, and the exact expectation",
    )
    if not view.measure.averages_orderings:
        page.note("This measure is computed from an expectation, so the mean may settle away from it.")


def show_documents(view: View, documents: pd.DataFrame) -> None:
    """Show the documents of the query as a table."""
    marks = marks_of(view.tie_breaks, page.look())
    titles: Titles = {
        "doc_id": "Document",
        "grade": ("Grade", "%d"),
        "relevant": "Relevant",
        "score": ("Score", ""),
        "group": ("Group", "%d"),
        "first_rank": ("Ranks from", "%,d"),
        "last_rank": ("to", "%,d"),
        **{f"{name} rank": (f"{mark.glyph} {known_as(name)}", "") for name, mark in marks.items()},
    }
    own = {"doc_id": "id as in the files", "score": "score that the feature gives it"}
    with st.expander("Documents of the query", key="queries_documents_box"):
        page.table(
            documents.assign(relevant=documents["relevant"].map({True: "yes", False: "no"})),
            key="queries_documents",
            columns=columns(titles, own | {"relevant": "counts as relevant for the measure"}),
            alt="Documents of the query",
            height=420 if len(documents) > 10 else "auto",
        )
        page.note("Documents that are not judged have no grade; judged ones that are not listed have no rank.")
