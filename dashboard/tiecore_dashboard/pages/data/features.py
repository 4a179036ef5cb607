"""The features as an editable table, and how they and the judgments cover each other."""

import math

import pandas as pd
import streamlit as st

from tiecore import TiecoreError
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.app.table_columns import BAR, PERCENT, Titles, columns
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import Dataset, are_ranks
from tiecore_dashboard.pages.data.problems import named_once, show_messages
from tiecore_dashboard.results import cached

FACTS = ("largest_tie", "queries", "documents")
"""Columns of the coverage that are shown as they are."""
TITLES: Titles = {
    "state": "State",
    "judged": ("Judged", PERCENT),
    "tied": ("Tied", BAR),
    "largest_tie": ("Largest tie", "%,d"),
    "queries": ("Queries", "%,d"),
    "documents": ("Documents", "%,d"),
    "file": "File",
}
MEANINGS = {
    "state": "left out: the reason stands above; judge: see the page Judges, and tick Use to rank it too",
    "judged": "share of its first documents with a judgment; most measures count the others as not relevant",
    "file": "where its scores come from",
}


def editor_key() -> str:
    """Key of the table; what has become of the data otherwise than by its edits makes another one of it."""
    return f"data_features_{st.session_state.get(sources.TABLE_VERSION, 0)}"


def edit() -> None:
    """Carry the edits of the table over into the dataset; it shows them already, unless one cannot be made."""
    editor = st.session_state.get(editor_key())
    if editor is None:  # a browser that is behind tells of a table that is gone: it also clears itself after an edit
        return
    data, is_shown = sources.current(), True
    for row, cells in editor["edited_rows"].items():
        data = data.change(row, **cells)
        changed = data.features[row]
        is_shown &= cells.get("name", changed.name) == changed.name and (not cells.get("used") or changed in data.used)
    sources.replace_by(data, is_shown=is_shown)


def show_features(data: Dataset) -> None:
    """Show the features as an editable table, and how they and the judgments cover each other."""
    st.header("Features", anchor=False)
    st.caption(
        "Choose a cell to rename a feature, to reverse its direction or to leave it out. All pages use these names."
    )
    coverage, judged = cover(data)
    names = [feature.name for feature in data.features]
    known = coverage.reindex(names).reset_index(drop=True)
    taking_part, short = {*data.used}, page.short([file.name for file in data.files], 16, 28)
    frame = pd.DataFrame(
        {
            "used": [feature in taking_part for feature in data.features],
            "name": names,
            "judged": [100 * judged.get(name, math.nan) for name in names],
            "tied": 100 * known["tied"],
            "lower_is_better": [feature.lower_is_better for feature in data.features],
            **known[[*FACTS]],
            "file": [short[data.file(feature.file).name] for feature in data.features],
        }
    )
    judges = {*data.judges.values()}
    states = ["left out" if one.used and one not in taking_part else
              "judge" if not one.used and one.file in judges else "" for one in data.features]  # fmt: skip
    if any(states):
        frame.insert(1, "state", states)
    room = 42 + 7 * max(14, *map(len, page.short(names, 16, 56).values()))  # short ones would be edited
    titles: Titles = {**TITLES, "judged": (f"Judged@{st.session_state['settings'].cutoff}", PERCENT)}
    box, text = st.column_config.CheckboxColumn, st.column_config.TextColumn
    st.data_editor(
        frame,
        key=editor_key(),
        on_change=edit,
        hide_index=True,
        placeholder=words.NOTHING,
        alt="Features, editable",
        disabled=[*titles],
        column_config={
            **columns(titles, MEANINGS),
            "used": box("Use", help="Takes part in every page.", width=60),
            "name": text("Feature", help="Edit to rename", max_chars=200, width=room, pinned=page.width() < page.PHONE),
            "lower_is_better": box("Lower is better", help="Rank by ascending scores.", width=120),
        },
    )
    counts = coverage.to_dict("index")
    lines = named_once((one.name, words.coverage(counts.get(one.name, {}))) for one in data.used)
    lines += named_once((file.name, words.coverage({}, file.records.ignored)) for file in data.files)
    ranks = [one.name for one in data.used if one.lower_is_better and are_ranks(data.file(one.file).records)]
    lines += named_once((name, "counts 1, 2, 3 … in each query, as ranks do, so lower is better") for name in ranks)
    show_messages(st.markdown, "Coverage", lines)


def cover(data: Dataset) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return the coverage of the features that take part, and the share of their first documents that is judged."""
    nothing = pd.DataFrame(columns=["tied", *FACTS], dtype=float)
    if data.qrels is None or not data.used:
        return nothing, {}
    settings = st.session_state["settings"]
    try:
        with page.progress("Counting ties") as report:
            return cached.coverage(data, settings, progress=report), cached.judged(data, settings)
    except TiecoreError as error:
        st.error(words.in_markdown(str(error)), icon=":material/error:")
        return nothing, {}
