"""Finds the browser, says so in red when there is none, and opens the dashboard in it."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.board import PATIENCE, Board
from tests.browser.server import Dashboard, start_dashboard

HERE = Path(__file__).parent
CANDIDATES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ADVICE = "no Chromium found: install one (Debian: apt-get install chromium) or name it in CHROMIUM"


def find_chromium() -> Path | None:
    """Return the browser that CHROMIUM names, else the first known one on PATH."""
    named = os.environ.get("CHROMIUM")
    found = (shutil.which(name) for name in ((named,) if named else CANDIDATES))
    return next((Path(path) for path in found if path), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, so that `-m "not browser"` leaves them out."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)
            # Longer than the one in pyproject.toml: one test takes many steps, each of them waiting up to PATIENCE.
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session", autouse=True)
def chromium(request: pytest.FixtureRequest) -> Path:
    """Path of the browser, for Playwright's `executable_path`; Playwright's own download is never used."""
    path = find_chromium()
    if path is not None:
        return path
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(f"{ADVICE} (REQUIRE_BROWSER=1 makes this a failure)", pytrace=False)
    request.config.stash[browser_is_missing] = True
    pytest.skip(ADVICE)


browser_is_missing = pytest.StashKey[bool]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Skipping must not look like passing."""
    if config.stash.get(browser_is_missing, False):
        terminalreporter.section("BROWSER TESTS DID NOT RUN", red=True, bold=True)
        terminalreporter.line(ADVICE, red=True)


@pytest.fixture(scope="session")
def browser(chromium: Path) -> Iterator[Browser]:
    """One browser for all tests, in which pages of one site and context share a process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium), args=["--process-per-site"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard that runs for all tests, whose sessions are isolated; its log tells of hosts that it asks for."""
    home = tmp_path_factory.mktemp("home")
    (home / "sitecustomize.py").write_text(
        "import sys\n"
        "def hear(event, arguments):\n"
        "    if event == 'socket.getaddrinfo' and arguments[0] not in (None, '127.0.0.1', 'localhost'):\n"
        "        print('ASKED FOR', arguments[0], file=sys.stderr, flush=True)\n"
        "sys.addaudithook(hear)\n"
    )
    path = os.pathsep.join([str(home), *filter(None, [os.environ.get("PYTHONPATH")])])
    with closing(start_dashboard(home, {"PYTHONPATH": path})) as started:
        yield started


@pytest.fixture(scope="session")
def address(server: Dashboard) -> str:
    return server.address


def new_context(browser: Browser) -> BrowserContext:
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(PATIENCE * 1000)
    return context


@pytest.fixture(scope="session")
def usual_context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """The context of the first visitor of each test.

    A page that stays open keeps the process of all its pages alive, so the scripts of Streamlit and Plotly are compiled
    once instead of once a test: that was more than half of what a test cost.
    """
    context = new_context(browser)
    context.new_page().goto(f"{address}/_stcore/health")
    yield context
    context.close()


def visitors(browser: Browser, usual_context: BrowserContext, address: str) -> Iterator[Callable[..., Board]]:
    """Make visitors; none may have asked anybody else or complained.

    The first has the usual context, cleared at the end, and any other one of their own.
    """
    boards: list[Board] = []

    def visit(*, width: int = 1280, height: int = 900, dark: bool = False, at: str | None = None) -> Board:
        context = new_context(browser) if boards else usual_context
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        boards.append(Board(page, at or address))
        return boards[-1]

    yield visit
    keeper, *pages = usual_context.pages
    for page in pages:
        page.close()
    keeper.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    usual_context.clear_cookies()
    for board in boards[1:]:
        board.page.context.close()
    assert not [request for board in boards for request in board.outside]
    assert not [complaint for board in boards for complaint in board.complaints]


@pytest.fixture
def new_board(browser: Browser, usual_context: BrowserContext, address: str) -> Iterator[Callable[..., Board]]:
    yield from visitors(browser, usual_context, address)


@pytest.fixture
def board(new_board: Callable[..., Board]) -> Board:
    return new_board()


@pytest.fixture(scope="module")
def walker(browser: Browser, usual_context: BrowserContext, address: str) -> Iterator[Board]:
    """A visitor with a usual screen who goes from page to page through all tests of a file that ask for one.

    Going to a page by its link costs a fraction of loading it. The file has no tests with visitors of their own.
    """
    for visit in visitors(browser, usual_context, address):
        yield visit().open()
