"""Values of three systems over seven queries, in the forms that values come in."""

import gzip
import io
from collections import namedtuple
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from ir_measures import RR, nDCG

from tiecore.stability import Stability

COMPARED = ["n_queries", "difference", "low", "high", "p", "holm", "sensitivity"]
Metric = namedtuple("Metric", "query_id measure value")
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
        s: [Metric(q, m, v / n) for q, v in MATRIX[s].dropna().items() for n, m in ((1, RR), (2, nDCG @ 10))]
        for s in MATRIX
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


def same(found: Stability, known: Stability) -> None:
    order = ["leader", "trailer"]
    pairs, expected = (study.pairs.sort_values(order, ignore_index=True) for study in (found, known))
    pd.testing.assert_frame_equal(pairs[[*order, "verdict"]], expected[[*order, "verdict"]])
    np.testing.assert_allclose(pairs[COMPARED], expected[COMPARED], rtol=0, atol=1e-12)
    pd.testing.assert_frame_equal(found.ranks, known.ranks)
    np.testing.assert_allclose(found.values["expected"], known.values["expected"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.intervals, known.intervals, rtol=0, atol=1e-12)
    assert found.sensitivity == pytest.approx(known.sensitivity, rel=0, abs=1e-12)
