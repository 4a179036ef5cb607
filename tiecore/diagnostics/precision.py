"""The effect of storing the scores of a feature in a coarser precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from tiecore.collection.rows import FeatureRows
from tiecore.diagnostics.shared import counted_queries, statistics_of, summaries
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import Values, places
from tiecore.measures import Measure
from tiecore.stability.paired import paired
from tiecore.threads import Progress, in_threads
from tiecore.ties.keys import is_scored

PRECISIONS = (
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "int8",
    *(f"decimals:{n}" for n in range(6, -1, -1)),
)
"""The usual precisions; float16 has 11 significant bits, bfloat16 has 8."""

_SAME = 1e-12
_NOISE = 0.05


def precision_curve(
    evaluation: Evaluation,
    feature: str,
    measure: str | Measure | None = None,
    *,
    precisions: Sequence[str] = PRECISIONS,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return the values of a feature with its scores rounded to coarser precisions: one row for each precision.

    Parameters
    ----------
    precisions
        ``float64``, ``float32``, ``float16``, ``bfloat16``; ``int8``: whole numbers from −127 to 127, the largest
        score of the feature being at an end; ``decimals:N``.

    Returns
    -------
    DataFrame
        Index ``precision``; columns ``values``, ``tied``, ``expected``, ``sd``, ``worst``, ``best``, ``spread``,
        ``change`` (of the expectation, from that in float64), ``p`` (of the paired t-test of this change that
        :func:`tiecore.stability.stability` makes of differences) and ``verdict``.
    """
    values = evaluation.values
    chosen = values.measure_or_only(measure)
    values.feature_position(feature)
    names = tuple(dict.fromkeys(precisions))

    def at(name: str) -> tuple[dict[str, float | str], np.ndarray]:
        return _rounded(values, feature, chosen, name)

    (_, exact), *found = in_threads(at, ("float64", *names), progress=progress)
    changes = [_change(exact, by_query, chosen) for _, by_query in found]
    rows = [row | change for (row, _), change in zip(found, changes, strict=True)]
    return pd.DataFrame(rows, index=pd.Index(names, name="precision"))


def precision_board(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    precision: str = "bfloat16",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return the leaderboard with the scores of every feature rounded to a coarser precision, beside that in float64.

    Index ``feature``, in order of the expectation in float64; columns ``exact`` and ``exact_place``: that expectation
    and its place, ``expected`` and ``place``: those of the rounded scores, then as :func:`precision_curve`.

    ``precision``: one of those of :func:`precision_curve`.
    """
    values = evaluation.values
    chosen = values.measure_or_only(measure)

    def of(feature: str) -> dict[str, float | str]:
        (_, exact), (row, rounded) = (_rounded(values, feature, chosen, name) for name in ("float64", precision))
        return {"exact": chosen.summarise(exact), **row, **_change(exact, rounded, chosen)}

    rows = in_threads(of, evaluation.features, progress=progress)
    table = pd.DataFrame(rows, index=pd.Index(evaluation.features, name="feature"))
    for column, place in (("exact", "exact_place"), ("expected", "place")):
        table.insert(list(table).index(column) + 1, place, places(chosen.sign * table[column].to_numpy()))
    return table.sort_values("exact_place", kind="stable")


def _rounded(values: Values, feature: str, measure: Measure, name: str) -> tuple[dict[str, float | str], np.ndarray]:
    """Return the values of a feature in a precision, and (n_counted,) its expectations."""
    counted = counted_queries(values, measure)
    rows = _stored_rows(values, feature, name)
    groups = rows.alignment.sort(rows)
    statistics = statistics_of(groups, measure)[:, counted]
    size = groups.size[counted[groups.query]]
    scores = rows.scores[counted[rows.query]]
    row: dict[str, float | str] = {
        "values": len(np.unique(scores[is_scored(scores)])),
        "tied": size[size > 1].sum() / max(1, size.sum()),
        **summaries(statistics, measure),
    }
    return row, statistics[0]


def _change(exact: np.ndarray, rounded: np.ndarray, measure: Measure) -> dict[str, float | str]:
    """Compare (n_counted,) expectations with those in float64."""
    change = measure.summarise(rounded) - measure.summarise(exact)
    test = paired(measure.averaged(np.array([exact, rounded])), span=measure.span)
    p = 1.0 if test.is_equal[0] else float(test.p[0])
    return {"change": change, "p": p, "verdict": _verdict(measure.sign * change, p)}


def _stored_rows(values: Values, feature: str, name: str) -> FeatureRows:
    stored_as, precision = _FORMATS.get(name), "float64" if name in _FORMATS else name
    try:
        rows = values.alignment.rows(feature, precision=precision, missing=values.options.missing)
    except TiecoreError as error:
        raise TiecoreError(f"{error}; also {', '.join(map(repr, _FORMATS))}") from None
    if stored_as is None:
        return rows
    return replace(rows, scores=stored_as(np.ma.filled(rows.scores.astype(np.float64), np.nan)))


def _to_float16(scores: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # what is too large becomes infinite
        return scores.astype(np.float16).astype(np.float64)


def _to_bfloat16(scores: np.ndarray) -> np.ndarray:
    mantissa, exponent = np.frexp(scores)
    with np.errstate(over="ignore"):  # it has the range of float32
        return np.ldexp(np.rint(np.ldexp(mantissa, 8)), exponent - 8).astype(np.float32).astype(np.float64)


def _to_int8(scores: np.ndarray) -> np.ndarray:
    """Scale to −127 … 127 and round half to even; infinite scores go to the ends."""
    largest = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    return np.clip(np.rint(scores / (largest / 127 or 1.0)), -127, 127)


_FORMATS = {"float16": _to_float16, "bfloat16": _to_bfloat16, "int8": _to_int8}
"""Number formats in which scores are stored to save room; functions of scores that are NaN where there is none."""


def _verdict(gain: float, p: float) -> str:
    if p >= _NOISE:
        return "as in float64" if abs(gain) <= _SAME else "no clear change"
    if np.isnan(p):
        return "too few queries to say"
    return "gains" if gain > 0 else "costs"
