"""The first picture comes soon: its script is named with the page, its values are there before somebody comes."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import ASGIApp, Message, Scope

from dashboard import cached, idle, sources
from dashboard.controls import Settings
from dashboard.first_visit import EarlyCharts, look_at_the_sample, warm
from tiecore.measures import measure


def finish(work: Coroutine[Any, Any, None]) -> None:
    """Carry out what never waits, without an event loop: the browser tests may have one running in this thread."""
    with pytest.raises(StopIteration):
        work.send(None)


def headers_of(answer: ASGIApp) -> Headers:
    """Headers of an answer, as a visitor gets them."""
    sent: list[Message] = []
    scope: Scope = {"type": "http", "method": "GET", "path": "/", "headers": []}

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def answered() -> None:
        await EarlyCharts(answer)(scope, receive, send)

    finish(answered())
    return Headers(raw=sent[0]["headers"])


def test_a_page_names_the_script_of_the_charts_and_the_script_exists() -> None:
    link = headers_of(HTMLResponse("<title>page</title>"))["link"]
    named = link.partition("<./")[2].partition(">")[0]
    assert "modulepreload" in link
    assert (Path(st.__file__).parent / "static" / named).is_file()


def test_nothing_but_pages_carries_the_hint() -> None:
    assert "link" not in headers_of(JSONResponse([1, 2]))


def test_what_the_dashboard_opens_with_is_computed_before_somebody_comes(
    no_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_at_the_sample()
    monkeypatch.setattr(cached, "feature_values", None)
    monkeypatch.setattr(cached, "stability", None)
    view = cached.view(sources.sample(), Settings(measure("nDCG@10")))
    assert len(view.leaderboard) == 10


@pytest.mark.parametrize(("given", "looks"), [("", 1), ('["runs/own.run"]', 0)])
def test_only_a_dashboard_that_opens_on_the_sample_looks_at_it(
    monkeypatch: pytest.MonkeyPatch, given: str, looks: int
) -> None:
    begun: list[bool] = []
    monkeypatch.setenv("TIECORE_FEATURES", given)
    monkeypatch.setattr("dashboard.first_visit.Thread.start", lambda *_: begun.append(True))
    monkeypatch.setattr(idle, "_serves", Event())

    async def start() -> None:
        async with warm(None):
            pass

    finish(start())
    assert len(begun) == looks
    assert idle._serves.is_set()
