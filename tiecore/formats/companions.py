"""Files beside a LETOR file: sizes of its groups where it has no qid, names of its features."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

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


def query_of_groups(
    content: Content, given: GroupSizes | None, lines: np.ndarray, *, query: pa.DictionaryArray | None
) -> pa.DictionaryArray:
    """Number the queries of a file without qid by the rows that each has: given, or in FILE.query or FILE.group.

    ``lines``: (n_rows,) line of each row. ``query``: (n_rows,) the queries, where the file names them.
    """
    if query is not None:
        if given is not None:
            raise RowFault(0, "already has qid: in its lines; omit the group sizes")
        return query
    found = given if given is not None else _beside(content, ".query", ".group")
    if found is None:
        problem = "has no qid: after the grade; write one, or give group sizes (a file of rows per query)"
        raise RowFault(0, f"{problem}, found beside FILE as FILE.query or FILE.group")
    sizes = _sizes(found) if _is_source(found) else np.asarray(found, np.int64)
    if sizes.sum() != len(lines):
        problem = f"has {len(lines)} rows, but the group sizes add up to {sizes.sum()}; give those of this file"
        raise FormatError(content.name, None, problem)
    names = arrow_texts([str(group) for group in range(1, len(sizes) + 1)])
    return pa.DictionaryArray.from_arrays(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), names)


def _sizes(source: Source) -> np.ndarray:
    companion = open_source(source, name="group sizes", limits=LIMITS)
    sizes = []
    for number, line in enumerate(companion.data.decode(errors="replace").split("\n"), 1):
        for size in line.split():
            if not DIGITS.fullmatch(size):
                problem = f"expected how many rows a query has, found {shortened(size, 40)}"
                raise FormatError(companion.name, number, problem)
            sizes.append(int(size))
    return np.array(sizes, np.int64)


def names_of_features(content: Content, given: FeatureNames | None, *, numbers: Sequence[int]) -> dict[str, int]:
    """Map the name of each feature to its number: as given, or from ``STEM.features.json``, or just the number.

    A list names the features in order, from 1, or from 0 where the file has a feature 0; a mapping may leave some out.
    """
    found = given if given is not None else _beside(content, ".features.json")
    label, names = "feature names", found
    if _is_source(found):
        companion = open_source(found, name=label, limits=LIMITS)
        is_json = companion.data.lstrip().startswith((b"{", b"["))
        label = companion.name
        names = parse_json(companion) if is_json else companion.data.decode(errors="replace").split("\n")
    name_of = _by_number(names, numbers=numbers, file=label)
    spelled = [name_of.get(number, str(number)) for number in numbers]
    name, times = Counter(spelled).most_common(1)[0] if spelled else ("", 0)
    if times > 1:
        raise FormatError(label, None, f"two features are named {shortened(name)}; rename one")
    return dict(zip(spelled, numbers, strict=True))


def _by_number(names: Any, *, numbers: Sequence[int], file: str) -> dict[int, str]:
    if names is None:
        return {}
    if isinstance(names, Mapping):
        keys = {str(key): name for key, name in names.items()}
        if not all(map(DIGITS.fullmatch, keys)):
            raise FormatError(file, None, 'expected {"1": "name of feature 1", …}, found a key that is no number')
        name_of = {int(key): name for key, name in keys.items()}
    else:
        listed = [name.strip() if isinstance(name, str) else name for name in names]
        name_of = dict(enumerate([name for name in listed if name != ""], 0 if 0 in numbers else 1))
        missing = [number for number in numbers if number not in name_of]
        if missing:
            raise FormatError(file, None, f"names {len(name_of)} features, but there is one with number {missing[-1]}")
    if not all(isinstance(name, str) for name in name_of.values()):
        raise FormatError(file, None, "expected text as the name of each feature, found something else")
    return name_of


def _beside(content: Content, *endings: str) -> Path | None:
    """First file that stands beside the content and is called like it, with another ending."""
    if content.path is None:
        return None
    plain = content.path.with_suffix("") if content.path.suffix == ".gz" else content.path
    names = (content.path, plain, plain.with_suffix(""))
    candidates = (Path(f"{name}{ending}") for name in names for ending in endings)
    return next((path for path in candidates if path.is_file()), None)


def _is_source(given: object) -> TypeGuard[Source]:
    return isinstance(given, str | os.PathLike | bytes | bytearray) or hasattr(given, "read")
