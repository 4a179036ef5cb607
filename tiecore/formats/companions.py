"""Files beside a LETOR file: sizes of its groups where it has no qid, names of its features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, shortened
from tiecore.formats.arrays import arrow_texts
from tiecore.formats.json_dicts import parse_json
from tiecore.formats.limits import Limits
from tiecore.formats.numbers import RowFault
from tiecore.formats.source import Content, open_source

LIMITS = Limits(unpacked=1 << 27)
DIGITS = re.compile(r"[0-9]{1,10}")


def query_of_groups(content: Content, *, n_rows: int) -> pa.DictionaryArray:
    """Number the queries of a file without qid by the rows that each has, as FILE.query or FILE.group says."""
    beside = _beside(content, ".query", ".group")
    if beside is None:
        problem = "has no qid: after the grade; write one, or put a file with the rows of each query beside FILE"
        raise RowFault(0, f"{problem}, as FILE.query or FILE.group")
    text = beside.data.decode(errors="replace")
    wrong = next((size for size in text.split() if not DIGITS.fullmatch(size)), None)
    if wrong is not None:
        problem = f"expected how many rows a query has, found {shortened(wrong, 40)}"
        raise FormatError(beside.name, text.count("\n", 0, text.index(wrong)) + 1, problem)
    sizes = np.array(text.split(), np.int64)
    if sizes.sum() != n_rows:
        problem = f"has {n_rows} rows, but the group sizes in {beside.name} add up to {sizes.sum()}"
        raise FormatError(content.name, None, problem)
    names = arrow_texts([str(group) for group in range(1, len(sizes) + 1)])
    return pa.DictionaryArray.from_arrays(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), names)


def names_of_features(content: Content, *, numbers: Sequence[int]) -> dict[str, int]:
    """Map the name of each feature to its number: from ``STEM.features.json``, or just the number.

    A list names the features in order, from 1, or from 0 where the file has a feature 0; an object of number and name
    may leave some out.
    """
    beside = _beside(content, ".features.json")
    if beside is None:
        return {str(number): number for number in numbers}
    file, found = beside.name, parse_json(beside)
    if isinstance(found, list):
        found = {str(number): name for number, name in enumerate(found, 0 if 0 in numbers else 1)}
        if missing := [number for number in numbers if str(number) not in found]:
            raise FormatError(file, None, f"names {len(found)} features, but there is one with number {missing[-1]}")
    if not isinstance(found, dict) or not all(map(DIGITS.fullmatch, found)):
        raise FormatError(file, None, 'expected {"1": "name of feature 1", …} or a list of names, found something else')
    if not all(isinstance(name, str) for name in found.values()):
        raise FormatError(file, None, "expected text as the name of each feature, found something else")
    number_of: dict[str, int] = {}
    for number in numbers:
        name = found.get(str(number), str(number))
        if number_of.setdefault(name, number) != number:
            raise FormatError(file, None, f"two features are named {shortened(name)}; rename one")
    return number_of


def _beside(content: Content, *endings: str) -> Content | None:
    """Return what stands beside a file, with one of these endings."""
    if content.path is None:
        return None
    plain = content.path.with_suffix("") if content.path.suffix == ".gz" else content.path
    names = (content.path, plain, plain.with_suffix(""))
    candidates = (Path(f"{name}{ending}") for name in names for ending in endings)
    found = next((path for path in candidates if path.is_file()), None)
    return None if found is None else open_source(found, limits=LIMITS)
