"""The sample is what its two READMEs say, read here without tiecore's own readers."""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, groupby
from pathlib import Path
from statistics import fmean

import pyarrow.parquet as pq
import pytest

from sample_data import build
from tests import oracle

SAMPLE = Path(build.__file__).parent
TINY = SAMPLE / "tiny"
TINY_MEASURES = {"P@3": ("P", 3), "AP": ("AP", None), "RR": ("RR", None), "nDCG@3": ("nDCG", 3)}

Qrels = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
Ordered = Callable[[Sequence[str]], list[str]]


# --- plain readers ----------------------------------------------------------------------------------------------------


def text_of(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def read_qrels(path: Path) -> Qrels:
    qrels: Qrels = {}
    for line in text_of(path).splitlines():
        query, zero, doc, grade = line.split(" ")
        assert zero == "0"
        assert doc not in qrels.setdefault(query, {})
        qrels[query][doc] = int(grade)
    return qrels


def read_run(path: Path, feature: str) -> Scores:
    scores: Scores = {}
    for line in text_of(path).splitlines():
        query, q0, doc, rank, score, tag = line.split(" ")
        of_query = scores.setdefault(query, {})
        assert (q0, tag, int(rank)) == ("Q0", feature, len(of_query) + 1)
        of_query[doc] = float(score)
    return scores


def read_table(rows: Sequence[dict[str, str]]) -> dict[str, Scores]:
    features: dict[str, Scores] = {}
    for row in rows:
        for column, number in row.items():
            if column not in {"query_id", "doc_id"}:
                of_query = features.setdefault(column, {}).setdefault(row["query_id"], {})
                assert row["doc_id"] not in of_query
                of_query[row["doc_id"]] = float(number)
    return features


def read_delimited(path: Path, delimiter: str) -> dict[str, Scores]:
    return read_table(list(csv.DictReader(text_of(path).splitlines(), delimiter=delimiter)))


def read_features(folder: Path) -> dict[str, Scores]:
    return {
        "indegree": read_run(folder / "indegree.run", "indegree"),
        "bm25": read_run(folder / "bm25.run.gz", "bm25"),
        **read_delimited(folder / "clicks.csv", ","),
        **read_delimited(folder / "outdegree.tsv.gz", "\t"),
        **read_table(pq.read_table(folder / "pages.parquet").to_pylist()),
        "title_match": json.loads(text_of(folder / "title_match.json")),
    }


def markdown_tables(path: Path) -> list[list[list[str]]]:
    """Return the cells of every table, without the rule under its head."""
    blocks = groupby(path.read_text(encoding="utf-8").splitlines(), key=lambda line: line.startswith("|"))
    tables = [
        [[cell.strip() for cell in line[1:-1].split("|")] for line in lines] for is_row, lines in blocks if is_row
    ]
    return [[head, *rows] for head, _, *rows in tables]


def table_headed(path: Path, first_cell: str) -> list[dict[str, str]]:
    """Return the rows of the one table whose head begins with this cell."""
    (table,) = (table for table in markdown_tables(path) if table[0][0] == first_cell)
    return [dict(zip(table[0], row, strict=True)) for row in table[1:]]


# --- one query under one tie-break ------------------------------------------------------------------------------------


def broken(scores: dict[str, float], ties: Ordered) -> list[str]:
    """Order documents by score; each tie is put in order by the function given."""
    levels = sorted(set(scores.values()), reverse=True)
    return [doc for level in levels for doc in ties([doc for doc, score in scores.items() if score == level])]


TIE_BREAKS: dict[str, Ordered] = {
    "docid-desc": lambda tied: sorted(tied, reverse=True),
    "docid-asc": sorted,
    "input": list,
}


def value(family: str, ranking: Sequence[str], grades: dict[str, int], *, cutoff: int | None) -> float:
    parameters = {} if cutoff is None else {"cutoff": cutoff}
    return oracle.value(family, [grades.get(doc) for doc in ranking], unretrieved(ranking, grades), **parameters)


def unretrieved(ranking: Sequence[str], grades: dict[str, int]) -> list[int]:
    return [grade for doc, grade in grades.items() if doc not in ranking]


# --- the sample -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def qrels() -> Qrels:
    return read_qrels(SAMPLE / "qrels.txt")


@pytest.fixture(scope="module")
def features() -> dict[str, Scores]:
    return read_features(SAMPLE)


def test_the_folder_is_small_and_what_its_readme_says(qrels: Qrels, features: dict[str, Scores]) -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    heads = ("file", "derived file")
    named = {row[head].strip("`") for head in heads for row in table_headed(SAMPLE / "README.md", head)}
    assert {path.name for path in SAMPLE.iterdir() if path.is_file()} == named | {"README.md", "build.py"}
    counted = f"{len(qrels)} queries, {sum(map(len, qrels.values()))} judged documents"
    assert counted in (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert 40 <= len(qrels) <= 60
    assert all(len(grades) >= 50 and max(grades.values()) >= 1 for grades in qrels.values())
    judged = {query: set(grades) for query, grades in qrels.items()}
    for feature, scores in features.items():
        assert {query: set(docs) for query, docs in scores.items()} == judged, feature


def test_the_readme_tells_each_feature_and_how_tied_it_is(features: dict[str, Scores]) -> None:
    told = {row["feature"]: row["documents tied"] for row in table_headed(SAMPLE / "README.md", "feature")}
    assert told == {feature: f"{tied_share(scores):.0%}".replace("%", " %") for feature, scores in features.items()}


def tied_share(scores: Scores) -> float:
    sizes = [size for docs in scores.values() for size in Counter(docs.values()).values()]
    return sum(size for size in sizes if size > 1) / sum(sizes)


def test_runs_stand_in_order_of_score_then_document_and_clicks_in_that_of_bm25(features: dict[str, Scores]) -> None:
    for feature in ("indegree", "bm25"):
        for scores in features[feature].values():
            assert list(scores) == broken(scores, sorted)
    for query, scores in features["bm25"].items():
        assert list(features["query_url_clicks"][query]) == list(scores)


def concordance(rankings: dict[str, list[str]], qrels: Qrels) -> float:
    """Return the share of pairs of different grade, within a query, in which the better document stands first."""
    pairs = [
        grades[first] > grades[second]
        for query, grades in qrels.items()
        for first, second in combinations(rankings[query], 2)
        if grades[first] != grades[second]
    ]
    return fmean(pairs)


def test_only_the_order_of_the_clicks_tells_about_relevance(qrels: Qrels, features: dict[str, Scores]) -> None:
    assert concordance({query: sorted(grades) for query, grades in qrels.items()}, qrels) == pytest.approx(
        0.5, abs=0.02
    )
    assert concordance({query: list(grades) for query, grades in qrels.items()}, qrels) == pytest.approx(0.5, abs=0.02)
    in_file = {query: list(scores) for query, scores in features["query_url_clicks"].items()}
    assert concordance(in_file, qrels) > 0.6


def test_the_figures_of_the_readme_are_those_of_the_files(qrels: Qrels, features: dict[str, Scores]) -> None:
    rows = table_headed(SAMPLE / "README.md", "nDCG@10 of")
    assert len(rows) == 3
    for row in rows:
        feature, *told = row.values()
        assert told == [f"{mean:.4f}" for mean in ndcg_columns(qrels, features[feature])], feature


def ndcg_columns(qrels: Qrels, scores: Scores) -> list[float]:
    """Return the mean nDCG@10: expected, worst, best, then under the named tie-breaks."""
    rows = []
    for query, grades in qrels.items():
        orders: list[Ordered] = [partial(sorted, key=grades.get), partial(sorted, key=grades.get, reverse=True)]
        rankings = [broken(scores[query], order) for order in (*orders, *TIE_BREAKS.values())]
        values = [value("nDCG", ranking, grades, cutoff=10) for ranking in rankings]
        rows.append([expected_ndcg(scores[query], grades), *values])
    return [fmean(column) for column in zip(*rows, strict=True)]


def expected_ndcg(scores: dict[str, float], grades: dict[str, int]) -> float:
    worth = mean_of_ties(scores, grades)
    dcg = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(worth[:10], start=1))
    return dcg / oracle.dcg_at(sorted(grades.values(), reverse=True), (), cutoff=10)


def mean_of_ties(scores: dict[str, float], worth: dict[str, int]) -> list[float]:
    """Return what stands at each rank on average: for sums over ranks, as good as listing all orders."""
    levels = sorted(scores.values(), reverse=True)
    return [fmean(worth[doc] for doc, score in scores.items() if score == level) for level in levels]


def test_the_readme_tells_which_direction_reads_better(qrels: Qrels, features: dict[str, Scores]) -> None:
    for row in table_headed(SAMPLE / "README.md", "expected P@10 of"):
        feature, *told = row.values()
        assert told == [f"{expected_precision(qrels, features[feature], sign=sign):.4f}" for sign in (1, -1)], feature


def expected_precision(qrels: Qrels, scores: Scores, *, sign: int) -> float:
    return fmean(
        sum(
            mean_of_ties(
                {doc: sign * score for doc, score in scores[query].items()},
                {doc: int(grade > 0) for doc, grade in grades.items()},
            )[:10]
        )
        / 10
        for query, grades in qrels.items()
    )


# --- the three queries worked by hand ---------------------------------------------------------------------------------


def tiny_features() -> dict[str, Scores]:
    return {"visits": read_run(TINY / "visits.run", "visits"), **read_delimited(TINY / "stars.csv", ",")}


@pytest.mark.parametrize("query", ["q1", "q2", "q3"])
@pytest.mark.parametrize("feature", ["visits", "stars"])
@pytest.mark.parametrize("measure", TINY_MEASURES)
def test_numbers_worked_by_hand_are_those_of_enumeration(feature: str, query: str, measure: str) -> None:
    scores, grades = tiny_features()[feature][query], read_qrels(TINY / "qrels.txt")[query]
    family, cutoff = TINY_MEASURES[measure]
    groups = oracle.tie_groups(list(scores.values()), [grades.get(doc) for doc in scores])
    parameters = {} if cutoff is None else {"cutoff": cutoff}
    moments = oracle.enumerated(family, groups, unretrieved(list(scores), grades), **parameters)
    wanted = {"expected": moments.expected, "worst": moments.worst, "best": moments.best}
    wanted |= {name: value(family, broken(scores, order), grades, cutoff=cutoff) for name, order in TIE_BREAKS.items()}
    assert worked(f"{feature} {query}")[measure] == pytest.approx(wanted, rel=0, abs=5e-7)


@pytest.mark.parametrize("feature", ["visits", "stars"])
@pytest.mark.parametrize("measure", TINY_MEASURES)
def test_means_worked_by_hand_are_those_of_the_three_queries(feature: str, measure: str) -> None:
    rows = [worked(f"{feature} {query}")[measure] for query in ("q1", "q2", "q3")]
    mean = {column: fmean(row[column] for row in rows) for column in rows[0]}
    assert worked(f"{feature} mean")[measure] == pytest.approx(mean, rel=0, abs=1e-6)


def worked(head: str) -> dict[str, dict[str, float]]:
    """Return measure -> column -> value from one table of the tiny README."""
    rows = table_headed(TINY / "README.md", head)
    return {row.pop(head): {column: float(Fraction(cell)) for column, cell in row.items()} for row in rows}


# --- the script -------------------------------------------------------------------------------------------------------


def write_source(path: Path) -> None:
    """Write a small source: two parts, each with a query cut short at its end, one too short, one without relevance."""
    lengths = {7: 55, 12: 20, 30: 60, 31: 70, 2: 50, 40: 58}  # 31 and 40 end a part
    with path.open("w", encoding="utf-8", newline="") as lines:
        table = csv.writer(lines)
        table.writerow(["qid", "docid", "label", *build.SOURCE_COLUMN.values()])
        for query, length in lengths.items():
            for line in range(1, length + 1):
                label = 0 if query == 30 else line % 3
                numbers = [str(line * (7 + place) % 5) for place in range(len(build.SOURCE_COLUMN))]
                table.writerow([query, f"{query}-{line:05}", label, *numbers])


def test_building_keeps_every_number_of_whole_queries_and_gives_the_same_bytes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, there = tmp_path / "source.csv", tmp_path / "there"
    write_source(source)
    there.mkdir()
    build.build(source, there)
    grades, features = read_qrels(there / "qrels.txt"), read_features(there)
    assert list(grades) == ["7", "2"], "the others are cut, short, or without relevance"
    for row in csv.DictReader(text_of(source).splitlines()):
        query, doc = row["qid"], build.neutral_id(row["qid"], row["docid"])
        if query in grades:
            assert grades[query][doc] == int(row["label"])
            for feature, column in build.SOURCE_COLUMN.items():
                assert features[feature][query][doc] == float(row[column])
    first = {path.name: path.read_bytes() for path in there.iterdir()}
    monkeypatch.setattr("sys.argv", ["build.py", str(source), "--into", str(there)])
    build.main()
    assert {path.name: path.read_bytes() for path in there.iterdir()} == first


def test_document_ids_are_made_as_the_readme_says(tmp_path: Path) -> None:
    # sha256("7-00001"), by coreutils
    assert build.neutral_id("7", "7-00001") == "7-c6615842"
