"""What of a feature the judgments know."""

import tiecore
from tiecore.collection.coverage import coverage_of, matched_of

QRELS = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "d": 1}, "q3": {"e": 1}}
FEATURES = {
    "most": {"q1": {"a": 2.0, "b": 1.0, "x": 0.0}, "q2": {"d": 1.0}, "q9": {"a": 1.0}},
    "one": {"q2": {"a": 1.0}},
}


def test_what_is_matched_is_known_without_sorting() -> None:
    counts = tiecore.count(QRELS, FEATURES)
    for evaluation in (tiecore.evaluate(QRELS, FEATURES, ["P@2"]), tiecore.evaluate(counts, None, ["P@2"])):
        alignment = evaluation.alignment
        for feature in FEATURES:
            matched = matched_of(alignment, feature)
            whole = coverage_of(alignment, feature, precision="float64", missing="unranked", cutoff=2)
            assert matched.items() <= whole.items()
            assert matched["documents"] == whole["judged"] + whole["unjudged"]
        assert matched_of(alignment, "most")["missing"] == 3
        assert matched_of(alignment, "one")["queries_missing"] == 2
