"""Cut-offs: what a measure says as more of each list counts, and where the order of the features changes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from tiecore.diagnostics import CUTOFFS, crossings, curves
from tiecore.evaluation.intervals import central_interval, needs_draws
from tiecore.evaluation.result import Evaluation
from tiecore.measures import FAMILIES, Measure
from tiecore.ties.tie_breaks import tie_break
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import Figure, Look
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.figures import curves_of
from tiecore_dashboard.export.reproduce import Recipe
from tiecore_dashboard.pages.cutoffs.answer import cutoffs_answer
from tiecore_dashboard.pages.cutoffs.charts import BANDS, MOST_CURVES, curve_chart, place_chart
from tiecore_dashboard.pages.cutoffs.tables import crossing_columns, value_columns
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part
from tiecore_dashboard.words import in_markdown

NEARBY = {
    "Rprec": "P", "Bpref": "AP", "GMAP": "AP", "ESL": "RR", "PRR": "RR", "SetP": "P", "SetR": "R", "SetF": "F1",
    "IPrec": "P",
}  # fmt: skip
"""Families without a cut-off, and one that has it and asks nearly the same."""
USUAL = 4
DRAWS = 200
MOST_WORK = 300_000_000
"""Documents times cut-offs that are counted for all features; beyond that only for those that are drawn."""
SLOW = 10
"""How much longer a measure takes whose cut-offs share no work, as ERR's do not."""
MOST_DRAWN = 60_000_000
"""Documents that are shuffled and counted unasked; a list costs as much as so many of them:"""
LIST_COST = 3_000
CHOICE, DRAWN = "cutoffs_features", "cutoffs_drawn"


def family_of(measure: Measure) -> Measure:
    """Find the measure itself, or one near to it that has a cut-off."""
    if measure.cutoff_rule != "none":
        return measure
    return FAMILIES[NEARBY.get(measure.name, "AP")](cutoff=1, **rel_of(measure))


def rel_of(measure: Measure) -> dict[str, int]:
    """Threshold of relevance of a measure, as a parameter for another."""
    return {"rel": measure.threshold}


def name_of(measure: Measure) -> str:
    """Name of the family without a cut-off."""
    return str(measure).rpartition("@")[0] or str(measure)


def longest_list(evaluation: Evaluation, names: tuple[str, ...]) -> int:
    """Documents in the longest list of some features."""
    rows = (evaluation.rows(name) for name in names)
    return max(int(np.bincount(one.query, weights=one.count).max(initial=0)) for one in rows)


def cutoffs_to(depth: int, own: int | None) -> list[int]:
    """Cut-offs from 1 to the longest list, close together where it matters; that of the dashboard among them."""
    deepest = max(1, min(depth, CUTOFFS[-1]))
    steps = [k for k in CUTOFFS if k <= 10 or k < 0.9 * deepest]  # none right before the last
    return sorted({k for k in (*steps, deepest, own or 1) if k <= deepest})


def narrowed(view: View, names: Sequence[str], tie_breaks: Sequence[str]) -> View:
    """Leave all features out but some and those that break their ties."""
    kept = {*names, *(tie_break(name).argument for name in tie_breaks if name.startswith("feature:"))}
    features = tuple(feature for feature in view.dataset.features if feature.name in kept)
    return replace(view, dataset=replace(view.dataset, features=features))


def central(view: View, measures: Sequence[Measure]) -> pd.DataFrame:
    """Central 95 % of random tie-breaks at every cut-off: index (feature, k)."""
    parts = []
    with page.progress("Drawing at every cut-off", of="cut-offs", key=(view.key, tuple(measures))) as report:
        for done, measure in enumerate(measures):
            report(done, len(measures))
            ends = cached.study(view, central_interval, measure=measure, draws=DRAWS)
            parts.append(ends.assign(k=measure.cutoff).set_index("k", append=True))
    return pd.concat(parts)


def remember_request(request: object) -> None:
    """Keep for what the user wants random tie-breaks drawn."""
    st.session_state[DRAWN] = request


