"""Cut-offs: what a measure says as more of each list counts, and where the order of the features changes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pandas as pd
import streamlit as st

from tiecore.diagnostics import CUTOFFS, curves
from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore.evaluation.result import Evaluation
from tiecore.measures import FAMILIES, Measure
from tiecore.stability import clearly_better
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.columns import columns
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe
from tiecore_dashboard.export.studio import drawn_by
from tiecore_dashboard.pages.cutoffs.answer import crossings_of, cutoffs_answer
from tiecore_dashboard.pages.cutoffs.charts import MOST_CURVES, banded_of, beside_lines, curve_chart, faded, place_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

NEARBY = {
    "Rprec": "P", "Bpref": "AP", "GMAP": "AP", "ESL": "RR", "PRR": "RR", "SetP": "P", "SetR": "R", "SetF": "F1",
    "IPrec": "P",
}  # fmt: skip
"""Families without a cut-off, and one that has it and asks nearly the same."""
USUAL, FEW = 4, 6
"""Features that are drawn at first, of few all."""
MOST_WORK, SLOW = 300_000_000, 10
"""Documents times cut-offs that are counted for all features, beyond that only for those that are drawn; and how much
longer a measure takes whose cut-offs share no work, as ERR's do not."""
_HALF = NormalDist().inv_cdf(0.975)
CHOICE = "cutoffs_features"
CROSSINGS = {
    "cutoff": "first cut-off in the new order",
    "place": "place of the feature ahead",
    "verdict": "clear where the order of the two is clear both before it and, the other way round, after it",
}


def family_of(measure: Measure) -> Measure:
    """Find the measure itself, or one near to it that has a cut-off."""
    if measure.cutoff_rule != "none":
        return measure
    rel = {"rel": measure.threshold}  # a parameter of these families, not of all measures
    return FAMILIES[NEARBY.get(measure.name, "AP")](cutoff=1, **rel)


def longest_list(evaluation: Evaluation, names: tuple[str, ...]) -> int:
    """Documents in the longest list of some features."""
    rows = (evaluation.rows(name) for name in names)
    return max(int(np.bincount(one.query, weights=one.count).max(initial=0)) for one in rows)


def cutoffs_to(depth: int, own: int | None) -> list[int]:
    """Cut-offs from 1 to the longest list, close together where it matters; that of the dashboard among them."""
    deepest = max(1, min(depth, CUTOFFS[-1]))
    steps = [k for k in CUTOFFS if k <= 10 or k < 0.9 * deepest]  # none right before the last
    return sorted({k for k in (*steps, deepest, own or 1) if k <= deepest})


def counted(view: View, family: Measure, names: Sequence[str]) -> tuple[View, tuple[Measure, ...], tuple[str, ...]]:
    """Evaluate at every cut-off: all features, or where that takes too long those that are drawn.

    Returns the view with the values, the measures, and the features that are compared.
    """
    work = view.evaluation.alignment.n_ranked() * len(CUTOFFS) * (1 if family.has_variance else SLOW)
    scope = tuple(view.features)
    if work > MOST_WORK and view.settings.options.queries != "common":
        scope = tuple(names)
        features = tuple(feature for feature in view.dataset.features if feature.name in names)
        view = replace(view, dataset=replace(view.dataset, features=features))
    depth = longest_list(view.evaluation, scope)
    measures = tuple(replace(family, cutoff=k) for k in cutoffs_to(depth, view.measure.cutoff))
    with page.progress("Counting to every cut-off", key=(view.key, measures)) as report:
        evaluation = cached.evaluation(view.dataset, view.settings, measures=measures, tie_breaks=(), progress=report)
    return replace(view, evaluation=evaluation), measures, scope


def values_at(evaluation: Evaluation, *, measures: tuple[Measure, ...], features: tuple[str, ...]) -> pd.DataFrame:
    """Return values and places at every cut-off with both bands: index (feature, k)."""
    cutoffs = [int(one.cutoff or 1) for one in measures]
    found = curves(evaluation, measures[0], cutoffs=cutoffs, features=features)
    found = found.rename_axis(["feature", "k"])
    ends = found[["worst", "best"]].to_numpy().T
    if measures[0].has_variance:  # of the normal distribution, held inside worst and best case
        sd = evaluation.summary["sd"].reindex([(str(one), name) for one in measures for name in features])
        ends = np.clip(found["expected"].to_numpy() + np.outer([-_HALF, _HALF], sd), *np.sort(ends, axis=0))
    return found.assign(tie_low=ends[0], tie_high=ends[1])


def better_at(evaluation: Evaluation, *, measures: tuple[Measure, ...]) -> dict[int, pd.DataFrame]:
    """Return which features are clearly better than which at every cut-off."""
    return {int(one.cutoff or 1): clearly_better(evaluation, one) for one in measures}


