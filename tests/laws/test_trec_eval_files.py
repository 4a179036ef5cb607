"""trec_eval's own test files give the figures that trec_eval prints for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tiecore

FILES = Path(__file__).parent.parent / "data" / "trec_eval"

# of what `trec_eval -a -q` prints: measure, then the queries 301, 302, 303 and all
PRINTED = """
map            0.0324 0.4175 0.0858 0.1785
Rprec          0.1456 0.5065 0.0000 0.2174
bpref          0.1230 0.4712 0.0000 0.1981
recip_rank     0.1667 1.0000 0.0526 0.4064
P_5            0.0000 0.8000 0.0000 0.2667
P_1000         0.0710 0.0500 0.0100 0.0437
recall_20      0.0105 0.2078 0.1000 0.1061
recall_1000    0.1498 0.6494 1.0000 0.5997
ndcg           0.1584 0.6617 0.3862 0.4021
ndcg_cut_10    0.1518 0.7530 0.0000 0.3016
map_cut_100    0.0118 0.3983 0.0764 0.1622
success_5      0.0000 1.0000 0.0000 0.3333
"""
ROWS = [line.split() for line in PRINTED.split("\n") if line]
QUERIES = ("301", "302", "303")


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return tiecore.evaluate(
        FILES / "qrels.test.gz",
        FILES / "results.test.gz",
        measures=[name for name, *_ in ROWS] + ["gm_map"],
        tie_breaks=["trec_eval"],
        precision="float32",  # as trec_eval read its scores when these figures were printed
    )


@pytest.mark.parametrize(("name", "values"), [(name, values) for name, *values in ROWS], ids=[row[0] for row in ROWS])
def test_values_are_those_printed(evaluation: Any, name: str, values: list[str]) -> None:
    measure = str(tiecore.measure(name))
    found = evaluation.per_query.loc[(measure, "STANDARD"), "trec_eval"]
    assert [f"{found[query]:.4f}" for query in QUERIES] == values[:-1]
    assert f"{evaluation.summary.loc[(measure, 'STANDARD'), 'trec_eval']:.4f}" == values[-1]


def test_the_geometric_mean_is_that_printed(evaluation: Any) -> None:
    assert f"{evaluation.summary.loc[('GMAP', 'STANDARD'), 'trec_eval']:.4f}" == "0.1051"