def choose_features(view: View) -> list[str]:
    """Let a few features be chosen; at first those that are highlighted, else the best."""
    usual = list(page.highlighted(view) or view.leaderboard.index[:USUAL])[:MOST_CURVES]
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


def choose_look(view: View) -> tuple[list[str], tuple[str, ...], bool]:
    """Let bands, marks of tie-breaks and the axis be chosen; folded, for most people leave them."""
    with st.popover("Display", icon=":material/tune:", width="content"):
        bands = st.pills(
            "Bands",
            BANDS,
            selection_mode="multi",
            default=[BANDS[1]],
            key="cutoffs_bands",
            bind="query-params",
            help="Light band: worst to best case. Darker band: 95 % of random tie-breaks.",
        )
        marked: list[str] = []
        if view.tie_breaks:
            marked = st.pills(
                "Marks",
                view.tie_breaks,
                selection_mode="multi",
                key="cutoffs_marks",
                format_func=lambda name: in_markdown(words.known_as(name)),
                help="The tie-breaks of the sidebar: mark the values under them.",
            )
        axis = choose_part(
            "Axis of k",
            ["log", "linear"],
            key="cutoffs_axis",
            help="**log** gives the small cut-offs room, **linear** is as long as the lists.",
        )
    return list(bands), tuple(name for name in view.tie_breaks if name in marked), axis == "log"


def show_crossings(passed: pd.DataFrame) -> None:
    """Where the features that are drawn pass each other."""
    if passed.empty:
        return
    with st.expander(f"Crossings of the features drawn ({words.count(len(passed))})", key="cutoffs_crossings_box"):
        page.table(
            passed.set_index("cutoff"),
            key="cutoffs_crossings",
            alt="Where features pass each other",
            columns=crossing_columns(),
        )


def show_values(curves: pd.DataFrame, names: Sequence[str]) -> None:
    """The expectations as a table: a row a cut-off, a column a feature."""
    values = curves["expected"].unstack("feature")[list(names)]
    with st.expander("Expected values", key="cutoffs_values_box"):
        page.table(
            values,
            key="cutoffs_values",
            alt="Expected value of each feature drawn at each cut-off",
            columns=value_columns(names),
        )


def counted(
    view: View, family: Measure, names: Sequence[str], tie_breaks: tuple[str, ...]
) -> tuple[View, tuple[Measure, ...], tuple[str, ...]]:
    """Evaluate at every cut-off: all features, or where that takes too long those that are drawn.

    Returns the view with the values, the measures, and the features that are compared.
    """
    n_documents = view.evaluation.alignment.n_ranked()
    work = n_documents * len(CUTOFFS) * (1 if family.has_variance else SLOW)
    of_all = work <= MOST_WORK or view.settings.options.queries == "common"
    scope = tuple(view.features) if of_all else tuple(names)
    depth = cached.study(view, longest_list, scope)
    measures = tuple(replace(family, cutoff=k) for k in cutoffs_to(depth, view.measure.cutoff))
    inner = view if of_all else narrowed(view, names, tie_breaks)
    with page.progress("Counting to every cut-off", key=(view.key, measures)) as report:
        evaluation = cached.evaluation(
            inner.dataset, view.settings, measures=measures, tie_breaks=tie_breaks, progress=report
        )
    return replace(inner, evaluation=evaluation), measures, scope