def choose_features(view: View) -> list[str]:
    """Let a few features be chosen; at first those that are highlighted, else the best."""
    best = view.leaderboard.index[: FEW if len(view.features) <= FEW else USUAL]
    usual = list(page.highlighted(view) or best)[:MOST_CURVES]
    known = st.session_state.get(CHOICE, st.query_params.get_all(CHOICE) or None)
    if known is None or not set(known) <= set(view.features):
        st.session_state[CHOICE] = [name for name in known or () if name in view.features] or usual
    chosen = st.multiselect(
        "Features",
        list(view.features),
        key=CHOICE,
        bind="query-params",
        max_selections=MOST_CURVES,
        placeholder=f"Choose up to {MOST_CURVES} features",
        label_visibility="collapsed",
        help="At first the best by the measure and cut-off of the sidebar, or those you have highlighted.",
    )
    return [name for name in view.leaderboard.index if name in chosen]


@page.part
def explore(view: View) -> None:
    """The answer, the curves and their crossings, for the features that the user chooses."""
    answer = st.container()
    names = choose_features(view)
    if not names:
        st.info("Choose a feature to draw.", icon=":material/info:")
        return
    family = family_of(view.measure)
    inner, measures, scope = counted(view, family, names)
    family_name = re.sub(r"@\d+", "", called(family))
    values = cached.study(inner, values_at, measures=measures, features=scope)
    better = cached.study(inner, better_at, measures=measures)
    drawn, placed = values.loc[names], values["place"].unstack("k")
    passed = crossings_of(placed.loc[names], better)
    with answer:
        of_all = len(scope) == len(view.features)
        sentence, details = cutoffs_answer(placed, drawn, passed, better, measure=family_name, of_all=of_all)
        leads = (placed.loc[:, placed.max() > 1] == 1).any(axis=1).drop(names)
        if unseen := [words.bold(str(name)) for name in leads.index[leads]]:
            details.append(f"Not drawn, unless chosen below: {words.enumerate_names(unseen)}.")
        page.say(sentence, details=details)
        if family is not view.measure:
            page.note(
                f"{words.in_markdown(view.measure.name)} takes no cut-off; shown instead: "
                f"{words.in_markdown(family.name)}, which asks nearly the same and has one."
            )

    marked, look = page.highlighted(view), page.look()
    banded, colours = banded_of(names, marked), faded(page.colours(view.features, names), marked, look)
    # a narrow screen has no room for the names beside the lines: it cuts them off, and shows them above the picture
    st.html(f"<style>.stMain {{ --beside: {beside_lines(names) - 14}px }}</style>")
    page.chart(
        curve_chart(
            drawn,
            measure=family_name,
            look=look,
            colours=colours,
            banded=banded,
            own_cutoff=view.measure.cutoff,
        ),
        key="cutoffs_curves",
        alt=f"{family_name} at each cut-off",
        on_click=page.highlight_clicked,
    )
    if len(scope) > 1:
        st.markdown(f"**Places {'among all features' if of_all else 'among the features drawn'}**")
        page.chart(
            place_chart(placed.loc[names], look=look, colours=colours, own_cutoff=view.measure.cutoff),
            key="cutoffs_places",
            alt="Place of each feature at each cut-off",
            on_click=page.highlight_clicked,
        )
    ties = "95\u00a0% of random tie-breaks" if family.has_variance else "from the worst to the best case"
    n_queries = int(inner.evaluation.counted[0].sum())
    over = "too few of them" if n_queries < FEWEST_QUERIES else "95\u00a0% confidence interval"
    looked_at = ", ".join(str(measure.cutoff) for measure in measures)
    whose = words.in_markdown(words.enumerate_names([*map(words.cut, banded)]))
    only = "" if len(banded) == len(names) else f" Bands are those of {whose}: a click on a line highlights another."
    page.note(f"Over queries: {over}. Of ties: {ties}.{only} Evaluated at k = {looked_at}; straight lines in between.")
    if len(passed):
        n_clear = int((passed["verdict"] == "clear").sum()) or "none"
        with st.expander(f"Crossings of the features drawn: {len(passed)}, {n_clear} of them clear", key="cutoffs_box"):
            page.table(
                passed.assign(verdict=[f"{words.VERDICTS[verdict]} {verdict}" for verdict in passed["verdict"]]),
                key="cutoffs_crossings",
                hides_index=True,
                alt="Where features pass each other",
                columns=columns(
                    {
                        "cutoff": "From k",
                        "ahead": "Feature",
                        "behind": "passes",
                        "place": "Place",
                        "verdict": "Verdict",
                    },
                    CROSSINGS,
                ),
            )
    offers.offer(
        view,
        name="cutoffs",
        tables={"Curves": drawn, "Places": placed, "Crossings": passed},
        figures={
            "Curves": drawn_by(
                "curves",
                drawn.rename_axis(["feature", "cutoff"]),
                page.colours(view.features, names, on=LIGHT),
                measure=family_name,
                n_queries=n_queries,
                answer=words.plain(sentence),
                ties=ties,
                banded=banded,
            )
        },
        recipe=Recipe(shows=["evaluation.summary"], measures=measures),
    )


view = page.view("Cut-offs", "How do values and places change with the cut-off k?")
explore(view)
