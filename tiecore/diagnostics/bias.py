"""Tests whether a tie-break correlates with relevance or shifts values by chance alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from tiecore.collection.alignment import Block
from tiecore.diagnostics.shared import of_measure, wanted_measures
from tiecore.errors import TiecoreError
from tiecore.evaluation.random_orders import TOO_MANY
from tiecore.evaluation.random_values import random_values
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.tie_breaks import TieBreak

AVOID = "do not rank with this tie-break"
"""How the verdict on a tie-break ends that clearly correlates with relevance."""
CLEAR, _DOUBTFUL = 0.01, 0.05
_LEAST_PART = 0.1
_LEAVE_NOTHING = {"docid-desc", "docid-asc", "input", "input-reversed", "random"}
"""Tie-breaks under which no two documents are tied."""
_NEGLIGIBLE = 1e-12
_ROUNDING = 1e-9


def bias(
    evaluation: Evaluation, measure: str | Measure | None = None, *, seed: int = 0, progress: Progress | None = None
) -> pd.DataFrame:
    """Test for each feature whether each tie-break of the evaluation correlates with relevance.

    z = Σ_q (value_q − E_q) / √(Σ_q V_q) has mean 0 and variance 1 if the order of tied documents is independent of
    their relevance: queries are independent and the moments are exact. p is the share of random orders, those of
    :func:`~tiecore.stability.stability`, that lead at least as far from the expectation; 1/1,001 is the least. V_q is
    the variance under random tie-breaks, minus the variance inside the ties that remain (``feature:NAME`` may leave
    many), since these are averaged.

    The evaluation needs tie-breaks, and ``expected`` and ``sd`` among its statistics. Without a measure, all are used.

    Returns
    -------
    DataFrame
        Index (``measure``, ``tie_break``, ``feature``); columns ``value``, ``expected``, ``shift``, ``chance_sd``,
        ``z``, ``p`` (two-sided), ``p_adjusted`` (for all features together: the share of random orders under which any
        of them has a |z| as large) and ``verdict``.
    """
    tables = [*_tested(evaluation, measure, seed=seed, progress=progress)]
    keys = [(str(one), tie_break.name) for one, tie_break, _ in tables]
    levels = [list(dict.fromkeys(level)) for level in zip(*keys, strict=True)]  # in their order
    frames = [pd.DataFrame(table, index=evaluation.features) for *_, table in tables]
    return pd.concat(frames, keys=keys, levels=levels, names=["measure", "tie_break", "feature"])


def pooled_bias(
    evaluation: Evaluation, measure: str | Measure | None = None, *, seed: int = 0, progress: Progress | None = None
) -> pd.DataFrame:
    """Test over all features at once whether each tie-break correlates with relevance.

    The features rank the same documents, so their z are dependent: p is the share of random orders under which the
    largest |z| of all features is as large as the observed one. Parameters as for :func:`bias`.

    Returns
    -------
    DataFrame
        Index (``measure``, ``tie_break``); columns ``features`` (that have ties to decide), ``lifted``, ``strongest``
        (feature with the largest absolute z), its ``z``, ``p`` and ``verdict``.
    """
    pooled: dict[str, list[dict[str, object]]] = {}
    for one, _, table in _tested(evaluation, measure, seed=seed, progress=progress):
        z, judged = table["z"], ~np.isnan(table["p"])
        far = np.nan_to_num(np.abs(z), nan=-1.0)
        n_tested = (far >= 0).sum()
        far[judged.any() & ~judged] = -1.0
        first = far.argmax()
        row = {
            "features": n_tested,
            "lifted": (z * one.sign > 0).sum(),
            "strongest": evaluation.features[first] if n_tested else "",
            "z": z[first],
            "p": table["p_adjusted"][first],
            "verdict": table["verdict"][first],
        }
        pooled.setdefault(str(one), []).append(row)
    index = [tie_break.name for tie_break in evaluation.tie_breaks]
    return pd.concat(
        {name: pd.DataFrame(rows, index=index) for name, rows in pooled.items()}, names=["measure", "tie_break"]
    )


def chance_variance(variance: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return the variance of the sum over queries under a tie-break unrelated to relevance: (n_features,).

    Var(M) = Var(E[M | order of the key]) + E[Var(M | order of the key)]: the variance inside the remaining ties is
    subtracted. The second term is known for one order of the key only, so the difference is held to at least a tenth of
    the whole. For a tie-break that breaks no tie (a feature on its own ties) the variance is 0.

    ``variance``: (n_features, n_queries) variance under random tie-breaks. ``left``: (n_features, n_queries) variance
    inside the tie groups that the tie-break leaves.
    """
    whole = variance.sum(axis=-1)
    breaks_ties = np.abs(variance - left).sum(axis=-1) > _ROUNDING * whole
    return np.where(breaks_ties, np.maximum(whole - left.sum(axis=-1), _LEAST_PART * whole), 0.0)


