"""The sample is what its two READMEs say."""

import csv
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tiecore
from sample_data import build
from tests.cli.running import SAMPLE, TINY

FILES = ("indegree.run", "bm25.run.gz", "clicks.csv", "outdegree.tsv.gz", "pages.parquet", "title_match.json")
TIE_BREAKS = ["docid-desc", "docid-asc", "input"]
DOCUMENT = ["query_id", "doc_id"]


def whole_table(folder: Path) -> pd.DataFrame:
    """Return every judged document with its grade and its scores; every file scores each once, and no other."""
    table = tiecore.read_qrels(folder / "qrels.txt")
    for name in FILES:
        scores = tiecore.read_features(folder / name)
        assert len(scores) == len(table)
        table = table.merge(scores, on=DOCUMENT, how="left", validate="one_to_one")
    assert table.notna().all(axis=None)
    return table


def table_headed(path: Path, first_cell: str) -> list[dict[str, str]]:
    """Return the rows of the one table whose head begins with this cell."""
    parts = groupby(path.read_text(encoding="utf-8").splitlines(), key=lambda line: line.startswith("|"))
    tables = [[[cell.strip() for cell in line[1:-1].split("|")] for line in lines] for is_row, lines in parts if is_row]
    (table,) = (table for table in tables if table[0][0] == first_cell)
    return [dict(zip(table[0], row, strict=True)) for row in table[2:]]


@pytest.fixture(scope="module")
def sample() -> pd.DataFrame:
    return whole_table(SAMPLE)


def evaluated(measure: str, *, ascending: Sequence[str] = ()) -> pd.DataFrame:
    features = [SAMPLE / name for name in FILES]
    found = tiecore.evaluate(SAMPLE / "qrels.txt", features, [measure], TIE_BREAKS, ascending=ascending)
    return found.summary.loc[[measure]].droplevel("measure")


