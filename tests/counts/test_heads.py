"""Files with the heads of lists first: a cut-off is evaluated without the rest, and the rest makes them whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import tiecore
from tests.counts.data import EXACT, mixed
from tiecore.counts.aligned import aligned
from tiecore.counts.cells import Cells, Heads
from tiecore.counts.read import as_counts
from tiecore.counts.rows import CountedAlignment
from tiecore.counts.table import METADATA_KEY, Counts
from tiecore.diagnostics import flat_features
from tiecore.evaluation.engine import STATISTICS, counted_values, evaluate_alignment
from tiecore.evaluation.values import Options
from tiecore.measures import measure

MEASURES = ("nDCG@3", "AP", "RR", "P@2", "Bpref")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are written as large ones are."""
    monkeypatch.setattr("tiecore.counts.layout._FEWEST_ROWS", 0)
    monkeypatch.setattr("tiecore.counts.layout._MOST_OF_IT", 1.0)
    monkeypatch.setattr("tiecore.counts.layout.DEPTH", 3)
    monkeypatch.setattr("tiecore.counts.table.GROUP_ROWS", 7)
    monkeypatch.setattr("tiecore.counts.read._PIECE_ROWS", 20)


@cache
def counted(seed: int = 0) -> Counts:
    """Return counts with unjudged documents, and features of whole numbers and of floats."""
    return tiecore.count(*mixed(seed, n_queries=6, n_docs=12), ascending=["whole"])


@cache
def content(seed: int = 0) -> bytes:
    """Return the content of a file with the heads first."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "counts.parquet"
        counted(seed).to_parquet(path)
        return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with the heads first."""
    path = tmp_path / "counts.parquet"
    path.write_bytes(content())
    return path


def opened(path: Any) -> tuple[Counts, Heads]:
    counts = as_counts(path, lists="heads")
    assert counts is not None
    assert isinstance(counts.rows, Heads)
    return counts, counts.rows


def is_read(counts: Counts) -> bool:
    """Whether the rest of a file has been read."""
    assert isinstance(counts.rows, Heads)
    return bool(counts.rows._memo)


def same(left: Any, right: Any) -> None:
    pd.testing.assert_frame_equal(left, right, check_exact=False, **EXACT)


def values(alignment: CountedAlignment, feature: str, *, depth: int | None, **options: Any) -> np.ndarray:
    wanted = [measure("nDCG@2"), measure("AP@2")]
    return counted_values(alignment, feature, wanted, (), Options(**options), STATISTICS, depth=depth)


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_heads_alone_give_the_values_of_a_cut_off(tmp_path: Path, seed: int, depth: int) -> None:
    whole = counted(seed)
    (tmp_path / "counts.parquet").write_bytes(content(seed))
    counts, heads = opened(tmp_path / "counts.parquet")
    assert heads.layout.head_rows < heads.layout.rows == whole.n_rows
    of_heads, of_all = aligned(counts), aligned(whole)
    wanted = [measure(f"{name}@{depth}") for name in ("nDCG", "P", "RR", "AP")]
    for feature in whole.features:
        found = counted_values(of_heads, feature, wanted, (), Options(), STATISTICS, depth=depth)
        np.testing.assert_allclose(found, counted_values(of_all, feature, wanted, (), Options(), STATISTICS), **EXACT)
        assert of_heads.n_scored(feature) == of_all.n_scored(feature)
        assert of_heads.n_ranked([feature]) == of_all.n_ranked([feature])
        assert of_heads.listed(feature).tolist() == of_all.listed(feature).tolist()
    assert of_heads.judged_documents() == of_all.judged_documents()
    assert not is_read(counts)


CHOICES: tuple[dict[str, Any], ...] = (
    {},
    {"only": ["thirds", "whole"], "ascending": ["thirds"]},
    {"queries": "common"},
)


