"""Tests whether a tie-break correlates with relevance or shifts values by chance alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import gammainc, gammaincc, ndtr

from tiecore.diagnostics.shared import improvement, of_measure, stacked, wanted_measures
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.measures.base import quotient
from tiecore.stability.significance import benjamini_hochberg
from tiecore.threads import Progress, in_threads
from tiecore.ties.shuffles import check_draws, check_seed
from tiecore.ties.tie_breaks import TieBreak

__all__ = ["bias", "chance_skewness", "chance_variance", "pooled_bias", "z_scores"]

_CLEAR = 0.001
_DOUBTFUL = 0.05
_LEAST_PART = 0.1
_NEGLIGIBLE = 1e-12
_ROUNDING = 1e-9
_LARGEST_P = 0.99
_HARDLY_SKEW = 0.5
_NAMES = ("measure", "tie_break")


def bias(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    draws: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Test for each feature whether each tie-break of the evaluation correlates with relevance.

    z = Σ_q (value_q − E_q) / √(Σ_q V_q) has mean 0 and variance 1 if the order of tied documents is independent of
    their relevance: queries are independent and the moments are exact. It is nearly normal; where a few rare hits
    decide it is skew, so from a skewness of 0.5 on, which worst and best case imply, p is that of a gamma distribution
    where that is larger. V_q is the variance under random tie-breaks, minus the variance inside the ties that remain
    (``feature:NAME`` may leave many), since these are averaged.

    Parameters
    ----------
    evaluation
        An evaluation with tie-breaks, with ``expected`` and ``sd`` among its statistics.
    measure
        One of its measures; by default all of them.
    draws, seed
        Measures without a closed-form variance, and those that are not means over orderings, are tested with this many
        random tie-breaks; with fewer than two, their z and p are NaN.

    Returns
    -------
    DataFrame
        Index (``measure``, ``tie_break``, ``feature``); columns ``value``, ``expected``, ``shift``, ``chance_sd``,
        ``z``, ``p`` (two-sided), ``p_adjusted`` (for the number of features, valid however they depend on one another)
        and ``verdict``.
    """
    tables = _tested(evaluation, measure, draws=draws, seed=seed, progress=progress)
    return stacked({(str(one), tie_break.name): table for (one, tie_break), table in tables.items()}, _NAMES)


