"""Ties: how tied each feature is, what the tie-breaks know, and what can be done about it."""

import pandas as pd
import streamlit as st

from dashboard import cached, offers, page, words
from dashboard.answers import SAME
from dashboard.answers.ties import advice_answer, bias_lines, hidden_answer, precision_answer, ties_answer
from dashboard.cached import View
from dashboard.choices import choose_feature
from dashboard.figures.look import Figure, Look, marks_of
from dashboard.figures.remedies import MOST_TIE_BREAKERS, advice_chart, advice_map, precision_chart
from dashboard.figures.ties import bias_chart, cut_chart, sizes_chart, tied_chart
from dashboard.reproduce import Recipe, quoted
from dashboard.tables.columns import shown
from dashboard.tables.ties import (
    advice_columns,
    anatomy_columns,
    bias_columns,
    hidden_columns,
    pooled_columns,
    precision_columns,
)
from tiecore.diagnostics import (
    advice,
    anatomy,
    bias,
    cut_curve,
    group_sizes,
    hidden_ties,
    pooled_bias,
    precision_curve,
)

PARTS = {
    "anatomy": "How many documents are tied, and where relevance is mixed among them?",
    "cut-off": "How often does a cut-off fall into a tie?",
    "tie-breaks": "Does a tie-break know about relevance?",
    "precision": "How coarsely may a feature be stored before it costs?",
    "tie-breakers": "Which other feature would break its ties best?",
}
DRAWS = 1000
CHARTS = {"Tie-breakers": "ties_advice", "All tie-breakers": "ties_map"}
"""Keys of the charts of the tie-breakers."""
FEW_VALUES = 3_000_000
"""Values (documents times tie-breakers) that are computed without being asked for."""
TESTED, ASKED = "ties_tested", "ties_asked"


def relevance(view: View) -> int:
    """Grade from which a tie counts as mixed: that of the measure, if it has one."""
    return int(getattr(view.measure, "rel", 1))


def anatomy_of(view: View) -> pd.DataFrame:
    """Anatomy of all features, at the cut-off in use."""
    with page.progress("Looking at the ties", key=view.key) as report:
        return cached.study(view, anatomy, cutoffs=(view.settings.cutoff,), rel=relevance(view), progress=report)


def feature_for(view: View, label: str) -> str:
    """Let a feature be chosen, the same for all parts of the page."""
    return choose_feature(view, label, key="ties_feature", width=320)


def take(view: View, key: str) -> None:
    """Highlight the feature that was clicked on, or no longer, and show the sizes of its ties."""
    marked = page.highlighted(view)
    for name in page.clicked_names(key)[:1]:
        st.session_state["ties_feature"] = name
        page.highlight([one for one in marked if one != name] if name in marked else [*marked, name])


def tested(view: View) -> bool:
    """Whether the tie-breaks can be held against chance: with a variance, or once random orderings were drawn."""
    return view.measure.has_variance or st.session_state.get(TESTED) == view.key


def draws_of(view: View) -> int:
    """Random tie-breaks to draw for the test; none where it is exact."""
    return 0 if view.measure.has_variance else DRAWS


# --- anatomy ----------------------------------------------------------------------------------------------------------


def show_anatomy(view: View, described: pd.DataFrame, look: Look) -> None:
    """Show how tied each feature is, and the sizes of one feature's ties."""
    marked = page.highlighted(view)
    left, right = st.columns([3, 2], gap="medium")
    ordered = described.sort_values(["tied_mixed", "tied"], ascending=False, kind="stable")
    with left:
        page.chart(
            tied_chart(ordered, look=look, highlighted=marked),
            key="ties_shares",
            alt="Share of tied documents of each feature",
            on_click=lambda key: take(view, key),
            stem="tied documents",
        )
    with right:
        feature = feature_for(view, "Sizes of the ties of")
        page.chart(
            sizes_chart(sizes_of(view, feature), look=look),
            key="ties_sizes",
            alt=f"Documents of {feature} in ties of each size",
            stem=f"sizes of ties {feature}",
        )
    page.highlight_bar(view)
    columns = anatomy_columns(view.settings.cutoff)
    page.feature_table(view, shown(ordered, columns), key="ties_anatomy", columns=columns, alt="Anatomy of the ties")
    offers.offer(
        view,
        name="ties",
        tables={"Anatomy": described, "Sizes of the ties": sizes_of(view, feature)},
        pictures={"Tied documents": "ties_shares", "Sizes of the ties": "ties_sizes"},
        figures={
            "Tied documents": lambda look: tied_chart(ordered, look=look, highlighted=marked),
            "Sizes of the ties": lambda look: sizes_chart(sizes_of(view, feature), look=look),
        },
        recipe=Recipe(
            shows=[
                f"anatomy(evaluation, [{view.settings.cutoff}], rel={relevance(view)})",
                f"group_sizes(evaluation, {quoted(feature)}, rel={relevance(view)})",
            ],
            diagnostics=["anatomy", "group_sizes"],
            command="ties",
            arguments=["-k", str(view.settings.cutoff), "--part", "anatomy"],
        ),
    )