@cache
def in_any_order(seed: int, missing: Any) -> list[tiecore.Evaluation]:
    """Evaluate counts that no file holds, for each of the choices."""
    return [tiecore.evaluate(counted(seed), measures=MEASURES, missing=missing, **options) for options in CHOICES]


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lists", ["heads", "whole"])
@pytest.mark.parametrize("missing", ["unranked", "last"])
def test_heads_and_rest_together_give_what_any_order_gives(tmp_path: Path, seed: int, lists: Any, missing: Any) -> None:
    (tmp_path / "counts.parquet").write_bytes(content(seed))
    read = as_counts(tmp_path / "counts.parquet", lists=lists)
    assert read is not None
    assert isinstance(read.rows, Heads if lists == "heads" else Cells)
    for options, expected in zip(CHOICES, in_any_order(seed, missing), strict=True):
        found = tiecore.evaluate(read, measures=MEASURES, missing=missing, **options)
        same(found.per_query, expected.per_query)
        same(found.coverage, expected.coverage)


def test_what_a_table_tells_of_itself_is_the_same_with_the_heads_first(path: Path) -> None:
    counts, _ = opened(path)
    whole = counted()
    names = ("features", "ascending", "left_out", "judgments", "joint", "n_rows", "n_judged", "n_documents")
    for name in names:
        assert getattr(counts, name) == getattr(whole, name)
    assert counts.judged_queries().equals(whole.judged_queries())
    assert not is_read(counts)
    assert counts.to_arrow().equals(whole.to_arrow())
    assert is_read(counts)
    assert (counts + counts).n_documents == 2 * whole.n_documents


@pytest.mark.untraced
def test_a_reader_that_knows_nothing_of_heads_reads_the_same_table(path: Path) -> None:
    plain = Counts.of(parquet.read_table(path).replace_schema_metadata(None))
    names = sorted(plain.features)
    same(
        tiecore.evaluate(plain, measures=MEASURES, only=names, ascending=["whole"]).per_query,
        tiecore.evaluate(path, measures=MEASURES, only=names).per_query,
    )


@pytest.mark.parametrize(
    ("depth", "options", "ascending"),
    [
        (None, {}, ["whole"]),
        (4, {}, ["whole"]),
        (2, {"missing": "last"}, ["whole"]),
        (2, {"precision": "decimals:0"}, ["whole"]),
        (2, {}, ["whole", "fine"]),
    ],
    ids=["whole lists", "a deeper cut-off", "missing documents", "another precision", "another direction"],
)
def test_whatever_heads_do_not_show_is_found_in_whole_lists(
    path: Path, depth: int | None, options: dict[str, Any], ascending: list[str]
) -> None:
    counts, _ = opened(path)
    of_heads, of_all = (aligned(one, ascending=ascending) for one in (counts, counted()))
    found, expected = (values(one, "fine", depth=depth, **options) for one in (of_heads, of_all))
    np.testing.assert_allclose(found, expected, **EXACT)
    assert is_read(counts)


def test_a_bytes_object_and_a_folder_of_one_file_may_have_the_heads_first(path: Path) -> None:
    for source in (path.read_bytes(), path.parent):
        counts, _ = opened(source)
        same(tiecore.evaluate(counts).summary, tiecore.evaluate(counted()).summary)


@pytest.mark.untraced
def test_several_files_with_heads_are_read_whole(path: Path) -> None:
    other = tiecore.count(*mixed(1, n_queries=4), ascending=["whole"])
    other.to_parquet(path.parent / "other.parquet")
    counts = as_counts(path.parent, lists="heads")
    assert counts is not None
    assert not isinstance(counts.rows, Heads)
    same(tiecore.evaluate(counts).summary, tiecore.evaluate(Counts.of(counts.to_arrow())).summary)


def test_which_features_are_constant_is_known_from_the_heads(path: Path) -> None:
    counts, _ = opened(path)
    alignment = aligned(counts, only=["fine", "coarse"])
    assert alignment.is_surely_uneven("fine")
    found = evaluate_alignment(alignment, ["nDCG@3"])
    assert is_read(counts)  # by the evaluation of whole lists
    assert flat_features(found) == ()
    assert flat_features(evaluate_alignment(aligned(counts), ["nDCG@3"])) == ("flat",)
    one = tiecore.count({"q": {"a": 1, "b": 0}}, {"even": {"q": {"a": 1, "b": 1}}, "odd": {"q": {"a": 1, "b": 2}}})
    one.to_parquet(path)
    short = aligned(opened(path)[0])
    assert [short.is_surely_uneven(name) for name in short.features] == [False, True]
    assert not aligned(one).is_surely_uneven("odd")


