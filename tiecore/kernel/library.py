"""The compiled functions as Python calls them. Each returns None where there is no library or it declines."""

from __future__ import annotations

import ctypes
import os
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "NOTHING",
    "Files",
    "Groups",
    "Ids",
    "Lines",
    "Rows",
    "add_up",
    "cells_apart",
    "changes_of_ids",
    "cut",
    "cut_counts",
    "is_there",
    "number_documents",
    "place",
    "ranks_of_ids",
    "read_lines",
    "renumber_documents",
    "repeat",
    "sort",
    "squares",
    "totals",
]

NOTHING = 2**32 - 1
"""Stands for no level: more than there can be."""
SOURCE = Path(__file__).with_name("kernel.c")
BUILT = Path(__file__).with_name("_kernel.so")
_COLUMNS: dict[str, np.dtype[Any]] = {
    "query": np.dtype(np.int32),
    "document_ends": np.dtype(np.int32),
    "document_texts": np.dtype(np.uint8),
    "value": np.dtype(np.int64),
    "rank": np.dtype(np.int64),
    "query_ends": np.dtype(np.int32),
    "query_texts": np.dtype(np.uint8),
    "tag": np.dtype(np.uint8),
}
"""What the reader makes, in its order."""


class Lines(NamedTuple):
    """The lines of a TREC file as columns; texts lie one behind the other, with the byte at which each ends."""

    query: np.ndarray
    """(n_rows,) int32 code of the query, in the order in which they come first."""
    query_ends: np.ndarray
    """(n_queries + 1,) int32, beginning with 0."""
    query_texts: np.ndarray
    document_ends: np.ndarray
    """(n_rows + 1,) int32, beginning with 0."""
    document_texts: np.ndarray
    value: np.ndarray
    """(n_rows,) float64 scores of a run, or int64 grades of qrels."""
    rank: np.ndarray | None
    """(n_rows,) int64, of a run."""
    tag: str | None
    """Of a run whose lines all have the same."""


class Ids(NamedTuple):
    """Some document ids of a file, in an order of their own."""

    texts: int
    """Address of the bytes."""
    ends: np.ndarray
    """(n_file_rows + 1,) int32 or int64: byte at which each id begins, and the last one ends."""
    row: np.ndarray | None
    """(n_rows,) int64 row of the file; None if all its rows take part in their order."""


class Rows(NamedTuple):
    """The rows of a file that take part in matching, by query."""

    ids: Ids
    query: np.ndarray
    """(n_rows,) int32, ascending."""
    document: np.ndarray
    """(n_rows,) int64, to be filled."""


class Groups(NamedTuple):
    """Tie groups; all arrays are int64 and contiguous, and mean what the attributes of ``TieGroups`` do."""

    query: np.ndarray
    above: np.ndarray
    size: np.ndarray
    first_cell: np.ndarray
    cell_level: np.ndarray
    cell_count: np.ndarray


class Files:
    """The rows of several files, and where they lie."""

    def __init__(self, files: Sequence[Rows]) -> None:
        self.files = files
        self.parts = np.array([_part(own.ids, own.query, own.document) for own in files], dtype=np.int64)


def is_there() -> bool:
    """Return whether there is a library."""
    return _library() is not None


def read_lines(file: int, *, is_run: bool, n_bytes: int, most: int) -> Lines | None:
    """Read an open TREC file from where it stands to its end.

    Parameters
    ----------
    file
        Descriptor of the file.
    is_run
        Whether lines have the six fields of a run, or the four of qrels.
    n_bytes
        Size that the file probably has.
    most
        Bytes that the file may have.
    """
    library = _library()
    if library is None:
        return None
    reader = library.tiecore_open(is_run, n_bytes)
    try:
        if not reader or library.tiecore_read_file(reader, file, most):
            return None
        columns = {name: _taken(library, reader, place) for place, name in enumerate(_COLUMNS)}
        tag = None if library.tiecore_several_tags(reader) else columns.pop("tag").tobytes().decode()
    finally:
        library.tiecore_close(reader)
    columns.pop("tag", None)
    rank = columns.pop("rank")
    value = columns.pop("value")
    return Lines(
        **columns,
        value=value.view(np.float64) if is_run else value,
        rank=rank if is_run else None,
        tag=tag if is_run else None,
    )


def number_documents(files: Files, begins: np.ndarray, ends: np.ndarray) -> np.ndarray | None:
    """(n_files,) documents that each file is the first to name, among some rows of all files.

    Fills in the documents of these rows: the row of the first file that names one; for a new one
    ``-1 - (place * n_files + file)``, its place among those that this file is the first to name. Declines if a file
    names a document of a query twice.

    ``begins``, ``ends``: (n_files,) int64: the rows of each file.
    """
    library = _library()
    if library is None:
        return None
    n_new = np.zeros(len(files.files), dtype=np.int64)
    addresses = [array.ctypes.data for array in (begins, ends, n_new)]
    return None if library.tiecore_number(files.parts.ctypes.data, len(n_new), *addresses) else n_new


