"""The ways to read and to match: NumPy and Arrow alone, the compiled library, and a stand-in for it in plain Python.

The stand-in does what the library does and declines what it may decline, so that the code around the library is tested
where there is no compiler too.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby, pairwise

import numpy as np
import pytest

from tiecore.kernel import library
from tiecore.kernel.library import Files, Groups, Ids, Lines

__all__ = ["WAYS", "way"]

HAS_LIBRARY = library.is_there()
WAYS = [
    "numpy",
    "stand-in",
    pytest.param("library", marks=pytest.mark.skipif(not HAS_LIBRARY, reason="the library is not compiled here")),
]
DECIMAL = re.compile(r"-?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,4})?", re.ASCII)


@contextmanager
def way(name: str) -> Iterator[None]:
    """Go one of the ways for a while."""
    with pytest.MonkeyPatch.context() as patch:
        if name != "library":
            patch.setattr(library, "is_there", lambda: name == "stand-in")
            for function in STAND_INS:
                patch.setattr(library, function.__name__, function if name == "stand-in" else decline)
        yield


def decline(*_: object, **__: object) -> None:
    """Do nothing, as where there is no library."""


def read_lines(file: int, *, is_run: bool, n_bytes: int, most: int) -> Lines | None:
    """Read a plain file; None where there is anything unusual in it."""
    with os.fdopen(os.dup(file), "rb") as stream:
        data = stream.read()
    if len(data) > most or not data.isascii() or re.search(rb"[\0-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)", data):
        return None
    rows = [re.findall(r"[^ \t\r]+", line) for line in data.decode().removesuffix("\n").split("\n")]
    if any(len(row) != (6 if is_run else 4) for row in rows):
        return None
    number = r"-?(0|[1-9]\d{0,13})" if is_run else r"[-+]?\d{1,14}"
    if not all(re.fullmatch(number, row[3], re.ASCII) and row[3] != "-0" for row in rows):
        return None
    if is_run and not all(DECIMAL.fullmatch(row[4]) and abs(float(row[4])) < 2**53 for row in rows):
        return None
    codes = {query: code for code, query in enumerate(dict.fromkeys(row[0] for row in rows))}
    query_ends, query_texts = _texts(list(codes))
    document_ends, document_texts = _texts([row[2] for row in rows])
    tags = {row[5] for row in rows} if is_run else set()
    whole = np.array([int(row[3]) for row in rows], dtype=np.int64)
    return Lines(
        query=np.array([codes[row[0]] for row in rows], dtype=np.int32),
        query_ends=query_ends,
        query_texts=query_texts,
        document_ends=document_ends,
        document_texts=document_texts,
        value=np.array([float(row[4]) for row in rows]) if is_run else whole,
        rank=whole if is_run else None,
        tag=tags.pop() if len(tags) == 1 else None,
    )


def _texts(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return ends, np.frombuffer("".join(texts).encode(), dtype=np.uint8)


def number_documents(files: Files, begins: np.ndarray, ends: np.ndarray) -> np.ndarray | None:
    """Number the documents with a dict; None where a file names one twice."""
    known: dict[tuple[int, bytes], int] = {}
    n_new = np.zeros(len(files.files), dtype=np.int64)
    for file, own in enumerate(files.files):
        seen = set()
        texts = _texts_of(own.ids, range(begins[file], ends[file]))
        for kept, text in zip(range(begins[file], ends[file]), texts, strict=True):
            key = int(own.query[kept]), text
            if key in seen:
                return None
            seen.add(key)
            if file == 0:
                known[key] = kept if own.ids.row is None else int(own.ids.row[kept])
            elif key not in known:
                known[key] = -1 - (int(n_new[file]) * len(n_new) + file)
                n_new[file] += 1
            own.document[kept] = known[key]
    return n_new


def renumber_documents(files: Files, begins: np.ndarray, ends: np.ndarray, first: np.ndarray) -> None:
    """Give new documents their numbers."""
    for file, own in enumerate(files.files):
        for kept in range(begins[file], ends[file]):
            if own.document[kept] < 0:
                place, namer = divmod(-1 - int(own.document[kept]), len(first))
                own.document[kept] = first[namer] + place


def changes_of_ids(ids: Ids, n_rows: int) -> np.ndarray:
    """Compare each id with the one before."""
    texts = [None, *_texts_of(ids, range(n_rows))]
    return np.array([row for row, both in enumerate(pairwise(texts)) if both[0] != both[1]], dtype=np.int64)


def ranks_of_ids(ids: Ids, group: np.ndarray) -> np.ndarray:
    """Rank ids by bytes inside groups."""
    texts = _texts_of(ids, range(len(group)))
    rank = np.empty(len(group), dtype=np.int64)
    for place, row in enumerate(sorted(range(len(group)), key=lambda row: (group[row], texts[row]))):
        rank[row] = place - np.searchsorted(group, group[row])
    return rank


def _texts_of(ids: Ids, kept: range) -> list[bytes]:
    rows = kept if ids.row is None else ids.row[kept.start : kept.stop].tolist()
    ends = [(int(ids.ends[row]), int(ids.ends[row + 1])) for row in rows]
    return [ctypes.string_at(ids.texts + begin, end - begin) if end > begin else b"" for begin, end in ends]


def sort(numbers: np.ndarray, low_bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Sort numbers, and say where each came from."""
    order = np.argsort(numbers, kind="stable")
    return numbers[order], order


