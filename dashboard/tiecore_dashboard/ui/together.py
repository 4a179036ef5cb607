"""Sends what a run of the script draws in one go, so that the browser lays out the page once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunnerEvent

__all__ = ["send_now", "sent_together"]

_PATIENCE = 0.3
"""Seconds after which a page is sent as it grows, to show that something happens."""


class _Held:
    """Messages to the browser that wait for each other until they are let go; safe between threads."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner  # Streamlit has no public way, but its version is pinned
        self._lock = Lock()
        self._waiting: list[Any] | None = []

    def __call__(self, message: Any) -> None:
        """Keep a message, or send it if they have been let go; as always, a run may end or begin anew here."""
        self._runner._maybe_handle_execution_control_request()
        with self._lock:
            if self._waiting is not None:
                self._waiting.append(message)
                return
        self._send(message)

    def let_go(self) -> None:
        """Send all that waits, in order; from now on messages are sent at once."""
        with self._lock:
            waiting, self._waiting = self._waiting or (), None
            for message in waiting:
                self._send(message)

    def _send(self, message: Any) -> None:
        """Send a message that was drawn already, also if the run has been told to end since."""
        self._runner.on_event.send(self._runner, event=ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=message)


def send_now() -> None:
    """Send what was drawn so far, and what follows as it is drawn."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and isinstance(context._enqueue, _Held):
        context._enqueue.let_go()


@contextmanager
def sent_together(seconds: float = _PATIENCE) -> Iterator[None]:
    """Send what is drawn when the block ends, after some time, or with ``send_now()``, whichever is first.

    If parts of a page arrive one by one, the browser lays out the page for each of them. That takes processors away
    from the numbers of the next part.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        yield
        return
    send: Any = context._enqueue
    held = _Held(send.__self__)
    context._enqueue = held
    timer = Timer(seconds, held.let_go)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        context._enqueue = send
        held.let_go()
