"""Files written for tests, and what was read of them."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tiecore.formats import Records

UNTIDY: list[Callable[[bytes], bytes]] = [
    lambda data: data,
    lambda data: data.replace(b" ", b"\t"),
    lambda data: data.replace(b" ", b"  \t "),
    lambda data: data.replace(b"\n", b"\r\n"),
    lambda data: data.replace(b"\n", b" \r\n"),
    lambda data: data.replace(b"\n", b" \t\n"),
    lambda data: data.replace(b" ", b"\t").replace(b"\n", b"\t\n"),
    lambda data: b"  " + data.replace(b"\n", b"\n\t "),
    lambda data: data.rstrip(b"\n"),
    lambda data: data.rstrip(b"\n") + b"  ",
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: b"\n\n" + data.replace(b"\n", b"\n\n  \n"),
]
"""What blanks and ends of lines may become in a file whose fields are separated by blanks."""


def as_parquet(columns: dict[str, Any], **options: Any) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def ids(records: Records) -> list[tuple[str, str]]:
    return list(zip(records.query.to_pylist(), records.document.to_pylist(), strict=True))


def features(records: Records) -> dict[str, list[float | None]]:
    """Scores by feature; None where it does not score."""
    return {
        name: [None if np.isnan(value) else value for value in values.tolist()]
        for name, values in records.features.items()
    }


def grades(records: Records) -> list[int]:
    assert records.grades is not None
    assert records.grades.dtype == np.int64
    return records.grades.tolist()


def lines(records: Records) -> list[int]:
    return [records.line(row) for row in range(len(records.query))]
