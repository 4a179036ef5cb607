"""The list of one query on the page Queries: its ties, what each does, and random orders of it."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pandas as pd
import streamlit as st

from tiecore.diagnostics import culprits, drawn_order, draws, listing
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.table_columns import Titles
from tiecore_dashboard.charts.look import names_with_marks
from tiecore_dashboard.charts.pieces import signed
from tiecore_dashboard.charts.tiles import Tile, tiles
from tiecore_dashboard.pages.pairs.overview import beside
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


@dataclass(frozen=True, eq=False)
class OneList:
    """The list of one query by one feature."""

    view: View
    feature: str
    query: str
    values: Mapping[Any, float]
    """Its row in the table of queries."""

    def study(self, function: Callable[..., Any], **options: Any) -> Any:
        """Ask tiecore something about it."""
        return cached.study(self.view, function, feature=self.feature, query_id=self.query, **options)

    @cached_property
    def groups(self) -> pd.DataFrame:
        """Its tie groups."""
        found: pd.DataFrame = self.study(culprits)
        return found

    @cached_property
    def documents(self) -> pd.DataFrame | None:
        """Its documents; None where only their numbers are known."""
        return None if self.view.dataset.counts is not None else self.study(listing)

    @property
    def ties_move(self) -> bool:
        """Whether the order of tied documents changes the value."""
        return self.values["spread"] > SAME

    @property
    def key(self) -> Hashable:
        """What drawn orders are of."""
        return self.view.key, self.feature, self.query

    @property
    def drawn(self) -> tuple[int, int]:
        """How many orders of it have been drawn, and their seed."""
        state = st.session_state.get(DRAWN, {})
        return (state["draws"], state["seed"]) if state.get("list") == self.key else (0, 0)

    def drawn_values(self) -> pd.DataFrame:
        """Values of the orders that have been drawn, and their running mean."""
        found: pd.DataFrame = self.study(draws, draws=self.drawn[0], seed=self.drawn[1])
        return found


def show_query(one: OneList) -> None:
    """Take one query apart."""
    documents, name = one.documents, called(one.view.measure)
    page.say(query_answer(one.groups, documents, one.values, feature=one.feature, measure=name))
    if documents is None or documents["group"].notna().any():
        show_list(one)
    if documents is None:
        page.note("A table of counts holds no documents, so tie groups are all there is of a list.")
    else:
        show_documents(one.view, documents)


@page.part
def show_list(one: OneList) -> None:
    """Show the list with its ties, what each tie group does, and random orders of it."""
    left, right = beside("queries_list_beside")
    if one.documents is not None:
        with left:
            show_tiles(one, one.documents)
            if one.ties_move:
                show_draws(one)
    with right:
        n_parts, tie_breaks = len(parts_shown(one.groups)), one.view.tie_breaks if one.ties_move else ()
        if not n_parts:
            page.note("No group adds anything to the value.")
            return
        page.chart(
            parts_chart(one.groups, measure=one.view.measure, look=page.look(), tie_breaks=tie_breaks),
            key="queries_parts",
            alt="What each tie group adds to the value of the query",
        )
        if n_parts == MOST_PARTS:
            page.note(f"The {MOST_PARTS} groups that matter most; the export holds all.")


def show_tiles(one: OneList, documents: pd.DataFrame) -> None:
    """Show the documents, those of a tie in an order that the user chooses, and the value under that order."""
    view, values, groups, (n_draws, seed) = one.view, one.values, one.groups, one.drawn
    order = BY_GRADE
    if one.ties_move:
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
    size = max(abs(values["worst"]), abs(values["best"]))
    measure, number = in_markdown(called(view.measure)), partial(words.number, size=size)
    average = f"averaged over all orders it is **{number(values['expected'])}**."
    told = f"Shown by grade, the best case: {measure} would be **{number(values['best'])}**; {average}"
    if order == AT_RANDOM:
        ordered = listed.loc[one.study(drawn_order, draw=n_draws, seed=seed).index]
        value = one.drawn_values()["value"].iloc[-1]
        told = f"In this random order {measure} is **{number(value)}**; {average}"
    elif order in view.tie_breaks:
        ordered = listed.sort_values(["group", f"{order} rank"], kind="stable")
        by, shift = in_markdown(known_as(order)), signed(values[order] - values["expected"], size)
        told = f"In the order of **{by}** {measure} is **{number(values[order])}** ({shift}); {average}"
    if one.ties_move:
        st.markdown(told)
    deciding = [place - 1 for place in groups.index[groups["spread"] > SAME]]
    ends, inside = groups["size"].cumsum(), int(groups["inside"].sum())
    cut = inside if inside < ends.max() else None
    wanted = min(_TILES if cut is None else cut + _BEYOND, ends.max())
    first = ordered.iloc[: min(ends[ends >= wanted].iloc[0], MOST_TILES)]
    shown = [
        [
            Tile(None if grade is pd.NA else int(grade), is_relevant=bool(hit), name=f"{name}, score {score:,.6g}")
            for name, grade, hit, score in tied[["grade", "relevant", "score"]].itertuples(name=None)
        ]
        for _, tied in first.groupby("group")
    ]
    highest = int(view.evaluation.values.alignment.grades[-1])
    st.html(tiles(shown, look=page.look(), deciding=deciding, cut=cut, highest=highest))
    if len(ordered) > len(first):
        page.note(f"The first {words.count(len(first))} of {words.count(len(ordered))} documents; the table lists all.")


def draw_more(one: OneList, more: int) -> None:
    """Draw further orders, or start again with others if ``more`` is 0."""
    n_draws, seed = one.drawn
    drawn = min(n_draws + more, MOST_DRAWS) if more else 0
    st.session_state[DRAWN] = {"list": one.key, "draws": drawn, "seed": seed + (more == 0)}
    st.session_state[ORDER] = AT_RANDOM if drawn else BY_GRADE


def show_draws(one: OneList) -> None:
    """Try random orders: the value moves, its mean settles."""
    n_draws, _ = one.drawn
    st.markdown("**Try a random order of the tied documents**")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for text, more in (("Draw one", 1), ("+ 10", 10), ("+ 100", 100), ("Start again", 0)):
            st.button(
                text,
                key=f"queries_draw_{more}",
                on_click=draw_more,
                args=(one, more),
                disabled=n_draws == 0 if more == 0 else n_draws >= MOST_DRAWS,
                type="primary" if more == 1 else "tertiary" if more == 0 else "secondary",
            )
    if not n_draws:
        page.note("Draw, and watch the value jump while its mean settles on the exact expectation.")
        return
    page.chart(
        draws_chart(one.drawn_values(), one.values, measure=one.view.measure, look=page.look()),
        key="queries_draws",
        alt=f"Values of {words.plural(n_draws, 'random order')}, their mean, and the exact expectation",
    )
    if not one.view.measure.averages_orderings:
        page.note("This measure is computed from an expectation, so the mean may settle away from it.")


def show_documents(view: View, documents: pd.DataFrame) -> None:
    """Show the documents of the query as a table."""
    titles: Titles = {
        "doc_id": "Document",
        "grade": ("Grade", "%d"),
        "relevant": "Relevant",
        "score": ("Score", ""),
        "group": ("Group", "%d"),
        "first_rank": ("Ranks from", "%,d"),
        "last_rank": ("to", "%,d"),
        **{f"{name} rank": (title, "") for name, title in names_with_marks(view.tie_breaks).items()},
    }
    own = {"doc_id": "id as in the files", "score": "score that the feature gives it"}
    with st.expander("Documents of the query", key="queries_documents_box"):
        page.table(
            documents.assign(relevant=documents["relevant"].map({True: "yes", False: "no"})),
            titles,
            own | {"relevant": "counts as relevant for the measure"},
            key="queries_documents",
            alt="Documents of the query",
        )
        page.note("Documents that are not judged have no grade; judged ones that are not listed have no rank.")