def test_the_folder_is_small_and_what_its_readme_says(sample: pd.DataFrame) -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    heads = ("file", "derived file")
    named = {row[head].strip("`") for head in heads for row in table_headed(SAMPLE / "README.md", head)}
    assert {path.name for path in SAMPLE.iterdir() if path.is_file()} == named | {"README.md", "build.py"}
    grades = sample.groupby("query_id")["relevance"]
    counted = f"{len(grades)} queries, {len(sample)} judged documents"
    assert counted in (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert 40 <= len(grades) <= 60
    assert (grades.size() >= 50).all()
    assert (grades.max() >= 1).all()


def test_the_readme_tells_each_feature_and_how_tied_it_is(sample: pd.DataFrame) -> None:
    told = {row["feature"]: row["documents tied"] for row in table_headed(SAMPLE / "README.md", "feature")}
    features = sample.columns.drop([*DOCUMENT, "relevance"])
    tied = {feature: sample.duplicated(["query_id", feature], keep=False).mean() for feature in features}
    assert told == {feature: f"{share:.0%}".replace("%", " %") for feature, share in tied.items()}


def test_runs_stand_in_order_of_score_then_document_and_clicks_in_that_of_bm25() -> None:
    runs = {name: tiecore.read_features(SAMPLE / name) for name in ("indegree.run", "bm25.run.gz")}
    for name, run in runs.items():
        for _, own in run.groupby("query_id"):
            ordered = own.sort_values([name.split(".")[0], "doc_id"], ascending=[False, True])
            pd.testing.assert_frame_equal(ordered, own)
        found = tiecore.evaluate(SAMPLE / "qrels.txt", SAMPLE / name, ["AP"], ["rank", "input"]).summary
        assert (found["rank"] == found["input"]).all()
    clicks = tiecore.read_features(SAMPLE / "clicks.csv")
    pd.testing.assert_frame_equal(clicks[DOCUMENT], runs["bm25.run.gz"][DOCUMENT])


def concordance(ordered: pd.DataFrame) -> float:
    signs = []
    for _, grades in ordered.groupby("query_id")["relevance"]:
        difference = np.sign(np.subtract.outer(grades.to_numpy(), grades.to_numpy()))
        signs.append(difference[np.triu_indices(len(grades), 1)])
    apart = np.concatenate(signs)
    return float((apart[apart != 0] > 0).mean())


def test_only_the_order_of_the_clicks_tells_about_relevance(sample: pd.DataFrame) -> None:
    for neutral in (sample, sample.sort_values("doc_id")):
        assert concordance(neutral) == pytest.approx(0.5, abs=0.02)
    assert concordance(tiecore.read_features(SAMPLE / "clicks.csv").merge(sample, on=DOCUMENT)) > 0.6


def test_the_figures_of_the_readme_are_those_of_the_files_in_either_direction() -> None:
    found = evaluated("nDCG@10")[["expected", "worst", "best", *TIE_BREAKS]]
    rows = table_headed(SAMPLE / "README.md", "nDCG@10 of")
    assert len(rows) == 3
    for row in rows:
        feature, *told = row.values()
        assert told == [f"{mean:.4f}" for mean in found.xs(feature)], feature
    rows = table_headed(SAMPLE / "README.md", "expected P@10 of")
    higher, lower = evaluated("P@10"), evaluated("P@10", ascending=[row["expected P@10 of"] for row in rows])
    for row in rows:
        feature, *told = row.values()
        assert told == [f"{found['expected'][feature]:.4f}" for found in (higher, lower)], feature


@pytest.mark.parametrize("feature", ["visits", "stars"])
@pytest.mark.parametrize("measure", ["P@3", "AP", "RR", "nDCG@3"])
def test_numbers_worked_by_hand_are_those_of_tiecore(feature: str, measure: str) -> None:
    files = [TINY / "visits.run", TINY / "stars.csv"]
    found = tiecore.evaluate(TINY / "qrels.txt", files, [measure], TIE_BREAKS)
    by_query, mean = found.per_query.xs((measure, feature)), found.summary.xs((measure, feature))
    assert list(by_query.index) == ["q1", "q2", "q3"]
    for name, row in [*by_query.iterrows(), ("mean", mean)]:
        head = f"{feature} {name}"
        (worked,) = (line for line in table_headed(TINY / "README.md", head) if line[head] == measure)
        for column in ("expected", "worst", "best", *TIE_BREAKS):
            assert float(Fraction(worked[column])) == pytest.approx(row[column], rel=0, abs=1e-6)


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


def test_building_keeps_whole_queries_and_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, there = tmp_path / "source.csv", tmp_path / "there"
    write_source(source)
    there.mkdir()
    build.build(source, there)
    found = whole_table(there)
    assert list(found["query_id"].unique()) == ["7", "2"], "the others are cut, short, or without relevance"
    known = pd.read_csv(source, dtype={"qid": str}).rename(columns={"qid": "query_id", "label": "relevance"})
    known = known.rename(columns={column: feature for feature, column in build.SOURCE_COLUMN.items()})
    known = known[known["query_id"].isin(["7", "2"])]
    known["doc_id"] = [build.neutral_id(q, doc) for q, doc in zip(known["query_id"], known.pop("docid"), strict=True)]
    known, found = (table.set_index(DOCUMENT).sort_index() for table in (known, found))
    pd.testing.assert_frame_equal(found, known[found.columns], check_dtype=False, check_index_type=False)
    first = {path.name: path.read_bytes() for path in there.iterdir()}
    monkeypatch.setattr("sys.argv", ["build.py", str(source), "--into", str(there)])
    build.main()
    assert {path.name: path.read_bytes() for path in there.iterdir()} == first


def test_document_ids_are_made_as_the_readme_says(tmp_path: Path) -> None:
    # sha256("7-00001"), by coreutils
    assert build.neutral_id("7", "7-00001") == "7-c6615842"
