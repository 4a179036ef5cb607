"""Values from elsewhere are compared as the same values of an evaluation are, whatever form they come in."""

from __future__ import annotations

import gzip
import io
import re
from collections import namedtuple
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

import tiecore
from tests.pages import SAMPLE
from tiecore import plot
from tiecore.board import Board
from tiecore.board.duel import duel_of_values
from tiecore.comparing.values import BadCellError, matrix_of, values_in
from tiecore.stability import COLUMNS, Stability
from tiecore.stability.paired import holm
from tiecore.stability.sentences import pair_sentence

COMPARED = ["n_queries", "difference", "low", "high", "p", "holm", "sensitivity"]
Metric = namedtuple("Metric", "query_id measure value")


@pytest.fixture(scope="module")
def sample() -> tiecore.Evaluation:
    files = [SAMPLE / name for name in ("bm25.run.gz", "clicks.csv", "indegree.run", "title_match.json")]
    return tiecore.evaluate(SAMPLE / "qrels.txt", files, ["nDCG@10", "ESL", "DCG@10", "GMAP", "Success@5"])


def values_of(evaluation: tiecore.Evaluation, measure: str) -> pd.DataFrame:
    """Items x systems."""
    table = evaluation.per_query["expected"].xs(measure, level="measure").unstack("feature")
    return table.sample(frac=1, axis=1, random_state=3)


def same(found: Stability, known: Stability) -> None:
    order = ["leader", "trailer"]
    pairs, expected = (study.pairs.sort_values(order, ignore_index=True) for study in (found, known))
    pd.testing.assert_frame_equal(pairs[[*order, "verdict"]], expected[[*order, "verdict"]])
    np.testing.assert_allclose(pairs[COMPARED], expected[COMPARED], rtol=0, atol=1e-12)
    pd.testing.assert_frame_equal(found.ranks, known.ranks)
    np.testing.assert_allclose(found.values["expected"], known.values["expected"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.intervals, known.intervals, rtol=0, atol=1e-12)
    assert found.sensitivity == pytest.approx(known.sensitivity, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "how"),
    [
        *((measure, {}) for measure in ("nDCG@10", "ESL", "DCG@10", "GMAP", "Success@5")),
        ("nDCG@10", {"baseline": "bm25", "margin": 0.02}),
    ],
)
def test_values_compare_as_those_of_an_evaluation_do(
    sample: tiecore.Evaluation, measure: str, how: dict[str, Any]
) -> None:
    same(tiecore.compare(values_of(sample, measure), measure, **how), sample.stability(measure, **how))


def test_what_is_not_known_of_ties_is_not_said(sample: tiecore.Evaluation) -> None:
    study = tiecore.compare(values_of(sample, "nDCG@10"), "nDCG@10")
    assert study.tie_orders is None
    assert study.pairs[["p_beats", "tie_risk"]].isna().all(axis=None)
    assert study.places[["first", "best_place", "worst_place"]].isna().all(axis=None)
    assert set(study.pairs["ties"]) == {""}
    assert set(study.pairs["note"]) == {""}
    assert study.agreement.empty
    assert str(study).startswith("No clear winner: bm25 is ahead of title_match by 0.0388 in nDCG@10")
    board = Board.of_stability(study)
    words = f"{study} {board} {study.notes} {study._repr_html_()}"
    assert "not known what the order of tied documents" in words
    assert not any(claim in words for claim in ("tie-break", "No tie", "too many"))
    assert board.rows[["worst", "best", "sd", "tie_risk"]].isna().all(axis=None)


# --- the forms --------------------------------------------------------------------------------------------------------

MATRIX = pd.DataFrame(
    {"bm25": [0.5, 0.25, 0.75, 1, 0, 0.5, 0.25], "dense": [0.75, 0.5, 0.75, 1, np.nan, 1, 0.5], "odd": [0.5] * 7},
    index=pd.Index([f"q{n}" for n in range(7)], name="query_id"),
)
SYSTEMS = ["bm25", "dense", "odd"]
LONG = MATRIX.reset_index().melt("query_id", var_name="system", value_name="value").dropna()
MEASURED = pd.concat([LONG.assign(measure="RR"), LONG.assign(measure="nDCG@10", value=LONG["value"] / 2)])
PARQUET, PARQUET_LONG = io.BytesIO(), io.BytesIO()
MATRIX.reset_index().to_parquet(PARQUET, compression=None)
MEASURED.to_parquet(PARQUET_LONG)


