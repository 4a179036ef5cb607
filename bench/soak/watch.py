"""What a process uses, read from /proc, and what its log complains of."""

from __future__ import annotations

import os
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

__all__ = ["Reading", "Watch", "complaints_in"]

_COMPLAINT = re.compile(r"error|exception|traceback|warning|critical|killed", re.IGNORECASE)
_TICKS = os.sysconf("SC_CLK_TCK")
_SESSIONS = re.compile(r"^active_sessions(?:\{[^}]*\})? (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A process at one moment."""

    at: float
    """Seconds since the watch began."""
    memory: float
    """Resident, in MB."""
    peak: float
    """The most it ever was, in MB."""
    threads: int
    files: int
    processor: float
    """Seconds of processor time so far."""
    sessions: int
    """Tabs that the server holds a connection to; -1 where it does not say."""


class Watch:
    """Reads the same process again and again."""

    def __init__(self, pid: int, address: str) -> None:
        self._proc = Path("/proc") / str(pid)
        self._address = address
        self._begun = monotonic()

    def read(self) -> Reading:
        """Read it now; raises ``FileNotFoundError`` when the process is gone."""
        status = dict(line.split(":", 1) for line in (self._proc / "status").read_text().splitlines() if ":" in line)
        # the name of the program is in brackets and may hold blanks: count from behind it
        fields = (self._proc / "stat").read_text().rpartition(")")[2].split()
        return Reading(
            at=monotonic() - self._begun,
            memory=int(status["VmRSS"].split()[0]) / 1024,
            peak=int(status["VmHWM"].split()[0]) / 1024,
            threads=int(status["Threads"]),
            files=len(list((self._proc / "fd").iterdir())),
            processor=(int(fields[11]) + int(fields[12])) / _TICKS,
            sessions=self._sessions(),
        )

    def _sessions(self) -> int:
        try:
            with urllib.request.urlopen(
                f"{self._address}/_stcore/metrics?families=active_sessions", timeout=5
            ) as answer:
                found = _SESSIONS.search(answer.read().decode())
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            return -1
        return int(found[1]) if found else -1


def complaints_in(log: Path) -> list[str]:
    """Lines of a log that tell of something that went wrong."""
    return [line for line in log.read_text(errors="replace").splitlines() if _COMPLAINT.search(line)]
