"""What Streamlit's theme cannot express: rules of style, charts that follow a change of theme, pages within reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from tiecore_dashboard.app.components import component

__all__ = ["ASSETS", "FEATURE_CLICKED", "copy_link", "dress"]

ASSETS = Path(__file__).parent / "assets"
FEATURE_CLICKED = "feature_clicked"
"""Key of the field that a click on a row of a leaderboard fills in."""


def dress(pages: Sequence[StreamlitPage], on_feature: Callable[[str], None]) -> None:
    """Put the rules of style into the page, links to all pages for narrow screens, and let charts follow the theme.

    ``on_feature``: called with the name of a feature whose row in a leaderboard was clicked on.
    """

    def pass_on() -> None:
        name, st.session_state[FEATURE_CLICKED] = st.session_state[FEATURE_CLICKED], ""
        if name:
            on_feature(name)

    st.html(ASSETS / "style.css")
    with st.sidebar.container(key="behind_the_scenes"):
        component(ASSETS, "theme", html="<i></i>")(key="theme", on_theme_change=lambda: None)
        st.html(f"<script>{(ASSETS / 'leaderboard.js').read_text()}</script>", unsafe_allow_javascript=True)
        st.text_input("\u200b", key=FEATURE_CLICKED, on_change=pass_on)
    with st.container(key="phone_pages", horizontal=True, gap=None):
        for page in pages:
            st.page_link(page)


def copy_link() -> None:
    """Offer the address of the view."""
    component(ASSETS, "copy_link", html="<button type='button'>Copy link</button>")(key="copy_link", width="content")
