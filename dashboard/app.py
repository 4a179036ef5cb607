"""The dashboard: page setup, data, settings, navigation."""

import sys
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:  # Streamlit puts the folder of the script there, not that of the package
    sys.path.append(str(HERE.parent))

from dashboard import controls, dropped, frame, idle, page, sources  # noqa: E402
from dashboard.views import PAGES  # noqa: E402
from tiecore import TiecoreError  # noqa: E402

with idle.drawing():
    st.set_page_config(page_title="tiecore", page_icon=str(HERE / "assets" / "favicon.png"), layout="wide")
    st.logo(HERE / "assets" / "wordmark.svg", icon_image=HERE / "assets" / "favicon.png", size="large")
    data = sources.current()
    dropped.count_in_link(data)
    pages = [
        st.Page(HERE / "views" / f"{one.file}.py", title=one.title, icon=one.icon, default=one.file == "ranking")
        for one in PAGES
    ]
    chosen = st.navigation(pages, position="top")
    has_ranks = bool(data.used) and all(data.file(feature.file).records.rank is not None for feature in data.used)
    settings = controls.sidebar([feature.name for feature in data.used], has_ranks=has_ranks)
    has_just_come = "settings" not in st.session_state
    st.session_state["settings"] = settings
    frame.dress()
    try:
        chosen.run()
    except TiecoreError as error:  # such as a file on disk that has gone since it was opened
        page.fault(str(error))
idle.look_ahead(data, settings, has_just_come=has_just_come)
