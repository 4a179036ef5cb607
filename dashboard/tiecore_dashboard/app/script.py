"""The dashboard: page setup, data, settings, navigation."""

from pathlib import Path

import streamlit as st

from tiecore import TiecoreError
from tiecore_dashboard.app import frame, page
from tiecore_dashboard.files import dropped, sources
from tiecore_dashboard.pages import PAGES, next_step_of
from tiecore_dashboard.state import sidebar

FOLDER = Path(__file__).parent.parent / "pages"
st.set_page_config(page_title="tiecore", page_icon=str(frame.ASSETS / "favicon.png"), layout="wide")
st.logo(frame.ASSETS / "wordmark.svg", icon_image=frame.ASSETS / "favicon.png", size="large")
data = sources.current()
dropped.count_in_link(data)
pages = [
    st.Page(FOLDER / one.file / f"{one.file}.py", title=one.title, icon=one.icon, default=one.file == "ranking")
    for one in PAGES
]
chosen = st.navigation(pages, position="top")
has_ranks = bool(data.used) and all(data.file(feature.file).records.rank is not None for feature in data.used)
settings = sidebar.sidebar(
    [feature.name for feature in data.used] if data.has_tie_breakers else [],
    has_ranks=has_ranks,
    has_documents=data.counts is None,
)
st.session_state["settings"] = settings
with st.container(gap="xsmall"):
    frame.dress(pages)
    try:
        chosen.run()
        page.next_step(next_step_of(PAGES[pages.index(chosen)].file, len(data.used)))
    except TiecoreError as error:  # such as a file on disk that has gone since it was opened
        page.fault(str(error))