def renumber_documents(files: Files, begins: np.ndarray, ends: np.ndarray, first: np.ndarray) -> None:
    """Give new documents their numbers: ``first`` is the (n_files,) first one of the new documents of each file."""
    library = _library()
    if library is not None:
        addresses = [array.ctypes.data for array in (begins, ends, first)]
        library.tiecore_renumber(files.parts.ctypes.data, len(first), *addresses)


def changes_of_ids(ids: Ids, n_rows: int) -> np.ndarray | None:
    """Rows, ascending, whose id is not that of the row before."""
    library = _library()
    if library is None:
        return None
    found, nothing = np.empty(n_rows, dtype=np.int64), np.zeros(0, dtype=np.int64)
    part = np.array(_part(ids, nothing, nothing), dtype=np.int64)
    return found[: library.tiecore_changes(part.ctypes.data, n_rows, found.ctypes.data)]


def ranks_of_ids(ids: Ids, group: np.ndarray) -> np.ndarray | None:
    """(n_rows,) ranks of ids by bytes inside groups, from 0; the numbers of the groups ascend."""
    library = _library()
    if library is None:
        return None
    group, rank = np.ascontiguousarray(group, dtype=np.int64), np.empty(len(group), dtype=np.int64)
    part = np.array(_part(ids, group, rank), dtype=np.int64)
    failed = library.tiecore_rank(part.ctypes.data, group.ctypes.data, len(group), rank.ctypes.data)
    return None if failed else rank