def printed(system: str, line: str = "{measure}\t{query_id}\t{value}\n", end: str = "RR\tall\t.5\n") -> bytes:
    rows = MEASURED[MEASURED["system"] == system].to_dict("records")
    return ("".join(line.format_map(row) for row in rows) + end.format(system)).encode()


FORMS: dict[str, Any] = {
    "items x systems": MATRIX,
    "rows numbered": MATRIX.reset_index(drop=True),
    "an index without a name": MATRIX.rename_axis(None),
    "systems x items": MATRIX.T.rename_axis("model"),
    "Arrow": pa.Table.from_pandas(MATRIX.reset_index()),
    "long": LONG,
    "long, a part of a frame": LONG.set_axis(range(3, 3 + len(LONG))),
    "long, by index": LONG.set_index(["system", "query_id"]),
    "with measures": MEASURED,
    "pyterrier": MEASURED.rename(columns={"system": "name", "query_id": "qid"}),
    "mappings": {system: MATRIX[system].dropna().to_dict() for system in MATRIX},
    "Series": {system: MATRIX[system] for system in SYSTEMS},
    "pytrec_eval": {s: {q: {"recip_rank": v, "P_5": 0.5} for q, v in MATRIX[s].dropna().items()} for s in MATRIX},
    "ir_measures": {
        system: [
            Metric(
                row["query_id"], {"RR": ir_measures.RR, "nDCG@10": ir_measures.nDCG @ 10}[row["measure"]], row["value"]
            )
            for row in rows
        ]
        for system, rows in MEASURED.groupby("system").apply(lambda g: g.to_dict("records")).items()
    },
    "CSV": MATRIX.to_csv().encode(),
    "CSV by semicolons": MATRIX.to_csv(sep=";", na_rep="n/a").encode(),
    "CSV, numbered rows": MATRIX.reset_index(drop=True).to_csv().encode(),
    "CSV, no names of items": MATRIX.to_csv(index=False).encode(),
    "CSV, a heading of its own": MATRIX.rename_axis("our questions").to_csv().encode(),
    "TSV, gzipped": gzip.compress(LONG.to_csv(sep="\t", index=False).encode()),
    "CSV with rows of commas alone": MATRIX.to_csv().replace("\nq3", "\n, ,,\nq3").encode() + b",,,\n" * 3,
    "CSV with blank lines": b"\n" + MEASURED.to_csv(index=False, lineterminator="\r\n\r\n").encode(),
    "Parquet": PARQUET.getvalue(),
    "Parquet, long": PARQUET_LONG.getvalue(),
    "trec_eval -q": [printed(s, end="runid\tall\t{}\nRR\tall\t0.5\n\n") for s in SYSTEMS],
    "trec_eval -q -m all_trec": [
        printed(s, end="relstring\tq1\t'01-'\nrelstring_9\tq1\t'0'\nrunid\tall\t{}\n") for s in SYSTEMS
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_the_values_changes_nothing(form: str) -> None:
    same(tiecore.compare(FORMS[form], "RR"), tiecore.compare(MATRIX, "RR"))


def test_files_without_a_name_inside_are_named_by_themselves(tmp_path: Path) -> None:
    forms = {"trec": {}, "ir_measures": {"line": "{query_id}\t{measure}\t{value}\n", "end": "all\tRR\t.5\n"}}
    for form, how in forms.items():
        files = [tmp_path / f"{system}.{form}.txt" for system in SYSTEMS]
        for path, system in zip(files, SYSTEMS, strict=True):
            path.write_bytes(printed(system, **how))
        found = tiecore.compare(files, "RR")
        assert sorted(found.ranks.index) == [f"{system}.{form}" for system in SYSTEMS]
        same(tiecore.compare(MATRIX.add_suffix(f".{form}"), "RR"), found)
    tables = [tmp_path / f"{system}.csv" for system in MATRIX]
    for path, system in zip(tables, SYSTEMS, strict=True):
        MATRIX[[system]].dropna().rename(columns={system: "value"}).to_csv(path)
    same(tiecore.compare(tables, "RR"), tiecore.compare(MATRIX, "RR"))
    parquet = tmp_path / "matrix.parquet"
    parquet.write_bytes(PARQUET.getvalue())
    same(tiecore.compare(parquet, "RR"), tiecore.compare(MATRIX, "RR"))


def test_runs_of_one_tag_are_named_by_their_files(tmp_path: Path) -> None:
    files = [tmp_path / f"{system}.txt" for system in SYSTEMS]
    for path, system, tag in zip(files, SYSTEMS, ("Anserini", "Anserini", "odd"), strict=True):
        path.write_bytes(printed(system) + f"runid all {tag}\n".encode())
    same(tiecore.compare(files, "RR"), tiecore.compare(MATRIX, "RR"))
    halves = [tmp_path / name for name in ("one.csv", "two.csv")]  # of the same systems
    for path, part in zip(halves, (MATRIX[:4], MATRIX[4:]), strict=True):
        part.to_csv(path)
    same(tiecore.compare(halves, "RR"), tiecore.compare(MATRIX, "RR"))
    with pytest.raises(tiecore.TiecoreError, match="line 2: 'bm25' has a second value for 'q0'"):
        tiecore.compare([halves[0], halves[0]])


def test_a_table_of_an_evaluation_is_such_a_table(sample: tiecore.Evaluation) -> None:
    same(tiecore.compare(sample.per_query, "DCG@10"), sample.stability("DCG@10"))


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("heading", "tasks"), [("model", "1,2,3"), ("", "1,2,3"), ("", "t1,t2,t3"), ("task", "1,2")])
def test_tasks_or_systems_whose_names_are_numbers_are_told_by_the_first_column(
    heading: str, tasks: str, tmp_path: Path
) -> None:
    names = [f"x{n}" for n in range(8)]
    rows = [f"{name},{','.join(f'0.{n + k}' for k in range(tasks.count(',') + 1))}" for n, name in enumerate(names)]
    (tmp_path / "values.csv").write_text("\n".join([f"{heading},{tasks}", *rows]) + "\n")
    systems = tasks.split(",") if heading == "task" or tasks[0] == "t" else names
    assert sorted(tiecore.compare(tmp_path / "values.csv").places.index) == sorted(systems)


ROWS = "item,a,b\n" + "".join(f"{n},.5,.4\n" for n in range(8))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (ROWS + "8,.5,fine\n", "line 10: in column 'b' the value 'fine' is not a number"),
        ("task,note\nt1,fine\nt2,bad\n", "line 2: in column 'note' .* a column of text out, and name the columns item"),
        (ROWS + '8,.5,"0,4"\n', "line 10: .*write decimals with a point"),
        (ROWS + "8,.5,inf\n", "line 10: .*infinite"),
        (ROWS + "8,.5\n", r"line 10: expected 3 cells \('item', 'a', 'b'\), found 2"),
        (ROWS + "3,.5,.4\n", "line 10: 'a' has a second value for '3'"),
        (ROWS + ",.5,.4\n", "line 10: the item is empty"),
        (ROWS.replace("a,b", "a,a"), "two columns are named 'a'"),
        ("item,a,b\n", "no rows below the header"),
        ("item\nx\n", "no column of values"),
        ("1,.5,.4\n2,.4,.4\n", "line 1: the first line holds data"),
        ("item,a,b\n1,.5,.4\n", "holds the values of one item; add others"),
        ("item,a\n1,.5\n2,.4\n", "holds one system, 'a'; add the values of another"),
        ("item,a,b\n1,.5,\n2,.5,\n", "'b' has no value at all"),
        ("  \n", "nothing but blanks"),
        ('[{"item": 1, "a": 2}]', r"is JSON; expected a table of values \(CSV, TSV, Parquet\)"),
        ('item,a,b\n"1,.5,.4', "cannot be parsed|expected 3 cells"),
        ("map all .5\n", "values of all queries together"),
        ("map 1 .5\nmap 2\n", r"line 2: expected 3 fields \(measure query value\), found 2"),
        ("map 1 .5\nmap 2 x\n", "line 2: the value 'x' is not a number"),
        ("map 1 .5\nRR 1 .5\n", "several measures; choose one of 'map', 'RR'"),
        ("item,a,b\n1," + "9" * 200_000 + ",1\n", "line 2: in column 'a' the value '99.*…' is not a number"),
        (b"PAR1 is not enough", "cannot be read as Parquet"),
        (PARQUET.getvalue().replace(b"q4", b"q\xff"), "cannot be read as Parquet .*UTF8"),
        ("item,a,b\nq1,1,2\nq2,1e300,3\n", r"line 3: in column 'a' the value is infinite or beyond 1e\+100"),
        (b"item,a,b\n1,\xff,2\n", "line 2: byte 0xFF is not UTF-8"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_file_line_and_remedy(
    tmp_path: Path, given: str | bytes, words: str
) -> None:
    path = tmp_path / "values.csv"
    path.write_bytes(given.encode() if isinstance(given, str) else given)
    with pytest.raises(tiecore.TiecoreError, match=words) as caught:
        tiecore.compare(str(path))
    if "line" in words:
        assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("given", "how", "words"),
    [
        (MATRIX.assign(kind="x"), {}, "row 0: in column 'kind' the value 'x' is not a number"),
        (MATRIX.assign(odd=np.inf), {}, "row 0: in column 'odd' the value is infinite"),
        (
            MATRIX.assign(odd=-1e300),
            {},
            r"row 0: in column 'odd' the value is infinite or beyond 1e\+100 and has no mean",
        ),
        (MATRIX.set_axis(["a", "a", "b"], axis=1), {}, "two columns are named 'a'"),
        (MATRIX.set_axis([list("abc"), list("rst")], axis=1), {}, "columns have several levels; stack them into rows"),
        (pd.concat([LONG, LONG[:1]]), {}, "row 20: 'bm25' has a second value for 'q0'"),
        (MATRIX, {"aggregate": "median"}, "expected 'mean' or 'borda'"),
        (MATRIX, {"baseline": "splade"}, "no feature is named 'splade'"),
        (MATRIX, {"margin": -1}, "margin must be a number above 0"),
        (MATRIX, {"margin": 0}, "margin must be a number above 0"),
        (MATRIX, {"margin": np.nan}, "margin must be a number above 0"),
        (MATRIX, {"margin": "0.1"}, "margin must be a number above 0"),
        (MEASURED, {"measure": "AP"}, "no values of 'AP'; there are 'RR', 'nDCG@10'"),
        (MEASURED.replace({"RR": "F-score"}), {"measure": "EM"}, "no values of 'EM'"),
        ({"a": 5}, {}, "values of 'a' are 5: expected {item: value}"),
        ({"a": [5, 6]}, {}, r"values of 'a' are \[5, 6\]: expected {item: value}"),
        ({"a": {"q": "x"}}, {}, "'x' is not a number"),
        ({"a": {}}, {}, "there are no values"),
        ([], {}, "expected a table of values"),
        (5, {}, "expected a table of values"),
    ],
)
def test_nonsense_is_refused(given: Any, how: dict[str, Any], words: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=words):
        tiecore.compare(given, **how)


def test_a_large_parquet_file_is_refused_by_its_metadata() -> None:
    with tiecore.limited(tiecore.Limits(cells=20)), pytest.raises(tiecore.FormatError, match="beyond the limit cells"):
        tiecore.compare(PARQUET.getvalue())


# --- the level, and what items are called --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "how"), [(0.5, {}), (0.975, {"baseline": "bm25"}), (0.99, {"aggregate": "borda"}), (0.99, {})]
)
def test_a_level_is_that_of_intervals_verdicts_groups_and_sets(
    sample: tiecore.Evaluation, level: float, how: dict[str, Any]
) -> None:
    values = values_of(sample, "DCG@10")
    usual, found = (tiecore.compare(values, level=one, **how) for one in (0.95, level))
    pairs, df = found.pairs, found.pairs["n_queries"] - 1
    pd.testing.assert_frame_equal(
        pairs[["leader", "trailer", "p", "holm"]], usual.pairs[["leader", "trailer", "p", "holm"]]
    )
    se = (pairs["high"] - pairs["low"]) / 2 / stats.t.ppf((1 + level) / 2, df)
    known = (usual.pairs["high"] - usual.pairs["low"]) / 2 / stats.t.ppf(0.975, df)
    np.testing.assert_allclose(se, known, rtol=0, atol=1e-12)
    assert (pairs["verdict"] == "clear").tolist() == (pairs["holm"] <= round(1 - level, 9)).tolist()
    least = (stats.t.ppf(1 - (1 - level) / len(pairs) / 2, df) + stats.t.ppf(0.8, df)) * se
    np.testing.assert_allclose(pairs["sensitivity"], least, rtol=0, atol=1e-12)
    ratio = (found.intervals["high"] - found.intervals["low"]) / (usual.intervals["high"] - usual.intervals["low"])
    np.testing.assert_allclose(ratio, stats.t.ppf((1 + level) / 2, 49) / stats.t.ppf(0.975, 49), rtol=0, atol=1e-12)
    every = tiecore.compare(values, level=level, **how | {"baseline": None}).pairs
    clear = every[every["verdict"] == "clear"]
    n_features = len(found.ranks)
    for feature, row in found.ranks.iterrows():
        assert row["low_all"] == 1 + (clear["trailer"] == feature).sum()
        assert row["high_all"] == n_features - (clear["leader"] == feature).sum()
        own = every[(every["leader"] == feature) | (every["trailer"] == feature)]
        lost = own["trailer"][holm(own["p"].to_numpy()) <= round(1 - level, 9)] == feature
        assert (row["low"], row["high"]) == (1 + lost.sum(), n_features - (~lost).sum())
    beaten = set(clear.loc[clear["leader"] == found.ranks.index[0], "trailer"])
    assert set(found.ranks.index[found.ranks["group"] == 1]) == set(found.ranks.index) - beaten
    assert found.queries_for(0.5) != usual.queries_for(0.5)


