"""Every column of every table is explained, and the sample data show what they are said to show."""

from typing import Any

import pandas as pd
import pytest

from tests.diagnostics.data import diagnostics, evaluated
from tiecore.diagnostics import COLUMNS, column_meaning


def tables(evaluation: Any) -> dict[str, Any]:
    return {
        "anatomy": diagnostics.anatomy(evaluation, cutoffs=[5, 10]),
        "random_baseline": diagnostics.random_baseline(evaluation),
        "curves": diagnostics.curves(evaluation, "AP"),
        "crossings": diagnostics.crossings(diagnostics.curves(evaluation, "AP")["place"].unstack()),
        "bias": diagnostics.bias(evaluation),
        "pooled_bias": diagnostics.pooled_bias(evaluation),
        "blame": diagnostics.blame(evaluation, "fine", "AP"),
        "leads": diagnostics.leads(evaluation, "fine", "coarse", "AP"),
        "culprits": diagnostics.culprits(evaluation, "fine", "AP", query_id="q0"),
        "listing": diagnostics.listing(evaluation, "fine", "AP", query_id="q0"),
        "draws": diagnostics.draws(evaluation, "fine", "AP", query_id="q0"),
        "hidden_ties": diagnostics.hidden_ties(evaluation),
        "precision_curve": diagnostics.precision_curve(evaluation, "fine", "AP"),
        "precision_board": diagnostics.precision_board(evaluation, "AP", precision="int8"),
        "advice": diagnostics.advice(evaluation, measure="AP"),
        "chain": diagnostics.chain(evaluation, "coarse", "AP"),
    }


def test_every_column_and_index_of_every_table_is_explained_and_the_evaluation_is_left_as_it_was() -> None:
    evaluation = evaluated()
    names = {str(tie.name) for tie in evaluation.tie_breaks}
    used, made = set(), tables(evaluation)
    for table in made.values():
        for column in [*table.columns, *filter(None, table.index.names)]:
            name = column.replace("@5", "@k").replace("@10", "@k")
            for tie in names:
                name = {tie: "…", f"{tie} shift": "… shift", f"{tie} rank": "… rank"}.get(name, name)
            used.add("tied <precision>" if name.startswith("tied ") else name)
    assert used == set(COLUMNS)
    assert not any("\n" in words or len(words) >= 120 for words in COLUMNS.values())
    pd.testing.assert_frame_equal(evaluation.per_query, evaluated().per_query, check_exact=True)
    # looked up without a warning
    assert len(made["bias"].loc[("nDCG@5", "random:5")]) == 3
    assert len(made["pooled_bias"].loc["nDCG@5"]) == 2
    assert len(made["random_baseline"].loc["AP"]) == 3
    assert len(made["advice"].loc["sure"]) == 2


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("spread", COLUMNS["spread"]),
        ("cut_in_mixed_tie@7", "share of queries in which rank 7 falls inside a mixed tie"),
        ("tied decimals:4", COLUMNS["tied <precision>"]),
        ("random:7 shift", COLUMNS["… shift"]),
        ("random:7", COLUMNS["…"]),
        ("feature:a@b", COLUMNS["…"]),
    ],
)
def test_columns_with_names_in_them_are_explained_too(column: str, words: str) -> None:
    assert column_meaning(column) == words