def test_a_feature_that_scores_nothing_has_no_heads(tmp_path: Path) -> None:
    scored = tiecore.count(*mixed())
    counts = Counts(scored.table, (*scored.features, "nothing"))
    counts.to_parquet(tmp_path / "counts.parquet")
    found, _ = opened(tmp_path / "counts.parquet")
    alignment = aligned(found)
    assert alignment.n_scored("nothing") == (0, 0)
    assert alignment.n_ranked(["nothing"]) == 0
    assert not values(alignment, "nothing", depth=2).any()
    same(tiecore.evaluate(found).summary, tiecore.evaluate(counts).summary)


# --- what is not written with the heads first -------------------------------------------------------------------------


def shuffled(rows: pa.Table) -> pa.Table:
    return rows.take(np.random.default_rng(0).permutation(len(rows)))


NOT_IN_ORDER: dict[str, Callable[[pa.Table], pa.Table]] = {
    "in any order": shuffled,
    "features that take turns": lambda rows: rows.sort_by("query_id"),
    "judgments last": lambda rows: pa.concat_tables(
        [rows.filter(rows["feature"].is_valid()), rows.filter(rows["feature"].is_null())]
    ),
    "queries that are judged in two places": lambda rows: pa.concat_tables(
        [rows.slice(1, 1), rows.slice(5, 1), rows.slice(0, 1), rows.slice(2, 3), rows.slice(6)]
    ),
    "the worst first": lambda rows: rows.take(
        pc.sort_indices(
            rows.append_column("place", pa.array(np.arange(len(rows)))).append_column(
                "name", pc.fill_null(rows["feature"], "")
            ),
            sort_keys=[("name", "ascending"), ("query_id", "ascending"), ("place", "descending")],
        )
    ),
}


@pytest.mark.parametrize("what", NOT_IN_ORDER)
def test_rows_in_another_order_are_written_as_they_stand(tmp_path: Path, what: str) -> None:
    rows = NOT_IN_ORDER[what](tiecore.count(*mixed()).to_arrow())
    Counts.of(rows).to_parquet(tmp_path / "counts.parquet")
    written = parquet.read_table(tmp_path / "counts.parquet")
    assert "heads" not in json.loads(written.schema.metadata[METADATA_KEY])
    assert written.equals(rows)


def test_a_query_that_is_not_judged_is_written_where_it_stands(tmp_path: Path) -> None:
    rows = tiecore.count(*mixed()).to_arrow()
    unknown = rows.slice(len(rows) - 1)
    unknown = unknown.set_column(1, "query_id", pa.array(["unknown"]))
    Counts.of(pa.concat_tables([rows, unknown])).to_parquet(tmp_path / "counts.parquet")
    written = parquet.read_table(tmp_path / "counts.parquet")
    assert "heads" not in json.loads(written.schema.metadata[METADATA_KEY])


@pytest.mark.parametrize(("name", "value"), [("_FEWEST_ROWS", 1 << 20), ("_MOST_OF_IT", 0.1)])
def test_where_little_is_won_rows_stay_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    monkeypatch.setattr(f"tiecore.counts.layout.{name}", value)
    counted().to_parquet(tmp_path / "counts.parquet")
    assert parquet.read_table(tmp_path / "counts.parquet").equals(counted().to_arrow())


def test_lists_that_have_nothing_behind_their_heads_may_be_written_so_too(path: Path) -> None:
    rows = counted().to_arrow()
    about = json.loads(parquet.read_schema(path).metadata[METADATA_KEY])
    about["heads"] |= {"depth": 50, "head_rows": len(rows)}
    parquet.write_table(rows.replace_schema_metadata({METADATA_KEY: json.dumps(about)}), path)
    counts, _ = opened(path)
    alignment = aligned(counts)
    assert alignment.is_surely_uneven("fine")
    assert not alignment.is_surely_uneven("flat")
    same(tiecore.evaluate(counts).summary, tiecore.evaluate(counted()).summary)


