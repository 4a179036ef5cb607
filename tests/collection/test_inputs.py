"""Laws of what may be handed over: in whatever form the same numbers come, the same values come out."""

import errno
import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tiecore
from tests.batches import run_lines
from tests.cli.running import raising
from tiecore.formats import as_feature, read
from tiecore.formats.memory import from_table

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
CLICKS = {"1": {"a": 3, "b": 3, "c": 1}, "2": {"a": 1, "d": 1}}
PAGES = {"1": {"a": 1.5, "b": 2.5, "c": 2.5}, "2": {"a": 0.0, "d": -1.0}}
ROWS = [(query, doc) for query, docs in QRELS.items() for doc in docs]


def wide(*, label: bool = False) -> pd.DataFrame:
    columns: dict[str, Any] = {"query_id": [query for query, _ in ROWS], "doc_id": [doc for _, doc in ROWS]}
    if label:
        columns["relevance"] = [QRELS[query][doc] for query, doc in ROWS]
    columns["clicks"] = [CLICKS[query][doc] for query, doc in ROWS]
    columns["pages"] = [PAGES[query][doc] for query, doc in ROWS]
    return pd.DataFrame(columns)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {d} {QRELS[q][d]}\n" for q, d in ROWS))
    (tmp_path / "one.run").write_text(run_lines(CLICKS, "clicks"))
    (tmp_path / "two.run").write_text(run_lines(PAGES, "pages"))
    (tmp_path / "table.csv").write_text(wide().to_csv(index=False))
    (tmp_path / "labelled.csv").write_text(wide(label=True).to_csv(index=False))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    return tmp_path


def summary(qrels: Any, features: Any = None, **options: Any) -> pd.DataFrame:
    return tiecore.evaluate(qrels, features, ["AP", "nDCG"], ["docid-asc", "input"], **options).summary


def test_every_form_of_input_gives_the_same_values(folder: Path) -> None:
    known = summary(QRELS, {"clicks": CLICKS, "pages": PAGES})
    labelled = folder / "labelled.csv"
    forms: list[tuple[Any, Any]] = [
        (folder / "qrels.txt", [folder / "one.run", folder / "two.run"]),
        (str(folder / "qrels.json"), (folder / name for name in ("one.run", "two.run"))),
        (QRELS, folder / "table.csv"),
        (QRELS, wide()),
        (QRELS, [wide()]),
        (QRELS, {"clicks": folder / "one.run", "pages": PAGES}),
        (labelled, None),
        (labelled, labelled),
        (str(labelled), [Path(labelled)]),
        (wide(label=True), None),
        (read(labelled), [read(folder / "one.run"), read(folder / "two.run")]),
        ((folder / "qrels.txt").read_bytes(), (folder / "table.csv").read_bytes()),
        (io.BytesIO((folder / "qrels.txt").read_bytes()), io.StringIO((folder / "table.csv").read_text())),
    ]
    for qrels, features in forms:
        pd.testing.assert_frame_equal(summary(qrels, features), known)


REFUSED: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "two of one name": (QRELS, ["table.csv", "more.csv"], {}, r"'clicks' \(.*table.csv and .*more.csv\)"),
    "several under one name": (QRELS, {"links": "table.csv"}, {}, r"table.csv: holds 2 features.*'links'"),
    "nothing by name": (QRELS, {}, {}, "no features"),
    "nothing in a row": (QRELS, [], {}, "no features"),
    "judgments alone": ("qrels.txt", None, {}, r"qrels.txt: it holds judgments only; give a file of scores"),
    "a run as judgments": ("one.run", "table.csv", {}, "looks like a run"),
    "features as judgments": (wide(), {"pages": PAGES}, {}, "no grades"),
    "judgments without queries": ({"a": 1}, {"pages": PAGES}, {}, "no mapping"),
    "scores without a name": (QRELS, PAGES, {}, r"no mapping; several features are \{name: \{query"),
    "ascending": (QRELS, wide(), {"ascending": ["links"]}, r"ascending names 'links'.*'clicks', 'pages'"),
    "only": (QRELS, wide(), {"only": ["links"]}, r"no feature is named 'links'; there are 'clicks', 'pages'"),
    "only nothing": (QRELS, wide(), {"only": []}, "names no feature"),
    "one of two": (QRELS, [wide(), wide()], {"only": ["clicks"]}, "two features are named 'clicks'"),
    **{
        f"called {name}": (QRELS, {name: PAGES}, {}, "names of features must be text, found")
        for name in (None, 1, float("nan"), ("a", "b"))
    },
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_told_apart_or_found_is_refused_by_name(folder: Path, case: str) -> None:
    (folder / "more.csv").write_text(wide().to_csv(index=False))

    def placed(given: Any) -> Any:
        if isinstance(given, str):
            return folder / given
        if isinstance(given, list):
            return [placed(one) for one in given]
        return {name: placed(one) for name, one in given.items()} if isinstance(given, dict) else given

    qrels, features, options, problem = REFUSED[case]
    with pytest.raises(tiecore.TiecoreError, match=problem):
        summary(placed(qrels), placed(features), **options)


