"""Data: files of one's own, how they were understood, and what was left out."""

from pathlib import Path

import pandas as pd
import streamlit as st

from tiecore.collection.coverage import coverage_warnings
from tiecore.comparing.values import joined
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.frame import component
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import MOST_FEATURES, Dataset
from tiecore_dashboard.files.joined import alignment
from tiecore_dashboard.files.kept import keeps_files
from tiecore_dashboard.files.root import data_root, server_files
from tiecore_dashboard.pages.data.features import show_features
from tiecore_dashboard.pages.data.problems import show_problems
from tiecore_dashboard.pages.data.tables import choose_judge, judge_chosen, role, show_files
from tiecore_dashboard.results.memory import LARGEST_UPLOAD

ASSETS = Path(__file__).parent / "assets"
KINDS = (
    "Judgments: TREC qrels, or a table with a column of grades. Features: TREC runs, tables (CSV, TSV, Parquet) with a "
    "column for each feature, LETOR or SVMlight, JSON. Or values already measured: a table with a row for each task "
    "and a column for each feature, or what trec_eval -q prints. Plain or .gz, recognised by content."
)
AREA = (
    "<label><strong></strong><b>Choose files</b>"
    f"<span>any number at once, up to {words.size(LARGEST_UPLOAD)} each</span>"
    "<input type='file' multiple aria-label='Choose files'></label><div role='status'></div>"
)
EXAMPLES = {
    "Judgments, such as *qrels.txt*": "q1 0 d7 2\nq1 0 d8 0\nq2 0 d3 1",
    "Features, such as *features.csv*": "query_id,doc_id,bm25,clicks\nq1,d7,12.3,4\nq1,d8,11.9,4",
}
JUDGES = "../pages/judges/judges.py"


def take_server_files() -> None:
    """Load what was picked from the data root."""
    chosen, st.session_state["data_server"] = st.session_state["data_server"], []
    sources.load_server_files(chosen)


def show_ways_in(data: Dataset) -> None:
    """Ways to get data in."""
    is_empty = data.is_sample or not data.files
    what = "Add judgments (qrels) and features (runs, tables)" if is_empty else "Add more files"
    component(ASSETS, "drop", html=AREA)(
        key="drop",
        data={"address": sources.upload_address(), "most": LARGEST_UPLOAD, "what": what, "isSmall": not is_empty},
        on_files_change=lambda: sources.drop(st.session_state["drop"].files or ()),
    )
    if data_root() is not None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.multiselect(
                "Files on the server",
                server_files(),
                key="data_server",
                placeholder="Choose files that are too large to upload",
                help="What lies under the folder given as --data-root.",
            )
            st.button("Open", on_click=take_server_files, disabled=not st.session_state.get("data_server"))


def show_examples() -> None:
    """Show what files look like inside, and say which kinds are read and how long they are kept."""
    stay = "until you reload or leave"
    if keeps_files():
        stay = "as long as this server keeps them, under an address that nobody can guess"
    for place, (title, lines) in zip(st.columns(len(EXAMPLES)), EXAMPLES.items(), strict=True):
        place.markdown(title)
        place.code(lines, language=None)
    page.note(f"{KINDS} Your files are found again {stay}; no other visitor sees them unless you share the link.")


def show_ways_back(data: Dataset) -> None:
    """Lead back to where one came from: below what leads on."""
    if data.is_sample:
        if own := st.session_state.get(sources.OWN):
            label = "Back to your files, which are kept"
            st.button(label, on_click=sources.replace_by, args=(own,), icon=":material/undo:")
    else:
        with st.container(horizontal=True):
            st.button("Back to the sample", on_click=sources.to_sample, icon=":material/science:", type="tertiary")
            if sources.started_with_files():
                label = "Back to the files of the command line"
                st.button(label, on_click=sources.to_start, icon=":material/undo:", type="tertiary")


