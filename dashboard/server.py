"""The dashboard as a server: the app with HTTP headers that keep it to itself.

``streamlit run dashboard/server.py`` starts it, as does ``tiecore dashboard``. The script of the app itself is app.py.
"""

import sys
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:  # Streamlit puts the folder of the script there, not that of the package
    sys.path.append(str(HERE.parent))

# All that the pages need is loaded before the server answers, so that the first visitor does not wait for it.
from dashboard import page, report  # noqa: E402, F401

HEADERS = {
    "content-security-policy": "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self' ws: wss:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        )
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class SafeHeaders:
    """Adds the headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and mark its answer."""

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", []),
                    *((name.encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        await self.app(scope, receive, send_marked if scope["type"] == "http" else send)


app = st.App(HERE / "app.py", middleware=[Middleware(SafeHeaders)])
