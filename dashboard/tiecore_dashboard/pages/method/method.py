"""Method: what is computed and how, an example to try it on, conventions, errata, sources."""

from functools import partial

import pandas as pd
import streamlit as st

from tiecore import TiecoreError
from tiecore.measures import FAMILIES, Measure
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.tiles import Tile, tiles
from tiecore_dashboard.pages.method import texts
from tiecore_dashboard.pages.method.charts import orderings_chart
from tiecore_dashboard.pages.method.worked_example import (
    MOST_DOCUMENTS,
    STARTS,
    Example,
    Orderings,
    enumerate_orderings,
    example_of,
    in_groups,
    read_written,
    written,
)
from tiecore_dashboard.state.link import keep_in_link

START, OWN = "method_start", "own list"
TYPED, IN_LINK = "method_typed", "example"
TIMES = "method_times"  # how often was begun anew


def typed(start: str) -> tuple[pd.DataFrame, str]:
    """Let documents be edited; what was typed is kept while the user is on other pages, and in the link."""
    times = st.session_state.get(TIMES, 0)  # widgets of a list that is begun anew are new
    editor, field, base = (f"method_{part}_{times}" for part in ("documents", "missed", "base"))
    on_change = partial(st.session_state.update, {START: OWN})
    if editor not in st.session_state or base not in st.session_state:
        text = st.session_state.get(TYPED, st.query_params.get(IN_LINK, ""))
        st.session_state[base], missed = read_written(text, start)
        st.session_state.setdefault(field, missed)
    st.caption("List")  # beside it the toolbar of the table, which would lie on what stands above
    # a column of numbers would read 2,5 as 25, and a letter as 0
    number = partial(st.column_config.TextColumn, alignment="right")
    table = st.data_editor(
        st.session_state[base],
        key=editor,
        on_change=on_change,
        num_rows="dynamic",
        hide_index=True,
        height="content",
        placeholder="",
        alt="Documents of the example, editable",
        column_config={
            "score": number("Score", help="Score of a document. Equal scores are tied; only their order matters."),
            "grade": number("Grade", help="Grade from the judgments; blank if the document is not judged."),
        },
    )
    missed = st.text_input(
        "Grades of judged documents that are not listed",
        key=field,
        on_change=on_change,
        placeholder="none",
        help="Documents that are judged but have no score, such as **1, 0**: they count in recall, AP and the ideal "
        "ranking.",
    )
    st.session_state[TYPED] = written(table, missed)
    keep_in_link(IN_LINK, [st.session_state[TYPED]], usual=[start])
    return table, missed


def verdict(measure: Measure, example: Example, found: Orderings) -> tuple[str, list[str]]:
    """Say what the orderings give and whether the closed form agrees."""
    name, closed = words.in_html(called(measure)), found.closed
    value = words.number(closed.expected)
    is_barren = max(grade or 0 for grade in (*example.grades, *example.unretrieved)) < measure.threshold
    if is_barren and closed.worst == closed.best:
        nothing = f"No document has grade {measure.threshold} or higher: nothing is relevant, and {name} is {value}"
        return f"{nothing} in every ordering.", []
    if example.n_orderings == 1:
        return f"Nothing is tied: there is one ordering, and {name} is {value}.", []
    orderings = f"{words.plural(example.n_orderings, 'ordering')} of the tied documents"
    if not found.mean_is_the_value:
        mean = words.number(found.table["value"].mean())
        return (
            f"{name} is {value}: it is defined on the expected search length, so the mean of the {orderings}, {mean}, "
            "is another number.",
            ["Worst and best case agree with the enumeration."],
        )
    if closed.worst == closed.best:
        sentence = f"The {orderings} all give {name} = {value}: their order does not matter here."
    else:
        ends = " to ".join(map(words.number, sorted([closed.worst, closed.best])))
        sentence = f"The {orderings} give {name} from {ends}; their mean is {value}."
    if not found.agree:
        return sentence, ["<strong>Closed form and enumeration do not agree.</strong> Please report this example."]
    as_typed = [f"{words.tie_break_in_html(one)} gives {words.number(own)}" for one, own in found.under.items()]
    return sentence, [
        f"As typed, {words.enumerate_names(as_typed)}.",
        "The closed form draws no ordering; it and the enumeration <em>agree</em> to twelve digits.",
    ]


