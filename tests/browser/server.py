"""The dashboard as a person starts it: a process of its own on a free port, with a home that is empty."""

import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiecore.cli import dashboard as launch

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 180.0  # a start takes three seconds of processor time, which a busy machine may give in two minutes


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A dashboard that runs, and what it says on its standard output and error."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start_dashboard(home: Path, environment: Mapping[str, str] | None = None, *, port: int | None = None) -> Dashboard:
    """Start the dashboard and wait until it answers; whoever calls closes it."""
    port = port or free_port()
    given = launch.environment() | dict(environment or {})
    return start_server([*launch.program(opens_browser=False), f"--server.port={port}"], home, given, port=port)


def start_server(command: Sequence[str], home: Path, environment: Mapping[str, str], *, port: int) -> Dashboard:
    """Start a server of Streamlit by its command and wait until it answers; whoever calls closes it."""
    log = home / "server.log"
    own = {name: value for name, value in environment.items() if not name.startswith("STREAMLIT_")}
    own["HOME"] = str(home)
    with log.open("a") as output:
        process = subprocess.Popen(command, cwd=home, env=own, stdout=output, stderr=subprocess.STDOUT)
    started = Dashboard(process, port, log)
    try:
        _wait_for(started)
    except BaseException:
        started.close()
        raise
    return started


def _wait_for(started: Dashboard) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{started.address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        if started.process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the dashboard did not start:\n{started.log.read_text()}")