def test_a_file_that_may_not_be_opened_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "open", raising(PermissionError(errno.EACCES, "Permission denied")))
    with pytest.raises(tiecore.FormatError, match=r"qrels.txt: cannot be read: permission denied"):
        summary(folder / "qrels.txt")


def test_files_are_read_into_frames(folder: Path) -> None:
    qrels = tiecore.read_qrels(folder / "qrels.txt")
    assert list(qrels.columns) == ["query_id", "doc_id", "relevance"]
    assert qrels["relevance"].tolist() == [QRELS[q][d] for q, d in ROWS]
    features = tiecore.read_features(folder / "table.csv")
    assert list(features.columns) == ["query_id", "doc_id", "clicks", "pages"]
    pd.testing.assert_frame_equal(summary(qrels, features), summary(QRELS, wide()))
    with pytest.raises(tiecore.FormatError, match="looks like"):
        tiecore.read_qrels(folder / "one.run")
    judged = tiecore.read_features(folder / "qrels.txt")
    assert judged["qrels"].tolist() == qrels["relevance"].tolist()


def test_an_empty_cell_of_a_wide_frame_is_a_document_not_scored_text_is_no_feature_and_whole_numbers_are_ids() -> None:
    frame = wide().astype({"clicks": "Int64"})
    frame.loc[1, "clicks"] = pd.NA
    frame["url"] = "text is no feature"
    found = tiecore.evaluate(QRELS, frame, ["AP"])
    assert found.coverage["documents"].tolist() == [4, 5]
    assert found.features == ("clicks", "pages")
    frame = wide().assign(query_id=[1, 1, 1, 2, 2])
    pd.testing.assert_frame_equal(summary(QRELS, frame), summary(QRELS, wide()))
    records = from_table(wide().assign(title="x", mixed=[1, "y", 2, 3, 4]), source="frame")
    assert records.ignored == ("title", "mixed")


def test_a_query_without_judged_documents_is_no_judged_query(folder: Path) -> None:
    (folder / "empty.json").write_text(json.dumps({**QRELS, "3": {}}))
    known = summary(QRELS, {"pages": PAGES})
    for judgments in ({**QRELS, "3": {}}, folder / "empty.json"):
        pd.testing.assert_frame_equal(summary(judgments, {"pages": PAGES}), known)


JUDGED_BY_MODEL = "1 0 a 1\n1 0 b 3\n1 0 c 0\n2 0 a 2\n2 0 d 2\n"


