"""The dashboard: page setup, data, settings, navigation."""

from pathlib import Path

import streamlit as st

from tiecore import TiecoreError
from tiecore_dashboard.app import frame, page
from tiecore_dashboard.files import sources
from tiecore_dashboard.pages.all_pages import PAGES
from tiecore_dashboard.state import sidebar

FOLDER = Path(__file__).parent.parent / "pages"
st.set_page_config(page_title="tiecore", page_icon=str(frame.ASSETS / "favicon.png"), layout="wide")
st.logo(frame.ASSETS / "wordmark.svg", icon_image=frame.ASSETS / "favicon.png", size="large")
sources.take_dropped()
data = sources.current()
pages = [
    st.Page(FOLDER / name / f"{name}.py", title=title, icon=icon, default=name == "ranking")
    for name, (title, icon) in PAGES.items()
]
chosen = st.navigation(pages, position="top")
with st.container(gap="xsmall"):
    frame.dress(pages if page.width() < 1100 else [])  # no phone, however turned: they are eight of fifty elements
    try:
        ranks = [data.file(feature.file).records.rank for feature in data.used]
        if data.is_measured:  # pages that take values have controls of their own
            st.session_state["settings"] = sidebar.Settings()
        else:
            st.session_state["settings"] = sidebar.sidebar(
                [feature.name for feature in data.used] if data.has_tie_breakers else [],
                has_ranks=bool(ranks) and all(one is not None for one in ranks),
                has_documents=data.counts is None,
            )
        chosen.run()
    except TiecoreError as error:
        if (rest := data.readable()).files != data.files:
            st.button("Go on without files that are gone", on_click=sources.replace_by, args=(rest,))
        page.fault(str(error))
