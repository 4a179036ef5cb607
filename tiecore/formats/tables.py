"""The columns of a table as records, whatever holds it: text, Parquet, a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, listed, shortened
from tiecore.formats import numbers
from tiecore.formats.arrays import IDS, arrow_numbers, codes, first_row, numpy_numbers, one_chunk, pc, row_of
from tiecore.formats.columns import Columns, plain
from tiecore.formats.limits import in_words
from tiecore.formats.records import ROWS, Kind, LazyColumns, Lines, Records, faults_on
from tiecore.formats.sniff import FIELDS
from tiecore.formats.source import Content

IS_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_binary)
IS_NUMBER = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
REASON = 200
"""Characters kept of another library's message."""


def records_of_table(
    columns: Columns,
    numeric: Sequence[str],
    *,
    read: Callable[[str], pa.ChunkedArray],
    scores: Callable[[str], np.ndarray],
    content: Content,
    kind: Kind = "table",
    lines: Lines = ROWS,
    header_line: int | None = None,
) -> Records:
    """Put the columns of a table together.

    ``numeric`` are the columns of features, whose numbers ``scores`` returns whenever they are used; ``read`` returns
    ids, grades and ranks; ``content`` is where they come from. A feature is called as its column, but the only one
    of a file, if that is `score`, as the file.
    """
    source = content.name
    with faults_on(lines, file=source):
        query = _ids(read(columns.query), name=columns.query)
        is_coded = query.type == IDS
        query = codes(query) if is_coded else _codes_of_runs(one_chunk(query))
        if is_coded and len(pc.unique(query.indices)) < len(query.dictionary):  # as filtered categories have it
            query = query.dictionary_decode().dictionary_encode()
        document = _ids(read(columns.document), name=columns.document)
        if document.type == IDS:
            document = decoded(document, content, what="its document ids")
        document = one_chunk(document)
        for what, ids in (("query", query), ("document", document)):
            if (row := row_of(ids, "")) >= 0:
                raise numbers.RowFault(row, f"the {what} id is empty; every row needs one")
        where = f" in the column {columns.label}; rename it if it holds no grades"
        if kind == "qrels":
            where = f" in the fourth column ({' '.join(FIELDS['qrels'])})"
        grades = None if columns.label is None else numbers.grades_of_column(read(columns.label), where=where)
    if not numeric and grades is None:
        found = f"no numeric column besides the ids among {listed(columns.names)}"
        raise FormatError(source, header_line, f"{found}; a feature is a column of numbers that is not named rank")
    if lines[-1] - lines[0] == len(lines) - 1:  # which needs no memory
        lines = range(lines[0], lines[-1] + 1)
    used = {columns.query, columns.document, columns.label, columns.rank, *numeric}
    is_named_by_file = kind not in ("run", "memory") and list(map(plain, numeric)) == ["score"]
    return Records(
        source=source,
        stem=content.stem,
        kind=kind,
        query=query,
        document=document,
        grades=grades,
        features=LazyColumns(scores, {content.stem if is_named_by_file else column: column for column in numeric}),
        rank=None if columns.rank is None else numbers.whole_or_none(read(columns.rank)),
        lines=lines,
        header_line=header_line,
        ignored=tuple(column or "(no name)" for column in columns.names if column not in used),
    )


def holds_numbers(kind: pa.DataType) -> bool:
    """Return whether a column of this type is a feature."""
    return any(test(kind) for test in IS_NUMBER)


@contextmanager
def parquet_faults(file: str) -> Iterator[None]:
    """Say of a Parquet file that cannot be read that this is so, whatever Arrow says of it."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError) as error:
        reason = str(error).partition("\n")[0][:REASON]
        raise FormatError(file, None, f"cannot be read as Parquet ({reason}); write it again") from None


def _ids(column: pa.ChunkedArray, *, name: str) -> pa.ChunkedArray:
    """Return ids as text, in codes where they come in codes."""
    if column.null_count:
        raise numbers.RowFault(first_row(column.is_null()), f"{shortened(name)} is null; every row needs an id")
    is_coded = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if is_coded else column.type
    if not any(test(kind) for test in (*IS_TEXT, pa.types.is_integer)):
        problem = f"{shortened(name)} holds {kind}; expected ids as text or whole numbers (in pandas: dtype=str)"
        raise numbers.RowFault(None, problem)
    try:
        if not is_coded:
            return column.cast(pa.string())
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), _text(chunk.dictionary))
            for chunk in column.chunks
        ]
    except pa.ArrowException:  # no UTF-8, or codes without a text
        problem = f"{shortened(name)} cannot be read as text: it is damaged, or not in UTF-8; write it again"
        raise numbers.RowFault(None, problem) from None
    return pa.chunked_array(chunks, IDS)


def _text(values: pa.Array) -> pa.Array:
    texts = values.cast(pa.string())
    texts.validate(full=True)  # that it is UTF-8, which Parquet does not look at
    return texts


def _codes_of_runs(ids: pa.Array) -> pa.DictionaryArray:
    """Return codes of ids that mostly come in runs, of which one is looked up (bench, objects: a tenth of frames)."""
    is_other = pc.not_equal(ids[1:], ids[:-1])
    first = np.concatenate([[0], 1 + numpy_numbers(pc.indices_nonzero(is_other)).astype(np.int64)])[: len(ids)]
    coded = ids.take(arrow_numbers(first)).cast(pa.string()).dictionary_encode()
    of_row = np.repeat(numpy_numbers(coded.indices), np.diff(first, append=len(ids)))
    return pa.DictionaryArray.from_arrays(arrow_numbers(of_row), coded.dictionary)


def decoded(column: pa.ChunkedArray, content: Content, *, what: str) -> pa.ChunkedArray:
    """Decode texts after checking their total length: a small file can repeat a long one a million times."""
    n_bytes = sum(
        pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() or 0 for chunk in column.chunks
    )
    content.limits.check("unpacked", n_bytes, found=f"{what} unpack to {in_words(n_bytes)}", file=content.name)
    return pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)
