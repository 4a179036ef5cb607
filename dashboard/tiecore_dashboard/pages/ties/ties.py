"""Ties: how tied each feature is, what the tie-breaks know, and what can be done about it."""

import pandas as pd
import streamlit as st

from tiecore.diagnostics import anatomy, bias, pooled_bias
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import marks_of
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.reproduce import Recipe
from tiecore_dashboard.pages.ties.answer import bias_lines, ties_answer
from tiecore_dashboard.pages.ties.charts import bias_chart, tied_chart
from tiecore_dashboard.pages.ties.precision import show_precision
from tiecore_dashboard.pages.ties.repairs import advise, show_repairs
from tiecore_dashboard.pages.ties.tables import anatomy_columns, as_known, pooled_columns
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_part

PARTS = {
    "how tied": "How many documents are tied, and where relevance is mixed among them?",
    "orders in use": "Does a tie-break correlate with relevance?",
    "repairs": "Which other feature would break the ties of this one best?",
    "precision": "What do coarser scores cost?",
}
DRAWS = 1000
TESTED = "ties_tested"


def anatomy_of(view: View) -> pd.DataFrame:
    """Anatomy of all features, at the cut-off in use."""
    with page.progress("Looking at the ties", key=view.key) as report:
        return cached.study(view, anatomy, cutoffs=(view.settings.cutoff,), rel=view.measure.threshold, progress=report)


def show_anatomy(view: View, described: pd.DataFrame) -> None:
    """Show how tied each feature is."""
    cutoff = view.settings.cutoff
    ordered = described.sort_values(["tied_mixed", "tied"], ascending=False, kind="stable")
    if described["tied"].any():  # else nothing but empty bars could be drawn
        page.chart(
            tied_chart(ordered, look=page.look(), highlighted=page.highlighted(view)),
            key="ties_shares",
            alt="Share of tied documents of each feature",
            on_click="highlight",
            stem="tied documents",
        )
        page.highlight_bar(view)
    columns = anatomy_columns(cutoff)
    page.feature_table(view, ordered, key="ties_anatomy", columns=columns, alt="Anatomy of the ties")
    page.note("A tie is mixed where relevant documents stand beside others: only there does their order matter.")
    offers.offer(
        view,
        name="ties",
        tables={"Anatomy": described},
        recipe=Recipe(
            shows=[f"anatomy(evaluation, cutoffs=[{cutoff}], rel={view.measure.threshold})"],
            diagnostics=["anatomy"],
            command="ties",
            arguments=["-k", str(cutoff), "--part", "anatomy"],
        ),
    )


def show_bias(view: View) -> None:
    """Show whether tie-breaks correlate with relevance."""
    if not view.has_tie_breakers:
        st.info(f"There are no tie-breaks to look at: {words.NEEDS_DOCUMENTS}.", icon=":material/info:")
        return
    if not view.tie_breaks:
        st.info("Choose tie-breaks to compare in the sidebar: this page shows whether they correlate with relevance.")
        return
    if not (view.measure.has_variance or st.session_state.get(TESTED) == view.key):
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
    look, marked = page.look(), page.highlighted(view)
    page.chart(
        bias_chart(ordered, look=look, tie_breaks=view.tie_breaks, highlighted=marked),
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
    page.table(named, key="ties_pooled", columns=columns, alt="Bias of each tie-break")
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
if part == "how tied":
    show_anatomy(view, described)
elif part == "orders in use":
    show_bias(view)
elif part == "repairs":
    show_repairs(view)
else:
    show_precision(view)
