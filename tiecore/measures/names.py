"""Names of measures: ``nDCG(dcg='exp-log2')@10`` to a value and back."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import fields

from tiecore.errors import TiecoreError, shortened
from tiecore.measures.average_precision import GMAP, AveragePrecision
from tiecore.measures.base import Measure
from tiecore.measures.bpref import Bpref
from tiecore.measures.expected_reciprocal_rank import ERR
from tiecore.measures.first_hit import ReciprocalRank, Success
from tiecore.measures.linear import CG, DCG, F1, NDCG, RBP, Judged, Precision, Recall, RPrecision
from tiecore.measures.search_length import ESL, PRR

__all__ = ["FAMILIES", "measure"]

FAMILIES: dict[str, type[Measure]] = {
    family.name: family
    for family in (
        Precision, Recall, F1, AveragePrecision, ReciprocalRank, NDCG, DCG, CG, Success,
        RPrecision, RBP, Judged, Bpref, ERR, ESL, PRR, GMAP,
    )
}  # fmt: skip
"""Every family of measures by the name that starts its names."""

_ALIASES = {
    "map": "AP", "mrr": "RR", "precision": "P", "recall": "R", "recip_rank": "RR", "gm_map": "GMAP", "ndcg": "nDCG",
    "map_cut": "AP", "ndcg_cut": "nDCG", "success": "Success",
}  # fmt: skip
_BY_LOWER_NAME = {name.lower(): name for name in FAMILIES} | _ALIASES

_NAME = re.compile(r"(?P<family>[A-Za-z_]+[A-Za-z]|[A-Za-z]|F1|f1)(?:\((?P<arguments>[^()]*)\))?(?:@(?P<cutoff>\d+))?")
_TREC_EVAL = re.compile(r"(?P<family>P|recall|ndcg_cut|map_cut|success)[_.](?P<cutoff>\d+)")
_ARGUMENT = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>[^,]+?)\s*")


def measure(name: str | Measure) -> Measure:
    """Read the name of a measure.

    Parameters
    ----------
    name
        ir_measures' spelling (``P@10``, ``AP(rel=2)``, ``nDCG(dcg='exp-log2')@10``) or trec_eval's (``map``, ``P_10``,
        ``ndcg_cut_10``); upper and lower case are not told apart. A measure is given back as it is.

    Examples
    --------
    >>> str(measure("ndcg_cut_10")), str(measure("AP(rel=2)@5"))
    ('nDCG@10', 'AP(rel=2)@5')
    """
    if isinstance(name, Measure):
        return name
    text = str(name).strip()
    found = _TREC_EVAL.fullmatch(text) or _NAME.fullmatch(text)
    family = FAMILIES.get(_BY_LOWER_NAME.get(found["family"].lower(), "")) if found else None
    if found is None or family is None:
        raise TiecoreError(f"unknown measure {shortened(text)}: {_suggestion(text)}")
    parameters = _arguments(family, found.groupdict().get("arguments"), text)
    if found["cutoff"]:
        # of thousands of digits, which Python does not read, the first tell enough: no cut-off is as large
        parameters["cutoff"] = int(found["cutoff"].lstrip("0")[:20] or 0)
    return family(**parameters)  # type: ignore[arg-type]  # checked by the family itself


def _arguments(family: type[Measure], text: str | None, name: str) -> dict[str, object]:
    known = [parameter.name for parameter in fields(family) if parameter.name != "cutoff"]
    values: dict[str, object] = {}
    for part in text.split(",") if text and text.strip() else ():
        found = _ARGUMENT.fullmatch(part)
        if found is None:
            raise TiecoreError(f"cannot read {shortened(part.strip())} in {shortened(name)}: expected parameter=value")
        if found["name"] not in known:
            options = f"it knows {', '.join(known)}" if known else "it has none"
            raise TiecoreError(f"{family.name} has no parameter {shortened(found['name'])}: {options}")
        try:
            value = ast.literal_eval(found["value"])
        except (ValueError, SyntaxError, RecursionError, MemoryError):  # thousands of signs or brackets
            value = found["value"]
        values[found["name"]] = value
    return values


def _suggestion(text: str) -> str:
    family, _, cutoff = text.partition("@")
    stem = re.split(r"[(@.]|_\d", family)[0].lower()
    close = difflib.get_close_matches(stem, _BY_LOWER_NAME, n=4, cutoff=0.4)
    named = dict.fromkeys(FAMILIES[_BY_LOWER_NAME[match]].name for match in close)
    if not named:
        return f"known are {', '.join(FAMILIES)}"
    ending = f"@{cutoff}" if cutoff.isdigit() else ""
    return f"did you mean {' or '.join(match + _cutoff_for(match, ending) for match in named)}?"


def _cutoff_for(family: str, wanted: str) -> str:
    rule = FAMILIES[family].cutoff_rule
    if rule == "none":
        return ""
    return wanted or ("@10" if rule == "required" else "")
