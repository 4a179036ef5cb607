"""What Streamlit does not do by itself: rules of style, pages within reach, a fresh run where one is needed."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from tiecore_dashboard.app.components import component

ASSETS = Path(__file__).parent / "assets"


def dress(pages: Sequence[StreamlitPage]) -> None:
    """Put rules of style into the page, and links to all pages; let it ask for a fresh run, and Back undo."""
    st.html(ASSETS / "style.css")
    with st.sidebar.container(key="behind_the_scenes"):
        component(ASSETS, "fresh", html="<i></i>")(key="fresh", on_need_change=lambda: None)
        component(ASSETS, "history")(key="history")
    with st.container(key="phone_pages", horizontal=True, gap=None):
        for page in pages:
            st.page_link(page)


def copy_link() -> None:
    """Offer the address of the view."""
    component(ASSETS, "copy_link", html="<button type='button'>Copy link</button>")(key="copy_link", width="content")
