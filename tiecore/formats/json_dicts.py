"""JSON: `{query: {document: number}}`, as evaluation libraries exchange it, or records in a list or one a line."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from decimal import Decimal
from itertools import chain, islice
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, shortened
from tiecore.formats import numbers
from tiecore.formats.arrays import arrow_numbers, arrow_texts
from tiecore.formats.memory import from_table
from tiecore.formats.records import ROWS, ROWS_FROM_0, Records, Role
from tiecore.formats.source import Content
from tiecore.formats.text import refuse_bad_utf8
from tiecore.ties.keys import is_scored

Nested = Mapping[str, Mapping[str, Any]]
SHAPE = "expected {query: {document: number}}"
LINE_OF_OBJECT = re.compile(r"\}(?=[ \t\r]*+\n\s*+\{)")
"""The end of one, below which another begins: only between JSON Lines is there no comma."""
KIND_OF = {dict: "an object", list: "a list", str: "text", type(None): "null", bool: "true or false"}


def read_json(content: Content, *, kind: Role | None) -> Records:
    """Read a table of records, or one feature, named by its file, which is grades as well if its numbers are whole."""
    nested = parse_json(content)
    content.release()
    if isinstance(nested, list) and nested and all(isinstance(record, dict) for record in nested):
        import pandas as pd  # only when there are records

        names = [*{*chain(*nested)}]
        try:
            arrow_texts(names)
        except UnicodeEncodeError:
            raise FormatError(content.name, None, _id_problem(names)) from None
        return from_table(pd.DataFrame(nested, dtype=object), source=content.name, kind="table", lines=ROWS)
    objects = {"": nested, **nested} if isinstance(nested, dict) else {"": nested}
    for query, inner in objects.items():
        if not isinstance(inner, dict):
            where = f" for query {shortened(query)}" if query else ""
            raise FormatError(
                content.name,
                None,
                f'{SHAPE} or records {{"query_id": …, "doc_id": …, "score": …}}, found {_kind_of(inner)}{where}',
            )
    if not any(nested.values()):
        raise FormatError(content.name, None, f"{SHAPE}, found no document")
    records = from_dict(nested, source=content.name, kind=kind, name=content.stem)
    features = {} if kind == "qrels" else records.features
    return replace(records, kind="json", lines=ROWS, stem=content.stem, features=features)


def from_dict(nested: Nested, *, source: str, kind: Role | None, name: str | None = None) -> Records:
    """Take ``{query: {document: number}}``: a feature, and grades as well if all numbers are whole.

    The rows are in the order of the mappings; a query without documents has none.
    """
    if not all(issubclass(inner, Mapping) for inner in set(map(type, nested.values()))):
        hint = "; several features are {name: {query: {document: score}}}" if kind == "run" else ""
        raise FormatError(source, None, f"{SHAPE}, found a query whose value is no mapping{hint}")
    filled = {query: inner for query, inner in nested.items() if inner or not isinstance(query, str)}
    values = list(chain.from_iterable(inner.values() for inner in filled.values()))
    try:
        scores = np.array(values)
    except (ValueError, TypeError):  # lists among them; TypeError: an object that refuses to be looked at
        scores = np.array([None])
    grades, known = None, "iuf" if kind == "run" else "iu"
    is_usual = scores.ndim == 1 and scores.dtype.kind in known  # lists of one length have two dimensions
    is_usual = is_usual and scores.min(initial=0) > -numbers.FAR and scores.max(initial=0) < numbers.FAR
    if is_usual and kind != "run":
        grades = scores.astype(np.int64)
    try:
        if not is_usual:
            scores = numbers.from_values(values)
            if not (has_score := is_scored(scores)).all():
                row = int(has_score.argmin())
                found = "null" if values[row] is None else "NaN"
                raise numbers.RowFault(row, f"expected a number, found {found}; leave out what is not scored")
            if kind != "run":
                with nullcontext() if kind else suppress(numbers.RowFault):  # what cannot be grades need not be
                    grades = numbers.grades_of_column(pa.chunked_array([arrow_numbers(scores)]))
    except numbers.RowFault as fault:
        value, problem = values[fault.row or 0], fault.problem
        if isinstance(value, Mapping):
            problem = f"{SHAPE}, found one level more; split a file of several features"
        elif value is not None and not isinstance(value, Real | Decimal):
            problem = f"expected a number, found {_kind_of(value)}"
        places = ((query, document) for query, inner in filled.items() for document in inner)
        query, document = map(shortened, next(islice(places, fault.row, None)))
        raise FormatError(source, None, f"{problem} (document {document} of query {query})") from None
    codes = np.repeat(np.arange(len(filled), dtype=np.int32), [*map(len, filled.values())])
    queries, documents = list(filled), list(chain.from_iterable(filled.values()))
    try:
        query_ids, document_ids = arrow_texts(queries), arrow_texts(documents)
    except (TypeError, UnicodeEncodeError):
        raise FormatError(source, None, _id_problem([*queries, *documents])) from None
    if not (all(queries) and all(documents)):
        raise FormatError(source, None, "holds an id that is empty; every query and every document needs one")
    return Records(
        source=source,
        kind="memory",
        query=pa.DictionaryArray.from_arrays(arrow_numbers(codes), query_ids),
        document=document_ids,
        grades=grades,
        features={source if name is None else name: scores},
        lines=ROWS_FROM_0,
    )


def _id_problem(ids: Sequence[Any]) -> str:
    """Return what is wrong with ids of which some are no text."""
    if not all(isinstance(one, str) for one in ids):
        return "ids must be strings: write {'1': {'doc': 2}}, not {1: {'doc': 2}}"
    half = next(one for one in ids if any("\ud800" <= sign <= "\udfff" for sign in one))
    return f"holds an id or a name that is no text: {shortened(half)} has half of a surrogate pair"


def parse_json(content: Content) -> Any:
    """Parse all of a file; a key that comes twice is refused and not forgotten."""
    file = content.name

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
            raise FormatError(file, None, f"the key {shortened(twice)} comes twice in one object; keep one of them")
        return found

    data = content.data
    refuse_bad_utf8(data, file=file)
    n_values = data.count(b":")
    content.limits.check("json_values", n_values, found=f"has {n_values:,} colons", file=file)
    content.limits.check("line", len(data) // (n_values + 1), found="holds a value that is too long", file=file)
    text, n_more = LINE_OF_OBJECT.subn("},", data.decode())
    try:
        return json.loads(f"[{text}]" if n_more else text, object_pairs_hook=distinct)
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        raise FormatError(
            file, error.lineno, f"no JSON from column {error.colno} on ({error.msg.removesuffix(' at')})"
        ) from None
    except (RecursionError, ValueError):
        raise FormatError(
            file, None, f"is nested too deeply, or has a number of thousands of digits; {SHAPE}"
        ) from None


def _kind_of(value: object) -> str:
    return KIND_OF.get(type(value), "a number" if isinstance(value, Real) else f"an object of {type(value).__name__}")
