"""Files beside a LETOR file: sizes of its groups where it has no qid, names of its features."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from tiecore.errors import FormatError, shortened
from tiecore.formats.json_dicts import parse_json
from tiecore.formats.limits import Limits
from tiecore.formats.source import Content, Source, open_source

__all__ = ["FeatureNames", "GroupSizes", "group_sizes_of", "names_of_features"]

GroupSizes = Source | Sequence[int] | np.ndarray
FeatureNames = Source | Sequence[str] | Mapping[str, str] | Mapping[int, str]
LIMITS = Limits(unpacked=1 << 27)
WHOLE = re.compile(r"[-+]?[0-9]+")
LARGEST_NUMBER = 2**31


def group_sizes_of(content: Content, given: GroupSizes | None) -> np.ndarray | None:
    """(n_groups,) rows of each query, in the order of the file: as given, or from ``FILE.query`` or ``FILE.group``."""
    found = given if given is not None else _beside(content, ".query", ".group")
    if found is None:
        return None
    if not _is_source(found):
        return np.asarray(found, np.int64)
    companion = open_source(found, name="group sizes", limits=LIMITS)
    sizes = []
    for number, line in enumerate(companion.data.split(b"\n"), 1):
        for size in line.decode(errors="replace").split():
            if not WHOLE.fullmatch(size) or not 0 <= float(size) < LARGEST_NUMBER:
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
        label, names = companion.name, _parsed(companion)
    name_of = _by_number(names, numbers=numbers, file=label)
    named = {name_of.get(number, str(number)): number for number in numbers}
    if len(named) < len(numbers):
        spelled = [name_of.get(number, str(number)) for number in numbers]
        twice = next(name for name, times in Counter(spelled).items() if times > 1)
        raise FormatError(label, None, f"two features are named {shortened(twice)}; rename one")
    return named


def _parsed(companion: Content) -> Any:
    if companion.data.lstrip().startswith((b"{", b"[")):
        return parse_json(companion)
    return companion.data.decode(errors="replace").split("\n")


def _by_number(names: Any, *, numbers: Sequence[int], file: str) -> dict[int, str]:
    if names is None:
        return {}
    if isinstance(names, Mapping):
        keys = {str(key): name for key, name in names.items()}
        if not all(WHOLE.fullmatch(key) and len(key) < len(str(2**63)) for key in keys):
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
