"""What lets the first picture come sooner: the sample is ready, the script of the charts is fetched early.

A visitor waits for the browser more than for Python: a page asks for the script that draws charts, by far its largest,
only when the first chart has come. So the answer to the very first request already names it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard import cached, idle, sources
from dashboard.controls import Settings
from dashboard.figures.look import LIGHT
from dashboard.figures.ranking import interval_chart
from tiecore.measures import measure

__all__ = ["EarlyCharts", "look_at_the_sample", "warm"]

_SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"


class EarlyCharts:
    """Tells the browser, with each page, to fetch the script of the charts while it loads the others."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.link = ", ".join(
            f"<./static/js/{script.name}>; rel=modulepreload; as=script; crossorigin; fetchpriority=low"
            for script in _SCRIPTS.glob("PlotlyChart.*.js")
        ).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the hint to pages."""

        async def send_hinted(message: Message) -> None:
            headers = message.get("headers", [])
            if message["type"] == "http.response.start" and any(
                name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers
            ):
                message["headers"] = [*headers, (b"link", self.link)]
            await send(message)

        await self.app(scope, receive, send_hinted if scope["type"] == "http" and self.link else send)


@asynccontextmanager
async def warm(_: object) -> AsyncIterator[None]:
    """Evaluate the sample while nobody has come yet, unless the dashboard opens on other files."""
    idle.serve()
    if not sources.started_with_files():
        Thread(target=look_at_the_sample, daemon=True, name="look at the sample").start()
    yield


def look_at_the_sample() -> None:
    """Compute and draw what the dashboard opens with; the values stay where every visit finds them."""
    view = cached.view(sources.sample(), Settings(measure("nDCG@10")))
    cached.stable(view, tests=False)
    board = view.leaderboard
    ends = cached.intervals(view)
    if ends is not None:
        board[["low", "high"]] = ends[["low", "high"]].reindex(board.index)
        interval_chart(board, measure=str(view.measure), look=LIGHT, tie_breaks=view.tie_breaks).to_json()
