"""Two parts of the page Ties: how coarsely a feature may be stored, and which other feature breaks its ties best."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tiecore.diagnostics import advice, chain, hidden_ties, precision_curve
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.columns import shown
from tiecore_dashboard.charts.look import Figure, Look
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.ties.answer import (
    advice_answer,
    advice_line,
    chain_answer,
    further_line,
    hidden_answer,
    precision_answer,
)
from tiecore_dashboard.pages.ties.remedies_charts import MOST_TIE_BREAKERS, advice_chart, advice_map, precision_chart
from tiecore_dashboard.pages.ties.tables import advice_columns, chain_columns, hidden_columns, precision_columns
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_feature
from tiecore_dashboard.state.sidebar import MOST_TIE_BREAKS
from tiecore_dashboard.words import SAME

__all__ = ["advise", "feature_for", "show_advice", "show_precision"]

FEW_VALUES = 3_000_000
"""Values (documents times tie-breakers) that are computed without being asked for."""
ASKED = "ties_asked"
ASKED_ADVICE = "ties_asked_advice"
FEW_QUERIES = 2
"""Queries that a test on held-out ones needs."""
MOST_ADVICE = 3
"""Features for which a tie-breaker is looked for unasked: those whose value ties can change most."""


def advise(view: View) -> None:
    """Open the page with what can be done: the best tie-breaker of the features that need one most, to be tried."""
    n_others = len(view.features) - 1
    values = view.evaluation.alignment.n_ranked() * n_others
    if not n_others or not view.has_tie_breakers or view.evaluation.counted.sum() < FEW_QUERIES:
        return
    if values > FEW_VALUES and st.session_state.get(ASKED_ADVICE) != view.key:
        st.button(
            "Look for the best tie-breakers",
            icon=":material/tips_and_updates:",
            on_click=lambda: st.session_state.update({ASKED_ADVICE: view.key}),
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
    found.sort(key=lambda links: (not is_clear(links), -float(links["held_out_gain"].iloc[1])))
    if found:
        with st.container(border=True, key="ties_card"):
            for place, links in enumerate(found):
                show_piece(view, links, place=place, spread=float(spread.loc[links["feature"].iloc[0]]))
            page.note(
                "Gains are those on queries that had no part in choosing the tie-breaker, with their 95 % confidence "
                "interval, which is approximate where ties matter on few queries. *Real* here: the gain holds on those "
                "queries and is more than the best of as many random tie-breakers would bring. *Tie-breakers* below "
                "has the whole search."
            )


def is_clear(links: pd.DataFrame) -> bool:
    """Return whether the first tie-breaker of a chain brings more than chance."""
    return str(links["verdict"].iloc[1]).startswith("clear")


def show_piece(view: View, links: pd.DataFrame, *, place: int, spread: float) -> None:
    """Show one piece of advice with a button that takes it."""
    other = str(links["feature"].iloc[1])
    icon = ":material/tips_and_updates:" if is_clear(links) else ":material/help:"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        line = advice_line(links, measure=str(view.measure), spread=spread)
        further = further_line(links)
        st.markdown(f"{icon} {line}{f'  {chr(10)}:small[{further}]' if further else ''}", width="stretch")
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


def show_chain(view: View, feature: str) -> pd.DataFrame | None:
    """Show the chain of features that begins with one, and what each step adds."""
    if view.evaluation.counted.sum() < FEW_QUERIES:
        return None
    st.header("A chain of tie-breakers", anchor=False)
    with page.progress("Building a chain", key=(view.key, feature)) as report:
        links = cached.study(view, chain, feature=feature, progress=report)
    st.html(f'<div class="answer">{chain_answer(links, measure=str(view.measure))}</div>')
    if len(links) > 1:
        columns = chain_columns()
        page.table(
            shown(links.reset_index().set_index("link"), columns),
            key="ties_chain",
            columns=columns,
            alt="Features that rank one after the other",
        )
        page.note(
            "Each step takes the feature that gains most, so it is tested twice: on queries that had no part in the "
            "choice, and against the best of all candidates where their gains are flipped at random (p)."
        )
    return links


def feature_for(view: View, label: str) -> str:
    """Let a feature be chosen, the same for all parts of the page."""
    return choose_feature(view, label, key="ties_feature", width=320)


def show_precision(view: View, look: Look) -> None:
    """Show how coarsely a feature may be stored, and whether its ties were hidden."""
    feature = feature_for(view, "Feature")
    with page.progress("Rounding scores", of="precisions", key=(view.key, feature)) as report:
        curve = cached.study(view, precision_curve, feature=feature, progress=report)
    name = str(view.measure)
    st.html(f'<div class="answer">{precision_answer(curve, feature=feature, measure=name)}</div>')

    def draw(look: Look) -> Figure:
        return precision_chart(curve, measure=name, look=look, higher_is_better=view.measure.higher_is_better)

    page.chart(
        draw(look),
        key="ties_precision",
        alt=f"Expectation and tied share of {feature} in each precision",
        stem=f"precision {feature}",
    )
    with st.expander("All precisions as a table"):
        columns = precision_columns()
        page.table(shown(curve, columns), key="ties_precisions", columns=columns, alt="What each precision costs")
    st.header("Hidden ties", anchor=False)
    with page.progress("Looking for hidden ties", key=view.key) as report:
        hidden = cached.study(view, hidden_ties, progress=report)
    st.html(f'<div class="answer">{hidden_answer(hidden)}</div>')
    if (hidden["restore"] != "").any():
        page.note("Choose that precision in the sidebar, under *Score precision*, to have the ties back.")
    with st.expander("Features in other precisions", expanded=bool((hidden["note"] != "").any())):
        show_hidden(hidden)
    offers.offer(
        view,
        name="precision",
        tables={"Precisions": curve, "Hidden ties": hidden},
        recipe=Recipe(
            shows=[f"precision_curve(evaluation, {quoted(feature)}, {{measure}})", "hidden_ties(evaluation)"],
            diagnostics=["hidden_ties", "precision_curve"],
            command="ties",
            arguments=["--part", "precision,hidden"],
            feature=feature,
        ),
    )


def show_hidden(hidden: pd.DataFrame) -> None:
    """Show what coarser comparisons would tie."""
    columns = hidden_columns([column for column in hidden.columns if column.startswith("tied")])
    page.table(
        shown(hidden, columns), key="ties_hidden", columns=columns, alt="Ties that a coarser comparison would find"
    )


def show_advice(view: View, look: Look) -> None:
    """Show which other feature breaks the ties of one best; all pairs if asked for."""
    if len(view.features) < 2:
        st.info("Load another feature: there is none that could break ties.")
        return
    if not view.has_tie_breakers:
        st.info(f"No tie-breaker can be tried: {words.NEEDS_DOCUMENTS}.", icon=":material/info:")
        return
    feature = feature_for(view, "Break the ties of")
    with page.progress("Trying tie-breakers", of="tie-breakers", key=(view.key, feature)) as report:
        found = cached.study(view, advice, feature=feature, progress=report).droplevel("feature")
    board = view.leaderboard
    before = {column: float(board[column].loc[feature]) for column in ("expected", "worst", "best")}
    can_gain = abs(before["best"] - before["worst"]) > SAME
    sentence = advice_answer(found, feature=feature, before=before["expected"], can_gain=can_gain)
    st.html(f'<div class="answer">{sentence}</div>')
    if can_gain:

        def draw(look: Look) -> Figure:
            return advice_chart(
                found,
                before=before,
                measure=str(view.measure),
                look=look,
                higher_is_better=view.measure.higher_is_better,
            )

        page.chart(
            draw(look),
            key="ties_advice",
            alt=f"Effect of each other feature on {feature} as its tie-breaker",
            stem=f"tie-breakers of {feature}",
        )
        if len(found) > MOST_TIE_BREAKERS:
            page.note(f"The {MOST_TIE_BREAKERS} best of {words.count(len(found))}; the table lists all.")
        columns = advice_columns()
        page.table(shown(found, columns), key="ties_others", columns=columns, alt="Other features as tie-breakers")
        page.note("The best of many looks better than it is: check z, or test it on other queries.")
    tables = {"Tie-breakers": found}
    links = show_chain(view, feature) if can_gain else None
    if links is not None:
        tables["Chain"] = links
    everything = show_all_advice(view, look)
    if everything is not None:
        tables["All tie-breakers"] = everything
    offers.offer(
        view,
        name="tie-breakers",
        tables=tables,
        recipe=Recipe(
            shows=[
                f"advice(evaluation, {quoted(feature)}, {{measure}})",
                *([f"chain(evaluation, {quoted(feature)}, {quoted(str(view.measure))})"] if links is not None else []),
            ],
            diagnostics=["advice", *(["chain"] if links is not None else [])],
            command="ties",
            feature=feature,
            arguments=["--part", "advice"],
        ),
    )


def show_all_advice(view: View, look: Look) -> pd.DataFrame | None:
    """Try every feature as tie-breaker of every other one; if that is much work, only when asked for."""
    st.header("Every feature as tie-breaker of every other", anchor=False)
    n_pairs = len(view.features) * (len(view.features) - 1)
    n_documents = view.evaluation.alignment.n_ranked()
    if n_documents * (len(view.features) - 1) > FEW_VALUES and st.session_state.get(ASKED) != view.key:
        st.button(
            f"Try all {words.count(n_pairs)} pairs",
            type="primary",
            on_click=lambda: st.session_state.update({ASKED: view.key}),
            icon=":material/grid_on:",
        )
        page.note("Progress is shown, and the work can be stopped.")
        return None
    with page.progress("Trying all pairs", of="pairs", key=view.key) as report:
        everything = cached.study(view, advice, feature=None, progress=report)
    if (everything["spread_removed"].abs() <= SAME).all() and (everything["gained"].abs() <= SAME).all():
        page.note("No tie-breaker changes a value.")
        return None
    page.chart(
        advice_map(gains(view, everything), look=look),
        key="ties_map",
        alt="What each feature gains with each other one as tie-breaker",
        stem="tie-breakers",
    )
    page.note("Rows: the feature whose ties are broken. Columns: the one that breaks them. Blue gains, orange loses.")
    best = everything[everything["gained"] > SAME].groupby(level="feature", sort=False).head(3)
    with st.expander("The best three for each feature"):
        columns = advice_columns()
        page.table(
            shown(best.reset_index().set_index("feature"), columns),
            key="ties_best",
            columns=columns,
            alt="The best tie-breakers of each feature",
        )
    return everything


def gains(view: View, everything: pd.DataFrame) -> pd.DataFrame:
    """What each feature (row) gains by each other one (column), both in order of the expectation."""
    names = list(view.leaderboard.index)
    return everything["gained"].unstack("other").reindex(index=names, columns=names)