def test_features_counted_together_and_tables_of_judgments_have_no_heads(tmp_path: Path) -> None:
    qrels, features = mixed()
    joint = tiecore.count(qrels, features, joint=["coarse", "fine"])
    empty = Counts(joint.table.filter(joint.table["feature"].is_null()), ("clicks",))
    for counts in (joint, empty, Counts(pa.Table.from_pylist(empty.table.to_pylist(), empty.table.schema), ("one",))):
        counts.to_parquet(tmp_path / "counts.parquet")
        found = parquet.read_schema(tmp_path / "counts.parquet").metadata[METADATA_KEY]
        assert "heads" not in json.loads(found)


# --- files that are not what they say ---------------------------------------------------------------------------------


def rewritten(path: Path, change: Callable[[pa.Table], pa.Table], **layout: Any) -> None:
    """Write a file anew with the same metadata but for its layout, one group of rows for the heads and one behind."""
    table = parquet.read_table(path)
    about = json.loads(table.schema.metadata[METADATA_KEY])
    first = about["heads"]["head_rows"]
    about["heads"] |= layout
    table = change(table).replace_schema_metadata({METADATA_KEY: json.dumps(about)})
    with parquet.ParquetWriter(path, table.schema) as file:
        for part in (table.slice(0, first), table.slice(first)):
            file.write_table(part)


def exchanged(rows: pa.Table, one: int, other: int) -> pa.Table:
    places = np.arange(len(rows))
    places[[one, other]] = other, one
    return rows.take(places)


def of_first_query(rows: pa.Table, name: str) -> list[int]:
    wanted = pc.and_(pc.equal(rows["feature"], name), pc.equal(rows["query_id"], rows["query_id"][0]))
    return [int(place) for place in np.flatnonzero(pc.fill_null(wanted, False).to_numpy())]


def one_of_the_rest_in_front(rows: pa.Table) -> pa.Table:
    places = of_first_query(rows, "fine")
    return exchanged(rows, places[0], places[-1])


def best_of_the_rest(rows: pa.Table) -> int:
    """Find the first row of a query behind its head."""
    about = json.loads(rows.schema.metadata[METADATA_KEY])
    return next(place for place in of_first_query(rows, "fine") if place >= about["heads"]["head_rows"])


def with_n(rows: pa.Table, place: int, more: int) -> pa.Table:
    n = rows["n"].to_pylist()
    n[place] += more
    return rows.set_column(rows.schema.get_field_index("n"), "n", pa.array(n, pa.int64()))


def with_score(rows: pa.Table, place: int, of: int) -> pa.Table:
    scores = rows["score_double"].to_pylist()
    scores[place] = scores[of]
    return rows.set_column(rows.schema.get_field_index("score_double"), "score_double", pa.array(scores))


def other_kind(rows: pa.Table) -> pa.Table:
    """A feature has floats in its heads and whole numbers behind them."""
    first = json.loads(rows.schema.metadata[METADATA_KEY])["heads"]["head_rows"]
    is_moved = np.flatnonzero(pc.fill_null(pc.equal(rows["feature"], "sure"), False).to_numpy())
    is_moved = is_moved[is_moved >= first]
    whole, real = rows["score_int"].to_pylist(), rows["score_double"].to_pylist()
    for place in is_moved.tolist():
        whole[place], real[place] = 0, None
    return rows.set_column(2, "score_int", pa.array(whole, pa.int64())).set_column(3, "score_double", pa.array(real))


