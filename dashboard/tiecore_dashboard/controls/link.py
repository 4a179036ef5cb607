"""Parameters of the URL that no widget is bound to: written here, under the names that tiecore uses."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

__all__ = ["keep_in_link"]


def keep_in_link(parameter: str, values: Sequence[str], *, usual: Sequence[str] = ()) -> None:
    """Write values to a parameter of the URL; the defaults are left out."""
    wanted = [] if list(values) == list(usual) else list(values) or [""]
    if wanted == st.query_params.get_all(parameter):  # each write gives the browser a new address
        return
    if wanted:
        st.query_params[parameter] = wanted
    else:
        st.query_params.pop(parameter, None)