def begin() -> None:
    """Begin with the list that was chosen; what was typed is forgotten."""
    if st.session_state[START] != OWN:
        st.session_state.update({TYPED: "", TIMES: st.session_state.get(TIMES, 0) + 1})


@page.part
def try_it(measure: Measure) -> None:
    """Show the example: what the user types, and all orderings beside the closed form."""
    left, right = st.columns([2, 5], gap="medium")
    with left:
        usual = next(iter(STARTS.values()))
        text = st.session_state.get(TYPED, st.query_params.get(IN_LINK))
        if text and START not in st.session_state:
            named = {text: name for name, text in STARTS.items()}
            st.session_state[START] = named.get(written(*read_written(text, usual)), OWN)
        start = st.selectbox(
            "Begin with",
            [*STARTS, OWN],
            key=START,
            bind="query-params",
            on_change=begin,
            help="Then change what you like.",
        )
        table, missed = typed(STARTS.get(start, usual))
        st.caption(f"Up to {MOST_DOCUMENTS} documents. Blank grade: not judged. The measure is that of the sidebar.")
    with right:
        try:
            example = example_of(table, missed)
            with st.spinner(f"Looking at {words.plural(example.n_orderings, 'ordering')}"):
                found = enumerate_orderings(measure, example)
        except TiecoreError as error:
            st.warning(words.in_markdown(str(error)), icon=":material/edit:")
            return
        page.say(*verdict(measure, example, found))
        shown = [
            [Tile(grade, is_relevant=grade is not None and grade >= measure.threshold) for grade in group]
            for group in example.groups
        ]
        st.html(tiles(shown, look=page.look(), deciding=found.deciding, cut=measure.cutoff))
        title, value = "expectation" if found.mean_is_the_value else "value as defined", found.closed.expected
        figure = orderings_chart(found.distribution, expected=value, title=title, measure=measure, look=page.look())
        alt = f"Values of {measure} that the orderings of {in_groups(example.groups)} give"
        page.chart(figure, key="method_orderings", alt=alt)
        page.table(
            found.table.set_index("ordering"),
            {"ordering": "Ordering", "value": ("Value", "%.12f"), "orderings": ("Times", "%d")},
            {
                "ordering": "grades from the top; a bar between tie groups, – if not judged",
                "value": "of the measure, for this list without ties",
                "orderings": "orderings that differ in documents of equal grade only",
            },
            key="method_table",
            alt="Every ordering and its value",
        )


def show_text(text: str) -> None:
    """Show a section; the parts of a formula stand below each other where there is no room beside each other."""
    for words_before, parts in texts.pieces(text):
        if words_before:
            st.markdown(words_before)
        if parts:
            with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
                for part in parts:
                    st.latex(part, width="content")


@page.part
def show_formula(measure: Measure) -> None:
    """Show the formulas of one family, for typesetting all takes a browser a while: of the measure, or any other."""
    families = [measure.name, *(name for name in FAMILIES if name != measure.name)]
    help_text = "At first the measure of the sidebar. Type to search."
    name = st.selectbox("Formula of", families, key=f"method_family_{measure.name}", width=320, help=help_text)
    with st.container(border=True, key="method_formula"):
        st.markdown(f"**{name}**")
        show_text(texts.formula(name))


@page.part
def show_folded(title: str) -> None:
    """Show a section that is typeset once it is opened."""
    box = st.expander(f"**{title}**", key=f"method_{title.split()[0].lower()}", on_change="rerun")
    if box.open:
        with box:
            show_text(texts.sections()[title])


chosen = st.session_state["settings"].measure
page.head("Method", "What do equal scores leave open, and how is it computed without drawing a single ordering?")
page.without(".st-key-tie")
page.say(
    "Documents with equal scores can be ordered in many ways, and every tool picks one silently. tiecore gives the "
    "<em>exact mean</em> of a measure over all of them, its spread, its worst and best case, and the value of each "
    "tie-break."
)
try_it(chosen)
st.header("The idea", anchor="idea")
show_text(texts.sections()["The idea"])
st.header("Formulas", anchor="formulas")
show_text(texts.sections()["Formulas"])
show_formula(chosen)
titles = [*texts.sections()]
for title in titles[titles.index("Between features") :]:  # what comes behind the formulas
    show_folded(title)
