"""Takes a picture of every page: light, dark and on a phone, with the sample and with 136 features.

    .venv/bin/python tools/screenshots.py [PAGE …] [--into screenshots] [--only sample|many]

It starts the dashboard by itself and writes PNG files that git ignores. Look at every one of them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.board import Board  # noqa: E402
from tests.browser.server import running_dashboard  # noqa: E402
from tiecore_dashboard.pages import PAGES  # noqa: E402

SCREENS = {
    "light": (1280, 900, False),
    "dark": (1280, 900, True),
    "phone": (390, 844, False),
    "phone-dark": (390, 844, True),
}
TALLEST = 6000
N_QUERIES, N_FEATURES = 100, 136


def write_many_features(folder: Path) -> dict[str, str]:
    """Write a LETOR file of 136 features, from hardly to wholly tied; what the dashboard opens on it with."""
    rng = np.random.default_rng(5)
    lines = []
    for query in range(1, N_QUERIES + 1):
        grades = rng.choice(5, size=int(rng.integers(30, 110)), p=[0.52, 0.32, 0.13, 0.02, 0.01])
        merit = grades[:, None] * (np.arange(N_FEATURES) % 17) / 24
        scores = rng.normal(size=(len(grades), N_FEATURES)) + merit
        coarse = [np.floor(np.maximum(scores, 0) * 2), np.round(scores, 1), (scores > 1) * 1.0, np.round(scores, 6)]
        for document, grade in enumerate(grades):
            row = " ".join(f"{f + 1}:{coarse[f % 4][document, f]:g}" for f in range(N_FEATURES))
            lines.append(f"{grade} qid:{query} {row} # d{query}-{document}\n")
    path = folder / "letor136.txt"
    path.write_text("".join(lines))
    return {"TIECORE_QRELS": str(path)}


def wait_for_charts(board: Board) -> None:
    """Wait until nothing is a grey placeholder any more: charts load late, and the page allows no function of ours."""
    for _ in range(100):
        if not board.page.locator("[data-testid=stSkeleton]").count():
            return
        board.page.wait_for_timeout(100)


def take(browser: Browser, address: str, page: str, screen: str, into: Path) -> list[str]:
    """Take a picture of a whole page; what the console complained about."""
    width, height, dark = SCREENS[screen]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
    board = Board(context.new_page(), address)
    board.open("" if page == "ranking" else page)
    wait_for_charts(board)
    board.page.wait_for_timeout(1500)
    needed = board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    board.page.set_viewport_size({"width": width, "height": min(int(needed) + 10, TALLEST)})
    wait_for_charts(board)
    board.page.wait_for_timeout(800)
    board.page.screenshot(path=into)
    context.close()
    return [*board.complaints, *board.outside]


def main() -> None:
    """Take all pictures that were asked for."""
    existing = [
        page.file
        for page in PAGES
        if (ROOT / "dashboard" / "tiecore_dashboard" / "pages" / f"{page.file}.py").is_file()
    ]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", choices=[*existing, []], default=[])
    parser.add_argument("--into", type=Path, default=ROOT / "screenshots")
    parser.add_argument("--only", choices=["sample", "many"])
    wanted = parser.parse_args()
    wanted.into.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        for data in ("sample", "many") if wanted.only is None else (wanted.only,):
            home = Path(name) / data
            home.mkdir()
            environment = write_many_features(home) if data == "many" else {}
            with running_dashboard(home, environment) as address:
                for page in wanted.pages or existing:
                    for screen in SCREENS:
                        path = wanted.into / f"{page}-{data}-{screen}.png"
                        complaints = take(browser, address, page, screen, path)
                        sys.stdout.write("\n".join([str(path), *(f"    {text}" for text in complaints)]) + "\n")
        browser.close()


if __name__ == "__main__":
    main()
