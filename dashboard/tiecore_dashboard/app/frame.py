"""What Streamlit does not do by itself: rules of style, pages within reach, a fresh run where one is needed.

Markup, style and script of our own components are assets, files in a folder.
"""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer
from streamlit.navigation.page import StreamlitPage

ASSETS = Path(__file__).parent / "assets"


def component(folder: Path, name: str, *, html: str = "") -> ComponentRenderer:
    """Return a component whose script is ``NAME.js`` in the folder, and whose style is ``NAME.css``, if there is one.

    Call it within a run of a page: what is registered before the server runs is forgotten.
    """
    style = folder / f"{name}.css"
    return st.components.v2.component(
        f"tiecore_{name}",
        html=html,
        css=style.read_text(encoding="utf-8") if style.is_file() else None,
        js=(folder / f"{name}.js").read_text(encoding="utf-8"),
    )


def dress(pages: Sequence[StreamlitPage]) -> None:
    """Put rules of style into the page, and links to pages; let it ask for a fresh run, and Back undo."""
    st.html(ASSETS / "style.css")
    with st.sidebar.container(key="behind_the_scenes"):
        component(ASSETS, "fresh", html="<i></i>")(key="fresh", on_need_change=lambda: None)
        component(ASSETS, "history")(key="history")
    with st.container(key="phone_pages", horizontal=True, gap=None):
        for page in pages:
            st.page_link(page)


def copy(what: str, image: bytes | None = None) -> None:
    """Offer to copy the link to the view, or an image, which is a PNG."""
    component(ASSETS, "copy", html="<button type='button'></button>")(key=f"copy_{what}", data=image, width="content")