LIES: dict[str, tuple[Callable[[pa.Table], pa.Table], dict[str, Any]]] = {
    "the depth is less": (lambda rows: rows, {"depth": 30}),
    "the best document is not in the head": (one_of_the_rest_in_front, {}),
    "a tie group is divided": (
        lambda rows: with_score(
            rows,
            best_of_the_rest(rows),
            of_first_query(rows, "fine")[of_first_query(rows, "fine").index(best_of_the_rest(rows)) - 1],
        ),
        {},
    ),
    "judged rows at the end": (lambda rows: pa.concat_tables([rows.slice(0, len(rows) - 1), rows.slice(0, 1)]), {}),
    "a query that is not judged": (
        lambda rows: rows.set_column(1, "query_id", pa.array([*rows["query_id"].to_pylist()[:-1], "unknown"])),
        {},
    ),
    "scores of another kind": (other_kind, {}),
    "a feature without a head": (
        lambda rows: rows.set_column(0, "feature", pa.array([*rows["feature"].to_pylist()[:-1], "new"])),
        {},
    ),
    "fewer rows of a feature": (
        lambda rows: pa.concat_tables(
            [rows.slice(0, best_of_the_rest(rows)), rows.slice(best_of_the_rest(rows) + 1), rows.slice(len(rows) - 1)]
        ),
        {},
    ),
    "a document more": (lambda rows: with_n(rows, len(rows) - 1, 1), {}),
}


@pytest.mark.parametrize("what", LIES)
def test_heads_that_are_not_what_the_metadata_say_are_refused(path: Path, what: str) -> None:
    change, layout = LIES[what]
    rewritten(path, change, **layout)
    counts, heads = opened(path)
    with pytest.raises(tiecore.TiecoreError, match="which is not so: write it again"):
        _ = heads.whole
    with pytest.raises(tiecore.TiecoreError, match="which is not so: write it again"):
        as_counts(path)
    assert not is_read(counts)


IGNORED: dict[str, tuple[Callable[[pa.Table], pa.Table], dict[str, Any]]] = {
    "rows were left out": (lambda rows: rows.slice(0, len(rows) - 3), {}),
    "rows were sorted": (
        lambda rows: rows.sort_by([("feature", "descending"), ("query_id", "ascending"), ("score_int", "descending")]),
        {},
    ),
    "heads end inside a group of rows": (lambda rows: rows, {"head_rows": 11}),
    "there are no heads": (lambda rows: rows, {"head_rows": 0}),
    "other features": (lambda rows: rows, {"features": {"fine": [1, 1, 1]}}),
}


@pytest.mark.parametrize("what", IGNORED)
def test_a_layout_that_cannot_be_that_of_the_file_is_ignored(path: Path, what: str) -> None:
    change, layout = IGNORED[what]
    rewritten(path, change, **layout)
    counts = as_counts(path, lists="heads")
    assert counts is not None
    assert not isinstance(counts.rows, Heads)
    same(
        tiecore.evaluate(counts).summary,
        tiecore.evaluate(Counts.of(parquet.read_table(path)), only=counts.features).summary,
    )


@pytest.mark.parametrize(
    "layout",
    [{"depth": -1}, {"depth": 0}, {"depth": "3"}, {"features": {"fine": [1, 1]}}, {"features": 3}, {"rows": None}],
)
def test_a_layout_that_cannot_be_read_is_refused(path: Path, layout: dict[str, Any]) -> None:
    rewritten(path, lambda rows: rows, **layout)
    with pytest.raises(tiecore.TiecoreError, match="cannot be read: write it again"):
        as_counts(path)


def test_a_layout_that_lacks_a_member_is_refused(path: Path) -> None:
    table = parquet.read_table(path)
    about = json.loads(table.schema.metadata[METADATA_KEY])
    del about["heads"]["rows"]
    parquet.write_table(table.replace_schema_metadata({METADATA_KEY: json.dumps(about)}), path)
    with pytest.raises(tiecore.TiecoreError, match="cannot be read: write it again"):
        as_counts(path)


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_bytes(b"PAR1"), Path.touch])
def test_a_file_that_has_changed_since_it_was_opened_is_opened_again(path: Path, change: Callable[[Path], Any]) -> None:
    _, heads = opened(path)
    change(path)
    with pytest.raises(tiecore.TiecoreError, match="has changed since it was opened; open it again"):
        _ = heads.whole
