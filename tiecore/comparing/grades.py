"""How far the grades of judges agree."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from tiecore.collection.inputs import QrelsInput, frame_of, read_records
from tiecore.errors import listed
from tiecore.formats.records import Records
from tiecore.stability.paired import LEVEL, alpha_of, holm, paired

_STRAY = 1000
_ON_BOTH: Any = {"on": ["query_id", "doc_id"], "suffixes": ("_a", "_b")}


def agreement_of_grades(judgments: Mapping[str, QrelsInput]) -> pd.DataFrame:
    """Return how far the grades of each two judges agree on the documents that both judged, if there are any.

    >>> human, model = {"q": {"a": 0, "b": 1, "c": 2, "d": 2}}, {"q": {"a": 0, "b": 1, "c": 1, "d": 2}}
    >>> agreement_of_grades({"human": human, "model": model}).round(3).to_dict("records")
    [{'n_documents': 4, 'equal': 0.75, 'kappa_unweighted': 0.636, 'kappa': 0.8}]
    """
    grades, rows = _grades_of(judgments), []
    for one, other in combinations(grades, 2):
        both = grades[one].merge(grades[other], **_ON_BOTH)
        if len(both):
            a, b = (both[grade].to_numpy() for grade in ("grade_a", "grade_b"))
            rows.append((one, other, len(both), float((a == b).mean()), kappa(a, b, weights="none"), kappa(a, b)))
    columns = ["judge_a", "judge_b", "n_documents", "equal", "kappa_unweighted", "kappa"]
    return pd.DataFrame(rows, columns=columns).set_index(columns[:2])


def stray_grades(judgments: Mapping[str, Records]) -> list[str]:
    """Return a sentence on each judge with grades above those of most others, in fewer than one of 1,000 judgments.

    ``judgments``: of more than one judge, else there is nothing to say.
    """
    grades = {name: own.grades for name, own in judgments.items() if own.grades is not None and len(own.grades)}
    found = []
    for name, own in grades.items():
        most = np.median([other.max() for key, other in grades.items() if key != name] or [np.inf])
        above = own[own > most]
        if 0 < _STRAY * len(above) < len(own):
            where = f"grades above {most:g}, where those of most other judges end"
            which = listed([*map(int, np.unique(above))])
            found.append(f"{name}: {where}, are {len(above)} of {len(own):,} ({which}): are they slips?")
    return found


def nearest(judgments: Mapping[str, QrelsInput], to: str) -> list[str]:
    """Return the judge with the highest quadratic kappa with another one, and those whose kappa is not clearly lower.

    Kappas are compared by paired t-tests on their jackknife values, each query left out in turn, adjusted by Holm; with
    fewer than six queries none is clear. Judges of no document that ``to`` judges are not among them.

    >>> human = {f"q{n}": {"a": 0, "b": 1, "c": 1 + n % 2} for n in range(9)}
    >>> strange = {query: {"a": 2, "b": 0, "c": 1} for query in human}
    >>> nearest({"human": human, "same": human, "strange": strange, "copy": human}, "human")
    ['same', 'copy']
    """
    grades = _grades_of(judgments)
    own = grades.pop(to)
    queries = own["query_id"].unique()
    found: dict[str, tuple[float, np.ndarray]] = {}
    for name, other in grades.items():
        both = own.merge(other, **_ON_BOTH).astype({"grade_a": float, "grade_b": float})
        if len(both):
            a, b = both["grade_a"], both["grade_b"]
            summed = both.assign(n=1.0, squares=a**2 + b**2, products=a * b).groupby("query_id").sum(numeric_only=True)
            sums = summed.reindex(queries, fill_value=0.0)
            of_all = float(_kappas(sums.sum()))
            left_out = _kappas(sums.sum() - sums)
            found[name] = of_all, len(queries) * of_all - (len(queries) - 1) * left_out
    names = sorted(found, key=lambda name: -found[name][0])
    if len(names) < 2:
        return names
    with_first = slice(len(names) - 1)
    p = holm(paired(np.array([found[name][1] for name in names]), span=None).plain_p[with_first])
    return [names[0], *(name for name, own_p in zip(names[1:], p, strict=True) if not own_p <= alpha_of(LEVEL))]


def _grades_of(judgments: Mapping[str, QrelsInput]) -> dict[str, pd.DataFrame]:
    """Return the grades of each judge with the ids of their queries and documents."""
    records = {name: read_records(name, given, "qrels") for name, given in judgments.items()}
    return {name: frame_of(own, {"grade": own.grades}) for name, own in records.items()}


def _kappas(sums: pd.DataFrame | pd.Series) -> np.ndarray:
    """Return quadratic kappas from sums over documents; 0, as by chance, where all grades are one.

    The sum of (a − b)² over what it is by chance, Σa² + Σb² − 2 Σa Σb / n.
    """
    by_chance = sums["squares"] - 2 * sums["grade_a"] * sums["grade_b"] / np.maximum(sums["n"], 1)
    apart = np.asarray(sums["squares"] - 2 * sums["products"])
    return np.asarray(1 - np.divide(apart, by_chance, out=np.ones_like(apart), where=np.asarray(by_chance) > 0))


def kappa(a: np.ndarray, b: np.ndarray, *, weights: Literal["quadratic", "none"] = "quadratic") -> float:
    """Return Cohen's kappa of two lists of grades; NaN where both are one and the same grade.

    1 − E d(a, b) / E d(a', b), the documents of a' put into a random order; d is (a − b)², or 1 where grades differ.

    >>> round(kappa(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])), 3)
    0.8
    """
    if weights == "quadratic":
        apart, by_chance = np.square(a - b).mean(), a.var() + b.var() + (a.mean() - b.mean()) ** 2
    else:
        shares = pd.Series(a).value_counts(normalize=True) * pd.Series(b).value_counts(normalize=True)
        apart, by_chance = (a != b).mean(), 1 - shares.sum()
    return float(1 - apart / by_chance) if by_chance else float("nan")
