"""To break ties takes no scores: they are read again only where they tell which documents are ranked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tiecore.collection.align import Alignment, align
from tiecore.collection.inputs import load
from tiecore.collection.stack import Stack
from tiecore.ties.tie_breaks import tie_break

TIE_BREAKS = ("docid-desc", "docid-asc", "input", "input-reversed", "random:7", "feature:gaps")
FEATURES = ("whole", "gaps", "wide")


@pytest.fixture
def aligned(tmp_path: Path) -> Alignment:
    generator = np.random.default_rng(5)
    n = 60
    table = pd.DataFrame(
        {
            "query_id": np.sort(generator.integers(0, 4, n)).astype(str),
            "doc_id": [f"d{number}" for number in generator.permutation(n)],
            "label": generator.integers(0, 3, n),
            "whole": generator.integers(0, 3, n),
            "gaps": np.where(generator.random(n) < 0.3, np.nan, generator.integers(0, 2, n)),
            "wide": pd.array(generator.integers(0, 2, n), dtype="Int64"),
        }
    )
    table.loc[3, "wide"] = pd.NA
    path = tmp_path / "table.parquet"
    table.to_parquet(path)
    return align(*load(path, None))


@pytest.mark.untraced
@pytest.mark.parametrize("missing", ["unranked", "last"])
@pytest.mark.parametrize("name", TIE_BREAKS)
def test_rows_without_scores_give_every_tie_break_the_same_key(aligned: Alignment, name: str, missing: str) -> None:
    policy = tie_break(name)
    for feature in FEATURES:
        rows = aligned.rows(feature, missing=missing)
        unread = aligned.unread_rows(feature, missing=missing)
        for one, other in zip(rows.blocks(), unread.blocks(), strict=True):
            np.testing.assert_array_equal(policy.key(other), policy.key(one))
            np.testing.assert_array_equal(other.document, one.document)
            np.testing.assert_array_equal(other.level, one.level)
            groups, order = one.with_order()
            (broken,) = Stack([one]).broken(groups, order, [policy])
            (again,) = Stack([other]).broken(groups, order, [policy])
            np.testing.assert_array_equal(again.cell_level, broken.cell_level)
            np.testing.assert_array_equal(again.first_cell, broken.first_cell)


def test_scores_of_a_feature_that_scores_all_its_documents_are_read_once(aligned: Alignment, read: list[str]) -> None:
    aligned.unread_rows("whole")
    assert read == ["whole"]  # nothing is known of it yet
    aligned.unread_rows("whole")
    assert read == ["whole"]
    aligned.unread_rows("gaps")
    aligned.unread_rows("gaps")
    assert read == ["whole", "gaps", "gaps"]