def show_check(data: Dataset) -> None:
    """Say in one line who judges what, and lead on to the results."""
    qrels = data.qrels
    if qrels is None or not data.used:
        return
    n_spare = sum(not feature.used for feature in data.features) if len(data.features) > MOST_FEATURES else 0
    text = f"**{words.plural(len(data.used), 'feature')}** judged by **{words.in_markdown(qrels.name)}** "
    queries = words.plural(len(qrels.records.query.dictionary), "query")
    text += f"({queries}, {words.plural(qrels.n_judged, 'judgment')})"
    spare = f"; {words.plural(n_spare, 'more feature')} can be chosen in the table" if n_spare else ""
    lead_on(data, text + spare)
    judged = alignment(data)
    barren = ["No document has grade 1 or higher: nothing is relevant."] * bool(judged.grades.max() < 1)
    for note in (*barren, *coverage_warnings({}, judged, uncounted=""), *data.strays.values()):
        st.warning(words.in_markdown(note), icon=":material/warning:")
    if not data.is_judge_clear:
        others = [
            f"**{words.in_markdown(name)}** ({role(data, data.file(digest))})"
            for name, digest in data.digest_of_candidate.items()
            if digest != data.judgments
        ]
        with st.container(border=True, key="data_who_judges"):
            st.markdown(
                f":material/gavel: **Which file holds the judgments?** {words.count(len(others) + 1)} files have "
                f"grades. For now it is **{words.in_markdown(qrels.name)}**. "
                f"The other{'s' if len(others) > 1 else ' one'}: {words.enumerate_names(others)}."
            )
            with st.container(horizontal=True, vertical_alignment="bottom"):
                choose_judge(data)
                st.button("Yes, keep it", on_click=judge_chosen)  # the menu has the guess


def lead_on(data: Dataset, text: str) -> None:
    """Lead on by links, which keep the settings; st.switch_page would have to clear them from the URL."""
    with st.container(horizontal=True, vertical_alignment="center", key="data_summary"):
        st.page_link(page.RANKING_PAGE, label="See the results", icon=":material/leaderboard:")
        if len(data.judges) > 1:
            asked = "does the order survive?" if data.has_judges else "whose grades agree?"
            st.page_link(JUDGES, label=f"{words.count(len(data.judges))} judges: {asked}", icon=":material/gavel:")
        st.markdown(text, width="stretch")


def size_of(values: pd.DataFrame) -> str:
    """Say how many features and items the values of a file are of, and whether its rows are features."""
    items = words.plural(values["item"].nunique(), values["unit"].iloc[0])
    rows = ", a row each," if values.groupby("row")["item"].nunique().max() > 1 else ""
    return f"**{words.plural(values['system'].nunique(), 'feature')}**{rows} on **{items}**"


def say_what_is_lacking(data: Dataset) -> None:
    """Say what else is needed for results, or how values that were measured already are compared."""
    if any(problem.question for problem in data.problems):  # the answer may bring it
        return
    if data.is_measured:
        tables = [file.values for file in data.files if file.values is not None]
        text = f"**Values already measured**: {words.enumerate_names([*map(size_of, tables)])}."
        if joined(tables).groupby("measure")["system"].nunique().max() > 1:
            lead_on(data, f"{text} Ranking and Pairs say which differences are clear.")
        else:
            st.info(f"{text} Two features need values of the same measure: add more.", icon=":material/info:")
    elif data.judgments is None:
        more = " Or choose a column of grades: *Edit columns*, below." * any(one.asked for one in data.files)
        wanted = "Add TREC qrels, or a table whose column of grades is called *relevance* in its header."
        st.info(f"Judgments, which say what is relevant, are missing. {wanted}{more}", icon=":material/info:")
    elif not data.features:
        st.info("Features are missing. Add a run, a table with numbers, or a LETOR file.", icon=":material/info:")


page.head("Data", "Your own files, and how they were understood.")
if sources.are_gone():
    st.warning(page.GONE, icon=":material/link_off:")
loaded = sources.current()
show_ways_in(loaded)
if loaded.is_sample and loaded.problems:
    page.note("None of your files is loaded yet; the sample is still shown.")
if has_own := bool(loaded.files) and not loaded.is_sample:
    show_check(loaded)
show_problems(loaded)
if has_own:
    say_what_is_lacking(loaded)
show_ways_back(loaded)
page.without(".st-key-tie")
if not has_own:
    show_examples()
    st.stop()
if loaded.features:
    show_features(loaded)
show_files(loaded)
