"""What features share is computed once: ideal rankings, and blocks of queries."""

from dataclasses import replace

import numpy as np

from tiecore.collection.align import Alignment, align
from tiecore.collection.inputs import load
from tiecore.collection.stack import ideal_of_copies

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "d": 0}}


def some() -> Alignment:
    return align(*load(QRELS, {"x": {"q1": {"a": 2, "b": 1}, "q2": {"d": 1}}}))


def test_other_names_keep_what_is_known_without_names() -> None:
    aligned = some()
    judged, bounds = aligned.judged_between(0, 2), aligned.block_bounds()
    list(aligned.rows("x").blocks())
    known = aligned.nameless()
    assert any(value is judged for value in known.values())
    named = replace(aligned, sources={"y": aligned.sources["x"]}, _memo=known)
    assert named.judged_between(0, 2) is judged
    assert named.block_bounds() is bounds
    assert named.features == ("y",)
    assert all(value is not aligned.rows("x") for value in known.values())


def test_ideal_rankings_follow_each_other_as_often_as_features_do() -> None:
    aligned = some()
    once = aligned.judged_between(0, 2)
    assert ideal_of_copies(aligned, (0, 2), 1) is once
    thrice = ideal_of_copies(aligned, (0, 2), 3)
    assert thrice.n_queries == 3 * once.n_queries
    np.testing.assert_array_equal(thrice.size, np.tile(once.size, 3))
    assert ideal_of_copies(aligned, (0, 2), 3) is thrice
