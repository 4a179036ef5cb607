"""What Spark computes is what one machine computes from the same rows."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import tiecore
import tiecore.spark
from tests.cli.running import answer
from tests.counts.data import mixed, rows_of, wide
from tiecore.measures import measure
from tiecore.spark import buckets
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.reading import File, read_all
from tiecore_dashboard.results import cached
from tiecore_dashboard.state.sidebar import Settings

CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-9}
MEASURES = ("AP", "nDCG@5", "GMAP", "ESL", "ERR@3")

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'tiecore[spark]'")
pytestmark = [
    pytest.mark.slow,  # a Java machine of its own, which `make test-all` installs
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of pandas 3, which Spark does not fully know yet
        yield


def frame(session: Any, table: Any, *, partitions: int = 2, seed: int | None = None) -> Any:
    shuffled = table if seed is None else table.sample(frac=1.0, random_state=seed)
    return session.createDataFrame(pa.Table.from_pandas(shuffled, preserve_index=False)).repartition(partitions)


def collection(session: Any, **how: Any) -> tuple[Any, Any]:
    qrels, features = mixed()
    return frame(session, qrels, **how), frame(session, wide(features), **how)


def same(left: pd.DataFrame, right: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(left, right, check_exact=False, check_index_type=False, **CLOSE)


@pytest.mark.parametrize("how", [{"partitions": 1}, {"partitions": 7, "seed": 4}])
def test_counts_are_those_of_one_machine(session: Any, how: Any) -> None:
    found = tiecore.spark.count(*collection(session, **how)).toArrow()
    assert rows_of(found) == rows_of(tiecore.count(*mixed()).to_arrow().drop_columns("joint"))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"queries": "common", "no_relevant": "skip", "ascending": ["whole"]},
        {"missing": "last", "precision": "decimals:0", "tie_breaks": ["best"], "statistics": ["expected", "sd"]},
        {"tie_breaks": ["trec_eval", "random:7", "feature:sure"], "only": ["sure", "fine", "whole"]},
        {"tie_breaks": ["docid-asc"], "missing": "last", "queries": "common", "no_relevant": "skip"},
    ],
    ids=str,
)
def test_values_are_those_of_one_machine(session: Any, options: dict[str, Any]) -> None:
    qrels, features = collection(session, partitions=5, seed=1)
    found = tiecore.spark.evaluate(qrels, features, MEASURES, **options)
    direct = tiecore.evaluate(*mixed(), MEASURES, **options)
    assert found.columns == direct.values.columns
    same(found.summary, direct.summary)
    per_query = found.per_query.toArrow().to_pandas().set_index(["measure", "feature", "query_id"])
    same(per_query.loc[direct.per_query.index], direct.per_query)
    collected = found.collect()
    same(collected.summary, direct.summary)
    same(collected.per_query.loc[direct.per_query.index], direct.per_query)


def test_what_is_collected_tells_what_is_real(session: Any) -> None:
    qrels, features = collection(session)
    found = tiecore.spark.evaluate(qrels, features, ["AP"], ["trec_eval"]).collect()
    direct = tiecore.evaluate(*mixed(), ["AP"], ["trec_eval"])
    study, known = found.stability("AP"), direct.stability("AP")
    assert (study.tie_orders, known.tie_orders) == ("independent", "shared")  # counts know no documents to share
    same(study.places.drop(columns="first"), known.places.drop(columns="first"))


def labelled(session: Any, **how: Any) -> tuple[Any, Any, Any]:
    """One table in Spark, and the judgments and features of its rows; some rows and whole queries are not judged."""
    qrels, features = mixed()
    table = wide(features).merge(qrels, how="left", on=["query_id", "doc_id"]).astype({"relevance": "Int64"})
    unknown = table[table["query_id"] == table["query_id"].iloc[0]].assign(query_id="unknown", relevance=pd.NA)
    table = pd.concat([table, unknown], ignore_index=True).astype({"relevance": "Int64"})
    assert table["relevance"].isna().sum() > len(unknown)
    judged = table.dropna(subset="relevance")[["query_id", "doc_id", "relevance"]].astype({"relevance": "int64"})
    return frame(session, table, **how), judged, table.drop(columns="relevance")


@pytest.mark.parametrize("ties", [[], ["trec_eval", "feature:fine"]], ids=["counts", "documents"])
def test_a_labelled_table_is_judgments_and_features_at_once(session: Any, ties: list[str]) -> None:
    table, qrels, features = labelled(session, partitions=5, seed=2)
    direct = tiecore.evaluate(qrels, features, MEASURES, ties)
    found = tiecore.spark.evaluate(table, None, MEASURES, ties)
    same(found.summary, direct.summary)
    same(found.collect().per_query.loc[direct.per_query.index], direct.per_query)
    counts = tiecore.Counts.of(tiecore.spark.count(table).toArrow())
    same(tiecore.evaluate(counts, measures=MEASURES).summary.loc[direct.summary.index], direct.summary.iloc[:, :4])


def test_counting_takes_no_python_and_a_labelled_table_no_join(session: Any) -> None:
    """A join of the table with itself would shuffle all of its documents, twice."""

    def plan(*tables: Any) -> str:
        return str(tiecore.spark.count(*tables, checks="none")._jdf.queryExecution().executedPlan())

    alone, joined = plan(labelled(session)[0]), plan(*collection(session))
    assert "HashAggregate" in alone
    assert "Join" not in alone
    assert "Join" in joined
    for found in (alone, joined):
        assert "Python" not in found
        assert "SortAggregate" not in found


def test_counts_go_from_a_folder_to_one_machine(session: Any, tmp_path: Path) -> None:
    folder = tmp_path / "counts"
    counts = tiecore.spark.count(*collection(session))
    counts.write.parquet(str(folder))
    opened = Dataset().add(read_all([File(folder, "counts", "command line")])[0])
    shown = cached.view(opened, Settings(measure("AP"), tie_breaks=())).leaderboard["expected"]
    told = tiecore.evaluate(*mixed(), ["AP"]).leaderboard("AP")["expected"]
    pd.testing.assert_series_equal(shown.sort_index(), told.sort_index(), check_index_type=False, **CLOSE)
    direct = tiecore.evaluate(*mixed(), MEASURES)
    same(tiecore.evaluate(folder, measures=MEASURES).summary.loc[direct.summary.index], direct.summary)
    again = tiecore.spark.evaluate(session.read.parquet(str(folder)), measures=MEASURES, buckets=1)
    same(again.summary.loc[direct.summary.index], direct.summary)


def test_queries_in_one_input_only_and_scores_that_are_null(session: Any) -> None:
    qrels = pd.DataFrame({"query_id": ["q", "q", "judged"], "doc_id": ["a", "b", "a"], "relevance": [1, 0, 1]})
    scores = pd.DataFrame({"query_id": ["q", "q", "scored"], "doc_id": ["a", "b", "a"], "f": [1.0, None, 2.0]})
    scores["g"] = [1, 1, 1]
    for ties in ([], ["docid-desc"]):
        found = tiecore.spark.evaluate(frame(session, qrels), frame(session, scores, partitions=9), ["RR"], ties)
        assert found.summary["expected"].tolist() == [0.5, 0.375]
        assert found.per_query.count() == 4


def failing_at_first(make: Any) -> Any:
    """Wrap what makes the work on a bucket: its first attempt fails in every task, as where a machine is lost."""

    def made(*arguments: Any) -> Any:
        values = make(*arguments)

        def work(bucket: pa.Table) -> pa.Table:
            from pyspark import TaskContext

            context = TaskContext.get()
            if context is not None and context.attemptNumber() == 0:
                raise RuntimeError("lost")
            return values(bucket)

        return work

    return made


@pytest.mark.parametrize("ties", [[], ["trec_eval", "random:3"]], ids=["counts", "documents"])
def test_a_retried_task_gives_the_same_bits(session: Any, monkeypatch: pytest.MonkeyPatch, ties: list[str]) -> None:
    def per_query(seed: int) -> pd.DataFrame:
        found = tiecore.spark.evaluate(*collection(session, partitions=5, seed=seed), MEASURES, ties)
        return found.per_query.toArrow().to_pandas().set_index(["measure", "feature", "query_id"]).sort_index()

    undisturbed = per_query(1)
    for name in ("_of_counts", "_of_documents"):
        monkeypatch.setattr(buckets, name, failing_at_first(getattr(buckets, name)))
    pd.testing.assert_frame_equal(per_query(2), undisturbed, check_exact=True)


def test_only_sums_come_to_the_driver(session: Any) -> None:
    """The summary is added up by the engine: a row for each measure and feature, however many queries there are."""
    found = tiecore.spark.evaluate(*collection(session), MEASURES)
    grouped = found.sums()
    assert grouped.count() == len(MEASURES) * len(found.plan.features)
    plan = grouped._jdf.queryExecution().toString()
    # summed up in the stage of the workers, before anything is shuffled, and once more behind that
    assert plan.count("partial_sum") > 0


def test_features_counted_together_break_ties_by_counts(session: Any, tmp_path: Path) -> None:
    together = ["coarse", "fine", "whole"]
    chosen: dict[str, Any] = {"tie_breaks": ["feature:fine", "feature:whole"], "only": together}
    counts = tiecore.spark.count(*collection(session), joint=together)
    direct = tiecore.evaluate(*mixed(), MEASURES, **chosen)
    same(tiecore.spark.evaluate(counts, None, MEASURES, **chosen).summary, direct.summary)
    counts.write.parquet(str(tmp_path / "counts"))
    same(tiecore.evaluate(tmp_path / "counts", None, MEASURES, **chosen).summary, direct.summary)
    with pytest.raises(tiecore.TiecoreError, match="count them with the option joint"):
        tiecore.spark.evaluate(counts, None, MEASURES, ["feature:fine"])
    with pytest.raises(tiecore.TiecoreError, match="alone"):
        tiecore.spark.count(*collection(session), joint=["fine"])


def test_a_feature_none_of_whose_documents_is_judged_is_refused(session: Any) -> None:
    qrels = session.createDataFrame(pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1, 0]}))
    rows = {"query_id": ["q", "q"], "doc_id": ["a", "x"], "met": [1, 2], "alien": [None, 3], "empty": [1, 1]}
    given = pa.table(rows).set_column(4, "empty", pa.nulls(2, pa.int64()))
    features = session.createDataFrame(given)
    with pytest.raises(tiecore.AlignmentError, match="no document that 'alien' scores is judged"):
        tiecore.spark.evaluate(qrels, features)
    good = tiecore.spark.evaluate(qrels, features.drop("alien"), ["RR"])
    assert good.summary["expected"].tolist() == [0.5, 0.0]
    counts = tiecore.spark.count(qrels, features, checks="none")
    with pytest.raises(tiecore.AlignmentError, match="no document that 'alien' scores is judged"):
        tiecore.spark.evaluate(counts)


def test_a_thousand_features_are_counted_at_once(session: Any) -> None:
    table = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1, 0]})
    table = pd.concat([table, pd.DataFrame({f"f.{n}`": [n % 3, n % 2] for n in range(1_000)})], axis=1)
    counts = tiecore.Counts.of(tiecore.spark.count(frame(session, table)).toArrow())
    assert counts.n_documents == 2_000
    direct = tiecore.evaluate(table, measures=["RR"])
    same(tiecore.evaluate(counts, measures=["RR"]).summary.loc[direct.summary.index], direct.summary)


def test_the_walk_of_the_docs_from_a_log_to_a_laptop(session: Any, tmp_path: Path) -> None:
    qrels, features = mixed()
    labelled = wide(features).merge(qrels, on=["query_id", "doc_id"])
    labelled.to_parquet(tmp_path / "log.parquet")
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    code = page.split("```text\n")[1].split("```")[0]
    code = code.replace("hdfs:///logs/2026-11", f"{tmp_path}/log.parquet")
    exec(code.replace('"counts")', f'"{tmp_path}/counts")'), {"session": session, "tiecore": tiecore})
    command = page.split("```text\n")[2].splitlines()[0]
    assert command.startswith("tiecore evaluate counts -m nDCG@10")
    found = answer("evaluate", tmp_path / "counts", "-m", "nDCG@10", "-f", "csv")
    for name in features:
        assert name in found
    direct = tiecore.evaluate(labelled, measures=["nDCG@10"]).summary
    same(tiecore.evaluate(tmp_path / "counts", measures=["nDCG@10"]).summary.loc[direct.index], direct)


GOOD = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1, 0], "f": [1.5, 2.5], "g": [1, 2]}

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"doc_id": ["a", "a"]}, "'a' of query 'q' is listed twice"),
    ({"doc_id": ["a", None]}, "an id is null"),
    ({"doc_id": [None, None]}, "an id is null"),
    ({"f": [float("nan"), 1.0]}, "'f' is NaN in 1 rows"),
    ({"f": ["a", "b"], "g": ["c", "d"]}, "no numeric column"),
    ({"doc_id": None}, "no document column"),
]


@pytest.mark.parametrize(("changed", "problem"), [*WRONG, ({"query_id": ["x", "x"]}, "no query in common")])
def test_what_is_wrong_with_the_features_is_said(session: Any, changed: dict[str, Any], problem: str) -> None:
    given = {name: column for name, column in (GOOD | changed).items() if column is not None and name != "relevance"}
    features = session.createDataFrame(pa.table(given))
    qrels = session.createDataFrame(pa.table({name: GOOD[name] for name in ("query_id", "doc_id", "relevance")}))
    with pytest.raises(tiecore.TiecoreError, match=problem):
        tiecore.spark.count(qrels, features)


@pytest.mark.parametrize(("changed", "problem"), [*WRONG, ({"relevance": pa.nulls(2, pa.int64())}, "no judgments")])
def test_what_is_wrong_with_a_labelled_table_is_said(session: Any, changed: dict[str, Any], problem: str) -> None:
    given = {name: column for name, column in (GOOD | changed).items() if column is not None}
    with pytest.raises(tiecore.TiecoreError, match=problem):
        tiecore.spark.count(session.createDataFrame(pa.table(given)))


def test_judgments_that_cannot_be_used_are_refused(session: Any) -> None:
    good = session.createDataFrame(pa.table(GOOD))
    twice = session.createDataFrame(pa.table(GOOD | {"doc_id": ["a", "a"]}))
    with pytest.raises(tiecore.TiecoreError, match=r"qrels: .* listed twice"):
        tiecore.spark.evaluate(twice, good)
    with pytest.raises(tiecore.TiecoreError, match="need a column relevance"):
        tiecore.spark.count(good.drop("relevance"), good)
    with pytest.raises(tiecore.TiecoreError, match="no judgments"):
        tiecore.spark.count(good.where("relevance > 5"), good.drop("relevance"))
    assert tiecore.spark.count(twice, good, checks="none").count() > 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"tie_breaks": ["input"]}, "no order"),
        ({"tie_breaks": ["feature:z"]}, "no such feature"),
        ({"only": ["z"]}, "no feature is named 'z'"),
        ({"only": []}, "names no feature"),
        ({"ascending": ["z"]}, "no feature is named 'z'"),
        ({"statistics": ["median"]}, "unknown statistic"),
        ({"buckets": 0}, "1 or more"),
    ],
)
def test_options_that_make_no_sense_are_refused(session: Any, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=problem):
        tiecore.spark.evaluate(session.createDataFrame(pa.table(GOOD)), **options)


def test_counts_have_no_documents_here_either(session: Any) -> None:
    counts = tiecore.spark.count(session.createDataFrame(pa.table(GOOD)))
    with pytest.raises(tiecore.TiecoreError, match="holds none"):
        tiecore.spark.evaluate(counts, tie_breaks=["docid-asc"])
    with pytest.raises(tiecore.TiecoreError, match="no feature"):
        tiecore.spark.evaluate(counts.where("feature is null"))


def test_nothing_that_counts_has_no_mean(session: Any) -> None:
    table = pd.DataFrame(GOOD).assign(relevance=0)
    with pytest.raises(tiecore.TiecoreError, match="nothing to average"):
        _ = tiecore.spark.evaluate(frame(session, table), no_relevant="skip").summary
