"""trec_eval's names of measures, and what tiecore calls them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tiecore.errors import TiecoreError, shortened
from tiecore.measures import Measure, measure

_DEPTHS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_RECALLS = (*(f"0.{tenth}" for tenth in range(10)), "1.0")

_FAMILIES = (
    *("map", "gm_map", "map_cut", "P", "recall", "success", "recip_rank", "Rprec", "bpref", "ndcg", "ndcg_cut"),
    *("iprec_at_recall", "set_P", "set_relative_P", "set_recall", "set_F", "set_map"),
    *("num_q", "num_ret", "num_rel", "num_rel_ret"),
)
"""In the order of trec_eval."""
_NUMBERS: dict[str, tuple[str, ...]] = {
    "map_cut": _DEPTHS,
    "P": _DEPTHS,
    "recall": _DEPTHS,
    "success": ("1", "5", "10"),
    "ndcg_cut": _DEPTHS,
    "iprec_at_recall": _RECALLS,
}
"""Numbers behind the name of a family, unless others are given."""
_OFFICIAL = "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "num_q num_ret num_rel num_rel_ret set_P set_relative_P set_recall set_F set_map"

supported_measures = set(_FAMILIES)
"""trec_eval's names of the measures that tiecore computes."""
supported_nicknames = {"official": {*_OFFICIAL.split()}, "set": {*_SET.split()}, "all_trec": set(_FAMILIES)}
"""trec_eval's names of sets of measures; each stands for those of them that tiecore computes."""


def parsed(names: Iterable[str], relevance_level: int) -> dict[str, Measure]:
    """Return the measures by the names that trec_eval prints, in its order, whatever the order of a set."""
    points: dict[str, list[str]] = {}
    for name in names:
        for member in supported_nicknames.get(name, {name}):
            family, numbers = _split(member)
            points.setdefault(family, []).extend(numbers)
    found: dict[str, Measure] = {}
    level: dict[str, Any] = {"rel": relevance_level}
    for family in filter(points.__contains__, _FAMILIES):
        defaults = _NUMBERS.get(family, ("",))
        for number in sorted(set(points[family]), key=float) or defaults:
            one = measure(f"{family}_{number}" if number else family)
            printed = f"{float(number):.2f}" if defaults is _RECALLS else number
            if getattr(one, "rel", None) is not None:
                one = replace(one, **level)
            found[f"{family}_{printed}" if number else family] = one
    return found


def _split(name: str) -> tuple[str, list[str]]:
    """Part ``P.5,10`` into the family and its numbers, in one spelling each."""
    if name in supported_measures:
        return name, []
    found = re.fullmatch(r"(.+?)[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)", name)
    family, numbers = found.groups() if found else ("", "")
    if family not in _NUMBERS:
        known = ", ".join(sorted({*supported_measures, *supported_nicknames}))
        raise TiecoreError(f"measure {shortened(name)} is not supported: there are {known}, and cut-offs such as P_7")
    return family, [str(float(n) if "." in n else int(n)) for n in numbers.split(",")]
