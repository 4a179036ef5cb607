"""The files that are loaded: what they were recognised as, which of them judges, and a way to remove them."""

import pandas as pd
import streamlit as st

from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.reading import File

CHOSEN = "data_chosen"
MEANINGS = {
    "file": "name that it was loaded under",
    "role": "judgments, or how many features it gives; left out if it does not fit the judgments",
    "kind": "by its content, whatever its name",
    "queries": "those with rows in it",
    "rows": "pairs of query and document; in a table of counts, groups of them",
}


def judge_chosen() -> None:
    """Take the judgments from the file that is chosen in the menu."""
    data = sources.current()
    digest = data.digest_of_candidate.get(st.session_state["data_judgments"])
    if digest is not None:  # a browser that is behind sends a file that is gone
        sources.replace_by(data.judged_by(digest))


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
        help="More than one file could hold the grades. Files of grades alone that do not judge are features.",
    )


def show_files(data: Dataset) -> None:
    """Show the files with what they were recognised as."""
    st.header("Files", anchor=False)
    files = [
        {
            "file": file.name,
            "role": role(data, file),
            "kind": " with ".join([file.kind, *file.companions]),
            "queries": len(file.records.query.dictionary),
            "rows": file.n_rows,
        }
        for file in data.files
    ]
    chosen = [file.digest for file in data.files if file.digest in st.session_state.get(CHOSEN, ())]
    page.table(
        pd.DataFrame(files),
        {
            "file": "File",
            "role": "Used as",
            "kind": "Recognised as",
            "queries": ("Items" if data.is_measured else "Queries", "%,d"),
            "rows": ("Rows", "%,d"),
        },
        MEANINGS,
        key="data_files",
        alt="Loaded files",
        chosen=[row for row, file in enumerate(data.files) if file.digest in chosen],
        choose=lambda rows: st.session_state.update({CHOSEN: [data.files[row].digest for row in rows]}),
        several=True,
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            f"Remove {words.plural(len(chosen), 'file')}" if chosen else "Remove files",
            disabled=not chosen,
            on_click=lambda: sources.replace_by(sources.current().remove(chosen)),
            icon=":material/delete:",
            help="Select rows of the table first.",
        )
        if asked := [file.digest for file in data.files if file.asked and not file.asked[0].knows_columns]:
            st.button(
                "Edit columns",
                on_click=lambda: sources.ask_again([one for one in asked if one in chosen] or asked),
                icon=":material/edit:",
                help="Asks again which column is which.",
            )
        if len(data.candidates) > 1 and data.is_judge_clear:
            choose_judge(data)


def role(data: Dataset, file: File) -> str:
    """What a file is used for."""
    if data.is_measured:
        return "values to compare"
    n_features = sum(feature.file == file.digest for feature in data.used)
    roles = ["judgments"] if file is data.qrels else []
    roles += [words.plural(n_features, "feature")] if n_features else []
    if file.digest in {*data.misfits, *(digest for digest, _ in data.unmatched)}:
        roles = roles or ["left out"]
    return " and ".join(roles) or ("another judge" if file.digest in data.judges.values() else "not used")
