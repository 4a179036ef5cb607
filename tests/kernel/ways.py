"""The ways to read and to match: NumPy and Arrow alone, the compiled library, and a stand-in for it in plain Python.

The stand-in does what the library does and declines what it may decline, so that the code around the library is tested
where there is no compiler too.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from tiecore.kernel import library
from tiecore.kernel.library import IdsOfFile, Lines

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
            patch.setattr(library, "read_lines", read_lines if name == "stand-in" else no_lines)
            patch.setattr(
                library, "first_rows_of_documents", first_rows_of_documents if name == "stand-in" else no_rows
            )
        yield


def no_lines(file: int, *, is_run: bool, n_bytes: int, most: int) -> Lines | None:
    """Decline, as where there is no library."""
    return None


def no_rows(files: Sequence[IdsOfFile], begins: Sequence[int], ends: Sequence[int]) -> np.ndarray | None:
    """Decline, as where there is no library."""
    return None


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


def first_rows_of_documents(
    files: Sequence[IdsOfFile], begins: Sequence[int], ends: Sequence[int]
) -> np.ndarray | None:
    """Find the first row of each document with a dict; None where a file names one twice."""
    first: dict[tuple[int, bytes], int] = {}
    origin: list[int] = []
    for own, begin, end in zip(files, begins, ends, strict=True):
        seen = set()
        for kept in range(begin, end):
            row = kept if own.row is None else own.row[kept]
            begin_of_text, length = int(own.ends[row]), int(own.ends[row + 1] - own.ends[row])
            text = ctypes.string_at(own.texts + begin_of_text, length) if length else b""
            key = int(own.query[kept]), text
            if key in seen:
                return None
            seen.add(key)
            origin.append(first.setdefault(key, len(origin)))
    return np.array(origin, dtype=np.int32)
