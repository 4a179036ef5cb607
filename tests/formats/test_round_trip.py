"""A feature comes back the same from every format it can be written in."""

import csv
import gzip
import io
import json
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.written import as_parquet as parquet_of
from tiecore.formats import read

Row = tuple[str, str, float]

# What a blank-separated format can hold; quotes, commas, number signs and any script are in, blanks are not.

WORD = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
ANYTHING = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
SCORE = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0]),
    st.integers(-(10**6), 10**6).map(float),
    st.floats(allow_nan=False, allow_infinity=True),
)


def rows_of(ids: st.SearchStrategy[str], scores: st.SearchStrategy[float] = SCORE) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(ids, ids, scores), min_size=1, max_size=20, unique_by=lambda row: row[:2])


def as_run(rows: list[Row], blank: str = " ") -> bytes:
    return "".join(blank.join([query, "Q0", doc, "1", repr(score), "t"]) + "\n" for query, doc, score in rows).encode()


def as_table(rows: list[Row], delimiter: str) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([["query_id", "doc_id", "t"], *rows])
    return file.getvalue().encode()


def as_parquet(rows: list[Row]) -> bytes:
    queries, documents, scores = zip(*rows, strict=True)
    ids = {"query_id": pa.array(queries, pa.string()), "doc_id": pa.array(documents, pa.string())}
    return parquet_of({**ids, "t": pa.array(scores, pa.float64())})


def as_json(rows: list[Row]) -> bytes:
    nested: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        nested.setdefault(query, {})[document] = score
    return json.dumps(nested).encode()


def as_letor(rows: list[Row]) -> bytes:
    return "".join(f"1 qid:{query} 4:{score!r} 7:1 # {document}\n" for query, document, score in rows).encode()


def back(data: bytes, feature: str = "t") -> list[tuple[str, str, str]]:
    """Rows as read; scores by their spelling, which does not ask for the type of the number; -0.0 is 0.0 as a score."""
    records = read(data)
    scores = (repr(float(score) + 0.0) for score in records.features[feature].tolist())
    return list(zip(records.query.to_pylist(), records.document.to_pylist(), scores, strict=True))


def spelled(rows: list[Row]) -> list[tuple[str, str, str]]:
    return [(query, document, repr(score + 0.0)) for query, document, score in rows]


WORDY: dict[str, Callable[[list[Row]], bytes]] = {
    "run": as_run,
    "run with tabs": lambda rows: as_run(rows, "\t"),
    "run with many blanks": lambda rows: as_run(rows, " \t "),
    "gzip": lambda rows: gzip.compress(as_run(rows), 1),
}
TABLES: dict[str, Callable[[list[Row]], bytes]] = {
    "csv": lambda rows: as_table(rows, ","),
    "tsv": lambda rows: as_table(rows, "\t"),
    "semicolons": lambda rows: as_table(rows, ";"),
    "bars": lambda rows: as_table(rows, "|"),
    "parquet": as_parquet,
}


@pytest.mark.parametrize("write", WORDY.values(), ids=WORDY)
@given(rows=rows_of(WORD))
def test_words_come_back(write: Callable[[list[Row]], bytes], rows: list[Row]) -> None:
    if not rows[0][0].startswith(('{"', "{}")):  # what looks like JSON is read as such
        assert back(write(rows)) == spelled(rows)


@pytest.mark.parametrize("write", TABLES.values(), ids=TABLES)
@given(rows=rows_of(ANYTHING))
def test_any_text_comes_back_from_tables(write: Callable[[list[Row]], bytes], rows: list[Row]) -> None:
    assert back(write(rows)) == spelled(rows)


@given(rows=rows_of(ANYTHING))
def test_any_text_comes_back_from_json(rows: list[Row]) -> None:
    assert sorted(back(as_json(rows), "<bytes>")) == sorted(spelled(rows))


@given(rows=rows_of(WORD.filter(lambda word: "#" not in word and not word.lower().startswith("doc"))))
def test_words_come_back_from_letor(rows: list[Row]) -> None:
    assert back(as_letor(rows), "4") == spelled(rows)


@given(rows=rows_of(WORD, st.integers(-5, 9).map(float)))
def test_whole_numbers_are_the_same_grades_in_every_format(rows: list[Row]) -> None:
    qrels = "".join(f"{query} 0 {document} {int(score)}\n" for query, document, score in rows).encode()
    labelled = as_table(rows, ",").replace(b'"t"', b'"label"', 1)
    expected = [int(score) for _, _, score in rows]
    for data in (labelled, *([] if rows[0][0].startswith(('{"', "{}")) else [qrels])):
        grades = read(data, kind="qrels").grades
        assert grades is not None
        assert grades.tolist() == expected
    nested = read(as_json(rows), kind="qrels")
    assert nested.grades is not None
    assert sorted(nested.grades.tolist()) == sorted(expected)