def sort(numbers: np.ndarray, low_bits: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Numbers of an unsigned type of 32 or 64 bits in ascending order, and the (n_numbers,) stable order of them.

    Takes less time where all but the low bits ascend already.
    """
    library = _library()
    if library is None:
        return None
    numbers = np.ascontiguousarray(numbers)
    ordered, order = np.empty_like(numbers), np.empty(len(numbers), dtype=np.int64)
    source, *targets = [array.ctypes.data for array in (numbers, ordered, order)]
    failed = library.tiecore_sort(source, numbers.itemsize == 8, len(numbers), low_bits, *targets)
    return None if failed else (ordered, order)


def cut(packed: np.ndarray, query_shift: int, level_bits: int) -> tuple[np.ndarray, ...] | None:
    """Cut sorted numbers of query, keys and level, of an unsigned type of 32 or 64 bits, where they change.

    Returns
    -------
    query, above, size, first_cell, cell_level, cell_count, first_of_query, further_cells
        As :class:`tiecore.ties.cut.Cut` says.
    """
    library = _library()
    if library is None:
        return None
    packed = np.ascontiguousarray(packed)
    numbers, kind = packed.ctypes.data, (packed.itemsize == 8, query_shift, level_bits)
    begins, n_found = np.empty(len(packed) + 1, dtype=np.int64), np.zeros(3, dtype=np.int64)
    library.tiecore_find_cells(numbers, len(packed), *kind, begins.ctypes.data, n_found.ctypes.data)
    n_cells, n_groups, n_queries = n_found.tolist()
    n_members = [n_groups] * 4 + [n_cells] * 2 + [n_queries, n_cells - n_groups]
    arrays = tuple(np.empty(length, dtype=np.int64) for length in n_members)
    addresses = np.array([array.ctypes.data for array in arrays], dtype=np.int64)
    library.tiecore_cut(numbers, *kind, begins.ctypes.data, n_cells, addresses.ctypes.data)
    return arrays


def cut_counts(
    query: np.ndarray, scores: np.ndarray, level: np.ndarray, count: np.ndarray, *, is_ascending: bool, depth: int
) -> tuple[np.ndarray, ...] | None:
    """Cut rows of counts where query and score change, as far as a group begins among so many documents.

    Declines if they do not stand by query and score, the best first, or if their numbers are of an unusual kind.

    Parameters
    ----------
    query, scores, level, count
        (n_rows,) whole numbers, query and level from 0; scores may be float64.
    is_ascending
        Whether low scores are better.
    depth
        Documents of a query.

    Returns
    -------
    query, above, size, first_cell, cell_level, cell_count, first_of_query, further_cells
        As :class:`tiecore.ties.cut.Cut` says.
    """
    library, rows = _library(), _counts(query, scores, level, count)
    if library is None or rows is None:
        return None
    arrays, n_found = _room(8, len(query)), np.zeros(3, dtype=np.int64)
    found, pointer = _addresses(arrays), n_found.ctypes.data
    if library.tiecore_cut_counts(rows.ctypes.data, len(query), is_ascending, depth, found.ctypes.data, pointer):
        return None
    n_cells, n_groups, n_queries = n_found.tolist()
    n_members = [n_groups] * 4 + [n_cells] * 2 + [n_queries, n_cells - n_groups]
    return tuple(array[:length] for array, length in zip(arrays, n_members, strict=True))


def add_up(
    query: np.ndarray, level: np.ndarray, count: np.ndarray, *, first_query: int, n_queries: int, n_levels: int
) -> np.ndarray | None:
    """(n_queries, n_levels) int64 documents of each query, from the first one on, and level; rows as for cutting."""
    library, rows = _library(), _counts(query, query, level, count)
    if library is None or rows is None:
        return None
    documents = np.zeros((n_queries, n_levels), dtype=np.int64)
    shape = first_query, n_queries, n_levels
    failed = library.tiecore_add_up(rows.ctypes.data, len(query), *shape, documents.ctypes.data)
    return None if failed else documents


def cells_apart(groups: Groups, *, is_reversed: bool, depth: int) -> tuple[np.ndarray, ...] | None:
    """Take every cell as a group of its own, as far as it then begins among so many documents of its query.

    Parameters
    ----------
    groups
        The groups.
    is_reversed
        Whether the last cell of a group comes first.
    depth
        Documents of a query.

    Returns
    -------
    group, query, above, level, count
        (n_found,) each.
    """
    library = _library()
    if library is None:
        return None
    source, *shape = _groups(groups)
    group, query, above, level, count = found = _room(5, len(groups.cell_count))
    target = _addresses((query, above, count, count, level, count))
    addresses = (target.ctypes.data, group.ctypes.data)
    n_found = library.tiecore_cells_apart(source.ctypes.data, *shape, is_reversed, depth, *addresses)
    return tuple(array[:n_found] for array in found)


def totals(groups: Groups, value: np.ndarray) -> np.ndarray | None:
    """(n_groups,) sums over the documents of each group of a value that belongs to their level: (n_levels,)."""
    library = _library()
    if library is None:
        return None
    (source, *shape), total = _groups(groups), np.empty(len(groups.size))
    value = np.ascontiguousarray(value, dtype=np.float64)
    library.tiecore_totals(source.ctypes.data, *shape, value.ctypes.data, total.ctypes.data)
    return total


def squares(groups: Groups, value: np.ndarray, total: np.ndarray) -> np.ndarray | None:
    """Sums of the squared deviations of that value from its mean in each group of several cells, given ``totals()``."""
    library = _library()
    if library is None:
        return None
    (source, *shape), found = _groups(groups), np.empty(len(groups.size))
    value, total = (np.ascontiguousarray(array, dtype=np.float64) for array in (value, total))
    addresses = [array.ctypes.data for array in (value, total, found)]
    return found[: library.tiecore_squares(source.ctypes.data, *shape, *addresses)]


def place(key: np.ndarray, level: np.ndarray, size: np.ndarray) -> np.ndarray | None:
    """(n_documents,) uint32 levels in the order of a key; declines if it does not number the documents of each group.

    ``key``, ``level``: (n_documents,) whole numbers from 0, and uint32 levels below ``NOTHING``, one group behind the
    other. ``size``: (n_groups,) int64 documents of each group.
    """
    library = _library()
    if library is None:
        return None
    key = np.ascontiguousarray(key).astype(np.uint64, copy=False)
    level, size = np.ascontiguousarray(level), np.ascontiguousarray(size)
    ordered = np.full(len(level), NOTHING, dtype=np.uint32)
    addresses = [array.ctypes.data for array in (key, level, size)]
    return None if library.tiecore_place(*addresses, len(size), ordered.ctypes.data) else ordered


def repeat(values: np.ndarray, times: np.ndarray, *, step: int) -> np.ndarray | None:
    """Each value as many times as it says, and each time so much more; declines if these are not 64-bit numbers.

    Parameters
    ----------
    values
        (n_values,) int64, or float64 with a step of 0.
    times
        (n_values,) int64, from 0.
    step
        What is added to a whole number each time.
    """
    library = _library()
    if library is None or values.itemsize != 8 or times.dtype != np.int64:
        return None
    values, times = np.ascontiguousarray(values), np.ascontiguousarray(times)
    repeated = np.empty(int(times.sum()), dtype=values.dtype)
    source, n_times, target = [array.ctypes.data for array in (values, times, repeated)]
    library.tiecore_repeat(source, n_times, len(values), step, target, len(repeated))
    return repeated


def _part(ids: Ids, query: np.ndarray, document: np.ndarray) -> tuple[int, ...]:
    """Addresses as the compiled code expects them."""
    row = 0 if ids.row is None else ids.row.ctypes.data
    return ids.texts, ids.ends.ctypes.data, row, query.ctypes.data, ids.ends.itemsize == 8, document.ctypes.data


def _counts(query: np.ndarray, scores: np.ndarray, level: np.ndarray, count: np.ndarray) -> np.ndarray | None:
    """Rows of counts as the compiled code expects them; None where their numbers are of another kind."""
    columns = query, scores, level, count
    kinds = "".join(column.dtype.kind for column in columns)
    is_usual = kinds == "iiui" or (kinds == "ifui" and scores.itemsize == 8)
    if not is_usual or not all(column.flags.c_contiguous for column in columns):
        return None
    n_bytes = [0 if column.dtype.kind == "f" else column.itemsize for column in columns]
    return np.array([*(column.ctypes.data for column in columns), *n_bytes], dtype=np.int64)


def _groups(groups: Groups) -> tuple[np.ndarray, int, int]:
    """Groups as the compiled code expects them, how many they are, and how many cells they have."""
    return _addresses(groups), len(groups.size), len(groups.cell_count)


def _room(n_arrays: int, length: int) -> tuple[np.ndarray, ...]:
    return tuple(np.empty(length, dtype=np.int64) for _ in range(n_arrays))


def _addresses(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Addresses of the arrays of a cut, or of the first of them."""
    return np.array([*(array.ctypes.data for array in arrays), *[0] * (8 - len(arrays))], dtype=np.int64)


class _Owned:
    """A column that the library has allocated, as memory that NumPy understands; freed with the last array of it."""

    def __init__(self, library: ctypes.CDLL, address: int, length: int, dtype: np.dtype[Any]) -> None:
        self._free, self._address = library.tiecore_free, address
        self.__array_interface__ = {"data": (address, False), "shape": (length,), "typestr": dtype.str, "version": 3}

    def __del__(self) -> None:
        self._free(self._address)


def _taken(library: ctypes.CDLL, reader: int, place: int) -> np.ndarray:
    dtype = list(_COLUMNS.values())[place]
    n_bytes = ctypes.c_int64()
    address = library.tiecore_take(reader, place, ctypes.byref(n_bytes))
    if not address:
        return np.zeros(0, dtype)
    return np.asarray(_Owned(library, address, n_bytes.value // dtype.itemsize, dtype))


@cache
def _library() -> ctypes.CDLL | None:
    """Load the library, if it was made from the source that lies beside it."""
    if os.environ.get("TIECORE_KERNEL") == "off":
        return None
    try:
        library = ctypes.CDLL(str(BUILT))
        made_from = ctypes.c_char_p.in_dll(library, "tiecore_source").value
        if made_from != f"{zlib.crc32(SOURCE.read_bytes()):08x}".encode():
            return None
    except (OSError, ValueError):  # not built here, built for another machine, or something else of this name
        return None
    pointer, number, word = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
    for name, result, arguments in (
        ("tiecore_open", pointer, [number, word]),
        ("tiecore_read_file", number, [pointer, number, word]),
        ("tiecore_several_tags", number, [pointer]),
        ("tiecore_take", pointer, [pointer, number, pointer]),
        ("tiecore_close", None, [pointer]),
        ("tiecore_free", None, [pointer]),
        ("tiecore_number", number, [pointer, word, pointer, pointer, pointer]),
        ("tiecore_renumber", None, [pointer, word, pointer, pointer, pointer]),
        ("tiecore_changes", word, [pointer, word, pointer]),
        ("tiecore_rank", number, [pointer, pointer, word, pointer]),
        ("tiecore_sort", number, [pointer, number, word, number, pointer, pointer]),
        ("tiecore_find_cells", None, [pointer, word, number, number, number, pointer, pointer]),
        ("tiecore_cut", None, [pointer, number, number, number, pointer, word, pointer]),
        ("tiecore_cut_counts", number, [pointer, word, number, word, pointer, pointer]),
        ("tiecore_cells_apart", word, [pointer, word, word, number, word, pointer, pointer]),
        ("tiecore_add_up", number, [pointer, word, word, word, word, pointer]),
        ("tiecore_totals", None, [pointer, word, word, pointer, pointer]),
        ("tiecore_squares", word, [pointer, word, word, pointer, pointer, pointer]),
        ("tiecore_repeat", None, [pointer, pointer, word, word, pointer, word]),
        ("tiecore_place", number, [pointer, pointer, pointer, word, pointer]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