def cut(packed: np.ndarray, query_shift: int, level_bits: int) -> tuple[np.ndarray, ...]:
    """Walk through sorted numbers."""
    groups: dict[int, tuple[int, int, int, int]] = {}  # by all of the number but the level
    cells: list[tuple[int, int]] = []
    n_above: dict[int, int] = {}
    first_of_query, further_cells = [], []
    for number, members in groupby(packed.tolist()):
        rank, query, count = number >> level_bits, number >> query_shift, len(list(members))
        if query not in n_above:
            first_of_query.append(len(groups))
        if rank in groups:
            further_cells.append(len(cells))
        _, above, size, first_cell = groups.get(rank, (query, n_above.get(query, 0), 0, len(cells)))
        groups[rank] = query, above, size + count, first_cell
        n_above[query] = n_above.get(query, 0) + count
        cells.append((number & (1 << level_bits) - 1, count))
    return (
        *np.array(list(groups.values()), dtype=np.int64).reshape(-1, 4).T,
        *np.array(cells, dtype=np.int64).reshape(-1, 2).T,
        np.array(first_of_query, dtype=np.int64),
        np.array(further_cells, dtype=np.int64),
    )


def cut_counts(
    query: np.ndarray, scores: np.ndarray, level: np.ndarray, count: np.ndarray, *, is_ascending: bool, depth: int
) -> tuple[np.ndarray, ...] | None:
    """Walk through rows of counts."""
    if not _is_usual(query, scores, level, count):
        return None
    sign = -1 if is_ascending else 1
    keys = [(one, -sign * score) for one, score in zip(query.tolist(), scores.tolist(), strict=True)]
    if any(not key <= behind for key, behind in pairwise(keys)):
        return None
    groups: list[tuple[int, int, int, int]] = []
    cells: list[tuple[int, int]] = []
    n_above: dict[int, int] = {}
    first_of_query: list[int] = []
    further_cells: list[int] = []
    rows = zip(keys, level.tolist(), count.tolist(), strict=True)
    for (own, _), members in groupby(rows, key=lambda row: row[0]):
        of_level: dict[int, int] = {}
        for _, grade, n in members:
            if sum(known > grade for known in of_level) > 64:
                return None
            of_level[grade] = of_level.get(grade, 0) + n
        size, above = sum(of_level.values()), n_above.get(own, 0)
        n_above[own] = above + size
        if above < depth:
            first_of_query += [] if above else [len(groups)]
            further_cells += range(len(cells) + 1, len(cells) + len(of_level))
            groups.append((own, above, size, len(cells)))
            cells += sorted(of_level.items())
    return (
        *np.array(groups, dtype=np.int64).reshape(-1, 4).T,
        *np.array(cells, dtype=np.int64).reshape(-1, 2).T,
        np.array(first_of_query, dtype=np.int64),
        np.array(further_cells, dtype=np.int64),
    )


