"""Ties: how tied each feature is, what the tie-breaks know, and what can be done about it."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from tiecore.diagnostics import advice, anatomy, bias, hidden_ties, precision_board
from tiecore.stability.sentences import called, heading_of
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.table_columns import BAR, NUMBER, PERCENT, SIGNED, WRITTEN, Z
from tiecore_dashboard.charts.look import LIGHT, names_with_marks
from tiecore_dashboard.export import menu
from tiecore_dashboard.export.csv_tables import title_of
from tiecore_dashboard.export.figures import drawn_by
from tiecore_dashboard.export.reproduce import Recipe, quoted
from tiecore_dashboard.pages.ties.answer import (
    advice_answer,
    bias_answer,
    hidden_answer,
    mixed_from,
    precision_answer,
    ties_answer,
)
from tiecore_dashboard.pages.ties.charts import MOST_TIE_BREAKERS, advice_chart, bias_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.choices import choose_feature, choose_part
from tiecore_dashboard.words import SAME

FORMATS = ("bfloat16", "float16", "int8", "float32")
"""Number formats in which scores are stored to save room."""


def show_anatomy(view: View, described: pd.DataFrame) -> None:
    """Show how tied each feature is."""
    cutoffs = [*filter(None, [view.measure.cutoff])]
    cut = reversed([*described.filter(like="cut_in_")])  # in a mixed tie, of which the headline speaks, before in any
    forms = {"tied": BAR, "tied_mixed": BAR, **dict.fromkeys(cut, PERCENT)}
    forms |= {"largest_tie": "%,d", "values_per_query": "%.1f", "constant_queries": PERCENT}
    ordered = described.sort_values(["tied_mixed", "tied"], ascending=False, kind="stable")
    names = list(ordered.index)
    page.table(
        ordered,
        {"feature": "Feature"} | {name: (title_of(name), form) for name, form in forms.items()},
        key="ties_anatomy",
        alt="Anatomy of the ties",
        chosen=[row for row, name in enumerate(names) if name in page.highlighted(view)],
        choose=lambda rows: page.highlight([names[row] for row in rows]),
        several=True,
    )
    mixed = "its documents have different grades (unjudged is a grade of its own)"
    mixed = mixed if view.measure.counts_grades else "some of its documents are relevant and others are not"
    page.note(f"A tie is mixed if {mixed}: only then can order matter. A ticked feature is highlighted everywhere.")
    menu.offer(
        view,
        name="ties",
        tables={"How tied": ordered},
        recipe=Recipe(
            shows=[f"anatomy(evaluation, cutoffs={cutoffs}, rel={mixed_from(view.measure)})"],
            command="ties",
            arguments=[*(["-k", str(view.measure.cutoff)] if cutoffs else []), "--part", "anatomy"],
        ),
    )


def show_bias(view: View) -> None:
    """Show whether tie-breaks correlate with relevance."""
    if not view.dataset.has_tie_breakers:
        st.info(f"There are no tie-breaks to look at: {words.NEEDS_DOCUMENTS}.", icon=":material/info:")
        return
    if not view.tie_breaks:
        st.info("Choose tie-breaks to compare in the sidebar: this page shows whether they correlate with relevance.")
        return
    found = page.work("Drawing random tie-breaks", view, cached.study, bias).droplevel("measure")
    board = cached.board(view)  # of the same draws
    if board.bias is None or found["z"].isna().all():
        st.info("No tie changes the value of any feature: so no tie-break can be biased.")
        return
    strength = found["z"].abs().groupby(level="feature").max().sort_values(ascending=False, kind="stable")
    ordered, marked = found.reindex(strength.index, level="feature"), page.highlighted(view)
    page.chart(
        bias_chart(ordered, measure=view.measure, look=page.look(), tie_breaks=view.tie_breaks, highlighted=marked),
        key="ties_bias",
        alt="How far each tie-break shifts each feature, in units of what chance would do",
        on_click=page.highlight_clicked,
    )
    page.note("The bar is for one mark: by chance, a few of many exceed it, often together. No mark: no tie matters.")
    z = ordered["z"].unstack("tie_break").loc[strength.index, list(view.tie_breaks)]
    titles: dict[str, str | tuple[str, str]] = {"feature": "Feature", "value": ("Expected", NUMBER)}
    for name, title in names_with_marks(view.tie_breaks).items():
        titles |= {name: (title, SIGNED), f"{name} z": (f"{title[0]} z", Z)}
    shifts = found["shift"].mask(found["shift"].abs() < 5e-5, 0.0).unstack("tie_break")
    shifts = board.rows.loc[strength.index, ["value"]].join([shifts, z.add_suffix(" z")])
    meanings = {name: f"Shift from the expectation. {words.of_tie_break(name)}" for name in view.tie_breaks}
    meanings |= dict.fromkeys(z.add_suffix(" z"), "The shift in standard deviations of random orders")
    page.table(shifts, titles, meanings, key="ties_shifts", alt="Shift under each tie-break")
    n_queries, colours = words.plural(board.n_queries, "query"), page.colours(view.coloured, marked, on=LIGHT)
    title = f"{heading_of(view.measure)}, {n_queries}, shift under each tie-break"
    answer, better = words.capitalised(words.plain(bias_answer(board))), view.measure.higher_is_better
    menu.offer(
        view,
        name="bias",
        tables={"Bias": found, "Bias over all features": board.bias},
        figures={"Shifts": drawn_by("shifts", z, colours, title=title, answer=answer, higher_is_better=better)},
        recipe=Recipe(
            shows=[f"{one}(evaluation)" for one in ("bias", "pooled_bias")],
            command="ties",
            arguments=["--part", "bias,bias_features"],
        ),
    )


def show_repairs(view: View) -> None:
    """Show which other feature breaks the ties of one best, and which rank one after the other."""
    if not view.dataset.has_tie_breakers:
        st.info(f"No tie-breaker can be tried: {words.NEEDS_DOCUMENTS}.", icon=":material/info:")
        return
    feature, name = choose_feature(view, "Break the ties of", key="ties_feature", width=320), called(view.measure)
    found = page.work("Trying tie-breakers", view, cached.study, advice, of="tie-breakers", feature=feature)
    found = found.droplevel("feature")
    before = view.leaderboard.loc[feature, ["expected", "worst", "best"]].to_dict()
    if abs(before["best"] - before["worst"]) <= SAME:
        page.say(f"No tie of {words.bold(feature)} changes the value: there is nothing to break.")
        return
    answer = advice_answer(found, feature=feature, measure=name, before=before["expected"])
    page.say(answer)
    page.chart(
        advice_chart(found, measure=view.measure, look=page.look()),
        key="ties_advice",
        alt=f"What {feature} gains by each other feature as its tie-breaker",
    )
    if len(found) > MOST_TIE_BREAKERS:
        page.note(f"The {MOST_TIE_BREAKERS} best of {words.count(len(found))}; the export holds all.")
    label = f"Tie-breakers for {feature}"
    page.note(
        "Intervals are over queries, of each tie-breaker by itself; chance is that of random orders of the tied "
        "documents. The best of many looks better than it is: try it on queries that had no part in the choice."
    )
    scale = f"gain in {name} of {words.cut(feature)} over random tie-breaks"
    note = "Bar: 95 % interval over the queries, of each by itself. The best of many looks better than it is."
    texts = {"scale": scale, "unit": "tie-breaker", "answer": words.plain(answer), "note": note}
    menu.offer(
        view,
        name="repairs",
        tables={label: found},
        figures={label: drawn_by("intervals", found[["gained", "low", "high"]], None, **texts)},
        recipe=Recipe(
            shows=[f"advice(evaluation, {quoted(feature)}, {{measure}})"],
            command="ties",
            feature=feature,
            arguments=["--part", "advice"],
        ),
    )


def show_precision(view: View) -> None:
    """Show the leaderboard in a coarser format, and hidden ties."""
    precision = choose_part("If scores were stored in", FORMATS, key="ties_format")
    board = page.work("Rounding scores", view, cached.study, precision_board, precision=precision)
    hidden = page.work("Looking for hidden ties", view, cached.study, hidden_ties)
    page.say(precision_answer(board, precision=precision, measure=called(view.measure)), [hidden_answer(hidden)])
    if (hidden["restore"] != "").any():
        page.note("Choose that precision in the sidebar, under *Score precision*, to have the ties back.")
    places = {"exact_place": ("Place", "%d"), "place": ("Place there", "%d")} if len(board) > 1 else {}
    page.table(
        board,
        {
            "feature": "Feature",
            "change": ("Change", SIGNED),
            "verdict": "Verdict",
            "p": ("p", WRITTEN),
            "exact": ("float64", NUMBER),
            "expected": (precision, NUMBER),
            **places,
        },
        {
            "p": "two-sided p of the change in a paired t-test, with an allowance for rare queries",
            "verdict": "whether the change is clear over the queries: p below 0.05",
        },
        key="ties_precision",
        alt=f"Expectation of each feature in float64 and in {precision}",
    )
    page.note(
        "Rounding merges scores into ties; their order is averaged over. *int8* maps the scores of a feature linearly "
        "to −127 … 127."
    )
    menu.offer(
        view,
        name="precision",
        tables={"Leaderboard": board, "Hidden ties": hidden},
        recipe=Recipe(
            shows=[
                f"precision_board(evaluation, {{measure}}, precision={quoted(precision)})",
                "hidden_ties(evaluation)",
            ],
            command="ties",
            command_gives="The hidden ties",
            arguments=["--part", "hidden"],
        ),
    )


view = page.view(
    "Ties",
    'How tied are the features<span class="wide">, are the tie-breaks biased, and what can be done about it</span>?',
    alone="How tied is the feature, and are the tie-breaks biased?",
)
at, rel = tuple(filter(None, [view.measure.cutoff])), mixed_from(view.measure)
described = page.work("Looking at the ties", view, cached.study, anatomy, cutoffs=at, rel=rel)
sentence, details = ties_answer(described, view.measure, cutoff=view.measure.cutoff)
page.say(sentence, [*details, bias_answer(cached.board(view))])
parts: dict[str, tuple[str, Callable[[View], None]]] = {
    "how tied": (
        "How many documents are tied, and where relevance is mixed among them?",
        lambda view: show_anatomy(view, described),
    ),
    "orders in use": ("Does a tie-break correlate with relevance?", show_bias),
    "repairs": ("Which other feature would break the ties of this one best?", show_repairs),
    "precision": ("What do coarser scores cost?", show_precision),
}
if len(view.features) == 1:  # no other feature could break ties
    del parts["repairs"]
question, show = parts[choose_part("Look at", list(parts), key="ties_part", seen="collapsed")]
st.markdown(f"**{question}**")
show(view)