def test_sentences_explanations_and_figures_say_the_level_and_what_the_items_are(sample: tiecore.Evaluation) -> None:
    values = values_of(sample, "nDCG@10").rename_axis("task_name")
    found = tiecore.compare(values, "nDCG@10", level=0.975, margin=0.5)
    sentences = [pair_sentence(row, found) for _, row in found.pairs.iterrows()]
    figure = found.plot()
    shown = " ".join([str(found), found._repr_html_(), *found.columns.values(), *sentences, figure.note, figure.title])
    assert "97.5 % interval" in str(found)
    assert "over 50 tasks" in str(found)
    assert "97.5 % confidence interval over tasks" in figure.note
    assert "holm is 0.025 or less" in found.columns["verdict"]
    assert not re.search(r"\b95 %|[^.]\b5 %|quer", re.sub("tie_risk is 0.05|n_queries|query_url_clicks", "", shown))
    pair = duel_of_values(matrix_of(values)[1], found, "bm25", "title_match")
    figure = plot.difference(pair)
    assert "97.5 % confidence interval of the mean lead over tasks" in figure.note


def test_the_usual_level_and_words_change_nothing(sample: tiecore.Evaluation) -> None:
    values = values_of(sample, "nDCG@10")
    same(tiecore.compare(values, "nDCG@10", level=0.95), tiecore.compare(values, "nDCG@10"))
    assert {name: text for name, text in sample.stability("nDCG@10").columns.items() if text != COLUMNS[name]} == {}


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, np.nan, "high", True])
def test_a_level_lies_between_0_and_1(level: Any) -> None:
    with pytest.raises(tiecore.TiecoreError, match="level must lie between 0 and 1"):
        tiecore.compare(MATRIX, level=level)


