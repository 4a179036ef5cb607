"""Files beside a LETOR file: sizes of its groups where it has no qid, names of its features."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, shortened
from tiecore.formats.arrays import arrow_texts
from tiecore.formats.json_dicts import parse_json
from tiecore.formats.limits import Limits
from tiecore.formats.numbers import RowFault
from tiecore.formats.source import Content, Source, open_source

__all__ = ["FeatureNames", "GroupSizes", "names_of_features", "query_of_groups"]

GroupSizes = Source | Sequence[int] | np.ndarray
FeatureNames = Source | Sequence[str] | Mapping[str, str] | Mapping[int, str]
LIMITS = Limits(unpacked=1 << 27)
DIGITS = re.compile(r"[0-9]{1,10}")


def query_of_groups(content: Content, given: GroupSizes | None, *, n_rows: int) -> pa.DictionaryArray:
    """Number the queries of a file without qid by the rows that each has: given, or in FILE.query or FILE.group."""
    found = _given(content, given, ".query", ".group", label="group sizes")
    if found is None:
        problem = "has no qid: after the grade; write one, or give group sizes (a file of rows per query)"
        raise RowFault(0, f"{problem}, found beside FILE as FILE.query or FILE.group")
    if isinstance(found, Content):
        text = found.data.decode(errors="replace")
        wrong = next((size for size in text.split() if not DIGITS.fullmatch(size)), None)
        if wrong is not None:
            problem = f"expected how many rows a query has, found {shortened(wrong, 40)}"
            raise FormatError(found.name, text.count("\n", 0, text.index(wrong)) + 1, problem)
        found = list(map(int, text.split()))
    sizes = np.asarray(found, np.int64)
    if sizes.sum() != n_rows:
        problem = f"has {n_rows} rows, but the group sizes add up to {sizes.sum()}; give those of this file"
        raise FormatError(content.name, None, problem)
    names = arrow_texts([str(group) for group in range(1, len(sizes) + 1)])
    return pa.DictionaryArray.from_arrays(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), names)


def names_of_features(content: Content, given: FeatureNames | None, *, numbers: Sequence[int]) -> dict[str, int]:
    """Map the name of each feature to its number: as given, or from ``STEM.features.json``, or just the number.

    A list names the features in order, from 1, or from 0 where the file has a feature 0; a mapping may leave some out.
    """
    file = "feature names"
    found = _given(content, given, ".features.json", label=file)
    if isinstance(found, Content):
        is_json, file = found.data.lstrip().startswith((b"{", b"[")), found.name
        found = parse_json(found) if is_json else found.data.decode(errors="replace").split("\n")
    if found is not None and not isinstance(found, Mapping):
        listed = [name.strip() if isinstance(name, str) else name for name in found]
        found = dict(enumerate([name for name in listed if name != ""], 0 if 0 in numbers else 1))
        if not set(numbers) <= set(found):
            raise FormatError(file, None, f"names {len(found)} features, but there is one with number {numbers[-1]}")
    name_of = {str(number): name for number, name in (found or {}).items()}
    if not all(map(DIGITS.fullmatch, name_of)):
        raise FormatError(file, None, 'expected {"1": "name of feature 1", …}, found a key that is no number')
    if not all(isinstance(name, str) for name in name_of.values()):
        raise FormatError(file, None, "expected text as the name of each feature, found something else")
    number_of: dict[str, int] = {}
    for number in numbers:
        name = name_of.get(str(number), str(number))
        if number_of.setdefault(name, number) != number:
            raise FormatError(file, None, f"two features are named {shortened(name)}; rename one")
    return number_of


def _given(content: Content, given: Any, *endings: str, label: str) -> Any:
    """Return what is given, or else stands beside the content, with another ending: opened where it is a source."""
    if given is None and content.path is not None:
        plain = content.path.with_suffix("") if content.path.suffix == ".gz" else content.path
        names = (content.path, plain, plain.with_suffix(""))
        candidates = (Path(f"{name}{ending}") for name in names for ending in endings)
        given = next((path for path in candidates if path.is_file()), None)
    if isinstance(given, str | os.PathLike | bytes | bytearray) or hasattr(given, "read"):
        return open_source(given, name=label, limits=LIMITS)
    return given
