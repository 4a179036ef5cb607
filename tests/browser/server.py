"""The dashboard as a person starts it: a process of its own on a free port, with a home that is empty."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 60.0


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_dashboard(home: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run the dashboard; gives its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    log = home / "server.log"
    own = {name: value for name, value in os.environ.items() if not name.startswith(("TIECORE_", "STREAMLIT_"))}
    with log.open("w") as output:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "streamlit",
                "run",
                str(ROOT / "dashboard" / "server.py"),
                "--server.port",
                str(port),
            ],
            cwd=home,
            env={**own, "HOME": str(home), **(environment or {})},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"{address}/_stcore/health", process, log)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the dashboard did not start:\n{log.read_text()}")
