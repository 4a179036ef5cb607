"""Method: what is computed and how, an example to try it on, conventions, errata, sources."""

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from tiecore import TiecoreError, __version__
from tiecore.measures import FAMILIES, Measure
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import Figure, Look
from tiecore_dashboard.export import offers
from tiecore_dashboard.pages.method import formulas, texts
from tiecore_dashboard.pages.method.charts import groups_strip, orderings_chart
from tiecore_dashboard.pages.method.worked_example import (
    MOST_DOCUMENTS,
    STARTS,
    Example,
    Orderings,
    enumerate_orderings,
    example_of,
    in_groups,
)
from tiecore_dashboard.state.conventions import CONVENTIONS

FOUND = "method_found"
TYPED = "method_typed"


def as_typed(example: Example) -> pd.DataFrame:
    """Turn an example into the table that the user edits."""
    return pd.DataFrame(
        {"score": pd.array(example.scores, dtype="Float64"), "grade": pd.array(list(example.grades), dtype="Int64")}
    )


def typed(start: str) -> tuple[pd.DataFrame, str]:
    """Let documents be edited; what was typed into each start is kept while the user is on other pages."""
    kept = st.session_state.setdefault(TYPED, {})
    editor, field = f"method_documents_{start}", f"method_missed_{start}"
    frame, missed = kept.get(start, (as_typed(STARTS[start]), ", ".join(map(str, STARTS[start].unretrieved))))
    base = f"method_base_{start}"
    if editor not in st.session_state or base not in st.session_state:
        st.session_state[base] = frame
    edited = st.data_editor(
        st.session_state[base],
        key=editor,
        num_rows="dynamic",
        hide_index=True,
        height="content",
        placeholder="",
        alt="Documents of the example, editable",
        column_config={
            "score": st.column_config.NumberColumn(
                "Score", help="Score of a document. Equal scores are tied; only their order matters."
            ),
            "grade": st.column_config.NumberColumn(
                "Grade", step=1, help="Grade from the judgments; blank if the document is not judged."
            ),
        },
    )
    if field not in st.session_state:
        st.session_state[field] = missed
    missed = st.text_input(
        "Grades of judged documents that are not listed",
        key=field,
        placeholder="none",
        help="Documents that are judged but have no score, such as **1, 0**: they count in recall, AP and the ideal "
        "ranking.",
    )
    kept[start] = (edited.reset_index(drop=True), missed)
    return edited, missed


def enumerated(measure: Measure, example: Example) -> Orderings:
    """Enumerate, once for the same example and measure."""
    key = str(measure), example
    known = st.session_state.get(FOUND)
    if known is None or known[0] != key:
        with st.spinner(f"Looking at {words.plural(example.n_orderings, 'ordering')}"):
            known = key, enumerate_orderings(measure, example)
        st.session_state[FOUND] = known
    found: Orderings = known[1]
    return found


def verdict(measure: Measure, found: Orderings) -> tuple[str, list[str]]:
    """Say what the orderings give and whether the closed form agrees."""
    name, closed = words.in_html(str(measure)), found.closed
    value = words.number(closed.expected)
    if found.n_orderings == 1:
        return f"Nothing is tied: there is one ordering, and {name} is {value}.", []
    orderings = f"{words.plural(found.n_orderings, 'ordering')} of the tied documents"
    if not found.mean_is_the_value:
        mean = words.number(float(found.comparison["enumerated"].loc["expectation"]))
        return (
            f"{name} is {value}: it is defined on the expected search length, so the mean of the {orderings}, {mean}, "
            "is another number.",
            ["Worst and best case agree with the enumeration."],
        )
    if closed.worst == closed.best:
        sentence = f"The {orderings} all give {name} = {value}: these ties do not matter."
    else:
        sentence = (
            f"The {orderings} give {name} from {words.number(closed.worst)} to {words.number(closed.best)}; "
            f"their mean is {value}."
        )
    if not found.agree:
        return sentence, ["<strong>Closed form and enumeration do not agree.</strong> Please report this example."]
    return sentence, [
        "The closed form, for which no ordering is drawn, and the full enumeration <em>agree to 1e-12</em>."
    ]