def pooled_bias(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    draws: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Test over all features at once whether each tie-break correlates with relevance.

    The features rank the same documents, so their z are dependent and must not be added. Their p are combined by the
    Cauchy combination test (Liu & Xie 2020), which is exact for independent and for identical features, and close in
    between where p is small. Parameters as for :func:`bias`.

    Returns
    -------
    DataFrame
        Index (``measure``, ``tie_break``); columns ``features`` (that have ties to decide), ``lifted``, ``strongest``
        (feature with the largest absolute z), its ``z``, the combined ``p`` and ``verdict``.
    """
    tables = _tested(evaluation, measure, draws=draws, seed=seed, progress=progress)
    pooled: dict[tuple[str, ...], list[dict[str, object]]] = {}
    for (one, tie_break), table in tables.items():
        tested = np.flatnonzero(table["p"].notna())
        z_of_feature = table["z"].to_numpy()[tested]
        p = _combined(table["p"].to_numpy()[tested])
        strongest = int(np.argmax(np.abs(z_of_feature))) if len(tested) else None
        z = np.nan if strongest is None else float(z_of_feature[strongest])
        testable = one.has_variance or draws > 1
        row = {
            "features": len(tested),
            "lifted": int((z_of_feature * improvement(one) > 0).sum()),
            "strongest": "" if strongest is None else evaluation.features[tested[strongest]],
            "z": z,
            "p": p,
            "verdict": _verdict(one, tie_break, p=p, lift=z * improvement(one), testable=testable),
        }
        pooled[(str(one),)] = [*pooled.get((str(one),), []), row]
    index = pd.Index([tie_break.name for tie_break in evaluation.tie_breaks], name="tie_break")
    return stacked({key: pd.DataFrame(rows, index=index) for key, rows in pooled.items()}, ("measure",))


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


def chance_skewness(variance: np.ndarray, *, below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return the skewness of the sum over queries under random tie-breaks, estimated: (n_features,).

    A value that is either its least or its greatest has the variance below · above and the third moment
    variance · (above − below): a rare hit. A value that is a sum of many small parts has less of both, in proportion.

    ``variance``, ``below``, ``above``: (n_features, n_queries) variance, and how far the least and the greatest value
    lie from the expectation.
    """
    share = quotient(variance, below * above)
    total = variance.sum(axis=-1)
    return quotient((variance * share * (above - below)).sum(axis=-1), total**1.5)


def z_scores(
    shift: np.ndarray, variance: np.ndarray, *, scale: np.ndarray, skewness: np.ndarray | float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return shifts divided by their standard deviation, and two-sided p; NaN where the variance is negligible.

    ``shift``, ``variance``: (n_features,) sums over queries. ``scale``: (n_features,) sum of the values themselves, to
    which rounding errors are proportional. ``skewness``: of the sums; p is that of a gamma distribution which has it,
    unless a normal one gives a larger p: a gamma distribution ends on its short side, where sums need not.
    """
    decides = np.sqrt(variance) > _NEGLIGIBLE * np.maximum(np.abs(scale), 1.0)
    z = np.full(len(shift), np.nan)
    z[decides] = shift[decides] / np.sqrt(variance[decides])
    skewness = np.broadcast_to(skewness, z.shape)
    normal = 2.0 * ndtr(-np.abs(z))
    return z, np.where(np.abs(skewness) < _HARDLY_SKEW, normal, np.maximum(normal, _of_gamma(z, skewness)))


def _of_gamma(z: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Return two-sided p of deviations from the mean of a gamma distribution, mirrored where it is skew to the left."""
    skew = np.maximum(np.abs(skewness), _HARDLY_SKEW)
    shape = 4 / skew**2
    at = np.maximum(shape + np.where(skewness < 0, -z, z) * np.sqrt(shape), 0.0)
    return np.minimum(2 * np.minimum(gammainc(shape, at), gammaincc(shape, at)), 1.0)


def _tested(
    evaluation: Evaluation, measure: str | Measure | None, *, draws: int, seed: int, progress: Progress | None
) -> dict[tuple[Measure, TieBreak], pd.DataFrame]:
    """Return a table for each measure and tie-break, with one row for each feature."""
    check_draws(draws, least=0)
    check_seed(seed)
    if not evaluation.tie_breaks:
        raise TiecoreError("no tie-break was evaluated: evaluate with tie_breaks=['trec_eval'], for example")
    tables: dict[tuple[Measure, TieBreak], pd.DataFrame] = {}
    for one in wanted_measures(evaluation, measure):
        expected = _summaries(one, of_measure(evaluation, one, "expected"))
        sampled = None
        if not one.has_variance and draws > 1:  # one draw has no standard deviation
            sampled = evaluation.sample(one, draws=draws, seed=seed, progress=progress).to_numpy()
        for tie_break in evaluation.tie_breaks:
            value = _summaries(one, of_measure(evaluation, one, tie_break.name))
            if one.has_variance:
                chance_sd, z, p = _by_moments(evaluation, one, tie_break)
            elif sampled is not None:
                chance_sd, z, p = _by_draws(value, sampled)
            else:
                chance_sd, z, p = np.full((3, len(value)), np.nan)
            table = pd.DataFrame(
                {
                    "value": value,
                    "expected": expected,
                    "shift": value - expected,
                    "chance_sd": chance_sd,
                    "z": z,
                    "p": p,
                    "p_adjusted": _adjusted(p),
                },
                index=pd.Index(evaluation.features, name="feature"),
            )
            testable = one.has_variance or sampled is not None
            table["verdict"] = [
                _verdict(one, tie_break, p=adjusted, lift=improvement(one) * direction, testable=testable)
                for adjusted, direction in zip(table["p_adjusted"], z, strict=True)
            ]
            tables[one, tie_break] = table
    return tables


def _skewness(evaluation: Evaluation, measure: Measure) -> np.ndarray:
    """(n_features,) skewness under random tie-breaks; 0 without the worst and the best case."""
    if not {"worst", "best"} <= set(evaluation.statistics):
        return np.zeros(len(evaluation.features))
    expected, variance, *ends = (
        of_measure(evaluation, measure, column) for column in ("expected", "variance", "worst", "best")
    )
    low, high = np.sort(ends, axis=0)
    return chance_skewness(variance, below=expected - low, above=high - expected)


def _by_moments(
    evaluation: Evaluation, measure: Measure, tie_break: TieBreak
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    expected = of_measure(evaluation, measure, "expected")
    variance = of_measure(evaluation, measure, "variance")
    shift = (of_measure(evaluation, measure, tie_break.name) - expected).sum(axis=1)
    counted = evaluation.counted[evaluation.measures.index(measure)]

    def left_tied(feature: str) -> np.ndarray:
        rows = evaluation.rows(feature)
        return measure.variance(rows.groups(tie_break.key(rows)))[counted]

    left = np.stack(in_threads(left_tied, evaluation.features))
    by_chance = chance_variance(variance, left)
    z, p = z_scores(shift, by_chance, scale=expected.sum(axis=1), skewness=_skewness(evaluation, measure))
    return np.sqrt(by_chance) / variance.shape[1], z, p


def _by_draws(value: np.ndarray, sampled: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compare each value with the (draws, n_features) summaries under random tie-breaks: its chance SD, z and p."""
    chance_sd = sampled.std(axis=0, ddof=1)
    decides = chance_sd > _NEGLIGIBLE * np.maximum(np.abs(sampled).max(axis=0), 1.0)
    z, p = np.full((2, len(value)), np.nan)
    z[decides] = (value - sampled.mean(axis=0))[decides] / chance_sd[decides]
    as_low = (sampled <= value + _NEGLIGIBLE).sum(axis=0)
    as_high = (sampled >= value - _NEGLIGIBLE).sum(axis=0)
    tail = (np.minimum(as_low, as_high) + 1.0) / (len(sampled) + 1.0)
    p[decides] = np.minimum(2.0 * tail, 1.0)[decides]
    return chance_sd, z, p


def _summaries(measure: Measure, values: np.ndarray) -> np.ndarray:
    return np.array([measure.summarise(per_query) for per_query in values])


def _adjusted(p: np.ndarray) -> np.ndarray:
    """Adjust p for the number of features; the false discovery rate holds under any dependence between them."""
    adjusted = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    if len(tested):
        # Benjamini and Yekutieli: valid under any dependence between the tests
        under_dependence = (1 / np.arange(1, len(tested) + 1)).sum()
        adjusted[tested] = np.minimum(benjamini_hochberg(p[tested]) * under_dependence, 1.0)
    return adjusted


def _combined(p: np.ndarray) -> float:
    if not len(p):
        return np.nan
    # a p of exactly 1 would outweigh any number of small ones
    cauchy = 1 / np.tan(np.pi * np.clip(p, np.finfo(float).tiny, _LARGEST_P))
    return float(np.arctan2(1.0, cauchy.mean()) / np.pi) if len(p) > 1 else float(p[0])


def _verdict(measure: Measure, tie_break: TieBreak, *, p: float, lift: float, testable: bool) -> str:
    if not testable:
        return f"not tested: {measure} has no closed-form variance; pass draws=1000 to sample it"
    if np.isnan(p):
        return f"nothing to test: ties do not change {measure}"
    if p >= _DOUBTFUL:
        return "no sign of bias"
    if tie_break.policy == "random":
        return f"chance: a seed other than {tie_break.argument} will not repeat it"
    is_clear = p < _CLEAR
    if tie_break.policy == "feature":
        correlates = "correlates" if is_clear else "may correlate"
        sign = " negatively" if lift < 0 else ""
        return f"{tie_break.argument} {correlates}{sign} with relevance among tied documents"
    direction = "better" if lift > 0 else "worse"
    if is_clear:
        return f"{tie_break.name} correlates with relevance and makes results look {direction}: do not rank with it"
    return (
        f"{tie_break.name} may correlate with relevance and make results look {direction}: "
        "inspect its order before ranking with it"
    )
