"""A person at the dashboard: opens it, looks round, changes things, brings files, goes away, comes back."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import perf_counter

from playwright.sync_api import Browser, Error, Locator, sync_playwright

from bench.soak.uploads import write_batch
from tests.browser import board
from tests.browser.board import Board

__all__ = ["Act", "Diary", "Visitor"]

PAGES = ("Ranking", "Pairs", "Cut-offs", "Queries", "Ties", "Method", "Data")
PATHS = ("", "pairs", "cutoffs", "queries", "ties", "method", "data")
MEASURES = ("nDCG", "AP", "P", "R", "RR", "DCG", "RBP", "ERR", "Success", "F1")
TIE_BREAKS = ("docid-desc", "docid-asc", "input", "input-reversed")
CUTOFFS = ("5", "10", "20", "50", "7", "13")
EXPORTS = ("Leaderboard (CSV)", "Leaderboard (LaTeX)", "Ranges (HTML)", "Report (HTML)")
CLICKS = {
    "Ranking": ("ranking_intervals", ".barlayer .point"),
    "Pairs": ("pairs_map", ".nsewdrag"),
    "Queries": ("queries_chart", ".bars .point path"),
    "Ties": ("ties_shares", ".nsewdrag"),
    "Cut-offs": ("cutoffs_curves", ".nsewdrag"),
}
LONG = 90_000
"""Milliseconds that a person waits: what is slow is seen in the table, and only what never comes is an error."""
board.PATIENCE = LONG / 1000
MOST_QUERIES = 1500
_seeds = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Act:
    """Something that somebody did."""

    kind: str
    at: float
    seconds: float
    problem: str = ""
    """What went wrong, if anything did."""


@dataclass(slots=True)
class Diary:
    """What all visitors did and met; lists only grow, so threads may share it."""

    begun: float
    acts: list[Act] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """Errors in the console of a browser."""
    outside: list[str] = field(default_factory=list)
    """Requests to anybody but the dashboard."""


class Visitor:
    """One person with one browser; comes back as somebody new every now and then."""

    def __init__(self, number: int, address: str, diary: Diary, folder: Path, *, think: float) -> None:
        self._address = address
        self._diary = diary
        self._folder = folder / f"visitor{number}"
        self._think = think
        self._random = random.Random(number)
        self._board: Board
        self._browser: Browser
        self._title = "Ranking"
        self._is_phone = False
        self._has_own = False

    def stay(self, chromium: str, over: Event) -> None:
        """Use the dashboard until it is over."""
        with sync_playwright() as playwright:
            self._browser = playwright.chromium.launch(executable_path=chromium)
            self._try("open", self._arrive)
            while not over.is_set():
                over.wait(self._random.expovariate(1 / self._think) + 0.5)
                if not over.is_set():
                    kind, action = self._choose()
                    if not self._try(kind, action):
                        self._try("open", self._arrive)
            self._leave()
            self._browser.close()

    def _choose(self) -> tuple[str, Callable[[], None]]:
        """Choose what to do next, as often as people do it."""
        anywhere: dict[str, tuple[int, Callable[[], None]]] = {
            "leave, come back": (3, self._arrive),
            "reload": (4, lambda: self._board.act(self._board.page.reload)),
            "open a link": (6, self._follow_link),
        }
        wide: dict[str, tuple[int, Callable[[], None]]] = {
            "go to a page": (22, self._go),
            "change the measure": (9, self._change_measure),
            "change the cut-off": (6, self._change_cutoff),
            "change the tie-breaks": (9, self._change_tie_break),
            "click a chart": (14, self._click_chart),
            "bring files": (6, self._bring_files),
            "take files away": (2, self._remove_file),
            "back to the sample": (2, self._back_to_sample),
            "take a file with you": (6, self._download),
        }
        acts = anywhere if self._is_phone else anywhere | wide
        kind = self._random.choices(list(acts), [weight for weight, _ in acts.values()])[0]
        return kind, acts[kind][1]

    def _try(self, kind: str, action: Callable[[], None]) -> bool:
        begun = perf_counter()
        problem = ""
        try:
            action()
            if (alert := self._board.page.locator("[data-testid=stException]")).count():
                problem = f"exception on the page: {alert.first.inner_text()[:200]}"
        except (Error, AssertionError) as error:
            problem = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        seconds = perf_counter() - begun
        self._diary.acts.append(Act(kind, begun - self._diary.begun, seconds, problem))
        return not problem

    def _arrive(self) -> None:
        """Come as somebody new: another session, on a screen or a phone."""
        self._leave()
        self._is_phone = self._random.random() < 0.15
        width, height = (390, 844) if self._is_phone else (1280, 900)
        dark = self._random.random() < 0.3
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        context.set_default_timeout(LONG)
        self._board = Board(context.new_page(), self._address)
        self._title, self._has_own = "Ranking", False
        self._board.open()

    def _leave(self) -> None:
        """Close the tab."""
        if hasattr(self, "_board"):
            self._diary.complaints.extend(self._board.complaints)
            self._diary.outside.extend(self._board.outside)
            self._board.page.context.close()
            del self._board

    def _go(self) -> None:
        title = self._random.choice([title for title in PAGES if title != self._title])
        self._board.visit(title)
        self._title = title

    def _be_at(self, title: str) -> None:
        if self._title != title:
            self._board.visit(title)
            self._title = title

    def _follow_link(self) -> None:
        page = self._random.randrange(len(PATHS))
        measure, tie = self._random.choice(MEASURES), self._random.choice(TIE_BREAKS)
        self._board.open(f"{PATHS[page]}?measure={measure}&tie={tie}&tie=random:{self._random.randrange(50)}")
        self._title, self._has_own = PAGES[page], False  # a link opens a session of its own

    def _change_measure(self) -> None:
        box = self._board.key("measure").get_by_role("combobox")
        box.click()
        name = self._random.choice([name for name in MEASURES if name != box.input_value()])
        self._board.act(self._board.page.get_by_role("option", name=name, exact=True).click)

    def _change_cutoff(self) -> None:
        box = self._board.key("k").get_by_role("combobox")
        if not box.count():
            return
        box.click()
        box.fill(self._random.choice([k for k in CUTOFFS if k != box.input_value()]))
        self._board.act(lambda: self._board.page.keyboard.press("Enter"))

    def _change_tie_break(self) -> None:
        tags = self._board.key("tie").locator("[data-tag]")
        remove = tags.get_by_role("button")
        if tags.count() > 3:
            self._board.act(remove.last.click)
            return
        box = self._board.key("tie").get_by_role("combobox")
        box.click()
        box.fill(f"random:{self._random.randrange(1000)}")
        self._board.act(lambda: self._board.page.keyboard.press("Enter"))
        self._board.page.keyboard.press("Escape")

    def _click_chart(self) -> None:
        title = self._title if self._title in CLICKS else "Ranking"
        self._be_at(title)
        key, marks = CLICKS[title]
        mark = self._board.key(key).locator(marks)
        nothing = self._board.page.get_by_role("link", name="Go to Data")
        mark.or_(nothing).first.wait_for(state="attached", timeout=LONG)  # a bar of no height is there all the same
        if not mark.count():  # the judgments were taken away
            return
        target = mark.nth(self._random.randrange(min(mark.count(), 8)))
        self._click_inside(target, x=self._random.uniform(0.1, 0.9), y=self._random.uniform(0.1, 0.9))

    def _click_inside(self, target: Locator, *, x: float, y: float) -> None:
        """Click into a mark; whether it starts a run depends on whether anything lies there."""
        if not target.is_visible():
            return
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        if box is None:  # drawn anew at this moment
            return
        self._board.page.mouse.move(box["x"] + x * box["width"] - 2, box["y"] + y * box["height"])
        self._board.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
        self._board.page.wait_for_timeout(300)
        self._quiet()

    def _quiet(self) -> None:
        self._board.page.wait_for_function(
            "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
        )

    def _bring_files(self) -> None:
        self._be_at("Data")
        seed = next(_seeds)
        n_queries = int(MOST_QUERIES ** self._random.uniform(0.4, 1.0))
        files = write_batch(
            self._folder / str(seed), seed=seed, n_queries=n_queries, with_a_bad_one=self._random.random() < 0.3
        )
        uploader = self._board.page.locator("[data-testid=stFileUploader] input[type=file]")
        self._board.act(lambda: uploader.set_input_files(files))
        # the browser may read files after the first of them have been taken, so they go with the next ones
        for old in self._folder.glob("[0-9]*"):
            if old.name != str(seed):
                shutil.rmtree(old)
        self._has_own = True

    def _remove_file(self) -> None:
        self._be_at("Data")
        self._board.key("data_files").locator("table[role=grid]").wait_for(state="attached", timeout=LONG)
        table = self._board.key("data_files").locator(".dvn-scroller").first
        self._board.page.wait_for_timeout(500)
        table.click(position={"x": 16, "y": 35 + 33 + 16})
        self._quiet()
        button = self._board.page.get_by_role("button", name="Remove 1 file", exact=True)
        button.wait_for(timeout=LONG)
        self._board.act(button.click)

    def _back_to_sample(self) -> None:
        self._be_at("Data")
        button = self._board.page.get_by_role("button", name="Back to the sample")
        if button.count():
            self._board.act(button.click)
            self._has_own = False

    def _download(self) -> None:
        self._be_at("Ranking")
        exports = self._board.key("ranking_exports")
        label = self._random.choice(EXPORTS)
        button = exports.get_by_role("button", name=label, exact=True)
        if not button.is_visible():
            exports.get_by_text("Take it with you").click()
        with self._board.page.expect_download(timeout=LONG) as download:
            button.click()
        path = self._folder / "taken"
        download.value.save_as(path)
        assert path.stat().st_size > 100, f"{label} is empty"
