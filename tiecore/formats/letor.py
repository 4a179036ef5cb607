"""LETOR and SVMlight: `grade qid:1 1:0.5 2:3 # doc`, dense or sparse, with a comment that may name the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.errors import FormatError
from tiecore.formats import cells, numbers
from tiecore.formats.arrays import arrow_numbers, arrow_texts, numpy_numbers
from tiecore.formats.columns import feature_names
from tiecore.formats.companions import FeatureNames, GroupSizes, group_sizes_of, names_of_features
from tiecore.formats.letor_blocks import Block, parse_block
from tiecore.formats.records import Records
from tiecore.formats.source import Content
from tiecore.formats.text import refuse_bad_utf8

__all__ = ["LetorFeatures", "read_letor"]

BLOCK = 1 << 21
GENERATED_DIGITS = 5


def read_letor(
    content: Content, *, name: str | None, group_sizes: GroupSizes | None, names: FeatureNames | None
) -> Records:
    """Read grades and features; a document without a comment is called ``QUERY-00001`` by its place in its query."""
    refuse_bad_utf8(content.data, file=content.name)
    blocks = _blocks(content)
    content.release()
    lines = np.concatenate([block.lines for block in blocks])  # (n_rows,)
    if not len(lines):
        raise FormatError(content.name, None, "holds nothing but comments; expected lines like: grade qid:1 1:0.5 2:3")
    try:
        query = _queries(content, blocks, lines, group_sizes)
        grades = cells.grades(cells.codes(_joined(block.grade for block in blocks).dictionary_encode()))
        document = _documents(blocks, query)
        cells.refuse_empty_ids(query, document)
    except cells.RowFault as fault:
        raise FormatError(content.name, int(lines[fault.row]), fault.problem) from None
    number_of = names_of_features(
        content, names, numbers=sorted({int(number) for block in blocks for number in block.numbers})
    )
    name_of = feature_names(list(number_of), name=name, stem=content.stem, source=content.name)
    return Records(
        source=content.name,
        stem=content.stem,
        kind="letor",
        query=query,
        document=document,
        grades=grades,
        features=LetorFeatures(
            content.name, tuple(blocks), {name_of[known]: number for known, number in number_of.items()}
        ),
        lines=None if lines[-1] - lines[0] == len(lines) - 1 else lines,
        first_line=int(lines[0]),
    )


@dataclass(frozen=True, slots=True)
class LetorFeatures(Mapping[str, np.ndarray]):
    """Features by name, each assembled from the blocks of the file on every access."""

    _file: str
    _blocks: tuple[Block, ...]
    _number_of: dict[str, int]

    def __getitem__(self, name: str) -> np.ndarray:
        number = self._number_of[name]
        lines = np.zeros(0, np.int64)
        try:
            parts = []
            for block in self._blocks:
                lines = block.lines
                parts.append(block.feature(number))
            lines = np.concatenate([block.lines for block in self._blocks])
            return numbers.joined(parts, what=f"value of feature {number}")
        except cells.RowFault as fault:
            raise FormatError(self._file, int(lines[fault.row]), fault.problem) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._number_of)

    def __len__(self) -> int:
        return len(self._number_of)


def _blocks(content: Content) -> list[Block]:
    """Parse the file in blocks of whole lines, small enough to stay in the cache, on all cores."""
    data = content.data
    spans = []  # where a block begins and ends, and the number of its first line
    start, line = 0, 1
    while start < len(data):
        end = data.find(b"\n", min(start + BLOCK, len(data) - 1)) + 1 or len(data)
        spans.append((start, end, line))
        start, line = end, line + data.count(b"\n", start, end)

    def parsed(span: tuple[int, int, int]) -> Block:
        start, end, line = span
        return parse_block(data[start:end], line=line, file=content.name)

    with ThreadPoolExecutor(pa.cpu_count()) as pool:
        return list(pool.map(parsed, spans))


def _joined(arrays: Iterator[pa.Array]) -> pa.ChunkedArray:
    return pa.chunked_array(list(arrays), pa.string())


def _queries(
    content: Content, blocks: list[Block], lines: np.ndarray, group_sizes: GroupSizes | None
) -> pa.DictionaryArray:
    has_qid = np.concatenate([block.has_qid for block in blocks])
    if has_qid.all():
        if group_sizes is not None:
            raise FormatError(content.name, int(lines[0]), "already has qid: in its lines; omit the group sizes")
        return cells.codes(_joined(block.query for block in blocks).dictionary_encode())
    if has_qid.any():
        raise cells.RowFault(int(np.argmin(has_qid)), "expected qid:… after the grade as in other lines, found none")
    sizes = group_sizes_of(content, group_sizes)
    if sizes is None:
        problem = "has no qid: after the grade; write one, or give group sizes (a file of rows per query)"
        raise cells.RowFault(0, f"{problem}, found beside FILE as FILE.query or FILE.group")
    if sizes.sum() != len(lines):
        problem = f"has {len(lines)} rows, but the group sizes add up to {sizes.sum()}; give those of this file"
        raise FormatError(content.name, None, problem)
    names = arrow_texts([str(group) for group in range(1, len(sizes) + 1)])
    return pa.DictionaryArray.from_arrays(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), names)


def _documents(blocks: list[Block], query: pa.DictionaryArray) -> pa.Array:
    found = cells.one_chunk(_joined(block.document for block in blocks))
    if not found.null_count:
        return found
    query_of_row = numpy_numbers(query.indices)
    order = np.argsort(query_of_row, kind="stable")
    n_documents = np.bincount(query_of_row, minlength=len(query.dictionary))  # (n_queries,)
    place = np.empty(len(order), np.int64)  # (n_rows,) place of the row among those of its query, from 1
    place[order] = np.arange(1, len(order) + 1) - np.repeat(np.cumsum(n_documents) - n_documents, n_documents)
    digits = pc.utf8_lpad(arrow_numbers(place).cast(pa.string()), GENERATED_DIGITS, "0")
    generated = pc.binary_join_element_wise(query.dictionary_decode(), digits, "-")
    return pc.coalesce(found, generated)
