"""Components of our own: markup, style and script are assets, files in a folder."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


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
