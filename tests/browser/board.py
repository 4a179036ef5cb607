"""A visitor: one page of a browser, and how to tell that the dashboard has finished with what was asked of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import ConsoleMessage, Locator, Page, Request, WebSocket, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

# On a page below the root Streamlit first asks whether the server lives there; the answer no is not an error.
_PROBE = re.compile(r"/[a-z]+/_stcore/(health|host-config)$")


PATIENCE = 20.0


class Board:
    """A dashboard in a browser, and what it did behind the scenes."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.outside: list[str] = []
        """Requests to anybody but the dashboard."""
        self.complaints: list[str] = []
        """Errors in the console."""
        self._finished = 0
        page.on("websocket", self._listen)
        page.on("request", self._watch)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path: str = "") -> Board:
        """Open a page by its path, such as ``data?measure=AP``."""
        self.act(lambda: self.page.goto(f"{self.address}/{path}"))
        return self

    def act(self, action: Callable[[], object]) -> None:
        """Do something and wait until the dashboard has finished with it."""
        before = self._finished
        action()
        self.settle(before)

    def visit(self, title: str) -> None:
        """Go to another page by its link; once more if the click fell into a redrawing of the page."""
        heading = self.page.get_by_role("heading", name=title, exact=True)
        for _ in range(3):
            self.act(self.page.get_by_role("link", name=title).first.click)
            try:
                heading.first.wait_for(timeout=5000)
            except PlaywrightTimeoutError:
                continue
            return
        raise AssertionError(f"the page {title} does not open")

    def grid(self, key: str, *, holding: str) -> str:
        """Text of a table, once it holds what it must: its canvas is drawn a moment after the page has settled."""
        table = self.key(key).locator("table[role=grid]")
        expect(table).to_contain_text(holding, timeout=PATIENCE * 1000)
        return table.inner_text()

    def choose_pictures(self, kind: str) -> None:
        """Choose the kind of pictures; charts know of it once they are drawn anew, in a second run of the page."""
        self.act(self.key("picture").get_by_role("radio", name=kind).click)
        self.page.wait_for_function(
            """kind => [...document.querySelectorAll(".js-plotly-plot")]
                 .every(chart => chart._context?.toImageButtonOptions.format === kind)""",
            arg=kind,
        )

    def settle(self, before: int) -> None:
        """Wait for another finished run, and until nothing on the page is out of date."""
        deadline = time.monotonic() + PATIENCE
        while self._finished <= before:
            assert time.monotonic() < deadline, "the dashboard did not run again"
            self.page.wait_for_timeout(20)
        self.page.wait_for_function(
            """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
                     && !document.querySelector('[data-stale=true]')"""
        )

    def key(self, key: str) -> Locator:
        """Find a widget, chart or container by its key."""
        return self.page.locator(f".st-key-{re.sub(r'[^a-zA-Z0-9_-]', '-', key)}")

    def text(self) -> str:
        """All that can be read on the page."""
        return self.page.locator("[data-testid=stMain]").inner_text()

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._count)

    def _count(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes) and ForwardMsg.FromString(frame).WhichOneof("type") == "script_finished":
            self._finished += 1

    def _watch(self, request: Request) -> None:
        own = (self.address, self.address.replace("http", "ws", 1), "data:", "blob:")
        if not request.url.startswith(own):
            self.outside.append(request.url)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _PROBE.search(message.location.get("url", "")):
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")
