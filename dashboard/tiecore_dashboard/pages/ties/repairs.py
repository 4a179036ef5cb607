"""What other features can do about the ties of one: the page's advice, and the part *repairs*."""

import pandas as pd
import streamlit as st

from tiecore.diagnostics import advice, chain
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.ties.answer import advice_answer, advice_line, chain_answer, is_clear
from tiecore_dashboard.pages.ties.charts import MOST_TIE_BREAKERS, advice_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_feature
from tiecore_dashboard.state.sidebar import MOST_TIE_BREAKS
from tiecore_dashboard.words import SAME

FEW_VALUES = 3_000_000
"""Values (documents times tie-breakers) that are computed without being asked for."""
ASKED = "ties_asked"
FEW_QUERIES = 2
"""Queries that a test on held-out ones needs."""
MOST_ADVICE = 3
"""Features for which a tie-breaker is looked for unasked: those whose value ties can change most."""


def feature_for(view: View, label: str) -> str:
    """Let a feature be chosen, the same for all parts of the page."""
    return choose_feature(view, label, key="ties_feature", width=320)


def advise(view: View) -> None:
    """Open the page with what can be done: the best tie-breaker of the features that need one most, to be tried."""
    n_others = len(view.features) - 1
    if not n_others or not view.has_tie_breakers or view.evaluation.counted.sum() < FEW_QUERIES:
        return
    if view.evaluation.alignment.n_ranked() * n_others > FEW_VALUES and st.session_state.get(ASKED) != view.key:
        st.button(
            "Look for the best tie-breakers",
            icon=":material/tips_and_updates:",
            on_click=lambda: st.session_state.update({ASKED: view.key}),
        )
        return
    board = view.leaderboard
    spread = (board["best"] - board["worst"]).abs().drop(list(cached.flat(view)), errors="ignore")
    spread = spread[spread > SAME].sort_values(ascending=False, kind="stable").iloc[:MOST_ADVICE]
    found = []
    with page.progress("Looking for tie-breakers", key=view.key) as report:
        for place, name in enumerate(spread.index):
            links = cached.study(view, chain, feature=str(name))
            report(place + 1, len(spread))
            if len(links) > 1 and links["held_out_gain"].iloc[1] > 0:
                found.append(links)
    found.sort(key=lambda links: (not is_clear(links.iloc[1]), -float(links["held_out_gain"].iloc[1])))
    if found:
        with st.container(border=True, key="ties_card"):
            for place, links in enumerate(found):
                show_piece(view, links, place=place, spread=float(spread.loc[links["feature"].iloc[0]]))
            page.note(
                "Gains on queries that had no part in choosing the tie-breaker, with an approximate 95 % interval. "
                "*Clear*: it lies above 0, and the gain is more than the best of as many random tie-breakers brings."
            )


def show_piece(view: View, links: pd.DataFrame, *, place: int, spread: float) -> None:
    """Show one piece of advice with a button that takes it."""
    other = str(links["feature"].iloc[1])
    icon = ":material/tips_and_updates:" if is_clear(links.iloc[1]) else ":material/help:"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{icon} {advice_line(links, measure=str(view.measure), spread=spread)}", width="stretch")
        is_compared = f"feature:{other}" in view.tie_breaks
        st.button(
            "Compared" if is_compared else "Try it",
            key=f"ties_try_{place}",
            disabled=is_compared,
            on_click=try_tie_break,
            args=(other,),
            help="It is among the tie-breaks of all pages." if is_compared else "Adds it to the tie-breaks to compare.",
        )


def try_tie_break(name: str) -> None:
    """Add a feature to the tie-breaks to compare, in place of the last one where there is no room."""
    before = [one for one in st.session_state.get("tie", []) if one != f"feature:{name}"]
    st.session_state["tie"] = [*before[: MOST_TIE_BREAKS - 1], f"feature:{name}"]


def show_repairs(view: View) -> None:
    """Show which other feature breaks the ties of one best, and which rank one after the other."""
    if len(view.features) < 2:
        st.info("Load another feature: there is none that could break ties.")
        return
    if not view.has_tie_breakers:
        st.info(f"No tie-breaker can be tried: {words.NEEDS_DOCUMENTS}.", icon=":material/info:")
        return
    feature, name = feature_for(view, "Break the ties of"), str(view.measure)
    with page.progress("Trying tie-breakers", of="tie-breakers", key=(view.key, feature)) as report:
        found = cached.study(view, advice, feature=feature, progress=report).droplevel("feature")
    board = view.leaderboard
    before = {column: float(board[column].loc[feature]) for column in ("expected", "worst", "best")}
    if abs(before["best"] - before["worst"]) <= SAME:
        page.say(f"No tie of {words.bold(feature)} changes the value: there is nothing to break.")
        return
    page.say(advice_answer(found, feature=feature, measure=name, before=before["expected"]))
    higher_is_better = view.measure.higher_is_better
    page.chart(
        advice_chart(found, before=before, measure=name, look=page.look(), higher_is_better=higher_is_better),
        key="ties_advice",
        alt=f"Effect of each other feature on {feature} as its tie-breaker",
        stem=f"tie-breakers of {feature}",
    )
    if len(found) > MOST_TIE_BREAKERS:
        page.note(f"The {MOST_TIE_BREAKERS} best of {words.count(len(found))}; the export holds all.")
    tables, shows = {"Tie-breakers": found}, [f"advice(evaluation, {quoted(feature)}, {{measure}})"]
    if view.evaluation.counted.sum() >= FEW_QUERIES:
        with page.progress("Building a chain", key=(view.key, feature)) as report:
            links = cached.study(view, chain, feature=feature, progress=report)
        page.say(chain_answer(links, measure=name))
        tables["Chain"] = links
        shows.append(f"chain(evaluation, {quoted(feature)}, {quoted(name)})")
    page.note(
        "The best of many looks better than it is. So each step of the chain is tested twice: on queries that had no "
        "part in the choice, and against the best of all candidates with their gains flipped at random."
    )
    offers.offer(
        view,
        name="repairs",
        tables=tables,
        recipe=Recipe(
            shows=shows,
            diagnostics=[show.partition("(")[0] for show in shows],
            command="ties",
            feature=feature,
            arguments=["--part", "advice"],
        ),
    )
