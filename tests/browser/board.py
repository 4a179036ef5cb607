"""A visitor: one page of a browser, and how to tell that the dashboard has finished with what was asked of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import ConsoleMessage, FloatRect, Locator, Page, Position, Request, WebSocket, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

# On a page below the root Streamlit first asks whether the server lives there; the answer no is not an error.
_PROBE = re.compile(r"/[a-z]+/_stcore/(health|host-config)$")

PATIENCE = 90.0
"""Seconds to wait for what takes one or two on an idle machine; only a test that fails waits so long."""
expect.set_options(timeout=PATIENCE * 1000)

# What a script has sent is not yet what can be used. Widgets and charts come with scripts of their own, which the
# browser reads when it meets the first of them: until then a skeleton holds their place, and whatever stands below
# moves when they come. A chart answers to clicks once Plotly has drawn it, and fonts move everything once more.
_IS_READY = """() => {
    const app = document.querySelector('[data-testid=stApp]');
    return app?.dataset.testScriptState === 'notRunning'
        && document.fonts.status === 'loaded'
        && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]')
        && [...document.querySelectorAll('[data-testid=stPlotlyChart]')].every(
            chart => chart.querySelector('.js-plotly-plot .main-svg') && chart.querySelector('.js-plotly-plot')._ev);
}"""
# Two frames, so that what React has put off and Plotly's answer to a new width are done.
_NEXT_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
UPLOADER = ".st-key-drop input[type=file]"
QRELS = "".join(f"q{q} 0 d{d} {grade}\n" for q in range(1, 5) for d, grade in enumerate((0, 1, 0, 2)))
TABLE = "query_id,doc_id,clicks,stars\n" + "".join(
    f"q{q},d{d},{d % 2},{d % 3}\n" for q in range(1, 5) for d in range(4)
)
"""Small files of one's own."""
_COMPLETE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


def box_of(shown: Locator) -> FloatRect:
    """Return where something stands on the page."""
    box = shown.bounding_box()
    assert box is not None
    return box


class Board:
    """A dashboard in a browser, and what it did behind the scenes."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.outside: list[str] = []
        """Requests to anybody but the dashboard."""
        self.complaints: list[str] = []
        """Errors in the console."""
        self._socket: WebSocket | None = None
        self._running = 0
        """Runs of the script that have begun and not ended, as the present connection tells."""
        self._finished = 0
        """Runs that have come to their end; a run that gives way to another one has not."""
        page.on("websocket", self._listen)
        page.on("request", self._watch)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path: str = "") -> Board:
        self.act(lambda: self.page.goto(f"{self.address}/{path}"))
        return self

    def act(self, action: Callable[[], object]) -> None:
        """Do something and wait until the dashboard has finished with it."""
        before = self._finished
        action()
        self.settle(before)

    def drop(self, files: Sequence[Path]) -> None:
        self.act(lambda: self.page.locator(UPLOADER).set_input_files(files))

    @contextmanager
    def sends(self, text: str) -> Iterator[None]:
        """Wait until the browser has sent a text: a table keeps an edit to itself for a moment."""
        assert self._socket is not None
        with self._socket.expect_event("framesent", lambda payload: text in str(payload), timeout=PATIENCE * 1000):
            yield

    def visit(self, title: str) -> None:
        self.act(self.page.get_by_role("link", name=title).first.click)
        self.page.get_by_role("heading", name=title, exact=True).first.wait_for()

    def click_on(self, chart: str, x: float = 0.5, y: float = 0.5, *, mark: str = ".nsewdrag", nth: int = 0) -> None:
        """Click into a chart, at parts of a mark's box or of the plotting area: Plotly listens above all marks."""
        area = self.key(chart).locator(mark).nth(nth)
        area.wait_for()
        area.scroll_into_view_if_needed()
        self.page.evaluate(_NEXT_FRAMES)
        box = box_of(area)
        at = box["x"] + x * box["width"], box["y"] + y * box["height"]
        self.page.mouse.move(at[0] - 2, at[1] - 2)
        self.page.mouse.move(*at)
        self.key(chart).locator(".hoverlayer .hovertext").first.wait_for()
        self.act(lambda: self.page.mouse.click(*at))

    def edit_cell(self, table: Locator, position: Position, text: str) -> None:
        """Write into a cell of a table, and wait until the dashboard has finished with it.

        What follows on the click is done by keys, of which none can get lost or be taken for two.
        """
        self.select_cell(table, position)
        editor = self.page.locator("#portal :is(input, textarea)")
        if not editor.is_visible():
            self.page.keyboard.press("Enter")
        editor.fill(text)
        expect(editor).to_have_value(text)
        self.act(lambda: editor.press("Enter"))

    def select_cell(self, table: Locator, position: Position) -> None:
        """Click at a cell of a table until it is selected: a table is drawn before it listens."""
        selected = table.locator("[role=gridcell][aria-selected=true]")
        deadline = time.monotonic() + PATIENCE
        while not selected.count():
            assert time.monotonic() < deadline, "no cell is selected by a click"
            table.click(position=position)
            with suppress(PlaywrightTimeoutError):
                selected.wait_for(state="attached", timeout=5000)

    def settle(self, before: int) -> None:
        """Wait until another run is finished and none is under way, and until all that it has sent can be used."""
        deadline = time.monotonic() + PATIENCE
        while self._finished <= before or self._running:
            assert time.monotonic() < deadline, "the dashboard did not run again, or did not come to an end"
            self.page.wait_for_timeout(50)  # asking costs more than the wait
        self.page.wait_for_function(_IS_READY, polling=50)
        self.page.evaluate(_NEXT_FRAMES)

    def key(self, key: str) -> Locator:
        return self.page.locator(f".st-key-{re.sub(r'[^a-zA-Z0-9_-]', '-', key)}")

    def text(self) -> str:
        return self.page.locator("[data-testid=stMain]").inner_text()

    def _listen(self, socket: WebSocket) -> None:
        self._socket, self._running = socket, 0  # what an earlier connection had begun is never heard of again
        socket.on("framereceived", lambda frame: self._count(socket, frame))

    def _count(self, socket: WebSocket, frame: bytes | str) -> None:
        if socket is not self._socket or not isinstance(frame, bytes):
            return
        message = ForwardMsg.FromString(frame)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._running = 1  # runs of a session follow each other: one that gives way may end without a word
        elif kind == "script_finished":
            self._running = 0
            self._finished += message.script_finished in _COMPLETE

    def _watch(self, request: Request) -> None:
        own = (self.address, self.address.replace("http", "ws", 1), "data:", "blob:")
        if not request.url.startswith(own):
            self.outside.append(request.url)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _PROBE.search(message.location.get("url", "")):
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")
