"""Data: files of one's own, how they were understood, and what was left out."""

from pathlib import Path

import pandas as pd
import streamlit as st

from tiecore import TiecoreError
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.components import component
from tiecore_dashboard.export import exports
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.kept import keeps_files
from tiecore_dashboard.files.root import data_root, server_files
from tiecore_dashboard.pages.data.problems import show_problems
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.memory import LARGEST_UPLOAD

ASSETS = Path(__file__).parent / "assets"
KINDS = (
    "Judgments: TREC qrels, or a table with a column of grades. Features: TREC runs, tables (CSV, TSV, Parquet) with a "
    "column for each feature, LETOR or SVMlight, JSON. Or values already measured: a table with a row for each task "
    "and a column for each system, or what trec_eval -q prints. Plain or .gz, recognised by content."
)
AREA = (
    f"<label><strong></strong><span>any number at once, up to {words.size(LARGEST_UPLOAD)} each, or "
    "<u>choose files</u></span><input type='file' multiple aria-label='Choose files'></label><div role='status'></div>"
)
VERSION = "data_version"
RANKING = "../pages/ranking/ranking.py"
JUDGES = "../pages/judges/judges.py"
USE_AS_JUDGMENTS = "Use as judgments"
MOST_REASONS = 6  # for what is left out, shown at once


def changed(data: Dataset, *, rows_moved: bool = True) -> None:
    """Keep a changed dataset; the editor starts anew where its rows are not those that it was opened with."""
    sources.replace_by(data)
    if rows_moved:
        restart_editor()


def restart_editor() -> None:
    """Begin a new editor: what was edited is in the dataset."""
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def editor_key() -> str:
    """Key of the table of features."""
    return f"data_features_{st.session_state.get(VERSION, 0)}"


def take_uploads() -> None:
    """Note what was dropped in, for the run that follows."""
    restart_editor()
    sources.drop(st.session_state["drop"].files or ())


def take_server_files() -> None:
    """Load what was picked from the data root."""
    restart_editor()
    chosen = st.session_state.get("data_server", [])
    st.session_state["data_server"] = []
    sources.load_server_files(chosen)


def remove_selected() -> None:
    """Remove the files whose rows are selected."""
    data = sources.current()
    rows = st.session_state["data_files"]["selection"]["rows"]
    changed(data.remove([data.files[row].digest for row in rows if row < len(data.files)]))


def back() -> None:
    """Open again what the dashboard was started with."""
    sources.to_start()
    restart_editor()


def sample() -> None:
    """Open the sample."""
    sources.to_sample()
    restart_editor()


def judge_chosen() -> None:
    """Take the judgments from the file that is chosen in the menu."""
    data = sources.current()
    digest = data.digest_of_candidate.get(st.session_state["data_judgments"])
    if digest is not None:  # a browser that is behind sends a file that is gone
        changed(data.judged_by(digest))


def judge_clicked() -> None:
    """Take the judgments from the file whose button was clicked."""
    data, row = sources.current(), st.session_state["data_let_judge"]["row"]
    if row < len(data.files) and data.files[row].has_grades:
        changed(data.judged_by(data.files[row].digest))


def confirm_judge() -> None:
    """Keep the guess."""
    data = sources.current()
    if data.judgments is not None:
        changed(data.judged_by(data.judgments))


def edit() -> None:
    """Carry the edits of the table of features over into the dataset."""
    editor = st.session_state.get(editor_key())
    if editor is None:  # a browser that is behind tells of a table that is gone: it also clears itself after an edit
        return
    data, differs = sources.current().edited(editor["edited_rows"])
    changed(data, rows_moved=differs)


