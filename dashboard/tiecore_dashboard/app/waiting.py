"""Long work: how far it is, and a button to stop it, where it can be stopped."""

import time
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from tiecore.threads import Progress

_STOPPED = "stopped"
_NOTHING = object()
_PATIENCE, _GLANCE = 0.5, 0.2
"""Seconds after which work is said to take long, and those between two looks at how far it is."""


@dataclass
class progress:  # noqa: N801  # reads as a word in `with progress("Drawing") as report`
    """Show how far long work is, with a button to stop it; nothing appears for work of less than half a second.

    Use it as ``with page.progress("Evaluating") as report:`` and pass ``report`` wherever tiecore takes ``progress=``.
    A click on *Stop*, or on anything else, ends the work at the next report that is shown. What was sorted stays in the
    cache of the alignment; the rest begins again. After *Stop* the page says so and offers to go on.
    """

    what: str
    of: str = "features"
    key: Hashable = None
    """Of the work: other work of the same name has not been stopped."""

    def __enter__(self) -> Progress:
        self._stopped: dict[str, Hashable] = st.session_state.setdefault(_STOPPED, {})
        if self.key == self._stopped.get(self.what, _NOTHING):
            st.info(f"{self.what} was stopped. *Go on* begins it again.", icon=":material/pause_circle:")
            go_on = partial(self._stopped.pop, self.what, None)
            st.button("Go on", on_click=go_on, type="primary", key=f"go on {self.what}")
            st.stop()
        self._place = st.empty()
        self._bar: Any = None
        self._due = time.monotonic() + _PATIENCE
        return self._report

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._place.empty()

    def _report(self, done: int, total: int) -> None:
        if (now := time.monotonic()) < self._due or done == total:
            return
        self._due = now + _GLANCE  # a browser draws the whole page anew for each
        text = f"{self.what}: {done:,} of {total:,} {self.of}"
        if self._bar is None:
            with self._place.container(horizontal=True, vertical_alignment="center", key=f"progress {self.what}"):
                self._bar = st.progress(done / total, text=text)
                stop = partial(self._stopped.update, {self.what: self.key})
                st.button("Stop", on_click=stop, key=f"stop {self.what}", icon=":material/stop_circle:")
        else:
            self._bar.progress(done / total, text=text)
