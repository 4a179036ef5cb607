"""Queries: where the ties of a feature cost, down to the single list."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from tiecore import Evaluation
from tiecore.diagnostics import blame
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import Look
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.figures import drawn_by
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.pairs.overview import beside
from tiecore_dashboard.pages.queries.answer import ORDERS, SHIFT, SPREAD, VALUE, queries_answer
from tiecore_dashboard.pages.queries.charts import query_chart, query_titles
from tiecore_dashboard.pages.queries.one_list import OneList, show_query
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_feature, choose_one

# What has changed that the choice of the query follows: the order, or the feature.
FOLLOW = "queries_follow"
# Documents of a tie at the cut-off that one takes in at a glance, if their order matters.
EASY = range(5, 16)


def choose(names: Sequence[str]) -> None:
    """Take the query that was clicked on."""
    if names:
        st.session_state["queries_query"] = names[0]


def show_overview(view: View, by: str, blamed: pd.DataFrame, chosen: str, *, is_easy: bool, look: Look) -> None:
    """Show the first queries as a chart, all as a table; a click takes one. ``is_easy``: the chosen one, to follow."""
    left, right = beside("queries_beside")
    with left:
        page.chart(
            query_chart(blamed, measure=view.measure, look=look, by=by, chosen=chosen, tie_breaks=view.tie_breaks),
            key="queries_chart",
            alt=f"Expectation of {called(view.measure)} in each query, and what ties make of it",
            on_click=lambda key: choose(page.clicked_names(key)),
        )
    first, names = {SPREAD: "spread", VALUE: "expected"}.get(by, f"{by} shift"), list(blamed.index)
    with right:
        page.table(
            blamed.dropna(axis="columns", how="all"),  # no SD where it is not known
            query_titles(view.tie_breaks, first=first),
            {"query_id": "id as in the files"},
            key="queries_table",
            alt="Queries of the feature",
            most=7,
            chosen=[names.index(chosen)],
            choose=lambda rows: choose([names[row] for row in rows]),
        )
        why = (
            f" Query {words.in_markdown(chosen)} is shown first, as its tie at the cut is small enough to follow."
            * is_easy
        )
        page.note(f"Choose a column or a row to see that query below.{why}")


def choose_query(blamed: pd.DataFrame, easy: pd.Index) -> str:
    """Let the query be chosen by its name; at first one that is easy to take in, in a new order its first."""
    names = [*dict.fromkeys([*easy, *blamed.index])]  # the first is what a link without a query means
    if followed := st.session_state.pop(FOLLOW, None):
        st.session_state["queries_query"] = blamed.index[0] if followed == "order" else names[0]
    first = "First one that is easy to take in, then all" * len(easy) or "All"
    help_text = f"{first} in the order chosen above. Type to search."
    return choose_one("Query", names, key="queries_query", width=320, help=help_text)


view = page.view("Queries", "Which queries and ties make the value of a feature uncertain?")
answer = st.container()
left, right = st.columns(2)
with left:
    follow = partial(st.session_state.update, {FOLLOW: "feature"})
    feature = choose_feature(view, "Feature", key="queries_feature", on_change=follow)
with right:
    by = choose_one(
        "Queries in order of",
        [SPREAD, VALUE, *view.tie_breaks],
        key="queries_by",
        on_change=partial(st.session_state.update, {FOLLOW: "order"}),
        shown_as=words.known_as,
        help="- **spread**: best minus worst case\n- **value**: the expectation, hardest query first\n"
        "- a tie-break: how far it shifts the value from the expectation",
    )
ranked = SPREAD if by == VALUE else by
blamed = cached.study(view, blame, feature=feature, by=ranked)
if by == VALUE:
    blamed = blamed.sort_values("expected", ascending=view.measure.higher_is_better, kind="stable")
with answer:
    ends = [*cached.study(view, Evaluation.interval).loc[feature]]
    sentence = queries_answer(blamed, feature=feature, by=by, measure=called(view.measure), ends=ends)
    page.say(sentence)
place = st.container()
easy = blamed.index[blamed["cut_tie"].isin(EASY) & (blamed["spread"] > words.SAME)][:1]
query = choose_query(blamed, easy)
# blame is a spread or a shift, which has a column of its own; no tie is at the cut of whole lists
own = blamed.drop(columns=["blame"] if blamed["cut_tie"].any() else ["blame", "cut_tie"])
with place:
    show_overview(view, by, own, query, is_easy=query in easy, look=page.look())
one = OneList(view, feature, query, blamed.loc[query].to_dict())
show_query(one)
all_of = f"Queries by {feature}"
tables = {all_of: own, f"Tie groups of query {query} by {feature}": one.groups}
of_query = f"evaluation, {quoted(feature)}, {{measure}}, query_id={quoted(query)}"
shows = [f"blame(evaluation, {quoted(feature)}, {{measure}}, by={quoted(ranked)})", f"culprits({of_query})"]
if one.documents is not None:
    tables[f"Documents of query {query} by {feature}"] = one.documents
    shows.append(f"listing({of_query})")
recipe = Recipe(
    shows=shows,
    command="ties",
    feature=feature,
    arguments=["--query", query, "--by", ranked, "--part", "blame,culprits"],
)
about = {"feature": feature, "measure": view.measure, "tie_breaks": [by] if by in view.tie_breaks else []}
drawn = drawn_by("queries", blamed, None, **about, order=ORDERS.get(by, SHIFT), answer=words.plain(sentence))
menu.offer(view, name="queries", tables=tables, figures={all_of: drawn}, recipe=recipe)
