"""All that a change shows appears together: what a run of the script sends waits for the end of the run.

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
_OF_PAGES = {
    "new_session", "session_status_changed", "page_config_changed", "page_info_changed", "logo", "navigation", "delta",
    "ref_hash", "script_finished",
}  # fmt: skip
"""Kinds of messages that make a page; any other is an answer that somebody waits for, such as a download."""


class TogetherSession(AppSession):
    """A visit whose messages wait for the end of the script, unless that takes long, or the page has just come."""

    _page: str | None = None
    _page_shown: str | None = None
    _is_due = _is_cut = False
    _wait: asyncio.TimerHandle | None = None

    def flush_browser_queue(self) -> list[ForwardMsg]:
        """Return what is to be sent now: nothing, while more is to come in a moment."""
        is_running = self._state is AppSessionState.APP_IS_RUNNING
        is_shown = self._client_state.page_script_hash == self._page_shown
        if is_running and is_shown and not self._is_due and not self._browser_queue.is_empty():
            if self._wait is None:
                self._wait = asyncio.get_running_loop().call_later(_PATIENCE, self._let_go)
            return []
        if self._wait is not None:
            self._wait.cancel()
        self._wait, self._is_due = None, False
        if self._is_cut and not is_running:  # the stump of a page would take the place of the page
            self._is_cut = False
            self._browser_queue.clear()
            self.request_rerun(self._client_state)
            return []
        messages = super().flush_browser_queue()
        for one in messages:
            if one.HasField("navigation"):
                self._page = one.navigation.page_script_hash
            if one.HasField("script_finished"):
                self._page_shown = self._page
        return messages

    def disconnect_file_watchers(self) -> None:
        """End what belongs to the connection, which has ended; a script that runs has been stopped."""
        self._is_cut = self._is_cut or self._scriptrunner is not None
        super().disconnect_file_watchers()

    def _enqueue_forward_msg(self, msg: ForwardMsg) -> None:
        self._is_due = self._is_due or msg.WhichOneof("type") not in _OF_PAGES
        super()._enqueue_forward_msg(msg)

    def _let_go(self) -> None:
        self._wait, self._is_due = None, True
        if self._message_enqueued_callback is not None:
            self._message_enqueued_callback()


def send_together() -> None:
    """Let the visits of this server be of that kind."""
    vars(websocket_session_manager)["AppSession"] = TogetherSession
