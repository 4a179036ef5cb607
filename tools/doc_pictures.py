"""Takes the pictures of docs/ anew: the sample data in the light theme, 1280 pixels wide, cut to what is spoken of.

    .venv/bin/python -m tools.doc_pictures [NAME …] [--into docs]

It starts the dashboard by itself. Look at every picture before committing it.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, sync_playwright

from tests.browser.board import Board
from tests.browser.server import ROOT, start_dashboard

WIDTH, HEIGHT, TALLEST = 1280, 900, 3000
MARGIN, ABOVE = 16, 4
"""Pixels beside, and above and below: little, so that no half of a line is in the picture."""
LARGEST = 140_000
"""Bytes; a test asks for less than 150,000."""
SETTLED = 1500
"""Milliseconds in which charts and tables have been drawn."""


def _nothing(board: Board) -> None:
    pass


def _draw_often(board: Board) -> None:
    for _ in range(10):
        board.act(board.page.get_by_role("button", name="+ 100").click)


@dataclass(frozen=True, slots=True)
class Picture:
    """A part of a page: everything between the first and the last of some things on it."""

    path: str
    things: Callable[[Board], list[Locator]]
    whole_width: bool = False
    """With the sidebar and the navigation."""
    before: Callable[[Board], None] = _nothing
    """What to do on the page first."""


PICTURES = {
    "ranking": Picture(
        "",
        lambda board: [board.page.locator(".answer").first, board.page.locator(".leaderboard").first],
        whole_width=True,
    ),
    "pairs": Picture(
        "pairs",
        lambda board: [board.page.locator(".answer").first, board.key("pairs_map"), board.key("pairs_difference")],
    ),
    "query": Picture(
        "queries?queries_feature=title_match&queries_query=118",
        lambda board: [
            board.page.get_by_text("Show tied documents in the order of"),
            board.key("queries_draws"),
            board.key("queries_parts"),
        ],
        before=_draw_often,
    ),
}


def wait_for_charts(board: Board) -> None:
    """Wait until nothing is a grey placeholder any more: charts load late, and the page allows no function of ours."""
    for _ in range(100):
        if not board.page.locator("[data-testid=stSkeleton]").count():
            return
        board.page.wait_for_timeout(100)


def take(browser: Browser, address: str, picture: Picture) -> bytes:
    """Take one picture; PNG."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
    board = Board(context.new_page(), address).open(picture.path)
    page = board.page
    wait_for_charts(board)
    picture.before(board)
    page.wait_for_timeout(SETTLED)
    needed = int(page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight"))
    page.set_viewport_size({"width": WIDTH, "height": min(needed, TALLEST)})
    wait_for_charts(board)
    page.mouse.move(WIDTH - 2, HEIGHT // 2)  # away from everything
    page.wait_for_timeout(SETTLED)
    boxes = [box for thing in picture.things(board) if (box := thing.bounding_box())]
    left, top = min(box["x"] for box in boxes) - MARGIN, min(box["y"] for box in boxes) - ABOVE
    right = max(box["x"] + box["width"] for box in boxes) + MARGIN
    bottom = max(box["y"] + box["height"] for box in boxes) + ABOVE
    if picture.whole_width:
        left, top, right = 0.0, 0.0, float(WIDTH)
    taken = page.screenshot(clip={"x": left, "y": top, "width": min(right, WIDTH) - left, "height": bottom - top})
    context.close()
    if board.complaints:
        raise RuntimeError("\n".join(board.complaints))
    return taken


def packed(png: bytes) -> bytes:
    """Write a picture as it is; if that is too large, with 256 colours of which none is far from its own."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    few = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    written = [io.BytesIO(), io.BytesIO()]
    for file, shown in zip(written, (image, few), strict=True):
        shown.save(file, "PNG", optimize=True)
    as_it_is, smaller = (file.getvalue() for file in written)
    return as_it_is if len(as_it_is) < LARGEST else smaller


def main() -> None:
    """Take all pictures, or those named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--into", type=Path, default=ROOT / "docs")
    wanted = parser.parse_args()
    wanted.into.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as home,
        sync_playwright() as playwright,
        closing(start_dashboard(Path(home))) as started,
    ):
        browser = playwright.chromium.launch(executable_path=chromium)
        for name in wanted.names or PICTURES:
            png = packed(take(browser, started.address, PICTURES[name]))
            path = wanted.into / f"{name}.png"
            path.write_bytes(png)
            sys.stdout.write(f"{path} {len(png):,} bytes\n")
        browser.close()


if __name__ == "__main__":
    main()
