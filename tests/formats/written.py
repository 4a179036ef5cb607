"""Files written for tests, and what was read of them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tiecore.formats import Records


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
