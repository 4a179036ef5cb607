"""Who is here, and which files they look at: what nobody looks at any more is dropped a moment after they left.

Streamlit keeps the session of a visitor who has left and does not say when it ends, so connections are counted where
they come in, by :func:`tiecore_dashboard.app.server.visitors`.
"""

import threading
from collections.abc import Sequence

from tiecore_dashboard.files.kept import keeps_files
from tiecore_dashboard.files.reading import File
from tiecore_dashboard.results.shelf import SHELF

PATIENCE = 25.0
"""Seconds after which a visitor whose connection has ended is gone: a reload takes one of them, a lost network some."""


class Visits:
    """The open connections, and the files that each looks at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, tuple[File, ...]] = {}
        self._lasting: set[str] = set()

    def looks_at(self, visit: str | None, files: Sequence[File]) -> None:
        """Note what a visitor looks at; nothing is known of one without a name, as in a test of a page."""
        with self._lock:
            self._lasting |= {file.digest for file in files if file.is_everybodys}
            if visit is not None:
                self._files[visit] = tuple(files)

    def ended(self, visit: str) -> None:
        """Drop, in a moment, what only this visitor looked at."""
        timer = threading.Timer(PATIENCE, self.forget, (visit,))
        timer.daemon = True
        timer.start()

    def forget(self, visit: str) -> None:
        """Drop what only this visitor looked at."""
        with self._lock:
            left = self._files.pop(visit, ())
            seen = {file.digest for files in self._files.values() for file in files} | self._lasting
        SHELF.keep_only(seen)
        for file in left:
            if file.digest not in seen and file.folder is not None and not keeps_files():
                file.folder.remove()


VISITS = Visits()
"""Of this server."""
