"""The effect of storing the scores of a feature in a coarser precision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import stdtr

from tiecore.collection.rows import FeatureRows
from tiecore.diagnostics.shared import (
    counted_queries,
    improvement,
    statistics_of,
    summaries,
)
from tiecore.errors import TiecoreError
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.keys import dense_rank, is_scored, parse_precision, score_code

__all__ = ["PRECISIONS", "precision_curve"]

PRECISIONS = (
    "float64",
    "float32",
    *(f"decimals:{n}" for n in range(6, -1, -1)),
    *(f"bits:{n}" for n in (11, 8, 6, 4, 2, 1)),
    *(f"levels:{n}" for n in (256, 128, 64, 32, 16, 8, 4, 2)),
)
"""The usual precisions, from fine to coarse within each kind; float16 has 11 bits, bfloat16 has 8."""

_COARSE = re.compile(r"(?P<kind>bits|levels):(?P<number>[1-9]\d{0,8})")
_MOST_BITS = 52
_SAME = 1e-12
_NOISE = 0.05


def precision_curve(
    evaluation: Values,
    feature: str,
    measure: str | Measure | None = None,
    *,
    precisions: Sequence[str] = PRECISIONS,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return the values of a feature with its scores rounded to coarser precisions: one row for each precision.

    Parameters
    ----------
    evaluation, feature
        The evaluation and one of its features; the precision of the evaluation does not matter.
    precisions
        ``float64``, ``float32``, ``decimals:N``; ``bits:N``: N significant binary digits; ``levels:N``: at most N
        levels with about as many documents in each, over all queries.

    Returns
    -------
    DataFrame
        Index ``precision``; columns ``values``, ``tied``, ``expected``, ``sd``, ``worst``, ``best``, ``spread``,
        ``change`` (of the expectation, from that in float64), ``p`` (paired t-test over queries of the change) and
        ``verdict``.
    """
    chosen = evaluation.measure_or_only(measure)
    evaluation.feature_position(feature)
    counted = counted_queries(evaluation, chosen)
    names = tuple(dict.fromkeys(precisions))

    def at(name: str) -> tuple[dict[str, float], np.ndarray]:
        rows = _coarse_rows(evaluation, feature, name)
        groups = rows.sorted().groups
        statistics = statistics_of(groups, chosen)[:, counted]
        size = groups.size[counted[groups.query]]
        scores = rows.scores[counted[rows.query]]
        row = {
            "values": len(np.unique(scores[is_scored(scores)])),
            "tied": size[size > 1].sum() / max(1, size.sum()),
            **summaries(statistics, chosen),
        }
        return row, statistics[0]

    (_, exact), *found = in_threads(at, ("float64", *names), progress=progress)
    table = pd.DataFrame([row for row, _ in found], index=pd.Index(names, name="precision"))
    table["change"] = table["expected"] - chosen.summarise(exact)
    table["p"] = [_paired(by_query - exact) for _, by_query in found]
    gained = improvement(chosen) * table["change"]
    return table.assign(verdict=[_verdict(gain, p) for gain, p in zip(gained, table["p"], strict=True)])


def _coarse_rows(evaluation: Values, feature: str, name: str) -> FeatureRows:
    coarse = _COARSE.fullmatch(name)
    if coarse is None:
        try:
            parse_precision(name)
        except TiecoreError as error:
            raise TiecoreError(f"{error}; also 'bits:N' and 'levels:N' with N from 1") from None
    precision = "float64" if coarse else name
    rows = evaluation.alignment.rows(feature, precision=precision, missing=evaluation.options.missing)
    if coarse is None:
        return rows
    number = int(coarse["number"])
    is_bits = coarse["kind"] == "bits"
    scores = _to_bits(rows.scores, number) if is_bits else _to_levels(rows.scores, number, count=rows.count)
    return replace(rows, scores=scores)


def _to_bits(scores: np.ndarray, bits: int) -> np.ndarray:
    """Round to the given number of significant binary digits, half to even."""
    if bits > _MOST_BITS:
        return scores
    if scores.dtype.kind in "iu":
        rounded = _whole_to_bits(np.ma.getdata(scores), bits)
        return np.where(is_scored(scores), rounded, np.nan)
    mantissa, exponent = np.frexp(scores.astype(np.float64))
    with np.errstate(over="ignore"):
        return np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)


def _whole_to_bits(whole: np.ndarray, bits: int) -> np.ndarray:
    """Round integers directly: a conversion to float64 first would round twice."""
    is_negative = whole < 0
    size = whole.astype(np.uint64)
    size[is_negative] = -size[is_negative]  # wraps to the absolute value, also for the lowest integer
    # where float64 rounds up to the next power of two, so do fewer bits
    surplus = np.maximum(np.frexp(size.astype(np.float64))[1] - bits, 0).astype(np.uint64)
    kept = size >> surplus
    rest, half = size - (kept << surplus), (np.uint64(1) << surplus) >> np.uint64(1)
    kept += (surplus > 0) & ((rest > half) | ((rest == half) & (kept % 2 == 1)))
    return np.where(is_negative, -1.0, 1.0) * np.ldexp(kept.astype(np.float64), surplus.astype(np.int64))


def _to_levels(scores: np.ndarray, levels: int, *, count: np.ndarray) -> np.ndarray:
    """Replace each score by its level between quantiles over all documents; equal scores stay equal."""
    scored = is_scored(scores)
    coarse = np.full(len(scores), np.nan)
    if scored.any():
        rank = dense_rank(score_code(np.ma.getdata(scores)[scored], ascending=True))  # scores of any type, in order
        n_levels = min(levels, int(count.sum()))
        share = np.arange(1, n_levels) / n_levels
        cuts = np.unique(np.quantile(np.repeat(rank, count[scored]), share, method="inverted_cdf"))
        coarse[scored] = np.searchsorted(cuts, rank, side="left")
    return coarse


def _paired(difference: np.ndarray) -> float:
    """Return the p of a paired t-test: 1 if nothing differs, NaN if the differences are constant and not 0."""
    if np.ptp(difference) <= _SAME:
        return 1.0 if np.abs(difference).max() <= _SAME else np.nan
    standard_error = difference.std(ddof=1) / np.sqrt(len(difference))
    return float(2 * stdtr(len(difference) - 1, -abs(difference.mean()) / standard_error))


def _verdict(gain: float, p: float) -> str:
    if p >= _NOISE:
        return "as in float64" if abs(gain) <= _SAME else "no more than noise"
    if np.isnan(p):
        return "too few queries to say"
    return "gains" if gain > 0 else "costs"
