"""Menus on a page: they have sensible defaults, survive a change of data, and are part of the URL."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from tiecore_dashboard.app import page
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.link import keep_in_link


def choose_one(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    start: str | None = None,
    help: str | None = None,
    on_change: Callable[[], None] | None = None,
    width: Any = "stretch",
    shown_as: Callable[[str], str] | None = None,
    widget: Callable[..., Any] = st.selectbox,
) -> str:
    """Let one of the options be chosen; ``key`` is that of the widget, and the parameter of the link.

    A link without it means the first option, so that must be the same for everybody who opens the link. ``start``:
    initial choice if neither the session nor the link holds one. ``shown_as``: what the user sees instead of an option.
    ``widget``: with which it is chosen.
    """
    wanted = st.session_state.get(key, st.query_params.get(key, start))
    if wanted not in options and (wanted is not None or shown_as is not None):
        st.session_state[key] = options[0]
    elif wanted in options and (shown_as is not None or key not in st.query_params):
        st.session_state.setdefault(key, wanted)
    further: dict[str, Any] = {"bind": "query-params"}
    if shown_as is not None:  # a widget that is bound to the link would write the shown text into it
        further = {"persist_state": "session", "format_func": shown_as}
    chosen = widget(label, options, key=key, help=help, on_change=on_change or "rerun", width=width, **further)
    if shown_as is not None:
        keep_in_link(key, [chosen], usual=options[:1])
    return chosen if chosen in options else options[0]


def choose_part(label: str, options: Sequence[str], *, key: str, seen: Any = "visible") -> str:
    """Let one of a few options be chosen that stand side by side; at first the first. ``seen``: if the label is."""
    wanted = st.session_state.get(key, st.query_params.get(key, options[0]))
    first = options[0] if wanted in options else None  # else it is written to the link, at which Back then stops
    shown = partial(st.segmented_control, default=first, required=True, label_visibility=seen)
    return choose_one(label, options, key=key, width="content", widget=shown)


def by_spread(values: pd.DataFrame) -> list[str]:
    """Return the features in order of how much ties can change their values, ``worst`` and ``best``."""
    spread = (values["best"] - values["worst"]).abs()
    return [str(name) for name in spread.sort_values(ascending=False, kind="stable").index]


def choose_feature(view: View, label: str, *, key: str, **more: Any) -> str:
    """Let a feature be chosen, those first that ties can change most; at first what is highlighted.

    ``more``: of :func:`choose_one`.
    """
    return choose_one(
        label,
        by_spread(view.leaderboard),
        key=key,
        start=next(iter(page.highlighted(view)), None),
        help="Those whose value ties can change most come first. Type to search.",
        **more,
    )