@pytest.mark.parametrize(
    ("form", "unit"),
    [
        (MATRIX, "query"),
        (MATRIX.rename_axis("topic"), "query"),
        (MATRIX.rename_axis("Task_Name"), "task"),
        (MATRIX.rename_axis("instance_id"), "instance"),
        (MATRIX.rename_axis("our questions"), "item"),
        (MATRIX.rename_axis(None), "item"),
        (MATRIX.reset_index(drop=True), "item"),
        (LONG.rename(columns={"query_id": "dataset"}), "dataset"),
        (FORMS["mappings"], "item"),
        (FORMS["pytrec_eval"], "query"),
        (FORMS["ir_measures"], "query"),
        (FORMS["systems x items"], "item"),
        (FORMS["trec_eval -q"], "query"),
    ],
)
def test_items_are_called_what_their_column_is(form: Any, unit: str) -> None:
    assert tiecore.compare(form, "RR").unit == unit


# --- aggregates, scales, gaps -----------------------------------------------------------------------------------------


def test_true_and_false_are_values() -> None:
    solved = MATRIX > 0.4
    for form in (solved, solved.to_csv().encode(), solved.replace({True: "true", False: "false"}).to_csv().encode()):
        same(tiecore.compare(form), tiecore.compare(solved.astype(float)))


