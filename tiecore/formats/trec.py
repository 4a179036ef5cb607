"""TREC files: `query 0 doc grade` and `query Q0 doc rank score tag`, fields separated by blanks."""

from __future__ import annotations

import os
from dataclasses import replace
from io import FileIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError
from tiecore.formats import numbers, text
from tiecore.formats.arrays import IDS, arrow_numbers, codes, numpy_numbers
from tiecore.formats.columns import Columns
from tiecore.formats.delimited import Rows
from tiecore.formats.limits import Limits
from tiecore.formats.records import Records, Role, faults_on
from tiecore.formats.sniff import FIELDS, sniff
from tiecore.formats.source import CHUNK, FOREIGN, Content, Source, label_of, stem_of
from tiecore.formats.tables import records_of_table
from tiecore.kernel import library

TYPES = {"doc": pa.string(), "rank": pa.string(), "score": pa.string()}
"""Of fields that are not repeated on many lines, as the others are."""
LONGEST_LINE = 1 << 16
"""Bytes of a line that compiled code declines."""
HEAD = 1 << 14
"""Bytes by which the kind of a plain file is recognised: far more than the first line has."""
SHORTEST = len(b"q 0 d 1\n")


def read_plain(source: Source, *, kind: Role | None, limits: Limits) -> Records | None:
    """Read a plain file in one pass of compiled code, or return None: it is for the other readers to read or refuse."""
    if not isinstance(source, str | os.PathLike) or limits.line < LONGEST_LINE:
        return None
    path, label = Path(source), label_of(source)
    try:
        if not path.is_file():  # a pipe can be read only once
            return None
        with path.open("rb", buffering=0) as file:
            head = file.read(HEAD)
            if b"\n" not in head or head.startswith((b"#", *FOREIGN)):
                return None
            shape = sniff(bytearray(head), file=label)
            n_bytes = os.fstat(file.fileno()).st_size
            if shape not in FIELDS or (kind == "qrels" and shape == "run") or _is_long(file, n_bytes, limits):
                return None
            file.seek(0)
            lines = library.read_lines(file.fileno(), is_run=shape == "run", n_bytes=n_bytes, most=limits.unpacked)
    except (OSError, ValueError):
        return None
    if lines is None:
        return None
    stem = stem_of(label)
    queries = _texts(lines.query_ends, lines.query_texts)
    return Records(
        source=label,
        stem=stem,
        kind=shape,
        document=_texts(lines.document_ends, lines.document_texts),
        query=pa.DictionaryArray.from_arrays(arrow_numbers(lines.query), queries, safe=False),
        grades=lines.value if shape == "qrels" else None,
        features={lines.tag or stem: lines.value} if shape == "run" else {},
        rank=lines.rank,
        head=head,
    )


def _is_long(file: FileIO, n_bytes: int, limits: Limits) -> bool:
    """Return whether a file has more lines than are read; most files are too small for that."""
    n_lines = 0
    if n_bytes > limits.rows * SHORTEST:
        file.seek(0)
        while n_lines <= limits.rows and (chunk := file.read(CHUNK)):
            n_lines += chunk.count(b"\n")
    return n_lines > limits.rows


def _texts(ends: np.ndarray, texts: np.ndarray) -> pa.Array:
    return pa.StringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(texts))


def read_trec(content: Content, shape: Role, *, kind: Role | None) -> Records:
    """Read judgments or one run; a run is named by its tag, or by the file if it holds several tags."""
    if kind == "qrels" and shape == "run":
        found = f"this looks like a run ({len(FIELDS[shape])} fields: {' '.join(FIELDS[shape])})"
        raise FormatError(content.name, None, f"{found}; give it as a feature")
    head, parts, number = bytes(content.data[:HEAD]), [], 1
    for block in content.blocks():
        if text.first_line(block)[2]:
            parts.append(_part(block, shape, content, number=number))
        number += block.count(b"\n")
    tables, line_parts, far = zip(*parts, strict=True)
    table, lines = pa.concat_tables(tables), np.concatenate(line_parts)
    content.limits.check("rows", len(lines), found=f"has {len(lines):,} rows", file=content.name)
    feature, scores = "", np.zeros(0)
    if shape == "run":
        tags = codes(table["tag"]).dictionary.to_pylist()
        feature = tags[0] if len(tags) == 1 else content.stem
        with faults_on(lines, file=content.name):
            scores = numbers.exact(numpy_numbers(table["score"]), chain.from_iterable(far))
    label, rank = ("grade", None) if shape == "qrels" else (None, "rank")
    records = records_of_table(
        Columns(names=(), query="query", document="doc", label=label, rank=rank, others=()),
        [feature] if shape == "run" else [],
        read=table.column,
        scores=lambda _: scores,
        content=content,
        kind=shape,
        lines=lines,
    )
    return replace(records, head=head)


def _part(block: bytearray, kind: Role, content: Content, *, number: int) -> tuple[pa.Table, np.ndarray, list[Any]]:
    """Parse lines, the first of them line ``number``.

    Returns the columns, the line of each row, and the far scores (see :func:`tiecore.formats.numbers.written_far`).
    """
    rows = Rows(replace(content, data=text.tidied(block)), FIELDS[kind], " ", line=number)
    columns = rows.parsed({field: TYPES.get(field, IDS) for field in FIELDS[kind]})
    lines, far = rows.lines(len(columns["doc"])), list[Any]()
    if kind == "run":
        with faults_on(lines, file=content.name):
            floats, far = numbers.parsed(columns["score"].combine_chunks())
        ranks = numbers.whole_or_none(columns["rank"])
        columns["score"] = arrow_numbers(floats)
        columns["rank"] = pa.nulls(len(lines), pa.int64()) if ranks is None else arrow_numbers(ranks)
    return pa.table(columns), lines, far
