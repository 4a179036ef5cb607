"""trec_eval's own test files give the figures that trec_eval prints for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tiecore

FILES = Path(__file__).parent.parent / "data" / "trec_eval"

# what `trec_eval -a -q` prints, copied: measure, then the queries 301, 302, 303 and all
PRINTED = """
map            0.0324 0.4175 0.0858 0.1785
Rprec          0.1456 0.5065 0.0000 0.2174
bpref          0.1230 0.4712 0.0000 0.1981
recip_rank     0.1667 1.0000 0.0526 0.4064
P_5            0.0000 0.8000 0.0000 0.2667
P_10           0.2000 0.7000 0.0000 0.3000
P_15           0.1333 0.8000 0.0000 0.3111
P_20           0.2500 0.8000 0.0500 0.3667
P_30           0.2333 0.7333 0.0333 0.3333
P_100          0.2300 0.4200 0.0900 0.2467
P_200          0.2100 0.2200 0.0500 0.1600
P_500          0.1420 0.1000 0.0200 0.0873
P_1000         0.0710 0.0500 0.0100 0.0437
recall_5       0.0000 0.0519 0.0000 0.0173
recall_10      0.0042 0.0909 0.0000 0.0317
recall_15      0.0042 0.1558 0.0000 0.0534
recall_20      0.0105 0.2078 0.1000 0.1061
recall_30      0.0148 0.2857 0.1000 0.1335
recall_100     0.0485 0.5455 0.9000 0.4980
recall_200     0.0886 0.5714 1.0000 0.5533
recall_500     0.1498 0.6494 1.0000 0.5997
recall_1000    0.1498 0.6494 1.0000 0.5997
ndcg           0.1584 0.6617 0.3862 0.4021
ndcg_cut_5     0.0000 0.8304 0.0000 0.2768
ndcg_cut_10    0.1518 0.7530 0.0000 0.3016
ndcg_cut_15    0.1176 0.8085 0.0000 0.3087
ndcg_cut_20    0.1985 0.8082 0.0509 0.3525
ndcg_cut_30    0.1975 0.7604 0.0509 0.3363
ndcg_cut_100   0.2166 0.6046 0.3537 0.3916
ndcg_cut_200   0.2063 0.6209 0.3862 0.4045
ndcg_cut_500   0.1584 0.6617 0.3862 0.4021
ndcg_cut_1000  0.1584 0.6617 0.3862 0.4021
map_cut_5      0.0000 0.0461 0.0000 0.0154
map_cut_10     0.0010 0.0768 0.0000 0.0259
map_cut_15     0.0010 0.1265 0.0000 0.0425
map_cut_20     0.0023 0.1695 0.0053 0.0591
map_cut_30     0.0033 0.2298 0.0053 0.0795
map_cut_100    0.0118 0.3983 0.0764 0.1622
map_cut_200    0.0208 0.4068 0.0858 0.1711
map_cut_500    0.0324 0.4175 0.0858 0.1785
map_cut_1000   0.0324 0.4175 0.0858 0.1785
success_1      0.0000 1.0000 0.0000 0.3333
success_5      0.0000 1.0000 0.0000 0.3333
success_10     1.0000 1.0000 0.0000 0.6667
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
