"""While nobody waits, what is one click away is computed; whoever acts before that is not made to wait for it."""

from __future__ import annotations

import gc
import math
import platform
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
import pytest

from bench.soak.turnover import memory
from dashboard import cached, idle
from dashboard.controls import Settings
from dashboard.datasets import Dataset
from dashboard.shelf import Shelf
from tests.dashboard.conftest import ROOT, OpenApp
from tiecore.measures import FAMILIES, Measure, measure
from tiecore.threads import Progress

USUAL = Settings(measure("nDCG@10"))


def ahead() -> list[threading.Thread]:
    """Threads that compute ahead."""
    return [thread for thread in threading.enumerate() if thread.name == "look ahead"]


@pytest.fixture
def serving(no_cache: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server runs, has rested, and waits no moment before it computes ahead."""
    monkeypatch.setattr(idle, "_serves", threading.Event())
    monkeypatch.setattr(idle, "_turn", idle._Turn())
    monkeypatch.setattr(idle, "_rested_at", math.inf)
    monkeypatch.setattr(idle, "_DELAY", 0.0)
    monkeypatch.setattr(idle, "_DELAY_OF_A_VISIT", 0.0)
    idle.serve()
    yield
    gc.unfreeze()


class Filling:
    """Stands for the computing: says that it has begun, goes on when it may, and reports."""

    def __init__(self) -> None:
        self.begun, self.may_report = threading.Event(), threading.Event()
        self.went_on: list[Measure] = []

    def __call__(self, _: Dataset, measures: Sequence[Measure], *__: object, progress: Progress) -> None:
        self.begun.set()
        assert self.may_report.wait(20)
        progress(1, 2)
        self.went_on.append(measures[0])


@pytest.fixture
def filling(serving: None, monkeypatch: pytest.MonkeyPatch) -> Filling:
    """Compute nothing, but take part in it."""
    found = Filling()
    monkeypatch.setattr(cached, "fill", found)
    monkeypatch.setattr(idle, "_MOST_FEATURES", 0)
    return found


def draw(dataset: Dataset, settings: Settings = USUAL) -> None:
    """Draw a page."""
    with idle.drawing():
        pass
    idle.look_ahead(dataset, settings)


def let_nothing_be_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let values and what is derived from them be found only where they have been kept."""
    once = Shelf.once

    def find(shelf: Shelf, kind: str, key: Hashable, compute: Callable[[], Any], *, data: Hashable = None) -> Any:
        def lacking() -> Any:
            raise AssertionError(key)

        return once(shelf, kind, key, lacking if kind == "study" else compute, data=data)

    monkeypatch.setattr(cached, "feature_values", None)
    monkeypatch.setattr(Shelf, "once", find)


def finish() -> None:
    """Wait for all that is computed ahead."""
    for thread in ahead():
        thread.join(20)
        assert not thread.is_alive()


def test_the_next_measure_cut_off_and_tie_break_are_there_already(
    no_cache: None, tiny_data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached.view(tiny_data, USUAL)
    idle.prepare(tiny_data, USUAL)
    monkeypatch.setattr(cached, "feature_values", None)
    for name in ("AP@10", "RR@10", "P@10", "nDCG@5", "nDCG@100", "ERR@10", "Bpref", "ESL"):
        cached.view(tiny_data, replace(USUAL, measure=measure(name)))
    cached.view(tiny_data, replace(USUAL, tie_breaks=(*USUAL.tie_breaks, "input-reversed", "random:1")))


def names_ahead(name: str) -> set[str]:
    """Names of all measures that are computed ahead."""
    quick, slower = idle.measures_ahead(measure(name))
    return {str(one) for one in (*quick, *slower)}


def test_parameters_are_carried_over_to_the_other_measures() -> None:
    names = names_ahead("AP(rel=2)@10")
    assert {"P(rel=2)@10", "RR(rel=2)@10", "AP(rel=2)@20", "nDCG@10", "Rprec(rel=2)", "ERR@10"} <= names
    assert "AP(rel=2)@10" not in names, "it is there"


def test_a_measure_without_a_cut_off_leads_to_others_without_one() -> None:
    names = names_ahead("AP")
    assert names >= {"RR", "nDCG", "ESL", "P@10"}
    assert {name for name in names if "@" in name} == {"P@10", "F1@10", "Success@10", "Judged@10"}
    assert names_ahead("Rprec") >= {"RR@10", "nDCG@10", "P@10", "ESL"}


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.cutoff_rule != "none"])
def test_every_measure_has_others_ahead_of_it(name: str) -> None:
    assert len(names_ahead(f"{name}@5")) > 10


