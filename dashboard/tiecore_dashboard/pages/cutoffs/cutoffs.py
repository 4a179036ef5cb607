"""Cut-offs: what a measure says as more of each list counts, and where the order of the features changes."""

from collections.abc import Collection
from typing import Any

import numpy as np
import streamlit as st

from tiecore.board.cutoffs import MOST_CURVES, banded_of, of_ties
from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.reproduce import Recipe
from tiecore_dashboard.pages.cutoffs.answer import clear_at, cutoffs_of
from tiecore_dashboard.pages.cutoffs.charts import beside_lines, curve_chart, faded, lead_chart
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.link import keep_in_link

CHOICE = "cutoffs_features"
TITLES = {"cutoff": "From k", "ahead": "Feature", "behind": "passes", "place": "Place", "verdict": "Verdict"}
CROSSINGS = {
    "cutoff": "first cut-off in the new order",
    "place": "place of the feature ahead, among all that are compared",
    "verdict": "clear where the order of the two is clear both before it and, the other way round, after it",
}


def choose_features(view: View) -> list[str]:
    """Let a few features be chosen, at first those that lead, and the best; what is highlighted is drawn besides."""
    known = st.session_state.get(CHOICE, st.query_params.get_all(CHOICE) or None)
    if known is None or not set(known) <= set(view.features):
        chosen = [name for name in known or () if name in view.features]
        known = chosen or [*page.work("Counting to every cut-off", view, cutoffs_of).drawn.index.unique("feature")]
    st.session_state[CHOICE] = known[:MOST_CURVES]
    chosen = st.multiselect(
        "Features",
        list(view.features),
        key=CHOICE,
        persist_state="session",  # bound to the link it would write short names into it
        format_func=page.short(view.features, 32, 48).__getitem__,
        max_selections=MOST_CURVES,
        placeholder=f"Choose up to {MOST_CURVES} features",
        label_visibility="collapsed",
        help="At first those that lead at some cut-off, and the best by the sidebar.",
    )
    keep_in_link(CHOICE, chosen)
    drawn = dict.fromkeys([*chosen, *page.highlighted(view)] if chosen else ())
    return [name for name in view.leaderboard.index if name in [*drawn][:MOST_CURVES]]


@page.part
def explore(view: View) -> None:
    """The answer, the curves and their crossings, for the features that the user chooses."""
    answer = st.container()
    names = choose_features(view)
    if not names:
        st.info("Choose a feature to draw.", icon=":material/info:")
        return
    found = page.work("Counting to every cut-off", view, cutoffs_of, tuple(names))
    family, drawn, placed, passed = found.measures[0], found.drawn, found.placed, found.passed
    with answer:
        page.say(found.sentence, found.details)

    def named(some: Collection[str]) -> str:
        return words.in_markdown(words.enumerate_names([*map(words.cut, some)]))

    marked, look = [name for name in page.highlighted(view) if name in names], page.look()
    if marked:
        page.note(f"Highlighted: {named(marked)}. A click on the curve ends that.")
    banded, colours = banded_of(drawn, marked), faded(page.colours(view.coloured, names), marked, look)
    # a narrow screen has no room for the names beside the lines: it cuts them off, and shows them above the picture
    st.html(f"<style>.stMain {{ --beside: {beside_lines(names) - 14}px }}</style>")
    shared: Any = {"measure": found.called, "look": look, "own_cutoff": view.measure.cutoff}
    figure = curve_chart(found.against(banded[0]), colours=colours, banded=banded, ties=of_ties(family), **shared)
    page.chart(figure, key="cutoffs_curves", alt=f"{found.called} at each cut-off", on_click=page.highlight_clicked)
    curves = drawn if family.has_variance else drawn.drop(columns=["tie_low", "tie_high"])  # worst and best case
    tables = {"Curves": curves, "All places": placed, "Crossings": passed}
    if len(names) > 1:
        other, leads = found.lead(banded)
        pair = f"{words.cut(banded[0])} over {words.cut(other)}"
        st.markdown(f"**Lead of {words.in_markdown(pair)}**: they {clear_at(leads)}.")
        figure = lead_chart(leads, names, colour=colours[banded[0]], **shared)
        page.chart(figure, key="cutoffs_lead", alt=f"Lead of {pair} at each cut-off")
        verdict = np.where(leads["open"], "open", "clear")
        lead = leads.drop(columns="open").rename(columns={"difference": "lead"})
        tables[f"Lead of {pair}"] = lead.assign(verdict=verdict)
    notes = ["Bands over queries need more queries."] * (found.n_queries < FEWEST_QUERIES)
    if len(banded) < len(names):
        notes.append(f"Bands are those of {named(banded)}; click on a line to see the bands of another feature.")
    if len(names) > 1 and found.n_queries >= FEWEST_QUERIES:
        how = "clear by paired t-tests adjusted by Holm for all pairs at that k; its band is not, so it may exclude 0"
        filled = f"{how} at a hollow dot" if len(placed) > 2 else "its band excludes 0"
        notes.append(f"Filled dots of the lead: {filled}. Nothing is adjusted over the cut-offs.")
    if notes:
        page.note(" ".join(notes))
    if len(passed):
        n_clear = (passed["verdict"] == "clear").sum() or "none"
        title = f"Crossings of the features drawn: {len(passed)}, {n_clear} of them clear"
        marked_so = passed.assign(verdict=passed["verdict"].map(words.VERDICTS) + " " + passed["verdict"])
        with st.expander(title, key="cutoffs_pass"):
            page.table(marked_so, TITLES, CROSSINGS, key="cutoffs_crossings", alt="Where features pass each other")
    menu.offer(
        view,
        name="cutoffs",
        measure=found.called,
        tables={label: one.assign(measure=found.called)[["measure", *one]] for label, one in tables.items()},
        figures=found.figures(page.colours(view.coloured, names, on=LIGHT), banded, view.measure.cutoff),
        recipe=Recipe(shows=["evaluation.summary"], measures=found.measures, command="evaluate", gives="The values"),
    )


alone = "How does the value change with the cut-off k?"
view = page.view("Cut-offs", "How do values and leads change with the cut-off k?", alone=alone)
explore(view)