def sizes_of(view: View, feature: str) -> pd.DataFrame:
    """Sizes of the ties of a feature."""
    return cached.study(view, group_sizes, feature, rel=relevance(view))


# --- cut-off ----------------------------------------------------------------------------------------------------------


def show_cuts(view: View, described: pd.DataFrame, look: Look) -> None:
    """Show how often a cut-off falls into a tie, for every cut-off."""
    k = view.settings.cutoff
    depth = tuple(sorted({*range(1, 101), k}))
    with page.progress("Cutting at every rank", key=view.key) as report:
        curve = cached.study(view, cut_curve, cutoffs=depth, rel=relevance(view), progress=report)
    column = f"cut_in_mixed_tie@{k}"
    emphasised = page.highlighted(view) or tuple(
        map(str, described[column].sort_values(ascending=False, kind="stable").index[: 3 if len(described) > 3 else 8])
    )

    def draw(look: Look) -> Figure:
        return cut_chart(curve, look=look, cutoff=k, emphasised=emphasised)

    page.chart(
        draw(look),
        key="ties_cuts",
        alt="Share of queries whose cut-off falls into a tie of mixed relevance, for each cut-off",
        on_click="highlight",
        stem="cut-offs in ties",
    )
    page.highlight_bar(view)
    page.note(
        "A tie is mixed where relevant documents stand beside others: only there does it matter which of them come "
        "first. Behind the end of a list there is nothing to cut, so the lines fall where queries run out of documents."
    )
    offers.offer(
        view,
        name="cuts",
        tables={"Cut-offs in ties": curve},
        pictures={"Cut-offs in ties": "ties_cuts"},
        figures={"Cut-offs in ties": draw},
        recipe=Recipe(shows=[f"cut_curve(evaluation, rel={relevance(view)})"], diagnostics=["cut_curve"], command=""),
    )


# --- tie-breaks -------------------------------------------------------------------------------------------------------


def show_bias(view: View, look: Look) -> None:
    """Show what the tie-breaks know about relevance."""
    if not view.tie_breaks:
        st.info("Choose tie-breaks to compare in the sidebar: this page tells whether they know about relevance.")
        return
    if not tested(view):
        st.info(
            f"{words.in_markdown(str(view.measure))} has no variance in closed form, so the tie-breaks are held "
            f"against {words.count(DRAWS)} random ones.",
            icon=":material/casino:",
        )
        st.button("Draw them", type="primary", on_click=lambda: st.session_state.update({TESTED: view.key}))
        return
    with page.progress("Drawing random tie-breaks", key=view.key) as report:
        found = cached.study(view, bias, draws=draws_of(view), progress=report).droplevel("measure")
        pooled = cached.study(view, pooled_bias, draws=draws_of(view), progress=report).droplevel("measure")
    if found["z"].isna().all():
        st.info("No tie changes the value of any feature: there is nothing that a tie-break could know.")
        return
    strength = found["z"].abs().groupby(level="feature").max().sort_values(ascending=False, kind="stable")
    ordered = found.reindex(strength.index, level="feature")
    marked = page.highlighted(view)

    def draw(look: Look) -> Figure:
        return bias_chart(ordered, look=look, tie_breaks=view.tie_breaks, highlighted=marked)

    page.chart(
        draw(look),
        key="ties_bias",
        alt="How far each tie-break shifts each feature, in units of what chance would do",
        on_click="highlight",
        stem=f"bias {view.measure}",
    )
    page.highlight_bar(view)
    marks = marks_of(view.tie_breaks, look)
    named = pooled.rename(index=lambda name: f"{marks[name].glyph} {name}")
    columns = pooled_columns()
    page.table(shown(named, columns), key="ties_pooled", columns=columns, alt="What each tie-break knows")
    with st.expander("Feature by feature"):
        columns = bias_columns()
        page.table(
            shown(ordered.reset_index().set_index("feature"), columns),
            key="ties_biases",
            columns=columns,
            alt="What each tie-break knows, feature by feature",
        )
    offers.offer(
        view,
        name="bias",
        tables={"Bias": found, "Bias over all features": pooled},
        pictures={"Bias": "ties_bias"},
        figures={"Bias": draw},
        recipe=Recipe(
            shows=[f"{one}(evaluation, draws={draws_of(view)})" for one in ("bias", "pooled_bias")],
            diagnostics=["bias", "pooled_bias"],
            command="ties",
            arguments=["--draws", str(draws_of(view)), "--part", "bias,bias_features"],
        ),
    )