@page.part
def try_it(measure: Measure) -> None:
    """Show the example: what the user types, and all orderings beside the closed form."""
    look = page.look()
    left, right = st.columns([2, 5], gap="medium")
    with left:
        start = st.selectbox(
            "Begin with", list(STARTS), key="method_start", bind="query-params", help="Then change what you like."
        )
        start = start if start in STARTS else next(iter(STARTS))
        table, missed = typed(start)
        st.caption(f"Up to {MOST_DOCUMENTS} documents. Blank grade: not judged. The measure is that of the sidebar.")
    with right:
        try:
            example = example_of(table, missed)
            found = enumerated(measure, example)
        except TiecoreError as error:
            st.warning(words.in_markdown(str(error)), icon=":material/edit:")
            return
        sentence, details = verdict(measure, found)
        page.say(sentence, details=details)
        st.html(groups_strip(example.groups, rel=measure.threshold, look=look))

        def draw_orderings(look: Look) -> Figure:
            return orderings_chart(
                found.distribution,
                expected=found.closed.expected,
                measure=str(measure),
                look=look,
                higher_is_better=measure.higher_is_better,
                mean_is_the_value=found.mean_is_the_value,
            )

        page.chart(
            draw_orderings(look),
            key="method_orderings",
            alt=f"Values of {measure} that the orderings of {in_groups(example.groups)} give",
            stem=f"orderings {measure}",
        )
        show_tables(found)
        with st.container(horizontal=True, gap="small"):
            for label, table in (("Comparison", found.comparison), ("Orderings", found.table)):
                offers.offer_table(table, measure=str(measure), name="method", label=label)


def show_tables(found: Orderings) -> None:
    """Show the closed form beside the enumeration, and the orderings one by one."""
    number = st.column_config.NumberColumn
    sides = found.comparison.rename_axis("quantity")
    sides["agree"] = ["✓" if agree else "✗" for agree in sides["agree"]]
    sides.loc[sides["closed"].isna(), "agree"] = "no closed form"
    if not found.mean_is_the_value:
        sides.loc["expectation", "agree"] = "defined otherwise"
    page.table(
        sides,
        key="method_comparison",
        alt="Closed form beside the enumeration",
        columns={
            "quantity": st.column_config.TextColumn("", help="What is computed in both ways.", width=140, pinned=True),
            "closed": number("Closed form", help="From the counts of grades in each tie group.", format="%.12f"),
            "enumerated": number("All orderings", help="From a list without ties for each ordering.", format="%.12f"),
            "agree": st.column_config.TextColumn(
                "Agree to 1e-12", help="Whether both agree; of deviations it is the squares that are compared."
            ),
        },
    )
    page.table(
        found.table.set_index("ordering"),
        key="method_table",
        alt="Every ordering and its value",
        height=min(38 + 35 * len(found.table), 248),
        columns={
            "ordering": st.column_config.TextColumn(
                "Ordering",
                help="Grades from the top; a bar between tie groups, – for an unjudged document.",
                pinned=True,
            ),
            "value": number("Value", help="Of the measure, for this list without ties.", format="%.12f"),
            "orderings": number(
                "Times",
                help="Orderings that look like this: they differ in documents of equal grade only.",
                format="%d",
            ),
        },
    )


