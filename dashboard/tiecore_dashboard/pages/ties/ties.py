"""Ties: how tied each feature is, what the tie-breaks know, and what can be done about it."""

import pandas as pd
import streamlit as st

from tiecore.diagnostics import anatomy, bias, cut_curve, group_sizes, pooled_bias
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.columns import shown
from tiecore_dashboard.charts.look import Figure, Look, marks_of
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.ties.answer import bias_lines, ties_answer
from tiecore_dashboard.pages.ties.charts import bias_chart, cut_chart, sizes_chart, tied_chart
from tiecore_dashboard.pages.ties.remedies import advise, feature_for, show_advice, show_precision
from tiecore_dashboard.pages.ties.tables import anatomy_columns, as_known, bias_columns, pooled_columns
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

PARTS = {
    "anatomy": "How many documents are tied, and where relevance is mixed among them?",
    "cut-off": "How often does a cut-off fall into a tie?",
    "tie-breaks": "Does a tie-break correlate with relevance?",
    "precision": "How much precision does this feature need?",
    "tie-breakers": "Which other feature would break its ties best?",
}
DRAWS = 1000
TESTED = "ties_tested"


def anatomy_of(view: View) -> pd.DataFrame:
    """Anatomy of all features, at the cut-off in use."""
    with page.progress("Looking at the ties", key=view.key) as report:
        return cached.study(view, anatomy, cutoffs=(view.settings.cutoff,), rel=view.measure.threshold, progress=report)


def take(view: View, key: str) -> None:
    """Highlight the feature that was clicked on, or no longer, and show the sizes of its ties."""
    marked = page.highlighted(view)
    for name in page.clicked_names(key)[:1]:
        st.session_state["ties_feature"] = name
        page.highlight([one for one in marked if one != name] if name in marked else [*marked, name])


def tested(view: View) -> bool:
    """Whether the tie-breaks can be compared with chance: with a variance, or once random orderings were drawn."""
    return view.measure.has_variance or st.session_state.get(TESTED) == view.key


# --- anatomy ----------------------------------------------------------------------------------------------------------


def show_anatomy(view: View, described: pd.DataFrame, look: Look) -> None:
    """Show how tied each feature is, and the sizes of one feature's ties."""
    marked = page.highlighted(view)
    ordered = described.sort_values(["tied_mixed", "tied"], ascending=False, kind="stable")
    columns = anatomy_columns(view.settings.cutoff)
    if not described["tied"].any():  # nothing but empty bars could be drawn
        page.feature_table(
            view, shown(ordered, columns), key="ties_anatomy", columns=columns, alt="Anatomy of the ties"
        )
        offers.offer(view, name="ties", tables={"Anatomy": described}, recipe=recipe_of_anatomy(view))
        return
    left, right = st.columns([3, 2], gap="medium")
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
    page.feature_table(view, shown(ordered, columns), key="ties_anatomy", columns=columns, alt="Anatomy of the ties")
    offers.offer(
        view,
        name="ties",
        tables={"Anatomy": described, "Sizes of the ties": sizes_of(view, feature)},
        recipe=recipe_of_anatomy(view, feature),
    )


def recipe_of_anatomy(view: View, feature: str | None = None) -> Recipe:
    """Return how the anatomy is had outside of the dashboard, and the sizes of the ties of a feature."""
    cutoff, grade = view.settings.cutoff, view.measure.threshold
    sizes = [] if feature is None else [f"group_sizes(evaluation, {quoted(feature)}, rel={grade})"]
    return Recipe(
        shows=[f"anatomy(evaluation, cutoffs=[{cutoff}], rel={grade})", *sizes],
        diagnostics=["anatomy", *(["group_sizes"] if sizes else [])],
        command="ties",
        arguments=["-k", str(cutoff), "--part", "anatomy"],
    )


def sizes_of(view: View, feature: str) -> pd.DataFrame:
    """Sizes of the ties of a feature."""
    return cached.study(view, group_sizes, feature, rel=view.measure.threshold)


# --- cut-off ----------------------------------------------------------------------------------------------------------


