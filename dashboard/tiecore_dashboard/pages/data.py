"""Data: what is loaded, how it was understood, and what was left out."""

import pandas as pd
import streamlit as st

from tiecore import TiecoreError
from tiecore_dashboard.compute import cached
from tiecore_dashboard.data import dropped, sources
from tiecore_dashboard.data.datasets import Dataset, kind_of
from tiecore_dashboard.share import exports
from tiecore_dashboard.ui import page, words

KINDS = (
    "TREC qrels and runs, tables (CSV, TSV, Parquet), LETOR or SVMlight, JSON; plain or .gz. "
    "What each file is, is seen by its content. It stays in this session: no other visitor sees it."
)
VERSION = "data_version"


def changed(data: Dataset, *, rows_moved: bool = True) -> None:
    """Keep a changed dataset; the editor starts anew where its rows are not those that it was opened with."""
    sources.replace_by(data)
    if rows_moved:
        edit_anew()


def edit_anew() -> None:
    """Begin a new editor: what was edited is in the dataset."""
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def editor_key() -> str:
    """Key of the table of features."""
    return f"data_features_{st.session_state.get(VERSION, 0)}"


def take_uploads() -> None:
    """Load what was dropped in."""
    edit_anew()  # first: a click while files are read ends the run once they are loaded
    sources.load_uploads()
    tell()


def tell() -> None:
    """Say in passing how the loading went; what went wrong is said at length on the page."""
    n_files, n_bad = len(sources.current().files), len(sources.problems())
    said = f"{words.plural(n_files, 'file')} loaded"
    st.toast(f"{said}, {n_bad} could not be read" if n_bad else said, icon=":material/task_alt:")


def take_server_files() -> None:
    """Load what was picked from the data root."""
    edit_anew()
    chosen = st.session_state.get("data_server", [])
    st.session_state["data_server"] = []
    sources.load_server_files(chosen)
    tell()


def remove_selected() -> None:
    """Remove the files whose rows are selected."""
    data = sources.current()
    rows = st.session_state["data_files"]["selection"]["rows"]
    changed(data.remove([data.files[row].digest for row in rows if row < len(data.files)]))


def back() -> None:
    """Open again what the dashboard was started with."""
    sources.to_start()
    changed(sources.current())


def sample() -> None:
    """Open the sample."""
    sources.to_sample()
    changed(sources.current())


def judge() -> None:
    """Take the judgments from the chosen file."""
    data = sources.current()
    changed(data.judged_by(data.digest_of_candidate[st.session_state["data_judgments"]]))


def edit() -> None:
    """Carry the edits of the table of features over into the dataset."""
    data, differs = sources.current().edited(st.session_state[editor_key()]["edited_rows"])
    changed(data, rows_moved=differs)


def show_sources(data: Dataset) -> None:
    """Ways to get data in, and back to where one came from."""
    st.file_uploader(
        "Drop in judgments and features: any number of files at once",
        accept_multiple_files=True,
        key=sources.uploader_key(),
        on_change=take_uploads,
        help="Grades come from a qrels file, or from a table or LETOR file with a label column. Every other column of "
        f"numbers is a feature. A file may have {words.size(sources.MOST_UNPACKED)} after unpacking.",
    )
    st.caption(KINDS)
    if sources.data_root() is not None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.multiselect(
                "Files on the server",
                sources.server_files(),
                key="data_server",
                placeholder="Choose files that are too large to upload",
                help="What lies under the folder given as --data-root.",
            )
            st.button("Open", on_click=take_server_files, disabled=not st.session_state.get("data_server"))
    with st.container(horizontal=True):
        if not data.is_sample:
            st.button("Back to the sample", on_click=sample, icon=":material/science:", type="tertiary")
            if sources.started_with_files():
                st.button(
                    "Back to the files of the command line", on_click=back, icon=":material/undo:", type="tertiary"
                )


def show_problems(data: Dataset) -> None:
    """One message for each file that could not be read or does not fit, with the way out."""
    bad = sources.problems()
    for problem in bad:
        line = "" if problem.line is None else f", line {words.count(problem.line)}"
        st.error(
            f"**{words.in_markdown(problem.file)}**{line}: {words.in_markdown(problem.what)}", icon=":material/error:"
        )
    for reason in data.misfits.values():
        st.warning(f"Left out: {words.in_markdown(reason)}", icon=":material/link_off:")
    if bad:
        st.button("Dismiss", on_click=sources.dismiss, type="tertiary")


def show_files(data: Dataset) -> None:
    """Show the files with what they were recognised as."""
    st.subheader("Files", anchor=False)
    frame = pd.DataFrame(
        {
            "file": [file.name for file in data.files],
            "kind": [kind_of(file) for file in data.files],
            "role": [role(data, file.digest) for file in data.files],
            "queries": [len(file.records.query.dictionary) for file in data.files],
            "rows": [len(file.records.document) for file in data.files],
            "size": [words.size(file.n_bytes) for file in data.files],
            "ignored": [words.enumerate_names(file.records.ignored) or words.NOTHING for file in data.files],
        }
    )
    state = st.dataframe(
        frame,
        key="data_files",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        alt="Loaded files",
        column_config={
            "file": st.column_config.TextColumn(
                "File", help="Name that it was loaded under.", pinned=True, width="medium"
            ),
            "kind": st.column_config.TextColumn(
                "Recognised as", help="By its content, whatever its name.", width="medium"
            ),
            "role": st.column_config.TextColumn(
                "Used as",
                help="Judgments, or how many features it gives; left out if it does not fit the judgments.",
                width="medium",
            ),
            "queries": st.column_config.NumberColumn("Queries", help="Queries that it has rows of.", format="%,d"),
            "rows": st.column_config.NumberColumn("Rows", help="Pairs of query and document.", format="%,d"),
            "size": st.column_config.TextColumn("Size", help="Of the file as it is, packed or not.", width="small"),
            "ignored": st.column_config.TextColumn("Columns left out", help="Neither ids nor numbers."),
        },
    )
    rows = state["selection"]["rows"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            f"Remove {words.plural(len(rows), 'file')}" if rows else "Remove files",
            disabled=not rows,
            on_click=remove_selected,
            icon=":material/delete:",
            help="Select rows of the table first.",
        )
        if len(data.candidates) > 1:
            names = data.digest_of_candidate
            st.session_state["data_judgments"] = next(name for name in names if names[name] == data.judgments)
            st.selectbox(
                "Judgments come from",
                names,
                key="data_judgments",
                on_change=judge,
                width=320,
                help="More than one file could hold the grades. The others serve as features, if they have any.",
            )


