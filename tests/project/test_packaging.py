"""What is handed out works without the checkout: the wheel is installed somewhere else, and run.

Two new environments take the wheel: a bare one with the libraries of tiecore alone, and a full one with those of the
dashboard too. Both borrow the libraries of the environment that runs the tests; with ``TIECORE_PACKAGING=download``
(``make package``) pip downloads them.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.error
import urllib.request
import venv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.browser.server import free_port
from tests.cli.running import ended, run
from tests.project.conftest import PATIENCE, PROJECT, ROOT

DASHBOARD = ROOT / "dashboard" / "tiecore_dashboard"
DOWNLOADS = os.environ.get("TIECORE_PACKAGING") == "download"
pytestmark = pytest.mark.slow

BINARIES = Path(sysconfig.get_path("scripts")).name
FOREIGN = "raise ImportError('this is not the package')\n"


@dataclass(frozen=True, slots=True)
class Installed:
    """The wheel in an environment of its own, and a folder from which to call it that has nothing to do with it."""

    prefix: Path
    folder: Path

    @property
    def command(self) -> Path:
        return self.prefix / BINARIES / "tiecore"

    @property
    def packages(self) -> Path:
        (found,) = self.prefix.glob("lib/python*/site-packages")
        return found

    @property
    def dashboard(self) -> Path:
        return self.packages / "tiecore_dashboard"

    @property
    def variables(self) -> dict[str, str]:
        return {"HOME": str(self.folder / "home"), "PATH": os.defpath, "LANG": "C.UTF-8", "COLUMNS": "100"}

    def end(self, *arguments: object) -> tuple[int, str, str]:
        done = ended(*arguments, cwd=self.folder, env=self.variables)
        return done.returncode, done.stdout, done.stderr

    def run(self, *arguments: object) -> str:
        status, output, errors = self.end(*arguments)
        assert (status, errors) == (0, "")
        return output


def required(names: Iterable[str]) -> set[str]:
    """Return the distributions that these requirements need in the end, from what is installed here."""
    found: set[str] = set()
    wanted = [Requirement(name) for name in names]
    while wanted:
        requirement = wanted.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = canonicalize_name(requirement.name)
        if name not in found:
            found.add(name)
            wanted += map(Requirement, distribution(name).requires or ())
    return found


def borrow_into(place: Installed, wanted: Iterable[str]) -> None:
    """Give an environment links to the modules that these requirements need in the end, and to no others."""
    libraries = place.prefix / "borrowed" / "site-packages"  # by this name Streamlit knows that it is installed
    libraries.mkdir(parents=True)
    for name in required(wanted):
        for file in distribution(name).files or ():
            link = libraries / file.parts[0]
            if file.parts[0] != ".." and not link.exists():
                link.symlink_to(Path(str(distribution(name).locate_file(file.parts[0]))))
    (place.packages / "libraries.pth").write_text(f"{libraries}\n")


def install(wheel: Path, place: Installed, extra: str) -> Installed:
    """Install the wheel and an extra of it into an environment of their own."""
    venv.create(place.prefix, symlinks=os.name == "posix")
    pip = [sys.executable, "-m", "pip", "--python", str(place.prefix / BINARIES / "python"), "install", "--quiet"]
    offline = () if DOWNLOADS else ("--no-deps", "--no-index")
    subprocess.run([*pip, *offline, f"{wheel}{extra}"], check=True, timeout=20 * PATIENCE)
    if not DOWNLOADS:
        borrow_into(
            place, [*PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra.strip("[]")] if extra else ())]
        )
    # names that a person's own folder may well hold, and that must not be taken for ours
    for name in ("dashboard", "tiecore", "tiecore_dashboard", "sample_data", "streamlit", "home"):
        (place.folder / name).mkdir()
        (place.folder / name / "__init__.py").write_text(FOREIGN)
    return place


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(wheel, Installed(tmp_path_factory.mktemp("bare"), tmp_path_factory.mktemp("elsewhere")), "")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = Installed(tmp_path_factory.mktemp("environment"), tmp_path_factory.mktemp("elsewhere"))
    return install(wheel, place, "[dashboard]")


def evaluate_the_sample(place: Installed, sample: Path) -> str:
    files = (sample / name for name in ("qrels.txt", "clicks.csv", "pages.parquet"))
    return place.run(place.command, "evaluate", *files, *OPTIONS)


OPTIONS = ("-m", "nDCG@10", "-t", "docid-asc", "--format", "json")


def test_the_command_says_what_it_says_in_the_checkout(installed: Installed, bare: Installed) -> None:
    own = installed.dashboard / "sample_data"
    names = ("qrels.txt", "clicks.csv", "pages.parquet")
    for place in (installed, bare):
        assert place.run(place.command, "--version") == f"tiecore {PROJECT['version']}\n"
    here = run("evaluate", *(ROOT / "sample_data" / name for name in names), *OPTIONS).stdout
    assert "query_url_clicks" in here
    for place, sample in ((installed, own), (installed, ROOT / "sample_data"), (bare, ROOT / "sample_data")):
        assert evaluate_the_sample(place, sample) == here


def test_without_the_extra_there_is_the_sample_and_a_line_that_says_how_to_get_the_dashboard(bare: Installed) -> None:
    sample = bare.dashboard / "sample_data"
    assert str(sample) in bare.run(bare.command, "--help").replace("\n", "").replace(" ", "")
    assert "query_url_clicks" in evaluate_the_sample(bare, sample)
    line = "error: the dashboard needs streamlit and plotly: pip install 'tiecore[dashboard]'\n"
    assert bare.end(bare.command, "dashboard", "--no-browser") == (2, "", line)


@contextmanager
def serving(command: Sequence[object], folder: Path, variables: Mapping[str, str]) -> Iterator[str]:
    log = folder / "dashboard.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [str(word) for word in command], cwd=folder, env=dict(variables), stdout=output, stderr=subprocess.STDOUT
        )
        try:
            deadline = time.monotonic() + PATIENCE
            while not (told := re.search(r"http://(\S+:\d+\S*)", log.read_text())):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            yield told[1].replace("0.0.0.0", "127.0.0.1")
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)
    assert "Traceback" not in log.read_text()


def visit(address: str, page: str) -> list[ForwardMsg]:
    """Visit a page of the dashboard as a browser does; returns all that it sends until the page stands."""
    wish = BackMsg()
    wish.rerun_script.page_name = page
    sent: list[ForwardMsg] = []
    protocol = Subprotocol("streamlit")
    with connect(f"ws://{address}/_stcore/stream", subprotocols=[protocol], max_size=None) as socket:
        socket.send(wish.SerializeToString())
        while not sent or sent[-1].WhichOneof("type") != "script_finished":
            sent.append(ForwardMsg.FromString(socket.recv(timeout=PATIENCE)))
    return sent


def only(messages: list[ForwardMsg], kind: str) -> ForwardMsg:
    (found,) = (message for message in messages if message.WhichOneof("type") == kind)
    return found


def assert_page(sent: list[ForwardMsg], title: str) -> None:
    shown = [message.delta.new_element for message in sent if message.WhichOneof("type") == "delta"]
    assert sent[-1].script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    assert re.findall("<h1>(.*?)</h1>", " ".join(element.html.body for element in shown)) == [title]
    assert not [element for element in shown if element.WhichOneof("type") == "exception"]


@pytest.fixture(scope="module")
def address(installed: Installed) -> Iterator[str]:
    with serving([installed.command, "dashboard", "--no-browser"], installed.folder, installed.variables) as found:
        yield found


def test_the_first_page_is_the_ranking_of_what_is_installed_in_its_theme(address: str, installed: Installed) -> None:
    sent = visit(address, "")
    assert_page(sent, "Ranking")
    session = only(sent, "new_session").new_session
    assert Path(session.main_script_path) == installed.dashboard / "app" / "script.py"
    theme = tomllib.loads((DASHBOARD.parent / ".streamlit" / "config.toml").read_text())["theme"]
    found = session.custom_theme
    assert [found.light.primary_color, found.dark.primary_color] == [
        theme[base]["primaryColor"] for base in ("light", "dark")
    ]
    assert list(found.light.chart_categorical_colors) == theme["light"]["chartCategoricalColors"]
    icon = only(sent, "page_config_changed").page_config_changed.favicon
    with urllib.request.urlopen(f"http://{address}{icon}", timeout=PATIENCE) as file:
        assert file.read() == (installed.dashboard / "app" / "assets" / "favicon.png").read_bytes()
    assert only(sent, "logo").logo.image.startswith("data:image/svg+xml")


def instructions() -> dict[str, list[str]]:
    """Return what stands in the Dockerfile behind each kind of instruction."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    found: dict[str, list[str]] = {}
    for kind, _, rest in (line.partition(" ") for line in lines if not line.startswith("#")):
        found.setdefault(kind, []).append(rest)
    return found


