"""JSON of the shape `{query: {document: number}}`, as evaluation libraries exchange it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import chain, islice
from numbers import Real
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, shortened
from tiecore.formats import numbers
from tiecore.formats.arrays import arrow_numbers, arrow_texts, row_of
from tiecore.formats.records import Records
from tiecore.formats.source import Content
from tiecore.formats.text import refuse_bad_utf8

__all__ = ["from_dict", "parse_json", "read_json"]

Nested = Mapping[str, Mapping[str, Any]]
SHAPE = "expected {query: {document: number}}"
KIND_OF = {dict: "an object", list: "a list", str: "text", type(None): "null", bool: "true or false"}


def read_json(content: Content, *, name: str | None, kind: Literal["qrels", "run"] | None) -> Records:
    """Read one feature, named by its file, which is grades as well if all its numbers are whole."""
    file = content.name
    nested = parse_json(content)
    content.release()
    if not isinstance(nested, dict):
        raise FormatError(file, None, f"{SHAPE}, found {_kind_of(nested)}")
    for query, inner in nested.items():
        if not isinstance(inner, dict):
            raise FormatError(file, None, f"{SHAPE}, found {_kind_of(inner)} for query {shortened(query)}")
    if not any(nested.values()):
        raise FormatError(file, None, f"{SHAPE}, found no document")
    records = _records(nested, file=file, kind=kind, name=name or content.stem)
    return replace(records, stem=content.stem, features={} if kind == "qrels" else records.features)


def from_dict(nested: Nested, *, source: str, kind: Literal["qrels", "run"]) -> Records:
    """Take ``{query: {document: number}}``: a feature, and grades as well if all numbers are whole."""
    if not all(isinstance(inner, dict | Mapping) for inner in nested.values()):
        problem = "expected {query: {document: number}}, found a query whose value is no mapping"
        hint = "; several features are {name: {query: {document: score}}}" if kind == "run" else ""
        raise FormatError(source, None, problem + hint)
    return replace(_records(nested, file=source, kind=kind, name=source), kind="memory", first_line=0)


def _records(nested: Nested, *, file: str, kind: Literal["qrels", "run"] | None, name: str) -> Records:
    scores, grades = _numbers(nested, file=file, kind=kind)
    query, document = _ids(nested, file=file)
    return Records(source=file, kind="json", query=query, document=document, grades=grades, features={name: scores})


def _ids(nested: Nested, *, file: str) -> tuple[pa.DictionaryArray, pa.Array]:
    """Return query and document of each row, in the order of the objects; a query without documents has no row."""
    n_documents = [len(inner) for inner in nested.values() if inner]  # (n_queries,)
    with_documents = np.flatnonzero([len(inner) > 0 for inner in nested.values()])
    query_ids = _texts(list(nested), file=file).take(arrow_numbers(with_documents))
    document = _texts(list(chain.from_iterable(nested.values())), file=file)
    query = np.repeat(np.arange(len(n_documents), dtype=np.int32), n_documents)
    return pa.DictionaryArray.from_arrays(arrow_numbers(query), query_ids), document


def _texts(ids: list[str], *, file: str) -> pa.Array:
    """Return ids as an array; those that are no text are refused."""
    try:
        array = arrow_texts(ids)
    except UnicodeEncodeError as error:
        problem = (
            f"holds an id that is no text: {shortened(error.object[error.start :])} begins with half a surrogate pair"
        )
        raise FormatError(file, None, problem) from None
    except TypeError:
        problem = "ids must be strings: write {'1': {'doc': 2}}, not {1: {'doc': 2}}"
        raise FormatError(file, None, problem) from None
    if row_of(array, "") >= 0:
        raise FormatError(file, None, "holds an id that is empty; every query and every document needs one")
    return array


def _numbers(
    nested: Nested, *, file: str, kind: Literal["qrels", "run"] | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return (n_rows,) scores, and (n_rows,) int64 grades; None for what cannot be grades and need not be."""
    values = list(chain.from_iterable(inner.values() for inner in nested.values()))
    try:
        scores = numbers.from_values(values)
    except numbers.RowFault as fault:
        value = values[fault.row]
        problem = fault.problem if isinstance(value, Real | Decimal) else f"expected a number, found {_kind_of(value)}"
        if isinstance(value, Mapping):
            problem = f"{SHAPE}, found one level more; split a file of several features"
        raise _fault(nested, fault.row, problem, file=file) from None
    missing = np.flatnonzero(~numbers.is_scored(scores))
    if len(missing):
        found = "null" if values[missing[0]] is None else "NaN"
        problem = f"expected a number, found {found}; leave out what is not scored"
        raise _fault(nested, int(missing[0]), problem, file=file)
    if kind == "run":
        return scores, None
    try:
        return scores, numbers.grades_of_column(pa.chunked_array([arrow_numbers(scores)]))
    except numbers.RowFault as fault:
        if kind == "qrels":
            raise _fault(nested, fault.row, fault.problem, file=file) from None
    return scores, None


def parse_json(content: Content) -> Any:
    """Parse all of a file; a key that comes twice is refused and not forgotten."""
    file = content.name

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
            raise FormatError(file, None, f"the key {shortened(twice)} comes twice in one object; keep one of them")
        return found

    refuse_bad_utf8(content.data, file=file)
    n_values = content.data.count(b":")
    content.limits.check("json_values", n_values, found=f"has {n_values:,} colons", file=file)
    try:
        return json.loads(content.data.decode(), object_pairs_hook=distinct)
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        hint = "; a file of one JSON object a line has to be made one object" if error.msg == "Extra data" else ""
        raise FormatError(file, error.lineno, f"is not JSON at column {error.colno}: {error.msg}{hint}") from None
    except RecursionError:
        raise FormatError(file, None, f"is nested too deeply; {SHAPE}") from None
    except ValueError:  # an integer of thousands of digits
        raise FormatError(file, None, "holds a number of thousands of digits; expected scores or grades") from None


def _fault(nested: Nested, row: int, problem: str, *, file: str) -> FormatError:
    places = ((query, document) for query, inner in nested.items() for document in inner)
    query, document = next(islice(places, row, None))
    return FormatError(file, None, f"{problem} (document {shortened(document)} of query {shortened(query)})")


def _kind_of(value: object) -> str:
    return KIND_OF.get(type(value), "a number" if isinstance(value, Real) else f"an object of {type(value).__name__}")