def test_grades_and_judgments_given_as_a_feature_are_one_named_by_their_file(folder: Path) -> None:
    judge = folder / "gpt.judge.txt"
    judge.write_text(JUDGED_BY_MODEL)
    grades = {"1": {"a": 1, "b": 3, "c": 0}, "2": {"a": 2, "d": 2}}
    known = summary(QRELS, {"gpt.judge": grades})
    for features in (judge, [judge], {"gpt.judge": judge}):
        pd.testing.assert_frame_equal(summary(folder / "qrels.txt", features), known)
    assert tiecore.read_features(judge)["gpt.judge"].tolist() == [1, 3, 0, 2, 2]
    qrels = folder / "qrels.txt"
    found = tiecore.evaluate(qrels, [qrels, folder / "one.run"], ["nDCG"])
    assert found.features == ("qrels", "clicks")
    assert found.summary.loc[("nDCG", "qrels"), "expected"] == 1
    with pytest.raises(tiecore.FormatError, match="judgments only"):
        tiecore.evaluate(qrels, None, ["nDCG"])
    judged = as_feature(read(JUDGED_BY_MODEL.encode()))
    assert judged.features["<bytes>"].tolist() == [1, 3, 0, 2, 2]
    assert as_feature(judged) is judged
    table = read(wide(label=True).to_csv(index=False).encode())
    assert as_feature(table) is table
    assert list(read(b"qid,docid,label\n1,a,1\n", kind="run").features) == ["<bytes>"]
    scores = pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "score": [1]})
    assert list(from_table(scores, source="features").features) == ["score"]
    assert list(from_table(scores, source="x/gpt.jsonl", kind="table").features) == ["gpt"]


def test_runs_that_share_a_tag_are_named_by_their_files_and_these_by_their_folders(folder: Path) -> None:
    for place in ("x", "y", "z/x"):
        (folder / place).mkdir(parents=True)
        (folder / place / "judge.txt").write_text(JUDGED_BY_MODEL)
    (folder / "y" / "clicks.run").write_text(run_lines(CLICKS, "clicks"))
    (folder / "clicks.run").write_text(run_lines(CLICKS, "clicks"))
    places = [folder / place / "judge.txt" for place in ("x", "y")]
    assert tiecore.evaluate(QRELS, places, ["AP"]).features == ("x/judge", "y/judge")
    alike = [*places, folder / "z" / "x" / "judge.txt"]
    *_, last = tiecore.evaluate(QRELS, alike, ["AP"]).features
    assert last.endswith("z/x/judge")
    runs = [folder / "y" / "clicks.run", folder / "clicks.run"]
    assert tiecore.evaluate(QRELS, runs, ["AP"]).features == ("y/clicks", f"{folder.name}/clicks")
    with pytest.raises(tiecore.AlignmentError, match="two features are named"):
        tiecore.evaluate(QRELS, [places[0], places[0]], ["AP"])
    (folder / "two.run").write_text(run_lines(PAGES, "clicks"))
    (folder / "three.run").write_text(run_lines(PAGES, "other"))
    found = summary(QRELS, [folder / name for name in ("one.run", "two.run", "three.run")])
    assert list(found.xs("AP").index) == ["one", "two", "other"]


def test_a_rank_column_of_a_frame_is_no_feature_but_breaks_ties() -> None:
    frame = wide().assign(rank=[2, 1, 3, 2, 1])
    found = tiecore.evaluate(QRELS, frame, ["RR"], ["rank"])
    assert found.features == ("clicks", "pages")
    # clicks ties a (grade 1) with b (grade 0), and a (grade 0) with d (grade 1); the ranks prefer b and d
    assert found.summary.loc[("RR", "clicks"), "rank"] == (1 / 2 + 1) / 2
    for ranks in ([2.5, 1.0, 3.0, 2.0, 1.0], pd.array([2, None, 3, 2, 1], "Int64")):
        with pytest.raises(tiecore.TiecoreError, match="has no rank column"):
            tiecore.evaluate(QRELS, frame.assign(rank=ranks), ["RR"], ["rank"])


def test_only_some_features_take_part_in_the_order_in_which_they_are_named_with_their_common_queries() -> None:
    whole, some = summary(QRELS, wide()), summary(QRELS, wide(), only=["pages", "clicks", "pages"])
    assert list(some.index.unique("feature")) == ["pages", "clicks"]
    pd.testing.assert_frame_equal(some.sort_index(), whole.sort_index())
    assert list(summary(QRELS, wide(), only="pages").index.unique("feature")) == ["pages"]
    scores = pd.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["a", "d"], "f": [1.0, 2.0], "g": [1.0, None]})
    judged = {"q1": {"a": 1}, "q2": {"d": 1}}
    for only, n_common in ((None, 1), (["f"], 2)):
        found = tiecore.evaluate(judged, scores, ["P@1"], queries="common", only=only)
        assert found.values.counted.sum() == n_common