@page.part
def explore(view: View) -> None:
    """The answer, the curves and their crossings, for the features that the user chooses."""
    answer = st.container()
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="cutoffs_bar"):
        names = choose_features(view)
        bands, marked, is_log = choose_look(view)
    if not names:
        st.info("Choose a feature to draw.", icon=":material/info:")
        return
    family = family_of(view.measure)
    inner, measures, scope = counted(view, family, names, marked)
    of_all = len(scope) == len(view.features)
    cutoffs = tuple(one.cutoff for one in measures)
    values = cached.study(inner, curves, measure=family, cutoffs=cutoffs, features=scope, tie_breaks=marked)
    over_queries = values.loc[names]
    values = values.rename_axis(["feature", "k"])
    ends = central_where_quick(inner, measures, names) if BANDS[1] in bands else None
    known = pd.DataFrame(columns=["low", "high"], dtype=float) if ends is None else ends[["low", "high"]]
    values[["low", "high"]] = known.reindex(values.index)
    drawn = values.loc[names]
    placed = values["place"].unstack("k")
    placed_drawn = placed.loc[names]
    passed = crossings(placed_drawn)
    with answer:
        sentence, details = cutoffs_answer(placed, passed, drawn, measure=name_of(family), of_all=of_all)
        page.say(sentence, details=details)
        if family is not view.measure:
            page.note(
                f"{in_markdown(view.measure.name)} takes no cut-off; shown instead: {in_markdown(family.name)}, "
                "which asks nearly the same and has one."
            )

    look = page.look()

    def draw_curves(look: Look) -> Figure:
        return curve_chart(
            drawn,
            measure=name_of(family),
            look=look,
            bands=bands,
            tie_breaks=marked,
            highlighted=page.highlighted(view),
            own_cutoff=view.measure.cutoff,
            is_log=is_log,
        )

    def draw_places(look: Look) -> Figure:
        return place_chart(
            placed_drawn, look=look, highlighted=page.highlighted(view), own_cutoff=view.measure.cutoff, is_log=is_log
        )

    page.chart(
        draw_curves(look),
        key="cutoffs_curves",
        alt=f"{name_of(family)} at each cut-off",
        on_click="highlight",
        stem=f"cut-offs {name_of(family)}",
    )
    if len(scope) > 1:
        st.markdown(f"**Places {'among all features' if of_all else 'among the features drawn'}**")
        page.chart(
            draw_places(look),
            key="cutoffs_places",
            alt="Place of each feature at each cut-off",
            on_click="highlight",
            stem=f"places by cut-off {name_of(family)}",
        )
    has_ties = (drawn["worst"] != drawn["best"]).any()
    looked_at = ", ".join(str(measure.cutoff) for measure in measures)
    drawn_as = f"Band: {' (light) and '.join(band for band in BANDS if band in bands)}. " if bands and has_ties else ""
    page.note(f"{drawn_as}Evaluated at k = {looked_at}; straight lines in between.")
    show_crossings(passed)
    show_values(values, names)
    offers.offer(
        view,
        name="cutoffs",
        tables={"Curves": drawn, "Places": placed, "Crossings": passed},
        figures=curves_of(
            over_queries,
            measure=name_of(family),
            n_queries=view.evaluation.alignment.n_queries,
            tie_breaks=marked,
        ),
        recipe=Recipe(shows=["evaluation.summary"], measures=measures),
    )


def central_where_quick(view: View, measures: Sequence[Measure], names: Sequence[str]) -> pd.DataFrame | None:
    """Central 95 % at every cut-off; where it has to be drawn and would take long, only when it is asked for."""
    if not needs_draws(view.evaluation, measures[0]):
        return central(view, measures)
    n_documents = view.evaluation.alignment.n_ranked(names)
    work = DRAWS * len(measures) * (LIST_COST * len(names) + n_documents)
    request = (view.dataset.judgments, tuple(names), measures, view.settings.options)
    if work > MOST_DRAWN and st.session_state.get(DRAWN) != request:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(":gray[Here the 95 % band has to be drawn from random tie-breaks.]", width="content")
            st.button(
                f"Draw {DRAWS} at each cut-off", on_click=remember_request, args=(request,), icon=":material/casino:"
            )
        return None
    inner = narrowed(view, names, ()) if view.settings.options.queries != "common" else view
    evaluation = cached.evaluation(inner.dataset, view.settings, measures=measures, tie_breaks=())
    return central(replace(inner, evaluation=evaluation), measures)


view = page.view("Cut-offs", "How do values and places change with the cut-off k?")
explore(view)