def z_scores(shift: np.ndarray, variance: np.ndarray, *, scale: np.ndarray) -> np.ndarray:
    """Return shifts divided by their standard deviation; NaN where the variance is negligible.

    ``shift``, ``variance``: (n_features,) sums over queries. ``scale``: (n_features,) sum of the values themselves, to
    which rounding errors are proportional.
    """
    decides = np.sqrt(variance) > _NEGLIGIBLE * np.maximum(np.abs(scale), 1.0)
    return np.divide(shift, np.sqrt(variance), out=np.full(len(shift), np.nan), where=decides)


@dataclass(frozen=True, slots=True, eq=False)
class RandomZ:
    """What z is under random orders, for each feature."""

    z: np.ndarray
    """(draws, n_features), NaN where no order changes the value."""
    weight: np.ndarray
    """(n_features,) draws that these are as good as."""
    mean: np.ndarray
    """(n_features,) of the deviation from the expectation, summed over all queries on the scale averaged."""
    deviation: np.ndarray
    """(n_features,) of the same sum."""

    def share(self, z: np.ndarray, *, of_any: bool = False) -> np.ndarray:
        """(n_z,) share of the draws in which the feature is at least as far from 0, or any feature is.

        The observed order counts as one of the draws. NaN for a feature whose ties are in none of the drawn queries.
        ``z``: one for each feature, or several of the only one.
        """
        under_chance = np.abs(self.z)
        if of_any:
            under_chance = np.nan_to_num(under_chance).max(axis=1, keepdims=True)
        as_far = (under_chance >= np.abs(z) - _ROUNDING).mean(axis=0)
        is_known = ~np.isnan(z) & ~np.isnan(self.z).all(axis=0)
        return np.where(is_known, (1 + as_far * self.weight) / (1 + self.weight), np.nan)


