"""Values are those of tiecore, and none is computed twice."""

import gc
import weakref
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tiecore
from tests.batches import noted_sorts
from tests.cli.running import raising
from tiecore.diagnostics import blame
from tiecore.evaluation.engine import Options, evaluate_alignment
from tiecore.measures import measure
from tiecore_dashboard.files import joined
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.results import cached
from tiecore_dashboard.results import shelf as of_shelf
from tiecore_dashboard.results.shelf import SHELF, Shelf, bytes_of
from tiecore_dashboard.state.sidebar import Settings

USUAL = Settings(measure("nDCG@10"))


@pytest.fixture
def evaluated(no_cache: None, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    calls: list[tuple[str, ...]] = []
    compute = evaluate_alignment

    def counting(alignment, *args, **how):  # type: ignore[no-untyped-def]
        calls.append(alignment.features)
        return compute(alignment, *args, **how)

    monkeypatch.setattr(cached, "evaluate_alignment", counting)
    return calls


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
    own = tiecore.evaluate(qrels, table, [settings.measure], settings.tie_breaks, **asdict(settings.options))
    pd.testing.assert_frame_equal(found.summary, own.summary)
    pd.testing.assert_frame_equal(found.per_query, own.per_query)
    pd.testing.assert_frame_equal(cached.coverage(tiny_data, replace(settings)), own.coverage, check_dtype=False)


def test_going_back_computes_nothing(tiny_data: Dataset, evaluated: list[tuple[str, ...]]) -> None:
    for settings in (USUAL, replace(USUAL, measure=measure("AP")), USUAL):
        found = cached.evaluation(tiny_data, settings)
        assert found.measures == (settings.measure,)
    assert len(evaluated) == 2
    renamed = tiny_data.change(0, name="other")
    assert cached.evaluation(renamed, USUAL).features == ("other", "visits", "constant")


def test_a_tie_break_by_a_feature_follows_that_feature(tiny_data: Dataset) -> None:
    by_visits = replace(USUAL, tie_breaks=("feature:visits",))
    before = cached.evaluation(tiny_data, by_visits).summary.xs("constant", level=1)["feature:visits"].item()
    turned = tiny_data.change(1, lower_is_better=True)
    after = cached.evaluation(turned, by_visits).summary.xs("constant", level=1)["feature:visits"].item()
    assert before != after


@pytest.fixture
def sorted_features(no_cache: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return noted_sorts(monkeypatch)


def test_another_measure_tie_break_name_or_choice_sorts_nothing(tiny_data: Dataset, sorted_features: list[str]) -> None:
    cached.evaluation(tiny_data, USUAL)
    assert sorted(sorted_features) == ["clicks", "constant", "visits"]
    cached.coverage(tiny_data, USUAL)
    for settings in (
        replace(USUAL, measure=measure("nDCG@2")),
        replace(USUAL, measure=measure("AP"), tie_breaks=("docid-desc", "input", "feature:visits")),
        replace(USUAL, options=Options(no_relevant="skip", queries="common")),
    ):
        cached.evaluation(tiny_data, settings)
    renamed = tiny_data.change(0, name="other")
    for data in (renamed, tiny_data.change(1, used=False), tiny_data):
        cached.coverage(data, USUAL)
        cached.evaluation(data, replace(USUAL, measure=measure("RR")))
    assert len(sorted_features) == 3
    cached.evaluation(tiny_data.change(0, lower_is_better=True), USUAL)
    assert sorted_features[3:] == ["clicks"]


def test_tie_groups_take_no_more_than_the_shelf_counts_for_them(
    tiny_data: Dataset, no_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = SHELF.n_bytes
    cache = joined.alignment(tiny_data).cache
    assert 0 < cache.limit <= SHELF.n_bytes - before
    cached.evaluation(tiny_data, USUAL)
    assert 0 < cache.nbytes <= cache.limit
    SHELF.keep_only(())
    monkeypatch.setattr(joined, "DEFAULT_CACHE", 1000)
    assert joined.alignment(tiny_data).cache.limit == 1000


def test_work_that_is_stopped_is_begun_again(tiny_data: Dataset, evaluated: list[tuple[str, ...]]) -> None:
    with pytest.raises(ZeroDivisionError):
        cached.evaluation(tiny_data, USUAL, progress=raising(ZeroDivisionError()))
    assert cached.evaluation(tiny_data, USUAL).features == evaluated[0] == evaluated[1]


def test_values_on_the_shelf_cannot_be_changed_and_the_frame_of_a_study_is_ones_own(tiny_data: Dataset) -> None:
    evaluation = cached.evaluation(tiny_data, USUAL)
    with pytest.raises(ValueError, match="read-only"):
        evaluation.values.array[:] = 0
    view = cached.view(tiny_data, USUAL)
    first = cached.study(view, blame, "clicks")
    first.iloc[:] = 0
    second = cached.study(view, blame, "clicks")
    assert (second.to_numpy() != 0).any()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.setattr(of_shelf, "most_kept", lambda: 100)
    monkeypatch.setattr(of_shelf, "_BYTES_AROUND", 0)
    return Shelf()


def test_the_results_used_last_stay_unless_one_of_their_files_goes(small: Shelf) -> None:
    for number in range(50):
        small.once(number, lambda: np.zeros(4), files="a")
        small.once(0, lambda: np.zeros(4), files="a")
    kept = [number for number in range(50) if small.once(number, lambda: None, files="a") is not None]
    assert kept == [0, 48, 49]
    assert small.once("huge", lambda: "old", files="a", size=lambda _: 1000) == "old"
    assert small.once("huge", lambda: "new", files="a", size=lambda _: 1000) == "old", "however large, the last stays"
    for files in ("a", "ab", "b", ""):
        small.once(files, lambda: "old", files=files, size=lambda _: 10)
    small.keep_only("bc")
    found = {files: small.once(files, lambda: "new", files=files, size=lambda _: 10) for files in ("a", "ab", "b", "")}
    assert found == {"a": "new", "ab": "new", "b": "old", "": "old"}
    assert small.n_bytes == 40


def test_a_result_takes_what_its_arrays_take(tiny_data: Dataset) -> None:
    frame = pd.DataFrame({"a": np.zeros(10)}, index=np.arange(10))
    assert bytes_of({"both": [np.zeros(3), frame], "table": pa.table({"a": pa.array([1, 2])})}) == 24 + 160 + 16
    assert bytes_of(tiny_data.files[0].content) > 100
    assert bytes_of(cached.evaluation(tiny_data, USUAL)) == 0, "an evaluation is kept by itself"


def test_memory_is_let_go_of_when_other_data_are_looked_at(
    no_cache: None, tiny_data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = cached.view(tiny_data, USUAL)
    cached.board(view)
    held = weakref.ref(view.evaluation.values.alignment.sources["clicks"].match.document)
    qrels = tiny_data.files[0]
    other = Dataset().add([replace(file, digest=f"other {file.digest}") for file in tiny_data.files])
    assert other.judgments == f"other {qrels.digest}"
    del view
    gc.collect()
    assert held() is not None
    monkeypatch.setattr(of_shelf, "most_kept", lambda: 0)
    cached.view(other, USUAL)
    gc.collect()
    assert held() is None