@pytest.mark.parametrize("limit", ["_MOST_DOCUMENTS", "_MOST_OF_A_FEATURE", "_MOST_VALUES"])
def test_of_large_data_nothing_is_computed_ahead(
    no_cache: None, tiny_data: Dataset, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(idle, limit, 3)
    monkeypatch.setattr(cached, "feature_values", None)
    idle.prepare(tiny_data, USUAL)


def test_what_nobody_interrupts_is_computed_to_the_end(filling: Filling, tiny_data: Dataset) -> None:
    filling.may_report.set()
    draw(tiny_data)
    finish()
    assert len(filling.went_on) == 3


def test_a_click_stops_what_is_computed_ahead(filling: Filling, tiny_data: Dataset) -> None:
    draw(tiny_data)
    assert filling.begun.wait(20)
    with idle.drawing():
        filling.may_report.set()
        finish()
    assert not filling.went_on


def test_the_page_of_one_visitor_stops_what_is_computed_for_another_and_keeps_it_from_beginning(
    filling: Filling, tiny_data: Dataset
) -> None:
    filling.may_report.set()
    with idle.drawing():
        draw(tiny_data)
        finish()
    assert not filling.begun.is_set()


def test_a_part_that_is_drawn_anew_stops_what_is_computed_ahead_and_lets_it_go_on_afterwards(
    filling: Filling, tiny_data: Dataset
) -> None:
    draw(tiny_data)
    assert filling.begun.wait(20)
    with idle.drawing_a_part(tiny_data, USUAL):
        filling.may_report.set()
        finish()
        assert not filling.went_on
    finish()
    assert len(filling.went_on) == 3


def test_the_parts_of_a_page_leave_the_looking_ahead_to_the_page(filling: Filling, tiny_data: Dataset) -> None:
    with idle.drawing():
        for _ in range(2):
            with idle.drawing_a_part(tiny_data, USUAL):
                pass
        assert not ahead()


@pytest.mark.parametrize("page", ["ranking", "pairs", "cutoffs", "queries", "method"])
def test_whatever_clicks_draw_anew_by_itself_is_such_a_part(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    drawn: list[Settings] = []

    @contextmanager
    def note(_: Dataset, settings: Settings) -> Iterator[None]:
        drawn.append(settings)
        yield

    monkeypatch.setattr(idle, "drawing_a_part", note)
    app = open_app(page)
    assert not app.exception
    assert drawn
    assert {one.measure for one in drawn} == {app.session_state["settings"].measure}


def test_there_are_no_other_parts() -> None:
    files = [path for path in (ROOT / "dashboard").rglob("*.py") if "st.fragment" in path.read_text()]
    assert [path.name for path in files] == ["page.py"]


def test_only_the_last_page_is_looked_ahead_from(filling: Filling, tiny_data: Dataset) -> None:
    for name in ("AP@7", "RR@8", "P@5"):
        draw(tiny_data, replace(USUAL, measure=measure(name)))
    filling.may_report.set()
    finish()
    assert {one.cutoff for one in filling.went_on} == {5, None}, "the others have other cut-offs"


def test_a_page_that_breaks_off_leaves_the_turn_to_others(filling: Filling, tiny_data: Dataset) -> None:
    with pytest.raises(KeyError), idle.drawing():
        raise KeyError
    filling.may_report.set()
    draw(tiny_data)
    finish()
    assert filling.went_on


def test_without_a_server_nothing_begins(tiny_data: Dataset) -> None:
    draw(tiny_data)
    assert not ahead()


def test_without_data_nothing_is_computed(filling: Filling) -> None:
    draw(Dataset())
    finish()
    assert not filling.begun.is_set()


def test_what_cannot_be_computed_ahead_is_left_to_those_who_ask(serving: None, tiny_data: Dataset) -> None:
    draw(tiny_data, replace(USUAL, tie_breaks=("rank",)))  # a fault in the thread would be one of the test
    finish()


def test_every_run_of_the_app_is_a_page_and_looks_ahead_from_what_it_shows(
    filling: Filling, open_app: OpenApp, tiny_files: dict[str, str]
) -> None:
    filling.may_report.set()
    open_app("ties", query={"measure": "AP"})
    finish()
    assert measure("AP@10") in filling.went_on


def test_a_browser_that_has_just_come_is_left_more_time(
    serving: None, open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays: list[float] = []
    monkeypatch.setattr(idle, "sleep", delays.append)
    monkeypatch.setattr(idle, "_DELAY_OF_A_VISIT", 7.0)
    monkeypatch.setattr(idle, "prepare", lambda *_, **__: None)
    app = open_app()
    app.run()
    finish()
    assert delays == [7.0, 0.0]


def test_a_click_on_a_measure_or_cut_off_finds_what_was_computed_ahead(
    no_cache: None, open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app(query={"k": "20"})
    idle.prepare(app.session_state["dataset"], app.session_state["settings"])
    let_nothing_be_computed(monkeypatch)
    for name in ("P", "AP", "F1", "nDCG"):
        app.selectbox(key="measure").set_value(name).run()
        assert not app.exception, app.exception
        assert app.session_state["settings"].measure == measure(f"{name}@20")
    app.selectbox(key="k").set_value("5").run()
    assert not app.exception


def test_a_further_tie_break_finds_what_was_computed_ahead(
    no_cache: None, open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    settings: Settings = app.session_state["settings"]
    idle.prepare(app.session_state["dataset"], settings)
    let_nothing_be_computed(monkeypatch)
    app.multiselect(key="tie").set_value([*settings.tie_breaks, "random:1"]).run()
    assert not app.exception, app.exception
    assert app.session_state["settings"].tie_breaks == (*settings.tie_breaks, "random:1")


def test_where_random_tie_breaks_would_have_to_be_drawn_nothing_is_derived_ahead(
    no_cache: None, tiny_data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    for never in ("stability", "central_interval"):
        monkeypatch.setattr(cached, never, None)
    cached.get_ready(tiny_data, replace(USUAL, measure=measure("ERR@10")), progress=None)


def test_of_very_many_features_nothing_is_derived_ahead(
    no_cache: None, tiny_data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle, "_MOST_FEATURES", 1)
    monkeypatch.setattr(cached, "get_ready", None)
    idle.prepare(tiny_data, USUAL)


def test_the_server_rests_now_and_then(serving: None, monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []
    monkeypatch.setattr(idle, "rest", lambda: rests.append(1))
    monkeypatch.setattr(idle, "_rested_at", -math.inf)
    for _ in range(3):
        draw(Dataset())
        finish()
    assert len(rests) == 1
    monkeypatch.setattr(idle, "_rested_at", monotonic() - 2 * idle._BETWEEN_RESTS)
    draw(Dataset())
    finish()
    assert len(rests) == 2


def test_what_was_computed_ahead_is_not_looked_through_for_garbage(filling: Filling, tiny_data: Dataset) -> None:
    filling.may_report.set()
    assert len(gc.get_objects()) > 50_000
    draw(tiny_data)
    finish()
    assert len(gc.get_objects()) < 5_000


def test_resting_leaves_little_to_look_through_and_finds_what_has_gone_since_the_last_rest() -> None:
    class Session:
        me: Session

    session = Session()
    session.me = session
    known = weakref.ref(session)
    before = gc.get_freeze_count()
    try:
        idle.rest()
        assert gc.get_freeze_count() > before
        assert len(gc.get_objects()) < 5_000
        del session
        gc.collect()
        assert known() is not None, "it is passed over"
        idle.rest()
        assert known() is None
    finally:
        gc.unfreeze()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what was freed, and gives it back")
def test_freed_memory_is_given_back_when_the_looking_ahead_is_over(serving: None) -> None:
    blocks = [np.ones(8_000) for _ in range(2_000)]  # each too small for the system to give it a place of its own
    last = blocks[-1]
    before = memory()
    del blocks
    assert before - memory() < 64, "glibc keeps what lies below the last"
    draw(Dataset())
    finish()
    assert before - memory() > 100
    assert last.all()
