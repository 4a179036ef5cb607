"""JSON of the shape `{query: {document: number}}`, as evaluation libraries exchange it."""

from __future__ import annotations

import json
import math
from collections import Counter
from contextlib import suppress
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError
from tiecore.formats import cells
from tiecore.formats.records import Records
from tiecore.formats.source import Content
from tiecore.formats.text import refuse_bad_utf8

__all__ = ["parse_json", "read_json"]

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
            raise FormatError(file, None, f"{SHAPE}, found {_kind_of(inner)} for query {query!r}")
    n_documents = [len(inner) for inner in nested.values()]  # (n_queries,)
    scores = _scores(nested, file=file)
    if not len(scores):
        raise FormatError(file, None, f"{SHAPE}, found no document")
    grades = _grades(nested, scores, file=file, wanted=kind == "qrels") if kind != "run" else None
    try:
        query_ids = pa.array(list(nested), pa.string())
        document = pa.array([document for inner in nested.values() for document in inner], pa.string())
    except UnicodeEncodeError as error:
        problem = f"holds an id that is no text: {error.object[:40]!r} has half a surrogate pair"
        raise FormatError(file, None, problem) from None
    return Records(
        source=file,
        stem=content.stem,
        kind="json",
        query=pa.DictionaryArray.from_arrays(np.repeat(np.arange(len(nested), dtype=np.int32), n_documents), query_ids),
        document=document,
        grades=grades,
        features={} if kind == "qrels" else {name or content.stem: scores},
    )


def parse_json(content: Content) -> Any:
    """Parse all of a file; a key that comes twice is refused and not forgotten."""
    file = content.name

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
            raise FormatError(file, None, f"the key {twice!r} comes twice in one object; keep one of them")
        return found

    refuse_bad_utf8(content.data, file=file)
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


def _scores(nested: dict[str, dict[str, Any]], *, file: str) -> np.ndarray:
    """(n_rows,) float64 scores, in the order of the file."""
    values = [value for inner in nested.values() for value in inner.values()]
    if {type(value) for value in values} <= {int, float, bool}:
        with suppress(OverflowError):
            scores = np.array(values, np.float64)
            if not np.isnan(scores).any():
                return scores
    raise _first_fault(nested, [_score_problem(value) for value in values], file=file)


def _grades(nested: dict[str, dict[str, Any]], scores: np.ndarray, *, file: str, wanted: bool) -> np.ndarray | None:
    """(n_rows,) int64 grades; None where a number is not whole, unless grades are wanted."""
    if (np.abs(scores) < cells.LARGEST_GRADE).all() and (scores == np.rint(scores)).all():
        return scores.astype(np.int64)
    if not wanted:
        return None
    raise _first_fault(nested, [cells.grade_problem(str(score)) for score in scores], file=file)


def _first_fault(nested: dict[str, dict[str, Any]], problems: list[str], *, file: str) -> FormatError:
    places = ((query, document) for query, inner in nested.items() for document in inner)
    query, document, problem = next((*place, text) for place, text in zip(places, problems, strict=True) if text)
    return FormatError(file, None, f"{problem} (document {document!r} of query {query!r})")


def _score_problem(value: object) -> str:
    if isinstance(value, dict):
        return f"{SHAPE}, found one level more; split a file of several features"
    if not isinstance(value, int | float):
        return f"expected a number, found {_kind_of(value)}"
    try:
        return "expected a number, found NaN; leave out what is not scored" if math.isnan(value) else ""
    except OverflowError:
        return "expected a number, found one that is too large"


def _kind_of(value: object) -> str:
    return KIND_OF.get(type(value), "a number")