def test_the_steps_of_the_container_serve_the_dashboard_from_an_empty_folder(tmp_path: Path) -> None:
    steps, folder, path = instructions(), tmp_path / "srv", "tools/tiecore"
    folder.mkdir()
    assert steps["COPY"] == [". ."]
    everything, *kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert everything == "**"
    for source in (ROOT / line[1:] for line in kept if line.startswith("!")):
        if source.is_dir():
            shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        else:
            shutil.copy(source, folder)
    place = Installed(tmp_path / "system", folder)
    venv.create(place.prefix, symlinks=os.name == "posix", with_pip=True)
    variables = place.variables | {"PATH": f"{place.prefix / BINARIES}{os.pathsep}{os.defpath}"}
    if not DOWNLOADS:
        borrow_into(place, [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dashboard"], "hatchling"])
        variables |= {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    shell = partial(subprocess.run, shell=True, check=True, cwd=folder, timeout=20 * PATIENCE)
    shell(steps["RUN"][0], env=variables)
    port = free_port()
    variables |= dict(word.split("=", 1) for word in shlex.split(steps["ENV"][0]))
    variables |= {"PORT": str(port), "ROOT_PATH": path}
    with serving(["sh", "-c", steps["CMD"][0]], folder, variables):
        shell(steps["HEALTHCHECK"][0].partition(" CMD ")[2], env=variables)
        base = f"127.0.0.1:{port}/{path}"
        assert_page(visit(base, ""), "Ranking")
        foreign = urllib.request.Request(f"http://{base}/", headers={"Host": "example.org"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(foreign, timeout=PATIENCE)
