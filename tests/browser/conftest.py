"""Finds the browser, and says so in red when there is none."""

import os
import shutil
from pathlib import Path

import pytest

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
