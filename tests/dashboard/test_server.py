"""Connections have names of the server's own, and uploads are written to the disk, as many bytes as may come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.types import Message, Receive, Scope, Send

from tiecore_dashboard.app import server
from tiecore_dashboard.files import kept
from tiecore_dashboard.files.kept import Uploads
from tiecore_dashboard.results.visits import VISITS


def test_a_connection_has_a_name_that_its_visitor_cannot_choose_and_its_end_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []
    ended: list[str] = []
    monkeypatch.setattr(VISITS, "ended", ended.append)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend(value.decode() for name, value in scope["headers"] if name == b"x-visit")
        raise ConnectionError

    async def receive() -> Message:
        return {}

    async def send(_: Message) -> None:
        pass

    for _ in range(2):
        scope = {"type": "websocket", "headers": [(b"x-visit", b"somebody"), (b"host", b"here")]}
        with pytest.raises(ConnectionError):
            asyncio.run(server.Visitors(app)(scope, receive, send))
    assert len({*seen, "somebody"}) == 3
    assert ended == seen


def test_an_upload_that_grows_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"12345"

    uploads = Uploads()
    handle = asyncio.run(uploads.receive("q.txt", body()))
    upload = uploads.take(handle or "")
    assert upload is not None
    assert (upload.name, upload.path.read_bytes()) == ("q.txt", b"12345" * 3)
    assert uploads.take(handle or "") is None, "it is taken once"
    upload.path.unlink()
    folder = upload.path.parent
    before = set(folder.iterdir())
    monkeypatch.setattr(kept, "LARGEST_UPLOAD", 14)
    assert asyncio.run(uploads.receive("q.txt", body())) is None
    assert set(folder.iterdir()) == before


def test_uploads_that_nobody_takes_go(monkeypatch: pytest.MonkeyPatch) -> None:
    uploads = Uploads()
    first, second = (uploads.put(name, b"12345") for name in "ab")
    monkeypatch.setattr(kept, "memory", lambda: 12)
    third = uploads.put("c", b"12345")
    assert [uploads.take(handle) is not None for handle in (first, second, third)] == [False, True, True]