def typeset(line: str) -> None:
    """Show a line of TeX; its parts stand below each other where there is no room beside each other, as on a phone."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        for part in line.split(formulas.GAP):
            st.latex(part, width="content")


def show_formulas(measure: Measure) -> None:
    """Show the formulas of a family, and those for what is said of two features."""
    st.header("Formulas", anchor="formulas")
    st.markdown(formulas.NOTATION)
    show_formula(measure)
    show_between()


@page.part
def show_formula(measure: Measure) -> None:
    """Show the formulas of one family, for typesetting all takes a browser a while: of the measure, or any other."""
    families = [measure.name, *(name for name in formulas.FORMULAS if name != measure.name)]
    name = st.selectbox(
        "Formula of",
        families,
        key=f"method_family_{measure.name}",
        width=320,
        help="At first the measure of the sidebar. Type to search.",
    )
    formula = formulas.FORMULAS[name]
    meaning = words.MEASURES.get(name, "").removeprefix(f"{name}: ")
    with st.container(border=True, key="method_formula"):
        st.markdown(f"**{name}** · {meaning[:1].upper()}{meaning[1:]}")
        for line in formula.lines:
            typeset(line)
        st.markdown(formula.edges)
        variance = "" if FAMILIES[name].has_variance else " Its spread is found by drawing random tie-breaks."
        st.caption(f"{formula.source}.{variance}")


@page.part
def show_between() -> None:
    """Show the formulas for what is said of two features, once they are opened."""
    box = st.expander(
        "**Between features** · chances, bias of tie-breaks, places", key="method_between", on_change="rerun"
    )
    if not box.open:
        return
    with box:
        for line, meaning in formulas.BETWEEN:
            typeset(line)
            st.markdown(meaning)
        st.caption(
            "Differences over queries are tested by a paired t-test and a randomisation test, adjusted for all pairs "
            "(Holm; Benjamini and Hochberg). Orders are compared by Kendall’s tau-b and by AP correlation."
        )


def conventions() -> Iterator[tuple[str, str]]:
    """Each convention that can be chosen, with all its choices in one line."""
    for one in CONVENTIONS:
        yield one.title, "; ".join(f"**{label}** {meaning}" for label, meaning in one.meanings.items()) + "."


def show_conventions() -> None:
    """Show what each setting means, and which tool breaks ties how."""
    st.header("What the settings mean", anchor="settings")
    st.markdown("\n".join(f"- **{name}.** {meaning}" for name, meaning in (*texts.RULES, *conventions())))
    st.header("Tie-breaks and who uses them", anchor="tie-breaks")
    rows = "\n".join(
        f"| {name if ' ' in name else f'`{name}`'} | {meaning} | {tools} |" for name, tools, meaning in texts.TIE_BREAKS
    )
    st.markdown(f"| Tie-break | Order of tied documents | Found in |\n|---|---|---|\n{rows}")
    page.note(
        "Read from the code of these tools, and run. One tool may break ties in several ways: with ir_measures a tied "
        "run can have RR = 0.2 and RR@10 = 1.0."
    )


def show_sources() -> None:
    """Show errata, references, and how to cite."""
    st.header("Errata of the literature", anchor="errata")
    st.markdown("Do not copy these; every formula above was checked against the enumeration of all orderings.")
    st.markdown("\n".join(f"- {erratum}" for erratum in texts.ERRATA))
    st.header("References", anchor="references")
    st.markdown("\n".join(f"1. {reference}" for reference in texts.REFERENCES))
    st.header("How to cite", anchor="cite")
    st.code(texts.citation(__version__), language=None, wrap_lines=True)
    st.code(texts.bibtex(__version__), language="latex")


chosen = st.session_state["settings"].measure
page.head("Method", "What do equal scores leave open, and how is it computed without drawing a single ordering?")
page.say(
    "Documents with equal scores can be ordered in many ways, and every tool picks one silently. tiecore gives the "
    "<em>exact mean</em> of a measure over all of them, its spread, its worst and best case, and the value of each "
    "tie-break."
)
st.markdown(texts.IDEA)
st.markdown("\n".join(f"- **{name}**: {meaning}." for name, meaning in texts.REFINEMENTS))
st.header("Try it", anchor="try-it")
try_it(chosen)
show_formulas(chosen)
show_conventions()
show_sources()
