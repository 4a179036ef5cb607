"""What a run of the script sends reaches the browser together, and never too late."""

from __future__ import annotations

import asyncio
import runpy
from collections.abc import Awaitable, Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import websocket_session_manager
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

import tiecore_dashboard
from tiecore_dashboard.app import together
from tiecore_dashboard.app.together import TogetherSession


@pytest.fixture(autouse=True)
def watches_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AppSession, "register_file_watchers", lambda _: None)


class Visit:
    """A session without a script: it is told when one begins, sends and ends."""

    def __init__(self) -> None:
        self.is_called = asyncio.Event()
        files = MemoryUploadedFileManager("/upload")
        script = ScriptData("no_script.py", is_hello=False)
        self.session = TogetherSession(script, files, ScriptCache(), self.is_called.set, {})

    def begin(self, page: str = "first") -> None:
        self.session._client_state.page_script_hash = page
        self.session._state = AppSessionState.APP_IS_RUNNING
        message = ForwardMsg()
        message.session_status_changed.script_is_running = True
        self.session._enqueue_forward_msg(message)

    def show(self, *texts: str) -> None:
        for text in texts:
            message = ForwardMsg()
            message.delta.new_element.markdown.body = text
            message.metadata.delta_path[:] = [0, ord(text[0])]
            self.session._enqueue_forward_msg(message)

    def navigate(self, page: str = "first") -> None:
        message = ForwardMsg()
        message.navigation.page_script_hash = page
        self.session._enqueue_forward_msg(message)

    def end(self) -> None:
        self.session._state = AppSessionState.APP_NOT_RUNNING
        self.session._enqueue_forward_msg(ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY))

    def sent(self) -> list[str]:
        """Send what may be sent: texts, and kinds of other messages."""
        self.is_called.clear()
        messages = self.session.flush_browser_queue()
        return [one.delta.new_element.markdown.body or str(one.WhichOneof("type")) for one in messages]


def visited(look: Callable[[Visit], Awaitable[None]], *, is_first: bool = False) -> None:
    """Look at a visit to which the page has been shown, unless it is the first time."""

    async def begin() -> None:
        visit = Visit()
        if not is_first:
            visit.begin("")  # the browser does not know yet what the first page is called
            visit.navigate()
            visit.end()
            assert visit.sent() == ["session_status_changed", "navigation", "script_finished"]
        await look(visit)
        visit.session.shutdown()

    asyncio.run(begin())


def test_a_change_is_sent_when_its_script_has_ended() -> None:
    async def look(visit: Visit) -> None:
        visit.begin()
        assert visit.sent() == []
        visit.show("a", "b")
        assert visit.sent() == []
        visit.show("c")
        visit.end()
        assert visit.sent() == ["session_status_changed", "a", "b", "c", "script_finished"]
        assert visit.sent() == []

    visited(look)


def test_of_what_takes_the_same_place_the_last_is_sent() -> None:
    async def look(visit: Visit) -> None:
        visit.begin()
        visit.show("a: waiting", "b")
        assert visit.sent() == []
        visit.show("a: found")
        visit.end()
        assert visit.sent() == ["session_status_changed", "a: found", "b", "script_finished"]

    visited(look)


def test_a_script_that_takes_long_shows_what_it_has_without_sending_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_PATIENCE", 0.01)

    async def look(visit: Visit) -> None:
        for text in ("a", "b"):  # again and again
            visit.begin()
            visit.show(text)
            assert visit.sent() == []
            await asyncio.wait_for(visit.is_called.wait(), 30)
            assert visit.sent() == ["session_status_changed", text]
        visit.end()
        assert visit.sent() == ["script_finished"]
        await asyncio.sleep(0.03)
        assert not visit.is_called.is_set(), "nothing is left to wait for"

    visited(look)


async def see_it_come(visit: Visit, page: str) -> None:
    visit.begin(page)
    visit.show("a")
    assert visit.sent() == ["session_status_changed", "a"]
    visit.navigate(page or "first")
    assert visit.sent() == ["navigation"]
    visit.show("b")
    assert visit.sent() == ["b"]
    visit.end()
    assert visit.sent() == ["script_finished"]


def test_the_first_page_of_a_visit_is_shown_as_it_comes() -> None:
    visited(lambda visit: see_it_come(visit, ""), is_first=True)


def test_another_page_is_shown_as_it_comes_and_its_changes_together() -> None:
    async def look(visit: Visit) -> None:
        await see_it_come(visit, "another")
        visit.begin("another")
        visit.show("c")
        assert visit.sent() == []

    visited(look)


@pytest.mark.parametrize("kind", ["backend_operation_response", "file_urls_response", "session_event"])
def test_an_answer_that_somebody_waits_for_is_sent_at_once(kind: str) -> None:
    """Streamlit throws away what is not sent when another run begins."""

    async def look(visit: Visit) -> None:
        visit.begin()
        visit.show("a")
        assert visit.sent() == []
        message = ForwardMsg()
        getattr(message, kind).SetInParent()
        visit.session._enqueue_forward_msg(message)
        assert visit.sent() == ["session_status_changed", "a", kind]
        visit.show("b")
        assert visit.sent() == []

    visited(look)


def test_what_a_connection_left_unfinished_is_run_again_when_the_browser_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda _, state: asked.append(state.page_script_hash))

    async def look(visit: Visit) -> None:
        visit.begin()
        visit.session._scriptrunner = Mock()
        visit.session.disconnect_file_watchers()
        visit.session._scriptrunner = None
        visit.show("a")
        visit.end()  # stopped before all was shown
        assert visit.sent() == []
        assert asked == ["first"]
        visit.begin()
        visit.show("a", "b")
        visit.end()
        assert visit.sent() == ["session_status_changed", "a", "b", "script_finished"]
        assert asked == ["first"]

    visited(look)


def test_the_server_has_visits_of_that_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket_session_manager, "AppSession", AppSession)
    runpy.run_path(str(Path(tiecore_dashboard.__file__).parent / "app" / "server.py"))
    assert vars(websocket_session_manager)["AppSession"] is TogetherSession
