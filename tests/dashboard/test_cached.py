"""Values are those of tiecore, and none is computed twice."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.dashboard.conftest import TINY_QRELS, file_of
from tiecore.diagnostics import group_sizes
from tiecore.evaluation.values import Options
from tiecore.measures import measure
from tiecore_dashboard.compute import cached, groups, values
from tiecore_dashboard.compute.shelf import Shelf
from tiecore_dashboard.controls.sidebar import Settings
from tiecore_dashboard.data.datasets import Dataset

USUAL = Settings(measure("nDCG@10"))


@pytest.fixture
def computed(no_cache: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, int, int]]]:
    """Features that were computed, with how many measures and columns."""
    calls: list[tuple[str, int, int]] = []
    compute = values._Work.compute

    def counting(work, names, measures, columns, **how):  # type: ignore[no-untyped-def]
        calls.extend((name, len(measures), len(columns)) for name in names)
        return compute(work, names, measures, columns, **how)

    monkeypatch.setattr(values._Work, "compute", counting)
    yield calls
    cached._shelf.clear()


def test_the_same_bytes_are_known_under_any_name_of_their_file(no_cache: None) -> None:
    scores = "query_id,doc_id,score\nq1,d0,1\nq1,d1,2\n"
    values = []
    for name in ("one.csv", "two.csv"):
        data = Dataset().add([file_of("qrels.txt", TINY_QRELS), file_of(name, scores)])
        values.append(cached.evaluation(data, USUAL).leaderboard(USUAL.measure)["expected"].item())
    assert values[0] == values[1]


def test_values_are_kept_once(no_cache: None) -> None:
    data = Dataset().add([file_of("qrels.txt", TINY_QRELS), file_of("one.csv", "query_id,doc_id,score\nq1,d0,1\n")])
    found = cached.evaluation(data, USUAL)
    kept = [array for _, array in cached._shelf()._values._items.values()]
    assert len(kept) == found.values[0].shape[1] * len(found.features)
    assert all(np.shares_memory(array, found.values) and not array.flags.writeable for array in kept)
    wider = cached.evaluation(data, replace(USUAL, tie_breaks=(*USUAL.tie_breaks, "random:5")))
    kept = [array for _, array in cached._shelf()._values._items.values()]
    assert not any(np.shares_memory(array, wider.values) for array in kept)  # all but one column is there twice


@pytest.mark.parametrize(
    "settings",
    [
        USUAL,
        Settings(measure("AP(rel=2)"), ("input", "random:3", "feature:visits")),
        Settings(measure("RR"), (), Options(no_relevant="skip", queries="common", missing="last")),
        Settings(measure("ERR@3"), ("docid-asc",), Options(precision="decimals:0")),
    ],
    ids=str,
)
def test_values_are_those_of_tiecore(tiny_data: Dataset, settings: Settings) -> None:
    found = cached.evaluation(tiny_data, settings)
    qrels, table = (file.records for file in tiny_data.files)
    options = settings.options
    own = tiecore.evaluate(
        qrels,
        table,
        [settings.measure],
        settings.tie_breaks,
        queries=options.queries,
        no_relevant=options.no_relevant,
        missing=options.missing,
        precision=options.precision,
    )
    pd.testing.assert_frame_equal(found.summary, own.summary)
    pd.testing.assert_frame_equal(found.per_query, own.per_query)
    pd.testing.assert_frame_equal(cached.coverage(tiny_data, replace(settings)), own.coverage, check_dtype=False)


def test_another_tie_break_computes_that_tie_break_alone(
    tiny_data: Dataset, computed: list[tuple[str, int, int]]
) -> None:
    cached.evaluation(tiny_data, USUAL)
    computed.clear()
    cached.evaluation(tiny_data, replace(USUAL, tie_breaks=(*USUAL.tie_breaks, "random:9")))
    assert sorted(computed) == [("clicks", 1, 1), ("constant", 1, 1), ("visits", 1, 1)]


def test_another_measure_computes_that_measure_alone(tiny_data: Dataset, computed: list[tuple[str, int, int]]) -> None:
    cached.evaluation(tiny_data, USUAL)
    computed.clear()
    cached.evaluation(tiny_data, USUAL, measures=["nDCG@10", "AP"])
    assert {call[1] for call in computed} == {1}


@pytest.mark.parametrize("options", [Options(), Options(missing="last", precision="decimals:0")], ids=str)
def test_another_measure_sorts_nothing_and_is_the_same(
    tiny_data: Dataset, no_cache: None, monkeypatch: pytest.MonkeyPatch, options: Options
) -> None:
    breaks = ("docid-desc", "input", "feature:visits")
    cached.evaluation(tiny_data, Settings(measure("nDCG@10"), breaks, options))
    with monkeypatch.context() as patched:
        patched.setattr(values._Work, "_sorted", None)
        found = cached.evaluation(tiny_data, Settings(measure("AP(rel=2)"), breaks[::-1], options))
    cached._shelf.clear()
    anew = cached.evaluation(tiny_data, Settings(measure("AP(rel=2)"), breaks[::-1], options))
    np.testing.assert_array_equal(found.values, anew.values)


@pytest.mark.parametrize("options", [Options(), Options(missing="last", precision="decimals:0")], ids=str)
def test_another_tie_break_of_the_first_ranks_sorts_nothing_and_is_the_same(
    tiny_data: Dataset, no_cache: None, monkeypatch: pytest.MonkeyPatch, options: Options
) -> None:
    monkeypatch.setattr(groups, "HEAD", 2)
    monkeypatch.setattr(values, "HEAD", 2)
    short, whole = Settings(measure("nDCG@2"), ("input",), options), measure("AP")
    more = replace(short, tie_breaks=("input", "random:3", "docid-desc", "feature:visits"))
    cached.evaluation(tiny_data, short)
    with monkeypatch.context() as patched:
        patched.setattr(values._Work, "_sorted", None)
        found = [cached.evaluation(tiny_data, one) for one in (more, replace(more, measure=measure("RR@1")))]
    found.append(cached.evaluation(tiny_data, replace(more, measure=whole)))  # which heads are not enough for
    for one in found:
        cached._shelf.clear()
        anew = cached.evaluation(tiny_data, replace(more, measure=one.measures[0]))
        np.testing.assert_array_equal(one.values, anew.values)


def test_going_back_and_renaming_and_moving_compute_nothing(
    tiny_data: Dataset, computed: list[tuple[str, int, int]]
) -> None:
    cached.evaluation(tiny_data, USUAL)
    cached.evaluation(tiny_data, replace(USUAL, measure=measure("AP")))
    computed.clear()
    cached.evaluation(tiny_data, USUAL)
    renamed = cached.evaluation(tiny_data.change(0, name="other").move(0, 2), USUAL)
    cached.evaluation(tiny_data.change(1, used=False), replace(USUAL, tie_breaks=()))
    assert not computed
    assert renamed.features == ("visits", "constant", "other")


def test_turning_a_feature_round_computes_that_feature_alone(
    tiny_data: Dataset, computed: list[tuple[str, int, int]]
) -> None:
    before = cached.evaluation(tiny_data, USUAL).summary["expected"]
    computed.clear()
    after = cached.evaluation(tiny_data.change(0, lower_is_better=True), USUAL).summary["expected"]
    assert {feature for feature, *_ in computed} == {"clicks"}
    assert before.xs("clicks", level=1).item() != after.xs("clicks", level=1).item()


def test_a_tie_break_by_a_feature_follows_that_feature(tiny_data: Dataset) -> None:
    by_visits = replace(USUAL, tie_breaks=("feature:visits",))
    before = cached.evaluation(tiny_data, by_visits).summary.xs("constant", level=1)["feature:visits"].item()
    turned = tiny_data.change(1, lower_is_better=True)
    after = cached.evaluation(turned, by_visits).summary.xs("constant", level=1)["feature:visits"].item()
    assert before != after


def test_work_that_is_stopped_keeps_what_was_done(
    tiny_data: Dataset, computed: list[tuple[str, int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise StoppedError

    def one_by_one(work, items, *, workers=None, progress=None):  # type: ignore[no-untyped-def]
        results = []
        for done, item in enumerate(items, start=1):
            results.append(work(item))
            if progress is not None:
                progress(done, len(items))
        return results

    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)  # one alone takes all three at once
    with monkeypatch.context() as patched:
        patched.setattr(values, "in_threads", one_by_one)
        with pytest.raises(StoppedError):
            cached.evaluation(tiny_data, USUAL, progress=stop)
    assert [feature for feature, *_ in computed] == ["clicks", "visits"]
    cached.evaluation(tiny_data, USUAL)
    assert [feature for feature, *_ in computed] == ["clicks", "visits", "constant"]


def test_values_on_the_shelf_cannot_be_changed(tiny_data: Dataset) -> None:
    evaluation = cached.evaluation(tiny_data, USUAL)
    with pytest.raises(ValueError, match="read-only"):
        evaluation.values[:] = 0


def test_arrays_on_the_shelf_cannot_be_changed() -> None:
    shelf = Shelf()
    shelf.put_value("one", np.zeros(4))
    found = shelf.value("one")
    assert found is not None
    with pytest.raises(ValueError, match="read-only"):
        found[:] = 1


def test_single_files_do_not_count_as_sets_of_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore_dashboard.compute.shelf._MOST_DATA", 2)
    shelf = Shelf()
    for name in "abcde":
        shelf.once("file", name, lambda: "old", data=name)
        shelf.hold(name, 1)
    for name in ("one", "other", "third"):
        shelf.once("evaluation", name, lambda: "old", data=name)
        shelf.hold(name, 1, parts=[name])
    assert {shelf.once("file", name, lambda: "new", data=name) for name in "abcde"} == {"old"}
    found = [shelf.once("evaluation", name, lambda: "new", data=name) for name in ("one", "other", "third")]
    assert found == ["new", "old", "old"]


def test_a_file_that_has_changed_takes_the_place_of_what_it_was() -> None:
    shelf = Shelf()
    for state in (1, 2, 2, 1):
        shelf.once("file", "name", partial(str, f"read in state {state}"), state=state)
    assert shelf.once("file", "name", str, state=1) == "read in state 1"
    assert shelf.once("file", "name", partial(str, "read again"), state=2) == "read again"


def test_a_study_is_made_once_and_its_frame_is_ones_own(tiny_data: Dataset) -> None:
    view = cached.view(tiny_data, USUAL)
    first = cached.study(view, group_sizes, "clicks")
    first.iloc[:] = 0
    second = cached.study(view, group_sizes, "clicks")
    assert (second.to_numpy() != 0).any()


def test_the_shelf_holds_no_more_than_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore_dashboard.compute.shelf._MOST_VALUE_BYTES", 100)
    monkeypatch.setattr("tiecore_dashboard.compute.shelf._MOST", {"study": 3})
    monkeypatch.setattr("tiecore_dashboard.compute.shelf._BYTES_AROUND", 0)
    shelf = Shelf()
    for number in range(50):
        shelf.put_value(number, np.zeros(4))
    assert shelf.value(0) is None
    assert shelf.value(49) is not None
    for number in range(50):
        shelf.once("study", number, partial(int, number))
    assert shelf.once("study", 49, lambda: -1) == 49
    assert shelf.once("study", 0, lambda: -1) == -1


def test_data_go_with_every_result_that_holds_on_to_them_when_there_is_no_more_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tiecore_dashboard.compute.shelf._MOST_DATA_BYTES", 100)
    shelf = Shelf()
    for name in "abc":
        shelf.once("evaluation", name, lambda: "old", data=name)
        shelf.once("study", name, lambda: "old", data=name)
        shelf.hold(name, 40)
    found = {name: shelf.once("study", name, lambda: "new", data=name) for name in "abc"}
    assert found == {"a": "new", "b": "old", "c": "old"}
    assert shelf.once("evaluation", "a", lambda: "new") == "new"
    shelf.hold("huge", 1000)
    shelf.once("study", "huge", lambda: "old", data="huge")
    assert shelf.once("study", "huge", lambda: "new") == "old", "what is used last stays, however large"
    assert shelf.once("study", "c", lambda: "new") == "new"


def test_values_go_with_the_last_data_that_have_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore_dashboard.compute.shelf._MOST_DATA", 2)
    shelf = Shelf()
    shelf.hold("one file", 1, parts=["clicks"])
    shelf.put_value("value of clicks", np.zeros(4), part="clicks")
    shelf.hold("both files", 1, parts=["clicks", "visits"])
    shelf.put_value("value of visits", np.zeros(4), part="visits")
    shelf.hold("another file", 1, parts=["grades"])
    assert shelf.value("value of clicks") is not None, "the data with both files are there"
    shelf.hold("one more", 1, parts=["bm25"])
    assert shelf.value("value of clicks") is None
    assert shelf.value("value of visits") is None
    for number in range(1000):  # whoever miscounts what went has no room left
        shelf.put_value(number, np.zeros(4), part="bm25")
    monkeypatch.setattr("tiecore_dashboard.compute.shelf._MOST_VALUE_BYTES", 0)
    shelf.put_value("last", np.zeros(4), part="bm25")
    assert shelf.value(999) is None
    assert shelf.value("last") is not None


def test_memory_is_let_go_of_when_other_data_are_looked_at(
    no_cache: None, tiny_data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiecore_dashboard.compute.shelf._MOST_DATA_BYTES", 0)
    view = cached.view(tiny_data, USUAL)
    cached.stable(view)
    cached.intervals(view)
    held = weakref.ref(view.evaluation.alignment.sources["clicks"].match.document)
    qrels = tiny_data.files[0]
    other = Dataset().add([replace(file, digest=f"other {file.digest}") for file in tiny_data.files])
    assert other.judgments == f"other {qrels.digest}"
    del view
    assert held() is not None
    cached.view(other, USUAL)
    gc.collect()
    assert held() is None