def show_ways_in(data: Dataset) -> None:
    """Ways to get data in, and back to where one came from."""
    is_empty = data.is_sample or not data.files
    what = "Drop judgments (qrels) and features (runs, tables) here" if is_empty else "Drop more files here"
    component(ASSETS, "drop", html=AREA)(
        key="drop",
        data={"address": sources.upload_address(), "most": LARGEST_UPLOAD, "what": what, "isSmall": not is_empty},
        on_files_change=take_uploads,
    )
    if is_empty:
        stay = (
            "as long as this server keeps them, under an address that nobody can guess"
            if keeps_files()
            else "until you reload or leave"
        )
        page.note(f"{KINDS} Your files are found again {stay}; no other visitor sees them unless you share the link.")
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
    if not data.is_sample:
        with st.container(horizontal=True):
            st.button("Back to the sample", on_click=sample, icon=":material/science:", type="tertiary")
            if sources.started_with_files():
                label = "Back to the files of the command line"
                st.button(label, on_click=back, icon=":material/undo:", type="tertiary")


def show_check(data: Dataset) -> None:
    """Say in one line who judges what, and lead on to the results."""
    qrels = data.qrels
    if qrels is None or not data.used:
        return
    n_asked = sum(problem.question is not None for problem in sources.problems())
    n_bad = len(sources.problems()) - n_asked
    left = sum(feature.used for feature in data.features) - len(data.used)
    n_queries = len(qrels.records.query.dictionary)
    rest = [
        f"{words.plural(left, 'feature')} left out" if left else "",
        f"{words.plural(n_bad, 'file')} could not be read" if n_bad else "",
        f"{words.plural(n_asked, 'file')} {'needs' if n_asked == 1 else 'need'} an answer" if n_asked else "",
    ]
    with st.container(horizontal=True, vertical_alignment="center", key="data_summary"):
        # a link keeps the settings, which st.switch_page would have to clear from the URL that they are bound to
        st.page_link(RANKING, label="See the results", icon=":material/leaderboard:")
        if len(data.judges) > 1:
            st.page_link(JUDGES, label=f"Compare {words.count(len(data.judges))} judges", icon=":material/gavel:")
        st.markdown(
            f"**{words.plural(len(data.used), 'feature')}** judged by **{words.in_markdown(qrels.name)}** "
            f"({words.plural(n_queries, 'query', 'queries')}, {words.plural(qrels.n_judged, 'judgment')})"
            + "".join(f"; {one}" for one in rest if one),
            width="stretch",
        )
    if not data.is_judge_clear:
        n_others = len(data.candidates) - 1
        others = "the others are features" if n_others > 1 else "the other one is a feature"
        with st.container(border=True, key="data_who_judges"):
            st.markdown(
                f":material/gavel: **Which file holds the judgments?** {words.count(n_others + 1)} files have grades. "
                f"For now it is **{words.in_markdown(qrels.name)}**, and {others}."
            )
            with st.container(horizontal=True, vertical_alignment="bottom"):
                choose_judge(data)
                st.button("Yes, keep it", on_click=confirm_judge)


def choose_judge(data: Dataset) -> None:
    """Offer the files that could judge."""
    names = data.digest_of_candidate
    st.session_state["data_judgments"] = next(name for name in names if names[name] == data.judgments)
    st.selectbox(
        "Judgments come from",
        names,
        key="data_judgments",
        on_change=judge_chosen,
        width=320,
        help="More than one file could hold the grades. TREC qrels that do not judge are features.",
    )


