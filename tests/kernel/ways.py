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
from itertools import pairwise

import numpy as np
import pytest

from tiecore.kernel import library
from tiecore.kernel.library import Files, Ids, Lines

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


STAND_INS = (
    read_lines,
    number_documents,
    renumber_documents,
    changes_of_ids,
    ranks_of_ids,
)