def role(data: Dataset, digest: str) -> str:
    """What a file is used for."""
    if digest in data.misfits:
        return "left out"
    n_features = sum(feature.file == digest for feature in data.used)
    parts = ["judgments"] if digest == data.judgments else []
    parts += [words.plural(n_features, "feature")] if n_features else []
    return " and ".join(parts) or "not used"


def show_features(data: Dataset) -> None:
    """Show the features as an editable table, with what was left out of each and why."""
    st.subheader("Features", anchor=False)
    st.caption(
        "Rename a feature, turn it round, take it out or give it another position: click into a cell. "
        "Order and names are those of all pages."
    )
    coverage = cover(data)
    ignored = {file.digest: file.records.ignored for file in data.files}

    def of(name: str, column: str) -> float | None:
        return float(coverage[column].loc[name]) if coverage is not None and name in coverage.index else None

    def why(name: str, digest: str) -> str:
        if digest in data.misfits:
            return "does not fit the judgments"
        if coverage is None or name not in coverage.index:
            return words.NOTHING
        counts = {column: float(coverage[column].loc[name]) for column in coverage.columns}
        return words.left_out(counts, ignored[digest]) or "nothing"

    frame = pd.DataFrame(
        {
            "position": range(1, len(data.features) + 1),
            "use": [feature.used for feature in data.features],
            "name": [feature.name for feature in data.features],
            "lower": [feature.lower_is_better for feature in data.features],
            "tied": [None if tied is None else 100 * tied for tied in (of(one.name, "tied") for one in data.features)],
            "largest": [of(feature.name, "largest_tie") for feature in data.features],
            "queries": [of(feature.name, "queries") for feature in data.features],
            "documents": [of(feature.name, "documents") for feature in data.features],
            "left": [why(feature.name, feature.file) for feature in data.features],
            "file": [data.file(feature.file).name for feature in data.features],
        }
    )
    config = st.column_config
    st.data_editor(
        frame,
        key=editor_key(),
        on_change=edit,
        hide_index=True,
        placeholder=words.NOTHING,
        alt="Features, editable",
        disabled=["tied", "largest", "queries", "documents", "left", "file"],
        column_config={
            "position": config.NumberColumn(
                "#",
                help="Position in every list; type another number to move it.",
                min_value=1,
                step=1,
                width=50,
                format="%d",
            ),
            "use": config.CheckboxColumn("Use", help="Takes part in every page.", width=75),
            "name": config.TextColumn("Feature", help="Click to rename.", max_chars=200, width="medium"),
            "lower": config.CheckboxColumn("Lower is better", help="Rank by ascending scores."),
            "tied": config.ProgressColumn(
                "Tied",
                help="Share of its documents that share their score with another one of the query.",
                format="%.0f %%",
                min_value=0,
                max_value=100,
            ),
            "largest": config.NumberColumn("Largest tie", help="Documents in the largest tie group.", format="%,d"),
            "queries": config.NumberColumn("Queries", help="Judged queries that it lists.", format="%,d"),
            "documents": config.NumberColumn("Documents", help="Documents that it ranks.", format="%,d"),
            "left": config.TextColumn(
                "Left out, and why",
                help="What of the file and of the judgments does not meet, and what becomes of it.",
                width="large",
            ),
            "file": config.TextColumn("File", help="Where its scores come from.", width="medium"),
        },
    )
    if coverage is not None:
        offer_coverage(coverage)


def offer_coverage(coverage: pd.DataFrame) -> None:
    """Offer the counts behind the table of features."""
    st.download_button(
        "Coverage (CSV)",
        lambda: exports.as_csv(coverage),
        "coverage.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def cover(data: Dataset) -> pd.DataFrame | None:
    """Coverage of the features that take part; None where there are no judgments to hold them against."""
    if data.qrels is None or not data.used:
        return None
    try:
        with page.progress("Counting ties") as report:
            return cached.coverage(data, st.session_state["settings"], progress=report)
    except TiecoreError as error:
        st.error(words.in_markdown(str(error)), icon=":material/error:")
        return None


page.head("Data", "What is loaded, how it was understood, and what was left out.")
dropped.tell_what_is_lacking()
loaded = sources.current()
show_sources(loaded)
show_problems(loaded)
if loaded.files:
    if loaded.qrels is None:
        st.info(
            "Judgments are missing. Add a file that says which documents are relevant: TREC qrels, or a table with a "
            "relevance column.",
            icon=":material/info:",
        )
    elif not loaded.features:
        st.info("Features are missing. Add a run, a table with numbers, or a LETOR file.", icon=":material/info:")
    show_files(loaded)
    if loaded.features:
        show_features(loaded)
else:
    st.info("Nothing is loaded. Drop files in above, or go back to the sample.", icon=":material/info:")
