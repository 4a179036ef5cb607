"""How the dashboard is started: where, on which port, with which data."""

import contextlib
import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tiecore
from tests.browser.server import free_port
from tests.cli.running import LONGEST, SAMPLE, mistake, process, raising, run
from tiecore.cli import dashboard as launch

QRELS, CLICKS, INDEGREE = (SAMPLE / name for name in ("qrels.txt", "clicks.csv", "indegree.run"))


Started = list[tuple[list[str], dict[str, str]]]
"""Commands and the variables that they get."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    calls: Started = []

    def remember(command: list[str], variables: dict[str, str]) -> int:
        calls.append((command, variables))
        return 7

    monkeypatch.setattr(launch, "run", remember)
    return calls


def test_the_server_is_streamlit_on_this_computer_alone(started: Started) -> None:
    assert run("dashboard", "--port", 8765, "--no-browser").exit_code == 7
    assert run("dashboard").exit_code == 7
    (command, _), (usual, _) = started
    assert not [part for part in usual if part.startswith("--server.port")], "Streamlit finds the next free one"
    assert [command[0], command[1], command[3]] == [sys.executable, "-P", "run"]
    package = Path(command[2]).parent
    assert (package.name, Path(command[4])) == ("tiecore_dashboard", package.parent / "app.py")
    assert {"--server.port=8765", "--server.address=127.0.0.1", "--server.headless=true"} <= set(command)


def test_a_browser_opens_only_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    def headless(*, opens_browser: bool) -> bool:
        return "--server.headless=true" in launch.program(opens_browser=opens_browser)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert headless(opens_browser=True)
    monkeypatch.setenv("DISPLAY", ":0")
    assert not headless(opens_browser=True)
    assert headless(opens_browser=False)


def test_files_are_handed_over_by_absolute_paths(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLE)
    monkeypatch.setenv("TIECORE_QRELS", "left over")
    files = ("--features", "clicks.csv", "indegree.run")
    run("dashboard", "--qrels", "qrels.txt", *files, "--data-root", "tiny")
    run("dashboard")
    (_, given), (_, nothing) = started
    assert given["TIECORE_QRELS"] == str(QRELS)
    assert json.loads(given["TIECORE_FEATURES"]) == [str(CLICKS), str(INDEGREE)]
    assert given["TIECORE_DATA_ROOT"] == str(SAMPLE / "tiny")
    assert not [name for name in nothing if name.startswith("TIECORE_")]
    assert nothing["PATH"] == os.environ["PATH"]


def test_the_server_is_told_how_much_it_may_take_and_keep(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("TIECORE_MEMORY", "TIECORE_FORGET")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    run("dashboard")
    run("dashboard", "--memory", "8", "--forget")
    wanted = [[variables.get(name) for name in names] for _, variables in started]
    assert wanted == [[None, None], ["8", "1"]]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.EADDRINUSE, "address already in use; choose another"),
        (errno.EACCES, "permission denied; choose one above 1023"),
    ],
)
def test_a_port_that_cannot_be_had_is_refused(monkeypatch: pytest.MonkeyPatch, code: int, said: str) -> None:
    monkeypatch.setattr(socket, "create_server", raising(OSError(code, os.strerror(code))))
    assert mistake("dashboard", "--port", 80) == f"port 80: {said} with --port"


@pytest.mark.parametrize("option", ["--qrels", "--features", "--data-root"])
@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(36, "File name too long")])
def test_where_one_may_not_look_there_is_nothing(monkeypatch: pytest.MonkeyPatch, option: str, error: OSError) -> None:
    monkeypatch.setattr(Path, "is_file" if option != "--data-root" else "is_dir", raising(error))
    assert "locked/away: is not a " in mistake("dashboard", option, "locked/away")


def test_ctrl_c_ends_the_dashboard_at_once_and_without_a_word(tmp_path: Path) -> None:
    port = free_port()  # not the usual one, which another test may take meanwhile
    with process([*launch.program(opens_browser=False), f"--server.port={port}"], cwd=tmp_path) as server:
        assert server.stderr is not None
        while server.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        server.send_signal(signal.SIGINT)
        written = server.stderr.read().decode().strip()
        assert (server.wait(timeout=LONGEST), written) == (130, "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path) -> None:
    with (
        Path("/dev/full").open("w") as full,
        process(launch.program(opens_browser=False), full, cwd=tmp_path) as server,
    ):
        assert server.stderr is not None
        assert server.stderr.read() == b"error: cannot write to standard output: No space left on device\n"
        assert server.wait(timeout=LONGEST) == 2


def test_an_installation_without_the_dashboard_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(launch, "_BESIDE", tmp_path)
    assert "not part of this installation" in mistake("dashboard")
    assert launch.sample_data() is None
    (tmp_path / "tiecore_dashboard").mkdir()
    assert "not part of this installation" in mistake("dashboard"), "a folder without the script that starts it"


@pytest.mark.parametrize(
    ("lacking", "names"), [({"plotly"}, "plotly"), ({"streamlit", "plotly"}, "streamlit and plotly")]
)
def test_without_libraries_one_line_says_so(monkeypatch: pytest.MonkeyPatch, lacking: set[str], names: str) -> None:
    monkeypatch.setattr(launch, "find_spec", lambda name: None if name in lacking else object())
    assert mistake("dashboard") == f"the dashboard needs {names}: pip install 'tiecore[dashboard]'"


def test_the_process_becomes_the_server_where_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[object, ...]] = []

    def execute(program: str, command: Sequence[str], variables: Mapping[str, str]) -> None:
        calls.append((program, command, variables))
        raise SystemExit(0)  # as a process that has become another never comes back

    def wait(command: Sequence[str], **options: Any) -> SimpleNamespace:
        calls.append((command, options["env"]))
        return SimpleNamespace(returncode=3)

    monkeypatch.setattr(os, "execve", execute)
    monkeypatch.setattr(subprocess, "run", wait)
    with pytest.raises(SystemExit):
        launch.run(["streamlit", "run"], {"A": "1"})
    monkeypatch.setattr(launch, "_IS_POSIX", False)
    assert launch.run(["streamlit", "run"], {"A": "1"}) == 3
    assert calls == [("streamlit", ["streamlit", "run"], {"A": "1"}), (["streamlit", "run"], {"A": "1"})]


def test_a_table_of_counts_may_be_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    with pytest.raises(tiecore.TiecoreError, match="is not a file"):
        launch.environment(features=[str(folder)])
    (folder / "part-0.parquet").touch()
    assert str(folder) in launch.environment(features=[str(folder)])["TIECORE_FEATURES"]
