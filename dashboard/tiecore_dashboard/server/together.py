"""A change is shown at once: what a run of the script sends goes to the browser together.

Streamlit passes messages on as they come, and with each handful a browser draws the whole page anew: up to nine times
in a change of a quarter of a second, on processors that the script needs as well.
"""

from __future__ import annotations

import asyncio

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import websocket_session_manager
from streamlit.runtime.app_session import AppSession, AppSessionState

__all__ = ["TogetherSession", "send_together"]

_PATIENCE = 0.25
"""Seconds after which a script that still runs shows what it has."""


class TogetherSession(AppSession):
    """A visit whose messages wait for the end of the script, unless that takes long, or nothing has been shown yet."""

    _has_shown = _is_due = False
    _wait: asyncio.TimerHandle | None = None

    def flush_browser_queue(self) -> list[ForwardMsg]:
        """Return what is to be sent now: nothing, while more is to come in a moment."""
        is_running = self._state is AppSessionState.APP_IS_RUNNING
        if self._has_shown and is_running and not self._is_due and not self._browser_queue.is_empty():
            if self._wait is None:
                self._wait = asyncio.get_running_loop().call_later(_PATIENCE, self._let_go)
            return []
        if self._wait is not None:
            self._wait.cancel()
        self._wait, self._is_due = None, False
        messages = super().flush_browser_queue()
        self._has_shown = self._has_shown or any(one.HasField("script_finished") for one in messages)
        return messages

    def _let_go(self) -> None:
        self._is_due = True
        if self._message_enqueued_callback is not None:
            self._message_enqueued_callback()


def send_together() -> None:
    """Let the visits of this server be of that kind."""
    vars(websocket_session_manager)["AppSession"] = TogetherSession