def random_z(
    values: Values,
    measure: Measure,
    features: Sequence[str] | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> RandomZ:
    """Return z under random orders; nothing is known where there are too many documents to draw.

    ``features``: by default all of the evaluation.
    """
    values.check_statistics("expected", *(["sd"] if measure.has_variance else []))
    names = values.features if features is None else features
    drawn = random_values(values, measure, features=names, seed=seed, progress=progress)
    if drawn is None:
        unknown = np.full(len(names), np.nan)
        return RandomZ(unknown[None], unknown, np.zeros(len(names)), unknown)
    sums = drawn.totals * measure.sign
    mean, deviation = sums.mean(axis=0), sums.std(axis=0, ddof=1)
    if measure.averages_orderings:
        mean = np.zeros_like(mean)
    if measure.has_variance:  # exact
        place = [values.features.index(name) for name in names]
        of_all = values.array[values.measures.index(measure), place, values.columns.index("sd")]
        deviation = np.sqrt(of_all[:, drawn.queries].sum(axis=1))
    z = np.full(sums.shape, np.nan)
    # few orders may have missed rare ones that count for much: by the exact spread alone others would look too far out
    is_mixed = len(drawn.order) > drawn.orders
    spread = np.minimum(deviation, sums.std(axis=0)) if is_mixed else deviation
    varied = spread > _NEGLIGIBLE * np.maximum(np.abs(sums).max(axis=0), 1.0)
    z[:, varied] = (sums - mean)[:, varied] / spread[varied]
    return RandomZ(z, drawn.weight, mean / drawn.share, deviation / np.sqrt(drawn.share))


def _tested(
    evaluation: Evaluation, measure: str | Measure | None, *, seed: int, progress: Progress | None
) -> Iterator[tuple[Measure, TieBreak, dict[str, Any]]]:
    """Yield columns for each measure and tie-break, (n_features,) each."""
    values = evaluation.values
    if not values.tie_breaks:
        raise TiecoreError("no tie-break was evaluated: evaluate with tie_breaks=['trec_eval'], for example")
    for one in wanted_measures(values, measure):
        averaged = one.averaged(of_measure(values, one, "expected"))
        by_chance = random_z(values, one, seed=seed, progress=progress)
        summary = values.summarised()[values.measures.index(one)]
        for tie_break in values.tie_breaks:
            sums = (one.averaged(of_measure(values, one, tie_break.name)) - averaged).sum(axis=1)
            variance = by_chance.deviation**2
            if one.has_variance:
                variance = _left_to_chance(values, one, tie_break, progress)
            z = z_scores(sums - by_chance.mean, variance, scale=averaged.sum(axis=1))
            adjusted = by_chance.share(z, of_any=True)
            is_undrawn = np.isnan(adjusted) & ~(np.isnan(z) & np.isfinite(by_chance.deviation))
            verdicts = [
                TOO_MANY if is_out else _verdict(one, tie_break, p=p_of_all, lift=one.sign * direction)
                for is_out, p_of_all, direction in zip(is_undrawn, adjusted, z, strict=True)
            ]
            value, expected = (summary[:, values.columns.index(name)] for name in (tie_break.name, "expected"))
            table = {
                "value": value,
                "expected": expected,
                "shift": value - expected,
                "chance_sd": np.sqrt(variance) / averaged.shape[1],
                "z": z,
                "p": by_chance.share(z),
                "p_adjusted": adjusted,
                "verdict": verdicts,
            }
            yield one, tie_break, table


def _left_to_chance(values: Values, measure: Measure, tie_break: TieBreak, progress: Progress | None) -> np.ndarray:
    """(n_features,) variance of the sum over queries if the tie-break is unrelated to relevance."""
    counted = values.counted[values.measures.index(measure)]

    def left_tied(piece: tuple[str, Block]) -> np.ndarray:
        feature, block = piece
        return measure.variance(values.groups(feature, tie_break, block))

    variance = of_measure(values, measure, "sd")
    if tie_break.policy in _LEAVE_NOTHING:  # whose groups may no longer be kept
        return chance_variance(variance, np.zeros_like(variance))
    blocks = values.alignment.blocks()
    pieces = list(product(values.features, blocks))
    left = in_threads(left_tied, pieces, progress=progress, of_each=len(blocks))
    return chance_variance(variance, np.concatenate(left).reshape(len(values.features), -1)[:, counted])


def _verdict(measure: Measure, tie_break: TieBreak, *, p: float, lift: float) -> str:
    if np.isnan(p):
        return f"nothing to test: ties do not change {measure}"
    if p > _DOUBTFUL:
        return "no sign of bias"
    if tie_break.policy == "random":
        return f"chance: a seed other than {tie_break.argument} will not repeat it"
    is_clear = p <= CLEAR
    if tie_break.policy == "feature":
        correlates = "correlates" if is_clear else "may correlate"
        sign = " negatively" if lift < 0 else ""
        return f"{tie_break.argument} {correlates}{sign} with relevance among tied documents"
    if is_clear:
        return f"{tie_break.name} correlates with relevance: {AVOID}"
    return f"{tie_break.name} may correlate with relevance: inspect its order before ranking with it"
