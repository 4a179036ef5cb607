"""Files that were dropped in, or opened from the server, live in one tab; the link counts them for after a reload.

A link carries settings, never data: nobody who gets it, and no other tab, sees the files.
"""

from __future__ import annotations

import streamlit as st

from tiecore_dashboard import words
from tiecore_dashboard.files.datasets import Dataset

__all__ = ["count_in_link", "say_what_is_missing"]

_PARAMETER = "dropped"
_MISSING = "dropped_files_missing"
_BEGAN_WITH = "dropped_files_began_with"
_MOST_DIGITS = 3


def count_in_link(data: Dataset) -> None:
    """Write into the link how many files were loaded here; read from it, once, how many are missing."""
    files = tuple(file.digest for file in data.files)
    if _MISSING not in st.session_state:
        linked = st.query_params.get(_PARAMETER, "")
        st.session_state[_MISSING] = (
            int(linked) if linked.isascii() and linked.isdigit() and len(linked) <= _MOST_DIGITS else 0
        )
        st.session_state[_BEGAN_WITH] = files
    elif files != st.session_state[_BEGAN_WITH]:
        st.session_state[_MISSING] = 0  # after opening other files, nobody looks for the earlier ones
    # the sample and the files of the command line are loaded again by themselves
    n_brought = sum(file.origin in ("upload", "server") for file in data.files)
    shown = str(n_brought or st.session_state[_MISSING])
    if shown == "0":
        st.query_params.pop(_PARAMETER, None)
    elif st.query_params.get(_PARAMETER) != shown:  # each time it is set the browser gets a new address
        st.query_params[_PARAMETER] = shown


def say_what_is_missing(page: str | None = None) -> None:
    """Show a note if files that the link was made with are not loaded.

    ``page``: where they can be loaded again; None if it is the one that is shown.
    """
    n_missing = st.session_state.get(_MISSING, 0)
    if not n_missing:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="dropped_note", gap="small"):
        st.markdown(
            f":material/info: {words.plural(n_missing, 'file')} loaded earlier {'is' if n_missing == 1 else 'are'} not "
            "here: files stay in the tab that they were dropped into or opened in, until it is reloaded or closed.",
            width="content",
        )
        if page is not None:
            st.page_link(page, label="Drop in or open them again", icon=":material/upload_file:", width="content")