def add_up(
    query: np.ndarray, level: np.ndarray, count: np.ndarray, *, first_query: int, n_queries: int, n_levels: int
) -> np.ndarray | None:
    """Add up row by row."""
    if not _is_usual(query, query, level, count):
        return None
    documents = np.zeros((n_queries, n_levels), dtype=np.int64)
    for one, grade, n in zip((query - first_query).tolist(), level.tolist(), count.tolist(), strict=True):
        if not (0 <= one < n_queries and grade < n_levels):
            return None
        documents[one, grade] += n
    return documents


def _is_usual(query: np.ndarray, scores: np.ndarray, level: np.ndarray, count: np.ndarray) -> bool:
    kinds = [column.dtype.kind for column in (query, scores, level, count)]
    return kinds[1:] in (["i", "u", "i"], ["f", "u", "i"]) and kinds[0] == "i" and scores.dtype != np.float32


def cells_apart(groups: Groups, *, is_reversed: bool, depth: int) -> tuple[np.ndarray, ...]:
    """Walk through the cells of each group."""
    found = []
    for group, own in enumerate(_cells(groups)):
        above = int(groups.above[group])
        for level, count in own[::-1] if is_reversed else own:
            if above < depth:
                found.append((group, int(groups.query[group]), above, level, count))
            above += count
    return tuple(np.array(found, dtype=np.int64).reshape(-1, 5).T)


def totals(groups: Groups, value: np.ndarray) -> np.ndarray:
    """Add up group by group."""
    return np.array([sum(float(value[level]) * count for level, count in own) for own in _cells(groups)])


def squares(groups: Groups, value: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Add up the squares of groups of several cells."""
    means = total / groups.size
    return np.array(
        [
            sum(count * (float(value[level]) - mean) ** 2 for level, count in own)
            for own, mean in zip(_cells(groups), means.tolist(), strict=True)
            if len(own) > 1
        ]
    )


def _cells(groups: Groups) -> list[list[tuple[int, int]]]:
    """Level and documents of the cells of each group."""
    cells = list(zip(groups.cell_level.tolist(), groups.cell_count.tolist(), strict=True))
    return [cells[begin:end] for begin, end in pairwise([*groups.first_cell.tolist(), len(cells)])]


def place(key: np.ndarray, level: np.ndarray, size: np.ndarray) -> np.ndarray | None:
    """Sort each group by its key, which must number its documents."""
    ordered: list[int] = []
    for end, n_own in zip(np.cumsum(size).tolist(), size.tolist(), strict=True):
        own = sorted(zip(key[end - n_own : end].tolist(), level[end - n_own : end].tolist(), strict=True))
        if [number for number, _ in own] != list(range(own[0][0], own[0][0] + n_own)):
            return None
        ordered += [grade for _, grade in own]
    return np.array(ordered, dtype=np.uint32)


def repeat(values: np.ndarray, times: np.ndarray, *, step: int) -> np.ndarray | None:
    """Repeat value by value."""
    if values.itemsize != 8 or times.dtype != np.int64:
        return None
    pairs = zip(values.tolist(), times.tolist(), strict=True)
    return np.array([value + i * step for value, n_times in pairs for i in range(n_times)], dtype=values.dtype)


STAND_INS = (
    read_lines,
    number_documents,
    renumber_documents,
    changes_of_ids,
    ranks_of_ids,
    sort,
    cut,
    cut_counts,
    add_up,
    cells_apart,
    totals,
    squares,
    place,
    repeat,
)