# --- precision --------------------------------------------------------------------------------------------------------


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
    st.subheader("Hidden ties", anchor=False)
    with page.progress("Looking for hidden ties", key=view.key) as report:
        hidden = cached.study(view, hidden_ties, progress=report)
    st.html(f'<div class="answer">{hidden_answer(hidden)}</div>')
    if (hidden["restore"] != "").any():
        page.note("Choose that precision in the sidebar, under *Scores are equal in*, to have the ties back.")
    with st.expander("Features in other precisions", expanded=bool((hidden["note"] != "").any())):
        show_hidden(hidden)
    offers.offer(
        view,
        name="precision",
        tables={"Precisions": curve, "Hidden ties": hidden},
        pictures={"Precisions": "ties_precision"},
        figures={"Precisions": draw},
        recipe=Recipe(
            shows=[f"precision_curve(evaluation, {{measure}}, {quoted(feature)})", "hidden_ties(evaluation)"],
            diagnostics=["hidden_ties", "precision_curve"],
            command="",
        ),
    )


def show_hidden(hidden: pd.DataFrame) -> None:
    """Show what coarser comparisons would tie."""
    columns = hidden_columns([column for column in hidden.columns if column.startswith("tied")])
    page.table(
        shown(hidden, columns), key="ties_hidden", columns=columns, alt="Ties that a coarser comparison would find"
    )


# --- tie-breakers -----------------------------------------------------------------------------------------------------


def show_advice(view: View, look: Look) -> None:
    """Show which other feature breaks the ties of one best; all pairs if asked for."""
    if len(view.features) < 2:
        st.info("Load another feature: there is none that could break ties.")
        return
    feature = feature_for(view, "Break the ties of")
    with page.progress("Trying tie-breakers", of="tie-breakers", key=(view.key, feature)) as report:
        found = cached.study(view, advice, feature=feature, progress=report).droplevel("feature")
    board = view.leaderboard
    before = {column: float(board[column].loc[feature]) for column in ("expected", "worst", "best")}
    can_gain = abs(before["best"] - before["worst"]) > SAME
    told = advice_answer(found, feature=feature, before=before["expected"], can_gain=can_gain)
    st.html(f'<div class="answer">{told}</div>')
    figures = {}
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
            alt=f"What each other feature makes of {feature} as its tie-breaker",
            stem=f"tie-breakers of {feature}",
        )
        if len(found) > MOST_TIE_BREAKERS:
            page.note(f"Drawn are the {MOST_TIE_BREAKERS} best of {words.count(len(found))}; the table has all.")
        columns = advice_columns()
        page.table(shown(found, columns), key="ties_others", columns=columns, alt="Other features as tie-breakers")
        page.note("The best of many is flattered by the choice: look at z, or try it on other queries.")
        figures["Tie-breakers"] = draw
    tables = {"Tie-breakers": found}
    everything = show_all_advice(view, look)
    if everything is not None:
        tables["All tie-breakers"] = everything
        figures["All tie-breakers"] = lambda look: advice_map(gains(view, everything), look=look)
    offers.offer(
        view,
        name="tie-breakers",
        tables=tables,
        pictures={label: key for label, key in CHARTS.items() if label in figures},
        figures=figures,
        recipe=Recipe(
            shows=[f"advice(evaluation, {{measure}}, {quoted(feature)})"],
            diagnostics=["advice"],
            command="ties",
            feature=feature,
            arguments=["--part", "advice"],
        ),
    )


def show_all_advice(view: View, look: Look) -> pd.DataFrame | None:
    """Try every feature as tie-breaker of every other one; if that is much work, only when asked for."""
    st.subheader("Every feature as tie-breaker of every other", anchor=False)
    n_pairs = len(view.features) * (len(view.features) - 1)
    n_documents = sum(len(source.match.document) for source in view.evaluation.alignment.sources.values())
    if n_documents * (len(view.features) - 1) > FEW_VALUES and st.session_state.get(ASKED) != view.key:
        st.button(
            f"Try all {words.count(n_pairs)} pairs",
            type="primary",
            on_click=lambda: st.session_state.update({ASKED: view.key}),
            icon=":material/grid_on:",
        )
        page.note("It shows how far it is, and can be stopped.")
        return None
    with page.progress("Trying all pairs", key=view.key) as report:
        everything = cached.study(view, advice, feature=None, progress=report)
    if (everything["spread_removed"].abs() <= SAME).all() and (everything["gained"].abs() <= SAME).all():
        page.note("Whatever breaks the ties, the values stay as they are.")
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


view = page.begin("Ties", "How tied are the features, what do the tie-breaks know, and what can be done about it?")
described = anatomy_of(view)
sentence, details = ties_answer(described, cutoff=view.settings.cutoff)
if view.tie_breaks and view.measure.has_variance:
    details += bias_lines(cached.study(view, pooled_bias, draws=0).droplevel("measure"))
page.say(sentence, details=details)
part = (
    st.segmented_control(
        "Look at",
        list(PARTS),
        default="anatomy",
        required=True,
        key="ties_part",
        bind="query-params",
        label_visibility="collapsed",
    )
    or "anatomy"
)
st.markdown(f"**{PARTS[part]}**")
look = page.look()
if part == "anatomy":
    show_anatomy(view, described, look)
elif part == "cut-off":
    show_cuts(view, described, look)
elif part == "tie-breaks":
    show_bias(view, look)
elif part == "precision":
    show_precision(view, look)
else:
    show_advice(view, look)
