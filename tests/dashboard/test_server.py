"""Connections have names of the server's own, and uploads are written to the disk, as many bytes as may come."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from unittest.mock import AsyncMock

import pytest
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from tests.browser.server import ROOT
from tiecore_dashboard.app import server
from tiecore_dashboard.files import kept
from tiecore_dashboard.files.kept import Uploads
from tiecore_dashboard.results.visits import VISITS


def test_a_connection_has_a_name_that_no_visitor_chooses_and_its_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    ended: list[str] = []
    monkeypatch.setattr(VISITS, "ended", ended.append)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend(value.decode() for name, value in scope["headers"] if name == b"x-visit")
        raise ConnectionError

    async def visit(scope: Scope) -> None:
        await server.visitors(app, scope, AsyncMock(), AsyncMock())

    for _ in range(2):
        scope = {"type": "websocket", "headers": [(b"x-visit", b"somebody"), (b"host", b"here")]}
        with pytest.raises(ConnectionError):
            asyncio.run(visit(scope))
    assert len({*seen, "somebody"}) == 3
    assert ended == seen


@pytest.mark.parametrize("title", ["Streamlit", "A report"])
def test_the_empty_page_of_streamlit_is_filled_and_no_other_one(title: str) -> None:
    page = f"<title>{title}</title></body>".encode()
    scope = {"type": "http", "method": "GET", "headers": [(b"accept", b"text/html")]}
    sent: list[Message] = []

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(server.first_look(Response(page, media_type="text/html"), scope, receive, send))
    start, answer = sent
    filled = b"<title>tiecore</title>" + server.SHELL + b"</body>"
    assert answer["body"] == (page if title == "A report" else filled)
    assert dict(start["headers"])[b"content-length"] == str(len(answer["body"])).encode()


async def body() -> AsyncIterator[bytes]:
    for _ in range(3):
        yield b"12345"


def test_an_upload_that_grows_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    uploads = Uploads()
    handle = asyncio.run(uploads.receive("drop", "q.txt", body())) or ""
    file = uploads.get(handle)
    assert file is not None
    assert (file.name, file.path.read_bytes()) == ("q.txt", b"12345" * 3)
    uploads.remove([handle])
    assert uploads.get(handle) is None
    monkeypatch.setattr(kept, "LARGEST_UPLOAD", 14)
    assert file.folder is not None
    before = [*file.folder.path.rglob("*.txt")]
    assert asyncio.run(uploads.receive("drop", "other.txt", body())) is None
    assert [*file.folder.path.rglob("*.txt")] == before


def test_what_is_dropped_in_together_lies_together_and_what_others_bring_does_not() -> None:
    uploads = Uploads()
    handles = [asyncio.run(uploads.receive(drop, name, body())) for drop in ("one", "other") for name in "aba"]
    paths = [file.path for file in map(uploads.get, map(str, handles)) if file]
    assert [path.parent for path in paths[:2]] == [paths[0].parent] * 2
    assert len(set(paths)) == 6
    assert not {path.parents[1] for path in paths[:3]} & {path.parents[1] for path in paths[3:]}


def test_uploads_that_nobody_takes_go(monkeypatch: pytest.MonkeyPatch) -> None:
    uploads = Uploads()
    monkeypatch.setattr(kept, "memory", lambda: 40)
    handles = [asyncio.run(uploads.receive("drop", name, body())) or "" for name in "abc"]
    assert [uploads.get(handle) is not None for handle in handles] == [False, True, True]


ARENAS = """
import ctypes, os, runpy, sys, threading
import numpy
runpy.run_path(sys.argv[1])
import pyarrow
print(pyarrow.default_memory_pool().backend_name)
together = threading.Barrier(12)
def work():
    together.wait()
    numpy.zeros(10).tolist()
    together.wait()
threads = [threading.Thread(target=work) for _ in range(12)]
for one in threads: one.start()
for one in threads: one.join()
library = ctypes.CDLL(None)
sys.stdout.flush()
library.malloc_info(0, ctypes.c_void_p.in_dll(library, "stdout"))
library.fflush(None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="arenas are of glibc")
@pytest.mark.parametrize(("wanted", "arenas"), [({}, 2), ({"MALLOC_ARENA_MAX": "5"}, 5)])
def test_what_threads_have_freed_is_kept_for_none_however_it_is_started(wanted: dict[str, str], arenas: int) -> None:
    own = {name: value for name, value in os.environ.items() if name not in ("MALLOC_ARENA_MAX", *wanted)} | wanted
    command = [sys.executable, "-c", ARENAS, str(ROOT / "dashboard" / "app.py")]
    shown = subprocess.run(command, env=own, capture_output=True, text=True, check=True).stdout
    assert (shown.split()[0], shown.count("<heap nr=")) == ("system", arenas)
