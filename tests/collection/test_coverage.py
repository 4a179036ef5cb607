"""What of a feature the judgments know."""

import io

import pytest

import tiecore
from tiecore.cli.load import coverage_notes
from tiecore.collection.coverage import coverage_of, matched_of

QRELS = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "d": 1}, "q3": {"e": 1}}
FEATURES = {
    "most": {"q1": {"a": 2.0, "b": 1.0, "x": 0.0}, "q2": {"d": 1.0}, "q9": {"a": 1.0}},
    "one": {"q2": {"a": 1.0}},
}


def test_what_is_matched_is_known_without_sorting() -> None:
    counts = tiecore.count(QRELS, FEATURES)
    for evaluation in (tiecore.evaluate(QRELS, FEATURES, ["P@2"]), tiecore.evaluate(counts, None, ["P@2"])):
        alignment = evaluation.values.alignment
        for feature in FEATURES:
            matched = matched_of(alignment, feature)
            whole = coverage_of(alignment, feature, precision="float64", missing="unranked", cutoff=2)
            assert matched.items() <= whole.items()
            assert matched["documents"] == whole["judged"] + whole["unjudged"]
        assert matched_of(alignment, "most")["missing"] == 3
        assert matched_of(alignment, "one")["queries_missing"] == 2


@pytest.mark.parametrize(
    ("empty", "missing", "told"), [(1, "unranked", False), (9, "unranked", True), (9, "last", False)]
)
def test_empty_cells_of_a_feature_are_a_warning_where_its_verdicts_stand(empty: int, missing: str, told: bool) -> None:
    rows = range(100)
    judged = {f"q{row % 10}": {f"d{one}": one % 3 for one in rows if one % 10 == row % 10} for row in rows}
    cells = "".join(f"q{row % 10},d{row},{row},{row if row >= empty else ''}\n" for row in rows)
    table = io.BytesIO(f"query_id,doc_id,claude,gpt\n{cells}q0,unjudged,1,\n".encode())
    found = tiecore.evaluate(judged, table, ["AP"], missing=missing)  # type: ignore[arg-type]
    said = f"'gpt' has no score for {empty} of 100 judged documents; these are not ranked"
    assert (said in " ".join(found.warnings)) == told
    study = found.stability()
    assert (said in study._repr_html_().replace("&#x27;", "'")) == told
    assert (said in " ".join(text.get_text() for text in study.plot().figure.texts).replace("\n", " ")) == told


def test_a_feature_that_lacks_few_scores_is_noted_beside_one_that_lacks_many() -> None:
    judged = {"q": {f"d{row}": row % 2 for row in range(100)}}
    cells = "".join(f"q,d{row},{row or ''},{row if row > 50 else ''}\n" for row in range(100))
    found = tiecore.evaluate(judged, io.BytesIO(f"query_id,doc_id,few,many\n{cells}".encode()), ["AP"])
    assert [text for text in coverage_notes(found) if "without a score" in text] == [
        "'few': 1 of 100 judged documents without a score: they are not ranked"
    ]
