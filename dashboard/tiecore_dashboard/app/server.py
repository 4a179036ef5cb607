"""The dashboard as a server: whom it answers, headers that keep its pages to itself, what is seen before any script."""

import asyncio
import gc
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import Thread
from urllib.parse import unquote, urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from tiecore import TiecoreError

# All that the pages need is loaded before the server answers, so that the first visitor does not wait for it.
from tiecore_dashboard.app import page  # noqa: F401
from tiecore_dashboard.files import sources
from tiecore_dashboard.files.joined import fitted
from tiecore_dashboard.files.kept import UPLOADS, remove_all
from tiecore_dashboard.pages.ranking import report  # noqa: F401
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.visits import VISITS
from tiecore_dashboard.state.sidebar import Settings

SCRIPT = Path(__file__).parent / "script.py"
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Headers of every answer, beside the content security policy."""
POLICY = (
    "default-src 'self'; "
    "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; "  # blob: the scripts of components
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
"""What a page may load, without whom it may call: this server alone."""
_ASSETS = Path(__file__).parent / "assets"
SHELL = (_ASSETS / "shell.html").read_bytes().replace(b"<svg/>", (_ASSETS / "wordmark.svg").read_bytes())
"""What is seen until the first page is drawn."""
_UNNAMED, _NAMED, _END = b"<title>Streamlit<", b"<title>tiecore<", b"</body>"
_NOT_ASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since")
_LEFTOVERS = 0.2
"""Seconds in which a session gives away what it could not send to an earlier connection."""


async def safe_headers(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Add the headers to every answer."""

    async def send_marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            host = Headers(scope=scope).get("host", "")
            is_known = is_own_host(host) and re.fullmatch(r"[\w.:\[\]-]+", host)
            # older browsers do not count WebSockets of the same host as 'self'
            policy = f"{POLICY}; connect-src 'self'" + f" ws://{host} wss://{host}" * bool(is_known)
            MutableHeaders(scope=message).update(HEADERS | {"content-security-policy": policy})
        await send(message)

    await app(scope, receive, send_marked if scope["type"] == "http" else send)


async def first_look(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Put name, purpose and a quiet picture of a page into the empty one whose scripts take seconds on a slow line."""
    if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
        await app(scope, receive, send)
        return
    start: Message = {}

    async def send_filled(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)  # what comes after it decides its length
            return
        if start:
            if _UNNAMED in (empty := message.get("body", b"")):  # no other one, such as a report that is downloaded
                message["body"] = empty.replace(_UNNAMED, _NAMED).replace(_END, SHELL + _END)
                MutableHeaders(scope=start)["content-length"] = str(len(message["body"]))
            await send(dict(start))
            start.clear()
        await send(message)

    # neither packed nor from the memory of a browser, which may have got it from another version
    asked = [(name, value) for name, value in scope["headers"] if name not in _NOT_ASKED]
    await app({**scope, "headers": asked}, receive, send_filled)


async def direct_visitors(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Turn away who comes by a foreign name of this host, and pages of other sites that ask for a connection.

    A site whose name is made to point here (DNS rebinding) must not read anything. Streamlit checks connections only,
    and it asks an address outside for its own before it refuses one; so the answer is given here.
    """
    answer = app
    if scope["type"] in ("http", "websocket"):
        headers, is_page = Headers(scope=scope), scope["type"] == "http"
        host, origin = headers.get("host", ""), headers.get("origin")
        if not is_own_host(host):
            advice = f"This dashboard does not answer to the name {host!r}; server.allowedHosts lists its names.\n"
            answer = PlainTextResponse(advice, 403) if is_page else WebSocketClose(1008)
        elif not is_page and origin is not None and not is_own_origin(origin, host=host):
            answer = WebSocketClose(1008)
    await answer(scope, receive, send)


def is_own_host(host: str) -> bool:
    """Whether a Host header gives one of the names in ``server.allowedHosts``, on whatever port; no list allows all."""
    allowed = [name.strip().lower() for name in st.get_option("server.allowedHosts") or ["*"]]
    try:
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").rstrip(".")
        if parts.port == 0 or not name or parts.netloc != host or "@" in host:
            return False
    except ValueError:
        return False
    return any(one in ("*", name) or (one.startswith("*.") and name.endswith(one[1:])) for one in allowed)


def is_own_origin(origin: str, *, host: str) -> bool:
    """Whether a page that asks for a connection came from here, or from where ``server.corsAllowedOrigins`` allows."""
    is_here = origin.partition("://")[2] == host or not st.get_option("server.enableCORS")
    return is_here or origin in (st.get_option("server.corsAllowedOrigins") or ())


def answer_ahead() -> None:
    """Open the files of the command line, if any, and compute what is seen first: a browser takes a while to come."""
    data = fitted(sources.started_with())
    if data.qrels is not None and data.used:
        with suppress(TiecoreError):  # the page will say
            cached.board(cached.view(data, Settings()))
            cached.judged(data, Settings())


@asynccontextmanager
async def loaded(_app: st.App) -> AsyncIterator[None]:
    """Begin with the files of the command line, and serve until the server ends.

    Streamlit collects garbage after each run of the script, before the browser hears that it has ended. What has been
    loaded up to here is never garbage: to look through all of it took a tenth of a second each time.
    """
    gc.collect()
    gc.freeze()
    Thread(target=answer_ahead, name="answer ahead", daemon=True).start()
    try:
        yield
    finally:
        remove_all()


async def visitors(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Give each connection a name that pages find in its headers, and tell when it has ended.

    What a run of a page had left to say as an earlier connection ended is kept from the browser: with the end of a run
    that was stopped half-way it would take all that is not drawn yet for gone, and forget what is chosen there.
    """
    if scope["type"] != "websocket":
        await app(scope, receive, send)
        return
    visit = token_hex(16)
    others = [(name, value) for name, value in scope["headers"] if name != b"x-visit"]
    comes_back = len(scope.get("subprotocols", ())) > 2  # the third one is the session of an earlier connection

    async def receive_own() -> Message:
        nonlocal comes_back
        message = await receive()
        if comes_back and message["type"] == "websocket.receive":
            await asyncio.sleep(_LEFTOVERS)
            comes_back = False
        return message

    async def send_own(message: Message) -> None:
        if not comes_back or message["type"] != "websocket.send":
            await send(message)

    try:
        await app({**scope, "headers": [*others, (b"x-visit", visit.encode())]}, receive_own, send_own)
    finally:
        VISITS.ended(visit)


async def take_upload(request: Request) -> Response:
    """Write a file that is dropped in to the disk, and answer what the page takes it by.

    A page of another site cannot send the headers with the names without asking first, which is refused.
    """
    name, drop = request.headers.get("x-file-name"), request.headers.get("x-drop")
    if not name or not drop:
        return PlainTextResponse("no name", 400)
    handle = await UPLOADS.receive(drop, unquote(name), request.stream())
    return PlainTextResponse("too large", 413) if handle is None else PlainTextResponse(handle)


def layer(answer: Callable[[ASGIApp, Scope, Receive, Send], Awaitable[None]]) -> Middleware:
    """Put what answers a request, itself or by the application that it gets, around that application."""
    return Middleware(lambda app: partial(answer, app))


MIDDLEWARE = tuple(map(layer, (safe_headers, direct_visitors, first_look, visitors)))
"""What every request passes, the first one first."""
ROUTES = (Route(sources.upload_address(), take_upload, methods=["POST"]),)
"""What is answered beside the pages."""
