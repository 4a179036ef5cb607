"""Names of measures: ``nDCG(dcg='exp-log2')@10`` to a value and back."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from inspect import isabstract

from tiecore.errors import TiecoreError, shortened
from tiecore.measures import (
    accuracy,
    average_precision,
    bejeweled,
    bpref,
    compatibility,
    expected_reciprocal_rank,
    first_hit,
    interpolated_precision,
    nearly_err,
    rank_weighted,
    search_length,
    sets,
)
from tiecore.measures.base import Measure

FAMILIES: dict[str, type[Measure]] = {
    name: family
    for module in (
        rank_weighted, average_precision, first_hit, expected_reciprocal_rank, bpref, search_length, accuracy,
        interpolated_precision, compatibility, bejeweled, nearly_err, sets,
    )
    for name, family in vars(module).items()
    if isinstance(family, type) and issubclass(family, Measure) and not isabstract(family) and name[0] != "_"
}  # fmt: skip
"""Every family of measures by the name that starts its names."""

_ALIASES = {
    "map": "AP", "mrr": "RR", "precision": "P", "recall": "R", "recip_rank": "RR", "gm_map": "GMAP", "ndcg": "nDCG",
    "map_cut": "AP", "ndcg_cut": "nDCG", "success": "Success", "set_p": "SetP", "set_recall": "SetR", "set_f": "SetF",
    "set_map": "SetAP", "num_ret": "NumRet", "num_rel": "NumRel", "num_q": "NumQ",
    "iprec_at_recall": "IPrec",
}  # fmt: skip
_SPELLED_OUT = {
    "setrelp": "SetP(relative=True)", "set_relative_p": "SetP(relative=True)",
    "numrelret": "NumRet(rel=1)", "num_rel_ret": "NumRet(rel=1)",
}  # fmt: skip
_BY_LOWER_NAME = {name.lower(): name for name in FAMILIES} | _ALIASES

_NAME = re.compile(r"(?P<family>[A-Za-z_]*[A-Za-z]\d{0,2})(?:\((?P<arguments>[^()]*)\))?(?:@(?P<at>\d*\.?\d+))?")
_TREC_EVAL = re.compile(r"(?P<family>P|recall|ndcg_cut|map_cut|success|iprec_at_recall)[_.](?P<at>\d*\.?\d+)")
_COMMA = re.compile(r",(?![^{]*\})")
"""Between arguments, not inside of braces."""
_ARGUMENT = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>.+?)\s*", re.DOTALL)


_LEFT_OUT = {
    r"inst\b": "the weight of a rank depends on all gains above it, through all ties at once",
    r"infap\b": "a document that was pooled but not judged can raise it, so no order by grade is its best or its worst",
    r"accuracy\b.*@": "with a cut-off, one relevant document more among the first can lower it",
    r"bpm\(.*(max|min)_rel": "with more than two gains no order by grade is its best or its worst; there is BPM(rel=1)",
    r"(alpha_n?dcg|n?err_ia|n?nrbp|ap_ia|p_ia|strecall)\b": "it needs subtopics",
}
"""Beginnings of names that ir_measures knows, and why there is no such measure here: docs/measures.md says more."""


def measure(name: object) -> Measure:
    """Read the name of a measure.

    Parameters
    ----------
    name
        ir_measures' spelling (``P@10``, ``AP(rel=2)``, ``nDCG(dcg='exp-log2')@10``) or trec_eval's (``map``, ``P_10``,
        ``ndcg_cut_10``); case is ignored. A measure is given back as it is, a class of measures
        as the one without parameters, and any other object is read by its text, so ir_measures' own objects will do.

    Examples
    --------
    >>> str(measure("ndcg_cut_10")), str(measure("AP(rel=2)@5"))
    ('nDCG@10', 'AP(rel=2)@5')
    """
    if isinstance(name, Measure):
        found = name
    elif isinstance(name, type) and issubclass(name, Measure):
        found = name()
    else:
        text = str(name).strip()
        text = _SPELLED_OUT.get(text.lower(), text)
        for beginning, reason in _LEFT_OUT.items():
            if re.match(beginning, text[:200], re.IGNORECASE):
                raise TiecoreError(f"{shortened(text)} is left out: {reason} (docs/measures.md)")
        parts = _TREC_EVAL.fullmatch(text) or _NAME.fullmatch(text)
        family = FAMILIES.get(_BY_LOWER_NAME.get(parts["family"].lower(), "")) if parts else None
        if parts is None or family is None:
            raise TiecoreError(f"unknown measure {shortened(text)}: {_suggestion(text)}")
        arguments = (parts.groupdict().get("arguments") or "").strip()
        parameters = _arguments(family, arguments, text) if arguments else {}
        if parts["at"]:
            if family.at == "cutoff" and "." in parts["at"]:
                raise TiecoreError(f"the cut-off of {text!r} is not a whole number")
            # of thousands of digits, which Python does not read, the first tell enough: no cut-off is as large
            digits = parts["at"].lstrip("0")[:20] or "0"
            parameters[family.at] = int(digits) if family.at == "cutoff" else float(digits)
        found = family(**parameters)  # type: ignore[arg-type]  # checked by the family itself
    at = found.at
    if getattr(found, at) is None and (at != "cutoff" or found.cutoff_rule == "required"):  # P(rel=2) is half a name
        wanted, ending = ("cut-off", "@10") if at == "cutoff" else (at, "")
        raise TiecoreError(f"{found.name} needs a {wanted}: for example {found.name}{found.usual}{ending}")
    return found


def _arguments(family: type[Measure], text: str, name: str) -> dict[str, object]:
    known = [parameter.name for parameter in fields(family) if parameter.name not in ("cutoff", family.at)]
    values: dict[str, object] = {}
    for part in _COMMA.split(text):
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
    import difflib  # for mistakes alone

    family, _, cutoff = text.partition("@")
    stem = re.split(r"[(@.]|_\d", family)[0].lower()
    close = difflib.get_close_matches(stem, _BY_LOWER_NAME, n=4, cutoff=0.4)
    named = dict.fromkeys(FAMILIES[_BY_LOWER_NAME[match]].name for match in close)
    if not named:
        return f"known are {', '.join(FAMILIES)}"
    given = f"@{cutoff}" if cutoff.isdigit() else ""
    ending = {"none": "", "optional": given, "required": given or "@10"}
    spelled = [name + FAMILIES[name].usual + ending[FAMILIES[name].cutoff_rule] for name in named]
    return f"did you mean {' or '.join(spelled)}?"
