"""The dashboard: page setup, data, settings, navigation."""

import sys
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:  # Streamlit puts the folder of the script there, not that of the package
    sys.path.append(str(HERE.parent))

from dashboard import controls, frame, sources  # noqa: E402
from dashboard.views import PAGES  # noqa: E402

st.set_page_config(page_title="tiecore", page_icon=str(HERE / "assets" / "favicon.png"), layout="wide")
st.logo(HERE / "assets" / "wordmark.svg", icon_image=HERE / "assets" / "favicon.png", size="large")
data = sources.current()
pages = [
    st.Page(HERE / "views" / f"{page.file}.py", title=page.title, icon=page.icon, default=page.file == "ranking")
    for page in PAGES
    if (HERE / "views" / f"{page.file}.py").is_file()
]
chosen = st.navigation(pages, position="top")
has_ranks = bool(data.used) and all(data.file(feature.file).records.rank is not None for feature in data.used)
st.session_state["settings"] = controls.sidebar([feature.name for feature in data.used], has_ranks=has_ranks)
frame.dress()
chosen.run()
