"""Long work: how far it is, and a button to stop it, where it can be stopped."""

import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tiecore.threads import Progress

_STOPPED = "stopped"
_PATIENCE, _GLANCE = 0.5, 0.2
"""Seconds after which work is said to take long, and those between two looks at how far it is."""


@contextmanager
def progress(what: str, *, of: str = "features", key: Hashable = ()) -> Iterator[Progress]:
    """Show how far long work is, with a button to stop it; nothing appears for work of less than half a second.

    Use it as ``with page.progress("Evaluating") as report:`` and pass ``report`` wherever tiecore takes ``progress=``.
    A click on *Stop*, or on anything else, ends the work at the next report that is shown. What was sorted stays in the
    cache of the alignment; the rest begins again. After *Stop* the page says so and offers to go on.

    ``key``: of the work; other work of the same name has not been stopped.
    """
    stopped: dict[str, Any] = st.session_state.setdefault(_STOPPED, {})
    if key == stopped.get(what):
        st.info(f"{what} was stopped. *Go on* begins it again.", icon=":material/pause_circle:")
        go_on = partial(stopped.pop, what, None)
        st.button("Go on", on_click=go_on, type="primary", key=f"go on {what}")
        st.stop()
    place, due = st.empty(), time.monotonic() + _PATIENCE
    bar: DeltaGenerator | None = None

    def report(done: int, total: int) -> None:
        nonlocal bar, due
        if (now := time.monotonic()) < due or done == total:
            return
        due = now + _GLANCE  # a browser draws the whole page anew for each
        text = f"{what}: {done:,} of {total:,} {of}"
        if bar is None:
            with place.container(horizontal=True, vertical_alignment="center", key=f"progress {what}"):
                bar = st.progress(done / total, text=text)
                stop = partial(stopped.update, {what: key})
                st.button("Stop", on_click=stop, key=f"stop {what}", icon=":material/stop_circle:")
        else:
            bar.progress(done / total, text=text)

    try:
        yield report
    finally:
        if bar is not None:
            place.empty()
