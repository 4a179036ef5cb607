"""LETOR and SVMlight: `grade qid:1 1:0.5 2:3 # doc`, dense or sparse, with a comment that may name the document.

Files beside one may hold the sizes of its groups, where it has no qid, and the names of its features.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tiecore.errors import FormatError, shortened
from tiecore.formats import numbers
from tiecore.formats.arrays import arrow_numbers, arrow_texts, codes, numpy_numbers, one_chunk, row_of
from tiecore.formats.columns import Columns, refuse_twice
from tiecore.formats.json_dicts import parse_json
from tiecore.formats.limits import Limits
from tiecore.formats.records import Records, faults_on
from tiecore.formats.source import Content, open_source
from tiecore.formats.tables import records_of_table
from tiecore.formats.text import refuse_bad_utf8, whole_lines
from tiecore.threads import in_threads

BLOCK, PARSER_BLOCK = 1 << 21, 1 << 22
QID = b"qid:"
MISSING = ["NULL", "null", "Null"]
BLANKS_TO_LF = bytes.maketrans(b" \t\r", b"\n\n\n")
# `#docid = GX1 inc = 1`, `# docid=GX1`, `# docno: GX1`, `# GX1`, `#GX1 some more`
DOCUMENT = r"(?i)^\s*(?:doc_?(?:id|no)(?:\s*[=:]\s*|\s+))?(?P<document>\S+)"
DIGITS = re.compile(r"[0-9]{1,10}")
GENERATED_DIGITS = 5
COMPANION = Limits(unpacked=1 << 27)


def read_letor(content: Content) -> Records:
    """Read grades and features; a document without a comment is called ``QUERY-00001`` by its place in its query."""
    file = content.name
    refuse_bad_utf8(content.data, file=file)
    blocks = [block for block in _blocks(content) if len(block.rows)]
    content.release()
    rows = pa.concat_tables(block.rows for block in blocks)
    lines = numpy_numbers(rows["line"])  # (n_rows,)
    mentioned = sorted({int(number) for block in blocks for number in block.numbers})
    content.limits.check("columns", len(mentioned), found=f"has {len(mentioned):,} features", file=file)

    def feature(number: int) -> np.ndarray:
        floats, far = zip(*(block.feature(number) for block in blocks), strict=True)
        with faults_on(lines, file=file):
            return numbers.exact(np.concatenate(floats), chain.from_iterable(far), what=f"value of feature {number}")

    with faults_on(lines, file=file):
        qid = codes(rows["qid"].dictionary_encode())
        without = row_of(qid, "")
        if without < 0:
            names_of_queries = pc.utf8_slice_codeunits(qid.dictionary, len(QID))
            query = pa.DictionaryArray.from_arrays(qid.indices, names_of_queries)
        elif len(qid.dictionary) == 1:
            query = _query_of_groups(content, n_rows=len(lines))
        else:
            raise numbers.RowFault(without, "expected qid:… after the grade as in other lines, found none")
    number_of = _names_of_features(content, mentioned)
    document = _documents(one_chunk(rows["document"]), query)
    column_of = {"query": [query], "document": [document], "grade": rows["grade"].chunks}
    return records_of_table(
        Columns(names=(*number_of,), query="query", document="document", label="grade", rank=None, others=()),
        list(number_of),
        read=lambda column: pa.chunked_array(column_of[column]),
        scores=lambda known: feature(number_of[known]),
        content=content,
        kind="letor",
        lines=lines,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """The rows of some consecutive lines; features one after the other, each with the rows that mention it."""

    rows: pa.Table
    """Line, grade and qid as written (empty where there is none), and the document that the comment names, or null."""
    numbers: np.ndarray
    """(n_features,) numbers of the features mentioned, ascending."""
    begin: np.ndarray
    """(n_features + 1,) where the values of each feature begin."""
    row: np.ndarray | None
    """(n_values,) row of each value in the block; None where every row mentions every feature."""
    values: np.ndarray
    """(n_values,) NaN where NULL is written."""
    texts: pa.Array | None
    """(n_values,) the values as written, if one of them is so large that floats do not hold every whole number."""

    def feature(self, number: int) -> tuple[np.ndarray, list[Any]]:
        """(n_rows,) values of one feature, 0 where it is not mentioned, and the far ones as written."""
        begin, end = self.begin[np.searchsorted(self.numbers, [number, number + 1])].tolist()
        scores, values = np.zeros(len(self.rows)), self.values[begin:end]
        if begin < end:
            scores[slice(None) if self.row is None else self.row[begin:end]] = values
        return scores, [] if self.texts is None else numbers.written_far(self.texts[begin:end], values)


def _blocks(content: Content) -> list[_Block]:
    """Parse the file in blocks of whole lines, small enough to stay in the cache, on all cores."""
    data = content.data
    spans, n_pairs = list(whole_lines(data, BLOCK)), 0
    for start, end, line in spans:
        n_pairs += data.count(b":", start, end)
        found = f"has at least {n_pairs:,} values"
        content.limits.check("cells", n_pairs, found=found, file=content.name, line=line)

    return in_threads(lambda span: _parsed(bytes(data[slice(*span[:2])]), line=span[2], file=content.name), spans)


def _parsed(text: bytes, *, line: int, file: str) -> _Block:
    """Split each line into grade, query, pairs and comment, then parse the pairs of all lines at once."""
    rows = []
    for number, row in enumerate(text.split(b"\n"), line):
        head, _, comment = row.partition(b"#")
        fields = head.split(None, 2)
        if fields:
            has_qid = len(fields) > 1 and fields[1].startswith(QID)
            qid = fields[1] if has_qid else b""
            rows.append((number, fields[0], qid, b" ".join(fields[1 + has_qid :]), comment))
    lines, grades, qids, pairs, comments = zip(*rows, strict=True) if rows else [()] * 5
    pair_lines = b"\n".join(pairs).translate(BLANKS_TO_LF)
    found = _values(pair_lines)
    if found is None:
        _refuse(file, lines, pairs)
    feature, values = found
    row_of = np.repeat(np.arange(len(lines), dtype=np.int32), [row.count(b":") for row in pairs])
    # sorting small numbers takes a pass or two
    order = np.argsort(feature.astype(np.min_scalar_type(feature.max(initial=0))), kind="stable")
    feature, row_of, values = feature[order], row_of[order], values[order]
    is_repeated = (feature[1:] == feature[:-1]) & (row_of[1:] == row_of[:-1])
    if is_repeated.any():
        at = min(np.flatnonzero(is_repeated).tolist(), key=lambda place: int(row_of[place]))
        raise FormatError(file, lines[row_of[at]], f"feature {feature[at]} has two values; keep one of them")
    distinct, begin = np.unique(feature, return_index=True)
    grade, qid, comment = (arrow_texts([text.decode() for text in column]) for column in (grades, qids, comments))
    has_far = len(numbers.far_rows(values)) > 0
    return _Block(
        rows=pa.Table.from_arrays(
            [
                arrow_numbers(np.array(lines, np.int64)),
                grade,
                qid,
                pc.struct_field(pc.extract_regex(comment, DOCUMENT), "document"),
            ],
            ["line", "grade", "qid", "document"],
        ),
        numbers=distinct,
        begin=np.append(begin, len(feature)),
        row=None if len(feature) == len(distinct) * len(lines) else row_of,
        values=values,
        texts=_table(pair_lines, pa.string())["value"].combine_chunks().take(arrow_numbers(order)) if has_far else None,
    )


def _values(pairs: bytes) -> tuple[np.ndarray, np.ndarray] | None:
    """Parse a pair a line: (n_values,) number of the feature, and value; None if one of them is at fault."""
    if b"x" in pairs or b"X" in pairs:  # the parser takes 0x10 for a whole number
        return None
    if not pairs.strip():
        return np.zeros(0, np.int64), np.zeros(0)
    try:
        table = _table(pairs, pa.float64())
    except pa.ArrowInvalid:
        return None
    feature, value = table["feature"], table["value"]
    if feature.null_count or pc.any(pc.is_nan(value)).as_py() or pc.min(feature).as_py() < 0:
        return None
    return numpy_numbers(feature), numbers.floats_of(value)


def _table(pairs: bytes, kind: pa.DataType) -> pa.Table:
    kinds = {"feature": pa.int64(), "value": kind}
    return csv.read_csv(
        pa.py_buffer(pairs),
        csv.ReadOptions(column_names=list(kinds), block_size=PARSER_BLOCK, use_threads=False),
        csv.ParseOptions(delimiter=":", quote_char=False),
        csv.ConvertOptions(column_types=kinds, null_values=MISSING, strings_can_be_null=True),
    )


def _refuse(file: str, lines: Sequence[int], pairs: Sequence[bytes]) -> NoReturn:
    """Find the first malformed pair."""
    for line, row in zip(lines, pairs, strict=True):
        for pair in row.decode().split():
            number, colon, value = pair.partition(":")
            if not colon or not DIGITS.fullmatch(number):
                raise FormatError(file, line, f"found {shortened(pair, 40)}, expected feature:value such as 3:0.5")
            if value not in MISSING and not numbers.NUMBER.fullmatch(value):
                raise FormatError(file, line, numbers.score_problem(value, what=f"value of feature {number}"))
    raise FormatError(file, lines[0], "cannot be parsed; expected lines like: grade qid:1 1:0.5 2:3")


def _documents(found: pa.Array, query: pa.DictionaryArray) -> pa.Array:
    """Number the documents without a name by their place in their query, from 1."""
    if not found.null_count:
        return found
    query_of_row = numpy_numbers(query.indices)
    order = np.argsort(query_of_row, kind="stable")
    n_documents = np.bincount(query_of_row, minlength=len(query.dictionary))  # (n_queries,)
    place = np.empty(len(order), np.int64)  # (n_rows,)
    place[order] = np.arange(1, len(order) + 1) - np.repeat(np.cumsum(n_documents) - n_documents, n_documents)
    digits = pc.utf8_lpad(arrow_numbers(place).cast(pa.string()), GENERATED_DIGITS, "0")
    return pc.coalesce(found, pc.binary_join_element_wise(query.dictionary_decode(), digits, "-"))


def _query_of_groups(content: Content, *, n_rows: int) -> pa.DictionaryArray:
    """Number the queries of a file without qid by the rows that each has, as FILE.query or FILE.group says."""
    beside = _beside(content, ".query", ".group")
    if beside is None:
        problem = "has no qid: after the grade; write one, or put a file with the rows of each query beside FILE"
        raise numbers.RowFault(0, f"{problem}, as FILE.query or FILE.group")
    text = beside.data.decode(errors="replace")
    wrong = next((size for size in text.split() if not DIGITS.fullmatch(size)), None)
    if wrong is not None:
        problem = f"expected how many rows a query has, found {shortened(wrong, 40)}"
        raise FormatError(beside.name, text.count("\n", 0, text.index(wrong)) + 1, problem)
    sizes = np.array(text.split(), np.int64)
    if sizes.sum() != n_rows:
        problem = f"has {n_rows} rows, but the group sizes in {beside.name} add up to {sizes.sum()}"
        raise FormatError(content.name, None, problem)
    names = arrow_texts([str(group) for group in range(1, len(sizes) + 1)])
    return pa.DictionaryArray.from_arrays(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), names)


def _names_of_features(content: Content, mentioned: Sequence[int]) -> dict[str, int]:
    """Map the name of each feature to its number: from ``STEM.features.json``, or just the number.

    A list names the features in order, from 1, or from 0 where the file has a feature 0; an object of number and name
    may leave some out.
    """
    beside = _beside(content, ".features.json")
    if beside is None:
        return {str(number): number for number in mentioned}
    file, found = beside.name, parse_json(beside)
    if isinstance(found, list):
        found = {str(number): name for number, name in enumerate(found, 0 if 0 in mentioned else 1)}
        if missing := [number for number in mentioned if str(number) not in found]:
            raise FormatError(file, None, f"names {len(found)} features, but there is one with number {missing[-1]}")
    pairs = found.items() if isinstance(found, dict) else [("", None)]
    if not all(DIGITS.fullmatch(number) and isinstance(name, str) for number, name in pairs):
        raise FormatError(file, None, 'expected {"1": "name of feature 1", …} or a list of names, found something else')
    names = [found.get(str(number), str(number)) for number in mentioned]
    refuse_twice(names, source=file)
    return dict(zip(names, mentioned, strict=True))


def _beside(content: Content, *endings: str) -> Content | None:
    """Return what stands beside a file, with one of these endings."""
    if content.path is None:
        return None
    plain = content.path.with_suffix("") if content.path.suffix == ".gz" else content.path
    names = (content.path, plain, plain.with_suffix(""))
    candidates = (Path(f"{name}{ending}") for name in names for ending in endings)
    found = next((path for path in candidates if path.is_file()), None)
    return None if found is None else open_source(found, limits=COMPANION)
