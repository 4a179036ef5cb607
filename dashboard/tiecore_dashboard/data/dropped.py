"""Files that were dropped in, or opened from the server, live in one tab; the link counts them for after a reload.

A link carries settings, never data: nobody who gets it, and no other tab, sees the files.
"""

from __future__ import annotations

import streamlit as st

from tiecore_dashboard.data.datasets import Dataset
from tiecore_dashboard.ui import words

__all__ = ["count_in_link", "tell_what_is_lacking"]

_PARAMETER = "dropped"
_LACKING = "dropped_files_lacking"
_BEGAN_WITH = "dropped_files_began_with"
_MOST_DIGITS = 3


def count_in_link(data: Dataset) -> None:
    """Write into the link how many files a visitor brought; read from it, once, how many the session lacks."""
    files = tuple(file.digest for file in data.files)
    if _LACKING not in st.session_state:
        said = st.query_params.get(_PARAMETER, "")
        st.session_state[_LACKING] = int(said) if said.isascii() and said.isdigit() and len(said) <= _MOST_DIGITS else 0
        st.session_state[_BEGAN_WITH] = files
    elif files != st.session_state[_BEGAN_WITH]:
        st.session_state[_LACKING] = 0  # whoever opens something does not look for what was there before
    # those of the command line, and the sample, come back by themselves
    n_brought = sum(file.origin in ("upload", "server") for file in data.files)
    shown = str(n_brought or st.session_state[_LACKING])
    if shown == "0":
        st.query_params.pop(_PARAMETER, None)
    elif st.query_params.get(_PARAMETER) != shown:  # each time it is set the browser gets a new address
        st.query_params[_PARAMETER] = shown


def tell_what_is_lacking(page: str | None = None) -> None:
    """Say, above what is shown instead, that files which the link was made with are not here.

    Parameters
    ----------
    page
        Where they can be loaded again; None if it is the one that is shown.
    """
    lacking = st.session_state.get(_LACKING, 0)
    if not lacking:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="dropped_note", gap="small"):
        st.markdown(
            f":material/info: {words.plural(lacking, 'file')} loaded earlier {'is' if lacking == 1 else 'are'} not "
            "here: files stay in the tab that they were dropped into or opened in, until it is reloaded or closed.",
            width="content",
        )
        if page is not None:
            st.page_link(page, label="Drop in or open them again", icon=":material/upload_file:", width="content")