def test_systems_that_are_all_equal_share_the_first_place_and_no_more_is_said() -> None:
    found = tiecore.compare(MATRIX[["odd"]].assign(even=0.5))
    assert set(found.pairs["verdict"]) == {"equal"}
    assert str(found) == "No difference: odd and even have the same value on each of 7 queries."
    assert not any("correlation" in note for note in found.notes)


def test_borda_is_the_mean_of_ranks_with_ties_shared() -> None:
    values = pd.DataFrame({"a": [3, 3, 1], "b": [3, 2, 2], "c": [1, 1, np.nan]})
    found = tiecore.compare(values, aggregate="borda")
    assert found.values["expected"].to_dict() == {"a": (1.5 + 1 + 2) / 3, "b": (1.5 + 2 + 1) / 3, "c": 3}
    assert list(found.ranks["place"]) == [1, 1, 3]
    assert found.notes[1].startswith("Ranks from 1")
    assert not found.measure.higher_is_better


def test_an_increasing_map_of_an_item_changes_no_rank() -> None:
    maps = np.array([1, 10, 0.1, 3, 7, 1000, 2])[:, None]
    same(tiecore.compare(MATRIX * maps + 4, aggregate="borda"), tiecore.compare(MATRIX, aggregate="borda"))
    same(
        tiecore.compare(-MATRIX, aggregate="borda", higher_is_better=False), tiecore.compare(MATRIX, aggregate="borda")
    )