def show_cuts(view: View, described: pd.DataFrame, look: Look) -> None:
    """Show how often a cut-off falls into a tie, for every cut-off."""
    k = view.settings.cutoff
    depth = tuple(sorted({*range(1, 101), k}))
    with page.progress("Cutting at every rank", key=view.key) as report:
        curve = cached.study(view, cut_curve, cutoffs=depth, rel=view.measure.threshold, progress=report)
    column = f"cut_in_mixed_tie@{k}"
    emphasised = page.highlighted(view) or tuple(
        map(str, described[column].sort_values(ascending=False, kind="stable").index[: 3 if len(described) > 3 else 8])
    )

    def draw(look: Look) -> Figure:
        return cut_chart(curve, look=look, cutoff=k, emphasised=emphasised)

    page.chart(
        draw(look),
        key="ties_cuts",
        alt="Share of queries in which a cut-off falls into a mixed tie, for each cut-off",
        on_click="highlight",
        stem="cut-offs in ties",
    )
    page.highlight_bar(view)
    page.note(
        "A tie is mixed where relevant documents stand beside others: only there does it matter which of them come "
        "first. The lines fall where lists end, since there is nothing left to cut."
    )
    offers.offer(
        view,
        name="cuts",
        tables={"Cut-offs in ties": curve},
        recipe=Recipe(
            shows=[f"cut_curve(evaluation, rel={view.measure.threshold})"],
            diagnostics=["cut_curve"],
            command="ties",
            arguments=["--part", "cuts"],
        ),
    )


# --- tie-breaks -------------------------------------------------------------------------------------------------------


def show_bias(view: View, look: Look) -> None:
    """Show whether tie-breaks correlate with relevance."""
    if not view.has_tie_breakers:
        st.info(f"There are no tie-breaks to look at: {words.NEEDS_DOCUMENTS}.", icon=":material/info:")
        return
    if not view.tie_breaks:
        st.info("Choose tie-breaks to compare in the sidebar: this page shows whether they correlate with relevance.")
        return
    if not tested(view):
        st.info(
            f"{words.in_markdown(str(view.measure))} has no variance in closed form, so the tie-breaks are "
            f"compared with {words.count(DRAWS)} random ones.",
            icon=":material/casino:",
        )
        st.button("Draw them", type="primary", on_click=lambda: st.session_state.update({TESTED: view.key}))
        return
    with page.progress("Drawing random tie-breaks", key=view.key) as report:
        found = cached.study(view, bias, progress=report).droplevel("measure")
        pooled = cached.study(view, pooled_bias, progress=report).droplevel("measure")
    if found["z"].isna().all():
        st.info("No tie changes the value of any feature: so no tie-break can be biased.")
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
    glyphs = {words.known_as(name): mark.glyph for name, mark in marks.items()}
    named = as_known(pooled).rename(index=lambda name: f"{glyphs[name]} {name}")
    columns = pooled_columns()
    page.table(shown(named, columns), key="ties_pooled", columns=columns, alt="Bias of each tie-break")
    with st.expander("Feature by feature"):
        columns = bias_columns()
        page.table(
            shown(as_known(ordered).reset_index().set_index("feature"), columns),
            key="ties_biases",
            columns=columns,
            alt="Bias of each tie-break, feature by feature",
        )
    offers.offer(
        view,
        name="bias",
        tables={"Bias": found, "Bias over all features": pooled},
        recipe=Recipe(
            shows=[f"{one}(evaluation)" for one in ("bias", "pooled_bias")],
            diagnostics=["bias", "pooled_bias"],
            command="ties",
            arguments=["--part", "bias,bias_features"],
        ),
    )


view = page.view("Ties", "How tied are the features, are the tie-breaks biased, and what can be done about it?")
described = anatomy_of(view)
sentence, details = ties_answer(described, cutoff=view.settings.cutoff)
if view.tie_breaks and view.measure.has_variance:
    details += bias_lines(cached.study(view, pooled_bias).droplevel("measure"))
page.say(sentence, details=details)
advise(view)
part = choose_part("Look at", list(PARTS), key="ties_part", hides_label=True)
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
