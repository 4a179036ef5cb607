"""Plain TREC files, read in one pass by compiled code; whatever is unusual in a file is left to the other readers."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError
from tiecore.formats.arrays import arrow_numbers
from tiecore.formats.records import Records
from tiecore.formats.sniff import sniff
from tiecore.formats.source import FOREIGN, Content, Source, label_of, stem_of
from tiecore.kernel import library

__all__ = ["read_lines"]

HEAD = 1 << 14
"""Bytes by which the kind of a file is recognised: far more than the first line has."""


def read_lines(
    source: Source, *, name: str | None, kind: Literal["qrels", "run"] | None, max_bytes: int
) -> Records | None:
    """Read a file of judgments or a run, or return None: it is something else, or to be read or refused elsewhere."""
    if not library.is_there() or not isinstance(source, str | os.PathLike):
        return None
    path, label = Path(source), label_of(source)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe can be read only once
            return None
        with path.open("rb", buffering=0) as file:
            shape = _shape(file.read(HEAD), label=label, path=path)
            if shape is None or (kind == "qrels" and shape == "run"):
                return None
            file.seek(0)
            n_bytes = os.fstat(file.fileno()).st_size
            lines = library.read_lines(file.fileno(), is_run=shape == "run", n_bytes=n_bytes, most=max_bytes)
    except (OSError, ValueError):
        return None
    return None if lines is None else _records(lines, shape, name=name, label=label)


def _shape(head: bytes, *, label: str, path: Path) -> Literal["qrels", "run"] | None:
    """Recognise a TREC file by its first line, as for any reader."""
    if b"\n" not in head or head.startswith((b"#", *FOREIGN)):
        return None
    content = Content(
        name=label, stem=stem_of(label), pieces=[bytearray(head)], path=path, on_disk=False, max_bytes=len(head)
    )
    try:
        shape = sniff(content)
    except FormatError:
        return None
    return shape if shape == "qrels" or shape == "run" else None


def _records(lines: library.Lines, shape: Literal["qrels", "run"], *, name: str | None, label: str) -> Records:
    stem = stem_of(label)
    queries = _texts(lines.query_ends, lines.query_texts)
    return Records(
        source=label,
        stem=stem,
        kind=shape,
        document=_texts(lines.document_ends, lines.document_texts),
        query=pa.DictionaryArray.from_arrays(arrow_numbers(lines.query), queries, safe=False),
        grades=lines.value if shape == "qrels" else None,
        features={name or lines.tag or stem: lines.value} if shape == "run" else {},
        rank=lines.rank,
    )


def _texts(ends: np.ndarray, texts: np.ndarray) -> pa.Array:
    return pa.StringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(texts))
