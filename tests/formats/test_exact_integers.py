"""Laws of whole numbers beyond 2^53: in whatever container they come, different scores are not made equal."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiecore
from tests.formats.written import as_parquet
from tiecore.collection.inputs import load
from tiecore.diagnostics import advice, hidden_ties, precision_curve
from tiecore.errors import FormatError
from tiecore.formats import numbers, read
from tiecore.formats.memory import from_table
from tiecore.ties.keys import is_scored

BIG = 2**53
QRELS = {"q": {"a": 0, "b": 1, "c": 0, "d": 1}}
SCORES = {"a": BIG, "b": BIG + 1, "c": BIG - 1}
WIDE = {"a": 2**63 - 1, "b": -(2**63), "c": -(2**63) + 1}
UNSIGNED = {"a": 2**64 - 2, "b": 2**64 - 1, "c": 1}


def frame(scores: dict[str, int], column: Any) -> pd.DataFrame:
    """With a document d that is not scored, if the column is longer than the scores."""
    documents = [*scores, "d"][: len(column)]
    return pd.DataFrame({"query_id": "q", "doc_id": documents, "s": column}).assign(
        **{"t": 1} if "d" in documents else {}
    )


def parquet_of(scores: dict[str, int], kind: str | pa.DataType, convert: Callable[[int], Any] = int) -> bytes:
    column = pa.array([*map(convert, scores.values()), None], kind)
    return as_parquet({"query_id": ["q"] * len(column), "doc_id": [*scores, "d"], "s": column})


def csv_of(scores: Mapping[str, int | str], more: str = "") -> bytes:
    return ("query_id,doc_id,s\n" + "".join(f"q,{doc},{score}\n" for doc, score in scores.items()) + more).encode()


def run_of(scores: dict[str, int]) -> bytes:
    return "".join(f"q Q0 {doc} {rank} {score} s\n" for rank, (doc, score) in enumerate(scores.items())).encode()


def letor_of(scores: dict[str, int], more: str = "") -> bytes:
    return ("".join(f"{QRELS['q'][doc]} qid:q 1:{score} # {doc}\n" for doc, score in scores.items()) + more).encode()


def kind_of(scores: dict[str, int]) -> str:
    return "uint64" if max(scores.values()) >= 2**63 else "int64"


def series(scores: dict[str, int], kind: Any, *, convert: Callable[[int], Any] = int) -> pd.Series[Any]:
    return pd.Series([*map(convert, scores.values()), None], dtype=kind)


CONTAINERS: dict[str, Callable[[dict[str, int]], Any]] = {
    "frame": lambda scores: frame(scores, np.array(list(scores.values()), kind_of(scores))),
    "nullable": lambda scores: frame(scores, series(scores, kind_of(scores).replace("i", "I").replace("uI", "UI"))),
    "arrow": lambda scores: frame(scores, series(scores, f"{kind_of(scores)}[pyarrow]")),
    "arrow decimals": lambda scores: frame(
        scores, series(scores, pd.ArrowDtype(pa.decimal128(38, 0)), convert=Decimal)
    ),
    "objects": lambda scores: frame(scores, series(scores, object)),
    "table of Arrow": lambda scores: pa.table(
        {
            "query_id": ["q"] * 4,
            "doc_id": [*scores, "d"],
            "s": pa.array([*scores.values(), None], kind_of(scores)),
            "t": [1] * 4,
        }
    ),
    "parquet": lambda scores: parquet_of(scores, kind_of(scores)),
    "parquet decimals": lambda scores: parquet_of(scores, pa.decimal128(38, 2), Decimal),
    "csv": lambda scores: csv_of(scores, more="q,d,\n"),
    "csv with decimal points": lambda scores: csv_of(
        {doc: f"+{n}.0" if n > 0 else f"{n}" for doc, n in scores.items()}
    ),
    "run": run_of,
    "json": lambda scores: json.dumps({"q": scores}).encode(),
    "letor with NULL": lambda scores: letor_of(scores, "0 qid:q 1:NULL # d\n"),
    "sparse letor": lambda scores: letor_of(scores, "0 qid:r 2:5 # e\n"),
    "NumPy in a dict": lambda scores: {"q": {doc: np.array(n, kind_of(scores))[()] for doc, n in scores.items()}},
    "decimals in a dict": lambda scores: {"q": {doc: Decimal(n) for doc, n in scores.items()}},
}

OF_SCORES = {"beyond 2^53": SCORES, "all of int64": WIDE, "uint64": UNSIGNED}


@pytest.mark.parametrize("large", OF_SCORES)
@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_keeps_the_numbers(container: str, large: str) -> None:
    made = CONTAINERS[container](OF_SCORES[large])
    _, [(_, records, column), *_] = load(QRELS, {"s": made} if isinstance(made, dict) else made)
    scores = records.features[column]
    assert scores.dtype.kind in "iu"
    found = dict(zip(records.document.to_pylist(), np.ma.getdata(scores).tolist(), strict=True))
    assert {doc: found[doc] for doc in OF_SCORES[large]} == OF_SCORES[large]
    assert is_scored(scores).tolist() == [doc in OF_SCORES[large] or doc == "e" for doc in found]


def test_zeros_before_a_number_change_nothing_however_many() -> None:
    for sign in ("", "-"):
        texts = [sign + "0" * 5000 + str(BIG + 1), sign + str(BIG), sign + "0" * 4000 + "7.0"]
        expected = [int(sign + str(whole)) for whole in (BIG + 1, BIG, 7)]
        assert numbers.from_text(pa.array(texts)).tolist() == expected


def test_whole_numbers_are_not_kept_as_texts_of_python() -> None:
    known = range(BIG, BIG + 100_000)
    texts = pa.array(list(known)).cast(pa.string())
    tracemalloc.start()
    try:
        found = numbers.from_text(texts)
        assert tracemalloc.get_traced_memory()[1] < 100 * len(known)
    finally:
        tracemalloc.stop()
    assert found.tolist() == list(known)


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(BIG - 2, BIG + 2), min_size=1, max_size=8),
    st.lists(st.booleans(), min_size=8, max_size=8),
)
def test_text_of_whole_numbers_is_read_exactly(whole: list[int], is_missing: list[bool]) -> None:
    known = [None if missing else number for number, missing in zip(whole, is_missing, strict=False)]
    texts = pa.array(["" if number is None else str(number) for number in known])
    column = pa.chunked_array([pa.array(known, pa.int64())])
    for found in (numbers.from_text(texts), numbers.from_values(known), numbers.from_arrow(column)):
        scored = is_scored(found)
        assert scored.tolist() == [number is not None for number in known]
        assert [int(n) for n in np.ma.getdata(found)[scored].tolist()] == [n for n in known if n is not None]


NUMBERS = ["NULL", "1", "0.5", "-2", str(BIG), str(BIG + 1), str(-BIG - 1), "1e30", "inf", "-inf"]


@given(st.lists(st.sampled_from(NUMBERS), min_size=1), st.sampled_from([1, 40]))
def test_a_file_read_in_blocks_is_as_exact_as_text_read_at_once(texts: list[str], size: int) -> None:
    rows = "".join(f"0 qid:q 1:{text} 2:7 # d{n}\n" for n, text in enumerate(texts)).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tiecore.formats.letor.BLOCK", size)
        records = read(rows)
    whole = pa.array([text.replace("NULL", "") for text in texts])
    assert spelled(lambda: records.features["1"]) == spelled(lambda: numbers.from_text(whole))


def spelled(scores: Callable[[], np.ndarray]) -> list[str | None] | None:
    try:
        found = scores()
    except (FormatError, numbers.RowFault):
        return None
    scored = zip(np.ma.getdata(found).tolist(), is_scored(found), strict=True)
    return [repr(number) if is_scored else None for number, is_scored in scored]


MIXED: dict[str, Any] = {
    "csv": b"qid,docid,s\nq,a,9007199254740993\nq,b,0.5\n",
    "csv beyond 64 bits": b"qid,docid,s\nq,a,18446744073709551617\nq,b,1\n",
    "csv beyond floats": b"qid,docid,s\nq,a,1" + b"0" * 500 + b"\nq,b,1\n",
    "run": b"q Q0 a 1 9007199254740993 s\nq Q0 b 2 0.5 s\n",
    "json": b'{"q": {"a": 9007199254740993, "b": 0.5}}',
    "letor": b"1 qid:q 1:9007199254740993 # a\n0 qid:q 1:.5 # b\n",
    "dict": {"q": {"a": 9007199254740993, "b": 0.5}},
    "signed and unsigned": {"q": {"a": 2**63 + 1, "b": -1}},
    "objects": pd.DataFrame({"qid": "q", "docid": ["a", "b"], "s": pd.Series([BIG + 1, 0.5], dtype=object)}),
    "decimals": as_parquet(
        {"qid": ["q", "q"], "docid": ["a", "b"], "s": pa.array([BIG + 1, Decimal("0.25")], pa.decimal128(38, 2))}
    ),
}


@pytest.mark.parametrize("container", MIXED)
def test_what_no_type_holds_is_refused_with_the_remedy(container: str) -> None:
    with pytest.raises(FormatError, match=r"beyond 2\^53, where .*; subtract what all scores have in common") as caught:
        tiecore.evaluate(QRELS, {"s": MIXED[container]}, ["AP"])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["9007199254740992", "1e300", "inf", "-inf", "9007199254740994.0", "1" + "0" * 22])
def test_decimals_beside_what_floats_hold_are_read_as_floats(text: str) -> None:
    found = read(f"qid,docid,s\nq,a,{text}\nq,b,0.5\n".encode()).features["s"]
    assert found.dtype == np.float64
    assert found.tolist() == [float(text), 0.5]
    assert numbers.from_values([float(text), 0.5]).tolist() == found.tolist()


def test_numbers_of_python_that_are_not_whole_or_that_floats_hold_are_floats() -> None:
    exact = [Fraction(2**60 + 1, 2), Decimal("1e400"), 0.5]
    assert numbers.from_values(exact).tolist() == [float(Fraction(2**60 + 1, 2)), float("inf"), 0.5]
    assert numbers.from_values([2**64, 1]).tolist() == [2.0**64, 1.0]


def test_the_line_of_a_letor_file_that_floats_cannot_hold_is_named() -> None:
    data = "".join(f"0 qid:q 1:.{n} # d{n}\n" for n in range(9)).encode() + letor_of({"b": BIG + 1})
    with pytest.raises(FormatError, match="line 10: the value 9007199254740993 of feature 1 is beyond"):
        read(data).features["1"]


def test_features_read_from_a_file_keep_their_integers() -> None:
    frame = tiecore.read_features(io.BytesIO(csv_of(SCORES, more="q,d,\n")))
    assert frame.iloc[:, 2].tolist() == [*SCORES.values(), pd.NA]


LARGE = {"q": {"a": BIG, "b": BIG + 1, "c": BIG + 2, "d": BIG - 5}}
SMALL = {"q": {doc: score - BIG for doc, score in LARGE["q"].items()}}
TIED = {"q": dict.fromkeys("abcd", 1)}


@pytest.mark.parametrize("missing", ["unranked", "last"])
def test_diagnostics_see_large_numbers_as_they_see_small_ones(missing: Any) -> None:
    few = {"q": {doc: LARGE["q"][doc] for doc in "abc"}}
    found, known = (
        tiecore.evaluate(QRELS, {"s": scores, "tied": TIED, "few": less}, ["AP", "RR"], missing=missing)
        for scores, less in ((LARGE, few), (SMALL, {"q": {doc: SMALL["q"][doc] for doc in "abc"}}))
    )
    pd.testing.assert_frame_equal(advice(found, measure="AP"), advice(known, measure="AP"))
    for feature in ("s", "few"):
        coarse = ["float64", "decimals:0"]
        large, small = (precision_curve(one, feature, "AP", precisions=coarse) for one in (found, known))
        pd.testing.assert_frame_equal(large, small)
    pd.testing.assert_series_equal(hidden_ties(found)["tied"], hidden_ties(known)["tied"])
    for table in (tiecore.diagnostics.anatomy, tiecore.diagnostics.random_baseline):
        pd.testing.assert_frame_equal(table(found), table(known))
    assert tiecore.diagnostics.flat_features(found) == ("tied",)


@pytest.mark.parametrize("kind", ["Int64", "Float64", "float64[pyarrow]", "boolean"])
def test_nullable_numbers_within_floats_are_floats_with_nan(kind: str) -> None:
    frame = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "s": pd.Series([1, None], dtype=kind), "t": 1})
    found = from_table(frame, source="frame").features["s"]
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [1.0, np.nan])


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("missing", ["unranked", "last"])
def test_a_tie_break_over_the_whole_range_of_integers_keeps_the_unscored_last(missing: Any, ascending: bool) -> None:
    low, high = -(2**63), 2**63 - 1
    other = {"q": {"a": high, "c": low}}
    few = {"q": {doc: 1 if score == high else 0 for doc, score in other["q"].items()}}
    options: Any = {"missing": missing, "ascending": ["other"] if ascending else []}
    found, known = (
        tiecore.evaluate(QRELS, {"tied": TIED, "other": scores}, ["RR", "AP"], ["feature:other"], **options).summary
        for scores in (other, few)
    )
    pd.testing.assert_frame_equal(found, known)


def test_what_is_missing_among_floats_is_nan_wherever_it_stands() -> None:
    assert np.isnan(numbers.from_values([0.5, None, 1.0])).tolist() == [False, True, False]
    assert np.isnan(numbers.from_values([0.5, float("nan")])).tolist() == [False, True]