def show_files(data: Dataset) -> None:
    """Show the files with what they were recognised as."""
    st.header("Files", anchor=False)
    frame = pd.DataFrame(
        {
            "file": [file.name for file in data.files],
            "kind": [file.kind for file in data.files],
            "role": [role(data, file.digest) for file in data.files],
            "judge": [
                USE_AS_JUDGMENTS if file.has_grades and file.digest != data.judgments else None for file in data.files
            ],
            "queries": [len(file.records.query.dictionary) for file in data.files],
            "rows": [file.n_rows for file in data.files],
            "size": [words.size(file.n_bytes) for file in data.files],
            "ignored": [words.enumerate_names(file.records.ignored) or words.NOTHING for file in data.files],
        }
    )
    beside = [(name, file.name) for file in data.files for name in file.companions]
    if beside:
        read_along = {"file": [name for name, _ in beside], "kind": "names or groups of a LETOR file"}
        read_along |= {"role": [f"read with {owner}" for _, owner in beside]}
        frame = pd.concat([frame, pd.DataFrame(read_along)], ignore_index=True)
    if frame["judge"].isna().all():
        frame = frame.drop(columns="judge")
    if not any(file.records.ignored for file in data.files):
        frame = frame.drop(columns="ignored")
    state = st.dataframe(
        frame,
        key="data_files",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        alt="Loaded files",
        placeholder="",
        column_config={
            "judge": st.column_config.ButtonColumn(
                "Judgments",
                width=150,
                help="Take the judgments from this file; the file that judges now becomes a feature, if it can.",
                key="data_let_judge",
                on_click=judge_clicked,
            ),
            "file": st.column_config.TextColumn(
                "File", help="Name that it was loaded under.", pinned=True, width="medium"
            ),
            "kind": st.column_config.TextColumn(
                "Recognised as", help="By its content, whatever its name.", width="medium"
            ),
            "role": st.column_config.TextColumn(
                "Used as",
                help="Judgments, or how many features it gives; left out if it does not fit the judgments.",
                width=150,
            ),
            "queries": st.column_config.NumberColumn("Queries", help="Queries with rows in it.", format="%,d"),
            "rows": st.column_config.NumberColumn(
                "Rows", help="Pairs of query and document; in a table of counts, documents alike.", format="%,d"
            ),
            "size": st.column_config.TextColumn("Size", help="Of the file itself, compressed or not.", width="small"),
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
        if len(data.candidates) > 1 and data.is_judge_clear:
            choose_judge(data)


def role(data: Dataset, digest: str) -> str:
    """What a file is used for."""
    if digest in data.misfits:
        return "left out"
    n_features = sum(feature.file == digest for feature in data.used)
    parts = ["judgments"] if digest == data.judgments else []
    parts += [words.plural(n_features, "feature")] if n_features else []
    if data.is_measured:
        return "values to compare"
    does_not_meet = any(file == digest for file, _ in data.unmatched)
    return " and ".join(parts) or ("left out" if does_not_meet else "not used")


def show_features(data: Dataset) -> None:
    """Show the features as an editable table, with what was left out of each and why."""
    st.header("Features", anchor=False)
    st.caption(
        "Click into a cell to rename a feature, to reverse its direction, to leave it out or to move it. All pages use "
        "these names and this order."
    )
    coverage = cover(data)
    judged = judged_first(data)

    def of(name: str, column: str) -> float | None:
        return float(coverage[column].loc[name]) if coverage is not None and name in coverage.index else None

    frame = pd.DataFrame(
        {
            "position": range(1, len(data.features) + 1),
            "use": [feature.used for feature in data.features],
            "name": [feature.name for feature in data.features],
            "lower": [feature.lower_is_better for feature in data.features],
            "judged": [judged.get(feature.name) for feature in data.features],
            "tied": [None if tied is None else 100 * tied for tied in (of(one.name, "tied") for one in data.features)],
            "largest": [of(feature.name, "largest_tie") for feature in data.features],
            "queries": [of(feature.name, "queries") for feature in data.features],
            "documents": [of(feature.name, "documents") for feature in data.features],
            "file": [data.file(feature.file).name for feature in data.features],
        }
    )
    taking_part = set(data.used)
    is_left_out = [feature.used and feature not in taking_part for feature in data.features]
    if any(is_left_out):
        frame.insert(2, "state", ["left out" if one else "" for one in is_left_out])
    config = st.column_config
    st.data_editor(
        frame,
        key=editor_key(),
        on_change=edit,
        hide_index=True,
        placeholder=words.NOTHING,
        alt="Features, editable",
        disabled=["state", "judged", "tied", "largest", "queries", "documents", "file"],
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
            "state": config.TextColumn("State", help="Left out: why is said above the files.", width=80),
            "name": config.TextColumn(
                "Feature", help="Click to rename.", max_chars=200, width=130 if any(is_left_out) else "medium"
            ),
            "lower": config.CheckboxColumn("Lower is better", help="Rank by ascending scores."),
            "judged": config.NumberColumn(
                f"Judged@{st.session_state['settings'].cutoff}",
                help="Share of its first documents that have a judgment; the others count as not relevant.",
                format="percent",
            ),
            "tied": config.ProgressColumn(
                "Tied",
                help="Share of its documents that share their score with another one of the query.",
                format="%.0f %%",
                width=130,
                min_value=0,
                max_value=100,
            ),
            "largest": config.NumberColumn("Largest tie", help="Documents in the largest tie group.", format="%,d"),
            "queries": config.NumberColumn("Queries", help="Judged queries that it lists.", format="%,d"),
            "documents": config.NumberColumn("Documents", help="Documents that it ranks.", format="%,d"),
            "file": config.TextColumn("File", help="Where its scores come from.", width="medium"),
        },
    )
    if coverage is not None:
        show_left_out(data, coverage)
        offer_coverage(coverage)


def show_left_out(data: Dataset, coverage: pd.DataFrame) -> None:
    """Show what does not match between files and judgments, and what follows; equal reasons once."""
    names_of: dict[str, list[str]] = {}
    for feature in data.used:
        counts = {column: float(coverage[column].loc[feature.name]) for column in coverage.columns}
        if reason := words.left_out(counts, data.file(feature.file).records.ignored):
            names_of.setdefault(reason, []).append(feature.name)
    st.markdown("**Left out, and why**")
    if not names_of:
        whose = " of the features that take part" if data.misfits or data.unmatched else ""
        page.note(f"Nothing{whose}: all their queries and documents are judged, and they rank all that is judged.")
        return
    lines = [
        f"- **{words.in_markdown(words.enumerate_names(names))}**: {words.in_markdown(reason)}"
        for reason, names in names_of.items()
    ]
    st.markdown("\n".join(lines[:MOST_REASONS]))
    if len(lines) > MOST_REASONS:
        with st.expander(f"{words.count(len(lines) - MOST_REASONS)} more"):
            st.markdown("\n".join(lines[MOST_REASONS:]))


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


def judged_first(data: Dataset) -> dict[str, float]:
    """Return the share of the first documents of each feature that have a judgment."""
    if data.qrels is None or not data.used:
        return {}
    try:
        return cached.judged(data, st.session_state["settings"])
    except TiecoreError:  # said where the results are
        return {}


page.head("Data", "Your own files: how they were understood, and what was left out.")
if sources.are_gone():
    st.warning(page.GONE, icon=":material/link_off:")
loaded = sources.current()
show_ways_in(loaded)
if loaded.is_sample and sources.problems():
    page.note("None of your files is loaded yet. Until then the sample is shown.")
if not loaded.is_sample:
    show_check(loaded)
show_problems(loaded, on_read=restart_editor)
if loaded.files and not loaded.is_sample:
    if loaded.is_measured:
        st.info(
            "**Values already measured**, without judgments and scores of documents: Ranking and Pairs say which "
            "differences are clear.",
            icon=":material/leaderboard:",
        )
        st.page_link(RANKING, label="See the results", icon=":material/leaderboard:")
    elif loaded.qrels is None:
        st.info(
            "Judgments are missing. Add a file that says which documents are relevant: TREC qrels, or a table with a "
            "relevance column.",
            icon=":material/info:",
        )
    elif not loaded.features:
        st.info("Features are missing. Add a run, a table with numbers, or a LETOR file.", icon=":material/info:")
    if loaded.features:
        show_features(loaded)
    show_files(loaded)
