"""The two ways to read and to match: NumPy and Arrow alone, or the compiled library, where it is there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest

from tiecore.formats.records import Kind, Records
from tiecore.kernel import library

COMPILED = pytest.mark.skipif(not library.is_there(), reason="the library is not compiled here")
WAYS = ["arrow", pytest.param("library", marks=COMPILED)]
EVERY_WAY = ("arrow", "library") if library.is_there() else ("arrow",)


def records(
    rows: list[tuple[str, str]], *, source: str = "f", kind: Kind = "run", large: bool = False, **columns: Any
) -> Records:
    """Return rows as a reader would, and behind others in the same buffers, as slices of a table are."""
    text = pa.large_string() if large else pa.string()
    query = pa.array(["head", *(query for query, _ in rows)], pa.string()).dictionary_encode()[1:]
    document = pa.array(["head", *(document for _, document in rows)], text)[1:]
    return Records(source=source, kind=kind, query=query, document=document, **columns)


@contextmanager
def way(name: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if name == "arrow":
            patch.setattr(library, "_library", lambda: None)
        yield


def alike(found: Callable[[], object]) -> object:
    """Return what each way finds, which is the same."""
    every = []
    for name in EVERY_WAY:
        with way(name):
            every.append(found())
    assert all(one == every[0] for one in every)
    return every[0]