@pytest.mark.parametrize(
    ("measure", "factor", "highest"), [("RR", 1, 1), ("RR", 100, None), ("EM", 1, None), (None, 1, None)]
)
def test_only_values_that_a_known_measure_can_have_are_taken_for_its_own(
    measure: str | None, factor: float, highest: float | None
) -> None:
    found = tiecore.compare(MATRIX * factor, measure)
    assert (str(found.measure), found.measure.highest) == (measure or "value", highest)
    with pytest.raises(tiecore.TiecoreError, match="measured elsewhere"):
        tiecore.compare(MATRIX).measure.expected(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["RR", "loss"])
def test_lower_values_can_be_the_better_ones(measure: str) -> None:
    found = tiecore.compare(MATRIX, measure, higher_is_better=False)
    known = tiecore.compare(-MATRIX)
    np.testing.assert_allclose(found.pairs[COMPARED], known.pairs[COMPARED], rtol=0, atol=1e-12)
    pd.testing.assert_frame_equal(found.ranks, known.ranks)
    assert tiecore.compare(MATRIX * 50, "ESL").measure.higher_is_better is False


def test_gaps_leave_means_to_what_is_there_and_pairs_to_what_both_have() -> None:
    found = tiecore.compare(MATRIX)
    assert found.values.loc["dense", "expected"] == pytest.approx(MATRIX["dense"].mean())
    pairs = found.pairs.set_index(["leader", "trailer"])
    assert pairs.loc[("dense", "bm25"), "n_queries"] == 6
    both = MATRIX.dropna()
    assert pairs.loc[("dense", "bm25"), "difference"] == pytest.approx((both["dense"] - both["bm25"]).mean())
    assert "Not every feature lists all" in str(found)
    empty = MATRIX.reindex([*MATRIX.index, "q7"])
    same(tiecore.compare(empty), found)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (SAMPLE / "leaderboard.csv", True),
        (SAMPLE / "bm25.eval", True),
        (SAMPLE / "clicks.csv", False),
        (b"query_id,item,score\n1,7,0.5\n1,8,0.25\n2,7,0.5\n", False),
        (b"item,a,b\n1,0.5,0.25\n", False),
    ],
)
def test_values_are_told_from_scores_of_documents(file: Any, expected: bool) -> None:
    assert (values_in(file) is not None) == expected


BAD = "t1,0.5,0.25\nt2,oops,0.5\nt3,0.5,0.5\n"


@pytest.mark.parametrize("header", ["task,a,b", "query_id,a,b", "our tasks,a,b"])
def test_a_cell_of_text_in_a_table_of_values_is_named(header: str) -> None:
    with pytest.raises(
        BadCellError, match=r"line 3: in column 'a' the value 'oops' is not a number; .*; leave the cell empty"
    ):
        values_in(f"{header}\n{BAD}".encode())


@pytest.mark.parametrize("table", [f"query_id,a,docno\n{BAD}", "query_id,page,score\nq1,p1,1\nq2,p2,oops\nq3,p1,2\n"])
def test_what_may_be_scores_of_documents_is_not_taken_for_a_table_of_values(table: str) -> None:
    assert values_in(table.encode()) is None


def test_a_value_given_twice_is_named_and_many_are_scores_of_documents() -> None:
    with pytest.raises(BadCellError, match="line 14: 'a' has a second value for '3'"):
        values_in(f"{ROWS}8,1,0\n9,1,0\n10,1,0\n11,0,1\n3,.5,.4\n".encode())
    assert values_in((ROWS + ROWS.partition("\n")[2]).encode()) is None
