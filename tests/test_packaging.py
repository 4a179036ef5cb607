"""What is handed out works without the checkout: the archives are built, installed somewhere else, and run.

The environment is new and empty but for a path to the libraries of the one that runs the tests, so nothing has to be
fetched. With ``TIECORE_PACKAGING=download`` (``make package``) it is empty indeed, and pip fetches all that it needs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import time
import tomllib
import urllib.error
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.cli.running import run

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DOWNLOADS = os.environ.get("TIECORE_PACKAGING") == "download"
PATIENCE = 60.0  # seconds
BINARIES = Path(sysconfig.get_path("scripts")).name


@dataclass(frozen=True, slots=True)
class Installed:
    """The wheel in an environment of its own, and a folder from which to call it that has nothing to do with it."""

    prefix: Path
    folder: Path

    @property
    def command(self) -> Path:
        """The command that pip has made."""
        return self.prefix / BINARIES / "tiecore"

    @property
    def packages(self) -> Path:
        """Where the packages are."""
        (found,) = self.prefix.glob("lib/python*/site-packages")
        return found

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a person who has only just logged in."""
        return {"HOME": str(self.folder / "home"), "PATH": os.defpath, "LANG": "C.UTF-8", "COLUMNS": "100"}

    def run(self, *arguments: object) -> str:
        """Run a command in the folder; returns what it printed."""
        ended = subprocess.run(
            [str(argument) for argument in arguments],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout


def build(source: Path, target: str, into: Path) -> Path:
    """Build one archive with the backend that pip would call."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    ended = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ended.returncode == 0, ended.stderr
    (found,) = into.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = Installed(tmp_path_factory.mktemp("environment"), tmp_path_factory.mktemp("elsewhere"))
    venv.create(place.prefix, symlinks=os.name == "posix")
    pip = [sys.executable, "-m", "pip", "--python", str(place.prefix / BINARIES / "python")]
    offline = () if DOWNLOADS else ("--no-deps", "--no-index")
    subprocess.run([*pip, "install", "--quiet", *offline, str(wheel)], check=True, timeout=20 * PATIENCE)
    if not DOWNLOADS:  # a path named in a .pth file is not searched for others, so the checkout is not reached
        libraries = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
        (place.packages / "libraries.pth").write_text("".join(f"{path}\n" for path in sorted(libraries)))
    # names that a person's own folder may well hold, and that must not be taken for ours
    for name in ("dashboard", "tiecore", "sample_data", "home"):
        (place.folder / name).mkdir()
        (place.folder / name / "__init__.py").write_text("raise ImportError('this is not the package')\n")
    return place


# --- what is in the archives ------------------------------------------------------------------------------------------


def names_in(wheel: Path) -> set[str]:
    """Return the files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {info.filename for info in archive.infolist() if not info.is_dir()}


def record_of(wheel: Path) -> str:
    """Return the list of all files with their hashes."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        return archive.read(name).decode()


def metadata_of(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return archive.read(name).decode()


def files_under(*folders: str) -> set[str]:
    """Return what the checkout holds in these folders."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def test_the_wheel_holds_both_packages_with_the_sample_inside_and_nothing_else(wheel: Path) -> None:
    sample = {f"dashboard/{name}" for name in files_under("sample_data")}
    described = f"tiecore-{PROJECT['version']}.dist-info"
    told = {f"{described}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    assert names_in(wheel) == files_under("tiecore", "dashboard") | sample | told


@pytest.mark.parametrize(
    "needed",
    [
        "tiecore/py.typed",
        "dashboard/py.typed",
        "dashboard/tiecore_dashboard/.streamlit/config.toml",
        "dashboard/tiecore_dashboard/assets/favicon.png",
        "dashboard/sample_data/qrels.txt",
    ],
)
def test_the_wheel_holds_what_is_no_python(wheel: Path, needed: str) -> None:
    assert needed in names_in(wheel)


def test_the_source_archive_gives_the_same_wheel(wheel: Path, sources: Path, tmp_path: Path) -> None:
    with tarfile.open(sources) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert record_of(build(unpacked, "wheel", tmp_path)) == record_of(wheel)


def test_the_source_archive_holds_what_the_wheel_is_made_from_and_no_more(sources: Path) -> None:
    with tarfile.open(sources) as archive:
        names = [PurePosixPath(name) for name in archive.getnames()]
    beside = {".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert {path.parts[1] for path in names} == {"tiecore", "dashboard", "sample_data"} | beside


def test_the_metadata_name_the_licences_and_the_python_versions(wheel: Path) -> None:
    told = metadata_of(wheel)
    assert "\nLicense-Expression: MIT AND CC-BY-4.0\n" in told
    versions = re.findall(r"^Classifier: Programming Language :: Python :: (3\.\d+)$", told, re.MULTILINE)
    assert f"\nRequires-Python: >={versions[0]}\n" in told
    assert versions == ["3.11", "3.12", "3.13"]


# --- what is installed, called from somewhere else --------------------------------------------------------------------


def test_python_finds_the_packages_where_they_were_installed(installed: Installed) -> None:
    program = "import dashboard, tiecore; print(tiecore.__file__, dashboard.__file__)"
    found = installed.run(installed.prefix / BINARIES / "python", "-P", "-c", program).split()
    assert [Path(path).parent.parent for path in found] == [installed.packages] * 2


def test_the_command_knows_its_version(installed: Installed) -> None:
    assert installed.run(installed.command, "--version") == f"tiecore {PROJECT['version']}\n"


def test_the_command_says_what_it_says_in_the_checkout(installed: Installed) -> None:
    names, options = (
        ("qrels.txt", "clicks.csv", "pages.parquet"),
        ("-m", "nDCG@10", "-t", "docid-asc", "--format", "json"),
    )
    told = [
        installed.run(installed.command, "evaluate", *(sample / name for name in names), *options)
        for sample in (installed.packages / "dashboard" / "sample_data", ROOT / "sample_data")
    ]
    here = run("evaluate", *(ROOT / "sample_data" / name for name in names), *options)
    assert told == [here.stdout] * 2
    assert "query_url_clicks" in here.stdout


# --- the dashboard ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(installed: Installed) -> Iterator[str]:
    """Start the installed dashboard, without a word about its data; gives host and port."""
    log = installed.folder / "dashboard.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [installed.command, "dashboard", "--no-browser"],
            cwd=installed.folder,
            env=installed.variables,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield wait_for_address(process, log)
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)
    assert "Traceback" not in log.read_text()


def wait_for_address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Return the address that the dashboard tells, once it answers there."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        told = re.search(r"http://(\S+:\d+)", log.read_text())
        if told:
            try:
                with urllib.request.urlopen(f"http://{told[1]}/_stcore/health", timeout=2) as answer:
                    assert answer.read() == b"ok"
                    return told[1]
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                pass
        time.sleep(0.05)
    raise RuntimeError(f"the dashboard did not start:\n{log.read_text()}")


@pytest.fixture(scope="module")
def messages(address: str) -> list[ForwardMsg]:
    """Visit the dashboard as a browser does; returns all that it sends until the first page stands."""
    visit = BackMsg()
    visit.rerun_script.query_string = ""
    sent: list[ForwardMsg] = []
    protocol = Subprotocol("streamlit")
    with connect(f"ws://{address}/_stcore/stream", subprotocols=[protocol], max_size=None) as socket:
        socket.send(visit.SerializeToString())
        while not sent or sent[-1].WhichOneof("type") != "script_finished":
            sent.append(ForwardMsg.FromString(socket.recv(timeout=PATIENCE)))
    return sent


def of_kind(messages: list[ForwardMsg], kind: str) -> list[ForwardMsg]:
    """Return the messages that carry this."""
    return [message for message in messages if message.WhichOneof("type") == kind]


def test_the_page_stands_without_an_error(messages: list[ForwardMsg]) -> None:
    assert messages[-1].script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    shown = [message.delta.new_element for message in of_kind(messages, "delta")]
    assert [element.heading.body for element in shown if element.heading.tag == "h1"] == ["Ranking"]
    assert len([element for element in shown if element.WhichOneof("type") == "plotly_chart"]) == 2
    assert not [element for element in shown if element.WhichOneof("type") == "exception"]


def test_the_page_is_that_of_the_installed_package_on_its_own_sample(
    messages: list[ForwardMsg], installed: Installed
) -> None:
    (session,) = of_kind(messages, "new_session")
    assert Path(session.new_session.main_script_path) == installed.packages / "dashboard" / "app.py"
    told = [message.delta.new_element.markdown.body for message in of_kind(messages, "delta")]
    assert [text for text in told if "sample data" in text]


def test_the_theme_is_that_of_the_installed_package(messages: list[ForwardMsg]) -> None:
    (session,) = of_kind(messages, "new_session")
    theme = tomllib.loads((ROOT / "dashboard" / ".streamlit" / "config.toml").read_text())["theme"]
    sent = session.new_session.custom_theme
    assert (sent.light.primary_color, sent.dark.primary_color) == tuple(
        theme[base]["primaryColor"] for base in ("light", "dark")
    )
    assert list(sent.light.chart_categorical_colors) == theme["light"]["chartCategoricalColors"]


def test_the_icon_and_the_wordmark_are_those_of_the_installed_package(
    messages: list[ForwardMsg], address: str, installed: Installed
) -> None:
    (configured,) = of_kind(messages, "page_config_changed")
    with urllib.request.urlopen(f"http://{address}{configured.page_config_changed.favicon}", timeout=PATIENCE) as icon:
        assert icon.read() == (installed.packages / "dashboard" / "assets" / "favicon.png").read_bytes()
    (wordmark,) = of_kind(messages, "logo")
    assert wordmark.logo.image.startswith("data:image/svg+xml")
